"""Rows of text and numbers as columns: what a file's facts look like in a segment.

They are little-endian uint32 numbers and one UTF-8 text: how many rows, columns of text, columns of numbers and
different strings there are; each column, a string by its place among them; the length of each string in characters;
then all strings, one behind the other. A block is a zlib stream over that, but for the numbers behind the first
four: it has the lowest byte of all of them, then the next, up to the fourth. Most are small, and equal bytes stand
together then.
"""

import struct
import sys
import zlib
from array import array
from collections.abc import Sequence
from itertools import accumulate
from typing import Any

from cairn.base.values import dataclass

_HEADER = struct.Struct("<4I")
_LEVEL = 6
_NUMBER = "I"
_BYTES = 4
DAMAGE = (zlib.error, struct.error, ValueError, IndexError, EOFError)
"""What reading a block raises that isn't one."""


@dataclass(frozen=True, slots=True)
class Columns:
    """The columns of a block, those of text before those of numbers."""

    rows: int
    strings: Sequence[str]
    """Every different string once."""
    places: Sequence[Sequence[int]]
    """Each column of text, as places among the strings."""
    numbers: Sequence[Sequence[int]]

    def text(self, column: int) -> list[str]:
        """A column of text, row by row."""
        return [*map(self.strings.__getitem__, self.places[column])]


def pack_columns(texts: Sequence[Sequence[str]], numbers: Sequence[Sequence[int]]) -> bytes:
    """The block of some columns of equal length; empty for those without a row."""
    return compressed(join_columns(texts, numbers))


def compressed(joined: bytes) -> bytes:
    """The block of columns that are joined already."""
    if not joined:
        return b""
    numbers = joined[_HEADER.size : _numbers_end(joined)]
    planes = (numbers[plane::_BYTES] for plane in range(_BYTES))
    return zlib.compress(b"".join((joined[: _HEADER.size], *planes, joined[_numbers_end(joined) :])), _LEVEL)


def unpack_columns(block: bytes, texts: int, numbers: int) -> Columns:
    """The columns of a block; one of DAMAGE for a block that isn't of so many."""
    if not block:
        return split_columns(b"", texts, numbers)
    data = zlib.decompress(block)
    end = _numbers_end(data)
    if end > len(data):
        raise ValueError("a block without its columns")
    joined = bytearray(data)
    size = (end - _HEADER.size) // _BYTES
    for plane in range(_BYTES):
        at = _HEADER.size + plane * size
        joined[_HEADER.size + plane : end : _BYTES] = data[at : at + size]
    return split_columns(bytes(joined), texts, numbers)


def _numbers_end(data: bytes) -> int:
    rows, texts, numbers, strings = _HEADER.unpack_from(data)
    return int(_HEADER.size + _BYTES * (rows * (texts + numbers) + strings))


def join_columns(texts: Sequence[Sequence[str]], numbers: Sequence[Sequence[int]]) -> bytes:
    """What a block is made of, as it is before it is compressed; empty for columns without a row."""
    rows = len((*texts, *numbers)[0])
    if not rows:
        return b""
    strings: dict[str, int] = {}
    places = [[strings.setdefault(text, len(strings)) for text in column] for column in texts]
    return join_places([*strings], places, numbers)


def join_places(strings: Sequence[str], places: Sequence[Sequence[int]], numbers: Sequence[Sequence[int]]) -> bytes:
    """The same of columns with a row at least, those of text as places among their different strings."""
    parts = [array(_NUMBER, column) for column in (*places, *numbers, [*map(len, strings)])]
    if sys.byteorder == "big":
        for part in parts:
            part.byteswap()
    head = _HEADER.pack(len(places[0]), len(places), len(numbers), len(strings))
    return b"".join((head, *map(bytes, parts), "".join(strings).encode()))


def split_columns(data: bytes, texts: int, numbers: int) -> Columns:
    """The columns of what `join_columns` made; one of DAMAGE for bytes that aren't of so many."""
    if not data:
        return Columns(0, (), ((),) * texts, ((),) * numbers)
    rows, *said, count = _HEADER.unpack_from(data)
    if said != [texts, numbers]:
        raise ValueError(f"{said[0]} and {said[1]} columns, not {texts} and {numbers}")
    end = _numbers_end(data)
    values = array(_NUMBER)
    values.frombytes(data[_HEADER.size : end])
    if sys.byteorder == "big":
        values.byteswap()
    each = [values[at : at + rows] for at in range(0, rows * (texts + numbers), rows)]
    ends = [*accumulate(values[rows * (texts + numbers) :], initial=0)]
    text = data[end:].decode()
    if len(ends) != count + 1 or ends[-1] != len(text):
        raise ValueError(f"{count} strings that aren't there")
    strings = [*map(text.__getitem__, map(slice, ends, ends[1:]))]
    return Columns(rows, strings, each[:texts], each[texts:])


def rows_in(data: bytes) -> int:
    """How many rows there are in what `join_columns` made."""
    return int(_HEADER.unpack_from(data)[0]) if data else 0


def transposed(rows: Sequence[tuple[Any, ...]], width: int) -> list[tuple[Any, ...]]:
    """Rows as columns; empty ones where there is no row."""
    return [*zip(*rows, strict=True)] if rows else [()] * width
