"""What bears the name of a thing because of it, or beside it, without being a use: by the rules of scripts and Go."""

import re
from collections.abc import Iterator
from typing import Any

from cairn.edit.gate.converted import converted_structs
from cairn.edit.gate.listed import WrittenName
from cairn.edit.gate.reach import MemberReach
from cairn.edit.gate.seen import kept_by
from cairn.edit.gate.structs import fields_named
from cairn.edit.gate.table import table_of
from cairn.edit.gate.thing import MEMBER, PARAMETER, TOP, Thing
from cairn.edit.source.file import SourceFile
from cairn.edit.source.files import SourceFiles
from cairn.edit.source.values import Construct
from cairn.edit.source.words import words_in
from cairn.graph.customs import customs_of
from cairn.graph.references import find_uses
from cairn.graph.resolve import Resolver
from cairn.graph.scopes import FUNCTIONS
from cairn.graph.symbols import Definition, key_of
from cairn.store import SymbolRow

_COMMON = (b"require(", b"exports")


def named_otherwise(
    resolver: Resolver, sources: SourceFiles, thing: Thing, new: str
) -> Iterator[Construct | WrittenName]:
    """Places that bear the name because of the thing, without being uses of it, and what else bears it."""
    if thing.reach != PARAMETER and customs_of(thing.family).merged:
        yield from _meaningful(thing, new)
    if thing.family == "go":
        yield from fields_named(resolver, sources, thing)
        yield from _examples(sources, thing)
        if thing.reach == MEMBER and thing.kind in FUNCTIONS:
            yield from _asserted(resolver, sources, thing, new)
        elif thing.reach == MEMBER:
            yield from converted_structs(resolver, sources, thing)
    if customs_of(thing.family).merged:
        yield from _declared(sources, thing)
        if thing.reach == TOP:
            yield from _global(sources, thing)
    if thing.reach == TOP:
        yield from _several(sources, thing)
    elif thing.reach == MEMBER and customs_of(thing.family).merged:
        yield from _alike(resolver, sources, thing)


def _meaningful(thing: Thing, new: str) -> Iterator[Construct]:
    """JavaScript: a new name that the language looks for, in modules too."""
    table, first = table_of(thing.family), thing.definitions[0]
    if new in (*table.special, *table.special_members) and thing.name not in table.special_members:
        why = f"would be called {new}, which the language or its tools look for"
        yield Construct(first.path, first.symbol.name_line, "special_name", new, why, f"special {new}")


def _declared(sources: SourceFiles, thing: Thing) -> Iterator[Construct]:
    """TypeScript: what is only declared is made by somebody else."""
    found = [each for each in thing.definitions if not _is_declared(sources.of(each.path), each)]
    first = thing.definitions[0]
    if not found:
        shown = sources.of(first.path).text.shown(first.symbol.name_line)
        why = "only declares it: what makes it, and who else knows it, is not in the tree"
        yield Construct(first.path, first.symbol.name_line, "declared", shown, why, f"declared {thing.symbol}")


def _is_declared(source: SourceFile, item: Definition) -> bool:
    if source.path.endswith((".d.ts", ".d.mts", ".d.cts")):
        return True
    text = source.text
    at = text.offset(item.symbol.name_line, 0)
    line = source.data[at : source.data.find(b"\n", at)]
    start = at + max(line.find(item.symbol.name.encode()), 0)
    node: Any = source.node(start, start + 1)
    while node is not None:
        if node.type == "ambient_declaration":
            return True
        node = node.parent
    return False


def _global(sources: SourceFiles, thing: Thing) -> Iterator[WrittenName]:
    """JavaScript: what a file that is no module defines is known in all files that don't bind the name themselves."""
    if any(_is_module(sources.of(item.path)) for item in thing.definitions):
        return
    for source in sources.holding(thing.name):
        found = source.found(thing.name) if customs_of(source.language).merged else None
        if found is None or any(one.binds is not None or one.role == "import" for one in found.occurrences):
            continue
        for one in found.occurrences:
            if one.bare and found.meaning(one) is None and (source.path, one.line, one.column) not in thing.uses:
                yield WrittenName(source.path, one.line, one.column, False)


def _is_module(source: SourceFile) -> bool:
    statements = source.root.named_children if source.root is not None else ()
    is_new = any(node.type in ("import_statement", "export_statement") for node in statements)
    return is_new or any(word in source.data for word in _COMMON)


def _alike(resolver: Resolver, sources: SourceFiles, thing: Thing) -> Iterator[Construct]:
    """TypeScript: a type may stand for another whose members it has, without a word."""
    reach = MemberReach(resolver, thing.owners)
    kin, below = reach.near, reach.below.values()
    if any(map(kept_by, thing.definitions)):
        return  # What has it can't stand for another.
    for item in resolver.members.kin(thing.family, thing.name):
        for other in resolver.members.owners(item):
            if kept_by(item) or key_of(other) in kin or any(key_of(each) == key_of(item) for each in thing.definitions):
                continue
            heirs = MemberReach(resolver, [other]).below.values()
            asked = [(low, high) for high in thing.owners for low in heirs] + [(low, other) for low in below]
            if any(_fits(resolver, low, high) for low, high in asked):
                shown = sources.of(item.path).text.shown(item.symbol.name_line)
                why = f"is a member of {other.symbol.name}, which has all that one of the two asks for"
                settled = f"alike {item.path} {item.symbol.qualified_name} {thing.symbol}"
                yield Construct(item.path, item.symbol.name_line, "same_member", shown, why, settled)


def _asks(resolver: Resolver, item: Definition) -> bool:
    """Whether a type may be asked for: by itself, or as a class that is named as a type and keeps nothing to itself."""
    if item.symbol.kind in ("interface", "type"):
        return True
    if any(kept_by(Definition(item.path, each)) for each in _inside(resolver, item)):
        return False
    return any(use.role == "type" for use in find_uses(resolver, [item]).items)


def _fits(resolver: Resolver, low: Definition, high: Definition) -> bool:
    """Whether a value of one type may be taken for one of another."""
    wanted = _wanted(resolver, high) - {"constructor"}
    has_all = bool(wanted) and all(resolver.member(low, name).targets for name in wanted)
    return has_all and _asks(resolver, high)


def _asserted(resolver: Resolver, sources: SourceFiles, thing: Thing, new: str) -> Iterator[Construct]:
    """Go: a type that gets a method may come to be what `it.(Interface)` asks for."""
    below = MemberReach(resolver, thing.owners).below.values()
    for item in resolver.members.kin(thing.family, new):
        for high in resolver.members.owners(item):
            name, wanted = high.symbol.name, _wanted(resolver, high) - {new}
            if high.symbol.kind != "interface" or not any(
                all(resolver.member(low, each).targets for each in wanted) for low in below
            ):
                continue
            form = re.compile(rb"\.\(\s*(?:\w+\.)?%s\s*\)|\bcase\b[^:\n]*\b%s\b" % ((name.encode(),) * 2))
            for source in sources.holding(name):
                for found in form.finditer(source.data):
                    line = source.text.place(found.start())[0]
                    shown = source.text.shown(line)
                    why = f"asks whether a value is {name}, which it would be with {new}"
                    yield Construct(source.path, line, "same_member", shown, why, f"{new} {source.path} {shown}")


def _examples(sources: SourceFiles, thing: Thing) -> Iterator[Construct]:
    """Go: examples are named after what they show."""
    owners = {f"{owner.symbol.name}_" for owner in thing.owners} if thing.reach == MEMBER else {""}
    for full in sorted(f"Example{owner}{thing.name}" for owner in owners):
        for source in sources.holding(full):
            for word in words_in(source, full):
                shown = source.text.shown(word.line)
                why = f"is named after {thing.name}"
                yield Construct(source.path, word.line, "name_as_data", shown, why, f"{source.path} {shown}")


def _wanted(resolver: Resolver, item: Definition) -> set[str]:
    inside = _inside(resolver, item)
    needed = {each.name for each in inside if not re.search(rf"\b{re.escape(each.name)}\?", each.signature)}
    # Where nothing is needed, whatever has one of them is meant.
    return needed or {each.name for each in inside}


def _inside(resolver: Resolver, item: Definition) -> list[SymbolRow]:
    rows, own = resolver.world.scope(item.path).symbols, item.symbol
    inside = (each for each in rows if each.container == own.qualified_name)
    return [each for each in inside if own.start_line <= each.name_line <= own.end_line]


def _several(sources: SourceFiles, thing: Thing) -> Iterator[Construct]:
    """Things of several files that a place may mean, each by a way of its own."""
    first, *others = thing.definitions
    for item in others:
        if item.path != first.path and item in thing.apart:
            shown = sources.of(item.path).text.shown(item.symbol.name_line)
            why = f"may be meant as well as {first.path}:{first.symbol.name_line}, and would be renamed with it"
            yield Construct(item.path, item.symbol.name_line, "several_things", shown, why, f"several {thing.symbol}")
