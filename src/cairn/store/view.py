"""SnapshotView: the only door to segments.

A view pins one snapshot for as long as it is open: it holds the shared readers' lock, verifies
every artifact, hides what tombstones hide, and only then offers rows, facts, words and vectors, each
through a reader of its own. There is no other way to a segment, so a deleted file can't show.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING, Any, Self

from cairn.base.errors import CorruptStoreError
from cairn.base.values import replace
from cairn.store import history, tombstones
from cairn.store._candidates import FileAt
from cairn.store.integrity import Verifier
from cairn.store.layout import Layout
from cairn.store.live_facts import LiveFacts
from cairn.store.live_occurrences import LiveOccurrences
from cairn.store.live_pinned import PinnedSegments
from cairn.store.live_rows import LiveRows, LiveVectors
from cairn.store.live_upkeep import SegmentUpkeep
from cairn.store.live_words import LiveWords
from cairn.store.manifest import SegmentRef, SemanticRef
from cairn.store.readers import lock_shared
from cairn.store.recovery import find_active, read_manifest
from cairn.store.rows import FileRow, FileTest, Links
from cairn.store.shelf import Shelf

if TYPE_CHECKING:
    from cairn.store._segment import SegmentReader
    from cairn.store._semanticfile import SemanticWriter
    from cairn.store.history import History
    from cairn.store.layer import Layer
    from cairn.store.served import SemanticFacts


class SnapshotView:
    """One snapshot, pinned and verified."""

    def __init__(
        self,
        layout: Layout,
        *,
        snapshot_id: str | None = None,
        fresh: bool = False,
        leave_out: frozenset[str] = frozenset(),
        shelf: Shelf | None = None,
    ) -> None:
        """`leave_out` names damaged artifacts that a repair does without; nobody else passes it.

        Segments on a `shelf` are left open for the next view.
        """
        self.caution = ""
        """What whoever opened it knows of the codebase, and who reads it should know too."""
        # The lock comes before the pointer is read: a collector that holds it exclusively has
        # either finished before we look or waits until we are done.
        self.layout = layout
        """Where the store is that the snapshot is of."""
        self._root = layout.path
        self.history_lost = ""
        """Why the history that the snapshot names is not used; there is none then, which no answer needs."""
        self._left_out = leave_out
        self._meanings: dict[str, SemanticFacts] = {}
        self._history: History | None = None
        self._lock = lock_shared(layout)
        try:
            verifier = Verifier(layout, fresh=fresh)
            if snapshot_id is None:
                active = find_active(layout, verifier)
                self.manifest, self.recovered = active.manifest, active.recovered
            else:
                self.manifest, self.recovered = read_manifest(layout, snapshot_id), ""
            lost = verifier.verify(self.manifest, except_for=leave_out)
            verifier.remember()
            ref = self.manifest.history
            if ref is not None and (lost or ref.path in leave_out):
                self._lose_history(lost or f"{ref.path} is damaged.")
            dead = tombstones.dead_paths(layout, self.manifest)
            self._shelved = shelf is not None
            readers = (shelf or Shelf()).take(
                layout,
                [
                    (ref, dead[ref.segment_id])
                    for ref in self.manifest.segments
                    if f"segments/{ref.segment_id}" not in leave_out
                ],
            )
        except BaseException:
            os.close(self._lock)
            raise
        self.state = self.manifest.snapshot_id
        """Which snapshot it is and what lies over it: what was learnt of one state is true of no other."""
        self.unsaved: tuple[str, ...] = ()
        """The files that it shows as they are in an editor, and not as the snapshot has them."""
        self._offer(readers)

    def lay(self, layer: Layer) -> None:
        """Show some files as a layer has them; for this view alone, before anything is asked of it."""
        self.manifest = layer.manifest(self.manifest)
        self.state = f"{self.manifest.snapshot_id}+{layer.name}"
        self.unsaved = layer.paths
        self._offer(layer.over(self._pinned.release()))

    def _offer(self, readers: list[SegmentReader]) -> None:
        self._pinned = PinnedSegments(readers)
        self.rows = LiveRows(self._pinned)
        """Live files and their rows."""
        self.facts = LiveFacts(self._pinned)
        """What live files define, use and import."""
        self.occurrences = LiveOccurrences(self._pinned)
        """Where the names of live files stand."""
        self.words = LiveWords(self._pinned, self.chunks_live)
        """Live rows by the words that they hold."""
        self.vectors = LiveVectors(self._pinned)
        """Live rows by their embeddings."""
        self.upkeep = SegmentUpkeep(self._pinned, self._root, self.manifest)
        """What compaction, audit and health ask."""

    @property
    def aliases(self) -> Links:
        """Links of the tree, each with the real path that it leads to."""
        return self.manifest.aliases

    def files_where(self, wanted: FileTest) -> set[FileAt]:
        """Every live file that passes a test, which is given the links of the tree as well."""
        return self.rows.files_where(lambda file: wanted(file, self.aliases))

    @property
    def snapshot_id(self) -> str:
        """The id of the snapshot that the view pins."""
        return self.manifest.snapshot_id

    @property
    def chunks_live(self) -> int:
        """How many rows of the snapshot are live."""
        return self.manifest.counts.chunks_live

    @property
    def segments(self) -> tuple[SegmentRef, ...]:
        """The segments that the view reads."""
        return tuple(segment.ref for segment in self._pinned.opened())

    @property
    def semantics(self) -> tuple[SemanticRef, ...]:
        """The semantic segments that the view reads."""
        self._pinned.opened()
        return tuple(ref for ref in self.manifest.semantics if f"segments/{ref.segment_id}" not in self._left_out)

    def semantic(self, context: str) -> SemanticFacts | None:
        """The semantic facts of a context; None where there are none."""
        from cairn.store._semanticfile import SemanticReader
        from cairn.store.served import SemanticFacts

        self._pinned.opened()
        if context not in self._meanings:
            ref = self._semantic_ref(context)
            if ref is None:
                return None
            reader = SemanticReader(os.path.join(self._root, "segments", ref.segment_id))
            self._meanings[context] = SemanticFacts(ref, reader, self._live_hash)
        return self._meanings[context]

    def copy_semantic(self, writer: SemanticWriter, context: str, paths: Collection[str]) -> None:
        """Give a new semantic segment the facts of some files of the one that it replaces."""
        ref = self._semantic_ref(context)
        if ref is None:
            writer.expect(None)
        else:
            writer.copy(ref.segment_id, os.path.join(self._root, "segments", ref.segment_id), paths)

    @property
    def history(self) -> History | None:
        """What the last commits tell; None where nothing is known of them."""
        self._pinned.opened()
        ref = self.manifest.history
        if self._history is None and ref is not None:
            try:
                self._history = history.read(self.layout, ref)
            except CorruptStoreError as error:
                self._lose_history(error.message)
        return self._history

    def _lose_history(self, why: str) -> None:
        self.history_lost = why
        self.manifest = replace(self.manifest, history=None, history_of="")

    @property
    def is_open(self) -> bool:
        """Whether the snapshot is still pinned."""
        return self._lock >= 0

    def files(self) -> Iterator[FileRow]:
        """Every live file."""
        for segment in self._pinned.opened():
            for file in segment.rows.files():
                if file.path_key not in segment.dead:
                    yield file

    def marker(self) -> dict[str, Any] | None:
        """The completion marker of this very snapshot."""
        for segment in reversed(self._pinned.opened()):
            found = segment.rows.marker()
            if found is not None and found.get("snapshotId") == self.snapshot_id:
                return found
        return None

    def close(self) -> None:
        """Let go of the snapshot: its readers answer nothing from now on."""
        if self._lock < 0:
            return
        for segment in self._pinned.release():
            if not self._shelved:
                segment.close()
        for meanings in self._meanings.values():
            meanings.close()
        os.close(self._lock)
        self._lock = -1

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _semantic_ref(self, context: str) -> SemanticRef | None:
        return next((ref for ref in self.semantics if ref.context == context), None)

    def _live_hash(self, path_key: str) -> str | None:
        file = self.rows.file(path_key)
        return file.file_hash if file is not None else None
