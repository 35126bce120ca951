"""Places that read names while the program runs: how they are found and told."""

import re
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import Any

from cairn.edit.account import Source
from cairn.edit.decorators import above
from cairn.edit.lineage import CLASSES, SourceOf, node_at
from cairn.edit.texts import Text
from cairn.edit.values import Doubt
from cairn.store import SemanticFacts, SemanticOccurrence
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


def reads_at(name: str, path: str, each: SemanticOccurrence, source_of: SourceOf) -> Doubt:
    """The same, of a place that the index knows."""
    source = Source(path, *source_of(path))
    return reads(name, source, Text(source.data).offset(each.line, each.column))


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


@dataclass(frozen=True, slots=True)
class ByWord:
    """A place that asks something for a member whose name is not written there: `getattr(it, word)`."""

    at: int
    node: Any
    of: Any
    """What is asked; None where that isn't told."""


_ASKING = re.compile(rb"\b(?:(?:get|set|has|del)attr|attrgetter|methodcaller|__(?:get|set)attr(?:ibute)?__)\b")
_FIRST = frozenset({b"attrgetter", b"methodcaller"})


@lru_cache(maxsize=512)
def asked_by_word(path: str, data: bytes) -> tuple[ByWord, ...]:
    """Where a file of Python's does so; a name that is put together with a text is no such place."""
    tree = tree_of(path, "python", data) if _ASKING.search(data) else None
    found = []
    if tree is None:
        return ()
    for match in _ASKING.finditer(data):
        node = tree.root_node.descendant_for_byte_range(match.start(), match.end())
        around = [outer.type for outer in above(node)]
        if any(kind in _NO_CODE for kind in around) or around[1:2] == ["function_definition"]:
            continue
        function = node.parent if node.parent is not None and node.parent.type == "attribute" else node
        call = function.parent
        if call is None or call.type != "call" or call.child_by_field_name("function") != function:
            found.append(ByWord(match.start(), node, None))  # given to somebody who calls it
            continue
        given = [each for each in call.child_by_field_name("arguments").named_children if each.type != "comment"]
        own = (
            function.type == "attribute" and match[0].startswith(b"__") and function.named_children[0].text != b"object"
        )
        at = 0 if match[0] in _FIRST or own else 1
        if len(given) > at and not _is_written(given[at]):
            of = None if match[0] in _FIRST else function.named_children[0] if own else given[0]
            found.append(ByWord(match.start(), node, of))
    return tuple(found)


def _is_written(word: Any) -> bool:
    """Whether a name is a text, or is made of one: those are looked for by their words."""
    if word.type in ("string", "concatenated_string"):
        parts = [child.type for child in word.children]
        return word.type != "string" or "string_content" in parts or "interpolation" not in parts
    if word.type in ("binary_operator", "parenthesized_expression"):
        return any(map(_is_written, word.named_children))
    if word.type == "call":  # "a_{}".format(x)
        function = word.child_by_field_name("function")
        return function is not None and function.type == "attribute" and _is_written(function.named_children[0])
    return False
