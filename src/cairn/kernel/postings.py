"""Rows of terms turned into terms of rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from cairn.base import lazy
from cairn.kernel.core import core

if TYPE_CHECKING:
    import numpy as np
else:
    np = lazy.module("numpy")

MOST_ROWS = 1 << 16
"""As many as two bytes can tell apart."""
RARE = 255
"""The code of an entry whose counts stand by themselves."""


class Inverted(NamedTuple):
    """Which rows hold each term and how often, as little-endian arrays."""

    hashes: bytes
    """The different terms: uint64, ascending."""
    offsets: bytes
    """Where the entries of each begin, and where the last ends: uint32."""
    rare: bytes
    """The places of the entries whose code is `RARE`: uint32, ascending."""
    rows: bytes
    """Of each entry its row, ascending within a term: uint16."""
    codes: bytes
    """Of each entry the place of its counts among the pairs: uint8."""
    pairs: bytes
    """Counts in text and symbols, two times uint8: those that come most often, ascending, then those of `rare`."""


def inverted(sizes: Sequence[int], hashes: bytes, text: bytes, symbols: bytes) -> Inverted:
    """The terms of at most `MOST_ROWS` rows, of which each has so many; their hashes (uint64) and counts stand row by
    row."""
    native = core()
    if native is None:
        return inverted_by_reference(sizes, hashes, text, symbols)
    return Inverted(*native.inverted(np.asarray(sizes, dtype="<u4").tobytes(), hashes, text, symbols))


def inverted_by_reference(sizes: Sequence[int], hashes: bytes, text: bytes, symbols: bytes) -> Inverted:
    """The same by the reference."""
    terms = np.frombuffer(hashes, dtype="<u8")
    counts = np.frombuffer(text, dtype=np.uint8).astype(np.uint16) << 8
    counts |= np.frombuffer(symbols, dtype=np.uint8)
    order = np.argsort(terms, kind="stable")
    different, firsts = np.unique(terms[order], return_index=True)
    often = np.bincount(counts, minlength=1 << 16)
    commonest = np.argsort(-often, kind="stable")[:RARE]
    pairs = np.sort(commonest[often[commonest] > 0])
    known = np.full(1 << 16, RARE, dtype=np.uint8)
    known[pairs] = np.arange(len(pairs))
    codes = known[counts[order]]
    rare = np.flatnonzero(codes == RARE)
    said = np.concatenate((pairs, counts[order][rare]))
    return Inverted(
        different.tobytes(),
        np.append(firsts, len(terms)).astype("<u4").tobytes(),
        rare.astype("<u4").tobytes(),
        np.repeat(np.arange(len(sizes), dtype="<u2"), sizes)[order].tobytes(),
        codes.tobytes(),
        np.stack((said >> 8, said & 255), axis=1).astype(np.uint8).tobytes(),
    )
