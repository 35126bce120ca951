"""Go: what a rename has to know of it: embedded fields, keys of literals, structs and interfaces without a word."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from cairn.edit.gate.case import NAME_AS_DATA, Case, Found, WrittenName
from cairn.edit.gate.structural import inside, wanted
from cairn.edit.gate.thing import MEMBER, Thing
from cairn.edit.source.file import SourceFile
from cairn.edit.source.values import Construct
from cairn.edit.source.written import CallNode
from cairn.graph.binding import ChainPlace
from cairn.graph.hierarchy import Kindred
from cairn.graph.meaning import PROVEN
from cairn.graph.members import types_in
from cairn.graph.references import find_uses
from cairn.graph.resolve import Resolver
from cairn.graph.scopes import FUNCTIONS, TYPES
from cairn.graph.structs import embedded_fields
from cairn.graph.symbols import Definition, Key, key_of
from cairn.syntax.uses import Use

_ELEMENTS = {"slice_type": "element", "array_type": "element", "map_type": "value", "pointer_type": ""}
_EMBEDDED = ("type_identifier", "qualified_type", "pointer_type", "generic_type")
_AROUND = frozenset(
    "selector_expression unary_expression parenthesized_expression type_instantiation_expression index_expression "
    "generic_type pointer_type parenthesized_type qualified_type".split()
)
_GIVEN_TYPES = re.compile(rb"TypeFor\s*\[(.*?)\]\s*\(")
_TESTS = re.compile(r"_test\.go\Z")
_TYPE_NAME = re.compile(r"[A-Za-z_][\w.]*")
_GIVING = ("short_var_declaration", "assignment_statement")
_VALUES = ("reflect.ValueOf()", "reflect.Indirect()", "reflect.New()")
_NAMELESS = frozenset({"Anonymous", "Func", "Index", "IsExported", "Offset", "PkgPath", "Tag", "Type"})
"""What a part of a type is asked for beside its name."""
_NAMED = ("type_spec", "type_alias")


def named_in_go(case: Case) -> Found:
    """Places that bear the name because of the thing, and what its type comes to be with the new one."""
    if case.thing.family != "go":
        return
    yield from _fields(case)
    yield from _examples(case)
    yield from _asked_for(case)
    if case.thing.reach == MEMBER and case.thing.kind in FUNCTIONS:
        yield from _asserted(case)
    elif case.thing.reach == MEMBER:
        yield from _converted(case)


def _fields(case: Case) -> Iterator[WrittenName]:
    """Places that name a field: whether it is the thing, or the one that it is embedded as."""
    thing, resolver = case.thing, case.resolver
    embedding = _embedding(case) if thing.kind in TYPES else {}
    own = {key_of(owner): owner for owner in thing.owners} if thing.reach == MEMBER else embedding
    for source in case.files():
        for use in source.uses(thing.name, quoted=False):
            known = thing.uses.get((source.path, use.line, use.column))
            if known is not None and known.tier == PROVEN:
                continue
            if use.keyword:
                meant = _of_literal(resolver, source, use, own)
            elif use.receiver and embedding:
                meant = _of_value(resolver, source, use, embedding)
            else:
                continue
            if meant is not None or embedding:
                yield WrittenName(source.path, use.line, use.column, meant is True, other=meant is False)


def is_tagged(resolver: Resolver, thing: Thing, new: str, kinds: Sequence[str]) -> bool:
    """Whether a field has a name of its own for what reads it by some tags, and is seen by them as before."""
    lines = (resolver.world.lines(item.path)[item.symbol.name_line - 1] for item in thing.definitions)
    form = re.compile(rf'`.*\b(?:{"|".join(map(re.escape, kinds))}):"[^",]+')
    return thing.name[:1].isupper() == new[:1].isupper() and bool(kinds) and all(map(form.search, lines))


def _asked_for(case: Case) -> Iterator[Construct]:
    """`reflect.TypeFor[It]()`: the parts of a type that is named may be asked for, with what they hold."""
    thing, resolver = case.thing, case.resolver
    wanted = case.reach.held | case.reach.below.keys() if thing.reach == MEMBER else frozenset()
    for source in case.files("TypeFor") if wanted else ():
        for use in source.uses("TypeFor", quoted=False):
            at = source.text.offset(use.line, use.column)
            given = _GIVEN_TYPES.match(source.data, at)
            for said in _TYPE_NAME.findall(given[1].decode("utf-8", "replace")) if given is not None else ():
                before, _, last = said.rpartition(".")
                meant = resolver.meaning(source.path, last, before, use.within)
                if any(key_of(each) in wanted for each in meant.targets):
                    yield case.construct(source.path, use.line, NAME_AS_DATA, "lists the members of a value")
                    break


def is_walked(case: Case, words: Sequence[str]) -> bool:
    """Whether somebody who asks for the parts of a type by number may read what they are called."""
    every = ((source, use) for word in words for source in case.files(word) for use in source.uses(word, quoted=False))
    return any(_reads_name(case, source, use) for source, use in every)


def _reads_name(case: Case, source: SourceFile, use: Use) -> bool:
    """Whether what a call gives may be asked for its name: there, by its variable, or by others who get it."""
    call = CallNode(source, use).node
    if call is None or not use.receiver:
        return False
    body, asked_of = case.body(source.path, use.line), use.receiver.removesuffix(".Elem()")
    value = (
        rf"\b{re.escape(asked_of)}(?:\s*:?=\s*reflect\.(?:ValueOf|Indirect|New)\((?!.*\.Type\()|\s+reflect\.Value\b)"
    )
    if asked_of in _VALUES or re.search(value, body):
        return False  # That gives a value, which has no name.
    types = re.findall(rf"\b{re.escape(asked_of)}\s*(?::?=|reflect\.Type\b)\s*(.*)", body)
    if types and all(each.startswith("reflect.TypeFor[") for each in types):
        return False  # These types are named, and asked about by themselves.
    holder = call.parent
    if holder.type == "selector_expression":
        return bool(holder.child_by_field_name("field").said not in _NAMELESS)
    while holder is not None and holder.type == "expression_list":
        holder = holder.parent
    left = holder.child_by_field_name("left") if holder is not None and holder.type in _GIVING else None
    if left is None or len(left.named_children) != 1:
        return True
    said = re.findall(rf"(?<![\w.]){re.escape(left.said)}\b(\s*:?=[^=])?(?:\.(\w+))?", body)
    return any(not given and asked not in _NAMELESS for given, asked in said)


def _embedding(case: Case) -> dict[Key, Definition]:
    """The types that have a field because a type is embedded in them."""
    holders: dict[Key, Definition] = {}
    for path, line, column in case.thing.uses:
        if _embeds(case.sources.of(path).at(line, column)):
            for symbol in case.resolver.world.scope(path).symbols:
                if symbol.kind in TYPES and symbol.start_line <= line <= symbol.end_line:
                    holders[key_of(Definition(path, symbol))] = Definition(path, symbol)
    kin, waiting = Kindred(case.resolver), list(holders.values())
    while waiting:
        for other, _, _ in kin.below(waiting.pop()):
            if key_of(other) not in holders:
                holders[key_of(other)] = other
                waiting.append(other)
    return holders


def _embeds(node: Any) -> bool:
    """Whether a type stands in a struct as a field without a name of its own."""
    while node is not None and node.type in _EMBEDDED:
        node = node.parent
    return node is not None and node.type == "field_declaration" and node.child_by_field_name("name") is None


def _of_value(resolver: Resolver, source: SourceFile, use: Use, own: Mapping[Key, Definition]) -> bool | None:
    """Whether a member is asked of one of some types; None where nothing tells."""
    value = resolver.evaluator.at(ChainPlace(source.path, use.within, use.line, use.column), use.receiver)
    types = (*value.types, *types_in(value.things.targets))
    if any(key_of(each) in own for each in types):
        return True
    known = bool(types or value.things.modules or value.outside)
    return False if known and not value.open and not value.things.open else None


def _of_literal(resolver: Resolver, source: SourceFile, use: Use, own: Mapping[Key, Definition]) -> bool | None:
    """Whether a key stands in a literal of one of some types; None where it isn't written of which."""
    node: Any = source.at(use.line, use.column)
    while node is not None and node.type != "literal_value":
        node = node.parent
    depth = 0
    while node is not None and node.parent is not None and node.parent.type != "composite_literal":
        depth += node.type == "literal_value"
        node = node.parent
    written: Any = node.parent.child_by_field_name("type") if node is not None and node.parent is not None else None
    while written is not None and (depth or written.type == "pointer_type"):
        field, named = _ELEMENTS.get(written.type), written.named_children
        depth -= written.type != "pointer_type"
        first = named[0] if named else None
        written = None if field is None else written.child_by_field_name(field) if field else first
    if written is None or written.type not in ("type_identifier", "qualified_type", "generic_type"):
        return False if written is not None and written.type == "struct_type" else None
    before, _, last = written.said.partition("[")[0].rpartition(".")
    meant = resolver.meaning(source.path, last, before, use.within)
    if any(key_of(each) in own for each in meant.targets):
        return True
    return False if (meant.targets and not meant.open) or before else None


def _examples(case: Case) -> Iterator[Construct]:
    """Examples are named after what they show: `ExampleType`, `ExampleType_Method`, `ExampleType_suffix`."""
    thing = case.thing
    owners = [f"{owner.symbol.name}_" for owner in thing.owners] if thing.reach == MEMBER else [""]
    form = re.compile(rf"^func Example(?:{'|'.join(map(re.escape, owners))}){thing.name}(?:_\w+)?\(", re.MULTILINE)
    folders = {item.path.rpartition("/")[0] for item in thing.definitions}
    for path in (each for folder in sorted(folders) for each in case.sources.beside(folder, _TESTS)):
        source = case.sources.of(path)
        for found in form.finditer(source.data.decode("utf-8", "replace")):
            line = source.data.count(b"\n", 0, found.start()) + 1
            yield case.construct(path, line, NAME_AS_DATA, f"is named after {thing.name}")


def _asserted(case: Case) -> Iterator[Construct]:
    """A type that gets a method may come to be what `it.(Interface)` asks for."""
    resolver, new = case.resolver, case.new
    for item in resolver.members.kin(case.thing.family, new):
        for high in resolver.members.owners(item):
            name, asked = high.symbol.name, wanted(resolver, high) - {new}
            if high.symbol.kind != "interface" or not any(
                all(resolver.member(low, each).targets for each in asked) for low in case.reach.below.values()
            ):
                continue
            form = re.compile(rb"\.\(\s*(?:\w+\.)?%s\s*\)|\bcase\b[^:\n]*\b%s\b" % ((name.encode(),) * 2))
            for source in case.sources.holding(name):
                for found in form.finditer(source.data):
                    why = f"asks whether a value is {name}, which it would be with {new}"
                    yield case.construct(source.path, source.text.place(found.start())[0], "same_member", why)


def _converted(case: Case) -> Iterator[Construct]:
    """Conversions to the struct of a field, or to another one with the same fields, where there is such a one."""
    thing, resolver = case.thing, case.resolver
    own = {key_of(owner) for owner in thing.owners}
    fields = [_fields_of(resolver, owner) for owner in thing.owners]
    others = [
        other
        for item in resolver.members.kin(thing.family, thing.name)
        for other in resolver.members.owners(item)
        if key_of(other) not in own and other.symbol.kind == "struct" and _fields_of(resolver, other) in fields
    ]
    for path, line in _conversions(case, (*thing.owners, *others)) if others else ():
        yield case.construct(path, line, "same_member", f"makes one struct another, which has {thing.name} as well")


def _fields_of(resolver: Resolver, item: Definition) -> frozenset[str]:
    return frozenset((*(each.name for each in inside(resolver, item)), *embedded_fields(resolver.world, item)))


def _conversions(case: Case, types: Iterable[Definition]) -> Iterator[tuple[str, int]]:
    """Where a value is made one of some types, or of those that are named after them."""
    seen, waiting = set[Key](), list(types)
    while waiting:
        item = waiting.pop()
        if key_of(item) in seen:
            continue
        seen.add(key_of(item))
        for use in find_uses(case.resolver, [item]).items:
            node: Any = case.sources.of(use.path).at(use.line, use.column)
            while node is not None and node.parent is not None and node.parent.type in _AROUND:
                node = node.parent
            above = node.parent if node is not None else None
            if above is None:
                continue
            if above.type in _NAMED and above.child_by_field_name("type") == node:
                rows = case.resolver.world.scope(use.path).symbols
                waiting += [Definition(use.path, each) for each in rows if each.name_line == above.start_point[0] + 1]
            elif node in (above.child_by_field_name("function"), above.child_by_field_name("type")) and (
                above.type in ("call_expression", "type_conversion_expression")
            ):
                yield use.path, use.line
