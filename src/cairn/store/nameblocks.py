"""Blocks of the table `occurrences`: the places of some names, those of one name together.

A block is a zlib stream over what `kernel.turning` tells of.
"""

import struct
import sys
import zlib
from array import array
from collections.abc import Iterator, Sequence
from itertools import accumulate

from cairn.base.values import dataclass
from cairn.kernel.turning import COLUMNS, FILE, LINE

_HEADER = struct.Struct("<3I")
_NUMBER = "I"
_BYTES = 4
_LEVEL = 3


@dataclass(frozen=True, slots=True)
class NamePlaces:
    """The rows of one name in one file, column by column."""

    file: int
    lines: Sequence[int]
    columns: Sequence[int]
    whats: Sequence[int]
    bounds: Sequence[int]
    withins: Sequence[int]
    functions: Sequence[int]
    receivers: Sequence[str]


def pack_names(block: bytes) -> bytes:
    """A block as it is stored."""
    return zlib.compress(block, _LEVEL)


class NameBlock:
    """A block as it is read; one of `columns.DAMAGE` is raised for what is none.

    `firsts` tells where the rows of each name begin, and last where they all end.
    """

    __slots__ = ("_spans", "_values", "firsts", "names", "receivers", "rows")

    def __init__(self, block: bytes) -> None:
        data = zlib.decompress(block)
        self.rows, names, receivers = _HEADER.unpack_from(data)
        at = _HEADER.size + _BYTES * (2 * names + receivers)
        counts = _numbers(data[_HEADER.size : _HEADER.size + _BYTES * names])
        sizes = _numbers(data[_HEADER.size + _BYTES * names : at])
        self._values = _joined(data[at : at + COLUMNS * _BYTES * self.rows], self.rows)
        text = data[at + COLUMNS * _BYTES * self.rows :].decode()
        ends = [*accumulate(sizes, initial=0)]
        self.firsts = [*accumulate(counts, initial=0)]
        if len(ends) != names + receivers + 1 or ends[-1] != len(text) or self.firsts[-1] != self.rows:
            raise ValueError(f"{names} names that aren't there")
        strings = [*map(text.__getitem__, map(slice, ends, ends[1:]))]
        self.names = {name: place for place, name in enumerate(strings[:names])}
        self.receivers = strings[names:]
        self._spans: dict[str, dict[int, tuple[int, int]]] = {}

    def placed(self, name: str, only: int | None = None) -> Iterator[NamePlaces]:
        """The rows of a name, file by file in order; of one file where only that is asked for."""
        place = self.names.get(name)
        if place is None:
            return
        first, last = self.firsts[place : place + 2]
        spans = self._spans_of(name, first, last)
        if only is not None:
            if only not in spans:
                return
            first, last = spans[only]
            spans = {only: (first, last)}
        lines, columns, whats, bounds, withins, functions, receivers = (
            self.column(each, first, last) for each in range(LINE, COLUMNS)
        )
        said = [*map(self.receivers.__getitem__, receivers)]
        for file, (start, end) in spans.items():
            part = slice(start - first, end - first)
            whole = [*accumulate(lines[part])]
            yield NamePlaces(
                file, whole, columns[part], whats[part], bounds[part], withins[part], functions[part], said[part]
            )

    def _spans_of(self, name: str, first: int, last: int) -> dict[int, tuple[int, int]]:
        """Where the rows of a name in each file lie. Kept: a common name is asked for in one file after another."""
        found = self._spans.get(name)
        if found is None:
            steps = self.column(FILE, first, last)
            starts = [row for row, step in enumerate(steps) if step or not row]
            files = accumulate(map(steps.__getitem__, starts))
            ends = [*starts[1:], last - first]
            found = {file: (first + start, first + end) for file, start, end in zip(files, starts, ends, strict=True)}
            self._spans[name] = found
        return found

    def column(self, column: int, first: int = 0, last: int | None = None) -> "array[int]":
        """Some rows of a column, or all of them."""
        start = column * self.rows
        return self._values[start + first : start + (self.rows if last is None else last)]


def _joined(planes: bytes, rows: int) -> "array[int]":
    """All columns behind each other, by putting the bytes of their numbers beside each other.

    Whoever asks for one name asks for others of the same block: what is joined once is only cut then.
    """
    whole = bytearray(len(planes))
    for plane in range(_BYTES):
        starts = range(plane * rows, len(planes), _BYTES * rows) if rows else ()
        whole[plane::_BYTES] = b"".join(planes[start : start + rows] for start in starts)
    return _numbers(bytes(whole))


def _numbers(data: bytes) -> "array[int]":
    values = array(_NUMBER)
    values.frombytes(data)
    if sys.byteorder == "big":
        values.byteswap()
    return values
