"""The table `defined`: which files of a segment define which names.

Names stand in order, and a block has those of many: what neighbours have in common is told once, and so are the bounds
of a row of SQLite's.
"""

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import repeat

from cairn.base.columns import Columns, pack_columns, unpack_columns
from cairn.store._knownparts import KnownParts
from cairn.store._trees import TreeTable

SCHEMA = "CREATE TABLE defined (name TEXT PRIMARY KEY, block BLOB NOT NULL) WITHOUT ROWID;"
_BLOCK_ROWS = 128
_KNOWN_NAMES = 3_000
_LAST = chr(0x10FFFF)


class NamesWriter:
    """Gathers names as files come, and puts them in order at the end."""

    def __init__(self) -> None:
        self._names: list[str] = []
        self._files = array("I")

    def add(self, names: Sequence[str], file: int) -> None:
        """Take in the names of a file, each once; files come in the order of their numbers."""
        self._names += names
        self._files.extend(repeat(file, len(names)))

    def blocks(self) -> Iterator[tuple[str, bytes]]:
        """The rows of the table: each block with the first of its names, and no name in two of them."""
        names, files = self._names, self._files
        order = sorted(range(len(names)), key=names.__getitem__)
        first = 0
        while first < len(order):
            last = min(first + _BLOCK_ROWS, len(order))
            while last < len(order) and names[order[last]] == names[order[last - 1]]:
                last += 1
            rows = order[first:last]
            said = [*map(names.__getitem__, rows)]
            yield said[0], pack_columns([said], [[*map(files.__getitem__, rows)]])
            first = last


class NameTable(TreeTable):
    """Read access to this table of one segment."""

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self._holding = KnownParts[str, Sequence[int]](_KNOWN_NAMES)

    def files_with(self, names: Sequence[str]) -> list[int]:
        """The files that define one of some names, each once and in order."""
        known = self._holding.of(names, lambda missing: ((name, self._listed(name)) for name in missing))
        return sorted({number for name in names for number in known[name]})

    def files_starting(self, start: str) -> list[int]:
        """The files that define a name which begins with a text."""
        return sorted({number for name, number in self._rows_from(start) if name.startswith(start)})

    def names_starting(self, start: str) -> list[tuple[str, int]]:
        """(name, file number) of the casefolded names that begin with a text, in order."""
        return [each for each in self._rows_from(start) if each[0].startswith(start)]

    def _listed(self, name: str) -> Sequence[int]:
        for (block,) in self._all("SELECT block FROM defined WHERE name <= ? ORDER BY name DESC LIMIT 1", name):
            columns = self._unpacked(_names_in, block)
            place = bisect_left(columns.strings, name)
            if place < len(columns.strings) and columns.strings[place] == name:
                rows = columns.places[0]
                return columns.numbers[0][bisect_left(rows, place) : bisect_right(rows, place)]
        return ()

    def _rows_from(self, start: str) -> Iterable[tuple[str, int]]:
        ((first,),) = self._all("SELECT max(name) FROM defined WHERE name <= ?", start)
        query = "SELECT block FROM defined WHERE name >= ? AND name < ?"
        for (block,) in self._all(query, start if first is None else first, start + _LAST):
            columns = self._unpacked(_names_in, block)
            yield from zip(columns.text(0), columns.numbers[0], strict=True)


def _names_in(block: bytes) -> Columns:
    return unpack_columns(block, 1, 1)
