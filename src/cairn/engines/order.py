"""The order of rows that were found, which is the same for every engine."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from cairn.base import lazy
from cairn.engines.protocol import Mask, Numbers, VectorReader, Vectors
from cairn.kernel.scores import row_products

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
else:
    np = lazy.module("numpy")

ROUNDING = 1e-5
"""How far an engine's own score may be from ours."""
_SLACK = 16
_GROWTH = 4

Fetch = Callable[[int], tuple[Numbers, Vectors, Vectors]]
"""At most so many rows, the best by the engine's own score: numbers, those scores, and vectors."""


def scores_of(vectors: Vectors, query: Vectors) -> Vectors:
    """Inner products, row by row: the last bits of a matrix product depend on a row's position."""
    scores: Vectors = (vectors * query).sum(axis=1)
    return scores


class ByTaking:
    """The products of a reader that has no faster way than to take the rows."""

    __slots__ = ()

    def products(self: VectorReader, numbers: Numbers, query: Vectors) -> npt.NDArray[np.float64]:
        """The products of given rows with a vector."""
        return row_products(self.take(numbers), query)


def best(numbers: Numbers, scores: Vectors, limit: int) -> tuple[Numbers, Vectors]:
    """The first places by score, then by number, with all that tie for the last."""
    order = np.lexsort((numbers, -scores))
    if limit < len(order):
        # All rows that tie for the last place are kept: the caller decides between them when it merges segments.
        order = order[: np.searchsorted(-scores[order], -scores[order[limit - 1]], side="right")]
    return numbers[order], scores[order]


def nothing() -> tuple[Numbers, Vectors]:
    """No rows."""
    return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.float32)


def nearest_of(
    fetch: Fetch, count: int, most: int, query: Vectors, limit: int, live: Mask | None
) -> tuple[Numbers, Vectors] | None:
    """The best live rows by our own score, asking for more until all that may tie were seen.

    None when the engine would have to give more rows than it can, which is `most`.
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
        if all_seen or (len(numbers) >= limit and lowest < found[1][-1] - ROUNDING):
            return found
        if wanted == most:
            return None
        wanted = min(wanted * _GROWTH, count, most)
