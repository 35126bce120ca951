"""Types that a condition names: `T extends Array<infer E> ? E : never` binds E for what stands before the colon."""

from typing import Any

from cairn.edit.gate.ownname import above
from cairn.edit.source.file import SourceFile

_CONDITION = "conditional_type"


def inferred_in(source: SourceFile, start: int, end: int, name: str) -> tuple[int, int] | None:
    """Where the type that is inferred under a name and stands at some bytes is known; None if it is none."""
    for outer in above(source.node(start, end)):
        right, first = outer.child_by_field_name("right"), outer.child_by_field_name("consequence")
        if outer.type == _CONDITION and right is not None and first is not None and start >= right.start_byte:
            if start < first.end_byte and _infers(right, name.encode()):
                return right.start_byte, first.end_byte
    return None


def _infers(node: Any, name: bytes) -> bool:
    if node.type == "infer_type":
        return any(child.text == name for child in node.named_children)
    return any(_infers(child, name) for child in node.named_children if child.type != _CONDITION)
