"""How much files matter: what leans on a file, and what the file leans on.

What everything uses but that uses nothing itself (constants, shims for other systems) is easily understood and seldom
where one begins; what is used much and holds much together is. So a file stands by the geometric mean of both.
"""

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

Links = Mapping[tuple[str, str], float]
"""(user, owner) -> how strongly the one leans on the other."""
_DIGITS = 9
_MOST = 200
"""So many files are asked for all that they reach; of the others nothing is said."""


def standings(paths: Iterable[str], links: Links, declared: Mapping[str, str]) -> dict[str, float]:
    """Each file's share of what all matter; all shares together are 1, or nothing leans on anything.

    What leans on a file that only declares (`declared`: its body) leans on the body.
    """
    ordered = sorted(set(paths))
    used = dict.fromkeys(ordered, 0.0)
    using = dict.fromkeys(ordered, 0.0)
    # Sums must not depend on the order in which links were found.
    for (user, owner), weight in sorted(links.items()):
        there = declared.get(owner, owner)
        if there != declared.get(user, user):
            used[there] += weight
            using[declared.get(user, user)] += weight
    found = {path: math.sqrt(used[path] * (1.0 + using[path])) for path in ordered}
    total = math.fsum(found.values()) or 1.0
    return {path: round(each / total, _DIGITS) for path, each in found.items()}


def weight_below(ranks: Mapping[str, float]) -> Callable[[str], float]:
    """What the files beneath a folder weigh together; the root has all of it."""
    sums: dict[str, list[float]] = {}
    for path, rank in ranks.items():
        folder = path
        while folder:
            folder = folder.rpartition("/")[0]
            sums.setdefault(folder, []).append(rank)
    found = {folder: math.fsum(each) for folder, each in sums.items()}
    return lambda folder: found.get(folder, 0.0)


def reach_of(links: Links, asked: Sequence[str]) -> Callable[[str], int]:
    """For some files: how many others they take in, directly or through others."""
    forth = _forth(links)
    found = {path: len(_reached([path], forth)) - 1 for path in asked[:_MOST]}
    return lambda path: found.get(path, 0)


def reached(starts: Collection[str], links: Links) -> set[str]:
    """Some files, and all that they take in, directly or through others."""
    return _reached(starts, _forth(links))


def _forth(links: Links) -> dict[str, list[str]]:
    forth: dict[str, list[str]] = {}
    for user, owner in links:
        forth.setdefault(user, []).append(owner)
    return forth


def _reached(starts: Collection[str], steps: Mapping[str, Collection[str]]) -> set[str]:
    seen = set(starts)
    waiting = list(starts)
    while waiting:
        for each in steps.get(waiting.pop(), ()):
            if each not in seen:
                seen.add(each)
                waiting.append(each)
    return seen
