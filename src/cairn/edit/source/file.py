"""One file of a snapshot as a rename sees it: its text, its tree, and the places of a name. Nothing is parsed."""

import unicodedata
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, TypeVar, cast

from cairn.edit.source.texts import FileText
from cairn.graph.occurrences import recalled, uses_in
from cairn.store import NamePlace
from cairn.syntax.occurrences import FileOccurrences
from cairn.syntax.trees import StoredNode, StoredTree
from cairn.syntax.uses import Use

T = TypeVar("T")


class SourceFile:
    """A file with what its snapshot tells of it; each is one object, made once for a draft."""

    def __init__(
        self,
        path: str,
        language: str,
        data: bytes,
        tree: Callable[[], StoredTree | None],
        rows: Callable[[str], Sequence[NamePlace]],
    ) -> None:
        self.path, self.language, self.data = path, language, data
        self._ask_tree = tree
        self._ask_rows = rows
        self._made: dict[object, Any] = {}

    @cached_property
    def _tree(self) -> StoredTree | None:
        return self._ask_tree()

    @cached_property
    def text(self) -> FileText:
        """Its bytes by line and column."""
        return FileText(self.data)

    @property
    def root(self) -> StoredNode | None:
        """The root of its tree; None where no grammar parsed it."""
        return self._tree.root_node if self._tree is not None else None

    def node(self, start: int, end: int) -> StoredNode | None:
        """The innermost node around some bytes."""
        return self.root.descendant_for_byte_range(start, end) if self.root is not None else None

    def at(self, line: int, column: int) -> StoredNode | None:
        """The innermost node at a place."""
        start = self.text.offset(line, column)
        return self.node(start, start + 1)

    def once(self, make: "Callable[[SourceFile], T]") -> T:
        """What a function makes of the file; it is asked once."""
        if make not in self._made:
            self._made[make] = make(self)
        return cast(T, self._made[make])

    def uses(self, name: str, *, quoted: bool) -> list[Use]:
        """The uses of a name, with or without those in annotations that are strings."""
        return uses_in(self._rows(name), quoted=quoted)

    def found(self, name: str) -> FileOccurrences | None:
        """The occurrences of a name, with what binds them; None where no grammar parsed the file."""
        tree = self._tree
        return recalled(self.path, self.language, tree, name, self._rows(name)) if tree is not None else None

    def _rows(self, name: str) -> Sequence[NamePlace]:
        # Letters with accents may be written in several ways; occurrences have one.
        return self._ask_rows(unicodedata.normalize("NFC", name))
