"""Several views as one, so that files of different codebases are ranked by the same measure.

A score only compares a file with the other candidates of the same search, so scores of two searches can't
be compared. Therefore the candidates, document frequencies and lengths of all codebases are put together
and ranked once.
"""

from bisect import bisect_right
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import accumulate, chain, zip_longest
from typing import TypeVar

import numpy as np

from cairn.base.errors import CairnError
from cairn.engines import Vectors
from cairn.store import ChunkRow, Evidence, FileAt, FileRow, Hashes, RowHead, SnapshotView, SymbolRow, Worth

T = TypeVar("T")


class ViewFailedError(Exception):
    """One of the views could not be read; the others can."""

    def __init__(self, number: int, cause: CairnError | OSError) -> None:
        super().__init__(str(cause))
        self.number = number
        self.cause = cause


class MergedViews:
    """The part of a view that a search uses, over several views. Segments are numbered through all of them."""

    def __init__(self, views: Sequence[SnapshotView]) -> None:
        self._views = tuple(views)
        self._starts = list(accumulate((len(view.segments) for view in self._views), initial=0))

    def number_of(self, at: FileAt) -> int:
        """Which of the views holds a file."""
        return bisect_right(self._starts, at[0]) - 1

    @property
    def chunks_live(self) -> int:
        """The number of live chunks in all views."""
        return sum(view.chunks_live for view in self._views)

    def document_frequency(self, field: str, token: str) -> int:
        """In how many live chunks of all views a token occurs."""
        return sum(self._each(lambda view: view.document_frequency(field, token)))

    def average_length(self) -> float:
        """The average length of a live chunk over all views."""
        total = sum(self._each(lambda view: view.average_length() * max(view.chunks_live, 1)))
        return total / max(self.chunks_live, 1)

    def files_where(self, wanted: Callable[[FileRow], bool]) -> set[FileAt]:
        """The files that pass a test."""
        each = self._each(lambda view: view.files_where(wanted))
        return {self._outer(number, at) for number, found in enumerate(each) for at in found}

    def matching_files(
        self, weights: Mapping[tuple[str, str], float], limit: int, hashes: Hashes, worth: Worth
    ) -> tuple[list[FileAt], bool]:
        """The best files of each view, so that a large codebase doesn't crowd out a small one."""
        each = list(self._each(lambda view: view.matching_files(weights, limit, hashes, worth)))
        files = [self._outer(number, at) for number, (found, _) in enumerate(each) for at in found]
        return files, all(all_seen for _, all_seen in each)

    def near_files(self, query: Vectors, limit: int, edge: int) -> tuple[list[FileAt], float]:
        """Files of the `limit` nearest rows of each view, and the likeness of the row at the `edge` of them all."""
        each = [
            [(-score, self._outer(number, at)) for score, at in found]
            for number, found in enumerate(self._each(lambda view: view.near_rows(query, max(limit, edge))))
        ]
        near = sorted(chain.from_iterable(rows[:limit] for rows in each))
        all_rows = sorted(chain.from_iterable(each))
        return list(dict.fromkeys(at for _, at in near)), -all_rows[:edge][-1][0] if all_rows else 0.0

    def symbols_named(self, names: Collection[str], limit: int) -> list[tuple[FileAt, SymbolRow]]:
        """Definitions with one of some names, the views taking turns up to the limit."""
        return self._by_turns(lambda view: view.symbols_named(names, limit), limit)

    def symbols_starting(self, names: Collection[str], limit: int) -> list[tuple[FileAt, SymbolRow]]:
        """Definitions whose names begin like one of some, the views taking turns up to the limit."""
        return self._by_turns(lambda view: view.symbols_starting(names, limit), limit)

    def evidence(self, files: Collection[FileAt], hashes: Hashes, query: Vectors | None) -> Evidence:
        """What is known of some files for a query."""
        # The order of the views is the order of the evidence.
        parts = self._own(files, lambda view, own: view.evidence(own, hashes, query))
        rows = list(accumulate((len(part.lengths) for part in parts), initial=0))
        return Evidence(
            tuple(self._outer(number, at) for number, part in enumerate(parts) for at in part.places),
            tuple(file for part in parts for file in part.files),
            np.concatenate([part.starts + first for part, first in zip(parts, rows[:-1], strict=True)]).astype(
                np.int64
            ),
            np.concatenate([part.text for part in parts]),
            np.concatenate([part.symbols for part in parts]),
            np.concatenate([part.lengths for part in parts]),
            np.concatenate([part.likeness for part in parts]),
        )

    def heads(self, wanted: Mapping[FileAt, Sequence[int]]) -> dict[FileAt, dict[int, RowHead]]:
        """The heads of some rows, by file and row."""
        return {
            at: self._one(at, lambda view, inner, rows=ordinals: view.heads({inner: rows})[inner])  # type: ignore[misc]
            for at, ordinals in wanted.items()
        }

    def chosen_rows(self, wanted: Sequence[tuple[FileAt, int]]) -> list[ChunkRow]:
        """The given rows, in the given order."""
        return [
            self._one(at, lambda view, inner, ordinal=ordinal: view.chosen_rows([(inner, ordinal)]))[0]  # type: ignore[misc]
            for at, ordinal in wanted
        ]

    def imports_of(self, files: Sequence[FileAt]) -> list[list[str]]:
        """What each of some files imports, as written."""
        return [self._one(at, lambda view, inner: view.imports_of([inner]))[0] for at in files]

    def rows_at(self, at: FileAt) -> list[ChunkRow]:
        """All rows of a file."""
        return self._one(at, lambda view, inner: view.rows_at(inner))

    def symbols_at(self, at: FileAt) -> tuple[SymbolRow, ...]:
        """The definitions of a file."""
        return self._one(at, lambda view, inner: view.symbols_at(inner))

    def _by_turns(
        self, lookup: Callable[[SnapshotView], list[tuple[FileAt, SymbolRow]]], limit: int
    ) -> list[tuple[FileAt, SymbolRow]]:
        """One result of each view in turn, so that a limit cuts all views alike."""
        each = [
            [(self._outer(number, at), symbol) for at, symbol in found]
            for number, found in enumerate(self._each(lookup))
        ]
        turns = chain.from_iterable(zip_longest(*each))
        return [hit for hit in turns if hit is not None][:limit]

    def _outer(self, number: int, at: FileAt) -> FileAt:
        return at[0] + self._starts[number], at[1]

    def _inner(self, number: int, at: FileAt) -> FileAt:
        return at[0] - self._starts[number], at[1]

    def _one(self, at: FileAt, call: Callable[[SnapshotView, FileAt], T]) -> T:
        number = self.number_of(at)
        return self._call(number, lambda view: call(view, self._inner(number, at)))

    def _own(self, files: Collection[FileAt], call: Callable[[SnapshotView, list[FileAt]], T]) -> list[T]:
        """Ask each view about its own files."""
        inner: list[list[FileAt]] = [[] for _ in self._views]
        for at in files:
            number = self.number_of(at)
            inner[number].append(self._inner(number, at))
        asked = iter(inner)
        return list(self._each(lambda view: call(view, next(asked))))

    def _each(self, call: Callable[[SnapshotView], T]) -> Iterator[T]:
        return (self._call(number, call) for number in range(len(self._views)))

    def _call(self, number: int, call: Callable[[SnapshotView], T]) -> T:
        try:
            return call(self._views[number])
        except (CairnError, OSError) as error:
            raise ViewFailedError(number, error) from error
