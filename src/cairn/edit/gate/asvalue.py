"""Functions and types as values: whoever gets one may call it, or make values of it, without its name."""

import re
import sys
from collections.abc import Iterator, Sequence
from typing import Any

from cairn.base.values import dataclass
from cairn.edit.gate.reach import OTHER, MemberReach
from cairn.edit.source.file import SourceFile
from cairn.edit.source.files import SourceFiles
from cairn.edit.source.written import above, said_of
from cairn.graph.binding import ChainPlace
from cairn.graph.makers import MAKERS, types_made
from cairn.graph.meaning import LIKELY, PROVEN
from cairn.graph.references import Reference, find_uses
from cairn.graph.resolve import Resolver
from cairn.graph.symbols import Definition, key_of
from cairn.syntax.uses import Use

CLASS_OF = re.compile(r"type\(([\w.]+)\)|([\w.]+)\.__class__")
_ONLY_ASKED = frozenset({"isinstance", "issubclass", "super", "type", "len", "hash", "id", "raises"})
_LEFT = frozenset({"except_clause", "raise_statement", "comparison_operator", "type", "subscript", "case_clause"})
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


def is_value(node: Any) -> bool:
    """Python: whether a name that is read is a value there, which others may get and call."""
    holder = node.parent
    while holder is not None and holder.type == "attribute" and holder.child_by_field_name("attribute") == node:
        node, holder = holder, holder.parent
    if holder is None or holder.type in ("attribute", *_LEFT):
        return False
    if holder.type in ("tuple", "as_pattern"):
        holder = holder.parent
    if holder is not None and holder.type == "argument_list" and holder.parent is not None:
        function = holder.parent.child_by_field_name("function")
        return function is not None and function.said.rpartition(".")[2] not in _ONLY_ASKED
    return holder is None or holder.type not in _LEFT


def handed_on(resolver: Resolver, sources: SourceFiles, called: Sequence[Definition]) -> Iterator[Reference]:
    """Uses of functions or types as values: whoever gets one may call it."""
    for use in find_uses(resolver, called).items if called else ():
        source = sources.of(use.path)
        node = source.at(use.line, use.column)
        if use.role == "read" and (source.language != "python" or (node is not None and is_value(node))):
            yield use


def made_unnamed(
    resolver: Resolver, sources: SourceFiles, types: Sequence[Definition]
) -> Iterator[tuple[SourceFile, Use]]:
    """Python: places that may make values of some types as that of another value: `type(it)(1)`."""
    reach = MemberReach(resolver, types)
    for word in ("type", "__class__") if types else ():
        for source in sources.holding(word):
            for asked in source.uses(word, quoted=False) if source.language == "python" else ():
                node = source.at(asked.line, asked.column)
                said = _called(node.parent) if node is not None and node.parent is not None else None
                if said is None or said == "self":  # What a class calls itself is known where that stands.
                    continue
                place = ChainPlace(source.path, asked.within, asked.line, asked.column)
                if reach.of(resolver.evaluator.at(place, said)) != OTHER:
                    yield source, asked


def _called(node: Any) -> str | None:
    """The value whose type is called by a call of what a node is."""
    said = CLASS_OF.fullmatch(node.said)
    call = node.parent
    is_called = call is not None and call.type == "call" and call.child_by_field_name("function") == node
    return (said[1] or said[2]) if said is not None and is_called else None


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
    bases = [each for one in types for each, _ in resolver.members.line(one) if each is not None]
    once = {key_of(each): each for each in (*types, *bases)}
    for key, each in once.items():
        yield from _of_itself(sources, each, PROVEN if sure and key in made else LIKELY)


def has_other_makers(resolver: Resolver, items: Sequence[Definition]) -> bool:
    """Whether some class that is derived is made in another way, though methods that it inherits make it too."""
    made = types_made(resolver.world, items, resolver.evaluator.derived)
    return any(key_of(heir) not in made for each in made.values() for heir in resolver.evaluator.derived.of(each.type))


def _of_itself(sources: SourceFiles, item: Definition, tier: str) -> Iterator[ClassValue]:
    source = sources.of(item.path)
    start, lines = source.text.offset(item.symbol.start_line, 0), source.data.count(b"\n") + 1
    end = source.text.offset(item.symbol.end_line + 1, 0) if item.symbol.end_line < lines else len(source.data)
    for found in _SELF.finditer(source.data, start, end):
        node = source.node(found.start(), found.end())
        if node is None or (node.start_byte, node.end_byte) != found.span() or _is_looked_at(node):
            continue
        called = node.parent is not None and node.parent.child_by_field_name("function") == node
        if found[0] == b"cls" and called:
            continue  # That is known as a call of the class.
        line, column = source.text.place(found.start())
        role = "call" if called else "read"
        use = Reference(item.path, line, column, found[0].decode(), role, "", tier, None)
        yield ClassValue(use, source, node)


def _is_looked_at(node: Any) -> bool:
    """Whether a place only asks something of a class, or derives another from it."""
    holder = node.parent
    while holder is not None and holder.type in ("tuple", "parenthesized_expression", "argument_list"):
        outer = holder.parent
        if outer is not None and outer.type == "call":
            return said_of(outer.child_by_field_name("function")).rpartition(".")[2] in _ASKING
        node, holder = holder, outer
    if holder is None or holder.type in _LOOKED_AT:
        return True
    if holder.type in ("attribute", "member_expression"):
        return bool(holder.child_by_field_name("object") == node)
    return any(outer.type == "type" for outer in above(holder))


def _names_class(node: Any) -> bool:
    """Whether a type is that of the class itself: `type[A]`."""
    generic = next((each for each in above(node.parent) if each.type in ("generic_type", "subscript")), None)
    return said_of(generic).startswith(("type[", "Type[", "typing.Type["))
