"""LanceDB: one table a segment, in its folder; an index over the large ones, brute force over the rest.

LanceDB doesn't flush what it writes, so every file and folder of a table is flushed here before the
segment is hashed. A table is never written again, and reading one changes nothing in its folder.
"""

from __future__ import annotations

import contextlib
import math
import os
import re
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from functools import partial
from typing import TYPE_CHECKING, Any

from cairn.base import durable, lazy
from cairn.base.errors import CorruptStoreError, StorageError
from cairn.base.shortage import shortage_of
from cairn.engines.flat import FlatReader
from cairn.engines.order import nearest_of, nothing, numbers_within, runs_of
from cairn.engines.protocol import Mask, Numbers, Scores, VectorReader, Vectors
from cairn.engines.record import elsewhere, has_record

if TYPE_CHECKING:
    import numpy as np
else:
    np = lazy.module("numpy")

ANN_ROWS = 50_000
"""Rows from which on a segment has an index; fewer are read into memory and searched like a flat matrix."""
NAME = "lancedb"
_FOLDER = "lance"
_TABLE = "vectors"
_PROBED = 5
"""One in so many partitions is searched."""
Guard = Callable[[], AbstractContextManager[None]]
"""Turns errors of LanceDB into errors of Cairn."""
# The bindings turn a failure in Rust into one of several types; a panic is only recognised by its name.
_FAILURES = (OSError, ValueError, RuntimeError, LookupError, TypeError, OverflowError, MemoryError)
_PANICS = ("RustPanic", "PanicException")
_ITS_SOURCES = re.compile(r",?\s*/(?:rustc|\S*/\.cargo)/[^\s,]+")


class LanceEngine:
    """A table in the segment's own folder."""

    name = NAME

    def __init__(self, store: str = "", *, exact: bool = False) -> None:
        self._store = store
        self._exact = exact

    def write(self, folder: str, vectors: Vectors) -> None:
        inside = os.path.join(folder, _FOLDER)
        os.mkdir(inside)
        try:
            write_table(connect(inside), _TABLE, vectors)
        except RuntimeError as error:
            # An error of the operating system also comes as an OSError.
            raise StorageError(f"The vectors can't be written: {first_line(error)}.") from error
        durable.sync_tree(inside)
        durable.sync_folder(folder)

    def open(self, folder: str, count: int, dimension: int) -> VectorReader:
        inside = os.path.join(folder, _FOLDER)
        if has_record(folder) and not holds_table(folder):
            raise elsewhere(self._store, folder)
        guard = partial(damage_in, inside)
        with guard():
            table = connect(inside).open_table(_TABLE)
            return reader_of(table, inside, count, dimension, guard, exact=self._exact)


def holds_table(folder: str) -> bool:
    """Whether a segment has its table in its own folder."""
    return os.path.isdir(os.path.join(folder, _FOLDER))


def connect(uri: str) -> Any:
    """A connection to the tables in a folder or at an address."""
    import lancedb

    return lancedb.connect(uri)


def write_table(database: Any, name: str, vectors: Vectors, marker: dict[bytes, bytes] | None = None) -> Any:
    """Make a table, with an index if it is large."""
    import pyarrow

    rows, dimension = vectors.shape
    values = pyarrow.array(np.ascontiguousarray(vectors, dtype=np.float32).reshape(-1))
    columns = {
        "number": pyarrow.array(np.arange(rows, dtype=np.int64)),
        "vector": pyarrow.FixedSizeListArray.from_arrays(values, dimension),
    }
    rows_of = pyarrow.table(columns).replace_schema_metadata(marker)
    table = database.create_table(name, rows_of, mode="create")
    if rows >= ANN_ROWS:
        from lancedb.index import IvfFlat

        table.create_index("vector", config=IvfFlat(distance_type="dot", num_partitions=_partitions(rows)))
    return table


def reads_all(count: int, *, whole: bool) -> bool:
    """Whether a reader of so many rows reads them all when it is made; `whole` where it is to in any case."""
    return whole or count < ANN_ROWS


def reader_of(
    table: Any, place: str, count: int, dimension: int, guard: Guard, *, exact: bool, whole: bool = False
) -> VectorReader:
    """Read a table that must have so many rows of that dimension; all of it at once if it is small, or `whole`."""
    import pyarrow

    kind = pyarrow.list_(pyarrow.float32(), dimension)
    found = (table.count_rows(), table.schema.names, table.schema.field("vector").type)
    if found != (count, ["number", "vector"], kind):
        raise CorruptStoreError(f"{place} holds {found[0]} rows of {found[2]}, not {count} of {kind}.")
    if not reads_all(count, whole=whole):
        return _TableReader(table, place, count, dimension, guard, exact)
    matrix = np.empty((count, dimension), dtype=np.float32)
    numbers, vectors = _columns(table.to_arrow(), dimension)
    _require_each(numbers, count, place)
    matrix[numbers] = vectors
    return FlatReader(matrix)


def require_ends(table: Any, place: str, count: int, dimension: int, *, exact: bool) -> None:
    """CorruptStoreError unless the first and the last row, and an index that is used, can be read: no file is gone.

    A table's rows lie in order, in one file up to a million of them.
    """
    ends = np.unique(np.array([0, count - 1], dtype=np.int64))
    said, _ = _columns(table.take_offsets(ends.tolist()).to_arrow(), dimension)
    if np.sort(said).tolist() != ends.tolist():
        raise CorruptStoreError(f"{place} lacks rows that were written into it.")
    if count >= ANN_ROWS and not exact:
        anything = np.zeros(dimension, dtype=np.float32)
        asked = table.search(anything, vector_column_name="vector").distance_type("dot").nprobes(1).limit(1)
        asked.select(["number"]).to_arrow()


class _TableReader:
    def __init__(self, table: Any, place: str, count: int, dimension: int, guard: Guard, exact: bool) -> None:
        self._table = table
        self._place = place
        self._count = count
        self._dimension = dimension
        self._guard = guard
        self._exact = exact

    def nearest(self, query: Vectors, limit: int, live: Mask | None) -> tuple[Numbers, Scores]:
        if limit <= 0 or (live is not None and not live.any()):
            return nothing()
        runs = None if live is None or live.all() else runs_of(live)
        count = self._count if runs is None else sum(end - first for first, end in runs)
        found = nearest_of(lambda wanted: self._fetch(query, wanted, runs), count, count, query, limit, live)
        return found if found is not None else nothing()

    def take(self, numbers: Numbers) -> Vectors:
        if not len(numbers):
            return np.empty((0, self._dimension), dtype=np.float32)
        different, places = np.unique(numbers, return_inverse=True)
        with self._guard():
            said, vectors = _columns(self._table.take_offsets(different.tolist()).to_arrow(), self._dimension)
        order = np.argsort(said)
        if said[order].tolist() != different.tolist():
            raise CorruptStoreError(f"{self._place} lacks rows that were written into it.")
        return vectors[order][places]

    def _fetch(
        self, query: Vectors, wanted: int, runs: list[tuple[int, int]] | None
    ) -> tuple[Numbers, Vectors, Vectors]:
        with self._guard():
            asked = self._table.search(query, vector_column_name="vector").distance_type("dot").limit(wanted)
            if runs is not None:
                asked = asked.where(numbers_within(runs), prefilter=True)
            if self._exact:
                asked = asked.bypass_vector_index()
            else:
                asked = asked.nprobes(max(1, _partitions(self._count) // _PROBED))
            found = asked.select(["number", "vector", "_distance"]).to_arrow()
            numbers, vectors = _columns(found, self._dimension)
            # LanceDB calls 1 - the inner product a distance.
            theirs = 1 - found["_distance"].combine_chunks().to_numpy(zero_copy_only=False)
        if len(numbers) and not (numbers.min() >= 0 and numbers.max() < self._count):
            raise CorruptStoreError(f"{self._place} has rows that were never written.")
        return numbers, theirs.astype(np.float32), vectors


def _columns(found: Any, dimension: int) -> tuple[Numbers, Vectors]:
    numbers = found["number"].combine_chunks().to_numpy(zero_copy_only=False).astype(np.int64)
    lists = found["vector"].combine_chunks()
    if found.num_rows == 0:
        return numbers, np.empty((0, dimension), dtype=np.float32)
    # `flatten` minds the offset of a slice, which `values` doesn't.
    values = lists.flatten().to_numpy(zero_copy_only=False)
    return numbers, np.asarray(values, dtype=np.float32).reshape(-1, dimension)


def _require_each(numbers: Numbers, count: int, place: str) -> None:
    if not np.array_equal(np.sort(numbers), np.arange(count)):
        raise CorruptStoreError(f"{place} doesn't hold each of its {count} rows once.")


def _partitions(rows: int) -> int:
    return max(1, math.isqrt(rows) // 2)


@contextlib.contextmanager
def damage_in(place: str) -> Iterator[None]:
    """Report any failure of a table as damage, because it was whole when it was written."""
    try:
        yield
    except BaseException as error:
        if not is_failure(error):
            raise
        raise shortage_of(error) or CorruptStoreError(
            f"{place} can't be read as vectors: {first_line(error)}."
        ) from error


def is_failure(error: BaseException) -> bool:
    """Whether an error is LanceDB's own and still has to be translated."""
    return isinstance(error, _FAILURES) or is_panic(error)


def is_panic(error: BaseException) -> bool:
    """Whether LanceDB panicked, as it does over a file whose bytes were changed."""
    return type(error).__name__ in _PANICS


def first_line(error: BaseException) -> str:
    """The first line of an error's message: LanceDB's go on for pages."""
    return _ITS_SOURCES.sub("", str(error).split("\n", 1)[0])[:200]
