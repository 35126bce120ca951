"""Who calls what, some steps far, from the calls that the snapshot holds."""

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

from cairn.base.errors import UsageError
from cairn.base.values import dataclass, field
from cairn.graph.aliases import other_names
from cairn.graph.callsites import MeantCall, call_sites_of
from cairn.graph.customs import called_by_name, customs_of
from cairn.graph.entities import Entity, entities_of, one_thing
from cairn.graph.graphnotes import GraphNote, Notes, relevant_notes
from cairn.graph.makers import Made, types_made
from cairn.graph.nodes import Node, apart, id_of, node_of, top_of
from cairn.graph.proof import UseProof
from cairn.graph.resolve import LIKELY, NAME, PROVEN, TIERS, Meaning, Resolver
from cairn.graph.scopes import FUNCTIONS, TYPES
from cairn.graph.symbols import Definition, Key, key_of
from cairn.graph.world import World
from cairn.store import SymbolRow
from cairn.syntax.uses import Use

CALLERS, CALLEES, BOTH = "callers", "callees", "both"
_LINES_SHOWN = 20
_BEFORE_PARENTHESIS = re.compile(r"([^\W\d]\w*)\s*\(")
_WORD = re.compile(r"[^\W\d]\w*[?!]?")
_DECORATOR = re.compile(r"\s*@[\s\w.]*?([^\W\d]\w*)\s*(?:#.*)?$")


@dataclass(frozen=True, slots=True)
class Limits:
    """How far a call graph goes, and how much of it is told."""

    depth: int = 1
    nodes: int = 100
    fan_out: int = 25
    notes: int = 50


@dataclass(frozen=True, slots=True)
class CallEdge:
    """One definition calls another."""

    source: str
    target: str
    tier: str
    count: int
    lines: tuple[int, ...]
    """Where, in the caller's file; the first of them."""
    dispatch: bool = False
    """Whether what is called stands in the place of what the calls are of: an override, an implementation."""


@dataclass(frozen=True, slots=True)
class CallGraph:
    """Nodes and calls between them, in order; what was cut stands in `limits_hit`."""

    roots: tuple[str, ...]
    direction: str
    nodes: tuple[Node, ...]
    calls: tuple[CallEdge, ...]
    notes: Notes = field(default_factory=Notes)
    unresolved: int = 0
    """Calls of or from these nodes of which nothing but the name is known."""
    open_callers: int = 0
    """Calls of the names of the roots that may be theirs."""
    limits_hit: tuple[str, ...] = ()

    @property
    def is_called(self) -> bool:
        """Whether anything but a name says that a root is called."""
        return any(call.target in self.roots for call in self.calls)

    @property
    def paths(self) -> frozenset[str]:
        """The files that the graph's nodes are in."""
        return frozenset(node.path for node in self.nodes)


@dataclass(frozen=True, slots=True)
class _Site:
    """Where one definition calls another."""

    caller: Definition
    callee: Definition
    tier: str
    use: Use
    path: str
    """The caller's file."""
    dispatch: bool = False

    @property
    def line(self) -> int:
        return self.use.line


def call_graph(
    resolver: Resolver,
    roots: Sequence[Definition],
    direction: str,
    limits: Limits,
    present: Callable[[str], bool] = lambda _path: True,
    goal: Collection[str] = (),
) -> CallGraph:
    """The calls around some definitions, breadth first; no further than to where one of a `goal` is met."""
    if direction not in (CALLERS, CALLEES, BOTH):
        raise UsageError(f"There is no direction {direction!r}.", hint="Use callers, callees or both.")
    walk = _Walk(resolver, limits, present)
    # An overload's stub and a declaration are what they are of, and no roots of their own.
    things = entities_of(resolver.world, roots)
    called = walk.asked(things)
    # What each part of a type calls stands with that part.
    parts = [part for each in things for part in (each.bodies if each.first.symbol.kind in TYPES else each.places[:1])]
    roots = called if direction == CALLERS else parts
    for root in roots:
        walk.node(root, 0)
    sides = ((CALLERS, called, -1), (CALLEES, parts, 1))
    walk.share([walk.side(begun, sign, goal) for way, begun, sign in sides if direction in (way, BOTH)])
    return walk.graph(roots, direction)


class _Walk:
    """One walk: nodes that were met, calls between them, and what was left out."""

    def __init__(self, resolver: Resolver, limits: Limits, present: Callable[[str], bool]) -> None:
        self._resolver = resolver
        self._limits = limits
        self._present = present
        self._nodes: dict[str, Node] = {}
        self._sites: dict[tuple[str, str], list[_Site]] = {}
        self._notes: list[GraphNote] = []
        self._cut: dict[str, None] = {}
        self._unresolved = {-1: 0, 1: 0}
        self._open_callers = 0
        self._wanted: dict[Key, tuple[Definition, ...]] = {}
        self._counted: set[int] = set()
        self._sites_by_name = call_sites_of(resolver)

    def asked(self, things: Sequence[Entity]) -> list[Definition]:
        """What callers are looked for, each once: nothing tells overloads of one name in one type apart."""
        alike: dict[tuple[str, str] | Key, list[Definition]] = {}
        for each in things:
            item = each.first
            key = (item.path, item.symbol.qualified_name) if item.symbol.kind in FUNCTIONS else key_of(item)
            alike.setdefault(key, []).extend(each.places)
        self._wanted = {key_of(each[0]): tuple(dict.fromkeys(each)) for each in alike.values()}
        return [each[0] for each in alike.values()]

    def share(self, sides: Sequence[Iterator[None]]) -> None:
        """Let sides take one node each in turn: none uses up the places of another, nor leaves free what it can use."""
        going = [*sides]
        while going:
            going = [each for each in going if next(each, self) is None]

    def side(self, roots: Sequence[Definition], sign: int, goal: Collection[str]) -> Iterator[None]:
        """Walk towards callers or callees, the nearest first, with a stop after each node that was taken in."""
        level = [item for item in dict.fromkeys(roots) if self._id(item) in self._nodes]
        seen = {self._id(item) for item in level}
        for step in range(1, self._limits.depth + 1):
            reached: dict[str, Definition] = {}
            for item in level:
                for site in self._sites_of(item, sign):
                    other = site.caller if sign < 0 else site.callee
                    key = self._id(other)
                    is_new = key not in self._nodes
                    if is_new and not self.node(other, sign * step):
                        continue
                    self._sites.setdefault((self._id(site.caller), self._id(site.callee)), []).append(site)
                    if key not in seen:
                        seen.add(key)
                        reached[key] = other
                    if is_new:
                        yield
            if sign < 0 and step == 1:
                self._open_callers = self._unresolved[sign]
            level = [] if not reached.keys().isdisjoint(goal) else list(reached.values())

    def node(self, item: Definition, depth: int) -> bool:
        """Take a definition in; False where there is no room for it."""
        key = self._id(item)
        if key in self._nodes:
            return True
        if len(self._nodes) >= self._limits.nodes:
            self._cut["nodes"] = None
            return False
        self._nodes[key] = node_of(self._resolver.world, item, depth, self._wanted.get(key_of(item), ())[1:])
        return True

    def graph(self, roots: Sequence[Definition], direction: str) -> CallGraph:
        calls = []
        for (source, target), sites in self._sites.items():
            lines = sorted({site.line for site in sites})
            tier = min((site.tier for site in sites), key=TIERS.index)
            dispatch = all(site.dispatch for site in sites if site.tier == tier)
            calls.append(CallEdge(source, target, tier, len(lines), tuple(lines[:_LINES_SHOWN]), dispatch))
            if source == target:
                self._note(self._nodes[source], "recursion", lines[0], "calls itself")
        nodes = sorted(
            self._nodes.values(), key=lambda node: (abs(node.depth), node.depth, node.path, node.line, node.id)
        )
        order = {node.id: place for place, node in enumerate(nodes)}
        calls.sort(key=lambda call: (order[call.source], order[call.target]))
        notes = relevant_notes(self._notes, {node.path for node in nodes}, set(order), self._limits.notes)
        return CallGraph(
            tuple(key for key in dict.fromkeys(map(self._id, roots)) if key in order),
            direction,
            tuple(nodes),
            tuple(calls),
            notes,
            sum(self._unresolved.values()),
            self._open_callers,
            tuple(self._cut),
        )

    def _sites_of(self, item: Definition, sign: int) -> list[_Site]:
        others: dict[str, list[_Site]] = {}
        for site in self._calling(item) if sign < 0 else self._called_by(item):
            others.setdefault(self._id(site.caller if sign < 0 else site.callee), []).append(site)
        wanted = [
            each for each in others.values() if self._present((each[0].caller if sign < 0 else each[0].callee).path)
        ]
        if len(wanted) > self._limits.fan_out:
            self._cut["fan_out"] = None
            detail = f"{len(wanted)} {'callers' if sign < 0 else 'callees'}, {self._limits.fan_out} shown"
            self._note(self._nodes[self._id(item)], "fan_out", item.symbol.start_line, detail)
        wanted.sort(key=lambda each: self._weight(each, sign))
        return [site for each in wanted[: self._limits.fan_out] for site in each]

    def _weight(self, sites: Sequence[_Site], sign: int) -> tuple[bool, int, int, str, int]:
        """What is kept first of a caller's or callee's calls: the code itself, what is sure, what is used most."""
        other = sites[0].caller if sign < 0 else sites[0].callee
        tier = min(TIERS.index(site.tier) for site in sites)
        is_apart = bool(apart(self._resolver.world, other.path))
        return is_apart, tier, -len(sites), other.path, other.symbol.start_line

    def _calling(self, item: Definition) -> Iterator[_Site]:
        own = {item.symbol.name}
        wanted = list(self._wanted.get(key_of(item)) or one_thing(self._resolver.world, item))
        made = types_made(self._resolver.world, wanted, self._resolver.evaluator.derived)
        wanted += (each.type for each in made.values())
        own.update(each.type.symbol.name for each in made.values())
        names = own.union(*(other_names(self._resolver.world, self._resolver.top, each) for each in wanted))
        proof = UseProof(self._resolver, wanted)
        unknown = 0
        for path, call in self._sites_by_name.under_other_names(wanted, names):
            verdict = proof.verdict(call.asked, call.meaning)
            if verdict is not None and verdict.target is not None:
                tier = self._tier(verdict.tier, verdict.target, made.get(key_of(verdict.target)))
                yield _Site(self._around(path, call.use), item, tier, call.use, path, verdict.dispatch)
        for name in sorted(names):
            for alike in self._sites_by_name.named(name):
                verdict = proof.verdict(alike.asked, alike.meaning)
                if verdict is not None and verdict.target is not None:
                    tier = self._tier(verdict.tier, verdict.target, made.get(key_of(verdict.target)))
                    for path, use in alike.sites:
                        yield _Site(self._around(path, use), item, tier, use, path, verdict.dispatch)
                elif verdict is not None and name in own:
                    unknown += len(alike.sites)
                    # Several things of one name share these calls, which are no more for that.
                    if id(alike) not in self._counted:
                        self._counted.add(id(alike))
                        self._unresolved[-1] += len(alike.sites)
        if unknown:
            detail = f"{unknown} {'call' if unknown == 1 else 'calls'} of the name {item.symbol.name} may be others'"
            self._note(self._nodes[self._id(item)], "unresolved_callers", item.symbol.start_line, detail)

    def _called_by(self, item: Definition) -> Iterator[_Site]:
        world, path = self._resolver.world, item.path
        unknown: Counter[str] = Counter()
        first: dict[str, int] = {}
        for call in self._calls_within(item):
            use, meaning = call.use, call.meaning
            if meaning.targets and meaning.tier != NAME:
                for target in _things(world, meaning):
                    yield _Site(item, target, self._tier(meaning.tier, target), use, path)
                below = self._below(meaning) if meaning.dispatched else ()
                for target in dict.fromkeys(one_thing(world, each)[0] for each in below):
                    yield _Site(item, target, LIKELY, use, path, dispatch=True)
            elif use.local or _leads_nowhere(world, use.name, meaning):
                unknown[use.name] += 1
                first.setdefault(use.name, use.line)
        self._unresolved[1] += unknown.total()
        for name, count in unknown.items():
            times = "once" if count == 1 else f"{count} times"
            self._note(self._nodes[self._id(item)], "unresolved_call", first[name], f"{name} is called {times}")

    def _tier(self, tier: str, target: Definition, made: Made | None = None) -> str:
        """How sure it is that a call of a name calls what bears it, or what makes its values."""
        tier = made.tier(tier) if made is not None else tier
        return LIKELY if tier == PROVEN and self._resolver.evaluator.stand_ins.may_replace(target) else tier

    def _below(self, meaning: Meaning) -> Iterable[Definition]:
        """What stands in the place of what is meant, by syntax and by an index."""
        semantics = self._resolver.semantics
        by_index = semantics.overriders(meaning.targets) if semantics is not None else ()
        below = self._resolver.evaluator.derived.overriders(meaning.targets)
        found = {key_of(item): item for item in (*below, *by_index)}
        return [item for key, item in found.items() if key not in set(map(key_of, meaning.targets))]

    def _calls_within(self, item: Definition) -> list[MeantCall]:
        """The calls inside of a definition, in order; what a type does is what its members do."""
        world, path, own = self._resolver.world, item.path, item.symbol
        customs = customs_of(world.languages.get(path, ""))
        first, last = own.start_line, own.end_line
        scattered = not own.qualified_name or (own.kind in TYPES and customs.scattered)
        names = {row.name for row in world.calls_in(path) if scattered or first <= row.line <= last}
        if customs.macros_apart or own.kind == "macro":
            # What a macro is given, and what it stands for, is code that no grammar reads.
            lines = world.lines(path)
            text = "\n".join(lines if scattered else lines[first - 1 : last])
            names |= set(_BEFORE_PARENTHESIS.findall(text))
        if called_by_name(world.languages.get(path, "")):
            # A call without parentheses is a word like any other.
            words = set(_WORD.findall("\n".join(world.lines(path)[first - 1 : last])))
            names |= {word for word in words if any(each.symbol.kind in FUNCTIONS for each in world.namesakes(word))}
        if customs.decorators:
            # One without parentheses is no call to the grammar.
            lines = world.lines(path)
            heads = (each for each in world.scope(path).symbols if each.start_line < each.name_line)
            decorating = (at for each in heads for at in range(each.start_line, each.name_line))
            names |= {said[1] for at in decorating if first <= at <= last and (said := _DECORATOR.match(lines[at - 1]))}
        calls = [call for name in names for call in self._sites_by_name.in_file(path, name)]
        calls.sort(key=lambda call: (call.use.line, call.use.column))
        return [call for call in calls if _is_within(call.use, own)]

    def _around(self, path: str, use: Use) -> Definition:
        found = self._resolver.world.scope(path).named(use.within) if use.within else ()
        # Of several definitions of one name it is the one that holds the line.
        holding = [symbol for symbol in found if symbol.start_line <= use.line <= symbol.end_line] or found[:1]
        return Definition(path, holding[0] if holding else top_of())

    def _id(self, item: Definition) -> str:
        return id_of(self._resolver.world, item)

    def _note(self, node: Node, kind: str, line: int, detail: str) -> None:
        self._notes.append(GraphNote(node.path, kind, node.id, line, detail))


def _is_within(use: Use, symbol: SymbolRow) -> bool:
    own = symbol.qualified_name
    if not own:
        return not use.within
    inside = use.within == own or use.within.startswith(own + ".")
    # Parts of a type may stand outside of its braces.
    return inside and (symbol.kind in TYPES or symbol.start_line <= use.line <= symbol.end_line)


def _leads_nowhere(world: World, name: str, meaning: Meaning) -> bool:
    """Whether nothing is known of what is called: neither that a library has it, nor what it is here."""
    return not meaning.modules and (not meaning.outside or (meaning.open and bool(world.namesakes(name))))


def _things(world: World, meaning: Meaning) -> Iterable[Definition]:
    """What is proven is one thing, however often it is written: that with a body, else the first."""
    types = [item for item in meaning.targets if item.symbol.kind in TYPES]
    if types and meaning.indexed:
        # A constructor is called by the name of its class, which is what is called.
        return {key_of(item): item for item in (one_thing(world, each)[0] for each in types)}.values()
    functions = [item for item in meaning.targets if item.symbol.kind in FUNCTIONS] or meaning.targets
    meant = functions[:1] if meaning.tier == PROVEN else meaning.targets
    return {key_of(item): item for item in (one_thing(world, each)[0] for each in meant)}.values()


__all__ = ["BOTH", "CALLEES", "CALLERS", "LIKELY", "CallEdge", "CallGraph", "Limits", "Meaning", "call_graph"]
