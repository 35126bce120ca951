"""Lines that match, as people read them, as the next program in a pipe does, and as `rg --json` tells them."""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby, pairwise
from typing import TYPE_CHECKING, Any

from cairn.base.text import printable, printable_lines
from cairn.surfaces.cli.console import current
from cairn.surfaces.cli.envelope import (
    BOLD,
    DIM,
    MATCH,
    PATH,
    WARN,
    footer_of,
    is_terminal,
    paint,
    show_footer,
    wants_colour,
    wants_names,
)
from cairn.surfaces.cli.here import from_here, opened
from cairn.surfaces.cli.numbers import label_width, numbered
from cairn.surfaces.cli.text import say

if TYPE_CHECKING:
    from cairn.codebase.bodies import Answer, Found
    from cairn.search import Match

_WIDTH = 160
_LEAST_WIDTH = 20
_BEFORE = 4
"""Of a line that doesn't fit, this share of the room stands before the match at most."""
_GAP = "--"
_MATCH, _BESIDE = ":", "-"
_NANO = 1_000_000_000


def show(
    answer: "Answer[Found[Match]]", *, explain: bool, heading: bool | None = None, as_they_are: bool = False
) -> None:
    """Print an answer for people, or for the next program in a pipe.

    `heading`: a file's name above its lines. `as_they_are`: in a pipe the bytes of lines, as grep does; they could act
    on a terminal behind it.
    """
    colour = wants_colour()
    if not answer.items:
        # In a pipe there is nothing to say where lines are expected.
        say("nothing found", error=not is_terminal())
    elif wants_names() and (is_terminal() if heading is None else heading):
        say("\n".join(_by_file(answer, colour)))
    else:
        say("\n".join(_plain(answer, colour, str if as_they_are and not is_terminal() else printable_lines)))
    show_footer(footer_of(answer, "line") + f" · engine: {answer.value.engine}" * explain)


def show_files(answer: "Answer[Found[Match]]", *, counted: bool) -> None:
    """Print the files that have matching lines, one a line; with how many each has where that is wanted."""
    colour = wants_colour()
    if answer.items:
        lines = (
            f"{_lead(item.path, _MATCH, colour)}{item.count}" if counted else paint(opened(item.path), PATH, colour)
            for item in answer.items
        )
        say("\n".join(lines))
    else:
        say("nothing found", error=not is_terminal())
    show_footer(footer_of(answer, "file"))


def show_matches(answer: "Answer[Found[Match]]") -> None:
    """Print what matches alone, each on its own line."""
    colour, safe = wants_colour(), printable_lines if is_terminal() else str
    found = [
        f"{_lead(item.path, _MATCH, colour)}{paint(str(item.line.number), DIM, colour)}:"
        + paint(safe(text), MATCH, colour)
        for item in answer.items
        for start, end in item.line.spans
        if (text := item.line.text[start:end])
    ]
    say("\n".join(found) if found else "nothing found", error=not found and not is_terminal())
    show_footer(footer_of(answer, "line"))


def _of_files(items: "Iterable[Match]") -> "Iterator[tuple[str, list[tuple[int, str, Match | None]]]]":
    """Each file with its lines in order: (number, text, the match), None for a line that stands beside one."""
    for path, group in groupby(items, lambda item: item.path):
        found: dict[int, tuple[str, Match | None]] = {}
        for item in group:
            number = item.line.number
            beside = [*enumerate(item.before, number - len(item.before)), *enumerate(item.after, number + 1)]
            for at, text in beside:
                found.setdefault(at, (text, None))
            found[number] = (item.line.text, item)
        yield path, [(number, *found[number]) for number in sorted(found)]


def _has_lines_beside(items: "Sequence[Match]") -> bool:
    return any(item.before or item.after for item in items)


def _plain(answer: "Answer[Found[Match]]", colour: bool, safe: Callable[[str], str]) -> Iterator[str]:
    """Whole lines, tabs and all; of a very long one the part around the match."""
    spaced, last = _has_lines_beside(answer.items), None
    for path, lines in _of_files(answer.items):
        for number, text, item in lines:
            if spaced and last is not None and last != (path, number - 1):
                yield paint(_GAP, DIM, colour)
            last = (path, number)
            mark = _BESIDE if item is None else _MATCH
            shown = safe(text) if item is None else _whole(item, colour, safe)
            yield f"{_lead(path, mark, colour)}{paint(str(number), DIM, colour)}{mark}{shown}"


def _lead(path: str, mark: str, colour: bool) -> str:
    """The name of a file before what is said of it; nothing where no names are wanted."""
    return f"{paint(opened(path), PATH, colour)}{mark}" if wants_names() else ""


def _whole(item: "Match", colour: bool, safe: Callable[[str], str]) -> str:
    line = item.line
    left = "…" if line.column - line.offset > 1 else ""
    right = "…" if line.ends_early else ""
    spans = line.spans or ((line.offset, line.offset + len(line.match)),)
    if not colour or not line.match:
        return f"{left}{safe(line.text)}{right}"
    parts, at = [left], 0
    for start, end in spans:
        parts += [safe(line.text[at:start]), paint(safe(line.text[start:end]), MATCH, True)]
        at = end
    return "".join([*parts, safe(line.text[at:]), right])


def _by_file(answer: "Answer[Found[Match]]", colour: bool) -> Iterator[str]:
    width = len(str(max(item.line.number + len(item.after) for item in answer.items))) + 2
    many = len(answer.items)
    room = min(_WIDTH, max(_LEAST_WIDTH, current().columns(_WIDTH) - label_width(many) - width - 3))
    spaced = _has_lines_beside(answer.items)
    for path, lines in _of_files(answer.items):
        since = "  " + paint("changed since", WARN, colour) if path in answer.changed else ""
        yield paint(opened(path), PATH, colour) + since
        last = None
        for number, text, item in lines:
            if spaced and last is not None and number > last + 1:
                yield paint(f"{_GAP:>{width}}", DIM, colour)
            last = number
            lead = paint(f"{number:>{width}}", DIM, colour)
            if item is None:
                lead = " " * (label_width(many) + 1) * is_terminal() + lead
                beside = printable(text.expandtabs(4))
                beside = beside if len(beside) <= room else beside[: room - 1] + "…"
                yield f"{lead}  {paint(beside, DIM, colour)}".rstrip()
            else:
                before, match, after = fitted(item, room)
                label = numbered(path, number, text, among=many)
                yield f"{label}{lead}  {before}{paint(match, BOLD, colour)}{after}".rstrip()
        yield ""


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


def show_messages(answer: "Answer[Found[Match]]") -> None:
    """Print one JSON object a line, as `rg --json` does: begin, match and context, end, and a summary."""
    for message in _messages(answer):
        say(json.dumps(message, ensure_ascii=False))


def _messages(answer: "Answer[Found[Match]]") -> Iterator[dict[str, Any]]:
    total = {"searches_with_match": 0, "matched_lines": 0, "matches": 0}
    for path, lines in _of_files(answer.items):
        named = {"path": {"text": from_here(path)}}
        own = {"searches_with_match": 1, "matched_lines": 0, "matches": 0}
        yield {"type": "begin", "data": named}
        starts = {item.line.number: item.at for _, _, item in lines if item is not None}
        known = _offsets(lines, starts)
        for number, text, item in lines:
            spans = () if item is None else item.line.spans
            found = [
                {"match": {"text": text[start:end]}, "start": _bytes(text, start), "end": _bytes(text, end)}
                for start, end in spans
            ]
            own["matched_lines"] += item is not None
            own["matches"] += len(found)
            place = {"lines": {"text": f"{text}\n"}, "line_number": number, "absolute_offset": known[number]}
            yield {
                "type": "context" if item is None else "match",
                "data": {**named, **place, "submatches": found},
            }
        total = {name: count + own[name] for name, count in total.items()}
        yield {"type": "end", "data": {**named, "binary_offset": None, "stats": _stats(own, 0.0)}}
    took = answer.timings_ms["total"] / 1000
    yield {"type": "summary", "data": {"elapsed_total": _elapsed(took), "stats": _stats(total, took)}}


def _offsets(lines: "Sequence[tuple[int, str, Match | None]]", starts: dict[int, int]) -> dict[int, int]:
    """Where each line begins in its file, in bytes: counted on from those of which it is known."""
    found = dict(starts)
    for (number, text, _), (following, _, _) in pairwise(lines):
        if following not in found and following == number + 1 and number in found:
            found[following] = found[number] + len(text.encode()) + 1
    for number, text, _ in reversed(lines):
        if number not in found:
            found[number] = found[number + 1] - len(text.encode()) - 1
    return found


def _bytes(text: str, end: int) -> int:
    return len(text[:end].encode())


def _stats(counts: dict[str, int], seconds: float) -> dict[str, Any]:
    return {"elapsed": _elapsed(seconds), "searches": counts["searches_with_match"], **counts}


def _elapsed(seconds: float) -> dict[str, Any]:
    return {"secs": int(seconds), "nanos": int(seconds % 1 * _NANO), "human": f"{seconds:.6f}s"}
