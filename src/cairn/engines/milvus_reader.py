"""Asking the rows of segments in a Milvus collection, and seeing to it that they are those that were written.

Rows are immutable: a segment's are all written before anything names it, and removed once nothing does. So that all of
them are there, and its marker, is looked at by a strong read, once by each process and again after `LOOK_EACH_S`, and
not with every question. What was there by a strong read is there for a read of bounded staleness too, once the bound
has passed: such a read is of a moment that lies behind by the bound at most, so after it. Until then reads are strong.
Somebody who removes rows meanwhile is noticed by the next look, and at once where a question gets fewer than it must.
"""

from __future__ import annotations

import json
from collections.abc import Hashable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

from cairn.base import lazy
from cairn.base.errors import CairnError, ProbeFailedError, VectorsLostError
from cairn.base.text import plural
from cairn.engines.flat import FlatReader
from cairn.engines.order import nearest_of, nothing, numbers_within, runs_of
from cairn.engines.protocol import JointReader, Mask, Numbers, Scores, Vectors
from cairn.engines.record import VectorRecord, parse_record

if TYPE_CHECKING:
    import numpy as np

    from cairn.engines.milvus_link import Link
else:
    np = lazy.module("numpy")

MOST_ROWS = 16_384
"""What a server gives at once, at most."""
ROW = "row"
EXACT = "FLAT"
FIELDS = frozenset(("id", "segment", "kind", "number", "detail", "vector"))
LOOK_EACH_S = 60.0
"""So long a process goes by what it has seen of a segment's marker and rows; Lite has no other process."""
BOUND_S = 10.0
"""Twice as far as a read of bounded staleness lies behind, as Milvus is set up (`common.gracefulTime`)."""
_BATCH_ROWS = 1000
_BATCH_BYTES = 4 << 20
_PROBED = 64
"""So many of its parts an index of that kind looks through."""


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
        self._link.know(self._place, FIELDS, self._dimension)
        age = self._link.whole_for(self._parts)
        found, is_whole = None, False
        if age is not None and (self._link.is_lite or age < LOOK_EACH_S):
            try:
                found = self._asked(query, limit, live, is_strong=age < BOUND_S)
                # Not where the connection was made anew for this question: its rows are looked at too.
                is_whole = self._link.whole_for(self._parts) is not None
            except VectorsLostError:
                # A look tells what is wrong with the segment as a whole.
                self._link.forget(self._place)
        if not is_whole:
            found = self._looked_at_and_asked(query, limit, live)
        if found is None:
            # Its index is not exact, or so many rows tie or are hidden that the server can't give enough of them.
            return FlatReader(self.take(np.arange(rows, dtype=np.int64))).nearest(query, limit, live)
        return found

    def _looked_at_and_asked(self, query: Vectors, limit: int, live: Mask | None) -> tuple[Numbers, Scores] | None:
        with ThreadPoolExecutor(1) as beside:
            whole = beside.submit(self.require_whole)
            try:
                found = self._asked(query, limit, live, is_strong=True)
            except CairnError:
                # What is wrong with the segment as a whole says more.
                whole.result()
                raise
            whole.result()
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
        for start in range(0, len(different), step := rows_at_once(self._dimension)):
            part = different[start : start + step]
            found[start : start + len(part)] = self._take(part)
        vectors[:] = found[places]
        return vectors

    def require_whole(self) -> None:
        """VectorsLostError unless the markers and the number of rows are those of the records."""
        self._link.know(self._place, FIELDS, self._dimension)
        names = [segment for segment, _ in self._parts]
        markers = self._ask("get", ids=[f"{each}:marker" for each in names], output_fields=["segment", "detail"])
        details = {row["segment"]: parse_record(str(row.get("detail", ""))) for row in markers}
        for segment, record in self._parts:
            if details.get(segment) != record:
                what = "has the marker of another" if details.get(segment) else "lacks its marker"
                raise self._damage(segment, what)
        if self._count(names) != self._ends[-1]:
            for segment, record in self._parts:
                if (rows := self._count([segment])) != record.rows:
                    raise self._damage(segment, f"has {rows} rows, not {record.rows}")
        self._link.note_whole(self._parts)

    def _count(self, segments: Sequence[str]) -> int:
        counted = self._ask("query", filter=rows_where(segments, ROW), output_fields=["count(*)"])
        return int(counted[0]["count(*)"]) if counted else 0

    def _asked(
        self, query: Vectors, limit: int, live: Mask | None, *, is_strong: bool
    ) -> tuple[Numbers, Scores] | None:
        """What the server finds; None if it can't give what is exact."""
        # A collection keeps the index that it was made with, whatever the settings say since.
        kinds = self._link.indexes(self._place, "vector")
        is_exact = kinds == {EXACT}
        if self._exact and not is_exact:
            return None
        rows = int(self._ends[-1])
        where = None if live is None else self._where(live)
        if live is None or where is None:
            where, count = rows_where([segment for segment, _ in self._parts], ROW), rows
        else:
            count = int(np.count_nonzero(live))

        def fetch(wanted: int) -> tuple[Numbers, Vectors, Vectors]:
            found = self._fetch(query, wanted, where, _effort(kinds, wanted), is_strong=is_strong)
            if is_exact and len(found[0]) < wanted:
                raise VectorsLostError(f"{self._link.shown} gave {len(found[0])} of {wanted} rows that it must have.")
            return found

        return nearest_of(fetch, count, MOST_ROWS, query, limit, live, is_exact=is_exact)

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
        self._link.know(self._place, FIELDS, self._dimension)
        ids = []
        for number, owner in zip(numbers.tolist(), self._owners(numbers).tolist(), strict=True):
            segment = self._parts[owner][0]
            ids.append(row_id(segment, number - self._starts[segment]))
        rows = self._ask("get", ids=ids, output_fields=["id", "segment", "kind", "number", "vector"])
        found = {row["id"]: row["vector"] for row in rows}
        if found.keys() != set(ids):
            lacking = set(ids) - found.keys()
            raise self._damage(min(lacking or ids).rpartition(":")[0], f"lacks {plural(len(lacking), 'row')}")
        self._numbers(rows)
        if any((row["segment"], row["kind"]) != (row["id"].rpartition(":")[0], ROW) for row in rows):
            raise self._damage(rows[0]["segment"], "has rows that are said to be of another")
        return self._matrix([found[each] for each in ids])

    def _fetch(
        self, query: Vectors, wanted: int, where: str, effort: Mapping[str, int], *, is_strong: bool
    ) -> tuple[Numbers, Vectors, Vectors]:
        (hits,) = self._ask(
            "search",
            data=[query],
            filter=where,
            limit=wanted,
            output_fields=["id", "number", "vector"],
            search_params={"metric_type": "IP", "params": dict(effort)},
            consistency_level="Strong" if is_strong else "Bounded",
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
            if record is None or not 0 <= number < record.rows or row["id"] != row_id(segment, number):
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


def row_id(segment: str, number: int) -> str:
    """The id of a row."""
    return f"{segment}:{number:09d}"


def rows_where(segments: Sequence[str], kind: str) -> str:
    """The condition of rows of some segments."""
    return f'segment in {json.dumps(segments)} and kind == "{kind}"'


def rows_at_once(dimension: int) -> int:
    """So many rows go in one request."""
    return max(1, min(_BATCH_ROWS, _BATCH_BYTES // (4 * dimension)))


def _effort(kinds: frozenset[str], wanted: int) -> dict[str, int]:
    """How much an index looks at; by AUTOINDEX a server decides that itself."""
    if "HNSW" in kinds:
        return {"ef": max(2 * wanted, 128)}
    return {"nprobe": _PROBED} if "IVF_SQ8" in kinds else {}
