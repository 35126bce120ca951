"""The tables `trees` and `flows`: of each file of a segment that has one, the syntax tree as the parser of its language
shaped it, and how values flow in it.

What nodes are alike in is said in words, the same in all files of a language: a segment has each of these once, and a
file the numbers of its own.
"""

import struct
import zlib
from collections.abc import Iterable, Iterator
from functools import cached_property

from cairn.store._occurrences import OccurrenceTable

SCHEMA = """
    CREATE TABLE shapes (number INTEGER PRIMARY KEY, shape TEXT NOT NULL);
    CREATE TABLE trees (file INTEGER PRIMARY KEY, shapes BLOB NOT NULL, tree BLOB NOT NULL);
    CREATE TABLE flows (file INTEGER PRIMARY KEY, flows BLOB NOT NULL);
"""
_LEVEL = 6


PackedTree = tuple[tuple[str, ...], bytes]
"""A file's tree: its shapes, and all the rest compressed."""
NO_TREE: PackedTree = ((), b"")
"""That of a file that no grammar parsed."""


def pack_tree(shapes: tuple[str, ...], columns: bytes) -> PackedTree:
    """A tree, ready for a segment."""
    return (shapes, zlib.compress(columns, _LEVEL)) if columns else NO_TREE


class ShapesWriter:
    """Numbers the shapes of a segment's trees."""

    def __init__(self) -> None:
        self._known: dict[str, int] = {}

    def numbered(self, shapes: Iterable[str]) -> bytes:
        """The numbers of some shapes."""
        known = self._known
        numbers = [known.setdefault(shape, len(known)) for shape in shapes]
        return zlib.compress(struct.pack(f"<{len(numbers)}I", *numbers), _LEVEL)

    def rows(self) -> Iterator[tuple[int, str]]:
        """Every shape with its number."""
        return ((number, shape) for shape, number in self._known.items())


class TreeTable(OccurrenceTable):
    """Read access to the trees of one segment."""

    def tree(self, file: int) -> PackedTree:
        """A file's tree."""
        found = self._all("SELECT shapes, tree FROM trees WHERE file = ?", int(file))
        return (self._unpacked(self._named, found[0][0]), found[0][1]) if found else NO_TREE

    def unpacked_tree(self, file: int) -> tuple[tuple[str, ...], bytes]:
        """The same as it was before it was packed."""
        shapes, columns = self.tree(file)
        return shapes, self._unpacked(zlib.decompress, columns) if columns else b""

    def packed_flows(self, file: int) -> bytes:
        """The block of a file's flows."""
        found = self._all("SELECT flows FROM flows WHERE file = ?", int(file))
        return found[0][0] if found else b""

    def _named(self, numbers: bytes) -> tuple[str, ...]:
        data = zlib.decompress(numbers)
        return tuple(map(self._shapes.__getitem__, struct.unpack(f"<{len(data) // 4}I", data)))

    @cached_property
    def _shapes(self) -> list[str]:
        return [shape for (shape,) in self._all("SELECT shape FROM shapes ORDER BY number")]
