"""What changes a store: bring it up to date, and keep it in order in passing.

Apart from the engine because a question needs none of it, and loading it takes time.
"""

import contextlib
import os
from collections.abc import Callable

from cairn.base.errors import BusyError, CairnError
from cairn.base.notes import Note
from cairn.embed import CachedEmbedder
from cairn.indexing import SyncOptions, SyncResult, sync, terms_of
from cairn.indexing.progress import Progress, nobody
from cairn.store import Store, StoreKind
from cairn.store.seed import Siblings
from cairn.store.used import touch_last_used
from cairn.workspace import ChangeDetector, shared_store_notes

_SCAN_FILE = "scan.json"
_FEW = 32


def bring_up_to_date(
    store: Store,
    detector: ChangeDetector,
    embedder: CachedEmbedder,
    options: SyncOptions,
    progress: Progress | None,
    siblings: Callable[[], Siblings],
) -> tuple[SyncResult, list[Note]]:
    """Sync a store with its tree; what was done, and what a user should know of it."""
    if store.is_crowded():
        # A full store would have to refuse the next snapshot, and only those that succeed tidy up after themselves.
        _tidied(store)
    result = sync(store, detector, embedder, options, progress or nobody, siblings)
    notes = _keep_house(store) if result.published else []
    touch_last_used(store.layout)
    _memorise(store, detector, result)
    notes += result.notes
    notes += embedder.take_notes()
    notes += [Note("cut_by_lines", {"path": path}) for path in result.by_lines]
    if store.layout.kind is StoreKind.SHARED and result.published:
        notes += shared_store_notes(result.detection.git)
    return result, notes


def recall(store: Store, detector: ChangeDetector) -> None:
    """Give a new detector what an earlier process learnt; only from a place that is ours alone."""
    if store.layout.kind is not StoreKind.PRIVATE:
        return
    path = os.path.join(store.layout.cache, _SCAN_FILE)
    with contextlib.suppress(OSError):
        detector.scanner.recall(store.layout.read_file(path))


def _memorise(store: Store, detector: ChangeDetector, result: SyncResult) -> None:
    if store.layout.kind is not StoreKind.PRIVATE:
        return
    path = os.path.join(store.layout.cache, _SCAN_FILE)
    # Without it the next process reads more, no worse: a few files are read sooner than all are written down.
    few = _FEW if os.path.exists(path) else 0
    scan = result.detection.scan
    if scan.hashed > few or scan.listed > few:
        with contextlib.suppress(OSError):
            store.layout.write_file(path, detector.scanner.memorise())


def _keep_house(store: Store) -> list[Note]:
    """Compact and collect in passing; the snapshot stands whatever becomes of that."""
    try:
        with contextlib.suppress(BusyError):
            store.compact(terms_of)
    except (CairnError, OSError) as error:
        return [Note("not_compacted", {"message": str(error)})]
    return _tidied(store)


def _tidied(store: Store) -> list[Note]:
    try:
        store.tidy()
    except (CairnError, OSError) as error:
        return [Note("not_tidied", {"message": str(error)})]
    return []
