"""Whether modules would load each other in a circle after a move, as they did not before."""

from collections import deque
from collections.abc import Callable, Collection

from cairn.base.values import dataclass
from cairn.graph.cycles import imported_at_start
from cairn.graph.resolve import Resolver


@dataclass(frozen=True, slots=True)
class Circle:
    """Files that load each other, the first one again at the end."""

    way: tuple[str, ...]
    fresh: bool
    """Whether they did not before."""


def circle_of(resolver: Resolver, to: str, loaded: Collection[str], loading: Collection[str]) -> Circle | None:
    """A circle that the new imports of a move are part of; None if there is none.

    `loaded` are the files that the file of the definition takes names of from now on, `loading` those that take it.
    """
    known: dict[str, frozenset[str]] = {}

    def now(path: str) -> frozenset[str]:
        if path not in known:
            known[path] = imported_at_start(resolver, path) if path in resolver.world.languages else frozenset()
        return known[path]

    def then(path: str) -> frozenset[str]:
        more = (*(loaded if path == to else ()), *([to] if path in loading else ()))
        return now(path) | frozenset(more)

    found = []
    for one, other in sorted([*((to, each) for each in loaded), *((each, to) for each in loading)]):
        if way := _way(other, one, then):
            before = _way(other, one, now) and _way(one, other, now)
            found.append(Circle((one, *way), not before))
    return min(found, key=lambda each: (not each.fresh, len(each.way)), default=None)


def _way(start: str, end: str, steps: Callable[[str], frozenset[str]]) -> tuple[str, ...]:
    """The shortest way from one file to another; empty if there is none."""
    before: dict[str, str] = {start: ""}
    waiting = deque([start])
    while waiting:
        path = waiting.popleft()
        if path == end:
            way = [path]
            while before[way[-1]]:
                way.append(before[way[-1]])
            return tuple(reversed(way))
        for other in sorted(steps(path)):
            if other not in before:
                before[other] = path
                waiting.append(other)
    return ()
