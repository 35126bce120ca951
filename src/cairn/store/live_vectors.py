"""Live rows by their embeddings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cairn.base import lazy
from cairn.engines import Vectors
from cairn.store._candidates import FileAt, files_of, near_rows
from cairn.store.live_pinned import LiveReader
from cairn.store.live_values import Hit

if TYPE_CHECKING:
    import numpy as np
else:
    np = lazy.module("numpy")


class LiveVectors(LiveReader):
    """The embeddings of a view's rows."""

    __slots__ = ()

    def of(self, path_key: str) -> Vectors | None:
        """The embeddings of a live file's rows, in their order."""
        for segment in self._holding(path_key):
            for first, count in segment.rows.spans([path_key]):
                return segment.vectors.take(np.arange(first, first + count, dtype=np.int64))
        return None

    def nearest(self, query: Vectors, limit: int) -> list[Hit]:
        """The live rows with the largest inner product, over all segments."""
        hits = []
        for segment in self._segments:
            numbers, scores = segment.vectors.nearest(query, limit, segment.live)
            rows = segment.rows.rows(numbers.tolist())
            hits += [Hit(row, float(score)) for row, score in zip(rows, scores, strict=True)]
        hits.sort(key=lambda hit: (-hit.score, hit.row.path_key, hit.row.start_line, hit.row.row_id))
        return hits[:limit]

    def near_rows(self, query: Vectors, limit: int) -> list[tuple[float, FileAt]]:
        """The likeness and the file of each of the `limit` nearest live rows, the nearest first, then by path."""
        rows = near_rows(self._segments, query, limit)
        return list(zip(rows.scores.tolist(), files_of(self._segments, rows), strict=True))

    def near_files(self, query: Vectors, limit: int, edge: int) -> tuple[list[FileAt], float]:
        """Files of the `limit` nearest live rows, the nearest first, and the likeness of the row at the `edge`."""
        near = self.near_rows(query, max(limit, edge))
        return list(dict.fromkeys(at for _, at in near[:limit])), near[:edge][-1][0] if near else 0.0
