"""What a construct reads the names of: the value that it is given, that it is asked of, or that it stands in."""

import re
from collections.abc import Iterator
from typing import Any

from cairn.base.values import replace
from cairn.edit.gate.reach import MemberReach
from cairn.edit.gate.table import Reader
from cairn.edit.source.file import SourceFile
from cairn.edit.source.written import CallNode, is_text
from cairn.graph.meaning import PROVEN, Meaning, module
from cairn.graph.resolve import Resolver
from cairn.graph.scopes import FUNCTIONS, TYPES
from cairn.graph.symbols import Definition
from cairn.graph.values import LITERAL, OPEN, Value, either
from cairn.syntax.uses import Use

CHAIN = re.compile(r"[A-Za-z_@$][\w$]*(?:\(\))?(?:\.[A-Za-z_$][\w$]*(?:\(\))?)*")
_GIVEN = re.compile(r"\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)")
_NEW = re.compile(r"^new\s+([\w$.]+)(?:<[^()]*>)?(?:\(\))?")
CLASS_OF = re.compile(r"type\((\w+)\)|(\w+)\.__class__|(\w+)\.constructor")
_SPELLED = ("object", "array", "dictionary", "list", "tuple", "literal_value", "argument_list")
_WRAPPING = (
    "parenthesized_expression",
    "as_expression",
    "non_null_expression",
    "satisfies_expression",
    "unary_expression",
    "await_expression",
    "literal_element",
)
_PLAIN = ("number", "arrow_function", "true", "false", "null", "undefined", "nil", "int_literal", "float_literal")
_UNNAMED = ("struct_type", "interface_type")
"""Go: types that are written out where they are used: what is held tells what such a value has."""
_TYPE_NAME = re.compile(r"[A-Za-z_][\w.]*")
_GO_PLAIN = frozenset(
    "string bool byte rune error int int8 int16 int32 int64 uint uint8 uint16 uint32 uint64 uintptr float32 float64 "
    "complex64 complex128 map chan func struct".split()
)
_LISTS = ("slice_type", "array_type", "map_type", "pointer_type", "implicit_length_array_type")


class ReadValues:
    """Tells what constructs read the names of."""

    def __init__(self, resolver: Resolver, reach: MemberReach) -> None:
        self._resolver = resolver
        self._reach = reach

    def of(self, reader: Reader, source: SourceFile, use: Use, call: CallNode) -> Value:
        """What the members are read of; open where nothing is known of it."""
        if reader.of is None:
            return OPEN
        if reader.of == "module":
            return Value(things=module((source.path,), certain=True))
        if reader.of == "self":
            return self.at(source, use, use.name, use.column)
        if reader.of == "receiver":
            asked = call.receiver() or use.receiver
            value = self.at(source, use, asked, use.column)
            owner = asked.rpartition(".")[0]
            # Members of enumerations are what they are of, whatever value is written for them.
            return self.at(source, use, owner, use.column) if reader.bases and owner and value.literal else value
        if reader.of == "scope" or (reader.of == 0 and call.node is not None and not call.size):
            return self._scope(source, use)
        given = read_node(reader, call)
        if given is None:
            return OPEN
        given = unwrapped(given)
        if is_text(given) and not reader.keywords:
            return LITERAL
        value = self._written(source, use, given, reader.deep)
        return self._with_held(value) if reader.deep and source.language == "go" else value

    def _with_held(self, value: Value) -> Value:
        """Go: a value with what it holds by its type, if that is a list or a map; open where that may be anything."""
        if value.types or value.open:
            return value
        said = [(each, name) for each in value.written for name in _TYPE_NAME.findall(each.text)]
        named = [(each, *name.rpartition(".")[::2]) for each, name in said if name not in _GO_PLAIN]
        meant = [self._resolver.meaning(each.path, last, before, each.within) for each, before, last in named]
        types = tuple(item for each in meant for item in each.targets if item.symbol.kind in TYPES)
        # What is no type of a package is one that is given, or any.
        unknown = any(not before and not each.targets for (_, before, _), each in zip(named, meant, strict=True))
        return replace(value, types=types, open=unknown)

    def _written(self, source: SourceFile, use: Use, node: Any, deep: bool) -> Value:
        """The value of a node; what is spelled out there is seen as it is, but for what it holds."""
        node = unwrapped(node)
        if node.type in _SPELLED and deep:
            return either([LITERAL, *(self._written(source, use, each, deep) for each in _items(node))])
        if node.type in _SPELLED and not any(mark in node.text for mark in (b"...", b"**")):
            return LITERAL
        if is_text(node) or node.type in _PLAIN:
            return LITERAL
        if node.type == "composite_literal" and _holds_no_name(node.child_by_field_name("type")):
            return LITERAL
        if node.type == "composite_literal":
            made = self._made(source, use, node.child_by_field_name("type"))
            return either([made, self._written(source, use, node.child_by_field_name("body"), deep)])
        line, column = node.start_point[0] + 1, node.start_point[1]
        return self.at(source, use, node.said, column, line)

    def _made(self, source: SourceFile, use: Use, written: Any) -> Value:
        """Go: a value of a type that is written before its fields, or of what that is a list or a map of."""
        while written is not None and written.type in _LISTS:
            written = written.named_children[-1]
        if written is not None and written.type in _UNNAMED:
            fields = (each for part in written.named_children for each in part.named_children)
            types = (each.child_by_field_name("type") for each in fields if each.type == "field_declaration")
            return either([LITERAL, *(self._made(source, use, each) for each in types)])
        if written is None or written.type not in ("type_identifier", "qualified_type", "generic_type"):
            return OPEN
        before, _, last = written.said.partition("[")[0].rpartition(".")
        meant = self._resolver.meaning(source.path, last, before, use.within)
        found = tuple(each for each in meant.targets if each.symbol.kind in TYPES)
        return Value(found, open=meant.open, literal=not found) if found or last != "any" else LITERAL

    def _scope(self, source: SourceFile, use: Use) -> Value:
        """What has the names of the scope that a use stands in as its own: a module or a class, and no function."""
        around = self._resolver.world.scope(source.path).named(use.within) if use.within else ()
        if any(each.kind in FUNCTIONS for each in around):
            return LITERAL
        inner = tuple(Definition(source.path, each) for each in around if each.kind in TYPES)
        return Value(things=Meaning(inner, PROVEN) if inner else module((source.path,), certain=True))

    def at(self, source: SourceFile, use: Use, chain: str, column: int, line: int = 0) -> Value:
        """The value of an expression as it is written."""
        chain = plain(chain.lstrip("&*"))
        return self._reach.at(source.path, use, chain, column, line) if CHAIN.fullmatch(chain) else OPEN


def _holds_no_name(written: Any) -> bool:
    """Go: whether a type is written out there down to numbers and texts: what such a value has stands there."""
    while written is not None and written.type in _LISTS:
        written = written.named_children[-1]
    if written is not None and written.type == "struct_type":
        fields = [each for part in written.named_children for each in part.named_children if "comment" not in each.type]
        return all(_holds_no_name(each.child_by_field_name("type")) for each in fields)
    return written is not None and written.said in _GO_PLAIN - {"error"}


def read_node(reader: Reader, call: CallNode) -> Any:
    """What a construct reads the names of, as it is written; None where that can't be told."""
    if reader.of == "arguments":
        return call.node.child_by_field_name("arguments")
    return call.argument(reader.of) if isinstance(reader.of, int) else call.asked()


def unwrapped(node: Any) -> Any:
    """What stands in brackets, or is only said to be of a type."""
    while node.type in _WRAPPING and node.named_children:
        node = node.named_children[0]
    return node


def spelled(node: Any, *, deep: bool) -> Iterator[Any]:
    """The values that a literal is put together of, where what it holds counts; a value itself where it is none."""
    node = unwrapped(node) if node is not None else None
    if node is not None and node.type == "composite_literal":
        node = node.child_by_field_name("body")
    if deep and node is not None and node.type in _SPELLED:
        for each in _items(node):
            yield from spelled(each, deep=deep)
    elif node is None or not (is_text(node) or node.type in _PLAIN):
        yield node


def _items(node: Any) -> Iterator[Any]:
    """The values that are spelled out in a list or a table."""
    for child in node.named_children:
        if child.type in ("pair", "keyed_element"):
            yield child.child_by_field_name("value") or child.named_children[-1]
        elif child.type in ("spread_element", "list_splat", "dictionary_splat") and child.named_children:
            yield child.named_children[0]
        elif "comment" not in child.type and child.type not in ("method_definition", "statement_block"):
            yield child


def plain(text: str) -> str:
    """An expression as a chain: a class of a value is as good as the value, and so is one that is made there."""
    chain = CLASS_OF.sub(lambda said: said[1] or said[2] or said[3], text.replace("?.", "."))
    return _NEW.sub(r"\1()", _GIVEN.sub("()", chain))


def is_plain_value(value: Value, line: str) -> bool:
    """Whether what a line lists is a value of known types, and no class."""
    return bool(value.types) and not value.things and not value.open and not CLASS_OF.search(line)
