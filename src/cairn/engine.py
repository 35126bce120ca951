"""The coordinator that every surface calls: it connects the parts and decides nothing itself."""

import contextlib
import os
from typing import Self

from cairn.config import Artifacts, Config, config_fingerprint
from cairn.embed import Embedder, HashingEmbedder
from cairn.errors import BusyError, NotIndexedError
from cairn.indexing import CHUNKER_VERSION, RepairResult, SyncOptions, SyncResult, repair, sync, terms_of
from cairn.indexing.sync import Progress as SyncProgress
from cairn.search import Found, search_lexical
from cairn.store import GcPlan, Identity, Manifest, SnapshotView, Store
from cairn.store.inventory import remove_store, remove_store_at, touch_last_used
from cairn.store.layout import open_layout
from cairn.store.shared import open_shared
from cairn.store.versions import VERSIONS
from cairn.workspace import (
    ChangeDetector,
    IndexPlan,
    Root,
    cairn_home,
    find_root,
    plan_index,
    shared_store_warnings,
    store_id,
)

ENGINE = "flat"

__all__ = ["Codebase", "IndexPlan", "identity_of", "plan_index"]


class Codebase:
    """One root with its settings, its detector and its store."""

    def __init__(self, path: str, *, shared_store: str | None = None) -> None:
        """`shared_store` is the folder of a store that several users of this machine share."""
        self.root = find_root(path)
        self.shared_store = shared_store
        self.detector = ChangeDetector(self.root, shared=shared_store is not None)
        self.embedder: Embedder = HashingEmbedder()
        self.identity = identity_of(self.root, self.detector.config, self.embedder)

    def index(self, options: SyncOptions, progress: SyncProgress | None = None) -> SyncResult:
        self._refresh()
        store = self._create()
        result = sync(store, self.detector, self.embedder, options, progress)
        if result.published:
            # The snapshot stands; whoever writes now may do the tidying.
            with contextlib.suppress(BusyError):
                store.compact(terms_of)
            store.tidy()
        touch_last_used(store.layout)
        return result

    def warnings(self, result: SyncResult) -> tuple[str, ...]:
        """What others should know of a snapshot that was just published to them."""
        if self.shared_store is None or not result.published:
            return ()
        return shared_store_warnings(result.detection.git)

    def _create(self) -> Store:
        if self.shared_store is not None:
            return Store(open_shared(self.shared_store, self.identity), self.identity)
        return Store.create(cairn_home(), self.identity)

    def _refresh(self) -> None:
        """Settings may have changed since the codebase was opened: others mean another store."""
        self.detector.reload()
        self.identity = identity_of(self.root, self.detector.config, self.embedder)

    def store(self) -> Store:
        if self.shared_store is None:
            return Store.open(cairn_home(), self.identity)
        if open_layout(self.shared_store) is None:
            raise NotIndexedError(f"There is no shared store at {self.shared_store} yet.")
        return Store(open_shared(self.shared_store, self.identity), self.identity)

    def clear(self) -> bool:
        """Remove the store; False when there is none."""
        if self.shared_store is None:
            return remove_store(cairn_home(), self.identity.store_id)
        if open_layout(self.shared_store) is None:
            return False
        path = os.path.abspath(self.store().layout.path)
        return remove_store_at(path, os.path.dirname(path))

    def view(self) -> SnapshotView:
        return self.store().view()

    def search(self, query: str, limit: int) -> tuple[Manifest, list[Found]]:
        store = self.store()
        touch_last_used(store.layout)
        with store.view() as view:
            found = search_lexical(view, query, limit)
            return view.manifest, found

    def compact(self, *, force: bool) -> Manifest | None:
        return self.store().compact(terms_of, force=force)

    def repair(self) -> RepairResult:
        return repair(self.store(), self.detector, self.embedder)

    def collect(self, *, force: bool) -> GcPlan:
        return self.store().collect(force=force)

    def is_indexed(self) -> bool:
        try:
            return self.store().active() is not None
        except NotIndexedError:
            return False

    def close(self) -> None:
        self.detector.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def identity_of(root: Root, config: Config, embedder: Embedder) -> Identity:
    artifacts = Artifacts(
        model=embedder.identity,
        dimension=embedder.dimension,
        engine=ENGINE,
        grammars={},
        chunker_version=CHUNKER_VERSION,
        schema_versions={name: versions.writable for name, versions in VERSIONS.items()},
    )
    fingerprint = config_fingerprint(config, artifacts)
    return Identity(root.path, store_id(root.path, fingerprint), fingerprint, ENGINE, embedder.dimension)
