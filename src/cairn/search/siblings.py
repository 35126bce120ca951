"""Signals from the other candidates: a twin for another platform, a newer version, an import by the best files."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import lru_cache

import numpy as np

from cairn.base import lazy
from cairn.search.pathfacts import path_facts
from cairn.search.signals import Array

_SUFFIX = lazy.expression(r"\.(?:h|hh|hpp|inl|js|jsx|mjs|cjs|ts|tsx|rb|php|lua|py)$")
_SEPARATORS = lazy.expression(r"[/\\.:]+")
_NOT_NAMES = frozenset({"crate", "self", "super", "*"})
_FULL = 2.0


def platform_twins(path_keys: Sequence[str]) -> Array:
    """1 for a file of one platform whose counterpart for any, or for POSIX, is there too."""
    said = [path_facts(path) for path in path_keys]
    plain = {facts.shape for facts in said if not facts.platform}
    return np.array([float(facts.platform and facts.shape in plain) for facts in said])


def older_versions(path_keys: Sequence[str]) -> Array:
    """1 for a file below `v1` when others lie below `v2` of the same folder."""
    newest: dict[str, int] = {}
    said = [path_facts(path).versions for path in path_keys]
    for versions in said:
        for folder, number in versions:
            newest[folder] = max(number, newest.get(folder, 0))
    return np.array([float(any(number < newest[folder] for folder, number in versions)) for versions in said])


def imported_by(path_keys: Sequence[str], scores: Array, importers: Iterable[tuple[int, Sequence[str]]]) -> Array:
    """How much the best files import of each: their scores, as shares of the best, summed up to two.

    `importers` are (index, targets as written). A target is matched by names alone: the file whose
    path ends most like it and, of several, the one nearest to the importer.
    """
    found = np.zeros(len(path_keys))
    top = float(scores.max(initial=0.0))
    if top <= 0:
        return found
    trails = [path_facts(path).trail for path in path_keys]
    named = defaultdict(list)
    for index, trail in enumerate(trails):
        named[trail[-1]].append(index)
    for importer, targets in importers:
        # Most targets are not among the candidates.
        likely = {parts for target in targets if not named.keys().isdisjoint((parts := _parts_of(target))[-2:])}
        meant = {_meant(path_keys, trails, importer, parts, named) for parts in likely}
        found[[index for index in meant if index is not None]] += max(float(scores[importer]), 0.0) / top
    return np.minimum(found, _FULL) / _FULL


def _meant(
    path_keys: Sequence[str],
    trails: Sequence[tuple[str, ...]],
    importer: int,
    parts: tuple[str, ...],
    named: dict[str, list[int]],
) -> int | None:
    # The last part may be what is imported, and the one before it the file.
    for last in range(len(parts), max(len(parts) - 2, 0), -1):
        choices = [index for index in named.get(parts[last - 1], ()) if index != importer]
        if len(choices) == 1:
            return choices[0]
        if choices:
            asked, home = parts[:last][::-1], trails[importer]
            return min(
                choices,
                key=lambda index: (-_same(trails[index][::-1], asked), -_same(trails[index], home), path_keys[index]),
            )
    return None


@lru_cache(maxsize=20_000)
def _parts_of(target: str) -> tuple[str, ...]:
    bare = _SUFFIX.sub("", target.strip("\"'<>;"))
    return tuple(part for part in _SEPARATORS.split(bare.lower()) if part and part not in _NOT_NAMES)


def _same(left: Iterable[str], right: Iterable[str]) -> int:
    """How many parts are the same from the start."""
    count = 0
    for one, other in zip(left, right, strict=False):
        if one != other:
            break
        count += 1
    return count
