"""Milvus: one collection a store, and in it the rows of all segments, each with its segment and kind.

A segment has one marker, with an id of its own. It is there before the first row, so that a collection
of garbage finds whatever a writer left; it says what the segment must hold only once all rows are in.
Rows are removed by collections of garbage alone.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from cairn.base import lazy
from cairn.base.errors import CorruptStoreError, ProbeFailedError, VectorsLostError
from cairn.base.steps import Advice, NextStep
from cairn.base.text import plural
from cairn.engines.flat import FlatReader
from cairn.engines.milvus_import import load_pymilvus
from cairn.engines.milvus_link import link_to, release
from cairn.engines.order import ByTaking, nearest_of, nothing
from cairn.engines.places import names_at, place_to_write, require_here, settle
from cairn.engines.protocol import Mask, Numbers, VectorReader, Vectors
from cairn.engines.record import Digester, VectorRecord, digest_of, parse_record, place_in, read_record, write_record
from cairn.engines.settings import MilvusSettings

if TYPE_CHECKING:
    import numpy as np

    from cairn.engines.milvus_link import Link
else:
    np = lazy.module("numpy")

MOST_ROWS = 16_384
"""What a server gives at once, at most."""
ROW = "row"
MARKER = "cairn_segment_v1"
_WRITING = "writing"
_NOWHERE = "cairn_nowhere"
_EXACT = "FLAT"
_FIELDS = frozenset(("id", "segment", "kind", "number", "detail", "vector"))
_BATCH_ROWS = 1000
_BATCH_BYTES = 4 << 20


class MilvusEngine:
    """The rows of a store in one Milvus collection, on a server or in a Lite file."""

    name = "milvus"

    def __init__(self, store: str, settings: MilvusSettings) -> None:
        self._store = store
        self._exact = settings.exact
        self._settings = settings
        self._address = settings.address

    def write(self, folder: str, vectors: Vectors) -> None:
        vectors = vectors.astype(np.float32, copy=False)
        segment = os.path.basename(folder)
        place = place_to_write(self._store, self.name, self._address)
        record = VectorRecord(place, len(vectors), vectors.shape[1], digest_of([vectors]))
        link = self._link
        self._make(link, record)
        nowhere = np.zeros(record.dimension, dtype=np.float32)
        _put(link, record.place, [_row(segment, MARKER, 0, _WRITING, nowhere)])
        for first, part in _batches(vectors):
            rows = [_row(segment, ROW, first + number, "", vector) for number, vector in enumerate(part)]
            _put(link, record.place, rows)
        _put(link, record.place, [_row(segment, MARKER, 0, record.text(), nowhere)])
        # Rows are read back before anything relies on them.
        MilvusReader(link, segment, record, exact=self._exact).require_whole()
        if link.is_lite:
            link.call("flush", collection_name=record.place)
        write_record(folder, record)

    def open(self, folder: str, count: int, dimension: int) -> VectorReader:
        record = self._record(folder, count, dimension)
        return MilvusReader(self._link, os.path.basename(folder), record, exact=self._exact)

    def verify(self, folder: str, count: int, dimension: int) -> None:
        record = self._record(folder, count, dimension)
        reader = MilvusReader(self._link, os.path.basename(folder), record, exact=self._exact)
        reader.require_whole()
        digester = Digester()
        for numbers in _ranges(count, dimension):
            digester.add(reader.take(numbers))
        if digester.text() != record.digest:
            raise CorruptStoreError(
                f"The vectors of {os.path.basename(folder)} in {self._link.shown} are not those that were written.",
                hint=Advice(NextStep("repair"), "."),
            )

    def held(self) -> frozenset[str]:
        found: set[str] = set()
        for place in self._places() or self._none():
            self._link.load(place, _FIELDS)
            rows = self._link.call(
                "query", collection_name=place, filter=f'kind == "{MARKER}"', output_fields=["segment"], limit=MOST_ROWS
            )
            found.update(row["segment"] for row in rows)
        return frozenset(found)

    def remove(self, segments: Collection[str]) -> None:
        for place in self._places() if segments else ():
            for segment in sorted(segments):
                # The marker goes last: it is there as long as any row is.
                for kind in (ROW, MARKER):
                    self._link.call("delete", collection_name=place, filter=_filter(segment, kind))

    def remove_all(self) -> None:
        if self._link.is_lite:
            release(self._store)
            return
        for place in self._places():
            self._link.call("drop_collection", collection_name=place)
            self._link.forget(place)

    def settle(self) -> None:
        settle(self._store, self.name, self._address)

    def require_here(self, folder: str) -> None:
        require_here(self._store, place_in(folder), self.name, self._address)

    def _places(self) -> list[str]:
        """The collections of the store that are there, at the address of the settings."""
        return [name for name in names_at(self._store, self.name, self._address) if self._has(name)]

    def _none(self) -> tuple[str, ...]:
        """No segments, after the server was asked: a server that is down must not look empty."""
        self._has(_NOWHERE)
        return ()

    def _record(self, folder: str, count: int, dimension: int) -> VectorRecord:
        record = read_record(folder, count, dimension)
        require_here(self._store, record.place, self.name, self._address)
        return record

    @property
    def _link(self) -> Link:
        return link_to(self._settings, self._store)

    def _has(self, place: str) -> bool:
        return bool(self._link.call("has_collection", collection_name=place))

    def _make(self, link: Link, record: VectorRecord) -> None:
        if self._has(record.place):
            # The collection that we knew may have been dropped since.
            link.forget(record.place)
            link.load(record.place, _FIELDS, record.dimension)
            return
        load_pymilvus()
        from pymilvus import DataType, MilvusClient

        schema = MilvusClient.create_schema(auto_id=False, enable_dynamic_field=False)
        schema.add_field("id", DataType.VARCHAR, max_length=128, is_primary=True)
        schema.add_field("segment", DataType.VARCHAR, max_length=64)
        schema.add_field("kind", DataType.VARCHAR, max_length=64)
        schema.add_field("number", DataType.INT64)
        schema.add_field("detail", DataType.VARCHAR, max_length=1024)
        schema.add_field("vector", DataType.FLOAT_VECTOR, dim=record.dimension)
        index = MilvusClient.prepare_index_params()
        if self._exact:
            index.add_index("vector", index_type=_EXACT, metric_type="IP")
        else:
            index.add_index("vector", index_type="HNSW", metric_type="IP", params={"M": 16, "efConstruction": 200})
        index.add_index("segment", index_type="INVERTED")
        # Strong consistency: a row that was written is there for the next query, on any machine.
        link.call(
            "create_collection",
            collection_name=record.place,
            schema=schema,
            index_params=index,
            consistency_level="Strong",
        )


class MilvusReader(ByTaking):
    """The rows of one segment in the collection."""

    def __init__(self, link: Link, segment: str, record: VectorRecord, *, exact: bool) -> None:
        self._link = link
        self._segment = segment
        self._record = record
        self._exact = exact
        self._is_counted = False

    def nearest(self, query: Vectors, limit: int, live: Mask | None) -> tuple[Numbers, Vectors]:
        """The nearest rows."""
        rows = self._record.rows
        if limit <= 0 or not rows or (live is not None and not live.any()):
            return nothing()
        self.require_whole()
        # A collection keeps the index that it was made with, whatever the settings say since.
        can_be_asked = not self._exact or self._link.indexes(self._record.place, "vector") == {_EXACT}
        found = (
            nearest_of(lambda wanted: self._fetch(query, wanted), rows, MOST_ROWS, query, limit, live)
            if can_be_asked
            else None
        )
        if found is None:
            # Its index is not exact, or so many rows tie or are hidden that the server can't give enough of them.
            return FlatReader(self.take(np.arange(rows, dtype=np.int64))).nearest(query, limit, live)
        return found

    def take(self, numbers: Numbers) -> Vectors:
        """The vectors of given rows."""
        vectors = np.empty((len(numbers), self._record.dimension), dtype=np.float32)
        if not len(numbers):
            return vectors
        different, places = np.unique(numbers, return_inverse=True)
        found = np.empty((len(different), self._record.dimension), dtype=np.float32)
        for start in range(0, len(different), step := _rows_at_once(self._record.dimension)):
            part = different[start : start + step]
            found[start : start + len(part)] = self._take(part)
        vectors[:] = found[places]
        return vectors

    def require_whole(self) -> None:
        """VectorsLostError unless the marker and the number of rows are those of the record."""
        self._link.load(self._record.place, _FIELDS, self._record.dimension)
        marker = self._ask("get", ids=[f"{self._segment}:marker"], output_fields=["detail"])
        said = parse_record(str(marker[0].get("detail", ""))) if marker else None
        if said != self._record:
            raise self._damage("lacks its marker" if said is None else "has the marker of another")
        if self._link.is_lite and self._is_counted:
            # Lite counts by reading every row, and nobody else can have removed one: this process has its lock.
            return
        counted = self._ask("query", filter=_filter(self._segment, ROW), output_fields=["count(*)"])
        rows = int(counted[0]["count(*)"]) if counted else 0
        if rows != self._record.rows:
            raise self._damage(f"has {rows} rows, not {self._record.rows}")
        self._is_counted = True

    def _take(self, numbers: Numbers) -> Vectors:
        self._link.load(self._record.place, _FIELDS, self._record.dimension)
        ids = [_id(self._segment, number) for number in numbers.tolist()]
        rows = self._ask("get", ids=ids, output_fields=["id", "segment", "kind", "number", "vector"])
        found = {row["id"]: row["vector"] for row in rows}
        if found.keys() != set(ids):
            raise self._damage(f"lacks {plural(len(set(ids) - found.keys()), 'row')}")
        self._numbers(rows)
        if any((row["segment"], row["kind"]) != (self._segment, ROW) for row in rows):
            raise self._damage("has rows that are said to be of another")
        return self._matrix([found[each] for each in ids])

    def _fetch(self, query: Vectors, wanted: int) -> tuple[Numbers, Vectors, Vectors]:
        params = {} if self._exact else {"ef": max(2 * wanted, 128)}
        (hits,) = self._ask(
            "search",
            data=[query],
            filter=_filter(self._segment, ROW),
            limit=wanted,
            output_fields=["id", "number", "vector"],
            search_params={"metric_type": "IP", "params": params},
        )
        rows = [hit["entity"] for hit in hits]
        numbers = self._numbers(rows)
        theirs = np.array([hit["distance"] for hit in hits], dtype=np.float32)
        return numbers, theirs, self._matrix([row["vector"] for row in rows])

    def _numbers(self, rows: Sequence[Mapping[str, Any]]) -> Numbers:
        """The numbers in the rows, which must agree with their ids."""
        numbers = [row["number"] for row in rows]
        for row, number in zip(rows, numbers, strict=True):
            if not 0 <= number < self._record.rows or row["id"] != _id(self._segment, number):
                raise self._damage("has rows that were never written")
        return np.array(numbers, dtype=np.int64)

    def _ask(self, method: str, **arguments: Any) -> Any:
        return self._link.call(method, collection_name=self._record.place, **arguments)

    def _matrix(self, vectors: Sequence[Any]) -> Vectors:
        matrix = np.array(vectors, dtype=np.float32).reshape(len(vectors), -1)
        if len(vectors) and matrix.shape[1] != self._record.dimension:
            raise ProbeFailedError(f"{self._link.shown} answered with vectors of another dimension.")
        return matrix

    def _damage(self, what: str) -> VectorsLostError:
        return VectorsLostError(f"{self._segment} in {self._link.shown} {what}.")


def _row(segment: str, kind: str, number: int, detail: str, vector: Vectors) -> dict[str, Any]:
    identity = _id(segment, number) if kind == ROW else f"{segment}:marker"
    return {"id": identity, "segment": segment, "kind": kind, "number": number, "detail": detail, "vector": vector}


def _id(segment: str, number: int) -> str:
    return f"{segment}:{number:09d}"


def _filter(segment: str, kind: str) -> str:
    return f'segment == "{segment}" and kind == "{kind}"'


def _put(link: Link, place: str, rows: list[dict[str, Any]]) -> None:
    link.call("upsert", collection_name=place, data=rows)


def _rows_at_once(dimension: int) -> int:
    return max(1, min(_BATCH_ROWS, _BATCH_BYTES // (4 * dimension)))


def _batches(vectors: Vectors) -> Iterator[tuple[int, Vectors]]:
    step = _rows_at_once(vectors.shape[1])
    yield from ((start, vectors[start : start + step]) for start in range(0, len(vectors), step))


def _ranges(count: int, dimension: int) -> Iterator[Numbers]:
    step = _rows_at_once(dimension)
    yield from (np.arange(start, min(start + step, count), dtype=np.int64) for start in range(0, count, step))
