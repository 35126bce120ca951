"""Milvus: one collection a store, and in it the rows of all segments, each with its segment and kind.

A segment has one marker, with an id of its own. It is there before the first row, so that a collection
of garbage finds whatever a writer left; it says what the segment must hold only once all rows are in.
Rows are removed by collections of garbage alone.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING, Any

from cairn.base import lazy
from cairn.base.errors import CorruptStoreError
from cairn.base.steps import Advice, NextStep
from cairn.engines.milvus_import import load_pymilvus
from cairn.engines.milvus_link import link_to, release
from cairn.engines.milvus_reader import (
    EXACT,
    FIELDS,
    MOST_ROWS,
    ROW,
    MilvusReader,
    row_id,
    rows_at_once,
    rows_where,
)
from cairn.engines.places import names_at, place_to_write, require_here, settle
from cairn.engines.protocol import Numbers, VectorReader, Vectors
from cairn.engines.record import Digester, VectorRecord, digest_of, place_in, read_record, write_record
from cairn.engines.settings import MilvusSettings

if TYPE_CHECKING:
    import numpy as np

    from cairn.engines.milvus_link import Link
else:
    np = lazy.module("numpy")

MARKER = "cairn_segment_v1"
_WRITING = "writing"
_NOWHERE = "cairn_nowhere"
_MADE_WITH = {EXACT: {}, "AUTOINDEX": {}, "HNSW": {"M": 16, "efConstruction": 200}, "IVF_SQ8": {"nlist": 1024}}
"""What the index of each kind is made with."""


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
        MilvusReader(link, [(segment, record)], exact=self._exact).require_whole()
        if link.is_lite:
            link.call("flush", collection_name=record.place)
        write_record(folder, record)

    def open(self, folder: str, count: int, dimension: int) -> VectorReader:
        record = self._record(folder, count, dimension)
        return MilvusReader(self._link, [(os.path.basename(folder), record)], exact=self._exact)

    def verify(self, folder: str, count: int, dimension: int) -> None:
        record = self._record(folder, count, dimension)
        reader = MilvusReader(self._link, [(os.path.basename(folder), record)], exact=self._exact)
        reader.require_whole()
        digester = Digester()
        for numbers in _ranges(count, dimension):
            digester.add(reader.take(numbers))
        if digester.text() != record.digest:
            raise CorruptStoreError(
                f"The vectors of {os.path.basename(folder)} in {self._link.shown} are not those that were written.",
                hint=Advice(NextStep("repair"), "."),
            )

    def look(self, folder: str, count: int, dimension: int) -> None:
        record = self._record(folder, count, dimension)
        MilvusReader(self._link, [(os.path.basename(folder), record)], exact=self._exact).require_whole()

    def held(self) -> frozenset[str]:
        found: set[str] = set()
        for place in self._places() or self._none():
            self._link.know(place, FIELDS)
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
                    self._link.call("delete", collection_name=place, filter=rows_where([segment], kind))

    def remove_all(self) -> None:
        if self._link.is_lite:
            release(self._store)
            return
        for place in self._places():
            self._link.call("drop_collection", collection_name=place)
            self._link.forget(place)

    def let_go(self) -> int:
        """Have a server give up the memory of the store's rows until they are asked for; of how many collections."""
        loaded = [] if self._link.is_lite else [place for place in self._places() if self._link.is_loaded(place)]
        for place in loaded:
            self._link.let_go(place)
        return len(loaded)

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
            link.know(record.place, FIELDS, record.dimension)
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
        kind = EXACT if self._exact else self._settings.index
        index.add_index("vector", index_type=kind, index_name="vector", metric_type="IP", params=_MADE_WITH[kind])
        index.add_index("segment", index_type="INVERTED")
        # Strong consistency: a row that was written is there for the next query, on any machine.
        link.call(
            "create_collection",
            collection_name=record.place,
            schema=schema,
            index_params=index,
            consistency_level="Strong",
        )


def _row(segment: str, kind: str, number: int, detail: str, vector: Vectors) -> dict[str, Any]:
    identity = row_id(segment, number) if kind == ROW else f"{segment}:marker"
    return {"id": identity, "segment": segment, "kind": kind, "number": number, "detail": detail, "vector": vector}


def _put(link: Link, place: str, rows: list[dict[str, Any]]) -> None:
    link.call("upsert", collection_name=place, data=rows)


def _batches(vectors: Vectors) -> Iterator[tuple[int, Vectors]]:
    step = rows_at_once(vectors.shape[1])
    yield from ((start, vectors[start : start + step]) for start in range(0, len(vectors), step))


def _ranges(count: int, dimension: int) -> Iterator[Numbers]:
    step = rows_at_once(dimension)
    yield from (np.arange(start, min(start + step, count), dtype=np.int64) for start in range(0, count, step))
