"""Milvus: one collection a store, and in it the rows of all segments, each with its segment and kind.

A segment has one marker, with an id of its own. It is there before the first row, so that a collection
of garbage finds whatever a writer left; it says what the segment must hold only once all rows are in.
Rows are removed by collections of garbage alone.
"""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

from cairn.base import lazy
from cairn.base.errors import CairnError, CorruptStoreError, ProbeFailedError, VectorsLostError
from cairn.base.steps import Advice, NextStep
from cairn.base.text import plural
from cairn.engines.flat import FlatReader
from cairn.engines.milvus_import import load_pymilvus
from cairn.engines.milvus_link import link_to, release
from cairn.engines.order import nearest_of, nothing, numbers_within, runs_of
from cairn.engines.places import names_at, place_to_write, require_here, settle
from cairn.engines.protocol import JointReader, Mask, Numbers, Scores, VectorReader, Vectors
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
                    self._link.call("delete", collection_name=place, filter=_filter([segment], kind))

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


class MilvusReader:
    """The rows of a segment in the collection, or of several, numbered through one behind the other."""

    def __init__(self, link: Link, parts: Sequence[tuple[str, VectorRecord]], *, exact: bool) -> None:
        self._link = link
        self._parts = tuple(parts)
        self._exact = exact
        self._ends = np.cumsum([record.rows for _, record in parts])
        self._starts = {
            segment: int(end) - record.rows for (segment, record), end in zip(parts, self._ends, strict=True)
        }
        self._place, self._dimension = parts[0][1].place, parts[0][1].dimension

    @property
    def group(self) -> Hashable:
        """Its server, the collection, and the length of its vectors."""
        return self._link.shown, self._place, self._dimension

    def nearest(self, query: Vectors, limit: int, live: Mask | None) -> tuple[Numbers, Scores]:
        """The nearest rows."""
        rows = int(self._ends[-1])
        if limit <= 0 or not rows or (live is not None and not live.any()):
            return nothing()
        self._link.load(self._place, _FIELDS, self._dimension)
        with ThreadPoolExecutor(1) as beside:
            whole = beside.submit(self.require_whole)
            try:
                found = self._asked(query, limit, live)
            except CairnError:
                # What is wrong with the segment as a whole says more.
                whole.result()
                raise
            whole.result()
        if found is None:
            # Its index is not exact, or so many rows tie or are hidden that the server can't give enough of them.
            return FlatReader(self.take(np.arange(rows, dtype=np.int64))).nearest(query, limit, live)
        return found

    def nearest_of_all(
        self, readers: Sequence[JointReader], query: Vectors, limit: int, lives: Sequence[Mask | None]
    ) -> list[tuple[Numbers, Scores]]:
        """The nearest rows of several segments, by one question to the server."""
        parts = [part for reader in readers if isinstance(reader, MilvusReader) for part in reader._parts]
        masks = [
            np.ones(record.rows, dtype=np.bool_) if live is None else live
            for (_, record), live in zip(parts, lives, strict=True)
        ]
        live = None if all(each is None for each in lives) else np.concatenate(masks)
        together = MilvusReader(self._link, parts, exact=self._exact)
        numbers, scores = together.nearest(query, limit, live)
        owners = together._owners(numbers)
        firsts = np.array([*together._starts.values()], dtype=np.int64)
        return [(numbers[owners == each] - firsts[each], scores[owners == each]) for each in range(len(parts))]

    def take(self, numbers: Numbers) -> Vectors:
        """The vectors of given rows."""
        vectors = np.empty((len(numbers), self._dimension), dtype=np.float32)
        if not len(numbers):
            return vectors
        different, places = np.unique(numbers, return_inverse=True)
        found = np.empty((len(different), self._dimension), dtype=np.float32)
        for start in range(0, len(different), step := _rows_at_once(self._dimension)):
            part = different[start : start + step]
            found[start : start + len(part)] = self._take(part)
        vectors[:] = found[places]
        return vectors

    def require_whole(self) -> None:
        """VectorsLostError unless the markers and the number of rows are those of the records."""
        self._link.load(self._place, _FIELDS, self._dimension)
        names = [segment for segment, _ in self._parts]
        markers = self._ask("get", ids=[f"{each}:marker" for each in names], output_fields=["segment", "detail"])
        details = {row["segment"]: parse_record(str(row.get("detail", ""))) for row in markers}
        for segment, record in self._parts:
            if details.get(segment) != record:
                what = "has the marker of another" if details.get(segment) else "lacks its marker"
                raise self._damage(segment, what)
        if self._link.is_lite and self._link.counted.issuperset(names):
            # Lite counts by reading every row, and nobody else can have removed one: this process has its lock.
            return
        if self._count(names) != self._ends[-1]:
            for segment, record in self._parts:
                if (rows := self._count([segment])) != record.rows:
                    raise self._damage(segment, f"has {rows} rows, not {record.rows}")
        self._link.counted.update(names)

    def _count(self, segments: Sequence[str]) -> int:
        counted = self._ask("query", filter=_filter(segments, ROW), output_fields=["count(*)"])
        return int(counted[0]["count(*)"]) if counted else 0

    def _asked(self, query: Vectors, limit: int, live: Mask | None) -> tuple[Numbers, Scores] | None:
        """What the server finds; None if it can't give what is exact."""
        # A collection keeps the index that it was made with, whatever the settings say since.
        if self._exact and self._link.indexes(self._place, "vector") != {_EXACT}:
            return None
        rows = int(self._ends[-1])
        where = None if live is None else self._where(live)
        if live is None or where is None:
            where, count = _filter([segment for segment, _ in self._parts], ROW), rows
        else:
            count = int(np.count_nonzero(live))
        return nearest_of(lambda wanted: self._fetch(query, wanted, where), count, MOST_ROWS, query, limit, live)

    def _where(self, live: Mask) -> str | None:
        """The filter that lets live rows through alone; None where they are too scattered."""
        each = []
        for (segment, record), start in zip(self._parts, self._starts.values(), strict=True):
            runs = runs_of(live[start : start + record.rows])
            if runs is None:
                return None
            if runs == [(0, record.rows)]:
                each.append(f'segment == "{segment}"')
            elif runs:
                each.append(f'(segment == "{segment}" and ({numbers_within(runs)}))')
        return f'kind == "{ROW}" and ({" or ".join(each)})'

    def _take(self, numbers: Numbers) -> Vectors:
        self._link.load(self._place, _FIELDS, self._dimension)
        ids = []
        for number, owner in zip(numbers.tolist(), self._owners(numbers).tolist(), strict=True):
            segment = self._parts[owner][0]
            ids.append(_id(segment, number - self._starts[segment]))
        rows = self._ask("get", ids=ids, output_fields=["id", "segment", "kind", "number", "vector"])
        found = {row["id"]: row["vector"] for row in rows}
        if found.keys() != set(ids):
            lacking = set(ids) - found.keys()
            raise self._damage(min(lacking or ids).rpartition(":")[0], f"lacks {plural(len(lacking), 'row')}")
        self._numbers(rows)
        if any((row["segment"], row["kind"]) != (row["id"].rpartition(":")[0], ROW) for row in rows):
            raise self._damage(rows[0]["segment"], "has rows that are said to be of another")
        return self._matrix([found[each] for each in ids])

    def _fetch(self, query: Vectors, wanted: int, where: str) -> tuple[Numbers, Vectors, Vectors]:
        params = {} if self._exact else {"ef": max(2 * wanted, 128)}
        (hits,) = self._ask(
            "search",
            data=[query],
            filter=where,
            limit=wanted,
            output_fields=["id", "number", "vector"],
            search_params={"metric_type": "IP", "params": params},
        )
        rows = [hit["entity"] for hit in hits]
        numbers = self._numbers(rows)
        theirs = np.array([hit["distance"] for hit in hits], dtype=np.float32)
        return numbers, theirs, self._matrix([row["vector"] for row in rows])

    def _owners(self, numbers: Numbers) -> Numbers:
        """Which of the segments each row is of."""
        return np.searchsorted(self._ends, numbers, side="right")

    def _numbers(self, rows: Sequence[Mapping[str, Any]]) -> Numbers:
        """The numbers in the rows, which must agree with their ids."""
        records = dict(self._parts)
        numbers = []
        for row in rows:
            segment, number = str(row["id"]).rpartition(":")[0], row["number"]
            record = records.get(segment)
            if record is None or not 0 <= number < record.rows or row["id"] != _id(segment, number):
                raise self._damage(segment, "has rows that were never written")
            numbers.append(self._starts[segment] + number)
        return np.array(numbers, dtype=np.int64)

    def _ask(self, method: str, **arguments: Any) -> Any:
        return self._link.call(method, collection_name=self._place, **arguments)

    def _matrix(self, vectors: Sequence[Any]) -> Vectors:
        if not vectors:
            return np.empty((0, self._dimension), dtype=np.float32)
        matrix = np.array(vectors, dtype=np.float32).reshape(len(vectors), -1)
        if matrix.shape[1] != self._dimension:
            raise ProbeFailedError(f"{self._link.shown} answered with vectors of another dimension.")
        return matrix

    def _damage(self, segment: str, what: str) -> VectorsLostError:
        return VectorsLostError(f"{segment} in {self._link.shown} {what}.")


def _row(segment: str, kind: str, number: int, detail: str, vector: Vectors) -> dict[str, Any]:
    identity = _id(segment, number) if kind == ROW else f"{segment}:marker"
    return {"id": identity, "segment": segment, "kind": kind, "number": number, "detail": detail, "vector": vector}


def _id(segment: str, number: int) -> str:
    return f"{segment}:{number:09d}"


def _filter(segments: Sequence[str], kind: str) -> str:
    return f'segment in {json.dumps(segments)} and kind == "{kind}"'


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
