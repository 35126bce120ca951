"""Names that one construct of a file encloses: types that a condition infers, labels, private members of a class."""

from collections.abc import Iterator
from typing import Any

from cairn.base.values import dataclass
from cairn.edit.source.file import SourceFile
from cairn.edit.source.words import CODE, Word, words_in
from cairn.edit.source.written import above

_CONDITION = "conditional_type"
_FUNCTIONS = frozenset({"function_declaration", "method_declaration", "func_literal"})
_KINDS = {
    "statement_identifier": "label",
    "label_name": "label of a function",
    "private_property_identifier": "private",
    "type_identifier": "type",
}


@dataclass(frozen=True, slots=True)
class Enclosure:
    """What encloses a name: outside of these bytes nothing can mean it."""

    kind: str
    start: int
    end: int

    def places(self, source: SourceFile, name: str) -> Iterator[Word]:
        """All places of a name that this encloses."""
        return (word for word in words_in(source, name) if enclosure_at(source, (word.line, word.column), name) == self)

    def taken(self, source: SourceFile, new: str) -> Iterator[Word]:
        """Places that would mean the thing if it had a new name, or the other way round."""
        for word in words_in(source, new):
            node = source.at(word.line, word.column) if word.kind == CODE else None
            within = node is not None and self.start <= node.start_byte < self.end
            if within and (self.kind == "type" or _kind(node) == self.kind):
                yield word


def enclosure_at(source: SourceFile, at: tuple[int, int], name: str) -> Enclosure | None:
    """What encloses the name at a place; None where that is no such name."""
    start = source.text.offset(*at)
    node: Any = source.node(start, start + len(name.encode()))
    kind = _kind(node) if node is not None else ""
    for outer in above(node) if kind else ():
        if kind == "type":
            if (known := _inferred(outer, start, name.encode())) is not None:
                return Enclosure(kind, *known)
        elif _declares(outer, kind, name.encode()):
            return Enclosure(kind, outer.start_byte, outer.end_byte)
    return None


def _kind(node: Any) -> str:
    return _KINDS.get(node.type, "")


def _declares(outer: Any, kind: str, name: bytes) -> bool:
    """Whether a label or a private member of a name belongs to a node."""
    if kind == "label":  # JavaScript knows it in its statement, Go in all of the function.
        label = outer.child_by_field_name("label") if outer.type == "labeled_statement" else None
        return label is not None and label.type == "statement_identifier" and label.text == name
    if kind == "label of a function":
        return outer.type in _FUNCTIONS
    parts = (each.child_by_field_name(field) for each in outer.named_children for field in ("name", "property"))
    return outer.type == "class_body" and any(part is not None and part.text == b"#" + name for part in parts)


def _inferred(outer: Any, at: int, name: bytes) -> tuple[int, int] | None:
    """`T extends Array<infer E> ? E : never` binds E for what stands before the colon."""
    right, first = outer.child_by_field_name("right"), outer.child_by_field_name("consequence")
    if outer.type != _CONDITION or right is None or first is None or not right.start_byte <= at < first.end_byte:
        return None
    return (right.start_byte, first.end_byte) if _infers(right, name) else None


def _infers(node: Any, name: bytes) -> bool:
    if node.type == "infer_type":
        return any(child.text == name for child in node.named_children)
    return any(_infers(child, name) for child in node.named_children if child.type != _CONDITION)
