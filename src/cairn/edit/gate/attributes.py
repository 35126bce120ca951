"""Attributes that only assignments define: `self.name = value` in a method, and all that is asked of such objects."""

from collections.abc import Iterator

from cairn.edit.gate.reach import OTHER, MemberReach
from cairn.graph.customs import customs_of, family
from cairn.graph.meaning import PROVEN
from cairn.graph.occurrences import uses_in
from cairn.graph.references import Reference
from cairn.graph.resolve import Resolver
from cairn.graph.symbols import Definition, Key, key_of
from cairn.store import SymbolRow
from cairn.syntax.uses import Use

_SELVES = ("self", "cls")


class Attribute:
    """An attribute of some types, with every place that may be one of its."""

    def __init__(self, definitions: list[Definition], uses: list[Reference]) -> None:
        self.definitions = definitions
        self.uses = uses


def attribute_at(resolver: Resolver, path: str, line: int, column: int, name: str) -> Attribute | None:
    """The attribute that is set or asked for at a place, `column` in bytes from 0; None where that isn't known."""
    use = resolver.world.use_at(path, name, line, column)
    if use is None or not use.receiver or use.keyword:
        return None
    value = MemberReach(resolver, ()).at(path, use, use.receiver)
    types = [*value.types, *(each for each in value.things.targets if each.symbol.kind == "class")]
    places = list(_places(resolver, path, name))
    owners = _family(resolver, types, _owners(resolver, places))
    reach = MemberReach(resolver, owners.values())
    heads: dict[Key, Definition] = {}
    uses: list[Reference] = []
    for where, each in places:
        tier = reach.of(reach.at(where, each, each.receiver)) if each.receiver and not each.keyword else OTHER
        if tier == OTHER:
            continue
        uses.append(Reference(where, each.line, each.column, name, each.role, each.within, tier))
        owner = _owner(resolver, where, each) if tier == PROVEN and each.role == "write" else None
        if owner is not None:
            heads.setdefault(key_of(owner), _head(resolver, where, each, owner))
    own = [resolver.members.own(owner, name).targets for owner in owners.values()]
    return Attribute([*heads.values(), *(item for found in own for item in found)], uses) if heads else None


def _places(resolver: Resolver, path: str, name: str) -> Iterator[tuple[str, Use]]:
    world = resolver.world
    kind = family(world.languages.get(path, ""))
    for where, here in sorted(world.used(name).items()):
        if family(world.languages.get(where, "")) == kind:
            yield from ((where, use) for use in uses_in(world.view.occurrences.rows(here)))


def _owners(resolver: Resolver, places: list[tuple[str, Use]]) -> dict[Key, Definition]:
    """The types whose methods name the attribute."""
    found = (_owner(resolver, path, use) for path, use in places if use.receiver in _SELVES)
    return {key_of(owner): owner for owner in found if owner is not None}


def _owner(resolver: Resolver, path: str, use: Use) -> Definition | None:
    selves = customs_of(resolver.world.languages.get(path, "")).selves
    if use.receiver not in (*_SELVES, *selves):
        return None
    value = MemberReach(resolver, ()).at(path, use, use.receiver)
    return next(iter((*value.types, *value.things.targets)), None)


def _family(resolver: Resolver, types: list[Definition], naming: dict[Key, Definition]) -> dict[Key, Definition]:
    """Those of the types that name an attribute which share it: one is derived from another, or they meet below."""
    found: dict[Key, Definition] = {}
    waiting = types
    while waiting:
        near = MemberReach(resolver, waiting).near
        # What only stands above shares it if it names it.
        fresh = {key: item for key, item in near.items() if key in naming and key not in found}
        found |= fresh
        waiting = list(fresh.values())
    return found


def _head(resolver: Resolver, path: str, use: Use, owner: Definition) -> Definition:
    text = resolver.world.lines(path)[use.line - 1].strip()
    container = owner.symbol.qualified_name
    where = (use.line, use.line, use.line)
    return Definition(
        path, SymbolRow("syntactic", use.name, f"{container}.{use.name}", "field", text, *where, container, False, "")
    )
