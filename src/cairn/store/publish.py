"""Publishing a snapshot: every kind of change of the store ends here.

The order is the contract: segments are made durable and hashed in staging, moved into place, then
tombstones, file index and manifest are written durably, the gate looks at all of it, and last,
under the lease guard and after a look at the lease, one rename makes the snapshot the active one.
A crash at any point leaves the former snapshot active and whole.
"""

import contextlib
import os
import shutil
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Self

from cairn.base import durable
from cairn.base.errors import BusyError, InvalidRowError, PublishRefusedError, StaleSnapshotError
from cairn.base.steps import Advice, NextStep
from cairn.base.ulid import new_ulid
from cairn.base.values import replace
from cairn.engines import Vectors, require_here, settle
from cairn.store import faults, gate, tombstones
from cairn.store._rowfile import RowFileReader
from cairn.store._segment import SegmentWriter, segment_name
from cairn.store._semanticfile import SemanticMade, copy_semantic, counted, semantic_name
from cairn.store._terms import Terms
from cairn.store.breaker import ask_again
from cairn.store.digest import digest_file
from cairn.store.gate import GateFacts, gate_faults
from cairn.store.guard import guard
from cairn.store.identity import Identity
from cairn.store.integrity import Verifier
from cairn.store.layout import Layout
from cairn.store.lease import WriterLease
from cairn.store.manifest import Counts, FileRef, Manifest, SegmentRef, SemanticRef, encode
from cairn.store.packed import PackedFile
from cairn.store.pointer import swap_pointer
from cairn.store.recovery import newest_first, read_pointer
from cairn.store.room import budget_fault, require_room
from cairn.store.rows import MARKER_KIND
from cairn.store.staging import Staging
from cairn.store.state import now_text, write_state
from cairn.store.tombstones import Tombstone
from cairn.store.treefacts import TreeFacts

ROWS_PER_SEGMENT = 200_000


class Transaction:
    """Gathers one snapshot in staging and publishes it, or leaves no trace."""

    def __init__(
        self,
        layout: Layout,
        identity: Identity,
        parent: Manifest | None,
        live: Mapping[str, int],
        *,
        cause: str,
        txn_id: str,
        keep: tuple[SegmentRef, ...] | None = None,
        semantics: tuple[SemanticRef, ...] | None = None,
    ) -> None:
        """`live` maps the parent's live paths to their chunks; `keep` and `semantics` default to all of its own."""
        self.snapshot_id = new_ulid(after=parent.snapshot_id if parent is not None else None)
        self._layout = layout
        self._identity = identity
        self._parent = parent
        self._cause = cause
        self._run_id = txn_id
        self._keep = (parent.segments if parent is not None else ()) if keep is None else keep
        self._semantics = (parent.semantics if parent is not None else ()) if semantics is None else semantics
        self._made: list[tuple[SemanticMade, SemanticRef]] = []
        self._history: FileRef | tuple[bytes, int] | None = parent.history if parent is not None else None
        self._history_of = parent.history_of if parent is not None else ""
        self._live = dict(live)
        whole = keep is None or (parent is not None and keep == parent.segments)
        self._live_drift = _live_drift(parent, live) if whole else ""
        self._dead: dict[str, str] = {}
        self._homes: dict[str, str] = {}
        self._folded: dict[str, str] | None = None
        self._parts: tuple[FileRef, ...] = ()
        self._swapped = False
        if parent is None:
            settle(identity.engine, layout.path)
        # Half of a snapshot at one address and half at another could be asked at neither.
        require_here(identity.engine, layout.path, (layout.segment(ref.segment_id) for ref in self._keep))
        self._staging = Staging(layout, txn_id)
        self._done: list[SegmentRef] = []
        self.segment_bytes = sys.maxsize
        """How much text a segment may take in."""
        try:
            self._writer = self._new_writer()
        except BaseException:
            self._staging.remove()
            raise

    def add_file(
        self, packed: PackedFile, terms: Sequence[Terms], vectors: Vectors, grams: bytes | None = None
    ) -> None:
        """Take in a new or changed file; what the parent has of it is hidden."""
        if packed.file.path_key in self._live:
            self._dead[packed.file.path_key] = "replace"
        self.copy_file(packed, terms, vectors, grams)

    def copy_file(
        self, packed: PackedFile, terms: Sequence[Terms], vectors: Vectors, grams: bytes | None = None
    ) -> None:
        """Take in a file whose former segment is not kept, so that nothing needs to be hidden."""
        file = packed.file
        if not self._writer.has_room(file, ROWS_PER_SEGMENT, self.segment_bytes):
            self.start_segment()
        self._writer.add_file(packed, terms, vectors, grams)
        self._live[file.path_key] = file.chunks
        self._homes[file.path_key] = self._writer.segment_id

    def start_segment(self) -> None:
        """Go on in another segment; one without rows is used first."""
        if self._writer.rows:
            self._done.append(self._writer.finish(None))
            self._writer = self._new_writer()

    def delete(self, path_key: str, reason: str = "delete") -> None:
        """Hide what the parent has of a file; what this transaction took in can't be taken back."""
        if path_key in self._homes:
            raise InvalidRowError(f"{path_key} was taken in by this very transaction.")
        if self._live.pop(path_key, None) is not None:
            self._dead[path_key] = reason

    def attach(self, made: SemanticMade) -> None:
        """Take in a context's semantic facts in the place of those that it has."""
        meta = made.meta
        former = next((ref for ref in self._semantics if ref.context == meta.context), None)
        if (former.segment_id if former is not None else None) != made.replaces:
            raise StaleSnapshotError(f"The semantic facts of {meta.context} were replaced while new ones were made.")
        name = semantic_name(self.snapshot_id, len(self._made))
        ref = SemanticRef(name, meta.context, meta.job_id, made.files, made.occurrences, made.digest)
        self._semantics = (*(each for each in self._semantics if each is not former), ref)
        self._made.append((made, ref))

    def copy_semantic(self, ref: SemanticRef, folder: str) -> None:
        """Take in a context's semantic facts as another store has them."""
        self.attach(copy_semantic(self._layout, ref, folder, self._staging.folder(ref.segment_id)))

    def tell_history(self, made: tuple[bytes, int] | None, asked: str) -> None:
        """Have another history than the parent: its bytes and how many commits it is of, or none; and what it is of."""
        self._history, self._history_of = made, asked

    @property
    def live_paths(self) -> frozenset[str]:
        """The files that the snapshot will show."""
        return frozenset(self._live)

    def fold_file_index(self, rest: Mapping[str, str], parts: tuple[FileRef, ...] = ()) -> None:
        """Write the map of paths to segments anew, on top of some `parts` instead of all of the parent's."""
        self._folded = dict(rest)
        self._parts = parts

    def publish(self, lease: WriterLease, tree: TreeFacts, before_swap: Callable[[], None] = lambda: None) -> Manifest:
        """Make the snapshot the active one; PublishRefusedError, LeaseLostError or UnknownOutcomeError.

        What `before_swap` raises leaves the former snapshot active and no trace of this one.
        """
        lease.check()
        self._done.append(self._writer.finish(self._marker()))
        lease.check()
        try:
            for ref in self._done:
                durable.move(self._staging.folder(ref.segment_id), self._layout.segment(ref.segment_id))
            for made, semantic in self._made:
                durable.move(made.folder, self._layout.segment(semantic.segment_id))
            faults.reach("segment.moved")
            manifest = self._write_parts(lease.epoch, tree)
            # The gate comes before the manifest: what recovery finds on disk has passed it.
            self._pass_gate(manifest, tree)
            faults.reach("publish.gate_passed")
            lease.check()
            self._layout.write_file(self._layout.manifest(self.snapshot_id), encode(manifest))
            durable.sync_folder(self._layout.snapshots)
            faults.reach("publish.manifest_written")
            before_swap()
            swap_pointer(self._layout, lease, manifest.snapshot_id, self._note_swap)
        except BaseException:
            # Once the pointer was renamed others may build on the snapshot, whatever it says now.
            if not self._swapped:
                self._retract(lease)
            raise
        with contextlib.suppress(OSError):
            # A summary that can be rebuilt must not make a successful publish look failed.
            write_state(self._layout, manifest)
        faults.reach("publish.state_written")
        self._staging.remove()
        faults.reach("publish.staging_removed")
        return manifest

    def abandon(self) -> None:
        """Remove all that was staged; nothing is left of it after a publish."""
        self._writer.abandon()
        self._staging.remove()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.abandon()

    def _note_swap(self) -> None:
        self._swapped = True
        # A server that took rows is there.
        ask_again(self._layout)

    def _retract(self, lease: WriterLease) -> None:
        """Take an unpublished snapshot back, so that recovery can't take it for a published one.

        Only while the lease is ours: a successor that found no pointer may have built on it, and
        what nobody built on is garbage that a collection finds.
        """
        with contextlib.suppress(OSError, BusyError), guard(self._layout):
            # An interrupt may come between the rename and the note of it: then the pointer is what tells.
            if not lease.is_ours() or read_pointer(self._layout) == self.snapshot_id:
                return
            with contextlib.suppress(FileNotFoundError):
                os.unlink(self._layout.manifest(self.snapshot_id))
            shutil.rmtree(self._layout.snapshot(self.snapshot_id), ignore_errors=True)
            for name in (*(ref.segment_id for ref in self._done), *(ref.segment_id for _, ref in self._made)):
                shutil.rmtree(self._layout.segment(name), ignore_errors=True)

    def _new_writer(self) -> SegmentWriter:
        name = segment_name(self.snapshot_id, len(self._done))
        return SegmentWriter(
            self._layout,
            self._staging.folder(name),
            name,
            engine=self._identity.engine,
            dimension=self._identity.dimension,
            kind="delta" if self._keep else "base",
        )

    def _marker(self) -> dict[str, Any]:
        return {
            "kind": MARKER_KIND,
            "codebasePath": self._identity.canonical_root,
            "fingerprint": self._identity.config_fingerprint,
            "indexedFiles": len(self._live),
            "totalChunks": sum(self._live.values()),
            "completedAt": now_text(),
            "runId": self._run_id,
            "snapshotId": self.snapshot_id,
        }

    def _write_parts(self, epoch: int, tree: TreeFacts) -> Manifest:
        """Write tombstones and file index, and say what the manifest will be."""
        layout = self._layout
        layout.make_folder(layout.snapshot(self.snapshot_id))
        kept = frozenset(ref.segment_id for ref in self._keep)
        stones = [Tombstone(key, self._dead[key]) for key in sorted(self._dead)] if kept else []
        older = self._parent.tombstones if self._parent is not None else ()
        graves = tuple(
            replace(ref, applies_to=still)
            for ref in older
            if (still := tuple(name for name in ref.applies_to if name in kept))
        )
        if stones:
            ref = self._write_file("tombstones.jsonl", tombstones.encode(stones), len(stones))
            graves += (replace(ref, applies_to=tuple(sorted(kept))),)
        elif self._folded is not None:
            graves = self._fold_tombstones(graves)
        faults.reach("publish.tombstones_written")
        older_parts = self._parent.file_index if self._parent is not None and kept else ()
        index_refs = older_parts if self._folded is None else self._parts
        folded = {path: home for path, home in (self._folded or {}).items() if path in self._live}
        entries = folded | self._homes
        if entries:
            data = tombstones.encode_file_index(entries)
            index_refs += (self._write_file("segment_file_index.jsonl", data, len(entries)),)
        faults.reach("publish.file_index_written")
        made = self._history
        history = self._write_file("history.bin", *made) if isinstance(made, tuple) else made
        faults.reach("publish.history_written")
        segments = (*self._keep, *self._done)
        return Manifest(
            snapshot_id=self.snapshot_id,
            parent_snapshot_id=self._parent.snapshot_id if self._parent is not None else None,
            created_at=now_text(),
            cause=self._cause,
            canonical_root=self._identity.canonical_root,
            store_id=self._identity.store_id,
            config_fingerprint=self._identity.config_fingerprint,
            ignore_fingerprint=tree.ignore_fingerprint,
            lease_epoch=epoch,
            git=tree.git,
            segments=segments,
            tombstones=graves,
            file_index=index_refs,
            counts=Counts(
                files_indexed=sum(ref.files for ref in segments),
                chunks_indexed=sum(ref.rows for ref in segments),
                tombstones_added=len(stones),
                files_live=len(self._live),
                chunks_live=sum(self._live.values()),
            ),
            skipped=dict(tree.skipped),
            unread=tree.unread,
            errors=tree.errors,
            aliases=tree.aliases,
            semantics=self._semantics,
            history=history,
            history_of=self._history_of,
        )

    def _fold_tombstones(self, graves: tuple[FileRef, ...]) -> tuple[FileRef, ...]:
        """The same with one file in the place of all that apply to most segments alike: each sync leaves one behind."""
        counted = Counter(ref.applies_to for ref in graves)
        alike = next((to for to, count in counted.most_common(1) if count > 1), None)
        if alike is None:
            return graves
        merged = [ref for ref in graves if ref.applies_to == alike]
        stones = {stone.path_key: stone for ref in merged for stone in tombstones.read(self._layout, ref)}
        folded = self._write_file(
            "tombstones.jsonl", tombstones.encode([stones[key] for key in sorted(stones)]), len(stones)
        )
        return (replace(folded, applies_to=alike), *(ref for ref in graves if ref.applies_to != alike))

    def _write_file(self, name: str, data: bytes, count: int) -> FileRef:
        path = os.path.join(self._layout.snapshot(self.snapshot_id), name)
        self._layout.write_file(path, data)
        return FileRef(f"snapshots/{self.snapshot_id}/{name}", count, digest_file(path))

    def _pass_gate(self, manifest: Manifest, tree: TreeFacts) -> None:
        require_room(self._layout.path)
        facts = GateFacts(
            damaged=self._damaged(manifest),
            segment_counts={ref.segment_id: _counted(self._layout, ref) for ref in self._done},
            semantic_counts={ref.segment_id: counted(self._layout.segment(ref.segment_id)) for _, ref in self._made},
            live_paths=frozenset(self._live),
            eligible=tree.eligible,
            covered=frozenset((*self._homes, *self._dead)),
            changed=tree.changed,
            has_marker=_carries_marker(self._layout, self._done[-1], self.snapshot_id),
            segments_referenced=_segments_referenced(self._layout, manifest),
            live_drift=self._live_drift,
            no_room=budget_fault(self._layout.path),
        )
        found = gate_faults(manifest, facts)
        if found:
            more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
            full = facts.no_room == found[0] or gate.MANY_SEGMENTS in found[0]
            hint = (
                Advice(NextStep("collect"), " and ", NextStep("collect_stores"), ", then index again.")
                if full
                else None
            )
            raise PublishRefusedError(f"The snapshot was not published: {found[0]}{more}.", hint=hint)

    def _damaged(self, manifest: Manifest) -> tuple[str, ...]:
        verifier = Verifier(self._layout)
        found = tuple(error.message.rstrip(".") for _, error in verifier.faults(manifest))
        verifier.remember()
        return found


def _live_drift(parent: Manifest | None, live: Mapping[str, int]) -> str:
    """Whether what the caller takes for live is what the parent counts."""
    said = (parent.counts.files_live, parent.counts.chunks_live) if parent is not None else (0, 0)
    found = (len(live), sum(live.values()))
    return (
        ""
        if found == said
        else f"{found[0]} files and {found[1]} chunks are taken for live, not {said[0]} and {said[1]}"
    )


def _counted(layout: Layout, ref: SegmentRef) -> tuple[int, int]:
    reader = RowFileReader(layout.segment(ref.segment_id))
    try:
        return reader.counts()
    finally:
        reader.close()


def _carries_marker(layout: Layout, ref: SegmentRef, snapshot_id: str) -> bool:
    reader = RowFileReader(layout.segment(ref.segment_id))
    try:
        marker = reader.marker()
    finally:
        reader.close()
    return marker is not None and marker.get("snapshotId") == snapshot_id


def _segments_referenced(layout: Layout, manifest: Manifest) -> int:
    # No more segments can be referenced than there are: usually that is all one needs to know.
    present = len(os.listdir(layout.segments))
    if present <= gate.MAX_SEGMENTS_REFERENCED:
        return present
    named = {name for older in newest_first(layout) for name in older.segment_ids}
    return len(named | manifest.segment_ids)
