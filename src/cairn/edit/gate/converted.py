"""Go: structs that are made others, which their fields must have the same names for."""

from collections.abc import Iterable, Iterator
from typing import Any

from cairn.edit.gate.thing import Thing
from cairn.edit.source.files import SourceFiles
from cairn.edit.source.values import Construct
from cairn.graph.references import find_uses
from cairn.graph.resolve import Resolver
from cairn.graph.structs import embedded_fields
from cairn.graph.symbols import Definition, Key, key_of

_AROUND = frozenset(
    "selector_expression unary_expression parenthesized_expression type_instantiation_expression index_expression "
    "generic_type pointer_type parenthesized_type qualified_type".split()
)
_NAMED = ("type_spec", "type_alias")


def converted_structs(resolver: Resolver, sources: SourceFiles, thing: Thing) -> Iterator[Construct]:
    """Conversions to the struct of a field, or to another one with the same fields, where there is such a one."""
    own = {key_of(owner) for owner in thing.owners}
    fields = [_fields(resolver, owner) for owner in thing.owners]
    others = [
        other
        for item in resolver.members.kin(thing.family, thing.name)
        for other in resolver.members.owners(item)
        if key_of(other) not in own and other.symbol.kind == "struct" and _fields(resolver, other) in fields
    ]
    for path, line in _conversions(resolver, sources, (*thing.owners, *others)) if others else ():
        shown = sources.of(path).text.shown(line)
        why = f"makes one struct another, which has {thing.name} as well"
        yield Construct(path, line, "same_member", shown, why, f"converts {path} {shown} {thing.symbol}")


def _fields(resolver: Resolver, item: Definition) -> frozenset[str]:
    own = item.symbol
    rows = (each for each in resolver.world.scope(item.path).symbols if each.container == own.qualified_name)
    inside = (each.name for each in rows if own.start_line <= each.name_line <= own.end_line)
    return frozenset((*inside, *embedded_fields(resolver.world, item)))


def _conversions(resolver: Resolver, sources: SourceFiles, types: Iterable[Definition]) -> Iterator[tuple[str, int]]:
    """Where a value is made one of some types, or of those that are named after them."""
    seen, waiting = set[Key](), list(types)
    while waiting:
        item = waiting.pop()
        if key_of(item) in seen:
            continue
        seen.add(key_of(item))
        for use in find_uses(resolver, [item]).items:
            source = sources.of(use.path)
            node: Any = source.at(use.line, use.column)
            while node is not None and node.parent is not None and node.parent.type in _AROUND:
                node = node.parent
            above = node.parent if node is not None else None
            if above is None:
                continue
            if above.type in _NAMED and above.child_by_field_name("type") == node:
                rows = resolver.world.scope(use.path).symbols
                waiting += [Definition(use.path, each) for each in rows if each.name_line == above.start_point[0] + 1]
            elif node in (above.child_by_field_name("function"), above.child_by_field_name("type")) and (
                above.type in ("call_expression", "type_conversion_expression")
            ):
                yield use.path, use.line
