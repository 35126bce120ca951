"""Our commands among a host's hooks: its own settings, edited as text like everything else."""

import shlex
from collections.abc import Mapping, Sequence
from typing import Any

from cairn.surfaces.agents import jsonc
from cairn.surfaces.agents.edits import EditError, SettingsText, decode

_KEY = "hooks"
_SESSION = ("session", "hook")
_NUDGE = ("session", "nudge")
_WANTED: Mapping[str, tuple[tuple[str, ...], str]] = {
    "SessionStart": (_SESSION, ""),
    "PreCompact": (_SESSION, ""),
    "UserPromptSubmit": (_SESSION, ""),
    "PostToolUse": (_NUDGE, "Grep|Bash"),
}
"""What is run at which event of Claude Code, and after which tools."""


def with_hooks(data: bytes | None, command: Sequence[str]) -> bytes:
    """The settings with our hooks; `command` starts the server, and its program runs the hooks too."""
    text = decode(data) if data is not None else SettingsText("")
    content = text.content
    for event, (words, matcher) in _WANTED.items():
        line = shlex.join((*command[: list(command).index("mcp")], *words))
        groups = _groups(content, event)
        if any(line in _lines(group) for group in groups):
            continue
        if any(_is_ours(each) for group in groups for each in _lines(group)):
            # One of another place: it goes, and ours comes in.
            content = _without(content, event, text.newline)
        group: dict[str, Any] = {"matcher": matcher} if matcher else {}
        group["hooks"] = [{"type": "command", "command": line}]
        content = jsonc.append(content, (_KEY, event), group, text.newline)
    return text.with_content(content).encode()


def without_hooks(data: bytes, original: bytes | None = None) -> bytes:
    """The settings without our hooks; what we made empty goes too, unless it stood there before."""
    text = decode(data)
    content = text.content
    for event in _WANTED:
        content = _without(content, event, text.newline)
    before = jsonc.parse(decode(original).content) if original is not None else None
    if _table(content) == {} and not (isinstance(before, dict) and _KEY in before):
        content = jsonc.take(content, (_KEY,))
    return text.with_content(content).encode()


def has_hooks(data: bytes | None) -> bool:
    """Whether the settings run a hook of ours."""
    if data is None:
        return False
    content = decode(data).content
    return any(_is_ours(line) for event in _WANTED for group in _groups(content, event) for line in _lines(group))


def _without(content: str, event: str, newline: str) -> str:
    groups = _groups(content, event)
    if not any(_is_ours(line) for group in groups for line in _lines(group)):
        return content
    kept = [left for group in groups if (left := _rest(group)) is not None]
    if kept:
        return jsonc.put(content, (_KEY, event), kept, newline)
    return jsonc.take(content, (_KEY, event))


def _rest(group: Any) -> Any:
    """A group without our hooks; None where nothing else is in it."""
    if not any(map(_is_ours, _lines(group))):
        return group
    kept = [each for each in group["hooks"] if not _is_ours(_line(each))]
    return {**group, "hooks": kept} if kept else None


def _groups(content: str, event: str) -> list[Any]:
    found = _table(content).get(event, [])
    if not isinstance(found, list):
        raise EditError(f"its {_KEY}.{event} is not a list")
    return found


def _table(content: str) -> dict[str, Any]:
    found = jsonc.parse(content)
    hooks = found.get(_KEY, {}) if isinstance(found, dict) else {}
    if not isinstance(hooks, dict):
        raise EditError(f"its {_KEY} is not an object")
    return hooks


def _lines(group: Any) -> list[str]:
    hooks = group.get("hooks") if isinstance(group, dict) else None
    return [_line(each) for each in hooks] if isinstance(hooks, list) else []


def _line(hook: Any) -> str:
    line = hook.get("command") if isinstance(hook, dict) else None
    return line if isinstance(line, str) else ""


def _is_ours(line: str) -> bool:
    return "cairn" in line and line.endswith((" ".join(_SESSION), " ".join(_NUDGE)))
