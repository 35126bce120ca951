"""Files that import each other in a circle, and the shortest way round."""

import re
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence

from cairn.base.values import dataclass
from cairn.graph.customs import customs_of
from cairn.graph.meaning import LIKELY, PROVEN, TIERS
from cairn.graph.resolve import Resolver
from cairn.graph.scopes import FUNCTIONS
from cairn.graph.world import World
from cairn.store import EdgeRow
from cairn.syntax.imported import unpacked
from cairn.workspace.wildmatch import within_matcher

LAZY, TYPES_ONLY = "lazy", "types"
_FOR_TYPES = re.compile(r"\s*(?:import|export)\s+type\b")
_CHECKING = re.compile(r"\s*if\s+(?:\w+\.)*TYPE_CHECKING\b")
_STARTS = 300
"""Files of one knot from which the shortest way round is looked for."""


@dataclass(frozen=True, slots=True)
class ImportStep:
    """One import on a way round."""

    path: str
    line: int
    imports: str
    """The file that it leads to."""
    tier: str
    kind: str
    """Empty for one that runs with its file; `lazy` inside of a function, `types` for types alone."""
    text: str


@dataclass(frozen=True, slots=True)
class ImportCycle:
    """Files each of which imports all others by some way, and the shortest way round through some of them."""

    files: tuple[str, ...]
    steps: tuple[ImportStep, ...]


@dataclass(frozen=True, slots=True)
class ImportCycles:
    """The circles of a codebase, the shortest first, as many as were asked for."""

    items: tuple[ImportCycle, ...]
    total: int
    files: int
    """How many files are in a circle."""


_Rank = tuple[bool, int, int]
"""Of several imports of one file the best tells of it: one outside of functions, then a sure one, then the first."""
_Graph = dict[str, dict[str, _Rank]]


def import_cycles(
    resolver: Resolver,
    limit: int,
    *,
    lazily: bool = False,
    present: Callable[[str], bool] = lambda _path: True,
    within: Sequence[str] = (),
) -> ImportCycles:
    """Circles of imports that run with their files; `lazily` follows those in functions and for types as well.

    `within`: only circles that a file of these places is in.
    """
    kept = resolver.kept.of(_KeptCycles, _KeptCycles)
    if lazily not in kept:
        kept[lazily] = _cycles(resolver, lazily)
    found = [each for each in kept[lazily] if all(map(present, each.files))]
    if within:
        is_inside = within_matcher(within)
        found = [each for each in found if any(map(is_inside, each.files))]
    return ImportCycles(tuple(found[:limit]), len(found), sum(len(each.files) for each in found))


class _KeptCycles(dict[bool, list[ImportCycle]]):
    """The circles of one world, without and with imports in functions."""


def _cycles(resolver: Resolver, lazily: bool) -> list[ImportCycle]:
    """All circles, the shortest first."""
    world = resolver.world
    world.load(world.languages)
    graph = {path: _imports(resolver, path, [] if lazily else [_is_lazy]) for path in world.languages}
    if not lazily:
        # What is for types alone only the text tells: it is read of files that matter.
        knotted = [path for knot in _knots(graph) for path in sorted(knot)]
        graph = {path: _imports(resolver, path, [_is_lazy, _is_for_types]) for path in knotted}
    found = []
    for knot in _knots(graph):
        inside: _Graph = {path: {to: rank for to, rank in graph[path].items() if to in knot} for path in sorted(knot)}
        sure = {path: {to: rank for to, rank in out.items() if not rank[1]} for path, out in inside.items()}
        way = _shortest(sure) or _shortest(inside)
        steps = [_step(world, path, to, inside[path][to]) for path, to in zip(way, (*way[1:], way[0]), strict=True)]
        found.append(ImportCycle(tuple(sorted(knot)), tuple(steps)))
    found.sort(key=lambda each: (len(each.steps), each.files))
    return found


def imported_at_start(resolver: Resolver, path: str) -> frozenset[str]:
    """The files that are loaded with a file: not by imports in functions, nor by those for types alone."""
    return frozenset(_imports(resolver, path, [_is_lazy, _is_for_types]))


def _imports(resolver: Resolver, path: str, without: Sequence[Callable[[World, str, int], bool]]) -> dict[str, _Rank]:
    """The files that one imports, each by its best import; some kinds of imports are left out."""
    world = resolver.world
    best: dict[str, _Rank] = {}
    for edge, targets in _by_edge(resolver, path):
        if any(is_late(world, path, edge.line) for is_late in without):
            continue
        for paths, certain in targets:
            rank = (_is_lazy(world, path, edge.line), TIERS.index(PROVEN if certain else LIKELY), edge.line)
            for to in paths:
                if to != path and not _is_test(world, to):
                    best[to] = min(best.get(to, rank), rank)
    return best


def _by_edge(resolver: Resolver, path: str) -> Iterable[tuple[EdgeRow, list[tuple[tuple[str, ...], bool]]]]:
    """Each import with what it leads to; a package from which only modules are taken is not asked itself."""
    found: dict[EdgeRow, list[tuple[tuple[str, ...], bool]]] = {}
    for edge, target in resolver.files_imported(path):
        found.setdefault(edge, []).append((target.paths, target.certain))
    for edge, targets in found.items():
        named = [binding for binding in unpacked(edge.names) if binding.name]
        yield edge, targets[1:] if named and len(targets) > len(named) else targets


def _is_lazy(world: World, path: str, line: int) -> bool:
    """Whether an import stands inside of a function."""
    symbols = world.scope(path).symbols
    return any(symbol.kind in FUNCTIONS and symbol.start_line <= line <= symbol.end_line for symbol in symbols)


def _is_for_types(world: World, path: str, line: int) -> bool:
    """Whether an import is gone when the program runs."""
    lines = world.lines(path)
    text = lines[line - 1] if line <= len(lines) else ""
    if world.languages[path] != "python":
        return _FOR_TYPES.match(text) is not None
    above = (each for each in reversed(lines[: line - 1]) if each.strip() and _depth(each) < _depth(text))
    return text[:1].isspace() and _CHECKING.match(next(above, "")) is not None


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip())


def _is_test(world: World, path: str) -> bool:
    """Whether only tests of its own package see a file."""
    tests = customs_of(world.languages.get(path, "")).tests
    return bool(tests) and path.endswith(tests)


def _step(world: World, path: str, to: str, rank: _Rank) -> ImportStep:
    lines = world.lines(path)
    text = lines[rank[2] - 1].strip() if rank[2] <= len(lines) else ""
    kind = LAZY if rank[0] else TYPES_ONLY if _is_for_types(world, path, rank[2]) else ""
    return ImportStep(path, rank[2], to, TIERS[rank[1]], kind, text)


def _knots(graph: Mapping[str, Mapping[str, _Rank]]) -> list[frozenset[str]]:
    """Strongly connected files, those alone left out: Tarjan's way, without recursion."""
    number: dict[str, int] = {}
    low: dict[str, int] = {}
    held: list[str] = []
    on: set[str] = set()
    found: list[frozenset[str]] = []
    for start in graph:
        if start in number:
            continue
        work = [(start, iter(graph[start]))]
        number[start] = low[start] = len(number)
        held.append(start)
        on.add(start)
        while work:
            node, rest = work[-1]
            for other in rest:
                if other not in graph:
                    continue
                if other not in number:
                    number[other] = low[other] = len(number)
                    held.append(other)
                    on.add(other)
                    work.append((other, iter(graph[other])))
                    break
                if other in on:
                    low[node] = min(low[node], number[other])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == number[node]:
                    at = held.index(node)
                    knot = frozenset(held[at:])
                    del held[at:]
                    on -= knot
                    if len(knot) > 1:
                        found.append(knot)
    return found


def _shortest(graph: Mapping[str, Mapping[str, _Rank]]) -> Sequence[str]:
    """The shortest way round, the first in order of paths; empty where there is none."""
    best: Sequence[str] = ()
    for start in list(graph)[:_STARTS]:
        before: dict[str, str] = {}
        waiting = deque([start])
        while waiting and start not in before:
            node = waiting.popleft()
            for other in sorted(graph.get(node, ())):
                if other not in before:
                    before[other] = node
                    waiting.append(other)
        if start not in before:
            continue
        way = [before[start]]
        while way[-1] != start:
            way.append(before[way[-1]])
        if not best or len(way) < len(best):
            best = way[::-1]
        if len(best) == 2:
            break
    return best
