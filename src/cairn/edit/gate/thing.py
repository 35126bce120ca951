"""What a rename is of: a thing with everything that must share its name, and how sure each of its places is."""

import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial

from cairn.base.values import dataclass, replace
from cairn.edit.gate.attributes import attribute_at
from cairn.edit.gate.bound import promoted
from cairn.edit.gate.bykeyword import ByKeyword, functions_around
from cairn.edit.gate.parts import augmented, is_sure, variants
from cairn.edit.gate.reach import OTHER, MemberReach
from cairn.graph.arguments import called_at, named_arguments
from cairn.graph.customs import FIELDS, customs_of, family
from cairn.graph.entities import entities_of
from cairn.graph.hierarchy import Kindred
from cairn.graph.locals import find_local
from cairn.graph.makers import types_made
from cairn.graph.meaning import LIKELY, PROVEN
from cairn.graph.members import types_in
from cairn.graph.occurrences import tree_in
from cairn.graph.references import Reference, find_uses
from cairn.graph.resolve import Resolver
from cairn.graph.scopes import FUNCTIONS, TYPES
from cairn.graph.semantics import SEMANTIC as INDEXED
from cairn.graph.symbols import Definition, key_of
from cairn.graph.targets import Place, definitions_meant
from cairn.graph.values import OPEN, Value
from cairn.languages.registry import record_of
from cairn.store import SymbolRow
from cairn.syntax.uses import Use

PARAMETER, MEMBER, TOP = "parameter", "member", "top"
"""Who can reach a thing: callers of its function, whoever has a value of its type, whoever sees its file."""
ALIAS = "import"
"""The kind of a name that an import gives, in its file alone."""
ERASED = frozenset({"interface", "type"})
"""Kinds of TypeScript of which nothing is left when the program runs."""
_EXPORTS = re.compile(r"\s*(?:export|import)\b|.*\b(?:module\.)?exports\b")
_MOST_KIN = 500
_WORD = re.compile(rb"[\w$]+")
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
        asked = (path, line, column - 1)
        return _parameter(resolver, local.definitions[0], local.items, asked) if local.definitions else None
    found = [item for item in definitions_meant(resolver, f"{path}:{line}:{column}", place) if item.symbol.name == name]
    if found:
        return _shared(resolver, _with_makers(resolver, found))
    return undeclared_at(resolver, path, line, column, name)


def undeclared_at(resolver: Resolver, path: str, line: int, column: int, name: str) -> Thing | None:
    """The attribute at a place that only assignments define; None where that isn't known."""
    found = attribute_at(resolver, path, line, column - 1, name)
    return _thing(resolver, found.definitions, MEMBER, _as_uses(found.uses)) if found is not None else None


def _with_makers(resolver: Resolver, found: Sequence[Definition]) -> list[Definition]:
    """Types with their constructors, where a language calls these like the type: `Card(int size)`."""
    every: dict[tuple[str, str, int], Definition] = {}
    for item in found:
        here = [Definition(item.path, each) for each in resolver.world.scope(item.path).symbols]
        owner = item.symbol.container if is_namesake(item) else item.symbol.qualified_name
        types = [each for each in here if each.symbol.kind in TYPES and each.symbol.qualified_name == owner]
        makers = [each for each in here if is_namesake(each) and each.symbol.container == owner] if types else []
        every |= {key_of(each): each for each in (*types, *([item] if not types else ()), *makers)}
    return list(every.values())


def is_namesake(item: Definition) -> bool:
    """Whether it is a constructor that is called like its type."""
    symbol = item.symbol
    return symbol.kind == "constructor" and symbol.container.rpartition(".")[2] == symbol.name


def kindred_at(resolver: Resolver, path: str, line: int, column: int, name: str) -> list[Definition]:
    """What the name at a place means, first, with what overrides it and what it overrides."""
    place = Place(path, line, column)
    found = [item for item in definitions_meant(resolver, f"{path}:{line}:{column}", place) if item.symbol.name == name]
    return _family(resolver, found)


def _shared(resolver: Resolver, found: Sequence[Definition]) -> Thing:
    """A thing that more than one scope can see."""
    world = resolver.world
    asked, merged = found, customs_of(world.languages.get(found[0].path, "")).merged
    if merged:
        for _ in range(2):  # from a block to what it adds to, and from there to the other blocks
            parts = (part for item in found for part in (item, *augmented(resolver, item)))
            found = list({key_of(part): part for part in parts}.values())
    member = all(map(resolver.is_member, found))
    if not member:
        # A function and a namespace, or a type and a value, are exported and imported as one name.
        more = world.beside if merged else partial(variants, resolver)
        found = list({key_of(each): each for item in found for each in (item, *more(item))}.values())
    family = _family(resolver, found)
    every = [part for entity in entities_of(world, family) for part in entity.places]
    # One scope of Python has one variable of a name, however often it is bound: in branches, as a property.
    again = (Definition(item.path, each) for item in every for each in _again(resolver, item))
    every = list({key_of(item): item for item in (*every, *again)}.values())
    uses = _as_uses(
        each for each in find_uses(resolver, every, max_files=sys.maxsize).items if each.name == found[0].symbol.name
    )
    if member:
        uses = {
            at: use if is_sure(resolver, every, at, use.tier, use.role) else replace(use, tier=LIKELY)
            for at, use in uses.items()
        }
    if member and not customs_of(world.languages.get(found[0].path, "")).structural:
        beside = _promised(resolver, every)
        near = _as_uses(find_uses(resolver, beside, max_files=sys.maxsize).items) if beside else {}
        near |= {at: UseOfThing(LIKELY, "definition") for item in beside for at in _heads(resolver, item)}
        uses = {at: replace(each, tier=LIKELY) for at, each in near.items()} | uses
    for item in every if member else ():
        uses |= {(item.path, one.line, one.column): UseOfThing(PROVEN, one.role) for one in promoted(resolver, item)}
    made = _thing(resolver, every, MEMBER if member else TOP, uses)
    return made if member else replace(made, apart=tuple(asked[1:]))


def _promised(resolver: Resolver, family: Sequence[Definition]) -> list[Definition]:
    """Members that keep the promise of some without saying so, or whose promise these keep: a protocol's."""
    own = set(map(key_of, family))
    owners = [owner for item in family for owner in resolver.members.owners(item)]
    near = MemberReach(resolver, owners).near.values() if owners else ()
    found = (item for each in near for item in resolver.members.own(each, family[0].symbol.name).targets)
    return [item for item in found if key_of(item) not in own]


def _heads(resolver: Resolver, item: Definition) -> Iterator[At]:
    """Where a member has its name."""
    for use in resolver.world.uses(item.path, item.symbol.name):
        if use.role == "definition" and use.line == item.symbol.name_line:
            yield item.path, use.line, use.column


def _again(resolver: Resolver, item: Definition) -> Iterator[SymbolRow]:
    scope = resolver.world.scope(item.path)
    return iter(scope.named(item.symbol.qualified_name) if scope.language == "python" else ())


def _as_uses(found: Iterable[Reference]) -> dict[At, UseOfThing]:
    return {
        (each.path, each.line, each.column): UseOfThing(each.tier, each.role, each.layer == INDEXED) for each in found
    }


def _thing(resolver: Resolver, every: Sequence[Definition], reach: str, uses: dict[At, UseOfThing]) -> Thing:
    first = every[0]
    owners = [owner for item in every for owner in resolver.members.owners(item)] if reach == MEMBER else []
    language = resolver.world.languages.get(first.path, "")
    once = tuple({key_of(owner): owner for owner in owners}.values())
    if reach == MEMBER:
        uses = dict(_narrowed(resolver, first.symbol, once, uses))
    elif family(language) in ("python", "javascript"):
        uses = {
            at: each for at, each in uses.items() if each.tier == PROVEN or not _is_of_no_module(resolver, at, first)
        }
    return Thing(first.symbol.name, first.symbol.kind, reach, tuple(every), once, uses, language)


def _narrowed(
    resolver: Resolver, symbol: SymbolRow, owners: Sequence[Definition], uses: Mapping[At, UseOfThing]
) -> Iterator[tuple[At, UseOfThing]]:
    """The uses without those of values, and of calls, that are known to have nothing to do with the owners."""
    reach = MemberReach(resolver, owners)
    names = bool(owners) and record_of(resolver.world.languages[owners[0].path]).naming.named_arguments
    name, rows = symbol.name, symbol.kind in FIELDS and not _are_made(resolver, owners)
    for (path, line, column), each in uses.items():
        use = None
        if each.tier != PROVEN and owners:
            use = resolver.world.use_at(path, name, line, column)
        if use is not None and use.role == "import" and resolver.world.languages.get(path) == "python":
            continue  # What is imported stands in a module, and is no member of a type.
        if use is not None and use.keyword and names:
            # What has a constructor is given its parameters; what has none, its fields.
            if not rows or reach.of(called_with(resolver, reach, path, use)) == OTHER:
                continue
        elif use is not None and use.receiver:
            value = reach.at(path, use, use.receiver)
            # A module may stand for what it exports as a whole: `export = Namespace`.
            if reach.of(value) == OTHER and not any(owner.path in value.things.modules for owner in owners):
                continue
        yield (path, line, column), each


def _is_of_no_module(resolver: Resolver, at: At, item: Definition) -> bool:
    """Whether a use is asked of a function or a class of its file, or of a value of a known type: of no module."""
    path, line, column = at
    use = resolver.world.use_at(path, item.symbol.name, line, column)
    if use is None or not use.receiver:
        return False
    if resolver.world.languages.get(path) != "python":
        # A type is nothing that is called, and what modules have is in no global object.
        return (use.role == "call" and item.symbol.kind in ERASED) or (
            use.receiver == "globalThis" and is_module(resolver, item.path)
        )
    head, scope = use.receiver.partition(".")[0], resolver.world.scope(path)
    if head in scope.bound:
        value = MemberReach(resolver, ()).at(path, use, use.receiver)
        return value.answers and not value.open and not value.things.modules
    return any(each.name == head and (each.kind in FUNCTIONS or each.kind in TYPES) for each in scope.symbols)


def is_module(resolver: Resolver, path: str) -> bool:
    """Whether a script imports or exports something: what it defines is known to those who import it."""
    return any(map(_EXPORTS.match, resolver.world.lines(path)))


def _are_made(resolver: Resolver, owners: Sequence[Definition]) -> bool:
    """Whether some types all have constructors of their own."""
    return all(resolver.member(owner, "__init__").targets for owner in owners)


def is_row(resolver: Resolver, thing: Thing) -> bool:
    """Whether a thing is a field of what is made by the names of its fields."""
    return thing.reach == MEMBER and thing.kind in FIELDS and not _are_made(resolver, thing.owners)


def called_with(resolver: Resolver, reach: MemberReach, path: str, argument: Use) -> Value:
    """What is called with an argument by name."""
    data = resolver.world.view.rows.whole_text_of(path) or b""
    tree = tree_in(resolver.world.view, path, data)
    line, column = called_at(tree, argument) if tree is not None else (0, 0)
    said = _WORD.match(data.split(b"\n")[line - 1], column) if line else None
    name = said[0].decode("utf-8", "replace") if said is not None else ""
    use = resolver.world.use_at(path, name, line, column) if name else None
    return reach.at(path, use, f"{use.receiver}.{name}" if use.receiver else name) if use is not None else OPEN


def _family(resolver: Resolver, found: Sequence[Definition]) -> list[Definition]:
    """Members that override each other keep one name, and so do those that a type has from two of its bases."""
    known = {key_of(item): item for item in found}
    waiting = [item for item in found if resolver.is_member(item)]
    while waiting and len(known) < _MOST_KIN:
        item = waiting.pop()
        structural = customs_of(resolver.world.languages.get(item.path, "")).structural
        owners = resolver.members.owners(item)
        for each in MemberReach(resolver, owners, sure=not structural).near.values():
            for other in resolver.members.own(each, item.symbol.name).targets:
                if key_of(other) not in known:
                    known[key_of(other)] = other
                    waiting.append(other)
    for item in list(known.values()):
        for other in resolver.semantics.overriders([item]) if resolver.semantics is not None else ():
            known.setdefault(key_of(other), other)
    return list(known.values())


def _parameter(resolver: Resolver, item: Definition, items: Sequence[Reference], at: At) -> Thing:
    """A parameter, with the arguments that calls give it by its name."""
    world = resolver.world
    language = world.languages.get(item.path, "")
    if language == "python" and item.symbol.kind == "parameter":
        return _named_by_callers(resolver, item, at)
    uses = _as_uses(items)
    functions = _family(resolver, functions_around(resolver, item))
    called = [*functions, *(made.type for made in types_made(world, functions).values())]
    for given in (
        named_arguments(resolver, called, item.symbol.name, lambda _path: True, by_name=True) if called else ()
    ):
        uses.setdefault((given.path, given.use.line, given.use.column), UseOfThing(given.tier, given.use.role))
    return Thing(item.symbol.name, item.symbol.kind, PARAMETER, (item,), tuple(functions), uses, language)


def _named_by_callers(resolver: Resolver, item: Definition, at: At) -> Thing:
    """Python: a parameter with those that the same keywords reach, and these keywords."""
    shared = ByKeyword(resolver, item, at, partial(_family, resolver))
    definitions, uses = {shared.own: item}, dict[At, UseOfThing]()
    for place, function in shared.places:
        row = item.symbol._replace(
            qualified_name=f"{function.symbol.qualified_name}.{item.symbol.name}",
            start_line=place[1],
            end_line=place[1],
            name_line=place[1],
            container=function.symbol.qualified_name,
        )
        definitions.setdefault(place, Definition(place[0], row))
    for place in definitions:
        uses |= {each: UseOfThing(PROVEN, role) for each, role in shared.bound(place)}
    uses |= {place: UseOfThing(tier, "read") for place, tier in shared.given()}
    every = tuple(definitions.values())
    return Thing(item.symbol.name, item.symbol.kind, PARAMETER, every, tuple(shared.functions), uses, "python")


def unknown_bases(resolver: Resolver, thing: Thing) -> Iterator[tuple[Definition, str]]:
    """Bases that the tree doesn't define, with the type that names each, or a member of one without a name."""
    kin, seen, derived = Kindred(resolver), set(), resolver.evaluator.derived
    owners = list(thing.owners)
    for item in thing.definitions:
        if base := derived.base_of_nameless(item):
            receiver, _, last = base.rpartition(".")
            known = types_in(resolver.meaning(item.path, last, receiver, item.symbol.container).targets)
            owners += known
            yield from () if known else ((item, base),)
    for owner in owners:
        for each, _ in resolver.members.line(owner):
            if each is None or key_of(each) in seen:
                continue
            seen.add(key_of(each))
            for written in kin.unknown(each):
                yield each, written


__all__ = [
    "ALIAS",
    "LIKELY",
    "MEMBER",
    "PARAMETER",
    "TOP",
    "At",
    "Thing",
    "UseOfThing",
    "called_with",
    "kindred_at",
    "thing_at",
    "undeclared_at",
    "unknown_bases",
]
