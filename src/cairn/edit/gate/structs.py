"""Fields of Go's structs: those that embedded types name, and the keys of literals."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from cairn.edit.gate.listed import WrittenName
from cairn.edit.gate.thing import MEMBER, Thing
from cairn.edit.source.file import SourceFile
from cairn.edit.source.files import SourceFiles
from cairn.graph.binding import ChainPlace
from cairn.graph.hierarchy import Kindred
from cairn.graph.members import types_in
from cairn.graph.resolve import Resolver
from cairn.graph.scopes import TYPES
from cairn.graph.symbols import Definition, Key, key_of
from cairn.syntax.uses import Use

_ELEMENTS = {"slice_type": "element", "array_type": "element", "map_type": "value", "pointer_type": ""}


def fields_named(resolver: Resolver, sources: SourceFiles, thing: Thing) -> Iterator[WrittenName]:
    """Places that name a field: whether it is the thing, or the one that it is embedded as."""
    embedding = _embedding(resolver, sources, thing) if thing.kind in TYPES else {}
    own = {key_of(owner): owner for owner in thing.owners} if thing.reach == MEMBER else embedding
    for source in sources.holding(thing.name):
        for use in source.uses(thing.name, quoted=False) if source.language == thing.family else ():
            known = thing.uses.get((source.path, use.line, use.column))
            if known is not None and known.tier == "proven":
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


def _embedding(resolver: Resolver, sources: SourceFiles, thing: Thing) -> dict[Key, Definition]:
    """The types that have a field because a type is embedded in them."""
    holders: dict[Key, Definition] = {}
    for path, line, column in thing.uses:
        if _embeds(sources.of(path), line, column, thing.name):
            for symbol in resolver.world.scope(path).symbols:
                if symbol.kind in TYPES and symbol.start_line <= line <= symbol.end_line:
                    holders[key_of(Definition(path, symbol))] = Definition(path, symbol)
    kin, waiting = Kindred(resolver), list(holders.values())
    while waiting:
        for other, _, _ in kin.below(waiting.pop()):
            if key_of(other) not in holders:
                holders[key_of(other)] = other
                waiting.append(other)
    return holders


def _embeds(source: SourceFile, line: int, column: int, name: str) -> bool:
    """Whether a type stands in a struct as a field without a name of its own."""
    node: Any = source.at(line, column)
    while node is not None and node.type in ("type_identifier", "qualified_type", "pointer_type", "generic_type"):
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
        field = _ELEMENTS.get(written.type)
        depth -= written.type != "pointer_type"
        named = written.named_children
        written = (
            (written.child_by_field_name(field) if field else named[0] if named else None)
            if field is not None
            else None
        )
    if written is None or written.type not in ("type_identifier", "qualified_type", "generic_type"):
        return False if written is not None and written.type == "struct_type" else None
    before, _, last = written.said.partition("[")[0].rpartition(".")
    meant = resolver.meaning(source.path, last, before, use.within)
    if any(key_of(each) in own for each in meant.targets):
        return True
    return False if (meant.targets and not meant.open) or before else None
