"""Compaction: fewer segments and no tombstones, and not one answer changed.

Small segments are merged as soon as there are several of about one size, so that each row is
copied a handful of times over its life and steady small syncs keep few segments.
"""

from collections.abc import Callable, Sequence

from cairn.base.errors import CorruptStoreError, StaleSnapshotError
from cairn.base.ulid import new_ulid
from cairn.base.values import dataclass
from cairn.store import faults
from cairn.store._segment import snapshot_of
from cairn.store._terms import Terms
from cairn.store.gate import OVERDUE_SEGMENTS, OVERDUE_TOMBSTONES, tombstone_total
from cairn.store.identity import Identity
from cairn.store.layout import Layout
from cairn.store.lease import WriterLease
from cairn.store.manifest import FileRef, Manifest
from cairn.store.publish import Transaction
from cairn.store.recovery import read_pointer
from cairn.store.rows import ChunkRow
from cairn.store.treefacts import TreeFacts
from cairn.store.view import SnapshotView

FAN_IN = 6
_TIERS = (256, 1_536, 9_216, 55_296, 331_776)
_DEAD_SHARE = 0.5

TermsOf = Callable[[ChunkRow], Terms]
Plan = Callable[[SnapshotView], Sequence[str]]
"""Which segments of a view to merge into one."""


@dataclass(frozen=True, slots=True)
class SegmentLoad:
    """How much of a segment is still live."""

    segment_id: str
    rows: int
    live_rows: int


def plan_compaction(segments: Sequence[SegmentLoad], tombstone_count: int, *, force: bool = False) -> tuple[str, ...]:
    """Which segments to merge into one; none when the store is in good shape."""
    everything = tuple(load.segment_id for load in segments)
    if force:
        return everything if len(segments) > 1 or tombstone_count else ()
    if len(segments) >= OVERDUE_SEGMENTS or tombstone_count >= OVERDUE_TOMBSTONES:
        return everything
    half_dead = {load.segment_id for load in segments if load.rows and load.live_rows < load.rows * (1 - _DEAD_SHARE)}
    lower = 0
    for bound in _TIERS:
        peers = [load for load in segments if lower <= load.live_rows < bound]
        if len(peers) >= FAN_IN:
            # Its peers are due; what is smaller comes along for little.
            chosen = {load.segment_id for load in segments if load.live_rows < bound} | half_dead
            return tuple(name for name in everything if name in chosen)
        lower = bound
    if sum(load.rows - load.live_rows for load in segments if load.segment_id in half_dead) > _TIERS[0]:
        return tuple(name for name in everything if name in half_dead)
    return ()


def loads_of(view: SnapshotView) -> list[SegmentLoad]:
    """How much of each segment of a view is still live."""
    return [SegmentLoad(name, rows, live) for name, (rows, live) in view.upkeep.loads().items()]


def due(view: SnapshotView, *, force: bool = False) -> tuple[str, ...]:
    """Which segments of a view are due; see `plan_compaction`."""
    return plan_compaction(loads_of(view), tombstone_total(view.manifest.tombstones), force=force)


def build(
    view: SnapshotView, layout: Layout, identity: Identity, merge: Sequence[str], terms_of: TermsOf
) -> Transaction:
    """Copy the live rows of some segments into a new one, in staging; needs no lease."""
    manifest = view.manifest
    chunks = {path: count for path, _, count in view.rows.contents()}
    keep = tuple(ref for ref in manifest.segments if ref.segment_id not in merge)
    transaction = Transaction(layout, identity, manifest, chunks, cause="compact", txn_id=new_ulid(), keep=keep)
    try:
        for packed, rows, vectors in view.upkeep.content(merge):
            transaction.copy_file(packed, [terms_of(row) for row in rows], vectors)
        listed, parts = _well_listed(manifest, merge)
        transaction.fold_file_index(dict(view.upkeep.homes(but={*merge, *listed})), parts)
        faults.reach("compact.built")
    except BaseException:
        transaction.abandon()
        raise
    return transaction


def _well_listed(manifest: Manifest, merge: Sequence[str]) -> tuple[frozenset[str], tuple[FileRef, ...]]:
    """The segments whose files the oldest part of the file index lists, and that part, where it is worth keeping.

    It is complete for the snapshot that wrote it. What lies in a segment of that time has never lain elsewhere since.
    """
    for part in manifest.file_index[:1]:
        written = part.path.split("/")[1]
        older = frozenset(ref.segment_id for ref in manifest.segments if snapshot_of(ref.segment_id) <= written)
        rest = sum(ref.files for ref in manifest.segments if ref.segment_id not in older)
        if older.isdisjoint(merge) and part.count > 2 * rest:
            return older, (part,)
    return frozenset(), ()


def publish_compaction(transaction: Transaction, layout: Layout, lease: WriterLease, parent: Manifest) -> Manifest:
    """Publish under the lease, unless the active snapshot has moved since the build began."""
    pointer = read_pointer(layout)
    if pointer is None:
        raise CorruptStoreError("ACTIVE_SNAPSHOT is missing or damaged, so nothing is compacted.")
    if pointer != parent.snapshot_id:
        raise StaleSnapshotError(f"Snapshot {parent.snapshot_id} was replaced while it was compacted.")
    return transaction.publish(lease, TreeFacts.as_in(parent, transaction.live_paths))


def compaction_overdue(manifest: Manifest) -> bool:
    """Whether so much has piled up that a user should hear of it."""
    return len(manifest.segments) >= OVERDUE_SEGMENTS or tombstone_total(manifest.tombstones) >= OVERDUE_TOMBSTONES
