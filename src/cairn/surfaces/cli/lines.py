"""Lines that match, as JSON, as `path:line:text` for a pipe, and by file for a terminal."""

from typing import TYPE_CHECKING

from cairn.base.text import printable, printable_lines
from cairn.surfaces.cli.console import current
from cairn.surfaces.cli.envelope import (
    BOLD,
    DIM,
    PATH,
    WARN,
    footer_of,
    is_terminal,
    paint,
    show_footer,
    wants_colour,
)
from cairn.surfaces.cli.text import say

if TYPE_CHECKING:
    from cairn.codebase.answers import Answer
    from cairn.search import Match

_WIDTH = 160
_LEAST_WIDTH = 40
_BEFORE = 4
"""Of a line that doesn't fit, this share of the room stands before the match at most."""


def show(answer: "Answer[Match]") -> None:
    """Print an answer for people, or for the next program in a pipe."""
    colour = wants_colour()
    if not answer.results:
        # In a pipe there is nothing to say where lines are expected.
        say("nothing found", error=not is_terminal())
    elif is_terminal():
        say("\n".join(_by_file(answer, colour)))
    else:
        say("\n".join(_plain(item) for item in answer.results))
    show_footer(footer_of(answer, "line"))


def _plain(item: "Match") -> str:
    """The whole line, tabs and all; of a very long one the part around the match."""
    line = item.line
    text = printable_lines(line.text)
    left = "…" if line.column - line.offset > 1 else ""
    right = "…" if line.ends_early else ""
    return f"{printable(item.path)}:{line.number}:{left}{text}{right}"


def _by_file(answer: "Answer[Match]", colour: bool) -> list[str]:
    width = len(str(max(item.line.number for item in answer.results))) + 2
    room = min(_WIDTH, max(_LEAST_WIDTH, current().columns(_WIDTH) - width - 2))
    lines: list[str] = []
    path = ""
    for item in answer.results:
        if item.path != path:
            path = item.path
            since = "  " + paint("changed since", WARN, colour) if path in answer.changed else ""
            lines += [""] * bool(lines) + [paint(printable(path), PATH, colour) + since]
        before, match, after = fitted(item, room)
        number = paint(f"{item.line.number:>{width}}", DIM, colour)
        lines.append(f"{number}  {before}{paint(match, BOLD, colour)}{after}".rstrip())
    return [*lines, ""]


def fitted(item: "Match", room: int) -> tuple[str, str, str]:
    """What stands before the match, the match, and what follows, harmless and cut to some room around the match."""
    line = item.line
    at = line.offset
    hidden_left, hidden_right = line.column - at > 1, line.ends_early
    before, match, after = line.text[:at], line.text[at : at + len(line.match)], line.text[at + len(line.match) :]
    # A part is cut before it is escaped: it may be long.
    before, match, after = (printable(part.expandtabs(4)) for part in (before[-room:], match[:room], after[:room]))
    cut_left = hidden_left or at > room
    cut_right = hidden_right or len(line.text) - at - len(line.match) > room or len(line.match) > room
    if len(before) + len(match) + len(after) > room or cut_left or cut_right:
        keep = max(room // _BEFORE, room - len(match) - len(after))
        if cut_left or len(before) > keep:
            before = "…" + before[-(keep - 1) :]
        space = max(room - len(before), 1)
        cut_right = cut_right or len(match) + len(after) > space
        match, after = match[: space - cut_right], after[: max(space - cut_right - len(match), 0)]
        after += "…" * cut_right
    return before, match, after
