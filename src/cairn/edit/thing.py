"""What a rename is of: a thing with everything that must share its name, and how sure each of its places is."""

import sys
from collections.abc import Iterator, Mapping, Sequence

from cairn.base.values import dataclass
from cairn.edit.bound import promoted
from cairn.graph.arguments import named_arguments
from cairn.graph.customs import customs_of
from cairn.graph.entities import entities_of
from cairn.graph.hierarchy import Kindred
from cairn.graph.locals import find_local
from cairn.graph.makers import types_made
from cairn.graph.meaning import LIKELY, PROVEN
from cairn.graph.references import Reference, find_uses
from cairn.graph.resolve import Resolver
from cairn.graph.scopes import FUNCTIONS
from cairn.graph.semantics import SEMANTIC as INDEXED
from cairn.graph.symbols import Definition, key_of
from cairn.graph.targets import Place, definitions_meant

PARAMETER, MEMBER, TOP = "parameter", "member", "top"
"""Who can reach a thing: callers of its function, whoever has a value of its type, whoever sees its file."""
_MOST_KIN = 500
At = tuple[str, int, int]
"""A file, a line from 1, and bytes from the start of that line."""


@dataclass(frozen=True, slots=True)
class UseOfThing:
    """How a place uses the thing, and how sure that is."""

    tier: str
    role: str
    indexed: bool = False
    """Whether a compiler's index says so."""


@dataclass(frozen=True, slots=True)
class Thing:
    """What is renamed."""

    name: str
    kind: str
    reach: str
    definitions: tuple[Definition, ...]
    """All that share the name: a method with what it overrides and what overrides it. The first was asked for."""
    owners: tuple[Definition, ...]
    """The types of a member; the function of a parameter, with what overrides it."""
    uses: Mapping[At, UseOfThing]
    family: str
    """The language whose rules it follows."""
    apart: tuple[Definition, ...] = ()
    """What the place that was asked may mean as well as the first of the definitions."""

    @property
    def symbol(self) -> str:
        """What it is called in messages and in what is remembered of it."""
        first = self.definitions[0]
        return f"{first.path} {first.symbol.qualified_name}"


def thing_at(resolver: Resolver, path: str, line: int, column: int, name: str) -> Thing | None:
    """The thing whose name stands at a place, `column` in bytes from 1; None where nothing tells what it is."""
    place = Place(path, line, column)
    local = find_local(resolver, place, lambda _path: True)
    if local is not None:
        for symbol in resolver.world.scope(path).symbols:
            item = Definition(path, symbol)
            if symbol.name == name and (line, column - 1) in {
                (one.line, one.column) for one in promoted(resolver, item)
            }:
                return _shared(resolver, [item])
        return _parameter(resolver, local.definitions[0], local.items) if local.definitions else None
    found = [item for item in definitions_meant(resolver, f"{path}:{line}:{column}", place) if item.symbol.name == name]
    return _shared(resolver, found) if found else None


def kindred_at(resolver: Resolver, path: str, line: int, column: int, name: str) -> list[Definition]:
    """What the name at a place means, first, with what overrides it and what it overrides."""
    place = Place(path, line, column)
    found = [item for item in definitions_meant(resolver, f"{path}:{line}:{column}", place) if item.symbol.name == name]
    return _family(resolver, found)


def _shared(resolver: Resolver, found: Sequence[Definition]) -> Thing:
    """A thing that more than one scope can see."""
    world = resolver.world
    member = resolver.is_member(found[0])
    if not member and customs_of(world.languages.get(found[0].path, "")).merged:
        # A function and a namespace, or a type and a value, are exported and imported as one name.
        found = list({key_of(each): each for item in found for each in world.beside(item)}.values())
    family = _family(resolver, found)
    every = tuple(part for entity in entities_of(world, family) for part in entity.places)
    uses = {
        (each.path, each.line, each.column): UseOfThing(each.tier, each.role, each.layer == INDEXED)
        for each in find_uses(resolver, family, max_files=sys.maxsize).items
        if each.name == found[0].symbol.name
    }
    for item in every if member else ():
        uses |= {(item.path, one.line, one.column): UseOfThing(PROVEN, one.role) for one in promoted(resolver, item)}
    owners = {key_of(owner): owner for item in every for owner in resolver.members.owners(item)} if member else {}
    first = found[0]
    return Thing(
        first.symbol.name,
        first.symbol.kind,
        MEMBER if member else TOP,
        every,
        tuple(owners.values()),
        uses,
        world.languages.get(first.path, ""),
        tuple(found[1:]) if not member else (),
    )


def _family(resolver: Resolver, found: Sequence[Definition]) -> list[Definition]:
    """Members that override each other keep one name."""
    kin = Kindred(resolver)
    known = {key_of(item): item for item in found}
    waiting = [item for item in found if resolver.is_member(item)]
    while waiting and len(known) < _MOST_KIN:
        item = waiting.pop()
        structural = customs_of(resolver.world.languages.get(item.path, "")).structural
        for step in (kin.above, kin.below):
            for other, tier, _ in kin.overriding(item, step):
                if key_of(other) not in known and (tier == PROVEN or structural):
                    known[key_of(other)] = other
                    waiting.append(other)
    for item in list(known.values()):
        for other in resolver.semantics.overriders([item]) if resolver.semantics is not None else ():
            known.setdefault(key_of(other), other)
    return list(known.values())


def _parameter(resolver: Resolver, item: Definition, items: Sequence[Reference]) -> Thing:
    """A parameter, with the arguments that calls give it by its name."""
    world = resolver.world
    language = world.languages.get(item.path, "")
    uses = {
        (each.path, each.line, each.column): UseOfThing(each.tier, each.role, each.layer == INDEXED) for each in items
    }
    around = [
        Definition(item.path, each)
        for each in world.scope(item.path).named(item.symbol.container)
        if each.kind in FUNCTIONS and each.start_line <= item.symbol.name_line <= each.end_line
    ]
    functions = _family(resolver, around) if around else []
    called = [*functions, *(made.type for made in types_made(world, functions).values())]
    for given in (
        named_arguments(resolver, called, item.symbol.name, lambda _path: True, by_name=True) if called else ()
    ):
        at = (given.path, given.use.line, given.use.column)
        uses.setdefault(at, UseOfThing(given.tier, given.use.role))
    return Thing(item.symbol.name, item.symbol.kind, PARAMETER, (item,), tuple(functions), uses, language)


def related(resolver: Resolver, thing: Thing) -> frozenset[tuple[str, str, int]]:
    """The types whose values may have the member: its owners, what they are derived from, and what is from them."""
    kin, found = Kindred(resolver), {key_of(owner): owner for owner in thing.owners}
    for step in (kin.above, kin.below):
        waiting = list(thing.owners)
        while waiting:
            for other, _, _ in step(waiting.pop()):
                if key_of(other) not in found:
                    found[key_of(other)] = other
                    waiting.append(other)
    return frozenset(found)


def unknown_bases(resolver: Resolver, thing: Thing) -> Iterator[tuple[Definition, str]]:
    """Bases that the tree doesn't define, each with the type whose head names it."""
    kin, seen = Kindred(resolver), set()
    for owner in thing.owners:
        for each, _ in resolver.members.line(owner):
            if each is None or key_of(each) in seen:
                continue
            seen.add(key_of(each))
            for written in kin.unknown(each):
                yield each, written


__all__ = [
    "LIKELY",
    "MEMBER",
    "PARAMETER",
    "TOP",
    "At",
    "Thing",
    "UseOfThing",
    "kindred_at",
    "related",
    "thing_at",
    "unknown_bases",
]
