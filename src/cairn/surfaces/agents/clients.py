"""The coding agents that are known: which files they read, and what an MCP server looks like in them.

docs/agents.md has the same table with the source of each row; a test keeps both alike.
"""

import os
import shutil
from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Any

from cairn.base.values import dataclass

SERVER = "cairn"
SESSIONS = "--sessions"


class Shape(StrEnum):
    """How a client writes down a server that it starts itself."""

    PLAIN = "command and args"
    STDIO = "command and args with type stdio"
    LOCAL = "command and args with type local and tools"
    LIST = "one list as command, with type local"


@dataclass(frozen=True, slots=True)
class ClientFile:
    """The first of some files that is there, else the one that would be made."""

    made: str
    """Begins with `~/` (home), `$config/` (XDG_CONFIG_HOME), `$codex/` (CODEX_HOME) or `./` (the project)."""
    before: tuple[str, ...] = ()
    """Files that a client reads in place of `made` where they are there."""

    def names(self) -> tuple[str, ...]:
        """All names, in the order in which the client looks for them."""
        return (*self.before, self.made)


@dataclass(frozen=True, slots=True)
class AgentClient:
    """A coding agent: its settings files, how it names MCP servers, and how it is recognised."""

    name: str
    title: str
    user_config: ClientFile | None
    project_config: ClientFile | None
    """None: the client has settings of the user only, which then count for a project too."""
    user_notes: ClientFile | None
    project_notes: ClientFile | None
    signs: tuple[str, ...]
    """Files and folders that only this client makes."""
    programs: tuple[str, ...] = ()
    keys: tuple[str, ...] = ("mcpServers",)
    shape: Shape = Shape.PLAIN
    toml: bool = False
    preamble: str = ""
    """What the client wants at the top of a file of instructions of its own."""
    user_hooks: ClientFile | None = None
    project_hooks: ClientFile | None = None
    """Settings with the client's own hooks, where it has some that tell of compactions and hear a reminder."""
    user_agent: ClientFile | None = None
    project_agent: ClientFile | None = None
    """A sub-agent that is made for asking the index."""

    @property
    def entry_keys(self) -> tuple[str, ...]:
        """The path of keys at which our server stands in the settings."""
        return (*self.keys, SERVER)


@dataclass(frozen=True, slots=True)
class SettingsScope:
    """Where settings are looked for: the user's own, or those of a project."""

    home: str
    environ: Mapping[str, str]
    project: str | None = None

    def path(self, name: str) -> str:
        """The absolute path of a name as `ClientFile` writes it."""
        if name.startswith("./"):
            return os.path.join(self.project or "", name[2:])
        if name.startswith("$config/"):
            base = self.environ.get("XDG_CONFIG_HOME") or os.path.join(self.home, ".config")
        elif name.startswith("$codex/"):
            base = self.environ.get("CODEX_HOME") or os.path.join(self.home, ".codex")
        else:
            base = self.home
        return os.path.join(base, name.partition("/")[2])

    def resolve(self, place: ClientFile) -> str:
        """The first of a client's files that exists, else the one to create."""
        paths = [self.path(name) for name in place.names()]
        return next((path for path in paths if os.path.isfile(path)), paths[-1])

    def config(self, client: AgentClient) -> str | None:
        """The client's settings file in this scope; None if it has none here."""
        return self._here(client.user_config, client.project_config or client.user_config)

    def notes(self, client: AgentClient) -> str | None:
        """The client's file of instructions in this scope; None if it has none here."""
        return self._here(client.user_notes, client.project_notes)

    def hooks(self, client: AgentClient) -> str | None:
        """The client's file of hooks in this scope; None if it has none here."""
        return self._here(client.user_hooks, client.project_hooks)

    def agent(self, client: AgentClient) -> str | None:
        """The file of our sub-agent in this scope; None if the client has no such files."""
        return self._here(client.user_agent, client.project_agent)

    def _here(self, users: ClientFile | None, projects: ClientFile | None) -> str | None:
        place = users if self.project is None else projects
        return self.resolve(place) if place is not None else None

    def finds(self, client: AgentClient) -> bool:
        """Whether the client is used here: it has left files, or its program is installed."""
        signs = [name for name in client.signs if self.project is not None or not name.startswith("./")]
        if any(os.path.lexists(self.path(name)) for name in signs):
            return True
        return any(shutil.which(name, path=self.environ.get("PATH")) for name in client.programs)


def entry(client: AgentClient, command: Sequence[str]) -> dict[str, Any]:
    """The client's settings entry for a server that is started with this command."""
    program, *arguments = command
    if client.shape is Shape.LIST:
        return {"type": "local", "command": [program, *arguments], "enabled": True}
    plain: dict[str, Any] = {"command": program, "args": arguments}
    if client.shape is Shape.STDIO:
        return {"type": "stdio", **plain}
    if client.shape is Shape.LOCAL:
        return {"type": "local", **plain, "tools": ["*"]}
    return plain


def with_sessions(client: AgentClient, command: Sequence[str]) -> tuple[str, ...]:
    """The command of a server whose host has hooks that tell what becomes of a conversation."""
    return (*command, *((SESSIONS,) if client.user_hooks is not None else ()))


def command_of(found: object) -> list[str] | None:
    """The command that an entry starts; None for an entry that starts none."""
    if not isinstance(found, dict):
        return None
    command, arguments = found.get("command"), found.get("args", [])
    parts: list[Any] = list(command) if isinstance(command, list) else [command]
    parts += arguments if isinstance(arguments, list) else [None]
    return parts if all(isinstance(part, str) for part in parts) and parts else None


_AGENTS = ClientFile("./AGENTS.md")
_COPILOT = ClientFile("./.github/copilot-instructions.md")

CLIENTS: tuple[AgentClient, ...] = (
    AgentClient(
        "claude-code",
        "Claude Code",
        ClientFile("~/.claude.json"),
        ClientFile("./.mcp.json"),
        ClientFile("~/.claude/CLAUDE.md"),
        ClientFile("./CLAUDE.md"),
        ("~/.claude", "~/.claude.json", "./.claude"),
        ("claude",),
        user_hooks=ClientFile("~/.claude/settings.json"),
        project_hooks=ClientFile("./.claude/settings.json"),
        user_agent=ClientFile("~/.claude/agents/cairn.md"),
        project_agent=ClientFile("./.claude/agents/cairn.md"),
    ),
    AgentClient(
        "codex",
        "Codex",
        ClientFile("$codex/config.toml"),
        None,
        ClientFile("$codex/AGENTS.md"),
        _AGENTS,
        ("$codex/", "./.codex"),
        ("codex",),
        keys=("mcp_servers",),
        toml=True,
    ),
    AgentClient(
        "cursor",
        "Cursor",
        ClientFile("~/.cursor/mcp.json"),
        ClientFile("./.cursor/mcp.json"),
        None,
        ClientFile("./.cursor/rules/cairn.mdc"),
        ("~/.cursor", "./.cursor"),
        ("cursor", "cursor-agent"),
        preamble="---\ndescription: How to ask the code index of this codebase\nalwaysApply: true\n---",
    ),
    AgentClient(
        "gemini-cli",
        "Gemini CLI",
        ClientFile("~/.gemini/settings.json"),
        ClientFile("./.gemini/settings.json"),
        ClientFile("~/.gemini/GEMINI.md"),
        ClientFile("./GEMINI.md"),
        ("~/.gemini", "./.gemini"),
        ("gemini",),
    ),
    AgentClient(
        "vscode",
        "VS Code",
        ClientFile("$config/Code/User/mcp.json"),
        ClientFile("./.vscode/mcp.json"),
        None,
        _COPILOT,
        ("$config/Code", "./.vscode"),
        ("code",),
        keys=("servers",),
        shape=Shape.STDIO,
    ),
    AgentClient(
        "copilot-cli",
        "GitHub Copilot CLI",
        ClientFile("~/.copilot/mcp-config.json"),
        None,
        None,
        _COPILOT,
        ("~/.copilot",),
        ("copilot",),
        shape=Shape.LOCAL,
    ),
    AgentClient(
        "windsurf",
        "Windsurf",
        ClientFile("~/.codeium/windsurf/mcp_config.json"),
        None,
        None,
        ClientFile("./.windsurf/rules/cairn.md"),
        ("~/.codeium/windsurf", "./.windsurf"),
        ("windsurf",),
        preamble="---\ntrigger: always_on\n---",
    ),
    AgentClient(
        "zed",
        "Zed",
        ClientFile("$config/zed/settings.json"),
        ClientFile("./.zed/settings.json"),
        ClientFile("$config/zed/AGENTS.md"),
        # Zed reads the first of these only: a file of our own would hide the user's.
        ClientFile(
            "./AGENTS.md",
            (
                "./.rules",
                "./.cursorrules",
                "./.windsurfrules",
                "./.clinerules",
                "./.github/copilot-instructions.md",
                "./AGENT.md",
            ),
        ),
        ("$config/zed", "./.zed"),
        ("zed", "zeditor"),
        keys=("context_servers",),
    ),
    AgentClient(
        "opencode",
        "OpenCode",
        ClientFile("$config/opencode/opencode.json", ("$config/opencode/opencode.jsonc",)),
        ClientFile("./opencode.json", ("./opencode.jsonc",)),
        ClientFile("$config/opencode/AGENTS.md"),
        _AGENTS,
        ("$config/opencode", "./opencode.json", "./opencode.jsonc", "./.opencode"),
        ("opencode",),
        keys=("mcp",),
        shape=Shape.LIST,
    ),
    AgentClient(
        "kiro",
        "Kiro",
        ClientFile("~/.kiro/settings/mcp.json"),
        ClientFile("./.kiro/settings/mcp.json"),
        ClientFile("~/.kiro/steering/cairn.md"),
        ClientFile("./.kiro/steering/cairn.md"),
        ("~/.kiro", "./.kiro"),
        ("kiro", "kiro-cli"),
        preamble="---\ninclusion: always\n---",
    ),
    AgentClient(
        "qwen-code",
        "Qwen Code",
        ClientFile("~/.qwen/settings.json"),
        ClientFile("./.qwen/settings.json"),
        ClientFile("~/.qwen/QWEN.md"),
        ClientFile("./QWEN.md"),
        ("~/.qwen", "./.qwen"),
        ("qwen",),
    ),
    AgentClient(
        "amp",
        "Amp",
        ClientFile("~/.config/amp/settings.json", ("~/.config/amp/settings.jsonc",)),
        ClientFile("./.amp/settings.json", ("./.amp/settings.jsonc",)),
        ClientFile("~/.config/amp/AGENTS.md"),
        _AGENTS,
        ("~/.config/amp", "./.amp"),
        ("amp",),
        keys=("amp.mcpServers",),
    ),
    AgentClient(
        "roo-code",
        "Roo Code",
        None,
        ClientFile("./.roo/mcp.json"),
        ClientFile("~/.roo/rules/cairn.md"),
        ClientFile("./.roo/rules/cairn.md"),
        ("~/.roo", "./.roo"),
    ),
)
BY_NAME: Mapping[str, AgentClient] = {client.name: client for client in CLIENTS}
