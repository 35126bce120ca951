"""Names that a thing has in other places than its uses: embedded fields of Go, and what TypeScript only declares."""

from collections.abc import Iterator
from typing import Any

from cairn.edit.readers import WrittenName
from cairn.edit.sourcefile import SourceFile
from cairn.edit.sources import SourceFiles
from cairn.edit.texts import FileText
from cairn.edit.thing import TOP, Thing
from cairn.edit.values import Construct
from cairn.graph.binding import ChainPlace
from cairn.graph.customs import customs_of
from cairn.graph.hierarchy import Kindred
from cairn.graph.members import types_in
from cairn.graph.resolve import Resolver
from cairn.graph.scopes import TYPES
from cairn.graph.symbols import Definition, Key, key_of
from cairn.syntax.uses import Use

_COMMON = (b"require(", b"exports")


def named_otherwise(resolver: Resolver, sources: SourceFiles, thing: Thing) -> Iterator[Construct | WrittenName]:
    """Places that bear the name because of the thing, without being uses of it, and what else bears it."""
    if thing.family == "go" and thing.kind in TYPES:
        yield from _embedded(resolver, sources, thing)
    if customs_of(thing.family).merged:
        yield from _declared(sources, thing)
        if thing.reach == TOP:
            yield from _global(sources, thing)
    if thing.reach == TOP:
        yield from _several(sources, thing)


def _embedded(resolver: Resolver, sources: SourceFiles, thing: Thing) -> Iterator[WrittenName]:
    """Go: a type that is embedded names a field."""
    holders: dict[Key, Definition] = {}
    for path, line, column in thing.uses:
        source = sources.of(path)
        if _embeds(source, line, column, thing.name):
            for symbol in resolver.world.scope(path).symbols:
                if symbol.kind in TYPES and symbol.start_line <= line <= symbol.end_line:
                    holders[key_of(Definition(path, symbol))] = Definition(path, symbol)
    if not holders:
        return
    kin, waiting = Kindred(resolver), list(holders.values())
    while waiting:
        for other, _, _ in kin.below(waiting.pop()):
            if key_of(other) not in holders:
                holders[key_of(other)] = other
                waiting.append(other)
    for source in sources.holding(thing.name):
        for use in source.uses(thing.name, quoted=False) if source.language == thing.family else ():
            known = thing.uses.get((source.path, use.line, use.column))
            if (use.receiver or use.keyword) and (known is None or known.tier == "name"):
                meant = _is_field(resolver, source, use, holders)
                if meant is not False:
                    yield WrittenName(source.path, use.line, use.column, meant is True)


def _embeds(source: SourceFile, line: int, column: int, name: str) -> bool:
    """Whether a type stands in a struct as a field without a name of its own."""
    at = FileText(source.data).offset(line, column)
    node: Any = source.node(at, at + len(name.encode()))
    while node is not None and node.type in ("type_identifier", "qualified_type", "pointer_type", "generic_type"):
        node = node.parent
    return node is not None and node.type == "field_declaration" and node.child_by_field_name("name") is None


def _is_field(resolver: Resolver, source: SourceFile, use: Use, holders: dict[Key, Definition]) -> bool | None:
    """Whether a member is asked of a type that embeds; None where nothing tells."""
    if not use.receiver:
        return None
    value = resolver.evaluator.at(ChainPlace(source.path, use.within, use.line, use.column), use.receiver)
    types = (*value.types, *types_in(value.things.targets))
    if any(key_of(each) in holders for each in types):
        return True
    known = bool(types or value.things.modules or value.outside)
    return False if known and not value.open and not value.things.open else None


def _declared(sources: SourceFiles, thing: Thing) -> Iterator[Construct]:
    """TypeScript: what is only declared is made by somebody else."""
    found = [each for each in thing.definitions if not _is_declared(sources.of(each.path), each)]
    first = thing.definitions[0]
    if not found:
        shown = FileText(sources.of(first.path).data).shown(first.symbol.name_line)
        why = "only declares it: what makes it, and who else knows it, is not in the tree"
        yield Construct(first.path, first.symbol.name_line, "declared", shown, why, f"declared {thing.symbol}")


def _is_declared(source: SourceFile, item: Definition) -> bool:
    if source.path.endswith((".d.ts", ".d.mts", ".d.cts")):
        return True
    text = FileText(source.data)
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


def _several(sources: SourceFiles, thing: Thing) -> Iterator[Construct]:
    """Things of several files that a place may mean, each by a way of its own."""
    first, *others = thing.definitions
    for item in others:
        if item.path != first.path and item in thing.apart:
            shown = FileText(sources.of(item.path).data).shown(item.symbol.name_line)
            why = f"may be meant as well as {first.path}:{first.symbol.name_line}, and would be renamed with it"
            yield Construct(item.path, item.symbol.name_line, "several_things", shown, why, f"several {thing.symbol}")
