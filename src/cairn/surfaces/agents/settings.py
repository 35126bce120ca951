"""Our entry in a client's settings, and our block in its instructions: text in, text out."""

from collections.abc import Sequence
from typing import Any

from cairn.surfaces.agents import jsonc, markdown, tomltext
from cairn.surfaces.agents.clients import SERVER, AgentClient, command_of, entry
from cairn.surfaces.agents.edits import EditError, SettingsText, decode
from cairn.surfaces.agents.instructions import AGENT, INSTRUCTIONS, agent_preamble


def entry_in(client: AgentClient, data: bytes | None) -> Any:
    """Our entry in the settings; None if there is nothing."""
    if data is None:
        return None
    content = decode(data).content
    found = tomltext.parse(content) if client.toml else jsonc.parse(content)
    for key in client.entry_keys:
        if not isinstance(found, dict):
            return None
        found = found.get(key)
    return found


def with_entry(client: AgentClient, data: bytes | None, command: Sequence[str]) -> bytes:
    """The settings with our server in them; what a user added to the entry stays."""
    text = decode(data) if data is not None else SettingsText("")
    there = entry_in(client, data)
    if there is not None and not isinstance(there, dict):
        raise EditError(f"its entry {'.'.join(client.entry_keys)} is not a table of settings")
    if there is not None and command_of(there) == list(command):
        return data or b""
    wanted = entry(client, command)
    changed = {key: value for key, value in wanted.items() if key in ("command", "args")}
    content = text.content
    if client.toml:
        content = tomltext.put(content, client.entry_keys, wanted if there is None else changed, text.newline)
    elif there is None:
        content = jsonc.put(content, client.entry_keys, wanted, text.newline)
    else:
        for key, value in changed.items():
            content = jsonc.put(content, (*client.entry_keys, key), value, text.newline)
    return text.with_content(content).encode()


def without_entry(client: AgentClient, data: bytes, original: bytes | None = None) -> bytes:
    """The settings without our server; of what they were before, an empty parent that wasn't there goes too."""
    text = decode(data)
    if entry_in(client, data) is None:
        return data
    if client.toml:
        return text.with_content(tomltext.take(text.content, client.entry_keys)).encode()
    before = jsonc.parse(decode(original).content) if original is not None else None
    ours = original is not None and not (isinstance(before, dict) and client.keys[0] in before)
    return text.with_content(jsonc.take(text.content, client.entry_keys, empty_parents=ours)).encode()


def with_notes(client: AgentClient, data: bytes | None) -> bytes:
    """The instructions with our block in them."""
    return _with_block(data, INSTRUCTIONS, client.preamble)


def without_notes(client: AgentClient, data: bytes) -> bytes | None:
    """The instructions without our block; None if nothing but our own preamble would be left."""
    return _without_block(data, client.preamble)


def with_agent(data: bytes | None) -> bytes:
    """The file of our sub-agent."""
    return _with_block(data, AGENT, agent_preamble(SERVER))


def without_agent(data: bytes) -> bytes | None:
    """What is left of it that is not ours."""
    return _without_block(data, agent_preamble(SERVER))


def _with_block(data: bytes | None, body: str, preamble: str) -> bytes:
    text = decode(data) if data is not None else SettingsText("")
    return text.with_content(markdown.put(text.content, body, text.newline, preamble)).encode()


def _without_block(data: bytes, preamble: str) -> bytes | None:
    text = decode(data)
    left = markdown.take(text.content, text.newline)
    if left == text.content:
        return data
    if preamble and left.split() == preamble.split():
        return None
    return text.with_content(left).encode()


def has_notes(data: bytes | None) -> bool:
    """Whether the instructions hold our block."""
    return data is not None and markdown.block_in(decode(data).content) is not None
