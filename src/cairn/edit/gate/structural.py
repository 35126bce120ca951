"""What bears the name of a thing beside it, without being a use: shapes of types, declarations, several things."""

import re
from collections.abc import Iterator

from cairn.edit.gate.case import Case, Found, WrittenName, kept_by
from cairn.edit.gate.reach import MemberReach
from cairn.edit.gate.thing import MEMBER, PARAMETER, TOP
from cairn.edit.source.file import SourceFile
from cairn.edit.source.values import Construct
from cairn.edit.source.written import above
from cairn.graph.customs import customs_of
from cairn.graph.references import find_uses
from cairn.graph.resolve import Resolver
from cairn.graph.symbols import Definition, key_of
from cairn.store import SymbolRow

_COMMON = (b"require(", b"exports")


def named_otherwise(case: Case) -> Found:
    """What bears the name without being a use of the thing, and what only looks like one thing."""
    reach = case.thing.reach
    if customs_of(case.thing.family).merged:
        yield from _meaningful(case) if reach != PARAMETER else ()
        yield from _declared(case)
        yield from _global(case) if reach == TOP else _alike(case) if reach == MEMBER else ()
    yield from _several(case) if reach == TOP else ()


def _meaningful(case: Case) -> Iterator[Construct]:
    """JavaScript: a new name that the language looks for, in modules too."""
    table, new = case.table, case.new
    if new in (*table.special, *table.special_members) and case.thing.name not in table.special_members:
        why = f"would be called {new}, which the language or its tools look for"
        yield case.head(case.thing.definitions[0], "special_name", why, new, f"special {new}")


def _declared(case: Case) -> Iterator[Construct]:
    """TypeScript: what is only declared is made by somebody else."""
    if all(_is_declared(case.sources.of(each.path), each) for each in case.thing.definitions):
        why = "only declares it: what makes it, and who else knows it, is not in the tree"
        yield case.head(case.thing.definitions[0], "declared", why)


def _is_declared(source: SourceFile, item: Definition) -> bool:
    if source.path.endswith((".d.ts", ".d.mts", ".d.cts")):
        return True
    at = source.text.offset(item.symbol.name_line, 0)
    line = source.data[at : source.data.find(b"\n", at)]
    node = source.at(item.symbol.name_line, max(line.find(item.symbol.name.encode()), 0))
    return any(each.type == "ambient_declaration" for each in above(node))


def _global(case: Case) -> Iterator[WrittenName]:
    """JavaScript: what a file that is no module defines is known in all files that don't bind the name themselves."""
    thing = case.thing
    if any(_is_module(case.sources.of(item.path)) for item in thing.definitions):
        return
    for source in case.files():
        found = source.found(thing.name)
        if found is None or any(one.binds is not None or one.role == "import" for one in found.occurrences):
            continue
        for one in found.occurrences:
            if one.bare and found.meaning(one) is None and (source.path, one.line, one.column) not in thing.uses:
                yield WrittenName(source.path, one.line, one.column, False)


def _is_module(source: SourceFile) -> bool:
    statements = source.root.named_children if source.root is not None else ()
    is_new = any(node.type in ("import_statement", "export_statement") for node in statements)
    return is_new or any(word in source.data for word in _COMMON)


def _alike(case: Case) -> Iterator[Construct]:
    """TypeScript: a type may stand for another whose members it has, without a word."""
    thing, resolver = case.thing, case.resolver
    if any(map(kept_by, thing.definitions)):
        return  # What has it can't stand for another.
    for item in resolver.members.kin(thing.family, thing.name):
        for other in resolver.members.owners(item):
            if kept_by(item) or key_of(other) in case.reach.near or key_of(item) in case.own:
                continue
            heirs = MemberReach(resolver, [other]).below.values()
            asked = [(low, high) for high in thing.owners for low in heirs]
            asked += [(low, other) for low in case.reach.below.values()]
            if any(_fits(resolver, low, high) for low, high in asked):
                why = f"is a member of {other.symbol.name}, which has all that one of the two asks for"
                yield case.head(item, "same_member", why)


def _asks(resolver: Resolver, item: Definition) -> bool:
    """Whether a type may be asked for: by itself, or as a class that is named as a type and keeps nothing to itself."""
    if item.symbol.kind in ("interface", "type"):
        return True
    if any(kept_by(Definition(item.path, each)) for each in inside(resolver, item)):
        return False
    return any(use.role == "type" for use in find_uses(resolver, [item]).items)


def _fits(resolver: Resolver, low: Definition, high: Definition) -> bool:
    """Whether a value of one type may be taken for one of another."""
    needed = wanted(resolver, high) - {"constructor"}
    has_all = bool(needed) and all(resolver.member(low, name).targets for name in needed)
    return has_all and _asks(resolver, high)


def wanted(resolver: Resolver, item: Definition) -> set[str]:
    """The members that whoever asks for a type needs."""
    held = inside(resolver, item)
    needed = {each.name for each in held if not re.search(rf"\b{re.escape(each.name)}\?", each.signature)}
    # Where nothing is needed, whatever has one of them is meant.
    return needed or {each.name for each in held}


def inside(resolver: Resolver, item: Definition) -> list[SymbolRow]:
    """What stands right in the body of a type."""
    own = item.symbol
    rows = (each for each in resolver.world.scope(item.path).symbols if each.container == own.qualified_name)
    return [each for each in rows if own.start_line <= each.name_line <= own.end_line]


def _several(case: Case) -> Iterator[Construct]:
    """Things of several files that a place may mean, each by a way of its own."""
    first, *others = case.thing.definitions
    for item in others:
        if item.path != first.path and item in case.thing.apart:
            why = f"may be meant as well as {first.path}:{first.symbol.name_line}, and would be renamed with it"
            yield case.head(item, "several_things", why)
