"""Every line that matches, from one pinned view: candidates from the index, then the lines themselves."""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate
from typing import Any

from cairn.base.values import dataclass, replace
from cairn.search.lines import Line, Matcher, lines_in
from cairn.search.pattern import Pattern
from cairn.store import FileTest, Located, SnapshotView

PATIENCE_S = 20.0
_BATCH_BYTES = 512 * 1024
_ALL_LINES = 1 << 30


@dataclass(frozen=True, slots=True)
class Match:
    """A line that matches."""

    path: str
    language: str
    file_hash: str
    symbol: str
    """The innermost definition around it; empty at the top."""
    line: Line
    count: int = 1
    """How many lines of the file match, where this is the first of them and stands for all."""
    at: int = 0
    """Where the line begins in the file, in bytes, where lines around it were asked for."""
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    """The lines around it that were asked for."""


@dataclass(frozen=True, slots=True)
class Matches:
    """The matching lines, and which limits kept others out."""

    results: tuple[Match, ...]
    limits_hit: tuple[str, ...] = ()
    """`results`: there are more. `time`: files were given up or not looked at. `line`: a long line is shown in part."""
    given_up: tuple[str, ...] = ()
    """Files in which matching took too long."""
    not_reached: int = 0
    """Files that were not looked at when the time was over."""
    engine: str = ""
    """What matched lines; see `Matcher.engine`."""


@dataclass(frozen=True, slots=True)
class LineBounds:
    """In which order files are looked at, and what is wanted of each."""

    by_file: bool = False
    """Of each file its first line and how many there are; `limit` counts files then."""
    max_count: int = _ALL_LINES
    """Lines of a file at most."""
    before: int = 0
    after: int = 0
    """How many lines around each come with it."""
    order: Callable[[str], Any] | None = None
    """What files are sorted by; by their paths where it is None."""
    behind: tuple[str, int] | None = None
    """The last line of an earlier page, as path and number: only what follows it is wanted."""


_AS_THEY_COME = LineBounds()


def grep(
    view: SnapshotView,
    pattern: Pattern,
    limit: int,
    allowed: FileTest | None = None,
    present: Callable[[str], bool] = lambda _path: True,
    bounds: LineBounds = _AS_THEY_COME,
) -> Matches:
    """The first `limit` matching lines in order of path and line, of files that are still `present`."""
    by_file = bounds.by_file
    files = [
        item
        for item in view.words.files_holding(pattern.clauses)
        if allowed is None or allowed(item.file, view.aliases)
    ]
    if (order := bounds.order) is not None:
        files.sort(key=lambda item: order(item.file.path_key))
    elif (behind := bounds.behind) is not None:
        files = [item for item in files if item.file.path_key >= behind[0]]
    most = bounds.max_count if by_file else min(limit + 1, bounds.max_count)
    found: list[Match] = []
    given_up: list[str] = []
    looked_at = 0
    deadline = time.monotonic() + PATIENCE_S
    # Who counts everything may have asked for what stands in every line.
    ends = by_file or not pattern.steady
    with Matcher(pattern) as matcher:
        for item, lines in _looked_at(view, matcher, files, most, deadline, bounds.behind):
            looked_at += 1
            lines = _following(bounds.behind, item, lines)
            if lines is None:
                given_up.append(item.file.path_key)
            elif lines and present(item.file.path_key):
                placed = _placed(view, item, lines[:1] if by_file else lines[: limit + 1 - len(found)])
                placed = _surrounded(view, item, placed, bounds) if pattern.whole and not by_file else placed
                found += [replace(each, count=len(lines)) for each in placed] if by_file else placed
            # A steady pattern takes time in proportion to the text, so no file is ever given up.
            if len(found) > limit or (ends and time.monotonic() >= deadline):
                break
    more = len(found) > limit
    not_reached = 0 if more else len(files) - looked_at
    shown = tuple(found[:limit])
    limits = (
        ("results", more),
        ("time", bool(given_up or not_reached)),
        ("line", any(item.line.cut for item in shown)),
    )
    return Matches(shown, tuple(name for name, hit in limits if hit), tuple(given_up), not_reached, matcher.engine)


def _looked_at(
    view: SnapshotView,
    matcher: Matcher,
    files: Sequence[Located],
    most: int,
    deadline: float,
    behind: tuple[str, int] | None,
) -> Iterator[tuple[Located, list[Line] | None]]:
    if behind is not None and files and files[0].file.path_key == behind[0]:
        # How many of its lines come before the page nobody knows, so all of them are looked for.
        found = matcher.lines([view.rows.text_of(files[0].at)], _ALL_LINES, deadline)
        yield from zip(files[:1], found, strict=True)
        files = files[1:]
    for batch in _batches(files, matcher.batch_files):
        texts = [view.rows.text_of(item.at) for item in batch]
        yield from zip(batch, matcher.lines(texts, most, deadline), strict=True)


def _following(behind: tuple[str, int] | None, item: Located, lines: list[Line] | None) -> list[Line] | None:
    if lines is None or behind is None or item.file.path_key != behind[0]:
        return lines
    return [line for line in lines if line.number > behind[1]]


def _batches(files: Sequence[Located], most: int) -> Iterator[list[Located]]:
    batch: list[Located] = []
    size = 0
    for item in files:
        batch.append(item)
        size += item.file.size
        if len(batch) >= most or size >= _BATCH_BYTES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _surrounded(view: SnapshotView, item: Located, found: Iterable[Match], bounds: LineBounds) -> Iterator[Match]:
    """Lines of a file with those around them, and where they begin."""
    text = view.rows.text_of(item.at)
    starts = [0, *accumulate(len(line) + 1 for line in text.split(b"\n"))]
    lines = lines_in(text)
    for each in found:
        number = each.line.number
        before = tuple(lines[max(number - 1 - bounds.before, 0) : number - 1])
        after = tuple(lines[number : number + bounds.after])
        yield replace(each, at=starts[number - 1], before=before, after=after)


def _placed(view: SnapshotView, item: Located, lines: Sequence[Line]) -> Iterator[Match]:
    """Lines of a file, in order, with the innermost definition around each: both are walked through once."""
    around = view.facts.definitions_in(item.at)
    file, at = item.file, 0
    inside: list[tuple[int, str]] = []
    for line in lines:
        while at < len(around) and around[at][0] <= line.number:
            _, end, name = around[at]
            inside.append((end, name))
            at += 1
        # A definition that ended before this line encloses no later line; an inner one begins later than its outer one.
        while inside and inside[-1][0] < line.number:
            inside.pop()
        yield Match(file.path_key, file.language, file.file_hash, inside[-1][1] if inside else "", line)
