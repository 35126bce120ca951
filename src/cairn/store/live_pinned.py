"""The segments that a view has pinned and verified, as its readers share them."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any, TypeVar

from cairn.base import deadline
from cairn.base.values import dataclass
from cairn.store._candidates import FileAt
from cairn.store._segment import SegmentReader
from cairn.store.blocktable import read_together
from cairn.store.breaker import asking
from cairn.store.rows import ChunkRow, FileRow


@dataclass(frozen=True, slots=True)
class Hit:
    """A row that matched, with the matcher's score."""

    row: ChunkRow
    score: float


@dataclass(frozen=True, slots=True)
class TermCounts:
    """How many rows of a view hold each of some terms, and how much text there is in all."""

    body: list[int]
    path: list[int]
    """Rows of files whose paths hold the term."""
    rows: int
    length: int
    """Tokens of all rows together."""


@dataclass(frozen=True, slots=True)
class Located:
    """A live file, where it is, and the number of its first row."""

    at: FileAt
    first: int
    file: FileRow


T = TypeVar("T", bound=tuple[Any, ...])


def asking_of(segments: Sequence[SegmentReader]) -> AbstractContextManager[None]:
    """The breaker around what asks the vectors of segments; those that lie beside their rows need no server."""
    outside = next((segment for segment in segments if segment.ref.engine != "flat"), None)
    return nullcontext() if outside is None else asking(outside.layout)


def expecting(segments: list[SegmentReader], files: Iterable[FileAt]) -> list[SegmentReader]:
    """The segments, which have been told which files are asked about next: what lies elsewhere is then fetched once."""
    own = defaultdict[int, list[int]](list)
    for owner, number in files:
        own[owner].append(number)
    missing = (segments[owner].rows.missing(numbers) for owner, numbers in own.items())
    read_together(each for each in missing if each is not None)
    return segments


class PinnedSegments:
    """The verified segments of one view, for as long as it is open."""

    __slots__ = ("_is_open", "_readers")

    def __init__(self, readers: list[SegmentReader]) -> None:
        self._readers = readers
        self._is_open = True

    def opened(self) -> list[SegmentReader]:
        """The segments, the oldest first; an error for a closed view, and for a question that nobody waits for."""
        # Every question passes here, so this is where one ends that nobody waits for any more.
        deadline.check()
        if not self._is_open:
            raise ValueError("A view that was closed pins nothing, so it must not answer.")
        return self._readers

    def release(self) -> list[SegmentReader]:
        """Answer nothing from now on, and give the segments back to whoever closes them."""
        # Whoever still holds the view must not keep files open that it can't read any more.
        readers, self._readers, self._is_open = self._readers, [], False
        return readers


class LiveReader:
    """What the readers of every subject have in common: the segments of their view."""

    __slots__ = ("_pinned",)

    def __init__(self, pinned: PinnedSegments) -> None:
        self._pinned = pinned

    @property
    def _segments(self) -> list[SegmentReader]:
        return self._pinned.opened()

    def _holding(self, path_key: str) -> Iterator[SegmentReader]:
        """Segments that may hold a live file, newest first."""
        return (segment for segment in reversed(self._segments) if path_key not in segment.dead)


def living(items: Iterable[T], dead: frozenset[str]) -> Iterable[T]:
    """Those items that are of live files, where each begins with its file's path."""
    return [item for item in items if item[0] not in dead] if dead else items
