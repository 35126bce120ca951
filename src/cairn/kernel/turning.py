"""Names of files turned into files of names: the blocks of the table `occurrences`, before they are compressed.

A block tells how many rows, names and receivers it has, how many rows each name has and how many characters each name
and each receiver, all as little-endian uint32; then come the columns; then the names and the receivers in UTF-8, one
behind the other. A column holds the lowest byte of all rows, then the next, up to the fourth: most numbers are small,
and equal bytes stand together.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from cairn.base import lazy
from cairn.base.columns import split_columns
from cairn.kernel.core import core

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Column = npt.NDArray[np.uint32]
else:
    np = lazy.module("numpy")
    Column = Any

TEXTS, NUMBERS = 2, 6
"""Columns of a file: name and receiver; line, column, what, bound, within, function."""
COLUMNS = 8
FILE, LINE, COLUMN, WHAT, BOUND, WITHIN, FUNCTION, RECEIVER = range(COLUMNS)
"""`file` goes on from the row before it of the same name, `line` from the one of the same name and file."""


class Turned(NamedTuple):
    """A block of names that follow each other."""

    name: str
    """The first of them."""
    file: int
    """The first that holds it."""
    block: bytes


def turned(files: Sequence[int], joined: Sequence[bytes], block_rows: int) -> list[Turned]:
    """Blocks of the names in some files, which are given by ascending numbers with their columns, joined.

    A block has so many rows, and those of its last name and file. ValueError where columns aren't such.
    """
    native = core()
    if native is None:
        return [*turned_by_reference(files, joined, block_rows)]
    return [*map(Turned._make, native.turned(files, joined, block_rows))]


def turned_by_reference(files: Sequence[int], joined: Sequence[bytes], block_rows: int) -> Iterator[Turned]:
    """The same by the reference."""
    numbers: dict[str, int] = {}
    parts: list[list[Column]] = [[] for _ in range(COLUMNS + 1)]
    for file, data in zip(files, joined, strict=True):
        columns = split_columns(data, TEXTS, NUMBERS)
        if not columns.rows:
            continue
        known = np.array([numbers.setdefault(each, len(numbers)) for each in columns.strings], dtype=np.uint32)
        names, receivers = (known[_array(each)] for each in columns.places)
        own = (np.full(columns.rows, file, dtype=np.uint32), *map(_array, columns.numbers), receivers, names)
        for part, column in zip(parts, own, strict=True):
            part.append(column)
    if not parts[FILE]:
        return
    strings = sorted(numbers)
    rank = np.empty(len(strings), dtype=np.uint32)
    rank[[numbers[each] for each in strings]] = np.arange(len(strings), dtype=np.uint32)
    names = rank[np.concatenate(parts[COLUMNS])]
    order = np.argsort(names, kind="stable")
    names = names[order]
    whole = [np.concatenate(part)[order] for part in parts[:COLUMNS]]
    whole[RECEIVER] = rank[whole[RECEIVER]]
    for first, last in _cuts(names, whole[FILE], block_rows):
        block = _block(strings, names[first:last], [column[first:last] for column in whole])
        yield Turned(strings[int(names[first])], int(whole[FILE][first]), block)


def _array(numbers: Sequence[int]) -> Column:
    return np.frombuffer(numbers, dtype=np.uint32)  # type: ignore[call-overload, no-any-return]


def _cuts(names: Column, files: Column, block_rows: int) -> Iterator[tuple[int, int]]:
    """Where blocks begin and end: the rows of one name in one file are never apart."""
    begins = np.append(np.flatnonzero((np.diff(names) != 0) | (np.diff(files) != 0)) + 1, len(names))
    first = 0
    while first < len(names):
        at = min(int(np.searchsorted(begins, first + block_rows)), len(begins) - 1)
        last = int(begins[at])
        yield first, last
        first = last


def _block(strings: Sequence[str], names: Column, columns: list[Column]) -> bytes:
    same_name = np.append(False, names[1:] == names[:-1])
    same_file = same_name & np.append(False, columns[FILE][1:] == columns[FILE][:-1])
    different, counts = np.unique(names, return_counts=True)
    receivers, places = np.unique(columns[RECEIVER], return_inverse=True)
    said = [*columns]
    said[FILE] = _steps(columns[FILE], same_name)
    said[LINE] = _steps(columns[LINE], same_file)
    said[RECEIVER] = places.astype(np.uint32)
    texts = [strings[place] for place in (*different.tolist(), *receivers.tolist())]
    head = [len(names), len(different), len(receivers), *counts.tolist(), *map(len, texts)]
    planes = [np.asarray(each, dtype="<u4").view(np.uint8).reshape(-1, 4).T.tobytes() for each in said]
    return b"".join((np.array(head, dtype="<u4").tobytes(), *planes, "".join(texts).encode()))


def _steps(values: Column, goes_on: npt.NDArray[np.bool_]) -> Column:
    """Values as steps from the one before, where a row goes on from it."""
    return values - np.where(goes_on, np.append(np.uint32(0), values[:-1]), np.uint32(0))
