"""The parts of a segment that lies elsewhere as a table, and is asked a few blocks at a time.

Its folder holds what every question needs: which files there are, how long their rows are, and the directory of the
table. Everything else is read where a question asks for it, so what a search doesn't ask for is not there at all.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, partial
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any

from cairn.base import lazy
from cairn.base.columns import Columns
from cairn.base.errors import CorruptStoreError, IncompatibleError, RefusedError, VectorsLostError
from cairn.base.ownfile import read_unfollowed
from cairn.base.shortage import shortage_of
from cairn.base.steps import Advice, NextStep
from cairn.base.terms import term_hash
from cairn.base.values import dataclass
from cairn.engines import Mask, Numbers, Scores, Vectors
from cairn.engines.flat import FlatReader
from cairn.engines.kept import KeptVectors
from cairn.engines.record import VectorRecord, digest_of
from cairn.kernel.grams import bitmap_bytes
from cairn.kernel.postings import MOST_ROWS
from cairn.kernel.scores import TermPlaces
from cairn.store import packed
from cairn.store._codes import CODES, CodedReader, pieces_of
from cairn.store._fewrows import FewRows
from cairn.store._matched import Lexical
from cairn.store._occurrences import P, T
from cairn.store._rowfile import RowFileReader
from cairn.store._terms import Hashes, TermsReader, path_hash
from cairn.store._trigrams import Clause, TrigramsReader
from cairn.store.askable import (
    CODED_ROWS,
    ROWS_AT_ONCE,
    VERSION,
    PostedRows,
    entries_of,
    name_key,
    number_key,
    parts_of,
    path_key,
    split_edges,
    split_posted,
    split_symbols,
    term_key,
)
from cairn.store.blocktable import Blocks, BlockTable, damaged_table
from cairn.store.rows import EdgeRow, SymbolRow

if TYPE_CHECKING:
    import numpy as np
else:
    np = lazy.module("numpy")

SAID_FILE = "asked.json"
"""Which table it is, and what it says of itself."""
ROWS_FILE = "asked.rows"
"""The length of every row, then the file of each: uint32."""
DIRECTORY_FILE = "asked.directory"
MOST_NAME_BLOCKS = 16
"""Names that begin with a text stand in so many blocks at most; a shorter text begins too many."""
_MOST_NUMBER = 1 << 28
"""Of rows, files and numbers of a vector: what is kept of each finds room in memory."""
_TEXT, _CHUNKS, _SYMBOLS = range(3)
_PART = {"chunks": _CHUNKS, "symbols": _SYMBOLS}
_ELSEWHERE = re.compile(r"\b(texts|blocks|edges|defined|occurrences|trees|shapes|flows)\b")


@dataclass(frozen=True, slots=True)
class AskedSegment:
    """What a segment's table says of itself."""

    segment_id: str
    rows: int
    files: int
    dimension: int
    bytes_a_number: int
    vectors: str
    """The digest of all vectors."""
    marker: Mapping[str, Any] | None

    @property
    def vector_keys(self) -> list[bytes]:
        """The keys of its vectors."""
        known = [b"k"] if self.is_coded else []
        return [*known, *(number_key(b"v", part) for part in range(-(-self.rows // ROWS_AT_ONCE)))]

    @property
    def is_coded(self) -> bool:
        """Whether its vectors are told by codes."""
        return self.rows >= CODED_ROWS


def said_in(data: bytes, name: str) -> AskedSegment:
    """What a table says of itself; CorruptStoreError or IncompatibleError for anything else."""
    try:
        document = json.loads(data)
        version = document.pop("schema_version")
        if version != VERSION:
            raise IncompatibleError(
                f"The table {name} is of version {version}; this Cairn reads {VERSION}.",
                hint=Advice(NextStep("push_askable_again"), " with this version, or ask with the one that did."),
            )
        said = AskedSegment(**document)
        numbers = said.rows, said.files, said.dimension, said.bytes_a_number
        if {*map(type, numbers)} != {int} or min(numbers) < 0 or max(numbers) > _MOST_NUMBER:
            raise ValueError("a number is none of a segment")
        if not isinstance(document["segment_id"], str) or not isinstance(document["vectors"], str):
            raise ValueError("a field is wrong")
        if not isinstance(document["marker"], dict | None):
            raise ValueError("its marker is wrong")
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise damaged_table(name, f"doesn't say what it is: {error}") from error
    return said


def read_said(folder: str) -> tuple[str, AskedSegment]:
    """The name of a segment's table, and what it says of itself."""
    name, _, said = _read(folder, SAID_FILE).partition(b"\n")
    return name.decode("ascii", "replace"), said_in(said, name.decode("ascii", "replace"))


class AskedParts:
    """The parts of one segment."""

    def __init__(self, folder: str, blocks: Blocks, kept: KeptVectors) -> None:
        self._folder = folder
        name, self.said = read_said(folder)
        self.table = BlockTable(name, _read(folder, DIRECTORY_FILE), blocks)
        self._kept = kept

    @cached_property
    def rows(self) -> AskedRows:
        return AskedRows(self._folder, self.table)

    @cached_property
    def terms(self) -> AskedTerms:
        return AskedTerms(self._folder, self.said.rows, self.table)

    @cached_property
    def trigrams(self) -> AskedTrigrams:
        return AskedTrigrams(self.said.files, self.table)

    @cached_property
    def vectors(self) -> AskedVectors:
        return AskedVectors(self.said, self.table, self._kept)

    def lexical(self, _dead: frozenset[str], live: Mask | None) -> Lexical:
        return AskedWords(self.terms, self.said.rows, live)


class AskedRows(RowFileReader):
    """Files by what the folder tells, and what is in them by the table."""

    def __init__(self, folder: str, table: BlockTable) -> None:
        super().__init__(folder)
        self._table = table

    def missing(self, files: Sequence[int]) -> tuple[BlockTable, list[int]]:
        return self._table, self._table.missing([number_key(b"f", number) for number in files])

    def symbols_named(self, folded: Sequence[str]) -> list[tuple[int, SymbolRow]]:
        found = self._table.get(map(name_key, folded))
        rows = [row for value in found.values() for row in self._unpacked(split_symbols, value)]
        return sorted(rows, key=lambda row: row[0])

    def symbols_starting(self, folded: str) -> list[tuple[int, SymbolRow]]:
        found = self._table.starting(name_key(folded), MOST_NAME_BLOCKS)
        if found is None:
            raise RefusedError(f"Too many names begin with {folded!r} to be asked for elsewhere.", hint="Name more.")
        rows = [row for _, value in found for row in self._unpacked(split_symbols, value)]
        return sorted(rows, key=lambda row: row[0])

    def names_starting(self, start: str) -> list[tuple[str, int]]:
        """Of a start that many names have nothing is told: they are asked for only to guess what was meant."""
        found = self._table.starting(name_key(start), MOST_NAME_BLOCKS) or ()
        return [
            (self._unpacked(bytes.decode, key[1:]), number)
            for key, value in found
            for number, _ in self._unpacked(split_symbols, value)
        ]

    def imports_of(self, files: Sequence[int]) -> dict[int, list[str]]:
        edges = self._edges_of(files)
        return {
            number: [edge.target for edge in edges[number] if edge.kind in ("import", "reexport")] for number in files
        }

    def _unpacked(self, unpack: Callable[[P], T], block: P) -> T:
        try:
            return super()._unpacked(unpack, block)
        except CorruptStoreError as error:
            raise damaged_table(self._table.name, "has an entry that can't be read") from error

    def _text(self, file: int) -> bytes:
        return self._part_of([file], _TEXT)[file]

    def _columns(self, name: str, files: Sequence[int]) -> dict[int, Columns]:
        if name not in _PART:
            raise _unasked()
        blocks = self._part_of(files, _PART[name])
        return {number: self._unpacked(partial(packed.columns_of, name), blocks[number]) for number in files}

    def _edges_of(self, files: Sequence[int]) -> dict[int, tuple[EdgeRow, ...]]:
        found = self._part_of(files, 3)
        return {number: self._unpacked(split_edges, found[number]) for number in files}

    def _part_of(self, files: Sequence[int], part: int) -> dict[int, bytes]:
        keys = {int(number): number_key(b"f", int(number)) for number in files}
        found = self._table.get(keys.values())
        if lost := [number for number, key in keys.items() if key not in found]:
            raise damaged_table(self._table.name, f"has nothing of file {lost[0]}")
        return {number: self._unpacked(parts_of, found[key])[part] for number, key in keys.items()}

    def _all(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        if _ELSEWHERE.search(query):
            raise _unasked()
        return super()._all(query, *values)


def _read(folder: str, name: str) -> bytes:
    try:
        return read_unfollowed(os.path.join(folder, name))
    except OSError as error:
        raise shortage_of(error) or CorruptStoreError(f"{name} of {folder} can't be read: {error.strerror}.") from error


def _unasked() -> RefusedError:
    return RefusedError(
        "A snapshot that is asked at a remote answers searches alone.", hint="Pull it, then ask again without a remote."
    )


class AskedTerms(TermsReader):
    """Term counts of which only those of some terms are read."""

    def __init__(self, folder: str, rows: int, table: BlockTable) -> None:
        path = os.path.join(folder, ROWS_FILE)
        data = np.fromfile(path, dtype="<u4")
        if len(data) != 2 * rows:
            raise CorruptStoreError(f"{path} is not of {rows} rows.")
        self._lengths, self.files = data.reshape(2, rows)
        self._table = table

    def rows_with(self, term: bytes) -> Numbers:
        return self.rows_at(term_key(term))

    def rows_at(self, key: bytes) -> Numbers:
        """The rows of a word, by its key."""
        found = self._table.get([key])
        return next((self._posted(value).rows for value in found.values()), np.zeros(0, dtype=np.int64))

    def _holding(self, wanted: Hashes) -> Sequence[TermPlaces]:
        keys = {term_key(value.tobytes()): value for value in np.unique(wanted).astype("<u8")}
        found = self._table.get(keys)
        posted = [(keys[key], self._posted(found[key])) for key in keys if key in found]
        sections = range(0, len(self.files), MOST_ROWS)
        return [entries_of(posted, start) for start in sections]

    def _posted(self, value: bytes) -> PostedRows:
        try:
            posted = split_posted(value)
            if len(posted.rows) and posted.rows[-1] >= len(self.files):
                raise ValueError("rows that aren't there")
        except ValueError as error:
            raise damaged_table(self._table.name, f"has no such term counts: {error}") from error
        return posted


class AskedWords(FewRows):
    """Postings that are told from the table's own entries, however many rows there are."""

    _terms: AskedTerms

    def _holding(self, field: str, token: str) -> Numbers:
        return self._terms.rows_at(term_key(term_hash(token)) if field == "body" else path_key(path_hash(token)))


class AskedTrigrams(TrigramsReader):
    """Trigrams of which only those of some buckets are read."""

    def __init__(self, files: int, table: BlockTable) -> None:
        self._files = files
        self._table = table

    def files(self, clauses: Sequence[Clause]) -> set[int] | None:
        buckets = sorted({bucket for clause in clauses for alternative in clause for bucket in alternative})
        found = self._table.get(number_key(b"g", bucket) for bucket in buckets)
        return _ReadTrigrams(self._files, {b: found.get(number_key(b"g", b), b"") for b in buckets}).all_in(clauses)


class _ReadTrigrams(TrigramsReader):
    """The steps of some buckets, one behind the other."""

    def __init__(self, files: int, steps: Mapping[int, bytes]) -> None:
        self._files, self._map_bytes, self._step_at = files, bitmap_bytes(files), 0
        self._data = b"".join(steps.values())
        ends = [*accumulate(map(len, steps.values()), initial=0)]
        self._spans = dict(zip(steps, pairwise(ends), strict=True))

    def _span(self, bucket: int) -> tuple[int, int]:
        return self._spans.get(bucket, (0, 0))

    def all_in(self, clauses: Sequence[Clause]) -> set[int] | None:
        """Numbers of the files in which every clause holds."""
        return TrigramsReader.files(self, clauses)


class AskedVectors:
    """Vectors that are read whole with the first question, and kept."""

    def __init__(self, said: AskedSegment, table: BlockTable, kept: KeptVectors) -> None:
        self._said = said
        self._table = table
        self._kept = kept

    @property
    def is_here(self) -> bool:
        """Whether nothing of them has to be read."""
        return "_reader" in self.__dict__ or (not self._said.is_coded and self._kept.reader(self._record) is not None)

    def nearest(self, query: Vectors, limit: int, live: Mask | None) -> tuple[Numbers, Scores]:
        return self._reader.nearest(query, limit, live)

    def take(self, numbers: Numbers) -> Vectors:
        return self._reader.take(numbers)

    @property
    def _record(self) -> VectorRecord:
        return VectorRecord("", self._said.rows, self._said.dimension, self._said.vectors)

    @cached_property
    def _reader(self) -> FlatReader | CodedReader:
        try:
            if self._said.is_coded:
                return self._read_codes()
            kept = self._kept.reader(self._record)
            if kept is not None:
                return kept
            vectors = self._read()
        except CorruptStoreError as error:
            # What its words say is as true as before.
            raise VectorsLostError(error.message, hint=error.hint) from error
        self._kept.keep(self._record, vectors)
        return FlatReader(vectors)

    def _read_codes(self) -> CodedReader:
        """Blocks of codes are small enough to be kept as such."""
        of_known, *keys = self._said.vector_keys
        found = self._table.get([of_known, *keys])
        pieces = pieces_of(self._said.dimension)
        try:
            known = np.frombuffer(found[of_known], dtype="<f4").reshape(pieces, -1, self._said.dimension // pieces)
            codes = [np.frombuffer(found[key], dtype=np.uint8).reshape(pieces, -1) for key in keys]
            if known.shape[1] != CODES or sum(part.shape[1] for part in codes) != self._said.rows:
                raise ValueError("rows are missing")
        except (KeyError, ValueError) as error:
            raise damaged_table(self._table.name, f"has no codes for its rows: {error}") from error
        if not np.isfinite(known).all():
            raise damaged_table(self._table.name, "tells codes by what is no number")
        return CodedReader(np.concatenate(codes, axis=1), known)

    def _read(self) -> Any:
        keys = self._said.vector_keys
        found = self._table.get(keys)
        kind = np.float16 if self._said.bytes_a_number == np.dtype(np.float16).itemsize else np.float32
        data = np.frombuffer(b"".join(found.get(key, b"") for key in keys), dtype=kind)
        if data.size != self._said.rows * self._said.dimension or not np.isfinite(data).all():
            raise damaged_table(self._table.name, "doesn't hold the vectors of its rows")
        vectors: Any = data.reshape(self._said.rows, self._said.dimension)
        if digest_of([vectors]) != self._said.vectors:
            raise damaged_table(self._table.name, "has other vectors than those that were written")
        return vectors
