"""The table `occurrences`: where each name of a segment's files stands, and what it does there.

Files are taken in one by one and turned around in runs of many, so that one name's places are one read and memory
stays bounded. Runs follow each other in the numbers of their files.
"""

from __future__ import annotations

import sys
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, TypeVar

from cairn.base import lazy
from cairn.base.columns import DAMAGE, join_columns, rows_in
from cairn.base.errors import CorruptStoreError
from cairn.base.values import dataclass, field
from cairn.kernel.turning import COLUMNS, FILE, LINE, RECEIVER, turned
from cairn.store._immutable import ImmutableFile
from cairn.store.nameblocks import NameBlock, NamePlaces, pack_names

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Column = npt.NDArray[np.uint32]
else:
    np = lazy.module("numpy")
    Column = Any

SCHEMA = """
    CREATE TABLE occurrences (
        number INTEGER PRIMARY KEY, run INTEGER NOT NULL, name TEXT NOT NULL, file INTEGER NOT NULL, block BLOB NOT NULL
    );
"""
INDEX = "CREATE INDEX occurrences_name ON occurrences (run, name, file);"
_RUN_ROWS = 2_000_000
_BLOCK_ROWS = 3_000
_KEPT_BLOCKS = 512
Row = tuple[int, str, int, bytes]
P = TypeVar("P")
T = TypeVar("T")


class OccurrencesWriter:
    """Turns the columns of files into blocks of names."""

    def __init__(self) -> None:
        self._runs = 0
        self._begin()

    def add(self, file: int, joined: bytes) -> Iterator[Row]:
        """Take in a file's columns; the rows of the table that are ready."""
        if joined:
            self._files.append(file)
            self._joined.append(joined)
            self._rows += rows_in(joined)
        if self._rows >= _RUN_ROWS:
            yield from self.finish()

    def finish(self) -> Iterator[Row]:
        """The rows of all that was taken in since the last run."""
        if not self._rows:
            return
        for name, file, block in turned(self._files, self._joined, _BLOCK_ROWS):
            yield self._runs, name, file, pack_names(block)
        self._runs += 1
        self._begin()

    def _begin(self) -> None:
        self._files: list[int] = []
        self._joined: list[bytes] = []
        self._rows = 0


@dataclass(frozen=True, slots=True)
class _Regrouped:
    """A run as its files were before: each with the rows of its names, and the names in order."""

    run: int = -1
    first: int = 0
    last: int = -1
    """The files that it holds; those before and behind are in other runs."""
    strings: Sequence[str] = ()
    columns: Sequence[Column] = ()
    """Those of a block, and last the names."""
    starts: Mapping[int, tuple[int, int]] = field(default_factory=dict)

    def joined(self, file: int) -> bytes:
        """The columns of a file, as a writer takes them in."""
        first, last = self.starts.get(file, (0, 0))
        if first == last:
            return b""
        _, *numbers, receivers, names = (column[first:last].tolist() for column in self.columns)
        texts = [[*map(self.strings.__getitem__, column)] for column in (names, receivers)]
        return join_columns(texts, numbers)


def _regrouped(run: int, first: int, blocks: Iterable[NameBlock]) -> _Regrouped:
    strings: dict[str, int] = {}
    parts: list[list[Column]] = [[] for _ in range(COLUMNS + 1)]
    for block in blocks:
        columns = [np.array(block.column(each), dtype=np.uint32) for each in range(COLUMNS)]
        starts = np.zeros(block.rows, dtype=np.bool_)
        starts[block.firsts[:-1]] = True
        goes_on = ~starts & (columns[FILE] == 0)
        columns[FILE] = _values(columns[FILE], ~starts)
        columns[LINE] = _values(columns[LINE], goes_on)
        known = np.array([strings.setdefault(each, len(strings)) for each in block.receivers], dtype=np.uint32)
        columns[RECEIVER] = known[columns[RECEIVER]]
        names = np.array([strings.setdefault(each, len(strings)) for each in block.names], dtype=np.uint32)
        columns.append(np.repeat(names, np.diff(block.firsts)))
        for part, column in zip(parts, columns, strict=True):
            part.append(column)
    whole = [np.concatenate(part) for part in parts]
    order = np.argsort(whole[FILE], kind="stable")
    whole = [column[order] for column in whole]
    files, begins = np.unique(whole[FILE], return_index=True)
    ends = [*begins.tolist()[1:], len(order)]
    spans = {file: span for file, *span in zip(files.tolist(), begins.tolist(), ends, strict=True)}
    return _Regrouped(run, first, int(files[-1]), [*strings], whole, {file: (a, b) for file, (a, b) in spans.items()})


def _values(steps: Column, goes_on: npt.NDArray[np.bool_]) -> Column:
    """What was told as steps."""
    sums = np.cumsum(steps, dtype=np.uint32)
    starts = np.flatnonzero(~goes_on)
    before = sums[starts] - steps[starts]
    return sums - np.repeat(before, np.diff(np.append(starts, len(steps))))


class OccurrenceTable(ImmutableFile):
    """Read access to the occurrences of one segment."""

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self._kept: dict[int, NameBlock] = {}
        self._regrouped = _Regrouped()

    def placed(self, name: str) -> Iterator[NamePlaces]:
        """The places of a name, file by file in order of their numbers."""
        for keys, numbers in self._runs:
            first = max(bisect_right(keys, (name, -1)) - 1, 0)
            for number in numbers[first : bisect_right(keys, (name, sys.maxsize))]:
                yield from self._unpacked(lambda block: [*block.placed(name)], self._block(number))

    def placed_in(self, name: str, file: int) -> NamePlaces | None:
        """The places of a name in one file; None where it has none."""
        for keys, numbers in self._runs:
            at = bisect_right(keys, (name, file)) - 1
            if at >= 0:
                found = self._unpacked(lambda block: [*block.placed(name, file)], self._block(numbers[at]))
                if found:
                    return found[0]
        return None

    def occurrences_in(self, file: int) -> bytes:
        """A file's columns, as a writer takes them in: made for who asks for all files in order."""
        known = self._regrouped
        if file < known.first:
            known = _Regrouped()
        while file > known.last and known.run + 1 < len(self._runs):
            run = known.run + 1
            blocks = map(self._block, self._runs[run][1])
            known = self._unpacked(partial(_regrouped, run, known.last + 1), blocks)
        self._regrouped = known
        return known.joined(file)

    @cached_property
    def _runs(self) -> list[tuple[list[tuple[str, int]], list[int]]]:
        """For each run, the first name and file of its blocks, and their numbers."""
        found: list[tuple[list[tuple[str, int]], list[int]]] = []
        for run, name, file, number in self._all("SELECT run, name, file, number FROM occurrences ORDER BY number"):
            if run == len(found):
                found.append(([], []))
            found[-1][0].append((name, file))
            found[-1][1].append(number)
        return found

    def _block(self, number: int) -> NameBlock:
        known = self._kept.get(number)
        if known is None:
            ((block,),) = self._all("SELECT block FROM occurrences WHERE number = ?", number)
            known = self._unpacked(NameBlock, block)
            if len(self._kept) >= _KEPT_BLOCKS:
                self._kept = {}  # never emptied: another thread may be reading it
            self._kept[number] = known
        return known

    def _unpacked(self, unpack: Callable[[P], T], block: P) -> T:
        try:
            return unpack(block)
        except DAMAGE as error:
            raise CorruptStoreError(f"{self.path} holds a block that can't be read: {error}.") from error
