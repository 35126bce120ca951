"""Finding wrong edges: the text at a place must be the symbol's name, or an import must explain it.

scip-python takes names that came through a star import for another name of that module: `models.CharField` for the
class `DateTimeField`. So a place that bears another name is only believed where an import binds the symbol to it.
"""

import re
from collections.abc import Iterable
from typing import NamedTuple

from cairn.semantic.naming import CONSTRUCTOR
from cairn.semantic.symboltable import SymbolTable

Row = tuple[int, int, int, int, int, int]
RENAMED = re.compile(r"([\w$.]+)\s+as\s+([\w$]+)")
_RENAMED_BEFORE = re.compile(r"([\w$]+|\*)\s+as\s+$")
_IMPORTED_BEFORE = re.compile(r"\s*import\s+(?:type\s+)?$")
_DEFAULT = "default"
_ALL = "*"


class Suspect(NamedTuple):
    """A place whose text is not the symbol's name."""

    row: Row
    written: str
    before: str
    """What stands before it on its line."""

    @property
    def number(self) -> int:
        """The number of the symbol."""
        return self.row[4]


class ImportAlias(NamedTuple):
    """`original as alias`, for a symbol."""

    number: int
    alias: str
    original: str


class ImportAliases:
    """The names that imports anywhere bind symbols to: a file re-exports a symbol under its new name."""

    def __init__(self, table: SymbolTable, bindings: Iterable[ImportAlias]) -> None:
        self._table = table
        self._of: dict[int, set[str]] = {}
        open_ones = list(bindings)
        while open_ones:
            # `b as c` in one file makes sense once another was read that has `a as b`.
            rest = [each for each in open_ones if not self._learn(each)]
            if len(rest) == len(open_ones):
                break
            open_ones = rest

    def _learn(self, binding: ImportAlias) -> bool:
        number, alias, original = binding
        if original in (_DEFAULT, _ALL) or self.explain(number, original):
            self._of.setdefault(number, set()).add(alias)
            return True
        return False

    def explain(self, number: int, written: str) -> bool:
        """Whether some import binds the symbol to this name."""
        name, kind, owner = self._table.named[number]
        if (name and written == name) or written in self._of.get(number, ()):
            return True
        if kind != CONSTRUCTOR:
            return False
        made = self._table.numbers.get(owner)
        return made is not None and self.explain(made, written)


def binding_of(suspect: Suspect) -> ImportAlias | None:
    """The alias at a place that covers only the new name, as in JavaScript; None if there is none."""
    found = _RENAMED_BEFORE.search(suspect.before)
    if found is not None:
        return ImportAlias(suspect.number, suspect.written, found[1])
    if _IMPORTED_BEFORE.fullmatch(suspect.before) is not None:
        return ImportAlias(suspect.number, suspect.written, _DEFAULT)
    return None
