"""What a change reaches: changed definitions, who calls them, which files depend on them, which tests see them."""

from collections.abc import Callable, Mapping, Sequence

from cairn.base.values import dataclass, replace
from cairn.graph.aliases import other_names
from cairn.graph.calls import CALLERS, CallEdge, CallGraph, Limits, Node, call_graph
from cairn.graph.callsites import call_sites_of
from cairn.graph.changed import (
    MAX_CHANGED_FILES,
    REMOVED,
    Change,
    ChangedSymbol,
    Former,
    add_gone_files,
    changed_symbols,
    missing,
)
from cairn.graph.customs import Modules
from cairn.graph.resolve import LIKELY, PROVEN, TIERS, Resolver
from cairn.graph.symbols import Definition
from cairn.graph.toplevel import inside_of
from cairn.syntax.filekind import kinds_of
from cairn.syntax.imported import unpacked

Importers = Mapping[str, tuple[tuple[str, str, int], ...]]
"""(importing file, tier, line) for files that are imported."""
CHANGED, STILL_CALLED = "changed", "removed, still called"


@dataclass(frozen=True, slots=True)
class Reached:
    """A definition from which a change can be seen."""

    node: Node
    distance: int
    tier: str
    """The weakest link on the best way to it."""
    reason: str = CHANGED
    """Whether the way leads to what was changed, or to what was removed and is still called."""


@dataclass(frozen=True, slots=True)
class Dependant:
    """A file that imports a changed one, directly or through others."""

    path: str
    distance: int
    tier: str
    imports: str
    """The file on the way to the change."""


@dataclass(frozen=True, slots=True)
class ReachingTest:
    """A test file that sees the change, and how."""

    path: str
    distance: int
    tier: str
    how: str
    """changed, calls or imports"""


@dataclass(frozen=True, slots=True)
class Impact:
    """What a change reaches: callers, files that depend on it, and tests."""

    changed_files: tuple[str, ...]
    symbols: tuple[ChangedSymbol, ...]
    callers: tuple[Reached, ...]
    dependants: tuple[Dependant, ...]
    tests: tuple[ReachingTest, ...]
    removed_files: tuple[str, ...] = ()
    unresolved: int = 0
    """Calls of changed names that may be of something else."""
    limits_hit: tuple[str, ...] = ()
    nodes: tuple[Node, ...] = ()
    """What was changed or removed, and who is reached by calls."""
    calls: tuple[CallEdge, ...] = ()
    """Between these nodes."""


def impact_of(
    resolver: Resolver,
    changes: Sequence[Change],
    removed: Sequence[str],
    limits: Limits,
    present: Callable[[str], bool] = lambda _path: True,
    texts: Mapping[str, str] | None = None,
) -> Impact:
    """What some changes reach; `texts` are what removed files said, as far as that is known."""
    world = resolver.world
    looked_at = changes[:MAX_CHANGED_FILES]
    cut = ["changed_files"] if len(changes) > len(looked_at) else []
    world.load(change.path for change in looked_at)
    found = changed_symbols(resolver, looked_at)
    add_gone_files(resolver, removed, texts or {}, found)
    graph = call_graph(resolver, found.roots, CALLERS, limits, present)
    reached = _reached(graph, CHANGED)
    unresolved, hit = graph.unresolved, graph.limits_hit
    nodes, calls = {node.id: node for node in graph.nodes}, graph.calls
    if found.removed:
        former = Resolver(Former(world, missing(resolver, found.removed), found.gone))
        # What the snapshot still has of a file that is gone is no less removed.
        roots = [item for item in found.removed if item.symbol in former.world.scope(item.path).symbols]
        still = call_graph(former, roots, CALLERS, limits, present)
        reached = _merged(reached, _reached(still, STILL_CALLED))
        nodes |= {node.id: node for node in still.nodes if node.id not in nodes}
        calls = tuple(dict.fromkeys((*calls, *still.calls)))
        unresolved, hit = unresolved + still.unresolved, (*hit, *still.limits_hit)
        found.reported += [_removed(former, item, item in roots, present) for item in found.removed]
    found.reported.sort(key=lambda item: (item.path, item.line, item.name))
    changed = [change.path for change in looked_at]
    importers = {**resolver.importers, **(_importers_of_gone(resolver, removed) if removed else {})}
    dependants = _dependants(importers, [*changed, *removed], limits.depth, present)
    return Impact(
        tuple(changed),
        tuple(found.reported),
        tuple(reached),
        tuple(dependants),
        tuple(_tests(resolver, changed, reached, dependants)),
        tuple(removed),
        unresolved,
        tuple(dict.fromkeys((*cut, *hit))),
        tuple(nodes.values()),
        calls,
    )


def _removed(former: Resolver, item: Definition, is_missed: bool, present: Callable[[str], bool]) -> ChangedSymbol:
    """What is gone, with the calls that were of it and are still there."""
    names = sorted({item.symbol.name, *other_names(former, item)}) if is_missed else []
    left = sum(present(path) for path, _ in call_sites_of(former).of([item], names))
    return ChangedSymbol(item.path, item.symbol.qualified_name, item.symbol.kind, REMOVED, 0, left)


def _merged(changed: Sequence[Reached], removed: Sequence[Reached]) -> list[Reached]:
    """Who is reached in both ways counts once, by the nearer of them."""
    best = {item.node.id: item for item in changed}
    for item in removed:
        known = best.get(item.node.id)
        if known is None or item.distance <= known.distance:
            tier = item.tier
            if known is not None and known.distance == item.distance:
                tier = min(item.tier, known.tier, key=TIERS.index)
            best[item.node.id] = replace(item, tier=tier)
    return sorted(best.values(), key=_order)


def _order(item: Reached) -> tuple[int, int, str, int]:
    return item.distance, TIERS.index(item.tier), item.node.path, item.node.line


def _reached(graph: CallGraph, reason: str) -> list[Reached]:
    """Callers with their distance and the weakest tier on the best way to them."""
    best: dict[str, str] = dict.fromkeys(graph.roots, PROVEN)
    for _ in range(max((abs(node.depth) for node in graph.nodes), default=0) + 1):
        for call in graph.calls:
            if call.target in best:
                tier = max(best[call.target], call.tier, key=TIERS.index)
                if call.source not in best or TIERS.index(tier) < TIERS.index(best[call.source]):
                    best[call.source] = tier
    found = (node for node in graph.nodes if node.depth and node.id in best)
    return sorted((Reached(node, abs(node.depth), best[node.id], reason) for node in found), key=_order)


def _importers_of_gone(resolver: Resolver, gone: Sequence[str]) -> Importers:
    """Who imports files that the snapshot has no more: imports that would lead to them if they were there."""
    world = resolver.world
    modules = Modules([*world.languages, *gone], world.text, world.view.aliases)
    wanted = frozenset(gone)
    found: dict[str, dict[str, tuple[str, int]]] = {}
    world.load(world.languages)
    for path in world.languages:
        scope = world.scope(path)
        for edge in scope.edges:
            sources = [edge.target]
            if scope.language == "python":
                names = (binding.name for binding in unpacked(edge.names))
                sources += [inside_of("python", edge.target, name) for name in names if name]
            for source in sources:
                target = modules.resolve(scope.language, path, source)
                for imported in wanted.intersection(target.paths):
                    tier = PROVEN if target.certain else LIKELY
                    found.setdefault(imported, {}).setdefault(path, (tier, edge.line))
    return {path: tuple((importer, *said) for importer, said in each.items()) for path, each in found.items()}


def _dependants(
    importers: Importers, changed: Sequence[str], depth: int, present: Callable[[str], bool]
) -> list[Dependant]:
    known = set(changed)
    found: list[Dependant] = []
    level = [(path, PROVEN) for path in changed]
    for distance in range(1, depth + 1):
        reached: dict[str, Dependant] = {}
        for path, so_far in level:
            for importer, tier, _ in importers.get(path, ()):
                if importer in known or not present(importer):
                    continue
                way = Dependant(importer, distance, max(so_far, tier, key=TIERS.index), path)
                before = reached.get(importer)
                if before is None or TIERS.index(way.tier) < TIERS.index(before.tier):
                    reached[importer] = way
        known |= reached.keys()
        found += reached.values()
        level = [(item.path, item.tier) for item in reached.values()]
    return sorted(found, key=lambda item: (item.distance, TIERS.index(item.tier), item.path))


def _tests(
    resolver: Resolver, changed: Sequence[str], reached: Sequence[Reached], dependants: Sequence[Dependant]
) -> list[ReachingTest]:
    """Test files, each by the surest and shortest way: changed, calls what was changed, imports a changed file."""
    ways = [ReachingTest(path, 0, PROVEN, "changed") for path in changed]
    ways += [ReachingTest(item.node.path, item.distance, item.tier, "calls") for item in reached]
    # An import alone doesn't show that the test touches what was changed.
    ways += [ReachingTest(item.path, item.distance, LIKELY, "imports") for item in dependants]
    best: dict[str, ReachingTest] = {}
    for way in ways:
        if "test" in kinds_of(way.path, resolver.world.languages.get(way.path, "")):
            known = best.get(way.path)
            if known is None or _strength(way) < _strength(known):
                best[way.path] = way
    return sorted(best.values(), key=lambda item: (*_strength(item), item.path))


def _strength(way: ReachingTest) -> tuple[int, int]:
    return TIERS.index(way.tier), way.distance


__all__ = [
    "CHANGED",
    "MAX_CHANGED_FILES",
    "STILL_CALLED",
    "Change",
    "ChangedSymbol",
    "Dependant",
    "Impact",
    "impact_of",
]
