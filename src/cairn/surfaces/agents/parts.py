"""What of ours stands in a client's files, part by part: how each is put in, taken out and recognised."""

from collections.abc import Callable, Sequence

from cairn.base.values import dataclass
from cairn.surfaces.agents import settings
from cairn.surfaces.agents.clients import SESSIONS, AgentClient, SettingsScope, command_of
from cairn.surfaces.agents.hooks import has_hooks, with_hooks, without_hooks


@dataclass(frozen=True, slots=True)
class Part:
    """One of the things that we write into files of a client."""

    place: Callable[[SettingsScope, AgentClient], str | None]
    """The file in a scope; None if the client has none there."""
    add: Callable[[AgentClient, bytes | None, Sequence[str]], bytes]
    """The file with it, for a server that is started with a command."""
    remove: Callable[[AgentClient, bytes, bytes | None], bytes | None]
    """The file without it, of what it was before; None where nothing would be left."""
    is_in: Callable[[AgentClient, bytes | None], bool]


def _starts_our_server(client: AgentClient, data: bytes | None) -> bool:
    started = command_of(settings.entry_in(client, data)) or [""]
    return [word for word in started if word != SESSIONS][-1:] == ["mcp"]


ENTRY = Part(SettingsScope.config, settings.with_entry, settings.without_entry, _starts_our_server)
NOTES = Part(
    SettingsScope.notes,
    lambda client, data, _: settings.with_notes(client, data),
    lambda client, data, _: settings.without_notes(client, data),
    lambda _, data: settings.has_notes(data),
)
HOOKS = Part(
    SettingsScope.hooks,
    lambda _, data, command: with_hooks(data, command),
    lambda _, data, original: without_hooks(data, original),
    lambda _, data: has_hooks(data),
)
AGENT = Part(
    SettingsScope.agent,
    lambda _, data, __: settings.with_agent(data),
    lambda _, data, __: settings.without_agent(data),
    lambda _, data: settings.has_notes(data),
)
