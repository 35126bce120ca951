"""Which lines of a text match: a pure function, here or in a child that can be killed.

Python's regular expressions backtrack, and nothing in the language can stop one that does so without
end. The native core, where there is one, matches most expressions in a time that grows with the text alone; others are
matched in a child process, and a file that it doesn't come back from is given up.
"""

import time
from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

from cairn.base.values import dataclass
from cairn.kernel.grams import folded
from cairn.kernel.lines import LineSearch, line_search
from cairn.search.pattern import Pattern

if TYPE_CHECKING:
    import socket
    from multiprocessing.connection import Connection

    from cairn.base.children import Child

FILE_PATIENCE_S = 2.0
MAX_LINE_CHARS = 2_000
_MARGIN = 200
_BATCH_FILES = 32
_ALL = 1 << 30


@dataclass(frozen=True, slots=True)
class Line:
    """A matching line, and where its first match is."""

    number: int
    """From 1."""
    column: int
    """In characters of the whole line, from 1."""
    match: str
    text: str
    offset: int
    """Where in `text` the match stands, from 0: not the column when the line was cut."""
    cut: bool = False
    """Whether `text` is only the part of a very long line around the match."""
    ends_early: bool = False
    """Whether the line goes on after `text`."""
    spans: tuple[tuple[int, int], ...] = ()
    """Where in `text` every match begins and ends, where that was asked for."""


def matching_lines(pattern: Pattern, text: bytes, most: int) -> list[Line]:
    """The first lines of a text that match, each without its `\\n` or `\\r\\n`."""
    search = pattern.expression.search
    found: list[Line] = []
    for number, line in _holding(pattern, text) if pattern.needle else enumerate(lines_in(text)):
        hit = search(line)
        if hit is not None:
            found.append(_line(pattern, number + 1, line, hit.start(), hit.end()))
            if len(found) == most:
                break
    return found


def lines_by(search: LineSearch, pattern: Pattern, text: bytes, most: int) -> list[Line] | None:
    """The same by the native core; None for a text with a line that is left to Python's engine, which may never end."""
    found: list[Line] = []
    for number, start, end, *place in search.lines(text, most):
        line = text[start:end].decode("utf-8", "replace")
        if place[0] < 0:
            if not pattern.steady:
                return None
            hit = pattern.expression.search(line)
            if hit is None:
                continue
            place = [hit.start(), hit.end()]
        found.append(_line(pattern, number + 1, line, *place))
        if len(found) == most:
            break
    return found


def lines_in(text: bytes) -> list[str]:
    """All lines of a text, each without its `\\n` or `\\r\\n`."""
    *lines, last = text.decode("utf-8", "replace").replace("\r\n", "\n").split("\n")
    # After the last line break there is a line only if any text follows.
    return [*lines, last.removesuffix("\r")] if last else lines


def _holding(pattern: Pattern, text: bytes) -> Iterator[tuple[int, str]]:
    """(number from 0, line) of the lines that hold the needle."""
    # Folding changes no line break, so that numbers stand.
    where = folded(text) if pattern.ignore_case else text
    lines: list[bytes] = []
    number = start = 0
    while (at := where.find(pattern.needle, start)) >= 0:
        lines = lines or text.split(b"\n")
        number += where.count(b"\n", start, at)
        yield number, lines[number].removesuffix(b"\r").decode("utf-8", "replace")
        start = where.find(b"\n", at) + 1
        if not start:
            return
        number += 1


def _line(pattern: Pattern, number: int, line: str, start: int, end: int) -> Line:
    every = pattern.every and not pattern.inverted
    spans = tuple(hit.span() for hit in pattern.expression.finditer(line)) if every else ()
    if pattern.whole or len(line) <= MAX_LINE_CHARS:
        return Line(number, start + 1, line[start:end], line, start, spans=spans)
    left = max(0, start - _MARGIN)
    part = line[left : left + MAX_LINE_CHARS]
    ends_early = left + len(part) < len(line)
    return Line(number, start + 1, part[start - left : end - left], part, start - left, cut=True, ends_early=ends_early)


class Matcher:
    """Matches in this process if that is safe, else in a child. A context manager."""

    def __init__(self, pattern: Pattern) -> None:
        self._pattern = pattern
        self._child: Child | None = None
        self._pipe: Connection | None = None
        # Where all matches of a line are, only Python's engine tells: one that may not end is asked in a child.
        linear = "" if pattern.every else pattern.linear
        self._search = line_search(linear, b"" if pattern.ignore_case else pattern.needle)
        self.batch_files = 1 if pattern.steady or self._search is not None else _BATCH_FILES
        """How many texts to hand over at once: few, large requests to a child are cheapest."""
        self._beyond_ascii = False

    @property
    def engine(self) -> str:
        """What matched: `text` for one as it stands, else `linear`, `python`, or both where lines are beyond ASCII."""
        if self._pattern.plain:
            return "text"
        if self._search is None:
            return "python"
        return "linear, python" if self._beyond_ascii else "linear"

    def __enter__(self) -> "Matcher":
        return self

    def __exit__(self, *_: object) -> None:
        self._stop()

    def lines(self, texts: Sequence[bytes], most: int, deadline: float) -> Iterator[list[Line] | None]:
        """The matching lines of each text, or the others; None for one that was given up."""
        if not self._pattern.inverted:
            yield from self._matching(texts, most, deadline)
            return
        for text, found in zip(texts, self._matching(texts, _ALL, deadline), strict=True):
            yield None if found is None else self._others(text, found)[:most]

    def _others(self, text: bytes, found: Sequence[Line]) -> list[Line]:
        matching = {line.number for line in found}
        numbered = enumerate(lines_in(text), 1)
        return [_line(self._pattern, number, line, 0, 0) for number, line in numbered if number not in matching]

    def _matching(self, texts: Sequence[bytes], most: int, deadline: float) -> Iterator[list[Line] | None]:
        if self._search is None:
            yield from self._by_python(texts, most, deadline)
            return
        for text in texts:
            self._beyond_ascii = self._beyond_ascii or not text.isascii()
            found = lines_by(self._search, self._pattern, text, most)
            yield from self._by_python([text], most, deadline) if found is None else [found]

    def _by_python(self, texts: Sequence[bytes], most: int, deadline: float) -> Iterator[list[Line] | None]:
        if self._pattern.steady:
            yield from (matching_lines(self._pattern, text, most) for text in texts)
            return
        done = 0
        while done < len(texts):
            pipe = self._started()
            try:
                pipe.send((most, texts[done:]))
                while done < len(texts) and pipe.poll(_patience(deadline)):
                    found: list[Line] = pipe.recv()
                    done += 1
                    yield found
            except (EOFError, OSError):
                pass  # The child was killed: treated like one that took too long.
            if done < len(texts):
                self._stop()
                done += 1
                yield None

    def _started(self) -> "Connection":
        """The pipe to a child that is there, or to a new one."""
        if self._pipe is None:
            from multiprocessing.connection import Connection  # most patterns do without

            from cairn.base.children import Child, serve

            self._child = Child.fork(partial(serve, work=partial(_work, self._pattern)))
            self._pipe = Connection(self._child.end.detach())
        return self._pipe

    def _stop(self) -> None:
        if self._pipe is not None:
            self._pipe.close()
            self._pipe = None
        if self._child is not None:
            self._child.stop()
            self._child = None


def _patience(deadline: float) -> float:
    return min(FILE_PATIENCE_S, max(0.0, deadline - time.monotonic()))


def _work(pattern: Pattern, end: "socket.socket") -> None:
    from multiprocessing.connection import Connection

    pipe = Connection(end.detach())
    while True:
        most, texts = pipe.recv()
        for text in texts:
            pipe.send(matching_lines(pattern, text, most))
