"""What a language's own query says about some places: which are names of definitions, which are called."""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from typing import Any

from cairn.base.values import dataclass
from cairn.syntax import kinds
from cairn.syntax.definitions import FoundDefinition, qualify
from cairn.syntax.extract import bare, define, text_of
from cairn.syntax.grammar import WRAPPER, Loaded, all_matches
from cairn.syntax.lines import line_starts

_BYTES_A_PLACE = 1_000
"""Of so many bytes for each place, the places are asked for one by one; beyond that one pass over all is cheaper."""


@dataclass(frozen=True, slots=True)
class DefinitionName:
    """The name of a definition, at its place."""

    start: int
    end: int
    name: str
    kind: str
    leaf: bool


@dataclass(frozen=True, slots=True)
class Marks:
    """What the query says of a file's names."""

    names: dict[int, DefinitionName]
    calls: frozenset[int]
    holders: tuple[tuple[int, FoundDefinition], ...]
    """Definitions that hold others or code, each with the place of its name, the outer ones first."""

    def within(self, places: Iterable[int]) -> list[str]:
        """For each of some sorted places, the innermost definition around it that doesn't have its name there."""
        found: list[str] = []
        stack: list[tuple[int, FoundDefinition]] = []
        index = 0
        for at in places:
            while index < len(self.holders) and self.holders[index][1].start <= at:
                stack.append(self.holders[index])
                index += 1
            while stack and stack[-1][1].end <= at:
                stack.pop()
            if stack and stack[-1][0] != at:
                found.append(stack[-1][1].qualified)
                continue
            around = (item for name_at, item in reversed(stack) if item.end > at and name_at != at)
            inner = next(around, None)
            found.append(inner.qualified if inner is not None else "")
        return found

    def is_member(self, at: int) -> bool:
        """Whether the name at a byte is that of a field or property."""
        return at in self.names and self.names[at].kind in kinds.MEMBERS


def marks(loaded: Loaded, root: Any, data: bytes, places: Sequence[int] | None = None) -> Marks:
    """The marks at sorted places; all of the file's when none are given."""
    definitions: dict[tuple[int, int, str], FoundDefinition] = {}
    names: dict[int, DefinitionName] = {}
    calls: set[int] = set()
    accessors: set[int] = set()
    seen: set[tuple[int, int, int]] = set()
    heads: list[tuple[str, Any, dict[str, list[Any]], int]] = []
    wrapped: dict[int, Any] = {}
    lines = line_starts(data)
    for pattern, captures in _matches(loaded, root, data, places):
        if "call" in captures:
            calls.add(captures["name"][0].start_byte)
            if len(captures) == 2:
                continue  # most matches are calls and nothing else
        for capture, nodes in captures.items():
            if capture == WRAPPER:
                wrapped.update((child.id, nodes[0]) for child in nodes[0].children)
            if capture != "scope" and not capture.startswith("definition."):
                continue
            key = (nodes[0].id, captures["name"][0].id if captures.get("name") else 0, pattern)
            if key in seen:
                continue
            seen.add(key)
            if places is not None and not _holds(nodes[0], captures, places, loaded.grammar.wrappers):
                continue
            heads.append((capture, nodes[0], captures, pattern))
            if capture == "definition.property" and nodes[0].child_by_field_name("body") is not None:
                accessors.add(captures["name"][0].start_byte)
            if capture != "scope" and captures.get("name"):
                _name(names, captures["name"][0], capture.removeprefix("definition."), data)
    for head in heads:
        define(definitions, loaded, *head, wrapped, lines, data)
    placed = sorted(
        ((key[0], item) for key, item in definitions.items()),
        key=lambda each: (each[1].start, -each[1].end, each[1].is_scope, each[1].name),
    )
    qualify([item for _, item in placed])
    for at, _, _ in definitions:
        calls.discard(at)  # some grammars write a definition's head as a call
    return Marks(
        names, frozenset(calls), tuple(each for each in placed if each[1].kind in kinds.HOLDERS or each[0] in accessors)
    )


def _matches(loaded: Loaded, root: Any, data: bytes, places: Sequence[int] | None) -> Iterator[Any]:
    """What a query finds; nothing in what is no UTF-8, which is never indexed: its conditions can't be decided."""
    import tree_sitter

    with suppress(UnicodeDecodeError):
        if places is None or _BYTES_A_PLACE * len(places) > len(data):
            yield from all_matches(loaded.query, root)
            return
        cursor = tree_sitter.QueryCursor(loaded.query)
        for start, end in (each for at in places for each in _ranges(root, at, loaded.grammar.wrappers)):
            cursor.set_byte_range(start, end)
            yield from cursor.matches(root)


def _ranges(root: Any, at: int, wrappers: frozenset[str]) -> list[tuple[int, int]]:
    """What to ask for to learn all about a place: decorators and templates belong to what stands behind them."""
    ranges = [(at, at + 1)]
    cursor = root.walk()
    wrapper: Any = None
    while wrappers and cursor.goto_first_child_for_byte(at) is not None:
        node = cursor.node
        if wrapper is not None and node.end_byte < wrapper.end_byte:
            behind = (each.start_byte for each in wrapper.named_children if each.start_byte >= node.end_byte)
            ranges += [(start, start + 1) for start in behind]
        wrapper = node if node.type in wrappers else None
    return ranges


def _holds(node: Any, captures: dict[str, list[Any]], places: Sequence[int], wrappers: frozenset[str]) -> bool:
    """Whether a definition, or a body that stands beside it, is around one of the places."""
    ends = [node.end_byte, *(body.end_byte for body in captures.get("body", ()))]
    # What is written around a definition, such as decorators, belongs to it.
    outer = node.parent if node.parent is not None and node.parent.parent is not None else node
    while outer.parent is not None and outer.parent.type in wrappers:
        outer = outer.parent
    index = bisect_left(places, outer.start_byte)
    return index < len(places) and places[index] < max(ends)


def _name(names: dict[int, DefinitionName], node: Any, kind: str, data: bytes) -> None:
    if not node.is_named:
        return  # a keyword that stands for a name: `constructor`, `default`
    written = text_of(data, node)
    name = bare(written)
    start = node.start_byte + (len(written.encode()) - len(name.encode()) if written != name else 0)
    if written[:1] in "\"'" and name != written:
        start = node.start_byte + 1
    if start not in names:
        names[start] = DefinitionName(start, start + len(name.encode()), name, kind, node.child_count == 0)
