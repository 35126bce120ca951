"""Rows of terms turned into terms of rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from cairn.base import lazy
from cairn.base.terms import posting_types
from cairn.kernel.core import core

if TYPE_CHECKING:
    import numpy as np
else:
    np = lazy.module("numpy")


class Inverted(NamedTuple):
    """Which rows hold each term and how often, as little-endian arrays."""

    hashes: bytes
    """The different terms: uint64, ascending."""
    offsets: bytes
    """Where the entries of each begin, and where the last ends: uint32."""
    rows: bytes
    """Of each entry its row, ascending within a term: see `posting_types`."""
    codes: bytes
    """Of each entry the place of its counts among the pairs: likewise."""
    pairs: bytes
    """The different counts in text and symbols: two times uint8, ascending."""


def inverted(sizes: Sequence[int], hashes: bytes, text: bytes, symbols: bytes) -> Inverted:
    """The terms of all rows, of which each has so many; their hashes (uint64) and counts stand row by row."""
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
    pairs = np.flatnonzero(np.bincount(counts, minlength=1 << 16))
    row_type, code_type = posting_types(len(sizes), len(pairs))
    rows = np.repeat(np.arange(len(sizes), dtype=row_type), sizes)
    codes = np.zeros(1 << 16, dtype=code_type)
    codes[pairs] = np.arange(len(pairs))
    return Inverted(
        different.tobytes(),
        np.append(firsts, len(terms)).astype("<u4").tobytes(),
        rows[order].tobytes(),
        codes[counts[order]].tobytes(),
        np.stack((pairs >> 8, pairs & 255), axis=1).astype(np.uint8).tobytes(),
    )
