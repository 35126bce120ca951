"""What goes with a definition that is moved: its decorators, the comments right above it, all of its overloads."""

import re
from collections.abc import Sequence
from typing import Any

from cairn.base.errors import RefusedError
from cairn.base.values import dataclass
from cairn.edit.gate.thing import Thing
from cairn.edit.source.file import SourceFile

_PYTHON = frozenset({"function_definition", "class_definition", "decorated_definition", "type_alias_statement"})
_SCRIPT = frozenset(
    """
    function_declaration generator_function_declaration class_declaration abstract_class_declaration
    interface_declaration type_alias_declaration enum_declaration function_signature
    """.split()
)
_DECLARED = frozenset({"lexical_declaration", "variable_declaration"})
_NOT_ITS_OWN = re.compile(rb"#!|#.*coding[:=]|/\*!|//\s*@ts-|/\*\s*eslint|///|#\s*(?:mypy|ruff|pylint):")


@dataclass(frozen=True, slots=True)
class Extent:
    """The lines of a definition in its file."""

    start: int
    end: int
    """Behind the line feed of the last line."""
    nodes: tuple[Any, ...]

    def holds(self, at: int) -> bool:
        """Whether a byte lies in it."""
        return self.start <= at < self.end


def extent_of(source: SourceFile, thing: Thing) -> Extent:
    """The lines that a thing takes in its file; RefusedError where they can't be taken out."""
    nodes: list[Any] = []
    for item in thing.definitions:
        node = _top(source, source.text.offset(item.symbol.name_line, 0), item.symbol.name_line)
        if node is None or not _is_alone(node, thing.name, source):
            at = f"{source.path}:{item.symbol.name_line}"
            if node is not None and node.type == "export_statement" and declaration(node) is None:
                raise RefusedError(f"{at} is the default of its module: export it by its name first.")
            raise RefusedError(f"{at} is no statement of its own at the top of its module, or defines more.")
        if node not in nodes:
            nodes.append(node)
    nodes.sort(key=lambda node: int(node.start_byte))
    root = source.root
    between = [] if root is None else [each for each in root.named_children if _lies(each, nodes[0], nodes[-1])]
    if other := next((each for each in between if each not in nodes and "comment" not in each.type), None):
        line = other.start_point[0] + 1
        raise RefusedError(f"{thing.name} is defined in several parts, and {source.path}:{line} stands between them.")
    return _lines(source, nodes)


def _lies(node: Any, first: Any, last: Any) -> bool:
    return bool(first.start_byte <= node.start_byte <= last.start_byte)


def _top(source: SourceFile, at: int, line: int) -> Any:
    for node in source.root.named_children if source.root is not None else ():
        last = node.end_byte if node.end_byte > node.start_byte else node.start_byte
        if node.start_byte <= at < last or node.start_point[0] + 1 == line:
            return node
    return None


def declaration(node: Any) -> Any:
    """What a statement declares, without `export`; None where that is the module's default."""
    if node.type != "export_statement":
        return node
    if any(child.type == "default" for child in node.children):
        return None
    return node.child_by_field_name("declaration")


def is_type(node: Any) -> bool:
    """Whether a statement declares what is gone when a script runs."""
    inner = declaration(node)
    return inner is not None and inner.type in ("interface_declaration", "type_alias_declaration")


def _is_alone(node: Any, name: str, source: SourceFile) -> bool:
    if source.language == "python":
        if node.type in _PYTHON:
            return True
        inner = node.named_children[0] if node.type == "expression_statement" and node.named_children else None
        left = inner.child_by_field_name("left") if inner is not None and inner.type == "assignment" else None
        right = inner.child_by_field_name("right") if inner is not None and left is not None else None
        chained = right is not None and right.type == "assignment"
        return left is not None and not chained and left.text == name.encode() and len(node.named_children) == 1
    inner = declaration(node)
    if inner is None:
        return False
    if inner.type in _DECLARED:
        parts = [child for child in inner.named_children if child.type == "variable_declarator"]
        named = parts[0].child_by_field_name("name") if len(parts) == 1 else None
        return named is not None and named.text == name.encode()
    return inner.type in _SCRIPT


def _lines(source: SourceFile, nodes: Sequence[Any]) -> Extent:
    data, root = source.data, source.root
    first = nodes[0]
    before = [each for each in root.named_children if each.start_byte < first.start_byte] if root is not None else []
    start = int(first.start_byte)
    for each in reversed(before):
        gap = data[each.end_byte : start]
        own = not data[data.rfind(b"\n", 0, each.start_byte) + 1 : each.start_byte].strip()
        if each.type not in ("comment", "decorator") or gap.count(b"\n") > 1 or gap.strip() or not own:
            break
        if _NOT_ITS_OWN.match(each.text):
            break
        start = int(each.start_byte)
    begin = data.rfind(b"\n", 0, start) + 1
    last = int(nodes[-1].end_byte)
    stop = data.find(b"\n", last)
    end = len(data) if stop < 0 else stop + 1
    behind = data[last:end].strip().lstrip(b";").strip()
    if data[begin:start].strip() or (behind and not behind.startswith((b"#", b"//"))):
        line = data.count(b"\n", 0, start) + 1
        raise RefusedError(f"Other code stands on the lines of the definition: {source.path}:{line}.")
    return Extent(begin, end, tuple(nodes))
