"""The order of rows that were found, which is the same for every engine."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import TYPE_CHECKING

from cairn.base import lazy
from cairn.engines.protocol import JointReader, Mask, Numbers, Scores, VectorReader, Vectors

if TYPE_CHECKING:
    import numpy as np
else:
    np = lazy.module("numpy")

ROUNDING = 1e-5
"""How far an engine's own score may be from ours."""
_SLACK = 16
_MOST_RUNS = 64
"""So many runs of rows are told to a server, at most; of more it hides none, and is asked for more rows."""
_GROWTH = 4

Fetch = Callable[[int], tuple[Numbers, Vectors, Vectors]]
"""At most so many rows, the best by the engine's own score: numbers, those scores, and vectors."""


def scores_of(vectors: Vectors, query: Vectors) -> Scores:
    """Inner products, row by row: the last bits of a matrix product depend on a row's position."""
    scores: Scores = (vectors * query).sum(axis=1, dtype=np.float64)
    return scores


def nearest_in(
    readers: Sequence[VectorReader], query: Vectors, limit: int, lives: Sequence[Mask | None]
) -> list[tuple[Numbers, Scores]]:
    """What is nearest in each of some segments; those that can be asked together are asked once."""
    found: dict[int, tuple[Numbers, Scores]] = {}
    groups: dict[Hashable, list[tuple[int, JointReader]]] = {}
    for place, reader in enumerate(readers):
        if isinstance(reader, JointReader):
            groups.setdefault(reader.group, []).append((place, reader))
        else:
            found[place] = reader.nearest(query, limit, lives[place])
    for group in groups.values():
        places, joint = [place for place, _ in group], [reader for _, reader in group]
        answers = joint[0].nearest_of_all(joint, query, limit, [lives[place] for place in places])
        found.update(zip(places, answers, strict=True))
    return [found[place] for place in range(len(readers))]


def runs_of(live: Mask) -> list[tuple[int, int]] | None:
    """The live rows as runs from a number up to another one; None where they are too many to tell."""
    edges = np.flatnonzero(np.diff(live.astype(np.int8), prepend=0, append=0)).tolist()
    return list(zip(edges[::2], edges[1::2], strict=True)) if len(edges) <= 2 * _MOST_RUNS else None


def numbers_within(runs: Sequence[tuple[int, int]]) -> str:
    """The condition that a row's number lies in one of some runs, as SQL and Milvus write it."""
    return " or ".join(f"(number >= {first} and number < {end})" for first, end in runs)


def best(numbers: Numbers, scores: Scores, limit: int) -> tuple[Numbers, Scores]:
    """The first places by score, then by number, with all that tie for the last."""
    order = np.lexsort((numbers, -scores))
    if limit < len(order):
        # All rows that tie for the last place are kept: the caller decides between them when it merges segments.
        order = order[: np.searchsorted(-scores[order], -scores[order[limit - 1]], side="right")]
    return numbers[order], scores[order]


def nothing() -> tuple[Numbers, Scores]:
    """No rows."""
    return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.float64)


def nearest_of(
    fetch: Fetch, count: int, most: int, query: Vectors, limit: int, live: Mask | None, *, is_exact: bool = True
) -> tuple[Numbers, Scores] | None:
    """The best live rows by our own score, asking for more until all that may tie were seen.

    None when the engine would have to give more rows than it can, which is `most`. One that is not exact is asked for
    more only where too many of its rows are hidden.
    """
    wanted = min(count, limit + _SLACK, most)
    while True:
        numbers, theirs, vectors = fetch(wanted)
        all_seen = len(numbers) < wanted or wanted == count
        lowest = float(theirs.min()) if len(theirs) else 0.0
        if live is not None:
            kept = live[numbers]
            numbers, vectors = numbers[kept], vectors[kept]
        found = best(numbers, scores_of(vectors, query), limit)
        if all_seen or (len(numbers) >= limit and (not is_exact or lowest < found[1][-1] - ROUNDING)):
            return found
        if wanted == most:
            return None if is_exact else found
        wanted = min(wanted * _GROWTH, count, most)
