"""A plan as a unified diff."""

import difflib

from cairn.base.text import plural
from cairn.surfaces.agents.plan import SettingsChange

_WIDEST = 300


def unified(change: SettingsChange) -> list[str]:
    """The lines of one file's diff, without line ends; very long lines are cut."""
    before, after = _lines(change.before), _lines(change.after)
    name = change.path if change.path == change.target else f"{change.path} -> {change.target}"
    lines = difflib.unified_diff(
        before, after, "/dev/null" if change.before is None else name, "/dev/null" if change.after is None else name
    )
    return [_cut(line.rstrip("\r\n")) for line in lines]


def _lines(data: bytes | None) -> list[str]:
    text = (data or b"").decode("utf-8", "backslashreplace")
    lines = text.splitlines(keepends=True)
    if lines and not lines[-1].endswith(("\n", "\r")):
        lines[-1] += "\n\\ no newline at the end\n"
    return lines


def _cut(line: str) -> str:
    return line if len(line) <= _WIDEST else f"{line[:_WIDEST]}… ({plural(len(line) - _WIDEST, 'more character')})"
