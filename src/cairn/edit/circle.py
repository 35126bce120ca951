"""Whether modules would load each other in a circle after a move, as they did not before."""

from collections import deque
from collections.abc import Callable, Collection

from cairn.graph.cycles import imported_at_start
from cairn.graph.resolve import Resolver


def new_circle(resolver: Resolver, to: str, loaded: Collection[str], loading: Collection[str]) -> tuple[str, ...]:
    """The files of a circle that the imports of a move make, the first one again at the end; empty if they make none.

    `loaded` are the files that the file of the definition loads from now on, `loading` those that load it.
    """
    known: dict[str, frozenset[str]] = {}

    def now(path: str) -> frozenset[str]:
        if path not in known:
            known[path] = imported_at_start(resolver, path) if path in resolver.world.languages else frozenset()
        return known[path]

    def then(path: str) -> frozenset[str]:
        more = (*(loaded if path == to else ()), *([to] if path in loading else ()))
        return now(path) | frozenset(more)

    fresh = [(to, each) for each in loaded if each not in now(to)]
    fresh += [(each, to) for each in loading if to not in now(each)]
    for one, other in sorted(fresh):
        way = _way(other, one, then)
        # Those that were in one circle before load each other as they did.
        if way and not (_way(other, one, now) and _way(one, other, now)):
            return (one, *way)
    return ()


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
