"""Live rows by the words and the trigrams that they hold."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from cairn.base import lazy
from cairn.base.values import dataclass
from cairn.store._candidates import MAX_CANDIDATES, FileAt, NearRow, Worth, files_of, matching_rows
from cairn.store._segment import SegmentReader
from cairn.store._terms import Hashes, TermMatrix
from cairn.store._trigrams import Clause
from cairn.store.live_pinned import Hit, LiveReader, Located, PinnedSegments, TermCounts
from cairn.store.rows import FileRow

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
else:
    np = lazy.module("numpy")


@dataclass(frozen=True, slots=True)
class Evidence:
    """All rows of some files (down) held against a query's terms (across) and its vector."""

    places: tuple[FileAt, ...]
    files: tuple[FileRow, ...]
    starts: npt.NDArray[np.int64]
    """Where the rows of each file begin; a file has one row at least."""
    text: npt.NDArray[np.float64]
    symbols: npt.NDArray[np.float64]
    lengths: npt.NDArray[np.float64]
    likeness: npt.NDArray[np.float64]
    """How near the rows are that are among the nearest of all; nothing is known of the others."""


def evidence_of(
    segments: Sequence[SegmentReader], files: Collection[FileAt], hashes: Hashes, near: Iterable[NearRow]
) -> Evidence:
    """All rows of some files held against a query; dead files and files without rows are left out."""
    places: list[FileAt] = []
    said: list[FileRow] = []
    matrices: list[TermMatrix] = []
    for index, segment in enumerate(segments):
        numbered = segment.rows.numbered_files(sorted(number for owner, number in files if owner == index))
        alive = [
            (number, file, first)
            for number, (file, first) in sorted(numbered.items())
            if file.chunks and file.path_key not in segment.dead
        ]
        if not alive:
            continue
        places += [(index, number) for number, _, _ in alive]
        said += [file for _, file, _ in alive]
        spans = [(first, file.chunks) for _, file, first in alive]
        matrices.append(segment.terms.matrix(spans, hashes))
    ends = np.cumsum([file.chunks for file in said], dtype=np.int64)
    nothing = np.zeros((0, len(hashes)))
    starts = np.concatenate(([0], ends[:-1])).astype(np.int64) if len(ends) else ends
    first_of = dict(zip(places, starts.tolist(), strict=True))
    likeness = np.zeros(int(ends[-1]) if len(ends) else 0)
    for each in near:
        if each.at in first_of:
            likeness[first_of[each.at] + each.ordinal] = each.likeness
    return Evidence(
        tuple(places),
        tuple(said),
        starts,
        np.concatenate([matrix.text for matrix in matrices]) if matrices else nothing,
        np.concatenate([matrix.symbols for matrix in matrices]) if matrices else nothing,
        np.concatenate([matrix.lengths for matrix in matrices]) if matrices else np.zeros(0),
        likeness,
    )


class LiveWords(LiveReader):
    """The lexical index of a view."""

    __slots__ = ("_chunks",)

    def __init__(self, pinned: PinnedSegments, chunks: int) -> None:
        super().__init__(pinned)
        self._chunks = chunks

    def document_frequencies(self, field: str, tokens: Iterable[str]) -> list[int]:
        """How many live rows of the whole view hold each token."""
        return [sum(each.lexical.document_frequency(field, token) for each in self._segments) for token in tokens]

    def counted(self, terms: Sequence[str]) -> TermCounts:
        """How often some terms occur in the whole view."""
        body, path = (self.document_frequencies(field, terms) for field in ("body", "path"))
        length = sum(segment.terms.total_length(segment.live) for segment in self._segments)
        return TermCounts(body, path, self._chunks, length)

    def matches(self, weights: Mapping[tuple[str, str], float], limit: int) -> list[Hit]:
        """The best live rows of each segment by Tantivy's own score: candidates, not an order."""
        hits = []
        for segment in self._segments:
            found = segment.lexical.numbers(weights, limit, MAX_CANDIDATES)
            rows = segment.numbered_rows(found.numbers)
            hits += [Hit(row, score) for row, score in zip(rows, found.scores.tolist(), strict=True)]
        return hits

    def matching_files(
        self, weights: Mapping[tuple[str, str], float], limit: int, hashes: Hashes, worth: Worth
    ) -> tuple[list[FileAt], bool]:
        """Files of the `limit` live rows that hold most of the weighted (field, token) pairs.

        And whether all that may be among them were seen. Of rows that hold the same pairs those of more
        `worth` come first, then by path.
        """
        rows, all_seen = matching_rows(self._segments, weights, limit, hashes, worth)
        return list(dict.fromkeys(files_of(self._segments, rows))), all_seen

    def files_holding(self, clauses: Sequence[Clause]) -> list[Located]:
        """Live files in which all clauses of trigrams hold, in order of their paths: every live file for none."""
        found = []
        for index, segment in enumerate(self._segments):
            numbers = segment.trigrams.files(clauses)
            listed = (
                segment.rows.placed_files()
                if numbers is None
                else [(n, first, file) for n, (file, first) in segment.rows.numbered_files(sorted(numbers)).items()]
            )
            found += [
                Located((index, number), first, file)
                for number, first, file in listed
                if file.path_key not in segment.dead
            ]
        found.sort(key=lambda item: item.file.path_key)
        return found

    def evidence(self, files: Collection[FileAt], hashes: Hashes, near: Iterable[NearRow]) -> Evidence:
        """All rows of some files held against a query; dead files and files without rows are left out."""
        return evidence_of(self._segments, files, hashes, near)
