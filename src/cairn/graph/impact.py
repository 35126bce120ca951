"""What a change reaches: changed definitions, who calls them, which files depend on them, which tests see them."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence

from cairn.graph.calls import CALLERS, CallGraph, Limits, Node, call_graph
from cairn.graph.compare import ADDED, REMOVED, differences, outside_of_symbols
from cairn.graph.modules import Modules
from cairn.graph.resolve import LIKELY, PROVEN, TIERS, Resolver
from cairn.graph.symbols import Definition
from cairn.graph.tops import inside_of
from cairn.store import SymbolRow
from cairn.syntax.filekind import kinds_of
from cairn.syntax.imported import unpacked
from cairn.syntax.parse import parse_file
from cairn.values import dataclass

Importers = Mapping[str, tuple[tuple[str, str, int], ...]]
"""(importing file, tier, line) for files that are imported."""
MAX_CHANGED_FILES = 500
_CHUNK_BYTES, _MAX_CHUNKS = 2_000, 100_000


@dataclass(frozen=True, slots=True)
class Change:
    """A file that is not as it was; `before` is its former text, None where it is new or all of it counts."""

    path: str
    before: str | None = None


@dataclass(frozen=True, slots=True)
class ChangedSymbol:
    """A definition that was changed."""

    path: str
    name: str
    kind: str
    change: str
    line: int
    """0 for one that is gone."""
    callers: int = 0
    """Calls that are still there of one that is gone."""


@dataclass(frozen=True, slots=True)
class Reached:
    """A definition from which a change can be seen."""

    node: Node
    distance: int
    tier: str
    """The weakest link on the best way to it."""


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
    changed_files: tuple[str, ...]
    symbols: tuple[ChangedSymbol, ...]
    callers: tuple[Reached, ...]
    dependants: tuple[Dependant, ...]
    tests: tuple[ReachingTest, ...]
    removed_files: tuple[str, ...] = ()
    unresolved: int = 0
    """Calls of changed names that may be of something else."""
    limits_hit: tuple[str, ...] = ()


def impact_of(
    resolver: Resolver,
    changes: Sequence[Change],
    removed: Sequence[str],
    limits: Limits,
    present: Callable[[str], bool] = lambda _path: True,
) -> Impact:
    """What some changes reach; `removed` files can reach nothing any more, but who imported them is told by others."""
    world = resolver.world
    looked_at = changes[:MAX_CHANGED_FILES]
    cut = ["changed_files"] if len(changes) > len(looked_at) else []
    world.load(change.path for change in looked_at)
    symbols, roots = _changed_symbols(resolver, looked_at)
    graph = call_graph(resolver, roots, CALLERS, limits, present)
    reached = _reached(graph)
    changed = [change.path for change in looked_at]
    importers = {**resolver.importers, **(_importers_of_gone(resolver, removed) if removed else {})}
    dependants = _dependants(importers, [*changed, *removed], limits.depth, present)
    return Impact(
        tuple(changed),
        tuple(symbols),
        tuple(reached),
        tuple(dependants),
        tuple(_tests(resolver, changed, reached, dependants)),
        tuple(removed),
        graph.unresolved,
        (*cut, *graph.limits_hit),
    )


def _changed_symbols(resolver: Resolver, changes: Iterable[Change]) -> tuple[list[ChangedSymbol], list[Definition]]:
    world = resolver.world
    told: list[ChangedSymbol] = []
    roots: list[Definition] = []
    for change in changes:
        scope = world.scope(change.path)
        text = (world.view.whole_text_of(change.path) or b"").decode("utf-8", "replace")
        by_place: dict[tuple[str, int], SymbolRow] = {}
        seen: Counter[str] = Counter()
        for symbol in scope.symbols:
            by_place[symbol.qualified_name, seen[symbol.qualified_name]] = symbol
            seen[symbol.qualified_name] += 1
        if change.before is None:
            found = [(symbol, ADDED) for symbol in scope.symbols]
        else:
            before = change.before.encode("utf-8", "replace")
            old = parse_file(change.path, scope.language, before, _CHUNK_BYTES, _MAX_CHUNKS)
            found = []
            for each in differences(old.symbols, change.before, scope.symbols, text):
                if each.change == REMOVED:
                    kind = next(one.kind for one in old.symbols if one.qualified_name == each.qualified_name)
                    told.append(_removed(resolver, change.path, each.qualified_name, kind))
                else:
                    found.append((by_place[each.qualified_name, each.ordinal], each.change))
            if outside_of_symbols(old.symbols, change.before) != outside_of_symbols(scope.symbols, text):
                told.append(ChangedSymbol(change.path, change.path, "file", "modified", 1))
        told += [
            ChangedSymbol(change.path, symbol.qualified_name, symbol.kind, kind, symbol.name_line)
            for symbol, kind in found
        ]
        roots += [Definition(change.path, symbol) for symbol, _ in found]
    told.sort(key=lambda item: (item.path, item.line, item.name))
    return told, roots


def _removed(resolver: Resolver, path: str, qualified_name: str, kind: str) -> ChangedSymbol:
    """What is gone, with the calls of its name that now lead nowhere."""
    name = qualified_name.rpartition(".")[2]
    left = sum(
        not (meaning := resolver.meaning(caller, use.name, use.receiver, use.within)) and not meaning.outside
        for caller, use in resolver.world.calls_of(name)
    )
    return ChangedSymbol(path, qualified_name, kind, REMOVED, 0, left)


def _reached(graph: CallGraph) -> list[Reached]:
    """Callers with their distance and the weakest tier on the best way to them."""
    best: dict[str, str] = dict.fromkeys(graph.roots, PROVEN)
    for _ in range(max((abs(node.depth) for node in graph.nodes), default=0) + 1):
        for call in graph.calls:
            if call.target in best:
                tier = max(best[call.target], call.tier, key=TIERS.index)
                if call.source not in best or TIERS.index(tier) < TIERS.index(best[call.source]):
                    best[call.source] = tier
    found = [Reached(node, abs(node.depth), best[node.id]) for node in graph.nodes if node.depth and node.id in best]
    found.sort(key=lambda item: (item.distance, TIERS.index(item.tier), item.node.path, item.node.line))
    return found


def _importers_of_gone(resolver: Resolver, gone: Sequence[str]) -> Importers:
    """Who imports files that the snapshot has no more: imports that would lead to them if they were there."""
    world = resolver.world
    modules = Modules([*world.languages, *gone], world.text)
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
    return {path: tuple((importer, *told) for importer, told in each.items()) for path, each in found.items()}


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
