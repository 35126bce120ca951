"""Every store under a home, with what it can prove of itself: what a new registry begins with."""

from collections.abc import Iterator

from cairn.base.errors import CairnError
from cairn.lifecycle.proof import validate_completion_proof
from cairn.lifecycle.reconcile import StoreCandidate
from cairn.store.identity import Identity
from cairn.store.inventory import StoreInfo, list_stores
from cairn.store.layout import open_layout
from cairn.store.store import store_path
from cairn.store.view import SnapshotView


def found_in(home: str) -> Iterator[StoreCandidate]:
    """The newest first: of several stores of one root, the one that was published last is its index."""
    stores = [info for info in list_stores(home) if info.canonical_root and info.active_snapshot_id]
    for info in sorted(stores, key=lambda info: info.active_snapshot_id or "", reverse=True):
        candidate = _candidate(home, info)
        if candidate is not None:
            yield candidate


def _candidate(home: str, info: StoreInfo) -> StoreCandidate | None:
    """None for a store that is not what its place says, or that can't be looked at."""
    try:
        layout = open_layout(store_path(home, info.store_id))
        if layout is None:
            return None
        with SnapshotView(layout) as view:
            manifest = view.manifest
            if manifest.store_id != info.store_id:
                return None
            root, fingerprint, part = manifest.canonical_root, manifest.config_fingerprint, manifest.segments[0]
            identity = Identity(root, manifest.store_id, fingerprint, part.engine, part.dimension)
            return StoreCandidate(identity, validate_completion_proof(root, fingerprint, view.marker), {})
    except (CairnError, OSError):
        return None
