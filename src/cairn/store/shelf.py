"""Segments that stay open from one view to the next, for a process that asks more than once.

What a segment holds never changes, so an open reader is as good as a new one. Every view still
verifies the files before it takes a reader from here, and pins its snapshot all the same.
"""

from collections.abc import Iterable

from cairn.store._segment import SegmentReader
from cairn.store.layout import Layout
from cairn.store.manifest import SegmentRef


class Shelf:
    """The open segments of the snapshot that was asked last."""

    def __init__(self) -> None:
        self._readers: dict[str, SegmentReader] = {}

    def take(self, layout: Layout, wanted: Iterable[tuple[SegmentRef, frozenset[str]]]) -> list[SegmentReader]:
        """Readers of (segment, what is hidden in it); those of other segments are let go of."""
        readers = [self._reader(layout, ref, dead) for ref, dead in wanted]
        # Views that still hold a former reader keep it alive; the last one closes it by letting go.
        self._readers = {reader.ref.segment_id: reader for reader in readers}
        return readers

    def clear(self) -> None:
        """Let go of every segment."""
        self._readers = {}

    def _reader(self, layout: Layout, ref: SegmentRef, dead: frozenset[str]) -> SegmentReader:
        known = self._readers.get(ref.segment_id)
        if known is None or known.ref != ref or known.layout != layout:
            return self._opened(layout, ref, dead)
        return known if known.dead == dead else known.hiding(dead)

    def _opened(self, layout: Layout, ref: SegmentRef, dead: frozenset[str]) -> SegmentReader:
        return SegmentReader(layout, ref, dead)
