"""A segment as a table that is asked a few blocks at a time, by machines that hold nothing of it.

    a                 what it is a table of, as JSON
    c <file>          files from a number on: what each is, as columns
    f <file>          a file: its text, its chunks, what it defines and what it asks for
    g <bucket>        the files of a bucket of trigrams, as `_trigrams` has them
    k                 of many rows, the pieces of vectors that their codes tell of: float32, as `_codes` has them
    l <row>           the lengths of rows from a number on: uint32
    n <name>          what is defined under a casefolded name, as columns
    p <hash>          the rows of files with a word in their paths
    t <hash>          the rows that hold a term, and how often
    v <part>          vectors, row by row, in as few bytes as hold them; of many rows their codes, piece by piece

Numbers in keys have four bytes, the largest first, so that keys ascend as they do.
"""

from __future__ import annotations

import json
import struct
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from operator import attrgetter
from typing import TYPE_CHECKING, Any, BinaryIO

from cairn.base import deadline, lazy
from cairn.base.columns import join_columns, split_columns
from cairn.base.values import dataclass
from cairn.engines import Vectors
from cairn.engines.flat import shortest
from cairn.engines.record import digest_of
from cairn.kernel.postings import MOST_ROWS, RARE
from cairn.kernel.scores import TermPlaces
from cairn.kernel.tokens import each_token
from cairn.store._codes import coded, learnt
from cairn.store._segment import SegmentReader
from cairn.store._terms import path_hash
from cairn.store.blocktable import TableWriter
from cairn.store.rows import EdgeRow, FileRow, SymbolRow

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
else:
    np = lazy.module("numpy")

VERSION = 2
FILES_AT_ONCE = 4096
ROWS_AT_ONCE = 1 << 14
CODED_ROWS = 50_000
"""Rows from which on a segment's vectors are told by codes: an eighth of their bytes, as every machine holds them."""
_MOST_NAME_BYTES = 1 << 14
"""Nobody asks for a longer name."""
_NUMBER = struct.Struct(">I")
_SIZES = struct.Struct("<4I")
_FILE = attrgetter(*"path_key file_hash language size chunks lines".split())
_SYMBOL = attrgetter(
    *"layer name qualified_name kind signature container doc start_line end_line name_line exported".split()
)
_EDGE = attrgetter(*"layer kind target names line".split())


@dataclass(frozen=True, slots=True)
class PostedRows:
    """The rows that hold a term, ascending, and how often each does in its text and its symbols."""

    rows: npt.NDArray[np.int64]
    text: npt.NDArray[np.uint8]
    symbols: npt.NDArray[np.uint8]


def entries_of(posted: Sequence[tuple[np.uint64, PostedRows]], start: int) -> TermPlaces:
    """The entries of one section, each with counts of its own; as in an index, a term without entries isn't there."""
    each_span = [np.searchsorted(each.rows, (start, start + MOST_ROWS)).tolist() for _, each in posted]
    held = [(term, first, last) for term, (first, last) in zip(posted, each_span, strict=True) if first < last]
    sizes = [last - first for _, first, last in held]
    total = sum(sizes)

    def column(name: str) -> Any:
        parts = [getattr(each, name)[first:last] for (_, each), first, last in held]
        return np.concatenate(parts) if parts else np.zeros(0, dtype=np.uint8)

    pairs = np.zeros((RARE + total, 2), dtype=np.uint8)
    pairs[RARE:, 0], pairs[RARE:, 1] = column("text"), column("symbols")
    return TermPlaces(
        start,
        np.array([value for (value, _), _, _ in held], dtype=np.uint64),
        np.concatenate(([0], np.cumsum(sizes))).astype(np.uint32),
        np.arange(total, dtype=np.uint32),
        (column("rows") - start).astype(np.uint16),
        np.full(total, RARE, dtype=np.uint8),
        pairs.reshape(-1),
    )


def number_key(kind: bytes, number: int) -> bytes:
    """The key of what has a number."""
    return kind + _NUMBER.pack(number)


def name_key(folded: str) -> bytes:
    """The key of a casefolded name."""
    return b"n" + folded.encode()


def term_key(hashed: bytes) -> bytes:
    """The key of a term, by its hash as the index has it."""
    return b"t" + hashed[::-1]


def path_key(hashed: bytes) -> bytes:
    """The key of a word of paths, by its hash as the index has it."""
    return b"p" + hashed[::-1]


def write_table(segment: SegmentReader, file: BinaryIO) -> bytes:
    """Write all of a segment that a search asks for; the directory of the table."""
    placed = segment.rows.placed_files()
    vectors = segment.vectors.take(np.arange(segment.ref.rows, dtype=np.int64))
    writer = TableWriter(file)
    writer.add(b"a", json.dumps(_said(segment, vectors), sort_keys=True).encode())
    for first in range(0, len(placed), FILES_AT_ONCE):
        files = [said for _, _, said in placed[first : first + FILES_AT_ONCE]]
        writer.add(number_key(b"c", first), join_files(files))
    defined: dict[str, list[tuple[int, SymbolRow]]] = defaultdict(list)
    for number, _, _ in placed:
        deadline.check()
        packed = segment.rows.packed(number)
        writer.add(number_key(b"f", number), joined((packed.text, packed.chunks, packed.symbols, _edges(packed.edges))))
        for symbol in segment.rows.symbols_in([number])[number]:
            defined[symbol.name.casefold()].append((number, symbol))
    for bucket, steps in segment.trigrams.entries():
        writer.add(number_key(b"g", bucket), steps)
    short, known = shortest(vectors), learnt(vectors) if len(vectors) >= CODED_ROWS else None
    if known is not None:
        writer.add(b"k", known.astype("<f4").tobytes())
    lengths = segment.terms.lengths()
    for first in range(0, len(lengths), ROWS_AT_ONCE):
        writer.add(number_key(b"l", first), lengths[first : first + ROWS_AT_ONCE].astype("<u4").tobytes())
    for key in sorted(map(name_key, defined)):
        if len(key) <= _MOST_NAME_BYTES:
            writer.add(key, _symbols(defined[key[1:].decode()]))
    for key, posted in _in_paths(placed):
        writer.add(key, join_posted(posted))
    for hashed, rows, text, symbols in segment.terms.postings():
        if text.any() or symbols.any():
            # A small segment has the words of paths among its terms.
            writer.add(b"t" + hashed, join_posted(PostedRows(rows, text, symbols)))
    for part, first in enumerate(range(0, len(vectors), ROWS_AT_ONCE)):
        some = vectors[first : first + ROWS_AT_ONCE]
        own = coded(some, known) if known is not None else short[first : first + ROWS_AT_ONCE]
        writer.add(number_key(b"v", part), np.ascontiguousarray(own).tobytes())
    return writer.finish()


def _said(segment: SegmentReader, vectors: Vectors) -> Mapping[str, Any]:
    ref = segment.ref
    return {
        "schema_version": VERSION,
        "segment_id": ref.segment_id,
        "rows": ref.rows,
        "files": ref.files,
        "dimension": ref.dimension,
        "bytes_a_number": shortest(vectors).dtype.itemsize,
        "vectors": digest_of([vectors]),
        "marker": segment.rows.marker(),
    }


def _in_paths(placed: Sequence[tuple[int, int, FileRow]]) -> Iterator[tuple[bytes, PostedRows]]:
    """The rows of every word of paths, in the order of its key."""
    spans: dict[bytes, list[tuple[int, int]]] = defaultdict(list)
    for _, first, said in placed:
        for token in dict.fromkeys(each_token(said.path_key)) if said.chunks else ():
            spans[path_key(path_hash(token))].append((first, said.chunks))
    for key in sorted(spans):
        yield key, _spanned(spans[key])


def _spanned(spans: Sequence[tuple[int, int]]) -> PostedRows:
    rows = np.concatenate([np.arange(first, first + count, dtype=np.int64) for first, count in spans])
    nothing = np.zeros(len(rows), dtype=np.uint8)
    return PostedRows(rows, nothing, nothing)


def join_posted(posted: PostedRows) -> bytes:
    """The value of a term: steps from row to row, byte by byte of all of them, then the counts."""
    steps = np.diff(posted.rows, prepend=0).astype("<u4").view(np.uint8).reshape(-1, 4)
    return steps.T.tobytes() + posted.text.tobytes() + posted.symbols.tobytes()


def split_posted(value: bytes) -> PostedRows:
    """The rows of a term; ValueError for what is no such value."""
    bytes_of = np.frombuffer(value, dtype=np.uint8).reshape(6, -1)
    steps = np.ascontiguousarray(bytes_of[:4].T).view("<u4").reshape(-1)
    return PostedRows(np.cumsum(steps, dtype=np.int64), bytes_of[4], bytes_of[5])


def join_files(files: Sequence[FileRow]) -> bytes:
    """Some files as columns."""
    columns = [*zip(*map(_FILE, files), strict=True)]
    return join_columns(columns[:3], columns[3:])


def split_files(value: bytes) -> Iterator[FileRow]:
    """The files of some columns."""
    columns = split_columns(value, 3, 3)
    paths, hashes, languages = map(columns.text, range(3))
    return map(FileRow, paths, hashes, columns.numbers[0], languages, *columns.numbers[1:])


def _symbols(found: Sequence[tuple[int, SymbolRow]]) -> bytes:
    columns = [*zip(*(_SYMBOL(symbol) for _, symbol in found), strict=True)]
    return join_columns(columns[:7], [[number for number, _ in found], *columns[7:]])


def split_symbols(value: bytes) -> list[tuple[int, SymbolRow]]:
    """(file number, symbol) of what a name is defined as."""
    columns = split_columns(value, 7, 5)
    layers, names, qualified, kinds, signatures, containers, docs = map(columns.text, range(7))
    numbers, starts, ends, lines, exported = columns.numbers
    seen = map(bool, exported)
    symbols = map(SymbolRow, layers, names, qualified, kinds, signatures, starts, ends, lines, containers, seen, docs)
    return [*zip(numbers, symbols, strict=True)]


def _edges(edges: Iterable[EdgeRow]) -> bytes:
    columns = [*zip(*map(_EDGE, edges), strict=True)] or [()] * 5
    return join_columns(columns[:4], columns[4:])


def split_edges(value: bytes) -> tuple[EdgeRow, ...]:
    """What a file asks for, in order."""
    columns = split_columns(value, 4, 1)
    layers, kinds, targets, names = map(columns.text, range(4))
    return tuple(map(EdgeRow, layers, kinds, targets, columns.numbers[0], names))


def joined(parts: Sequence[bytes]) -> bytes:
    """The four parts of a file as one value."""
    return _SIZES.pack(*map(len, parts)) + b"".join(parts)


def parts_of(value: bytes) -> tuple[bytes, bytes, bytes, bytes]:
    """Text, chunks, definitions and edges of a file; ValueError or struct.error for what is no such value."""
    sizes = _SIZES.unpack_from(value)
    ends = [_SIZES.size, *(0,) * 4]
    for number, size in enumerate(sizes):
        ends[number + 1] = ends[number] + size
    if ends[-1] != len(value):
        raise ValueError(f"{len(value)} bytes, not {ends[-1]}")
    text, chunks, symbols, edges = (value[a:b] for a, b in pairwise(ends))
    return text, chunks, symbols, edges
