"""Live files and their rows: what they are, what they hold, their text and their vectors."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from cairn.base import lazy
from cairn.engines import Vectors
from cairn.store._candidates import FileAt, NearRow, near_rows
from cairn.store.live_pinned import Hit, LiveReader, asking_of, expecting, living
from cairn.store.rows import ChunkRow, FileRow, RowHead

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
                with asking_of([segment]):
                    return segment.vectors.take(np.arange(first, first + count, dtype=np.int64))
        return None

    def nearest(self, query: Vectors, limit: int) -> list[Hit]:
        """The live rows with the largest inner product, over all segments."""
        hits = []
        for segment in self._segments:
            numbers, scores = segment.vectors.nearest(query, limit, segment.live)
            rows = segment.numbered_rows(numbers)
            hits += [Hit(row, float(score)) for row, score in zip(rows, scores, strict=True)]
        hits.sort(key=lambda hit: (-hit.score, hit.row.path_key, hit.row.start_line, hit.row.row_id))
        return hits[:limit]

    def near(self, query: Vectors, limit: int, inside: Collection[FileAt] | None = None) -> list[NearRow]:
        """The `limit` nearest live rows, of all files or of some, the nearest first, then by path.

        This is all that a search asks of an engine, and it asks once.
        """
        segments = self._segments
        with asking_of(segments):
            return near_rows(segments, query, limit, inside)

    def nearest_files(self, near: Sequence[NearRow], limit: int) -> set[FileAt]:
        """The files of the first `limit` of some rows."""
        return {each.at for each in near[:limit]}


class LiveRows(LiveReader):
    """The files of a view and their rows."""

    __slots__ = ()

    def file(self, path_key: str) -> FileRow | None:
        """A live file; None for one that the snapshot doesn't have."""
        for segment in self._holding(path_key):
            found = segment.rows.file(path_key)
            if found is not None:
                return found
        return None

    def contents(self) -> Iterator[tuple[str, str, int]]:
        """(path, hash, chunks) of every live file: what a sync compares the tree with."""
        for segment in self._segments:
            yield from living(segment.rows.contents(), segment.dead)

    def shows(self) -> Iterator[tuple[str, str, str]]:
        """(path, hash of the content, hash of what others can see of it) of every live file."""
        for segment in self._segments:
            yield from living(segment.rows.shows(), segment.dead)

    def languages(self) -> Iterator[tuple[str, str]]:
        """(path, language) of every live file."""
        for segment in self._segments:
            yield from living(segment.rows.languages(), segment.dead)

    def files_where(self, wanted: Callable[[FileRow], bool]) -> set[FileAt]:
        """Every live file that passes a test."""
        return {
            (index, number)
            for index, segment in enumerate(self._segments)
            for number, file in enumerate(segment.rows.files())
            if file.path_key not in segment.dead and wanted(file)
        }

    def of(self, path_key: str) -> list[ChunkRow]:
        """A live file's rows in order; empty for a file that the snapshot doesn't have."""
        for segment in self._holding(path_key):
            if (number := segment.rows.file_number(path_key)) is not None:
                return segment.rows.rows(number)
        return []

    def at(self, at: FileAt) -> list[ChunkRow]:
        """A file's rows in order."""
        return self._segments[at[0]].rows.rows(at[1])

    def chosen(self, wanted: Sequence[tuple[FileAt, int]]) -> list[ChunkRow]:
        """Rows by file and ordinal, in the order asked for."""
        segments = self._segments
        return [segments[owner].rows.row(number, ordinal) for (owner, number), ordinal in wanted]

    def heads(self, wanted: Mapping[FileAt, Sequence[int]]) -> dict[FileAt, dict[int, RowHead]]:
        """Rows of some files by their ordinals, without their texts."""
        segments = expecting(self._segments, wanted)
        return {at: segments[at[0]].rows.heads(at[1], ordinals) for at, ordinals in wanted.items()}

    def whole_text_of(self, path_key: str) -> bytes | None:
        """A live file's whole text as it was indexed."""
        for segment in self._segments:
            if path_key not in segment.dead and (number := segment.rows.file_number(path_key)) is not None:
                return segment.rows.text(number)
        return None

    def text_of(self, at: FileAt) -> bytes:
        """A file's whole text as it was indexed."""
        return self._segments[at[0]].rows.text(at[1])
