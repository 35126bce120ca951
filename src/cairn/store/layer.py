"""A layer over a snapshot: some files as somebody has them who has not saved them yet.

It is a segment like any other, but of a folder of its own: no manifest names it, no other view reads it, and nothing of
it comes into the store. A view that it is laid over hides what the snapshot has of those files, as a tombstone would.
"""

import os
import shutil
from collections.abc import Mapping, Sequence

from cairn.base.ulid import new_ulid
from cairn.base.values import dataclass, replace
from cairn.engines import Vectors
from cairn.store._segment import SegmentReader, SegmentWriter, segment_name
from cairn.store._terms import Terms
from cairn.store.layout import Layout, StoreKind
from cairn.store.manifest import Manifest
from cairn.store.packed import PackedFile
from cairn.store.rows import FileRow

_ENGINE = "flat"
"""Its vectors lie beside its rows, wherever those of the snapshot are."""


@dataclass(frozen=True, slots=True)
class LaidFile:
    """A file ready for a layer."""

    packed: PackedFile
    terms: Sequence[Terms]
    vectors: Vectors
    grams: bytes


class Layer:
    """Some files in the place of those that a snapshot has."""

    def __init__(
        self,
        folder: str,
        files: Sequence[LaidFile],
        hidden: Mapping[str, FileRow | None],
        dimension: int,
        unread: tuple[tuple[str, str], ...] = (),
    ) -> None:
        """`hidden` are all files that it replaces or leaves out, each with its row in the snapshot.

        `unread` are those of code that no index would take in, each with the reason.
        """
        self._unread = unread
        self.name = new_ulid()
        self.paths = tuple(sorted(hidden))
        """The files that it tells of."""
        self._gone = [row for row in hidden.values() if row is not None]
        self._here = [each.packed.file for each in files]
        self._hidden = frozenset(row.path_key for row in self._gone)
        self._layout = Layout(os.path.join(folder, self.name), StoreKind.PRIVATE)
        self._known: dict[str, tuple[SegmentReader, SegmentReader]] = {}
        self._own: SegmentReader | None = None
        if files:
            self._own = self._written(files, dimension)

    def over(self, readers: Sequence[SegmentReader]) -> list[SegmentReader]:
        """The segments of a snapshot without what is hidden, and its own last; those are kept for the next view."""
        found = [self._without(reader) for reader in readers]
        return [*found, self._own] if self._own is not None else found

    def manifest(self, base: Manifest) -> Manifest:
        """What a snapshot tells of itself, with the layer over it."""
        counts = base.counts
        live = replace(
            counts,
            files_live=counts.files_live + len(self._here) - len(self._gone),
            chunks_live=counts.chunks_live + sum(f.chunks for f in self._here) - sum(f.chunks for f in self._gone),
        )
        unread = {*(each for each in base.unread if each[0] not in self.paths), *self._unread}
        return replace(base, counts=live, unread=tuple(sorted(unread)))

    def remove(self) -> None:
        """Leave nothing of it."""
        if self._own is not None:
            self._own.close()
        shutil.rmtree(self._layout.path, ignore_errors=True)

    def _without(self, reader: SegmentReader) -> SegmentReader:
        known = self._known.get(reader.ref.segment_id)
        if known is None or known[0] is not reader:
            holds = next(reader.rows.spans(self._hidden), None) is not None
            known = reader, reader.hiding(reader.dead | self._hidden) if holds else reader
            self._known[reader.ref.segment_id] = known
        return known[1]

    def _written(self, files: Sequence[LaidFile], dimension: int) -> SegmentReader:
        os.makedirs(self._layout.segments, StoreKind.PRIVATE.folder_mode)
        name = segment_name(self.name, 0)
        writer = SegmentWriter(
            self._layout,
            self._layout.segment(name),
            name,
            engine=_ENGINE,
            dimension=dimension,
            kind="layer",
            lasts=False,
        )
        try:
            for each in files:
                writer.add_file(each.packed, each.terms, each.vectors, each.grams)
            return SegmentReader(self._layout, writer.finish(None), frozenset())
        except BaseException:
            writer.abandon()
            shutil.rmtree(self._layout.path, ignore_errors=True)
            raise
