"""Collecting garbage: snapshots past their time, and what no snapshot references any more.

Nothing is deleted without the writer lease and the exclusive readers' lock. A snapshot's manifest
goes first, so that recovery never meets half of one; a segment leaves its place by a rename, so
that it is there or not, never in part.
"""

import contextlib
import os
import time
from collections.abc import Sequence
from datetime import datetime

from cairn.base import durable
from cairn.base.errors import CorruptStoreError
from cairn.base.ownfile import folder_fault
from cairn.base.ulid import is_ulid, made_ms
from cairn.base.values import dataclass
from cairn.engines import outside_engines
from cairn.store import faults
from cairn.store.freeing import RemovalLease
from cairn.store.layout import Layout
from cairn.store.manifest import Manifest
from cairn.store.readers import exclusive_readers
from cairn.store.recovery import newest_first, read_manifest, read_pointer
from cairn.store.staging import abandoned, remove_abandoned

RETAIN_SNAPSHOTS = 5
RETAIN_AGE_MS = 10 * 60 * 1000
_LENIENCE = 1.25


@dataclass(frozen=True, slots=True)
class GcPlan:
    """What a collection would delete."""

    snapshots: tuple[str, ...]
    segments: tuple[str, ...]
    staging: tuple[str, ...]

    def __bool__(self) -> bool:
        return bool(self.snapshots or self.segments or self.staging)


def retention() -> tuple[int, int]:
    """(snapshots, age in ms); the environment can only lower them."""
    return (
        max(1, min(_number("CAIRN_RETAIN_SNAPSHOTS", RETAIN_SNAPSHOTS), RETAIN_SNAPSHOTS)),
        max(0, min(_number("CAIRN_RETAIN_AGE_MS", RETAIN_AGE_MS), RETAIN_AGE_MS)),
    )


def retained(manifests: Sequence[Manifest], active: str | None, now_ms: float, *, force: bool) -> set[str]:
    """The snapshots that stay: the newest ones, the young ones, and the active one."""
    count, age_ms = retention()
    stay = {manifest.snapshot_id for manifest in manifests[:count]}
    if not force:
        stay |= {manifest.snapshot_id for manifest in manifests if now_ms - _created_ms(manifest) < age_ms}
    if active is not None:
        stay.add(active)
    return stay


def is_due(layout: Layout) -> bool:
    """Whether a collection in passing is worth its time: the oldest snapshot is well past its age.

    Looked for at each sync, what is only just old enough would be collected one by one, and each time all manifests
    are read.
    """
    count, age_ms = retention()
    names = sorted(filter(is_ulid, os.listdir(layout.snapshots)))
    return len(names) > count and time.time() * 1000 - made_ms(names[0]) > _LENIENCE * age_ms


def plan_gc(layout: Layout, *, leased_txn: str, force: bool = False) -> GcPlan:
    """Look, without touching anything."""
    active = read_pointer(layout)
    if active is None and os.listdir(layout.snapshots):
        raise CorruptStoreError("ACTIVE_SNAPSHOT is missing or damaged, so nothing is collected.")
    if active is not None:
        # What can't be read can't be kept: an unreadable manifest names segments that nobody knows.
        try:
            read_manifest(layout, active)
        except FileNotFoundError as error:
            raise CorruptStoreError(f"Snapshot {active} has no manifest, so nothing is collected.") from error
    manifests = _published(list(newest_first(layout)), active)
    stay = retained(manifests, active, time.time() * 1000, force=force)
    kept = [manifest for manifest in manifests if manifest.snapshot_id in stay]
    segments = {name for manifest in kept for name in manifest.segment_ids}
    # A tombstone, index or history file may outlive the snapshot that wrote it.
    needed = frozenset(ref.path for manifest in kept for ref in manifest.files)
    return GcPlan(
        snapshots=tuple(
            name
            for name in sorted(os.listdir(layout.snapshots))
            if is_ulid(name) and name not in stay and _is_left_over(layout, name, needed)
        ),
        segments=tuple(name for name in sorted(os.listdir(layout.segments)) if name not in segments),
        staging=tuple(abandoned(layout, leased_txn=leased_txn)),
    )


def _is_left_over(layout: Layout, name: str, needed: frozenset[str]) -> bool:
    """Whether a snapshot's folder is, or holds, what nobody needs: one that died may have left a part."""
    folder = layout.snapshot(name)
    files = [] if folder_fault(folder) else os.listdir(folder)
    return not files or any(f"snapshots/{name}/{file}" not in needed for file in files)


def _published(manifests: list[Manifest], active: str | None) -> list[Manifest]:
    """Without what is newer than the active snapshot: a writer that died before its swap left it."""
    order = next((manifest.order for manifest in manifests if manifest.snapshot_id == active), None)
    return [manifest for manifest in manifests if order is None or manifest.order <= order]


def collect(layout: Layout, lease: RemovalLease, *, force: bool = False) -> GcPlan:
    """Delete what the plan names, under the lease and the exclusive readers' lock."""
    with exclusive_readers(layout):
        plan = plan_gc(layout, leased_txn=lease.txn_id, force=force)
        faults.reach("gc.planned")
        needed = _needed_files(layout, plan)
        for name in plan.snapshots:
            lease.check()
            _remove_snapshot(layout, name, needed)
        for name in plan.segments:
            lease.check()
            trash = os.path.join(layout.staging, f"trash-{name}")
            durable.remove(trash, ignore_errors=True)
            durable.move(layout.segment(name), trash)
            faults.reach("gc.segment_removed")
            durable.remove(trash, ignore_errors=True)
        lease.check()
        remove_abandoned(layout, leased_txn=lease.txn_id)
        _remove_outside(layout, lease)
        # Under the guard nobody replaces the lease, and without readers nobody writes the cache.
        with lease.guarded():
            _remove_temporaries(layout)
        return plan


def _remove_outside(layout: Layout, lease: RemovalLease) -> None:
    """What an engine elsewhere holds for segments that are neither here nor being written."""
    # The store may have no manifest: a first index that died has left what it wrote all the same.
    names = {ref.engine for manifest in newest_first(layout) for ref in manifest.segments}
    for outside in outside_engines(layout.path, names):
        held = outside.held()
        # A segment moves from staging to its place: whoever looks in this order can't miss it.
        staged = {name for txn in os.listdir(layout.staging) for name in _listed(os.path.join(layout.staging, txn))}
        garbage = held - staged - set(os.listdir(layout.segments))
        lease.check()
        outside.remove(garbage)


def _listed(folder: str) -> list[str]:
    with contextlib.suppress(FileNotFoundError, NotADirectoryError):
        return os.listdir(folder)
    return []


def _remove_temporaries(layout: Layout) -> None:
    """Files of writes that never came to their rename."""
    snapshots = [layout.snapshot(name) for name in os.listdir(layout.snapshots) if is_ulid(name)]
    for folder in (layout.path, layout.locks, layout.cache, *snapshots):
        for name in os.listdir(folder):
            if durable.TEMP_MARK in name:
                durable.remove(os.path.join(folder, name))


def _remove_snapshot(layout: Layout, name: str, needed: frozenset[str]) -> None:
    """Whatever damage has put in the place of its files or of itself goes, and nothing that a link leads to."""
    folder = layout.snapshot(name)
    if folder_fault(folder):
        durable.remove(folder)
        return
    durable.remove(layout.manifest(name))
    durable.sync_folder(folder)
    faults.reach("gc.manifest_removed")
    for file in os.listdir(folder):
        if f"snapshots/{name}/{file}" not in needed:
            durable.remove(os.path.join(folder, file))
    if not os.listdir(folder):
        os.rmdir(folder)
    durable.sync_folder(layout.snapshots)
    faults.reach("gc.snapshot_removed")


def _needed_files(layout: Layout, plan: GcPlan) -> frozenset[str]:
    return frozenset(
        ref.path
        for manifest in newest_first(layout)
        if manifest.snapshot_id not in plan.snapshots
        for ref in manifest.files
    )


def _created_ms(manifest: Manifest) -> float:
    try:
        return datetime.fromisoformat(manifest.created_at).timestamp() * 1000
    except (ValueError, TypeError):
        return 0.0


def _number(name: str, default: int) -> int:
    try:
        return int(os.environ.get(name, default))
    except ValueError:
        return default
