"""Definitions that were found in a syntax tree, and how they stand in each other."""

from bisect import bisect_left
from typing import Any

from cairn.base.values import dataclass
from cairn.syntax.comments import Comment

_TYPES = frozenset({"class", "enum", "interface", "struct", "trait", "type"})


@dataclass(slots=True)
class FoundDefinition:
    """A definition as the syntax tree has it, before it is known what is around it."""

    start: int
    end: int
    start_row: int
    end_row: int
    name: str
    name_row: int
    kind: str
    signature: str
    head: str
    container: str
    doc: str
    is_scope: bool
    pattern: int
    outer: Any
    """The node with its wrappers."""
    symbol: int = -1
    qualified: str = ""


def one_of_clauses(ordered: list[FoundDefinition], comments: list[Comment], data: bytes) -> list[FoundDefinition]:
    """A signature and the equations after it are one definition."""
    kept: list[FoundDefinition] = []
    for item in ordered:
        before = kept[-1] if kept else None
        if before is not None and (before.name, before.kind) == (item.name, item.kind) and before.end <= item.start:
            between = data[before.end : item.start]
            first = bisect_left(comments, (before.end_row,))
            for _, _, left, right, _ in comments[first : bisect_left(comments, (item.start_row,))]:
                between = between.replace(data[left:right], b"")
            if not between.strip():
                before.end, before.end_row = item.end, item.end_row
                before.doc = before.doc or item.doc
                continue
        kept.append(item)
    return kept


def qualify(ordered: list[FoundDefinition]) -> None:
    """Containers by nesting; `ordered` is sorted so that what is around comes first."""
    stack: list[FoundDefinition] = []
    for item in ordered:
        while stack and stack[-1].end <= item.start:
            stack.pop()
        around = next((outer for outer in reversed(stack) if outer.end >= item.end and not _same(outer, item)), None)
        if not item.container and around is not None:
            item.container = around.qualified
        elif item.container and around is not None and around.kind == "module":
            item.container = f"{around.qualified}.{item.container}"
        if item.kind == "function" and around is not None and (around.is_scope or around.kind in _TYPES):
            item.kind = "method"
        item.qualified = f"{item.container}.{item.name}" if item.container else item.name
        if item.is_scope:
            # A scope may repeat a type's own name: it names its members, it is no member itself.
            item.qualified = item.name
        stack.append(item)


def _same(one: FoundDefinition, other: FoundDefinition) -> bool:
    """Names of one declaration stand side by side, not in each other."""
    return one.start == other.start and one.end == other.end and not (one.is_scope or other.is_scope)
