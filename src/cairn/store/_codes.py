"""Vectors in a byte for every few numbers: near enough to tell which rows are near, in an eighth of the room.

A vector is cut into pieces, and each piece is told by the nearest of 256 that were learnt from the vectors themselves.
Piece 0 of 32 has the numbers 0, 32, 64 and so on: many models put what tells most first, of which each piece has some.
An inner product is then a sum of as many numbers as there are pieces, each looked up in a table of the question's own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cairn.base import lazy
from cairn.engines import Mask, Numbers, Scores, Vectors
from cairn.engines.order import best, nothing
from cairn.kernel.codes import code_products

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Codes = npt.NDArray[np.uint8]
else:
    np = lazy.module("numpy")
    Codes = Any

CODES = 256
_MOST_PIECES = 64
_NUMBERS = 4
"""A piece has so many numbers at least."""
_LEARNT_FROM = 16_384
_ROUNDS = 8
_ROWS_AT_ONCE = 16_384


def pieces_of(dimension: int) -> int:
    """Into how many pieces of one length a vector is cut."""
    most = min(_MOST_PIECES, max(1, dimension // _NUMBERS))
    return next(count for count in range(most, 0, -1) if dimension % count == 0)


def codes_bytes(rows: int, dimension: int) -> int:
    """So many bytes tell the vectors of rows."""
    return rows * pieces_of(dimension)


def learnt(vectors: Vectors) -> Vectors:
    """The pieces that vectors are told by: of each place 256, the same for the same vectors."""
    rows, dimension = vectors.shape
    count = pieces_of(dimension)
    random = np.random.default_rng(0)
    some = vectors[np.sort(random.choice(rows, min(rows, _LEARNT_FROM), replace=False))]
    parts = _cut(some, count)
    first = random.choice(len(some), CODES, replace=len(some) < CODES)
    found = np.ascontiguousarray(parts[:, first], dtype=np.float32)
    for known, part in zip(found, parts, strict=True):
        for _ in range(_ROUNDS):
            nearest = _nearest(part, known)
            sizes = np.bincount(nearest, minlength=CODES)
            for column in range(known.shape[1]):
                sums = np.bincount(nearest, weights=part[:, column], minlength=CODES)
                np.divide(sums, sizes, out=known[:, column], where=sizes > 0, casting="unsafe")
    return found


def coded(vectors: Vectors, known: Vectors) -> Codes:
    """The codes of vectors: a row for each piece."""
    found = np.empty((len(known), len(vectors)), dtype=np.uint8)
    for first in range(0, len(vectors), _ROWS_AT_ONCE):
        for piece, (rows, of) in enumerate(
            zip(_cut(vectors[first : first + _ROWS_AT_ONCE], len(known)), known, strict=True)
        ):
            found[piece, first : first + len(rows)] = _nearest(rows, of)
    return found


def _cut(vectors: Vectors, count: int) -> Vectors:
    """Vectors by pieces: (piece, row, number)."""
    return vectors.reshape(len(vectors), -1, count).transpose(2, 0, 1)


def _nearest(part: Vectors, known: Vectors) -> npt.NDArray[np.int64]:
    """Which of the known pieces each is nearest to."""
    closeness = part @ known.T - (known * known).sum(axis=1) / 2
    nearest: npt.NDArray[np.int64] = closeness.argmax(axis=1)
    return nearest


class CodedReader:
    """Vectors by their codes; scores are as near as these are."""

    def __init__(self, codes: Codes, known: Vectors) -> None:
        self._codes = codes
        self._known = known

    def nearest(self, query: Vectors, limit: int, live: Mask | None) -> tuple[Numbers, Scores]:
        """The rows with the largest products, the best first, with all that tie with the last."""
        pieces = _cut(query[np.newaxis], len(self._known))[:, 0]
        tables = np.einsum("pn,pkn->pk", pieces, self._known, dtype=np.float32)
        scores = code_products(self._codes, tables)
        numbers = np.arange(len(scores)) if live is None else np.flatnonzero(live)
        if limit <= 0 or not len(numbers):
            return nothing()
        own = scores[numbers].astype(np.float64)
        if limit < len(own):
            edge = np.partition(own, len(own) - limit)[len(own) - limit]
            kept = own >= edge
            numbers, own = numbers[kept], own[kept]
        return best(numbers.astype(np.int64), own, limit)

    def take(self, numbers: Numbers) -> Vectors:
        """The vectors as their codes tell them."""
        codes = self._codes[:, numbers]
        pieces = [known[own] for known, own in zip(self._known, codes, strict=True)]
        return np.stack(pieces, axis=2).reshape(len(numbers), -1)
