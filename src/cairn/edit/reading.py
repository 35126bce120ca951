"""Places that read names while the program runs: how they are found and told."""

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from cairn.edit.account import Source
from cairn.edit.decorators import above
from cairn.edit.lineage import CLASSES, SourceOf, node_at
from cairn.edit.texts import Text
from cairn.edit.values import Doubt
from cairn.store import SemanticFacts
from cairn.syntax.parse import tree_of
from cairn.values import dataclass

Holding = Callable[[str], Iterable[Source]]
"""Files that may hold a word."""
_FOR_PEOPLE = frozenset({"raise_statement", "assert_statement", "throw_statement"})
_NO_CODE = frozenset(
    {"comment", "string", "import_statement", "import_from_statement", "string_fragment", "string_content"}
)


@dataclass(frozen=True, slots=True)
class Body:
    """One class as it is written."""

    path: str
    language: str
    data: bytes
    node: Any

    @property
    def name(self) -> str:
        found = self.node.child_by_field_name("name")
        return found.text.decode("utf-8", "replace") if found is not None and found.text else ""

    @property
    def head(self) -> bytes:
        """What stands before the members: its name, its bases."""
        inner = self.node.child_by_field_name("body")
        return self.data[self.node.start_byte : inner.start_byte] if inner is not None else b""

    def has(self, pattern: re.Pattern[bytes]) -> re.Match[bytes] | None:
        return pattern.search(self.data, self.node.start_byte, self.node.end_byte)


def bodies_of(numbers: Iterable[int], facts: SemanticFacts, source_of: SourceOf) -> Iterator[Body]:
    """Classes as they are written."""
    for path, each in facts.occurrences_of(sorted(numbers), defining=True):
        node = node_at(each, path, source_of)
        holder = node.parent if node is not None else None
        if holder is not None and holder.type in CLASSES:
            yield Body(path, *source_of(path), holder)


def reads(name: str, source: Source | Body, at: int) -> Doubt:
    """A place that reads names, and may come upon this one."""
    line = source.data.count(b"\n", 0, at) + 1
    return Doubt(
        "name_as_data",
        f"{source.path}:{line} reads names while the program runs ({Text(source.data).shown(line)}): "
        f"is {name} among them?",
        "which names are read there, and what for",
        "read the place",
    )


def places(pattern: re.Pattern[bytes], sources: Iterable[Source]) -> Iterator[tuple[Source, re.Match[bytes], Any]]:
    """Where a pattern stands in code that does something, rather than in an import, a comment or a string."""
    for source in sources:
        tree = tree_of(source.path, source.language, source.data) if pattern.search(source.data) else None
        if tree is None:
            continue
        for match in pattern.finditer(source.data):
            node = tree.root_node.descendant_for_byte_range(match.start(), match.start() + 1)
            if not any(outer.type in _NO_CODE for outer in above(node)):
                yield source, match, node


def first(name: str, pattern: re.Pattern[bytes], sources: Iterable[Source], *, shown: bool = True) -> Iterator[Doubt]:
    """The first of those places; what is only shown to people counts if it is said to."""
    for source, match, node in places(pattern, sources):
        if shown or not any(outer.type in _FOR_PEOPLE for outer in above(node)):
            yield reads(name, source, match.start())
            return


_LISTING = frozenset({b"vars", b"dir", b"getmembers", b"getmembers_static", b"get_type_hints", b"get_annotations"})
_BY_NAME = frozenset({b"getattr", b"setattr", b"hasattr", b"delattr"})
_INSIDES = frozenset(
    {b"__dict__", b"__members__", b"_member_map_", b"_member_names_", b"__getitem__", b"__annotations__"}
)


def is_taken_apart(node: Any) -> bool:
    """Whether a use of a class or a module of Python's reads what names it has: `vars(it)`, `getattr(it, word)`."""
    holder = node.parent if node is not None else None
    if holder is not None and holder.type == "attribute" and holder.child_by_field_name("attribute") == node:
        node, holder = holder, holder.parent
    if holder is None:
        return False
    if holder.type == "attribute":
        return holder.child_by_field_name("attribute").text in _INSIDES
    call = holder.parent if holder.type == "argument_list" else None
    function = call.child_by_field_name("function") if call is not None else None
    if function is None or holder.named_children[0] != node:
        return False
    called = (function.text or b"").rpartition(b".")[2]
    # A name that is written as a text is found as such.
    asked = holder.named_children[1] if len(holder.named_children) > 1 else None
    return called in _LISTING or (called in _BY_NAME and asked is not None and asked.type != "string")
