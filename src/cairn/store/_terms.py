"""`terms.bin`: which rows hold each term, and how often.

Tantivy tells which rows match; this tells by how much, so that scores come from the row and the
whole view alone and not from the way rows are spread over segments. Where there are so few rows that no index of
Tantivy is worth its making, this tells both: then the tokens of paths are terms too, as hashes of NUL and the token,
which rows hold no times.

A header of 64 bytes (magic, version, rows, terms, entries, pairs), then arrays in little-endian order: hashes
uint64[terms] in ascending order, offsets uint32[terms + 1], lengths uint32[rows], files uint32[rows], rows
uint16[entries] (uint32 with more than 65,536 rows) ascending within each term, codes uint8[entries] (uint16 with more
than 256 pairs), pairs uint8[pairs, 2]: the counts in text and symbols that a code stands for.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, Any, NamedTuple

from cairn.base import lazy
from cairn.base.errors import CorruptStoreError
from cairn.base.shortage import shortage_of
from cairn.base.terms import posting_types, term_hash
from cairn.base.values import dataclass
from cairn.engines import Mask
from cairn.kernel.postings import inverted
from cairn.kernel.scores import TermPlaces, numbers_in, term_counts, term_counts_by_reference

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
_VERSION = 3
_HEADER = struct.Struct("<8sIQQQQ")
_HEADER_BYTES = 64


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


class TermsWriter:
    """Writes the terms of one segment, row by row."""

    def __init__(self, folder: str) -> None:
        self._path = os.path.join(folder, TERMS_FILE)
        self._paths: list[str] = []
        self._sizes: list[int] = []
        self._lengths: list[int] = []
        self._files: list[int] = []
        self._hashes: list[bytes] = []
        self._text: list[bytes] = []
        self._symbols: list[bytes] = []

    def add(self, file_number: int, terms: Terms) -> None:
        """Add the terms of the next row."""
        self._sizes.append(len(terms.text_counts))
        self._paths.append(terms.path)
        self._lengths.append(terms.length)
        self._files.append(file_number)
        self._hashes.append(terms.hashes)
        self._text.append(terms.text_counts)
        self._symbols.append(terms.symbol_counts)

    def close(self, *, alone: bool = False) -> None:
        """Turn rows of terms into terms of rows, and write the file; `alone` where it has to tell of paths too."""
        for row, path in enumerate(self._paths if alone else ()):
            hashes = b"".join(map(path_hash, path.split()))
            nothing = bytes(len(hashes) // 8)
            self._sizes[row] += len(nothing)
            self._hashes[row] += hashes
            self._text[row] += nothing
            self._symbols[row] += nothing
        found = inverted(self._sizes, b"".join(self._hashes), b"".join(self._text), b"".join(self._symbols))
        terms, entries, pairs = len(found.hashes) // 8, sum(self._sizes), len(found.pairs) // 2
        header = _HEADER.pack(_MAGIC, _VERSION, len(self._sizes), terms, entries, pairs)
        with open(self._path, "xb") as file:
            file.write(header.ljust(_HEADER_BYTES, b"\0"))
            for part in (
                found.hashes,
                found.offsets,
                np.asarray(self._lengths, dtype="<u4").tobytes(),
                np.asarray(self._files, dtype="<u4").tobytes(),
                found.rows,
                found.codes,
                found.pairs,
            ):
                file.write(part)


class TermsReader:
    """The term counts of one segment, mapped into memory."""

    def __init__(self, folder: str, rows: int) -> None:
        path = os.path.join(folder, TERMS_FILE)
        try:
            # A plain array over the map: slices of a memmap cost ten times as much.
            data = np.memmap(path, dtype=np.uint8, mode="r").view(np.ndarray)
            magic, version, said, terms, entries, pairs = _HEADER.unpack(data[: _HEADER.size].tobytes())
            kinds = ("<u8", "<u4", "<u4", "<u4", *posting_types(said, pairs), "<u1")
            counts = (terms, terms + 1, said, said, entries, entries, 2 * pairs)
            ends = [
                *accumulate(
                    (np.dtype(kind).itemsize * n for kind, n in zip(kinds, counts, strict=True)), initial=_HEADER_BYTES
                )
            ]
            if (magic, version, said, len(data)) != (_MAGIC, _VERSION, rows, ends[-1]):
                raise CorruptStoreError(f"{path} is not the term counts of {rows} rows.")
        except (OSError, ValueError, struct.error) as error:
            raise shortage_of(error) or CorruptStoreError(f"{path} can't be read as term counts: {error}.") from error
        hashes, offsets, self._lengths, self.files, held, codes, counted = (
            data[start:end].view(kind) for start, end, kind in zip(ends, ends[1:], kinds, strict=False)
        )
        text, symbols = np.ascontiguousarray(counted.reshape(-1, 2).T, dtype=np.float64)
        self._places = TermPlaces(hashes, offsets, held, codes, text, symbols)

    def rows_with(self, term: bytes) -> npt.NDArray[np.unsignedinteger[Any]]:
        """The rows that hold a term, by its hash, in ascending order."""
        hashes = self._places.hashes
        (wanted,) = np.frombuffer(term, dtype="<u8")
        at = int(np.searchsorted(hashes, wanted))
        if at == len(hashes) or hashes[at] != wanted:
            return self._places.rows[:0]
        first, last = self._places.offsets[at : at + 2].tolist()
        return self._places.rows[first:last]

    def total_length(self, live: Mask | None) -> int:
        """Tokens in all rows, or in the live ones."""
        return int((self._lengths if live is None else self._lengths[live]).sum(dtype=np.int64))

    def matrix_of(self, numbers: npt.NDArray[np.int64], wanted: Hashes) -> TermMatrix:
        """Counts of `wanted` in some rows, in the order given."""
        return TermMatrix(*term_counts_by_reference(self._places, numbers, wanted), self._lengths_of(numbers))

    def matrix(self, spans: Sequence[tuple[int, int]], wanted: Hashes) -> TermMatrix:
        """Counts of `wanted` in the rows of some (first, count) spans, in that order."""
        return TermMatrix(*term_counts(self._places, spans, wanted), self._lengths_of(numbers_in(spans)))

    def _lengths_of(self, numbers: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
        return self._lengths[numbers].astype(np.float64)
