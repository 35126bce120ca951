"""What the upkeep of a store asks of a view: what to copy, how much is live, and whether all of it opens."""

from __future__ import annotations

import os
from collections.abc import Collection, Container, Iterator, Sequence
from typing import TYPE_CHECKING, BinaryIO

from cairn.base import lazy
from cairn.base.errors import CorruptStoreError
from cairn.base.ownfile import read_unfollowed
from cairn.engines import Vectors
from cairn.store import tombstones
from cairn.store.live_pinned import LiveReader, PinnedSegments, living
from cairn.store.manifest import Manifest
from cairn.store.packed import PackedFile
from cairn.store.rows import ChunkRow

if TYPE_CHECKING:
    import numpy as np
else:
    np = lazy.module("numpy")


class SegmentUpkeep(LiveReader):
    """The segments of a view as compaction, audit and health look at them."""

    __slots__ = ("_manifest", "_root")

    def __init__(self, pinned: PinnedSegments, root: str, manifest: Manifest) -> None:
        super().__init__(pinned)
        self._root = root
        self._manifest = manifest

    def homes(self, but: Collection[str] = ()) -> Iterator[tuple[str, str]]:
        """(path_key, segment_id) of every live file, `but` for those of some segments."""
        for segment in self._segments:
            name = segment.ref.segment_id
            if name not in but:
                yield from ((path, name) for path, _, _ in living(segment.rows.contents(), segment.dead))

    def content(self, segment_ids: Sequence[str]) -> Iterator[tuple[PackedFile, list[ChunkRow], Vectors]]:
        """Live files of given segments with all that is known of them: what compaction copies."""
        for segment in self._segments:
            if segment.ref.segment_id not in segment_ids:
                continue
            for number, first, file in segment.rows.placed_files():
                if file.path_key not in segment.dead:
                    vectors = segment.vectors.take(np.arange(first, first + file.chunks, dtype=np.int64))
                    yield segment.rows.packed(number), segment.rows.rows(number), vectors

    def hidden(self) -> Iterator[tuple[str, bytes]]:
        """(segment_id, text) of every file that a segment still holds and nobody sees."""
        for segment in self._segments:
            if segment.dead:
                for number, _, file in segment.rows.placed_files():
                    if file.path_key in segment.dead:
                        yield segment.ref.segment_id, segment.rows.text(number)

    def shown(self, wanted: Container[str]) -> Iterator[tuple[str, str, bytes]]:
        """(path_key, file_hash, text) of every live file that is wanted."""
        for segment in self._segments:
            for number, _, file in segment.rows.placed_files():
                if file.path_key in wanted and file.path_key not in segment.dead:
                    yield file.path_key, file.file_hash, segment.rows.text(number)

    def tombstones(self) -> Iterator[tombstones.Tombstone]:
        """Every tombstone in force."""
        self._pinned.opened()
        for ref in self._manifest.tombstones:
            yield from tombstones.decode(read_unfollowed(os.path.join(self._root, ref.path)), ref.path)

    def loads(self) -> dict[str, tuple[int, int]]:
        """For each segment: rows and live rows, by what the manifest tells; only the dead are looked up."""
        loads = {}
        for segment in self._segments:
            dead = sum(count for _, count in segment.rows.spans(segment.dead))
            loads[segment.ref.segment_id] = (segment.ref.rows, segment.ref.rows - dead)
        return loads

    def counts(self) -> dict[str, tuple[int, int, int, int]]:
        """For each segment: rows, files, live rows and live files, counted in the data."""
        counted = {}
        for segment in self._segments:
            rows, files = segment.rows.counts()
            dead = [count for _, count in segment.rows.spans(segment.dead)]
            counted[segment.ref.segment_id] = (rows, files, rows - sum(dead), files - len(dead))
        return counted

    def open_everything(self) -> None:
        """Open each part of each segment, as a query might; CorruptStoreError for one that doesn't open."""
        for segment in self._segments:
            segment.rows.counts()
            segment.rows.placed_in("", 0)
            segment.lexical.document_frequency("body", "")
            segment.terms.total_length(None)
            segment.trigrams.files(())
            segment.vectors.take(np.arange(min(segment.ref.rows, 1), dtype=np.int64))

    def write_table(self, segment_id: str, file: BinaryIO) -> bytes:
        """Write a segment as a table that is asked where it lies; the directory of the table."""
        from cairn.store.askable import write_table

        (found,) = (segment for segment in self._segments if segment.ref.segment_id == segment_id)
        return write_table(found, file)

    def all_vectors(self, segment_id: str) -> Vectors:
        """Every vector of a segment, wherever they lie."""
        (found,) = (segment for segment in self._segments if segment.ref.segment_id == segment_id)
        return found.vectors.take(np.arange(found.ref.rows, dtype=np.int64))

    def require_finite(self, at_once: int) -> None:
        """CorruptStoreError for a vector with a number that is none: nothing could be nearer or farther than it."""
        for segment in self._segments:
            for first in range(0, segment.ref.rows, at_once):
                rows = np.arange(first, min(first + at_once, segment.ref.rows), dtype=np.int64)
                if not np.isfinite(segment.vectors.take(rows)).all():
                    raise CorruptStoreError(f"{segment.ref.segment_id} has a vector with a number that is not finite.")

    def verify_outside(self) -> int:
        """Hold what engines keep elsewhere against its digests; of how many segments they do."""
        return sum(segment.verify_outside() for segment in self._segments)
