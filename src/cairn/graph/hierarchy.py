"""What a type or a member stands above and below: bases and what is derived from them, overridden and overriding."""

from collections.abc import Callable, Iterable, Iterator, Sequence

from cairn.base.values import dataclass
from cairn.graph.aliases import other_names
from cairn.graph.customs import customs_of, family
from cairn.graph.entities import entities_of, one_thing
from cairn.graph.joins import Join
from cairn.graph.meaning import LIKELY, NAME, PROVEN, TIERS
from cairn.graph.members import bases_of
from cairn.graph.nodes import Node, id_of, node_of
from cairn.graph.resolve import Resolver
from cairn.graph.scopes import TYPES
from cairn.graph.symbols import Definition, Key, key_of
from cairn.graph.world import World
from cairn.store import SymbolRow

UP, DOWN, BOTH = "up", "down", "both"
_INTERFACES = frozenset({"interface", "trait"})


@dataclass(frozen=True, slots=True)
class Kinship:
    """What is derived, and what from."""

    source: str
    target: str
    tier: str
    relation: str
    """`extends`, `implements`, `overrides`, `embeds`, or `satisfies`: it has all methods of what it doesn't name."""
    path: str
    line: int
    """Where that is written: the head of what is derived, or what adds to it from outside, like an `impl`."""


@dataclass(frozen=True, slots=True)
class Foreign:
    """A place that derives what the snapshot doesn't define: a type of a library, a parameter, a reference."""

    id: str
    """What it is derived from."""
    path: str
    line: int
    text: str


@dataclass(frozen=True, slots=True)
class UnknownBase:
    """A base that the snapshot doesn't define, or that could be several things."""

    id: str
    name: str
    """As it is written."""


@dataclass(frozen=True, slots=True)
class Hierarchy:
    """Types, or members, and how they are derived from each other, in order."""

    roots: tuple[str, ...]
    direction: str
    nodes: tuple[Node, ...]
    edges: tuple[Kinship, ...]
    unknown: tuple[UnknownBase, ...] = ()
    """What the types here are derived from beside these nodes."""
    unresolved: int = 0
    """Heads that name one of these types and may mean another."""
    foreign: tuple[Foreign, ...] = ()
    limits_hit: tuple[str, ...] = ()

    @property
    def paths(self) -> frozenset[str]:
        """The files that the answer tells of."""
        return frozenset(
            (
                *(node.path for node in self.nodes),
                *(edge.path for edge in self.edges),
                *(place.path for place in self.foreign),
            )
        )


_Kin = tuple[Definition, str, str]
"""Another type, how sure it is, and what it is if that is no base which the head names: `satisfies` or `embeds`."""
_Heads = dict[Key | None, list[tuple[Definition, str]]]
_SATISFIES, _EMBEDS = "satisfies", "embeds"


class Kindred:
    """Who is derived from whom within one world, one step at a time."""

    def __init__(self, resolver: Resolver) -> None:
        self._resolver = resolver
        self._world = resolver.world
        self._members = resolver.members
        self._kept = resolver.kept.of(_KeptHeads, _KeptHeads)
        self.unclear: set[Key] = set()
        """Types whose heads name one that was asked about, and may mean another."""

    def above(self, item: Definition) -> list[_Kin]:
        """What a type is derived from, and whose promises it keeps."""
        found: dict[Key, _Kin] = {}
        # Parts of a type may each name bases of their own.
        for base, tier in (each for part in one_thing(self._world, item) for each in self._members.bases(part)):
            if base is not None:
                whole = one_thing(self._world, base)[0]
                found.setdefault(key_of(whole), (whole, tier, self._how(item, whole)))
        for promise in self._members.promises.made_by(item):
            if not self._has_from_base(item, promise):
                found.setdefault(key_of(promise), (promise, LIKELY, _SATISFIES))
        return list(found.values())

    def below(self, item: Definition) -> list[_Kin]:
        """What is derived from a type, or keeps its promises."""
        found: dict[Key, _Kin] = {}
        names = frozenset((item.symbol.name, *other_names(self._world, self._resolver.top, item)))
        heads = self._heads_by_base(family(self._world.languages.get(item.path, "")), names)
        for part in one_thing(self._world, item):
            for each, tier in heads.get(key_of(part), ()):
                whole = one_thing(self._world, each)[0]
                found.setdefault(key_of(whole), (whole, tier, self._how(whole, item)))
        self.unclear |= {key_of(each) for each, _ in heads.get(None, ())}
        for each in self._members.promises.keepers(item):
            if not self._has_from_base(each, item):
                found.setdefault(key_of(each), (each, LIKELY, _SATISFIES))
        return list(found.values())

    def written_at(self, low: Definition, high: Definition) -> tuple[str, int]:
        """Where it is written that a type is derived from another, or a member stands that overrides one."""
        return self._members.joins.place(low, high) or (low.path, low.symbol.start_line)

    def foreign(self, item: Definition) -> Iterator[tuple[str, int]]:
        """Where something is derived from a type that no definition here is."""
        joins = self._members.joins
        for path in sorted(self._world.used(item.symbol.name)):
            for join in joins.in_file(path):
                if item.symbol.name in map(_last, join.bases) and not joins.types(path, join):
                    if any(key_of(base) == key_of(item) for base, _ in joins.bases(path, join)):
                        yield path, join.line

    def _how(self, item: Definition, base: Definition) -> str:
        """What is embedded is no base where interfaces alone are."""
        embeds = customs_of(self._world.languages.get(item.path, "")).structural and base.symbol.kind != "interface"
        return _EMBEDS if embeds else ""

    def _has_from_base(self, item: Definition, promise: Definition) -> bool:
        """Whether a type keeps a promise because one that it is derived from does."""
        return any(self._members.promises.is_kept(promise, base) for base in self._members.promised(item))

    def unknown(self, item: Definition) -> Iterator[str]:
        """The bases of a type that lead to nothing here, as its head writes them."""
        known = {base.symbol.name for base, _ in self._members.bases(item) if base is not None}
        for written in bases_of(self._world.scope(item.path).language, item.symbol.signature):
            if written.rpartition(".")[2] not in known:
                yield written

    def overriding(self, item: Definition, step: Callable[[Definition], list[_Kin]]) -> list[_Kin]:
        """The nearest members of its name that a member meets on every way up, or down."""
        found: dict[Key, _Kin] = {}
        waiting: list[_Kin] = [(owner, PROVEN, "") for owner in self._members.owners(item)]
        seen = {key_of(owner) for owner, _, _ in waiting}
        while waiting:
            owner, tier, relation = waiting.pop(0)
            for each, how, unsaid in step(owner):
                if key_of(each) in seen or unsaid == _EMBEDS:
                    continue
                seen.add(key_of(each))
                reached = (each, max(tier, how, key=TIERS.index), relation or unsaid)
                own = self._members.own(each, item.symbol.name).targets
                for member in own:
                    body = one_thing(self._world, member)[0]
                    found.setdefault(key_of(body), (body, *reached[1:]))
                if not own:
                    waiting.append(reached)
        return list(found.values())

    def is_interface(self, item: Definition) -> bool:
        """Whether something, or the type that it is a member of, only says what others have to do."""
        types = [item] if item.symbol.kind in TYPES else self._members.owners(item)
        return any(each.symbol.kind in _INTERFACES or self._members.promises.is_promise(each) for each in types)

    def _heads_by_base(self, kind: str, names: frozenset[str]) -> _Heads:
        """Types whose heads have one of some names, by what they mean; under None those where that isn't known."""
        known = self._kept.meant.get((kind, names))
        if known is None:
            known = self._kept.meant[(kind, names)] = {}
            for each in dict.fromkeys(self._heads_naming(kind, names)):
                for base, tier in self._members.bases(each):
                    if base is not None:
                        known.setdefault(key_of(base), []).append((each, tier))
                if not names.isdisjoint(map(_last, self.unknown(each))):
                    known.setdefault(None, []).append((each, NAME))
        return known

    def _heads_naming(self, kind: str, names: frozenset[str]) -> Iterator[Definition]:
        world, joins = self._world, self._members.joins
        paths = sorted({path for name in names for path in world.used(name)})
        world.load(paths)
        for path in paths:
            if family(world.scope(path).language) != kind:
                continue
            by_base = self._kept.of(path, self._by_base)
            for place in sorted({place for name in names for place in by_base.get(name, ())}):
                said = self._kept.heads[path][place]
                yield from [Definition(path, said)] if isinstance(said, SymbolRow) else joins.types(path, said)

    def _by_base(self, path: str) -> Iterator[tuple[SymbolRow | Join, Iterable[str]]]:
        """What says in a file that a type is derived from others, in order, with these as they are written."""
        scope = self._world.scope(path)
        for symbol in scope.symbols:
            if symbol.kind in TYPES:
                yield symbol, bases_of(scope.language, symbol.signature)
        for join in self._members.joins.in_file(path):
            yield join, join.bases


class _KeptHeads:
    """The heads of types in the files of one world, by the last names of the bases that they write."""

    def __init__(self) -> None:
        self.heads: dict[str, list[SymbolRow | Join]] = {}
        self._by_base: dict[str, dict[str, list[int]]] = {}
        self.meant: dict[tuple[str, frozenset[str]], _Heads] = {}
        """Those that have one of some names, by what they mean."""

    def of(
        self, path: str, read: Callable[[str], Iterable[tuple[SymbolRow | Join, Iterable[str]]]]
    ) -> dict[str, list[int]]:
        """The places in `heads` of what names a base, by its name; a file is read once."""
        found = self._by_base.get(path)
        if found is None:
            found, heads = self._by_base.setdefault(path, {}), self.heads.setdefault(path, [])
            for place, (head, bases) in enumerate(read(path)):
                heads.append(head)
                for base in bases:
                    found.setdefault(_last(base), []).append(place)
        return found


def hierarchy(
    resolver: Resolver,
    roots: Sequence[Definition],
    direction: str,
    most: int,
    present: Callable[[str], bool] = lambda _path: True,
) -> Hierarchy:
    """What is above and below some types or members, breadth first; a function is above and below nothing."""
    world, kin = resolver.world, Kindred(resolver)
    things = entities_of(world, roots)
    roots = [thing.first for thing in things[:most]]
    nodes = {id_of(world, each.first): node_of(world, each.first, 0, each.places[1:]) for each in things[:most]}
    edges: dict[tuple[str, str], Kinship] = {}
    unknown: dict[UnknownBase, None] = {}
    foreign: dict[Foreign, None] = {}
    cut = len(things) > most
    for way, sign in ((UP, -1), (DOWN, 1)):
        level, seen = (roots if direction in (way, BOTH) else []), set(nodes)
        depth = 0
        while level:
            depth += sign
            reached: list[Definition] = []
            for item in level:
                here = id_of(world, item)
                if sign < 0 and item.symbol.kind in TYPES:
                    unknown |= dict.fromkeys(UnknownBase(here, name) for name in kin.unknown(item))
                if sign > 0 and item.symbol.kind in TYPES:
                    places = (place for place in kin.foreign(item) if present(place[0]))
                    foreign |= dict.fromkeys(Foreign(here, *place, _line(world, *place)) for place in places)
                for other, tier, relation in _one_step(kin, item, sign):
                    there = id_of(world, other)
                    if not present(other.path):
                        continue
                    if there not in nodes:
                        if len(nodes) >= most:
                            cut = True
                            continue
                        nodes[there] = node_of(world, other, depth)
                    low, high = (item, other) if sign < 0 else (other, item)
                    source, target = (here, there) if sign < 0 else (there, here)
                    relation = relation or _relation(kin, low, high)
                    if (source, target) not in edges:
                        place = kin.written_at(low, high)
                        edges[source, target] = Kinship(source, target, tier, relation, *place)
                    if there not in seen:
                        seen.add(there)
                        reached.append(other)
            level = reached
    shown = sorted(nodes.values(), key=lambda node: (abs(node.depth), node.depth, node.path, node.line, node.id))
    order = {node.id: place for place, node in enumerate(shown)}
    ordered = sorted(edges.values(), key=lambda edge: (order[edge.target], order[edge.source]))
    return Hierarchy(
        tuple(id_of(world, root) for root in roots),
        direction,
        tuple(shown),
        tuple(ordered),
        tuple(unknown),
        len(kin.unclear),
        tuple(foreign),
        ("nodes",) if cut else (),
    )


def _one_step(kin: Kindred, item: Definition, sign: int) -> list[_Kin]:
    step = kin.above if sign < 0 else kin.below
    return step(item) if item.symbol.kind in TYPES else kin.overriding(item, step)


def _relation(kin: Kindred, low: Definition, high: Definition) -> str:
    if kin.is_interface(high) and not kin.is_interface(low):
        return "implements"
    return "extends" if low.symbol.kind in TYPES else "overrides"


def _line(world: World, path: str, line: int) -> str:
    return (world.text(path) or "").split("\n")[line - 1].strip()


def _last(written: str) -> str:
    return written.rpartition(".")[2]
