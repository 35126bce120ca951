"""What a change reaches: changed definitions, who uses them, which files depend on them, which tests see them."""

from collections.abc import Callable, Mapping, Sequence

from cairn.base.values import dataclass, replace
from cairn.graph.calls import Limits
from cairn.graph.changed import (
    MAX_CHANGED_FILES,
    Change,
    ChangedDefinitions,
    ChangedSymbol,
    Former,
    add_gone_files,
    changed_symbols,
    missing,
)
from cairn.graph.customs import Modules
from cairn.graph.difference import REMOVED
from cairn.graph.nodes import Node
from cairn.graph.reach import CALL, Reach, UseLink, reach, weakest_links
from cairn.graph.references import find_uses
from cairn.graph.resolve import LIKELY, NAME, PROVEN, TIERS, Resolver
from cairn.graph.scopes import FUNCTIONS
from cairn.graph.symbols import Definition, Key, key_of
from cairn.graph.testing import ReachingTest, Using, reaching_tests, strong, test_files
from cairn.graph.toplevel import inside_of
from cairn.syntax.imported import unpacked

Importers = Mapping[str, tuple[tuple[str, str, int], ...]]
"""(importing file, tier, line) for files that are imported."""
CHANGED, STILL_USED = "changed", "removed, still used"


@dataclass(frozen=True, slots=True)
class Reached:
    """A definition from which a change can be seen."""

    node: Node
    distance: int
    tier: str
    """The weakest link on the best way to it."""
    reason: str = CHANGED
    """Whether the way leads to what was changed, or to what was removed and is still used."""
    role: str = CALL
    """The first step of the way: call, write, read, type, or override where it stands in the place of the next."""
    of: str = ""
    """What that step uses."""


@dataclass(frozen=True, slots=True)
class Dependant:
    """A file that imports a changed one, directly or through others."""

    path: str
    distance: int
    tier: str
    imports: str
    """The file on the way to the change."""


@dataclass(frozen=True, slots=True)
class Impact:
    """What a change reaches: who uses it, files that depend on it, and tests."""

    changed_files: tuple[str, ...]
    symbols: tuple[ChangedSymbol, ...]
    users: tuple[Reached, ...]
    dependants: tuple[Dependant, ...]
    tests: tuple[ReachingTest, ...]
    removed_files: tuple[str, ...] = ()
    unresolved: int = 0
    """Uses of changed names that may be of something else."""
    limits_hit: tuple[str, ...] = ()
    nodes: tuple[Node, ...] = ()
    """What was changed or removed, and who is reached by uses."""
    links: tuple[UseLink, ...] = ()
    """Between these nodes."""
    all_tests: int = 0
    """How many tests were asked for, where not all of them are given."""
    weak_tests: tuple[ReachingTest, ...] = ()
    """Tests for which little speaks beside the others."""


def impact_of(
    resolver: Resolver,
    changes: Sequence[Change],
    removed: Sequence[str],
    limits: Limits,
    present: Callable[[str], bool] = lambda _path: True,
    texts: Mapping[str, str] | None = None,
    together: Callable[[Sequence[str]], Mapping[str, tuple[int, float]]] = lambda _paths: {},
) -> Impact:
    """What some changes reach; `texts` are what removed files said, as far as that is known.

    `together` tells which files were changed with some before.
    """
    world = resolver.world
    looked_at = changes[:MAX_CHANGED_FILES]
    cut = ["changed_files"] if len(changes) > len(looked_at) else []
    world.load(change.path for change in looked_at)
    found = changed_symbols(resolver, looked_at)
    add_gone_files(resolver, removed, texts or {}, found)
    found_now = reach(resolver, found.roots, limits, present)
    users, ways = _reached(found_now, CHANGED), [found_now]
    if found.former:
        former = Resolver(Former(world, missing(resolver, found.former), found.gone))
        # What the snapshot still has of a file that is gone is no less removed.
        roots = [item for item in found.former if item.symbol in former.world.scope(item.path).symbols]
        still = reach(former, roots, limits, present)
        users, ways = _merged(users, _reached(still, STILL_USED)), [found_now, still]
        _report_former(former, found, roots, present)
    found.reported.sort(key=lambda item: (item.path, item.line, item.name))
    changed = [change.path for change in looked_at]
    importers = {**resolver.importers, **(_importers_of_gone(resolver, removed) if removed else {})}
    dependants = _dependants(importers, [*changed, *removed], limits.depth, present)
    every = test_files(world)
    tests = reaching_tests(
        world,
        every,
        [*changed, *removed],
        (_using(resolver, each) for each in users),
        ((file.path, file.distance, file.tier, file.imports) for file in dependants),
        {path: count for way in reversed(ways) for path, count in way.by_name.items()},
        together([*changed, *removed]),
    )
    tests = [test for test in tests if present(test.path)]
    chosen = strong(tests, len(every))
    return Impact(
        tuple(changed),
        tuple(found.reported),
        tuple(users),
        tuple(dependants),
        chosen,
        tuple(removed),
        sum(way.unresolved for way in ways),
        tuple(dict.fromkeys((*cut, *(limit for way in ways for limit in way.limits_hit)))),
        tuple({node.id: node for way in reversed(ways) for node in way.nodes}.values()),
        tuple(dict.fromkeys(link for way in ways for link in way.links)),
        len(chosen),
        tuple(test for test in tests if test not in chosen),
    )


def _report_former(
    former: Resolver, found: ChangedDefinitions, missed: Sequence[Definition], present: Callable[[str], bool]
) -> None:
    """Tell what is gone or has another name, with the uses that were of it and are still there."""
    places: dict[Key, set[tuple[str, int, int]]] = {}
    for use in find_uses(former, missed, present).items if missed else ():
        if use.target is not None and use.tier != NAME:
            # An import that gives it another name has both on its line.
            column = 0 if use.role == "import" else use.column
            places.setdefault(key_of(use.target), set()).add((use.path, use.line, column))
    left = {key: len(each) for key, each in places.items()}
    for item in found.removed:
        symbol = item.symbol
        uses = left.get(key_of(item), 0)
        found.reported.append(ChangedSymbol(item.path, symbol.qualified_name, symbol.kind, REMOVED, 0, uses))
    found.reported += (replace(symbol, uses=left.get(key_of(item), 0)) for item, symbol in found.renamed.items())


def _using(resolver: Resolver, each: Reached) -> Using:
    node = each.node
    parts = node.name.split(".") if node.kind != "file" else []
    around = (".".join(parts[:count]) for count in range(1, len(parts) + 1))
    # What a test defines in itself is run with it.
    named = resolver.world.scope(node.path).named
    test = next((name for name in around if any(symbol.kind in FUNCTIONS for symbol in named(name))), "")
    return Using(node.path, test, each.distance, each.tier, each.of)


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


def _reached(found: Reach, reason: str) -> list[Reached]:
    """Users with their distance, the first step of the way and the weakest tier on it."""
    best = weakest_links(found)
    by_id = {node.id: node for node in found.nodes}
    first: dict[str, UseLink] = {}
    for link in found.links:
        known = first.get(link.source)
        if known is None or abs(by_id[link.target].depth) < abs(by_id[known.target].depth):
            first[link.source] = link
    users = []
    for node in found.nodes:
        if node.depth and node.id in best:
            link = first[node.id]
            of = by_id[link.target].name
            users.append(Reached(node, abs(node.depth), best[node.id], reason, link.role, of))
    return sorted(users, key=_order)


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


__all__ = [
    "CHANGED",
    "MAX_CHANGED_FILES",
    "STILL_USED",
    "Change",
    "ChangedSymbol",
    "Dependant",
    "Impact",
    "impact_of",
]
