"""What a language's own query says about some places: which are names of definitions, which are called."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Any

from cairn.base.values import dataclass
from cairn.syntax import kinds
from cairn.syntax.definitions import FoundDefinition, qualify
from cairn.syntax.extract import bare, define, text_of
from cairn.syntax.grammar import WRAPPER, Loaded, all_matches
from cairn.syntax.lines import line_starts


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
    calls: dict[int, int]
    """Where names that are called begin and end."""
    holders: tuple[tuple[int, FoundDefinition], ...]
    """Definitions that hold others or code, each with the place of its name, the outer ones first."""

    def around(self, at: int) -> FoundDefinition | None:
        """The last definition that begins before a place and hasn't ended there."""
        begun = bisect_right(self.holders, at, key=lambda holder: holder[1].start)
        return next(
            (item for _, item in map(self.holders.__getitem__, range(begun - 1, -1, -1)) if at < item.end), None
        )

    def within(self, places: Iterable[int]) -> list[str]:
        """For each of some sorted places, the innermost definition around it that doesn't have its name there."""
        found: list[str] = []
        stack: list[tuple[int, FoundDefinition]] = []
        index = 0
        for at in places:
            while index < len(self.holders) and self.holders[index][1].start <= at:
                # What has ended goes first: below others it would stay for the rest of the file.
                _drop_ended(stack, self.holders[index][1].start)
                stack.append(self.holders[index])
                index += 1
            _drop_ended(stack, at)
            if stack and stack[-1][0] != at:
                found.append(stack[-1][1].qualified)
                continue
            around = (item for name_at, item in reversed(stack) if item.end > at and name_at != at)
            inner = next(around, None)
            found.append(inner.qualified if inner is not None else "")
        return found


def _drop_ended(stack: list[tuple[int, FoundDefinition]], at: int) -> None:
    while stack and stack[-1][1].end <= at:
        stack.pop()


UNMARKED = Marks({}, {}, ())


def marks(loaded: Loaded, root: Any, data: bytes) -> Marks:
    """The marks of a file."""
    definitions: dict[tuple[int, int, str], FoundDefinition] = {}
    names: dict[int, DefinitionName] = {}
    calls: dict[int, int] = {}
    accessors: set[int] = set()
    seen: set[tuple[int, int, int]] = set()
    heads: list[tuple[str, Any, dict[str, list[Any]], int]] = []
    wrapped: dict[int, Any] = {}
    lines = line_starts(data)
    for pattern, captures in _matches(loaded, root):
        if "call" in captures:
            calls[captures["name"][0].start_byte] = captures["name"][0].end_byte
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
        calls.pop(at, None)  # some grammars write a definition's head as a call
    return Marks(names, calls, tuple(each for each in placed if each[1].kind in kinds.HOLDERS or each[0] in accessors))


def _matches(loaded: Loaded, root: Any) -> Iterator[Any]:
    """What a query finds; nothing in what is no UTF-8, which is never indexed: its conditions can't be decided."""
    with suppress(UnicodeDecodeError):
        yield from all_matches(loaded.query, root)


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
