"""Which rows of several segments are worth a closer look, wherever they lie.

What is chosen must not depend on how rows are spread over segments: the last places go by worth,
then by path, and never by the number of a row.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from cairn.base import lazy
from cairn.base.values import dataclass
from cairn.engines import Mask, Numbers, Vectors, nearest_in
from cairn.store._segment import SegmentReader
from cairn.store._terms import Hashes, TermMatrix

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
else:
    np = lazy.module("numpy")

MAX_CANDIDATES = 50_000
"""Rows of one segment that may tie for a place among the candidates."""
Worth = Callable[[TermMatrix], "npt.NDArray[np.float64]"]
"""How much rows are worth, by how often they hold some terms."""
FileAt = tuple[int, int]
"""A file within a view: the place of its segment, and its number there."""


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows, each by the place of its segment and its number there, with a score."""

    owners: Numbers
    numbers: Numbers
    scores: npt.NDArray[np.float64]

    def at(self, places: npt.NDArray[np.int64]) -> Rows:
        """Some of the rows, in the order of their places."""
        return Rows(self.owners[places], self.numbers[places], self.scores[places])


def matching_rows(
    segments: Sequence[SegmentReader],
    weights: Mapping[tuple[str, str], float],
    limit: int,
    hashes: Hashes,
    worth: Worth,
) -> tuple[Rows, bool]:
    """The `limit` live rows that hold most of the weighted (field, token) pairs; whether all that may be were seen."""
    each = [segment.lexical.numbers(weights, limit, MAX_CANDIDATES) for segment in segments]
    rows = _gathered([(found.numbers, found.scores) for found in each])
    above, tied = _split(rows.scores, limit)
    if len(above) + len(tied) > limit:
        tied = tied[_worthiest(segments, rows.at(tied), limit - len(above), hashes, worth)]
    return rows.at(np.concatenate((above, tied))), all(found.all_seen for found in each)


class NearRow(NamedTuple):
    """A row near to a vector: how near, of which file, and which of the file's rows."""

    likeness: float
    at: FileAt
    ordinal: int


def near_rows(
    segments: Sequence[SegmentReader], query: Vectors, limit: int, inside: Collection[FileAt] | None = None
) -> list[NearRow]:
    """The `limit` live rows nearest to a vector, of all files or of some, the nearest first, then by path."""
    shown = [_shown(segment, index, inside) for index, segment in enumerate(segments)]
    rows = _gathered(nearest_in([segment.vectors for segment in segments], query, limit, shown))
    rows = rows.at(np.argsort(-rows.scores, kind="stable"))
    same = rows.scores[1:] == rows.scores[:-1]
    if same.any():
        # Only the order of rows that tie needs a look at their paths.
        tied = np.flatnonzero(np.append(same, False) | np.insert(same, 0, False))
        order = sorted(zip((-rows.scores[tied]).tolist(), _places(segments, rows.at(tied)), tied.tolist(), strict=True))
        rearranged = np.arange(len(rows.scores))
        rearranged[tied] = [place for _, _, place in order]
        rows = rows.at(rearranged)
    rows = rows.at(np.arange(min(limit, len(rows.scores))))
    files = _file_numbers(segments, rows)
    ordinals = np.zeros(len(files), dtype=np.int64)
    for index, segment in enumerate(segments):
        own = rows.owners == index
        # The rows of a file lie one behind the other. A number of another type would have all of them copied.
        firsts = np.searchsorted(segment.terms.files, files[own].astype(segment.terms.files.dtype))
        ordinals[own] = rows.numbers[own] - firsts
    at = zip(rows.owners.tolist(), files.tolist(), strict=True)
    return [*map(NearRow, rows.scores.tolist(), at, ordinals.tolist())]


def _shown(segment: SegmentReader, index: int, inside: Collection[FileAt] | None) -> Mask | None:
    """The rows of a segment that may be found; None for all."""
    if inside is None:
        return segment.live
    wanted = [number for owner, number in inside if owner == index]
    return np.isin(segment.terms.files, wanted)


def files_of(segments: Sequence[SegmentReader], rows: Rows) -> list[FileAt]:
    """The file of each row."""
    return list(zip(rows.owners.tolist(), _file_numbers(segments, rows).tolist(), strict=True))


def _file_numbers(segments: Sequence[SegmentReader], rows: Rows) -> npt.NDArray[np.int64]:
    files = np.zeros(len(rows.numbers), dtype=np.int64)
    for index, segment in enumerate(segments):
        own = rows.owners == index
        files[own] = segment.terms.files[rows.numbers[own]]
    return files


def _gathered(each: Sequence[tuple[Numbers, npt.NDArray[np.floating]]]) -> Rows:
    if not each:
        return Rows(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64), np.zeros(0))
    owners = np.repeat(np.arange(len(each)), [len(numbers) for numbers, _ in each])
    scores = np.concatenate([scores for _, scores in each]).astype(np.float64)
    return Rows(owners, np.concatenate([numbers for numbers, _ in each]), scores)


def _split(scores: npt.NDArray[np.float64], count: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Which are surely among the best `count`, and which tie for its last place."""
    if len(scores) <= count:
        return np.arange(len(scores)), np.zeros(0, dtype=np.int64)
    last = np.partition(scores, len(scores) - count)[len(scores) - count]
    return np.flatnonzero(scores > last), np.flatnonzero(scores == last)


def _worthiest(
    segments: Sequence[SegmentReader], rows: Rows, count: int, hashes: Hashes, worth: Worth
) -> npt.NDArray[np.int64]:
    """Which of some rows come first by worth, then path."""
    values = np.zeros(len(rows.numbers))
    for index, segment in enumerate(segments):
        own = rows.owners == index
        if own.any():
            values[own] = np.round(worth(segment.terms.matrix_of(rows.numbers[own], hashes)), 6)
    above, tied = _split(values, count)
    if len(above) + len(tied) > count:
        places = _places(segments, rows.at(tied))
        order = sorted(range(len(tied)), key=places.__getitem__)[: count - len(above)]
        tied = tied[order]
    return np.concatenate((above, tied))


def _places(segments: Sequence[SegmentReader], rows: Rows) -> list[tuple[str, int]]:
    """(path, number) of rows, which orders them in the same way however they are spread."""
    files = files_of(segments, rows)
    paths: dict[FileAt, str] = {}
    for index, segment in enumerate(segments):
        own = sorted({number for owner, number in files if owner == index})
        paths |= {(index, number): file.path_key for number, (file, _) in segment.rows.numbered_files(own).items()}
    return [(paths[at], number) for at, number in zip(files, rows.numbers.tolist(), strict=True)]
