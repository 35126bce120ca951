"""Classes that inherit from each other, read from their heads, because an index lists only some relations."""

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from typing import Any

from cairn.edit.ownname import above
from cairn.edit.sourcefile import SourceFile
from cairn.edit.texts import FileText
from cairn.store import SemanticFacts, SemanticOccurrence

SourceOf = Callable[[str], SourceFile]
"""A file by its path."""
Place = tuple[int, int]
"""Line from 1, and column in bytes."""
CLASSES = frozenset(
    {"class_definition", "class_declaration", "abstract_class_declaration", "class", "interface_declaration"}
)
_CLASS = re.compile(rb"\b(?:class|interface)\b")
_WRITTEN = frozenset({"identifier", "attribute", "subscript", "call", "keyword_argument", "comment"})
_HERITAGE = frozenset({"argument_list", "class_heritage", "extends_clause", "implements_clause", "extends_type_clause"})


def node_at(each: SemanticOccurrence, path: str, source_of: SourceOf) -> Any:
    """The node of a place; None if the file can't be parsed or has no such place."""
    source = source_of(path)
    at = FileText(source.data).offset(each.line, each.column)
    return source.node(at, at + each.end_column - each.column) if at >= 0 else None


def numbers_at(facts: SemanticFacts, path: str) -> dict[Place, frozenset[int]]:
    """The symbols of each place of a file, by (line, column)."""
    found: dict[Place, set[int]] = {}
    for each in facts.occurrences_in(path):
        if (
            each.line == each.end_line and each.column < each.end_column
        ):  # A module's own symbol has no place in the text.
            found.setdefault((each.line, each.column), set()).add(each.symbol)
    return {place: frozenset(numbers) for place, numbers in found.items()}


def bases(holder: Any) -> Iterator[Any]:
    """The last name of each base of a class: `Base` of `module.Base[T]`."""
    for heritage in holder.children:
        if heritage.type not in _HERITAGE:
            continue
        todo = list(heritage.named_children)
        while todo:
            node = todo.pop()
            if node.type in ("identifier", "type_identifier", "property_identifier"):
                yield node
            elif node.type in ("attribute", "member_expression", "nested_type_identifier"):
                todo.append(node.named_children[-1])
            elif node.type in ("subscript", "generic_type", "call"):
                todo.append(node.named_children[0])
            elif node.type in _HERITAGE:
                todo += node.named_children


def computed_bases(holder: Any) -> Iterator[Any]:
    """Bases of a class of Python's that are no names: `class A(B if new else C)`, `class A(*bases)`."""
    for heritage in holder.children:
        if heritage.type == "argument_list":
            yield from (node for node in heritage.named_children if node.type not in _WRITTEN)


def heads_of(source: SourceFile) -> tuple[tuple[Place, Place], ...]:
    """The places of a file's class names, each paired with one of its bases."""
    if _CLASS.search(source.data) is None or source.root is None:
        return ()
    found: dict[tuple[Place, Place], None] = {}
    for match in _CLASS.finditer(source.data):
        word = source.node(match.start(), match.end())
        holder = next((outer for outer in above(word) if outer.is_named and outer.type in CLASSES), None)
        name = holder.child_by_field_name("name") if holder is not None else None
        if name is not None:
            found |= {(_place(name), _place(base)): None for base in bases(holder)}
    return tuple(found)


def _place(node: Any) -> Place:
    return node.start_point[0] + 1, node.start_point[1]


class Lineage:
    """Which classes inherit from which in one context."""

    def __init__(self, facts: SemanticFacts, source_of: SourceOf) -> None:
        self._facts = facts
        self.source_of = source_of
        self._at = cache(lambda path: numbers_at(facts, path))

    def kin(self, number: int) -> frozenset[int]:
        """All subclasses of a class, and all bases of any of them: their members meet in one object."""
        derived = self._closed({number}, self._derived)
        return self._closed(derived, self._bases) - {number}

    def _closed(self, numbers: Iterable[int], step: Callable[[int], Iterable[int]]) -> frozenset[int]:
        found = set(numbers)
        todo = list(found)
        while todo:
            new = set(step(todo.pop())) - found
            found |= new
            todo += new
        return frozenset(found)

    def _bases(self, number: int) -> Iterator[int]:
        for path, each in self._facts.occurrences_of([number], defining=True):
            for name, base in self._heads(path):
                if name == (each.line, each.column):
                    yield from self._at(path).get(base, ())

    def _derived(self, number: int) -> Iterator[int]:
        for path, each in self._facts.occurrences_of([number]):
            for name, base in self._heads(path):
                if base == (each.line, each.column):
                    yield from self._at(path).get(name, ())

    def _heads(self, path: str) -> tuple[tuple[Place, Place], ...]:
        return self.source_of(path).once(heads_of)

    def numbers(self, path: str, node: Any) -> frozenset[int]:
        """The symbols of a place."""
        found: frozenset[int] = self._at(path).get(_place(node), frozenset())
        return found
