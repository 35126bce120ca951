"""SnapshotView: the only door to segments.

A view pins one snapshot for as long as it is open: it holds the shared readers' lock, verifies
every artifact, hides what tombstones hide, and only then offers rows, postings and vectors. There
is no other way to a segment, so a deleted file can't show.
"""

import os
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from cairn.engines import Vectors
from cairn.errors import CorruptStoreError
from cairn.store import tombstones
from cairn.store._segment import SegmentReader
from cairn.store.integrity import Verifier
from cairn.store.layout import Layout
from cairn.store.manifest import Manifest, SegmentRef
from cairn.store.readers import lock_shared
from cairn.store.recovery import find_active, read_manifest
from cairn.store.rows import ChunkRow, FileRow


@dataclass(frozen=True, slots=True)
class Hit:
    """A row that matched, with the matcher's score."""

    row: ChunkRow
    score: float


class SnapshotView:
    """One snapshot, pinned and verified."""

    def __init__(
        self,
        layout: Layout,
        *,
        snapshot_id: str | None = None,
        fresh: bool = False,
        leave_out: frozenset[str] = frozenset(),
    ) -> None:
        """`leave_out` names damaged artifacts that a repair does without; nobody else passes it."""
        # The lock comes before the pointer is read: a collector that holds it exclusively has
        # either finished before we look or waits until we are done.
        self._root = layout.path
        self._lock = lock_shared(layout)
        try:
            verifier = Verifier(layout, fresh=fresh)
            if snapshot_id is None:
                active = find_active(layout, verifier)
                self.manifest, self.recovered = active.manifest, active.recovered
            else:
                self.manifest, self.recovered = read_manifest(layout, snapshot_id), ""
            verifier.verify(self.manifest, except_for=leave_out)
            verifier.remember()
            dead = _dead_paths(layout, self.manifest)
            self._segments = [
                SegmentReader(layout, ref, dead[ref.segment_id])
                for ref in self.manifest.segments
                if f"segments/{ref.segment_id}" not in leave_out
            ]
        except BaseException:
            os.close(self._lock)
            raise

    @property
    def segments(self) -> tuple[SegmentRef, ...]:
        """The segments that the view reads."""
        return tuple(segment.ref for segment in self._segments)

    @property
    def snapshot_id(self) -> str:
        return self.manifest.snapshot_id

    def files(self) -> Iterator[FileRow]:
        """Every live file."""
        for segment in self._segments:
            for file in segment.rows.files():
                if file.path_key not in segment.dead:
                    yield file

    def file(self, path_key: str) -> FileRow | None:
        for segment in self._holding(path_key):
            found = segment.rows.file(path_key)
            if found is not None:
                return found
        return None

    def homes(self) -> Iterator[tuple[str, str]]:
        """(path_key, segment_id) of every live file."""
        for segment in self._segments:
            for file in segment.rows.files():
                if file.path_key not in segment.dead:
                    yield file.path_key, segment.ref.segment_id

    def rows_of(self, path_key: str) -> list[ChunkRow]:
        """A live file's rows in order; empty for a file that the snapshot doesn't have."""
        for segment in self._holding(path_key):
            rows = segment.rows.rows_of(path_key)
            if rows:
                return rows
        return []

    def vectors_of(self, path_key: str) -> Vectors | None:
        """The embeddings of a live file's rows, in their order."""
        for segment in self._holding(path_key):
            for first, count in segment.rows.spans([path_key]):
                return segment.vectors.take(np.arange(first, first + count, dtype=np.int64))
        return None

    def document_frequency(self, field: str, token: str) -> int:
        """How many live rows of the whole view hold a token."""
        return sum(segment.lexical.document_frequency(field, token) for segment in self._segments)

    def matches(self, weights: Mapping[tuple[str, str], float], limit: int) -> list[Hit]:
        """The best live rows of each segment by Tantivy's own score: candidates, not an order."""
        hits = []
        for segment in self._segments:
            found = segment.lexical.matches(weights, limit)
            rows = segment.rows.rows([number for number, _ in found])
            hits += [Hit(row, score) for row, (_, score) in zip(rows, found, strict=True)]
        return hits

    def nearest(self, query: Vectors, limit: int) -> list[Hit]:
        """The live rows with the largest inner product, over all segments."""
        hits = []
        for segment in self._segments:
            numbers, scores = segment.vectors.nearest(query, limit, segment.live)
            rows = segment.rows.rows(numbers.tolist())
            hits += [Hit(row, float(score)) for row, score in zip(rows, scores, strict=True)]
        hits.sort(key=lambda hit: (-hit.score, hit.row.path_key, hit.row.start_line, hit.row.row_id))
        return hits[:limit]

    def content(self, segment_ids: Sequence[str]) -> Iterator[tuple[FileRow, list[ChunkRow], Vectors]]:
        """Live files of given segments with rows and vectors: what compaction copies."""
        for segment in self._segments:
            if segment.ref.segment_id not in segment_ids:
                continue
            for file in segment.rows.files():
                if file.path_key in segment.dead:
                    continue
                (first, count), *_ = segment.rows.spans([file.path_key])
                vectors = segment.vectors.take(np.arange(first, first + count, dtype=np.int64))
                yield file, segment.rows.rows_of(file.path_key), vectors

    def marker(self) -> dict[str, Any] | None:
        """The completion marker of this very snapshot."""
        for segment in reversed(self._segments):
            found = segment.rows.marker()
            if found is not None and found.get("snapshotId") == self.snapshot_id:
                return found
        return None

    def tombstones(self) -> Iterator[tombstones.Tombstone]:
        """Every tombstone in force."""
        for ref in self.manifest.tombstones:
            with open(os.path.join(self._root, ref.path), "rb") as file:
                yield from tombstones.decode(file.read(), ref.path)

    def segment_counts(self) -> dict[str, tuple[int, int, int, int]]:
        """For each segment: rows, files, live rows and live files, counted in the data."""
        counted = {}
        for segment in self._segments:
            rows, files = segment.rows.counts()
            dead = [count for _, count in segment.rows.spans(segment.dead)]
            counted[segment.ref.segment_id] = (rows, files, rows - sum(dead), files - len(dead))
        return counted

    def close(self) -> None:
        if self._lock < 0:
            return
        for segment in self._segments:
            segment.close()
        os.close(self._lock)
        self._lock = -1

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _holding(self, path_key: str) -> Iterator[SegmentReader]:
        """Segments that may hold a live file, newest first."""
        return (segment for segment in reversed(self._segments) if path_key not in segment.dead)


def _dead_paths(layout: Layout, manifest: Manifest) -> Mapping[str, frozenset[str]]:
    """For each segment the paths that are hidden in it."""
    dead: dict[str, set[str]] = defaultdict(set)
    for ref in manifest.tombstones:
        try:
            with open(os.path.join(layout.path, ref.path), "rb") as file:
                found = tombstones.decode(file.read(), ref.path)
        except OSError as error:
            raise CorruptStoreError(f"{ref.path} can't be read: {error.strerror}.") from error
        paths = [item.path_key for item in found]
        for segment_id in ref.applies_to:
            dead[segment_id].update(paths)
    return defaultdict(frozenset, {segment_id: frozenset(paths) for segment_id, paths in dead.items()})
