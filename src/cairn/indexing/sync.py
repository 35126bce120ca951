"""One sync: what changed in the tree becomes one published snapshot, or nothing does."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from cairn.base.errors import BusyError, NotIndexedError
from cairn.base.values import replace
from cairn.indexing.look import history_is_due, look, look_in, worth_a_snapshot
from cairn.indexing.memory import memory_limit
from cairn.indexing.options import SyncOptions, SyncResult
from cairn.indexing.progress import nobody
from cairn.workspace.changes import ChangeSet

if TYPE_CHECKING:
    from collections.abc import Callable

    from cairn.embed import CachedEmbedder
    from cairn.indexing.look import Looked
    from cairn.indexing.progress import Progress
    from cairn.store import Manifest, SnapshotView, Store
    from cairn.store.lease import WriterLease
    from cairn.store.seed import Siblings
    from cairn.workspace.detector import ChangeDetector


def no_siblings() -> Siblings:
    """For a tree that is the only one of its kind."""
    from cairn.store.seed import Siblings

    return Siblings()


def sync(
    store: Store,
    detector: ChangeDetector,
    embedder: Callable[[], CachedEmbedder],
    options: SyncOptions | None = None,
    progress: Progress = nobody,
    siblings: Callable[[], Siblings] = no_siblings,
    view: SnapshotView | None = None,
) -> SyncResult:
    """Bring the store up to date with the tree; `siblings` is asked before a first snapshot is made.

    The look at the tree comes before the lease: a snapshot that tells the truth already needs no writer and no
    embedder. A `view` of the active snapshot serves for that look, and is closed if there is more to do.
    """
    chosen = options or SyncOptions()
    memory_limit()  # a setting that can't be is told whether there is something to index or not
    anew = chosen.reindex or chosen.leave_out or chosen.arrived
    seen = None if anew else _first_look(store, detector, chosen, progress, view)
    if isinstance(seen, SyncResult):
        return seen
    # What a dead writer left behind is swept by the next one, which this one is then.
    if seen is not None and store.is_tidy():
        manifest, found = seen[0], seen[1].detection
        if not worth_a_snapshot(manifest, found, detector, insists=chosen.tells):
            detector.confirm(manifest.snapshot_id, found)
            return SyncResult(manifest, found, published=False)
    result = _written(store, detector, embedder, chosen, progress, siblings, seen, view)
    if not worth_a_snapshot(result.manifest, replace(result.detection, changes=ChangeSet()), detector):
        detector.confirm(result.manifest.snapshot_id, result.detection)
    return result


def _written(
    store: Store,
    detector: ChangeDetector,
    embedder: Callable[[], CachedEmbedder],
    chosen: SyncOptions,
    progress: Progress,
    siblings: Callable[[], Siblings],
    seen: tuple[Manifest, Looked] | None,
    view: SnapshotView | None,
) -> SyncResult:
    from cairn.indexing import writing  # a sync that finds no change does without
    from cairn.store.breaker import require_answering
    from cairn.store.compact import compaction_overdue

    if chosen.spares and store.identity.engine != "flat":
        # Vectors of chunks, new rows and a compaction would each wait for it, with every question anew.
        require_answering(store.layout)
    with contextlib.ExitStack() as stack:
        if view is not None:
            stack.callback(view.close)
        lease, at_once = _leased(store, stack, chosen.wait_s, view)
        # A reindex needs nothing of what is there, whole or not.
        active = store.active() if not chosen.reindex else None
        if chosen.arrived or (active is None and not chosen.reindex):
            return writing.first(store, detector, embedder(), lease, chosen, progress, siblings)
        # A crowded store is merged first, and the tree is then held against what that makes.
        fits = active is not None and not compaction_overdue(active)
        if seen is not None and at_once and active is not None and fits and active.snapshot_id == seen[0].snapshot_id:
            same = view if view is not None else stack.enter_context(store.view())
            return writing.publish_if_worth(store, detector, embedder(), lease, same, seen[1], chosen, progress)
        if view is not None:
            view.close()
        return writing.sync_under(lease, store, detector, embedder(), chosen, progress)


def _first_look(
    store: Store, detector: ChangeDetector, options: SyncOptions, progress: Progress, view: SnapshotView | None
) -> tuple[Manifest, Looked] | SyncResult | None:
    """The tree beside the active snapshot, or the result where a look would find no change.

    A view that is opened for it is let go of.
    """
    try:
        with contextlib.nullcontext(view) if view is not None else store.view() as active:
            if active.recovered:
                return None
            trusts = not options.walks and not options.verify and store.is_tidy()
            moved = detector.moved(active.snapshot_id, noted=options.tells) if trusts else None
            if moved is not None:
                manifest = active.manifest
                if not moved and not history_is_due(manifest, detector, manifest.git.head_sha, insists=options.tells):
                    return SyncResult(manifest, None, published=False)
                if (looked := look_in(active, detector, moved)) is not None:
                    return active.manifest, looked
            return active.manifest, look(active, detector, progress, verify=options.verify)
    except NotIndexedError:
        return None


def _leased(
    store: Store, stack: contextlib.ExitStack, wait_s: float, view: SnapshotView | None
) -> tuple[WriterLease, bool]:
    """The writer lease, and whether it was had at once: a look from before a wait says nothing of the tree as it is."""
    try:
        return stack.enter_context(store.writer()), True
    except BusyError:
        if wait_s <= 0:
            raise
    if view is not None:
        # Who waits for the lease keeps no collector out.
        view.close()
    return stack.enter_context(store.writer(wait_s=wait_s)), False
