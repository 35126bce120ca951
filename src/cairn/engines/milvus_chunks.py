"""Chunk vectors by hash in Milvus: what one machine of a team has embedded, the others needn't embed again.

There is one collection for each way to embed. Nothing depends on it: it may be dropped at any time.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from cairn.base import lazy
from cairn.engines.milvus_import import load_pymilvus
from cairn.engines.milvus_link import link_to
from cairn.engines.protocol import Vectors
from cairn.engines.settings import MilvusSettings

if TYPE_CHECKING:
    import numpy as np
else:
    np = lazy.module("numpy")

_BATCH_ROWS = 1000


class MilvusChunks:
    """Chunk vectors of one way to embed, on a Milvus server."""

    def __init__(self, settings: MilvusSettings, fingerprint: str, dimension: int) -> None:
        self._link = link_to(settings, "")
        self._place = f"cairn_chunks_{fingerprint[:32]}"
        self._dimension = dimension
        self._made = False

    def get_many(self, hashes: Iterable[str]) -> dict[str, Vectors]:
        self._make()
        wanted = list(dict.fromkeys(hashes))
        found: dict[str, Vectors] = {}
        for start in range(0, len(wanted), _BATCH_ROWS):
            part = wanted[start : start + _BATCH_ROWS]
            rows = self._link.call("get", collection_name=self._place, ids=part, output_fields=["id", "vector"])
            for row in rows:
                vector = np.array(row["vector"], dtype=np.float32)
                # Others write here too: a value that can't be one of our vectors is ignored.
                if vector.shape == (self._dimension,) and np.isfinite(vector).all():
                    found[row["id"]] = vector
        return found

    def put_many(self, vectors: Mapping[str, Vectors]) -> None:
        self._make()
        rows = [{"id": key, "vector": vector} for key, vector in vectors.items()]
        for start in range(0, len(rows), _BATCH_ROWS):
            self._link.call("upsert", collection_name=self._place, data=rows[start : start + _BATCH_ROWS])

    def _make(self) -> None:
        if self._made:
            return
        if not self._link.call("has_collection", collection_name=self._place):
            load_pymilvus()
            from pymilvus import DataType, MilvusClient

            schema = MilvusClient.create_schema(auto_id=False, enable_dynamic_field=False)
            schema.add_field("id", DataType.VARCHAR, max_length=128, is_primary=True)
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
        self._link.load(self._place, frozenset(("id", "vector")), self._dimension)
        self._made = True
