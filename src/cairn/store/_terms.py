"""`terms.bin`: which rows hold each term, and how often.

Tantivy tells which rows match; this tells by how much, so that scores come from the row and the
whole view alone and not from the way rows are spread over segments. Where there are so few rows that no index of
Tantivy is worth its making, this tells both: then the tokens of paths are terms too, as hashes of NUL and the token,
which rows hold no times.

A header of 64 bytes (magic, version, rows), then sections of 65,536 rows each, the last of fewer: how many terms,
entries, rare ones and pairs it has (uint64), then arrays in little-endian order, as `kernel.postings` tells of them:
hashes uint64[terms], offsets uint32[terms + 1], rare uint32[rare], rows uint16[entries], codes uint8[entries], pairs
uint8[pairs, 2], and zeros up to a multiple of eight. Last come lengths uint32[rows] and files uint32[rows].
"""

from __future__ import annotations

import functools
import os
import struct
from array import array
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from operator import itemgetter
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

from cairn.base import lazy
from cairn.base.errors import CorruptStoreError
from cairn.base.shortage import shortage_of
from cairn.base.terms import term_hash
from cairn.base.values import dataclass
from cairn.engines import Mask
from cairn.kernel.postings import MOST_ROWS, inverted
from cairn.kernel.scores import TermPlaces, numbers_in, term_counts, term_counts_by_reference

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Counts = npt.NDArray[np.uint8]
    Floats = npt.NDArray[np.float64]
    Hashes = npt.NDArray[np.uint64]
else:
    np = lazy.module("numpy")
    Counts = Floats = Hashes = Any

TERMS_FILE = "terms.bin"
_MAGIC = b"CAIRNTRM"
_VERSION = 4
_HEADER = struct.Struct("<8sIQ")
_HEADER_BYTES = 64
_SECTION = struct.Struct("<4Q")
_KINDS = ("<u8", "<u4", "<u4", "<u2", "<u1", "<u1")
_EIGHT = 8


def path_hash(token: str) -> bytes:
    """What stands for a token of a path, which no token of a text can be taken for."""
    return term_hash(f"\0{token}")


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


_Counted = tuple[str, bytes, bytes, bytes]
"""Of the terms of a row all but the first and the last."""


class TermsWriter:
    """Writes the terms of one segment, row by row; what is held until the end is that of a section at most."""

    def __init__(self, folder: str) -> None:
        self._path = os.path.join(folder, TERMS_FILE)
        self._file: BinaryIO | None = None
        self._lengths = array("I")
        self._files = array("I")
        self._rows: list[_Counted] = []

    def add(self, file_number: int, terms: Terms) -> None:
        """Add the terms of the next row."""
        if len(self._rows) == MOST_ROWS:
            self._write_section()
        self._rows.append(terms[1:5])
        self._lengths.append(terms.length)
        self._files.append(file_number)

    def close(self, *, alone: bool = False) -> None:
        """Write the rest of the file; `alone` where it has to tell of paths too."""
        if alone:
            self._rows = [*map(_with_path, self._rows)]
        if self._rows:
            self._write_section()
        file = self._opened()
        for column in (self._lengths, self._files):
            file.write(np.asarray(column, dtype="<u4").tobytes())
        file.seek(0)
        file.write(_HEADER.pack(_MAGIC, _VERSION, len(self._lengths)))
        file.close()

    def abandon(self) -> None:
        """Let go of a file that will never be finished."""
        if self._file is not None:
            self._file.close()

    def _opened(self) -> BinaryIO:
        if self._file is None:
            self._file = open(self._path, "xb")  # noqa: SIM115 - it is written until the segment is finished
            self._file.write(bytes(_HEADER_BYTES))
        return self._file

    def _write_section(self) -> None:
        """Turn rows of terms into terms of rows."""
        rows, self._rows = self._rows, []
        sizes = [len(text) for _, _, text, _ in rows]
        hashes, text, symbols = (b"".join(map(itemgetter(column), rows)) for column in (1, 2, 3))
        rows.clear()
        found = inverted(sizes, hashes, text, symbols)
        file = self._opened()
        counts = len(found.hashes) // 8, len(found.codes), len(found.rare) // 4, len(found.pairs) // 2
        file.write(_SECTION.pack(*counts))
        file.write(b"".join(found).ljust(_padded(sum(map(len, found))), b"\0"))


def _padded(size: int) -> int:
    return -(-size // _EIGHT) * _EIGHT


def _with_path(row: _Counted) -> _Counted:
    """A row with the tokens of its path among its terms, which it holds no times."""
    path, hashes, text, symbols = row
    more = b"".join(map(path_hash, path.split()))
    nothing = bytes(len(more) // 8)
    return path, hashes + more, text + nothing, symbols + nothing


class TermsReader:
    """The term counts of one segment, mapped into memory."""

    def __init__(self, folder: str, rows: int) -> None:
        path = os.path.join(folder, TERMS_FILE)
        try:
            # A plain array over the map: slices of a memmap cost ten times as much.
            data = np.memmap(path, dtype=np.uint8, mode="r").view(np.ndarray)
            magic, version, said = _HEADER.unpack(data[: _HEADER.size].tobytes())
            if (magic, version, said) != (_MAGIC, _VERSION, rows):
                raise CorruptStoreError(f"{path} is not the term counts of {rows} rows.")
            at = _HEADER_BYTES
            self._places: list[TermPlaces] = []
            for first in range(0, rows, MOST_ROWS):
                places, at = _section(data, at, first)
                self._places.append(places)
            if at + 8 * rows != len(data):
                raise CorruptStoreError(f"{path} is not the term counts of {rows} rows.")
        except (OSError, ValueError, struct.error) as error:
            raise shortage_of(error) or CorruptStoreError(f"{path} can't be read as term counts: {error}.") from error
        self._lengths, self.files = data[at:].view("<u4").reshape(2, rows)

    def rows_with(self, term: bytes) -> npt.NDArray[np.int64]:
        """The rows that hold a term, by its hash, in ascending order."""
        (wanted,) = np.frombuffer(term, dtype="<u8")
        found = [np.zeros(0, dtype=np.int64)]
        for places in self._places:
            at = int(np.searchsorted(places.hashes, wanted))
            if at < len(places.hashes) and places.hashes[at] == wanted:
                first, last = places.offsets[at : at + 2].tolist()
                found.append(places.rows[first:last] + np.int64(places.start))
        return np.concatenate(found)

    def lengths(self) -> npt.NDArray[np.uint32]:
        """How many tokens each row has."""
        return self._lengths

    def postings(self) -> Iterator[tuple[bytes, npt.NDArray[np.int64], Counts, Counts]]:
        """(hash, the largest byte first; rows; how often in their texts; in their symbols), the hashes ascending."""
        sections = [(places, *_counts_in(places)) for places in self._places]
        hashes = np.unique(np.concatenate([np.zeros(0, dtype="<u8"), *(places.hashes for places in self._places)]))
        at = [np.searchsorted(places.hashes, hashes) for places in self._places]
        for number, value in enumerate(hashes.tolist()):
            found: list[tuple[npt.NDArray[np.int64], Counts, Counts]] = []
            for (places, text, symbols), where in zip(sections, at, strict=True):
                place = int(where[number])
                if place < len(places.hashes) and int(places.hashes[place]) == value:
                    first, last = places.offsets[place : place + 2].tolist()
                    rows = places.rows[first:last] + np.int64(places.start)
                    found.append((rows, text[first:last], symbols[first:last]))
            rows, text, symbols = map(np.concatenate, zip(*found, strict=True))
            yield value.to_bytes(_EIGHT, "big"), rows, text, symbols

    def total_length(self, live: Mask | None) -> int:
        """Tokens in all rows, or in the live ones."""
        return int((self._lengths if live is None else self._lengths[live]).sum(dtype=np.int64))

    def matrix_of(self, numbers: npt.NDArray[np.int64], wanted: Hashes) -> TermMatrix:
        """Counts of `wanted` in some rows, in the order given."""
        found = (term_counts_by_reference(places, numbers, wanted) for places in self._holding(wanted))
        return self._summed(found, numbers, wanted)

    def matrix(self, spans: Sequence[tuple[int, int]], wanted: Hashes) -> TermMatrix:
        """Counts of `wanted` in the rows of some (first, count) spans, in that order."""
        found = (term_counts(places, spans, wanted) for places in self._holding(wanted))
        return self._summed(found, numbers_in(spans), wanted)

    def _holding(self, _wanted: Hashes) -> Sequence[TermPlaces]:
        """Where some terms occur."""
        return self._places

    def _summed(
        self, found: Iterable[tuple[Floats, Floats]], numbers: npt.NDArray[np.int64], wanted: Hashes
    ) -> TermMatrix:
        """What sections tell, put together: each has nothing but noughts for the rows of others."""
        shape = len(numbers), len(wanted)
        parts = [*found]
        text, symbols = functools.reduce(_sum, parts) if parts else (np.zeros(shape), np.zeros(shape))
        return TermMatrix(text, symbols, self._lengths[numbers].astype(np.float64))


def _counts_in(places: TermPlaces) -> tuple[Counts, Counts]:
    """How often each entry's row holds its term, in text and in symbols."""
    at = places.codes.astype(np.int64)
    at[places.rare] += np.arange(len(places.rare))
    return places.pairs[0::2][at], places.pairs[1::2][at]


def _sum(one: tuple[Floats, Floats], other: tuple[Floats, Floats]) -> tuple[Floats, Floats]:
    return one[0] + other[0], one[1] + other[1]


def _section(data: Counts, at: int, first: int) -> tuple[TermPlaces, int]:
    """The section that begins somewhere, and where it ends; ValueError or struct.error where there is none."""
    terms, entries, rare, pairs = _SECTION.unpack(data[at : at + _SECTION.size].tobytes())
    sizes = 8 * terms, 4 * (terms + 1), 4 * rare, 2 * entries, entries, 2 * pairs
    start = at + _SECTION.size
    ends = [*accumulate(sizes, initial=start)]
    if ends[-1] > len(data):
        raise ValueError(f"{entries} entries that aren't there")
    parts = (data[a:b].view(kind) for a, b, kind in zip(ends, ends[1:], _KINDS, strict=False))
    return TermPlaces(first, *parts), start + _padded(sum(sizes))
