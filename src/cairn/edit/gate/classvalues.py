"""Classes as values, by their names and by what their methods call them: whoever has one may make values of it."""

import re
import sys
from collections.abc import Iterator, Sequence
from typing import Any

from cairn.base.values import dataclass
from cairn.edit.source.file import SourceFile
from cairn.edit.source.files import SourceFiles
from cairn.edit.source.written import said_of
from cairn.graph.makers import MAKERS, types_made
from cairn.graph.meaning import LIKELY, PROVEN
from cairn.graph.references import Reference, find_uses
from cairn.graph.resolve import Resolver
from cairn.graph.symbols import Definition, key_of

_SELF = re.compile(rb"\btype\(\s*self\s*\)|\bself\.__class__\b|\bthis\.constructor\b|(?<![.\w])cls\b")
_LOOKED_AT = frozenset(
    """
    comparison_operator binary_expression class_heritage extends_clause class_definition except_clause class_pattern
    parameters lambda_parameters dotted_name import_specifier export_specifier import_clause aliased_import
    import_from_statement import_statement export_statement type string_content implements_clause case_pattern
    """.split()
)
_ASKING = frozenset(
    """
    isinstance issubclass super setattr getattr hasattr delattr vars dir repr str id hash print cast __new__ raises
    suppress
    """.split()
)
"""Functions that take a class and make no value of it by its constructor."""


@dataclass(frozen=True, slots=True)
class ClassValue:
    """A place that has a class, and no use of its name as a call."""

    use: Reference
    source: SourceFile
    node: Any


def class_values(resolver: Resolver, sources: SourceFiles, items: Sequence[Definition]) -> Iterator[ClassValue]:
    """Where the types whose constructors are given are called by what a method calls its class, or are handed on."""
    if not any(item.symbol.name in MAKERS or item.symbol.kind == "constructor" for item in items):
        return
    made = types_made(resolver.world, items, resolver.evaluator.derived)
    types = [each.type for each in made.values()]
    for use in find_uses(resolver, types, max_files=sys.maxsize).items if types else ():
        if use.role not in ("read", "type"):
            continue
        source = sources.of(use.path)
        node = source.at(use.line, use.column)
        if node is not None and (_names_class(node) if use.role == "type" else not _is_looked_at(node)):
            yield ClassValue(use, source, node)
    sure = not has_other_makers(resolver, items)
    above = [each for one in types for each, _ in resolver.members.line(one) if each is not None]
    once = {key_of(each): each for each in (*types, *above)}
    for key, each in once.items():
        yield from _of_itself(sources, each, PROVEN if sure and key in made else LIKELY)


def has_other_makers(resolver: Resolver, items: Sequence[Definition]) -> bool:
    """Whether some class that is derived is made in another way, though methods that it inherits make it too."""
    made = types_made(resolver.world, items, resolver.evaluator.derived)
    return any(key_of(heir) not in made for each in made.values() for heir in resolver.evaluator.derived.of(each.type))


def _of_itself(sources: SourceFiles, item: Definition, tier: str) -> Iterator[ClassValue]:
    source = sources.of(item.path)
    text = source.text
    start, lines = text.offset(item.symbol.start_line, 0), source.data.count(b"\n") + 1
    end = text.offset(item.symbol.end_line + 1, 0) if item.symbol.end_line < lines else len(source.data)
    for found in _SELF.finditer(source.data, start, end):
        node = source.node(found.start(), found.end())
        if node is None or (node.start_byte, node.end_byte) != found.span() or _is_looked_at(node):
            continue
        called = node.parent is not None and node.parent.child_by_field_name("function") == node
        if found[0] == b"cls" and called:
            continue  # That is known as a call of the class.
        line, column = text.place(found.start())
        name = found[0].decode()
        role = "call" if called else "read"
        yield ClassValue(Reference(item.path, line, column, name, role, "", tier, None), source, node)


def _is_looked_at(node: Any) -> bool:
    """Whether a place only asks something of a class, or derives another from it."""
    holder = node.parent
    while holder is not None and holder.type in ("tuple", "parenthesized_expression", "argument_list"):
        outer = holder.parent
        if outer is not None and outer.type == "call":
            called = outer.child_by_field_name("function")
            said = said_of(called)
            return said.rpartition(".")[2] in _ASKING
        node, holder = holder, outer
    if holder is None or holder.type in _LOOKED_AT:
        return True
    if holder.type in ("attribute", "member_expression"):
        return bool(holder.child_by_field_name("object") == node)
    return any(outer.type == "type" for outer in _above(node))


def _names_class(node: Any) -> bool:
    """Whether a type is that of the class itself: `type[A]`."""
    for outer in _above(node):
        if outer.type in ("generic_type", "subscript"):
            return (outer.text or b"").startswith((b"type[", b"Type[", b"typing.Type["))
    return False


def _above(node: Any) -> Iterator[Any]:
    while (node := node.parent) is not None:
        yield node
