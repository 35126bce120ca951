"""Several views as one, so that files of different codebases are ranked by the same measure.

A score only compares a file with the other candidates of the same search, so scores of two searches can't
be compared. Therefore the candidates, document frequencies and lengths of all codebases are put together
and ranked once.
"""

from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, chain, zip_longest
from typing import TypeVar

import numpy as np

from cairn.base.errors import CairnError
from cairn.base.values import replace
from cairn.engines import Vectors
from cairn.store import (
    ChunkRow,
    Clause,
    Evidence,
    FileAt,
    FileTest,
    Hashes,
    History,
    Located,
    NearRow,
    RowHead,
    SnapshotView,
    SymbolRow,
    TermCounts,
    Worth,
)

T = TypeVar("T")


class ViewFailedError(Exception):
    """One of the views could not be read; the others can."""

    def __init__(self, number: int, cause: CairnError | OSError) -> None:
        super().__init__(str(cause))
        self.number = number
        self.cause = cause


class _Views:
    """Several views whose segments are numbered one after the other."""

    def __init__(self, views: Sequence[SnapshotView]) -> None:
        self.all = tuple(views)
        self._starts = list(accumulate((len(view.segments) for view in self.all), initial=0))

    def number_of(self, at: FileAt) -> int:
        return bisect_right(self._starts, at[0]) - 1

    def outer(self, number: int, at: FileAt) -> FileAt:
        """A file of one view as a file among those of all."""
        return at[0] + self._starts[number], at[1]

    def one(self, at: FileAt, call: Callable[[SnapshotView, FileAt], T]) -> T:
        """Ask the view that holds a file."""
        number = self.number_of(at)
        return self._call(number, lambda view: call(view, self._inner(number, at)))

    def own(self, files: Collection[FileAt], call: Callable[[SnapshotView, list[FileAt]], T]) -> list[T]:
        """Ask each view for its own files alone."""
        inner: list[list[FileAt]] = [[] for _ in self.all]
        for at in files:
            number = self.number_of(at)
            inner[number].append(self._inner(number, at))
        asked = iter(inner)
        return list(self.each(lambda view: call(view, next(asked))))

    def apart(self, near: Iterable[NearRow]) -> list[list[NearRow]]:
        """Rows by their views, in their order."""
        found: list[list[NearRow]] = [[] for _ in self.all]
        for each in near:
            found[self.number_of(each.at)].append(each)
        return found

    def within(self, number: int, near: Iterable[NearRow]) -> Iterator[NearRow]:
        """Rows of one view, as that view places them."""
        return (each._replace(at=self._inner(number, each.at)) for each in near)

    def each(self, call: Callable[[SnapshotView], T]) -> Iterator[T]:
        """Ask every view, in their order."""
        return (self._call(number, call) for number in range(len(self.all)))

    def _inner(self, number: int, at: FileAt) -> FileAt:
        return at[0] - self._starts[number], at[1]

    def _call(self, number: int, call: Callable[[SnapshotView], T]) -> T:
        try:
            return call(self.all[number])
        except (CairnError, OSError) as error:
            raise ViewFailedError(number, error) from error


class _Rows:
    """The files of several views and their rows."""

    def __init__(self, views: _Views) -> None:
        self._views = views

    def heads(self, wanted: Mapping[FileAt, Sequence[int]]) -> dict[FileAt, dict[int, RowHead]]:
        return {
            at: self._views.one(at, lambda view, inner, rows=ordinals: view.rows.heads({inner: rows})[inner])  # type: ignore[misc]
            for at, ordinals in wanted.items()
        }

    def chosen(self, wanted: Sequence[tuple[FileAt, int]]) -> list[ChunkRow]:
        return [
            self._views.one(at, lambda view, inner, ordinal=ordinal: view.rows.chosen([(inner, ordinal)]))[0]  # type: ignore[misc]
            for at, ordinal in wanted
        ]

    def at(self, at: FileAt) -> list[ChunkRow]:
        return self._views.one(at, lambda view, inner: view.rows.at(inner))

    def text_of(self, at: FileAt) -> bytes:
        return self._views.one(at, lambda view, inner: view.rows.text_of(inner))


class _Facts:
    """What the files of several views define and import."""

    def __init__(self, views: _Views) -> None:
        self._views = views

    def symbols_named(self, names: Collection[str], limit: int) -> list[tuple[FileAt, SymbolRow]]:
        return self._by_turns(lambda view: view.facts.symbols_named(names, limit), limit)

    def symbols_starting(self, names: Collection[str], limit: int) -> list[tuple[FileAt, SymbolRow]]:
        return self._by_turns(lambda view: view.facts.symbols_starting(names, limit), limit)

    def symbols_at(self, files: Collection[FileAt]) -> dict[FileAt, list[SymbolRow]]:
        each = self._views.own(files, lambda view, own: view.facts.symbols_at(own))
        return {self._views.outer(number, at): rows for number, found in enumerate(each) for at, rows in found.items()}

    def symbols_qualified(self, at: FileAt, name: str) -> list[SymbolRow]:
        return self._views.one(at, lambda view, inner: view.facts.symbols_qualified(inner, name))

    def imports_of(self, files: Sequence[FileAt]) -> list[list[str]]:
        return [self._views.one(at, lambda view, inner: view.facts.imports_of([inner]))[0] for at in files]

    def _by_turns(
        self, lookup: Callable[[SnapshotView], list[tuple[FileAt, SymbolRow]]], limit: int
    ) -> list[tuple[FileAt, SymbolRow]]:
        """One of each view in turn, so that a cut falls on all of them alike."""
        each = [
            [(self._views.outer(number, at), symbol) for at, symbol in found]
            for number, found in enumerate(self._views.each(lookup))
        ]
        turns = chain.from_iterable(zip_longest(*each))
        return [hit for hit in turns if hit is not None][:limit]


class _Words:
    """The lexical indexes of several views."""

    def __init__(self, views: _Views) -> None:
        self._views = views

    def counted(self, terms: Sequence[str]) -> TermCounts:
        each = list(self._views.each(lambda view: view.words.counted(terms)))
        return TermCounts(
            [sum(counts) for counts in zip(*(found.body for found in each), strict=True)],
            [sum(counts) for counts in zip(*(found.path for found in each), strict=True)],
            sum(found.rows for found in each),
            sum(found.length for found in each),
        )

    def matching_files(
        self, weights: Mapping[tuple[str, str], float], limit: int, hashes: Hashes, worth: Worth
    ) -> tuple[list[FileAt], bool]:
        """The best of each view: a large codebase doesn't keep a small one from being looked at."""
        each = list(self._views.each(lambda view: view.words.matching_files(weights, limit, hashes, worth)))
        files = [self._views.outer(number, at) for number, (found, _) in enumerate(each) for at in found]
        return files, all(all_seen for _, all_seen in each)

    def files_holding(self, clauses: Sequence[Clause]) -> list[Located]:
        """Live files of all views in which all clauses of trigrams hold."""
        each = self._views.each(lambda view: view.words.files_holding(clauses))
        return [
            replace(item, at=self._views.outer(number, item.at)) for number, found in enumerate(each) for item in found
        ]

    def evidence(self, files: Collection[FileAt], hashes: Hashes, near: Iterable[NearRow]) -> Evidence:
        """What is known of some files for a query."""
        own_near = (self._views.within(*each) for each in enumerate(self._views.apart(near)))
        # The order of the views is the order of the evidence.
        parts = self._views.own(files, lambda view, own: view.words.evidence(own, hashes, next(own_near)))
        rows = list(accumulate((len(part.lengths) for part in parts), initial=0))
        return Evidence(
            tuple(self._views.outer(number, at) for number, part in enumerate(parts) for at in part.places),
            tuple(file for part in parts for file in part.files),
            np.concatenate([part.starts + first for part, first in zip(parts, rows[:-1], strict=True)]).astype(
                np.int64
            ),
            np.concatenate([part.text for part in parts]),
            np.concatenate([part.symbols for part in parts]),
            np.concatenate([part.lengths for part in parts]),
            np.concatenate([part.likeness for part in parts]),
        )


class _Vectors:
    """The embeddings of several views."""

    def __init__(self, views: _Views) -> None:
        self._views = views

    def near(self, query: Vectors, limit: int, inside: Collection[FileAt] | None = None) -> list[NearRow]:
        """The `limit` nearest rows of each view, the nearest of them all first."""
        if inside is None:
            found = [*self._views.each(lambda view: view.vectors.near(query, limit))]
        else:
            found = self._views.own(inside, lambda view, own: view.vectors.near(query, limit, own))
        rows = [
            each._replace(at=self._views.outer(number, each.at)) for number, near in enumerate(found) for each in near
        ]
        return sorted(rows, key=lambda each: (-each.likeness, each.at, each.ordinal))

    def nearest_files(self, near: Sequence[NearRow], limit: int) -> set[FileAt]:
        """The files of the first `limit` rows of each view: a large one doesn't keep a small one from being seen."""
        return {each.at for own in self._views.apart(near) for each in own[:limit]}


class MergedViews:
    """What a search asks of a view, asked of several: readers of the same subjects, over the rows of them all."""

    def __init__(self, views: Sequence[SnapshotView]) -> None:
        self._views = _Views(views)
        self.rows = _Rows(self._views)
        self.facts = _Facts(self._views)
        self.words = _Words(self._views)
        self.vectors = _Vectors(self._views)

    @property
    def histories(self) -> list[History | None]:
        """What the last commits of each codebase tell."""
        return list(self._views.each(lambda view: view.history))

    def number_of(self, at: FileAt) -> int:
        """Which of the views holds a file."""
        return self._views.number_of(at)

    def files_where(self, wanted: FileTest) -> set[FileAt]:
        """Every live file that passes a test: a link gives other names to files of its own codebase only."""
        each = self._views.each(lambda view: view.files_where(wanted))
        return {self._views.outer(number, at) for number, found in enumerate(each) for at in found}
