"""What changes a store: bring it up to date, and keep it in order in passing.

Apart from the engine because a question needs none of it, and loading it takes time.
"""

from __future__ import annotations

import contextlib
import os
from typing import TYPE_CHECKING

from cairn.base import lazy
from cairn.base.errors import BusyError, CairnError, LeaseLostError
from cairn.base.notes import Note
from cairn.base.text import plural
from cairn.base.values import replace
from cairn.indexing.options import SyncResult
from cairn.indexing.progress import nobody
from cairn.indexing.repair import repair
from cairn.indexing.sync import sync
from cairn.store import StoreKind
from cairn.store.turns import turn
from cairn.store.used import touch_last_used
from cairn.workspace.git import shared_store_notes

if TYPE_CHECKING:
    from collections.abc import Callable

    from cairn.embed import CachedEmbedder
    from cairn.indexing import SyncOptions
    from cairn.indexing.progress import Progress
    from cairn.store import SnapshotView, Store
    from cairn.store.layout import Layout
    from cairn.store.seed import Siblings
    from cairn.workspace.detector import ChangeDetector
    from cairn.workspace.entries import TreeScan

_lost_outside = lazy.function("cairn.store.damage", "lost_outside")
_LOOK_FILE = "look.bin"
_SCAN_FILE = "scan.json"
_FEW = 32


def bring_up_to_date(
    store: Store,
    detector: ChangeDetector,
    embedder: Callable[[], CachedEmbedder],
    options: SyncOptions,
    progress: Progress | None,
    siblings: Callable[[], Siblings],
    view: SnapshotView | None = None,
) -> tuple[SyncResult, list[Note]]:
    """Sync a store with its tree; what was done, and what a user should know of it.

    A `view` of the active snapshot is left open only where that snapshot tells the truth already.
    """
    if store.is_crowded():
        if view is not None:
            # Collectors need the store for themselves.
            view.close()
            view = None
        # A full store would have to refuse the next snapshot, and only those that succeed tidy up after themselves.
        _tidied(store)
    try:
        result, has_company = _in_turn(store, detector, embedder, options, progress or nobody, siblings, view)
    except LeaseLostError:
        # It was this one's turn, and another took it over: that is told as what it is.
        raise
    except BusyError as busy:
        result, has_company = _standing(store, detector, options, busy), False
    notes = _keep_house(store, detector, has_company=has_company) if result.published else []
    if options.tells and (lost := _lost_outside(store.layout, result.manifest)):
        mended = repair(store, detector, embedder()).sync
        result = result if mended is None else replace(result, manifest=mended.manifest, published=True)
        notes.append(Note("vectors_mended", {"segments": len(lost)}))
    if view is None or result.published:
        touch_last_used(store.layout)
    notes += result.notes
    notes += [Note("cut_by_lines", {"path": path}) for path in result.by_lines]
    if store.layout.kind is StoreKind.SHARED and result.published:
        notes += shared_store_notes(result.detection.git)
    return result, notes


def _in_turn(
    store: Store,
    detector: ChangeDetector,
    embedder: Callable[[], CachedEmbedder],
    options: SyncOptions,
    progress: Progress,
    siblings: Callable[[], Siblings],
    view: SnapshotView | None,
) -> tuple[SyncResult, bool]:
    """A sync in this process's turn, or none where another process has looked since; whether others look too."""
    who = f"{os.getpid()} {id(detector)}"
    with turn(store.layout, who, options.wait_s, shares=options.shares, view=view) as had:
        active = store.active() if had.is_shared else None
        if active is not None:
            return SyncResult(active, None, published=False, shared=True), True
        result = sync(store, detector, embedder, options, progress, siblings, had.view)
        if options.tells:
            if result.looked is not None and result.looked.walked is not None:
                from cairn.workspace.leftout import tree_notes  # whoever asks a question does without

                detector.annotate(tree_notes(detector.root.path, result.looked))
            result = replace(result, tree_notes=detector.notes)
        _memorise(store, detector, result, has_company=had.has_company)
        had.is_finished = not result.manifest.errors
        return result, had.has_company


def _standing(store: Store, detector: ChangeDetector, options: SyncOptions, busy: BusyError) -> SyncResult:
    """The active snapshot where stamps prove that it tells of the tree as it is; else the error, with what they tell.

    Nobody can be waited for any longer, but a look at stamps takes no turn.
    """
    if not options.shares or (active := store.active()) is None:
        raise busy
    moved = detector.moved(active.snapshot_id)
    if moved is None:
        raise busy
    if moved:
        changed = f"{plural(len(moved), 'file')} may have changed since the snapshot that answers."
        raise BusyError(f"{busy.message} {changed}", retry_after_ms=busy.retry_after_ms) from busy
    return SyncResult(active, None, published=False)


def recall(layout: Layout, detector: ChangeDetector) -> None:
    """Give a new detector what an earlier process learnt; only from a place that is ours alone."""
    if layout.kind is not StoreKind.PRIVATE:
        return
    look, scan = (os.path.join(layout.cache, name) for name in (_LOOK_FILE, _SCAN_FILE))
    detector.remember(lambda: layout.read_file(look), lambda: layout.read_file(scan))


def _memorise(store: Store, detector: ChangeDetector, result: SyncResult, *, has_company: bool) -> None:
    if store.layout.kind is not StoreKind.PRIVATE:
        return
    if result.looked is None:
        return
    _keep_look(store, detector, has_company=has_company)
    memorise(store.layout, detector, result.looked.walked)


def memorise(layout: Layout, detector: ChangeDetector, scan: TreeScan | None) -> None:
    """Keep what a walk has learnt for the next process."""
    if scan is None or (not scan.hashed and not scan.listed):
        return
    path = os.path.join(layout.cache, _SCAN_FILE)
    # Without it the next process reads more, no worse: a few files are read sooner than all are written down.
    few = _FEW if os.path.exists(path) else 0
    if scan.hashed > few or scan.listed > few:
        with contextlib.suppress(OSError):
            layout.write_cache(path, detector.scanner.memorise())


def _keep_look(store: Store, detector: ChangeDetector, *, has_company: bool) -> None:
    look = detector.look_to_keep(has_company=has_company)
    if look is not None:
        with contextlib.suppress(OSError):
            store.layout.write_cache(os.path.join(store.layout.cache, _LOOK_FILE), look.encoded())


def _keep_house(store: Store, detector: ChangeDetector, *, has_company: bool) -> list[Note]:
    """Compact and collect in passing; the snapshot stands whatever becomes of that."""
    from cairn.indexing.terms import terms_of

    try:
        with contextlib.suppress(BusyError):
            merged = store.compact(terms_of)
            if merged is not None:
                detector.follow(merged.parent_snapshot_id, merged.snapshot_id)
                if has_company and store.layout.kind is StoreKind.PRIVATE:
                    _keep_look(store, detector, has_company=True)
    except (CairnError, OSError) as error:
        return [Note("not_compacted", {"message": str(error)})]
    return _tidied(store)


def _tidied(store: Store) -> list[Note]:
    try:
        store.tidy()
    except (CairnError, OSError) as error:
        return [Note("not_tidied", {"message": str(error)})]
    return []
