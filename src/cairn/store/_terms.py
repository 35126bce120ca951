"""`terms.bin`: how often each row holds each term, row by row.

Tantivy tells which rows match; this tells by how much, so that scores come from the row and the
whole view alone and not from the way rows are spread over segments.

A header of 64 bytes (magic, version, rows, entries), then arrays in little-endian order:
offsets uint64[rows + 1], lengths uint32[rows], files uint32[rows], hashes uint64[entries],
text counts uint8[entries], symbol counts uint8[entries].
"""

from __future__ import annotations

import os
import struct
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from cairn.base import lazy
from cairn.base.errors import CorruptStoreError
from cairn.base.shortage import shortage_of
from cairn.base.values import dataclass
from cairn.engines import Mask

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Counts = npt.NDArray[np.uint8]
    Hashes = npt.NDArray[np.uint64]
else:
    np = lazy.module("numpy")
    Counts = Hashes = Any

TERMS_FILE = "terms.bin"
_MAGIC = b"CAIRNTRM"
_VERSION = 2
_HEADER = struct.Struct("<8sIQQ")
_HEADER_BYTES = 64


class Terms(NamedTuple):
    """The terms of one row: words for Tantivy, hashes and counts for scoring."""

    body: str
    """Different tokens of text and symbols, joined by spaces."""
    path: str
    hashes: bytes = b""
    """uint64, in the order of the counts."""
    text_counts: bytes = b""
    symbol_counts: bytes = b""
    length: int = 0
    """Tokens in the text."""


@dataclass(frozen=True, slots=True)
class TermMatrix:
    """For some rows (down) and some terms (across): counts, and each row's length."""

    text: npt.NDArray[np.float64]
    symbols: npt.NDArray[np.float64]
    lengths: npt.NDArray[np.float64]


class TermsWriter:
    """Writes the terms of one segment, row by row."""

    def __init__(self, folder: str) -> None:
        self._path = os.path.join(folder, TERMS_FILE)
        self._offsets = [0]
        self._lengths: list[int] = []
        self._files: list[int] = []
        self._hashes: list[bytes] = []
        self._text: list[bytes] = []
        self._symbols: list[bytes] = []

    def add(self, file_number: int, terms: Terms) -> None:
        """Add the terms of the next row."""
        self._offsets.append(self._offsets[-1] + len(terms.text_counts))
        self._lengths.append(terms.length)
        self._files.append(file_number)
        self._hashes.append(terms.hashes)
        self._text.append(terms.text_counts)
        self._symbols.append(terms.symbol_counts)

    def close(self) -> None:
        """Write the file."""
        rows, entries = len(self._lengths), self._offsets[-1]
        with open(self._path, "xb") as file:
            file.write(_HEADER.pack(_MAGIC, _VERSION, rows, entries).ljust(_HEADER_BYTES, b"\0"))
            file.write(np.array(self._offsets, dtype="<u8").tobytes())
            file.write(np.array(self._lengths, dtype="<u4").tobytes())
            file.write(np.array(self._files, dtype="<u4").tobytes())
            for parts in (self._hashes, self._text, self._symbols):
                file.writelines(parts)


class TermsReader:
    """The term counts of one segment, mapped into memory."""

    def __init__(self, folder: str, rows: int) -> None:
        path = os.path.join(folder, TERMS_FILE)
        try:
            # A plain array over the map: slices of a memmap cost ten times as much.
            data = np.memmap(path, dtype=np.uint8, mode="r").view(np.ndarray)
            magic, version, said, entries = _HEADER.unpack(data[: _HEADER.size].tobytes())
            size = _HEADER_BYTES + 8 * (said + 1) + 8 * said + 10 * entries
            if (magic, version, said, len(data)) != (_MAGIC, _VERSION, rows, size):
                raise CorruptStoreError(f"{path} is not the term counts of {rows} rows.")
        except (OSError, ValueError, struct.error) as error:
            raise shortage_of(error) or CorruptStoreError(f"{path} can't be read as term counts: {error}.") from error
        at = _HEADER_BYTES
        self._offsets = data[at : at + 8 * (rows + 1)].view("<u8")
        at += 8 * (rows + 1)
        self._lengths = data[at : at + 4 * rows].view("<u4")
        at += 4 * rows
        self.files = data[at : at + 4 * rows].view("<u4")
        at += 4 * rows
        self._hashes = data[at : at + 8 * entries].view("<u8")
        at += 8 * entries
        self._text = data[at : at + entries]
        self._symbols = data[at + entries : at + 2 * entries]

    def total_length(self, live: Mask | None) -> int:
        """Tokens in all rows, or in the live ones."""
        return int((self._lengths if live is None else self._lengths[live]).sum(dtype=np.int64))

    def matrix_of(self, numbers: npt.NDArray[np.int64], wanted: Hashes) -> TermMatrix:
        """Counts of `wanted` in single rows, in the order given."""
        starts = self._offsets[numbers].astype(np.int64)
        sizes = self._offsets[numbers + 1].astype(np.int64) - starts
        before = np.cumsum(sizes) - sizes
        entries = np.arange(int(sizes.sum())) + np.repeat(starts - before, sizes)
        owners = np.repeat(np.arange(len(numbers)), sizes)
        hashes = self._hashes[entries]
        found = TermMatrix(
            np.zeros((len(numbers), len(wanted))),
            np.zeros((len(numbers), len(wanted))),
            self._lengths[numbers].astype(np.float64),
        )
        for column, value in enumerate(wanted):
            places = np.flatnonzero(hashes == value)
            found.text[owners[places], column] = self._text[entries[places]]
            found.symbols[owners[places], column] = self._symbols[entries[places]]
        return found

    def matrix(self, spans: Sequence[tuple[int, int]], wanted: Hashes) -> TermMatrix:
        """Counts of `wanted` in the rows of some (first, count) spans, in that order."""
        numbers = numbers_in(spans)
        found = TermMatrix(
            np.zeros((len(numbers), len(wanted))),
            np.zeros((len(numbers), len(wanted))),
            self._lengths[numbers].astype(np.float64),
        )
        if not len(numbers):
            return found
        firsts, counts = np.array(spans, dtype=np.int64).T
        lefts = self._offsets[firsts].astype(np.int64)
        sizes = self._offsets[firsts + counts].astype(np.int64) - lefts
        # Where the entries of each span begin among those of all, and how far that is from their place in the file.
        begins = np.cumsum(sizes) - sizes
        shifts = lefts - begins
        every = np.concatenate(
            [self._hashes[left:right] for left, right in zip(lefts.tolist(), (lefts + sizes).tolist(), strict=True)]
        )
        ends = self._offsets[numbers + 1].astype(np.int64) - np.repeat(shifts, counts)
        for column, value in enumerate(wanted):
            places = np.flatnonzero(every == value)
            rows = np.searchsorted(ends, places, side="right")
            entries = places + shifts[np.searchsorted(begins, places, side="right") - 1]
            found.text[rows, column] = self._text[entries]
            found.symbols[rows, column] = self._symbols[entries]
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
