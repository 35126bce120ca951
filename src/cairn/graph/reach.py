"""Who uses some definitions, a few steps far: by calls, reads, writes, types, and members in the place of theirs."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence

from cairn.base.values import dataclass, field
from cairn.graph.calls import Limits
from cairn.graph.entities import one_thing
from cairn.graph.nodes import Node, apart, top_of
from cairn.graph.references import Reference, find_uses
from cairn.graph.resolve import LIKELY, NAME, PROVEN, TIERS, Resolver
from cairn.graph.symbols import Definition, Key, key_of, symbol_id

CALL, OVERRIDE = "call", "override"
_ROLES = frozenset({CALL, "read", "write", "type"})
"""An import alone uses nothing: what its file does with the name stands elsewhere."""
_MOST_FILES = 20_000


@dataclass(frozen=True, slots=True)
class UseLink:
    """One definition uses another, or stands in its place."""

    source: str
    target: str
    tier: str
    role: str
    """How: call, write, read, type or override; of several uses the first of these."""


@dataclass(frozen=True, slots=True)
class Reach:
    """Definitions and how they use each other; what was cut stands in `limits_hit`."""

    roots: tuple[str, ...]
    nodes: tuple[Node, ...]
    links: tuple[UseLink, ...]
    unresolved: int = 0
    """Uses of which nothing but the name is known."""
    by_name: Mapping[str, int] = field(default_factory=dict)
    """By file, how many uses of the roots' names are of this kind."""
    limits_hit: tuple[str, ...] = ()


def reach(
    resolver: Resolver,
    roots: Sequence[Definition],
    limits: Limits,
    present: Callable[[str], bool] = lambda _path: True,
) -> Reach:
    """Who uses some definitions, breadth first; the uses of one step are looked for together."""
    walk = _Walk(resolver, limits, present)
    # An overload's stub and a declaration are what they are of, and no roots of their own.
    level = list(dict.fromkeys(one_thing(resolver.world, root)[0] for root in roots))
    level = [item for item in level if walk.node(item, 0)]
    first = tuple(map(walk.id_of, level))
    for step in range(1, limits.depth + 1):
        level = walk.step(level, step)
    return walk.reach(first)


class _Walk:
    def __init__(self, resolver: Resolver, limits: Limits, present: Callable[[str], bool]) -> None:
        self._resolver = resolver
        self._limits = limits
        self._present = present
        self._nodes: dict[str, Node] = {}
        self._links: dict[tuple[str, str], UseLink] = {}
        self._open: set[tuple[str, int, int]] = set()
        self._by_name: Counter[str] = Counter()
        self._cut: dict[str, None] = {}

    def step(self, level: Sequence[Definition], step: int) -> list[Definition]:
        """Take in whoever uses what was reached last, and give back what is new of it."""
        users: dict[Definition, dict[Definition, UseLink]] = {}
        for target, user, tier, role in self._uses(level, step):
            link = UseLink(self.id_of(user), self.id_of(target), tier, role)
            known = users.setdefault(target, {}).get(user)
            if known is None or _strength(link) < _strength(known):
                users[target][user] = link
        found: list[Definition] = []
        for each in users.values():
            nearest = sorted(
                each.items(), key=lambda item: (*_strength(item[1]), item[0].path, item[0].symbol.start_line)
            )
            if len(nearest) > self._limits.fan_out:
                self._cut["fan_out"] = None
            for user, link in nearest[: self._limits.fan_out]:
                new = link.source not in self._nodes
                if self.node(user, -step):
                    self._links.setdefault((link.source, link.target), link)
                    found += [user] * new
        return found

    def node(self, item: Definition, depth: int) -> bool:
        """Take a definition in; False where there is no room for it."""
        key, symbol = self.id_of(item), item.symbol
        if key not in self._nodes and len(self._nodes) >= self._limits.nodes:
            self._cut["nodes"] = None
            return False
        name = symbol.qualified_name or item.path
        said = (symbol.kind, symbol.start_line, symbol.end_line, symbol.signature)
        kind = apart(self._resolver.world, item.path)
        self._nodes.setdefault(key, Node(key, item.path, name, *said, depth, apart=kind))
        return True

    def reach(self, roots: tuple[str, ...]) -> Reach:
        nodes = sorted(self._nodes.values(), key=lambda node: (-node.depth, node.path, node.line, node.id))
        links = tuple(self._links.values())
        return Reach(roots, tuple(nodes), links, len(self._open), self._by_name, tuple(self._cut))

    def id_of(self, item: Definition) -> str:
        symbol = item.symbol
        known = self._resolver.world.ids(item.path).get((symbol.qualified_name, symbol.start_line))
        return known or symbol_id(item.path, symbol.qualified_name)

    def _uses(self, level: Sequence[Definition], step: int) -> Iterator[tuple[Definition, Definition, str, str]]:
        """What is used, who uses it, how sure that is, and how."""
        world = self._resolver.world
        wanted: dict[Key, Definition] = {}
        asked: dict[Definition, None] = {}
        for item in level:
            for each in one_thing(world, item):
                wanted.setdefault(key_of(each), item)
                asked[each] = None
        found = find_uses(self._resolver, list(asked), self._present, _MOST_FILES)
        self._cut |= dict.fromkeys(found.limits_hit)
        for use in found.items:
            if use.role not in _ROLES:
                continue
            if use.target is None or use.tier == NAME:
                self._note_open(use, step)
                continue
            target = wanted.get(key_of(use.target))
            if target is not None:
                yield target, self._around(use), use.tier, use.role
        if step == 1:
            for item in level:
                # Whoever stands in the place of what was changed has to fit it.
                for each in self._resolver.evaluator.derived.overriders([item]):
                    if self._present(each.path):
                        yield item, each, LIKELY, OVERRIDE

    def _note_open(self, use: Reference, step: int) -> None:
        place = (use.path, use.line, use.column)
        if step == 1 and place not in self._open:
            self._by_name[use.path] += 1
        self._open.add(place)

    def _around(self, use: Reference) -> Definition:
        found = self._resolver.world.scope(use.path).named(use.within) if use.within else ()
        # Of several definitions of one name it is the one that holds the line.
        holding = [symbol for symbol in found if symbol.start_line <= use.line <= symbol.end_line] or found[:1]
        return Definition(use.path, holding[0] if holding else top_of())


_HOW = (CALL, "write", "read", "type", OVERRIDE)


def _strength(link: UseLink) -> tuple[int, int]:
    return TIERS.index(link.tier), _HOW.index(link.role)


def weakest_links(found: Reach) -> dict[str, str]:
    """The weakest tier on the best way from each definition to what the reach began with."""
    best: dict[str, str] = dict.fromkeys(found.roots, PROVEN)
    for _ in range(max((-node.depth for node in found.nodes), default=0) + 1):
        for link in found.links:
            if link.target in best:
                tier = max(best[link.target], link.tier, key=TIERS.index)
                if link.source not in best or TIERS.index(tier) < TIERS.index(best[link.source]):
                    best[link.source] = tier
    return best
