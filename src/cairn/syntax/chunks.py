"""Cutting a parsed file along its definitions.

A definition that fits is one chunk with the comments above it; a larger one is cut between its
members, and what has none between its statements. Tiny neighbours are put together. Chunks are
whole lines, in order, without blank lines at their ends; every line that isn't blank is in
exactly one (only a line longer than a chunk is cut itself).
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from cairn.base.values import dataclass, field
from cairn.syntax.extract import Span
from cairn.syntax.facts import Chunk, Symbol
from cairn.syntax.lines import chunk_lines, line_starts

TINY_SHARE = 3
CRUMB_SHARE = 10
GROWTH = (3, 2)
_MAX_DEPTH = 40
_BODIES = frozenset({"function", "method", "constructor", "macro", "heading"})
"""Kinds whose pieces are named after them; the members of a type have names of their own."""

Range = tuple[int, int]
"""First and last line, both included, counted from 0."""


@dataclass(slots=True)
class _Part:
    """A definition's lines with the definitions inside it."""

    first: int
    last: int
    parts: list["_Part"] = field(default_factory=list)
    head: int = -1
    """The line of the definition's name: the first piece reaches beyond it, whatever comments stand above."""


class _Cutter:
    def __init__(self, data: bytes, root: Any, limit: int) -> None:
        self.data = data
        self.limit = limit
        self._root = root
        self.starts = line_starts(data)
        if self.starts[-1] < len(data):
            self.starts += (len(data),)
        self.count = len(self.starts) - 1

    def line_of(self, byte: int) -> int:
        return min(bisect_right(self.starts, byte) - 1, max(self.count - 1, 0))

    def size(self, lines: Range) -> int:
        return self.starts[lines[1] + 1] - self.starts[lines[0]]

    def cut(self, part: _Part, depth: int = 0) -> list[Range]:
        if part.last < part.first:
            return []
        whole = (part.first, part.last)
        if self.size(whole) <= self._room(part, depth):
            return [whole]
        if not part.parts or depth >= _MAX_DEPTH:
            return self._statements(whole, part.head)
        pieces: list[Range] = []
        at = part.first
        for inner in part.parts:
            if inner.first > at:
                pieces += self._gap((at, inner.first - 1))
            pieces += self.cut(inner, depth + 1)
            at = inner.last + 1
        if at <= part.last:
            pieces += self._gap((at, part.last))
        return self._together(pieces)

    def _room(self, part: _Part, depth: int) -> int:
        """A definition without inner ones may be somewhat larger: better than cutting its doc comment from it."""
        return self.limit * GROWTH[0] // GROWTH[1] if depth and not part.parts else self.limit

    def _gap(self, lines: Range) -> list[Range]:
        return [lines] if self.size(lines) <= self.limit else self._statements(lines)

    def _together(self, pieces: Sequence[Range]) -> list[Range]:
        tiny = self.limit // TINY_SHARE
        merged: list[Range] = []
        for piece in pieces:
            if merged:
                both = (merged[-1][0], piece[1])
                if self.size(both) <= self.limit and min(self.size(merged[-1]), self.size(piece)) < tiny:
                    merged[-1] = both
                    continue
            merged.append(piece)
        return merged

    def _statements(self, lines: Range, head: int = -1) -> list[Range]:
        """Pack statements up to the limit; a statement that is longer is packed line by line."""
        first, last = lines
        rows = sorted({first, *(row for row in self._statement_rows(lines, head) if row > head)})
        packed: list[Range] = []
        for row, following in zip(rows, [*rows[1:], last + 1], strict=True):
            piece = (row, following - 1)
            if packed and self.size((packed[-1][0], piece[1])) <= self.limit:
                packed[-1] = (packed[-1][0], piece[1])
            elif self.size(piece) <= self.limit:
                packed.append(piece)
            else:
                packed += self._lines(piece)
        if (
            len(packed) > 1
            and self.size(packed[-1]) < self.limit // CRUMB_SHARE
            and self.size(packed[-2]) <= self.limit
        ):
            # A closing bracket or two is no chunk of its own.
            packed[-2:] = [(packed[-2][0], packed[-1][1])]
        return packed

    def _lines(self, lines: Range) -> Iterator[Range]:
        first, last = lines
        at = first
        for line in range(first, last + 1):
            if line > at and self.size((at, line)) > self.limit:
                yield at, line - 1
                at = line
        yield at, last

    def _statement_rows(self, lines: Range, head: int) -> Iterator[int]:
        left, right = self.starts[lines[0]], self.starts[lines[1] + 1]
        node = self._root.descendant_for_byte_range(left, max(left, right - 1))
        waiting = [node] if node is not None else []
        while waiting:
            for child in waiting.pop().children:
                if child.end_byte <= left or child.start_byte >= right:
                    continue
                row = child.start_point.row
                # A statement that shares its line with code before it can't start a piece.
                if lines[0] < row <= lines[1] and not self.data[self.starts[row] : child.start_byte].strip():
                    yield row
                holds_head = lines[0] < head and row <= head < child.end_point.row
                if holds_head or child.end_byte - child.start_byte > self.limit:
                    waiting.append(child)

    def trimmed(self, lines: Range) -> Range | None:
        first, last = lines
        while first <= last and not self.data[self.starts[first] : self.starts[first + 1]].strip():
            first += 1
        while last >= first and not self.data[self.starts[last] : self.starts[last + 1]].strip():
            last -= 1
        return (first, last) if first <= last else None


def chunk_tree(
    data: bytes, root: Any, spans: Sequence[Span], symbols: Sequence[Symbol], limit: int, max_chunks: int
) -> list[Chunk]:
    """The chunks of a parsed file; when they would be too many, larger ones are made."""
    size = limit
    while True:
        chunks = list(_chunks(data, root, spans, symbols, size))
        if len(chunks) <= max_chunks:
            return chunks
        size *= 2


def _chunks(data: bytes, root: Any, spans: Sequence[Span], symbols: Sequence[Symbol], limit: int) -> Iterator[Chunk]:
    cutter = _Cutter(data, root, limit)
    if not cutter.count:
        return
    places = [(cutter.line_of(span.start), _last_line(cutter, span)) for span in spans]
    whole = _Part(0, cutter.count - 1, _nested(places))
    heads: dict[Range, int] = {}
    around: list[tuple[int, int, str]] = []
    for place, span in zip(places, spans, strict=True):
        if span.symbol >= 0:
            symbol = symbols[span.symbol]
            heads.setdefault(place, symbol.name_line - 1)
            if symbol.kind in _BODIES:
                around.append((*place, symbol.qualified_name))
    _set_heads(whole, heads)
    around.sort(key=lambda item: (item[0], -item[1]))
    named = sorted((symbol.name_line - 1, symbol.qualified_name) for symbol in symbols)
    rows = [row for row, _ in named]
    for piece in cutter.cut(whole):
        lines = cutter.trimmed(piece)
        if lines is None:
            continue
        first, last = lines
        names = tuple(name for _, name in named[bisect_left(rows, first) : bisect_right(rows, last)])
        inside = _innermost(around, first, last)
        if inside and inside not in names:
            names = (inside, *names)
        start, end = cutter.starts[first], cutter.starts[last + 1]
        if first == last and end - start > limit:
            for cut in chunk_lines(data[start:end], limit, len(data)):
                if cut.text.strip():
                    yield Chunk(cut.text, first + 1, first + 1, start + cut.byte_start, start + cut.byte_end, names)
        else:
            yield Chunk(data[start:end].decode("utf-8"), first + 1, last + 1, start, end, names)


def _innermost(around: Sequence[tuple[int, int, str]], first: int, last: int) -> str:
    """The definition whose body some lines are a part of."""
    found = ""
    for start, end, name in around:
        if start > first:
            break
        if end >= last:
            found = name
    return found


def _set_heads(whole: _Part, heads: Mapping[Range, int]) -> None:
    waiting = [whole]
    while waiting:
        part = waiting.pop()
        part.head = heads.get((part.first, part.last), -1)
        waiting += part.parts


def _last_line(cutter: _Cutter, span: Span) -> int:
    return cutter.line_of(max(span.end - 1, span.start))


def _nested(ranges: Sequence[Range]) -> list[_Part]:
    """A forest of line ranges; what overlaps without nesting shares lines and becomes one."""
    top: list[_Part] = []
    stack: list[_Part] = []
    for first, last in sorted(set(ranges), key=lambda lines: (lines[0], -lines[1])):
        while stack and stack[-1].last < first:
            stack.pop()
        if stack and stack[-1].last < last:
            for around in stack:
                around.last = max(around.last, last)
            continue
        part = _Part(first, last)
        (stack[-1].parts if stack else top).append(part)
        stack.append(part)
    return top
