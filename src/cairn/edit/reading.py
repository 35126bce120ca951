"""Places that read names at run time: how they are found and reported."""

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from cairn.base.values import dataclass
from cairn.edit.group import Group
from cairn.edit.lineage import CLASSES, Lineage, SourceOf, node_at, numbers_at
from cairn.edit.ownname import above
from cairn.edit.sourcefile import SourceFile
from cairn.edit.texts import FileText
from cairn.edit.values import Doubt
from cairn.store import SemanticFacts, SemanticOccurrence, SemanticSymbol

Holding = Callable[[str], Iterable[SourceFile]]
"""Files that may hold a word."""
_FOR_PEOPLE = frozenset({"raise_statement", "assert_statement", "throw_statement"})
NO_CODE = frozenset(
    {"comment", "string", "import_statement", "import_from_statement", "string_fragment", "string_content"}
)
"""Nodes whose content is not executed."""
_BEGINNING = re.compile(rb"\bstartswith\(\s*\(?\s*[\"']([^\"']+)[\"']")


@dataclass(frozen=True, slots=True)
class Body:
    """The source of one class."""

    source: SourceFile
    node: Any

    @property
    def path(self) -> str:
        """The file that it is in."""
        return self.source.path

    @property
    def data(self) -> bytes:
        """That file's content."""
        return self.source.data

    @property
    def name(self) -> str:
        """The name of the class; empty if it has none."""
        found = self.node.child_by_field_name("name")
        return found.text.decode("utf-8", "replace") if found is not None and found.text else ""

    @property
    def head(self) -> bytes:
        """The part before the members: the name and the bases."""
        inner = self.node.child_by_field_name("body")
        return self.data[self.node.start_byte : inner.start_byte] if inner is not None else b""

    @property
    def text(self) -> bytes:
        """The whole class, from its head to its end."""
        return self.data[self.node.start_byte : self.node.end_byte]

    def has(self, pattern: re.Pattern[bytes]) -> re.Match[bytes] | None:
        """The first match of a pattern within the class."""
        return pattern.search(self.data, self.node.start_byte, self.node.end_byte)


@dataclass(frozen=True, slots=True)
class Program:
    """The code in which something is renamed: semantic facts and sources."""

    facts: SemanticFacts
    source_of: SourceOf
    holding: Holding

    @property
    def lineage(self) -> Lineage:
        """Which classes inherit from each other."""
        return Lineage(self.facts, self.source_of)

    def python(self, word: str) -> Iterator[SourceFile]:
        """Python files that may hold a word."""
        return (source for source in self.holding(word) if source.language == "python")

    def node(self, path: str, each: SemanticOccurrence) -> Any:
        """The syntax node of an occurrence; None if the file can't be parsed."""
        return node_at(each, path, self.source_of)

    def uses(self, numbers: Iterable[int]) -> list[tuple[str, SemanticOccurrence]]:
        """The occurrences of symbols, without their definitions."""
        wanted = sorted(numbers)
        return [use for use in self.facts.occurrences_of(wanted) if not use[1].defines] if wanted else []

    def bodies(self, numbers: Iterable[int]) -> Iterator[Body]:
        """The sources of classes."""
        for path, each in self.facts.occurrences_of(sorted(numbers), defining=True):
            node = self.node(path, each)
            holder = node.parent if node is not None else None
            if holder is not None and holder.type in CLASSES:
                yield Body(self.source_of(path), holder)

    def known_at(self, source: SourceFile, at: int) -> list[SemanticSymbol]:
        """The symbols of a place."""
        numbers = numbers_at(self.facts, source.path).get(FileText(source.data).place(at), frozenset())
        return list(self.facts.symbols(sorted(numbers)).values())


@dataclass(frozen=True, slots=True)
class ClassMember:
    """A member of a class that is renamed."""

    group: Group
    classes: frozenset[int]
    """The classes it belongs to, with their bases and subclasses."""
    bodies: tuple[Body, ...]
    """The sources of these classes."""

    @property
    def name(self) -> str:
        """The member's name before the rename."""
        return self.group.name


def reads(name: str, source: SourceFile | Body, at: int) -> Doubt:
    """The doubt about a place that reads names, and may read this one."""
    line, _ = FileText(source.data).place(at)
    return Doubt(
        "name_as_data",
        f"{source.path}:{line} reads names while the program runs ({FileText(source.data).shown(line)}): "
        f"is {name} among them?",
        "which names are read there, and what for",
        "read the place",
    )


def reads_at(name: str, program: Program, path: str, each: SemanticOccurrence) -> Doubt:
    """The same for an occurrence in the index."""
    source = program.source_of(path)
    return reads(name, source, FileText(source.data).offset(each.line, each.column))


def is_wanted(name: str, data: bytes) -> bool:
    """Whether code that lists names may use this one; if it tests their beginning, only with that beginning."""
    beginnings = tuple(_BEGINNING.findall(data))
    return not beginnings or name.encode().startswith(beginnings)


def places(
    pattern: re.Pattern[bytes], sources: Iterable[SourceFile]
) -> Iterator[tuple[SourceFile, re.Match[bytes], Any]]:
    """The matches of a pattern in executed code, not in imports, comments or strings."""
    for source in sources:
        if pattern.search(source.data) is None or source.root is None:
            continue
        for match in pattern.finditer(source.data):
            node = source.node(match.start(), match.start() + 1)
            if not any(outer.type in NO_CODE for outer in above(node)):
                yield source, match, node


def first(
    name: str, pattern: re.Pattern[bytes], sources: Iterable[SourceFile], *, shown: bool = True
) -> Iterator[Doubt]:
    """A doubt about the first such place; one that only shows the name to people counts if asked for."""
    for source, match, node in places(pattern, sources):
        if shown or not any(outer.type in _FOR_PEOPLE for outer in above(node)):
            yield reads(name, source, match.start())
            return
