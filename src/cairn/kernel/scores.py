"""How often rows have the terms of a query."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from cairn.base import lazy
from cairn.kernel.core import core
from cairn.kernel.postings import MOST_ROWS, RARE

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]
else:
    np = lazy.module("numpy")
    Floats = Any


class TermPlaces(NamedTuple):
    """Where terms occur in rows from some number on, as `postings.Inverted` has it."""

    start: int
    hashes: npt.NDArray[np.uint64]
    offsets: npt.NDArray[np.uint32]
    rare: npt.NDArray[np.uint32]
    rows: npt.NDArray[np.uint16]
    codes: npt.NDArray[np.uint8]
    pairs: npt.NDArray[np.uint8]
    """One behind the other."""


def term_counts(
    places: TermPlaces, spans: Sequence[tuple[int, int]], wanted: npt.NDArray[np.uint64]
) -> tuple[Floats, Floats]:
    """Counts of `wanted` in text and in symbols of the rows of some (first, count) spans, in that order."""
    native = core()
    if native is None:
        return term_counts_by_reference(places, numbers_in(spans), wanted)
    shape = sum(count for _, count in spans), len(wanted)
    said = np.array(spans, dtype="<u4").tobytes()
    found = native.term_counts(*places, said, wanted.astype("<u8").tobytes())
    text, symbols = (np.frombuffer(counts, dtype="<f8").reshape(shape) for counts in found)
    return text, symbols


def term_counts_by_reference(
    places: TermPlaces, numbers: npt.NDArray[np.int64], wanted: npt.NDArray[np.uint64]
) -> tuple[Floats, Floats]:
    """The same by the reference, for rows in any order."""
    found = np.zeros((len(numbers), len(wanted))), np.zeros((len(numbers), len(wanted)))
    at = np.searchsorted(places.hashes, wanted)
    inside = (numbers >= places.start) & (numbers < places.start + MOST_ROWS)
    # Of the type of the rows: NumPy would else make a copy of them for each term.
    own = np.where(inside, numbers - places.start, 0).astype(np.uint16)
    for column, (place, value) in enumerate(zip(at.tolist(), wanted, strict=True)):
        if not len(numbers) or place == len(places.hashes) or places.hashes[place] != value:
            continue
        first, last = places.offsets[place : place + 2].tolist()
        rows = places.rows[first:last]
        near = np.minimum(np.searchsorted(rows, own), len(rows) - 1)
        held = np.flatnonzero((rows[near] == own) & inside)
        entries = first + near[held]
        codes = places.codes[entries].astype(np.int64)
        codes += np.where(codes == RARE, np.searchsorted(places.rare, entries), 0)
        for counts, part in zip(found, (places.pairs[0::2], places.pairs[1::2]), strict=True):
            counts[held, column] = part[codes]
    return found


def numbers_in(spans: Sequence[tuple[int, int]]) -> npt.NDArray[np.int64]:
    """The row numbers of some (first, count) spans, in that order."""
    if not spans:
        return np.zeros(0, dtype=np.int64)
    firsts, counts = np.array(spans, dtype=np.int64).T
    numbers: npt.NDArray[np.int64] = np.arange(int(counts.sum())) + np.repeat(
        firsts - np.cumsum(counts) + counts, counts
    )
    return numbers
