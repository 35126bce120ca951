"""Chunk vectors by hash in Milvus: what one machine of a team has embedded, the others needn't embed again.

There is one collection for each way to embed. Nothing depends on it: it may be dropped at any time. A row has the day
on which it was last taken, to a week: so that a collection of garbage knows which ones nobody takes any more, and a row
that is taken every day is not written every day.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from cairn.base import lazy
from cairn.base.errors import VectorsLostError
from cairn.engines.milvus_import import load_pymilvus
from cairn.engines.milvus_link import link_to
from cairn.engines.protocol import Vectors
from cairn.engines.settings import MilvusSettings

if TYPE_CHECKING:
    import numpy as np

    from cairn.engines.milvus_link import Link
else:
    np = lazy.module("numpy")

_PREFIX = "cairn_chunks_"
_FIELDS = frozenset(("id", "day", "vector"))
_BATCH_ROWS = 1000
_NOTED_EACH_DAYS = 7
_DAY_S = 86_400


class MilvusChunks:
    """Chunk vectors of one way to embed, on a Milvus server."""

    def __init__(self, settings: MilvusSettings, fingerprint: str, dimension: int) -> None:
        self._link = link_to(settings, "")
        self._place = f"{_PREFIX}{fingerprint[:32]}"
        self._dimension = dimension
        self._made = False

    def get_many(self, hashes: Iterable[str]) -> dict[str, Vectors]:
        self._make()
        wanted = list(dict.fromkeys(hashes))
        found: dict[str, Vectors] = {}
        for start in range(0, len(wanted), _BATCH_ROWS):
            part = wanted[start : start + _BATCH_ROWS]
            rows = self._link.call("get", collection_name=self._place, ids=part, output_fields=["id", "day", "vector"])
            aged: dict[str, Vectors] = {}
            for row in rows:
                vector = np.array(row["vector"], dtype=np.float32)
                # Others write here too: a value that can't be one of our vectors is ignored.
                if vector.shape == (self._dimension,) and np.isfinite(vector).all():
                    found[row["id"]] = vector
                    if abs(_today() - int(row["day"])) >= _NOTED_EACH_DAYS:
                        aged[row["id"]] = vector
            self.put_many(aged)
        return found

    def put_many(self, vectors: Mapping[str, Vectors]) -> None:
        self._make()
        rows = [{"id": key, "day": _today(), "vector": vector} for key, vector in vectors.items()]
        for start in range(0, len(rows), _BATCH_ROWS):
            self._link.call("upsert", collection_name=self._place, data=rows[start : start + _BATCH_ROWS])

    def _make(self) -> None:
        if self._made:
            return
        if self._link.call("has_collection", collection_name=self._place):
            try:
                self._link.know(self._place, _FIELDS, self._dimension)
            except VectorsLostError:
                # One of a former version, whose rows have no day, or something that can't be ours.
                self._link.call("drop_collection", collection_name=self._place)
                self._create()
        else:
            self._create()
        self._made = True

    def _create(self) -> None:
        load_pymilvus()
        from pymilvus import DataType, MilvusClient

        schema = MilvusClient.create_schema(auto_id=False, enable_dynamic_field=False)
        schema.add_field("id", DataType.VARCHAR, max_length=128, is_primary=True)
        schema.add_field("day", DataType.INT64)
        schema.add_field("vector", DataType.FLOAT_VECTOR, dim=self._dimension)
        index = MilvusClient.prepare_index_params()
        index.add_index("vector", index_type="FLAT", metric_type="IP")
        self._link.call(
            "create_collection",
            collection_name=self._place,
            schema=schema,
            index_params=index,
            consistency_level="Strong",
        )


def expire_chunks(settings: MilvusSettings) -> int:
    """Remove the chunk vectors that nobody took for longer than the settings say; how many those were.

    A few at a time by their ids, so that it may break off anywhere and is run again.
    """
    link, removed = link_to(settings, ""), 0
    for place in link.call("list_collections"):
        if place.startswith(_PREFIX):
            removed += _expire(link, place, _today() - settings.chunk_days)
    return removed


def _expire(link: Link, place: str, day: int) -> int:
    removed = 0
    if not _has_days(link, place):
        # Of a former version: nobody knows what of it is still taken, and whoever needs it embeds it anew.
        link.call("drop_collection", collection_name=place)
        return removed
    was_loaded = link.is_loaded(place)
    while True:
        asked: dict[str, Any] = {"filter": f"day < {day}", "output_fields": ["id"], "limit": _BATCH_ROWS}
        ids = [row["id"] for row in link.call("query", collection_name=place, **asked)]
        if not ids:
            break
        link.call("delete", collection_name=place, ids=ids)
        removed += len(ids)
    if not link.call("query", collection_name=place, filter='id != ""', output_fields=["id"], limit=1):
        link.call("drop_collection", collection_name=place)
    elif not was_loaded:
        link.let_go(place)
    return removed


def _has_days(link: Link, place: str) -> bool:
    said = link.call("describe_collection", collection_name=place)["fields"]
    return {field["name"] for field in said} == _FIELDS


def _today() -> int:
    return int(time.time() // _DAY_S)
