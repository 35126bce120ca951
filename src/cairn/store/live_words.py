"""Live rows by the words and the trigrams that they hold."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from cairn.engines import Vectors
from cairn.store._candidates import MAX_CANDIDATES, FileAt, Worth, files_of, matching_rows
from cairn.store._terms import Hashes
from cairn.store._trigrams import Clause
from cairn.store.live_evidence import Evidence, evidence_of
from cairn.store.live_pinned import LiveReader, PinnedSegments
from cairn.store.live_values import Hit, Located


class LiveWords(LiveReader):
    """The lexical index of a view."""

    __slots__ = ("_chunks",)

    def __init__(self, pinned: PinnedSegments, chunks: int) -> None:
        super().__init__(pinned)
        self._chunks = chunks

    def document_frequencies(self, field: str, tokens: Iterable[str]) -> list[int]:
        """How many live rows of the whole view hold each token."""
        return [sum(each.lexical.document_frequency(field, token) for each in self._segments) for token in tokens]

    def average_length(self) -> float:
        """Tokens in a live row, on average."""
        total = sum(segment.terms.total_length(segment.live) for segment in self._segments)
        return total / max(self._chunks, 1)

    def matches(self, weights: Mapping[tuple[str, str], float], limit: int) -> list[Hit]:
        """The best live rows of each segment by Tantivy's own score: candidates, not an order."""
        hits = []
        for segment in self._segments:
            found = segment.lexical.numbers(weights, limit, MAX_CANDIDATES)
            rows = segment.rows.rows(found.numbers.tolist())
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

    def evidence(self, files: Collection[FileAt], hashes: Hashes, query: Vectors | None) -> Evidence:
        """All rows of some files held against a query; dead files and files without rows are left out."""
        return evidence_of(self._segments, files, hashes, query)
