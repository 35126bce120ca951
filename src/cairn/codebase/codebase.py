"""The coordinator that every surface calls: it connects the parts and decides nothing itself."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Self

from cairn.base import lazy
from cairn.base.errors import NotIndexedError, RefusedError, UsageError
from cairn.base.notes import Note
from cairn.base.steps import Advice, NextStep
from cairn.base.values import replace
from cairn.codebase.answers import LeastFit, LineRequest, Now, RelatedRequest, Request
from cairn.codebase.bodies import Answer, Found
from cairn.codebase.identity import identity_of, parts_of
from cairn.codebase.pin import Pin
from cairn.codebase.searches import Searches, file_in
from cairn.codebase.stores import StorePlace
from cairn.codebase.tracking import Tracking
from cairn.codebase.treenames import TreeNames
from cairn.config.user import cairn_home
from cairn.embed.settings import embedder_from, load_settings
from cairn.engines.settings import chosen_engine
from cairn.lifecycle.gates import CodebaseFacts, Verdict
from cairn.readcache.answers import ReadSource, SourceState
from cairn.store.shelf import Shelf
from cairn.store.store import Store
from cairn.store.used import touch_last_used
from cairn.workspace.detector import ChangeDetector
from cairn.workspace.leftout import IndexPlan, plan_index
from cairn.workspace.livefiles import read_now, unreadable
from cairn.workspace.root import find_root

if TYPE_CHECKING:
    from cairn.codebase.past import PastInsight
    from cairn.codebase.refreshes import Refreshing
    from cairn.embed import CachedEmbedder, Embedder
    from cairn.engines import Vectors
    from cairn.indexing.options import SyncOptions, SyncResult
    from cairn.indexing.progress import Progress
    from cairn.indexing.repair import RepairResult
    from cairn.readcache.cache import ReadCache
    from cairn.search import Match, Query, SearchHit
    from cairn.store import GcPlan, Identity, Manifest, SnapshotView

__all__ = ["Codebase", "IndexPlan", "LineRequest", "RelatedRequest", "Request", "identity_of", "plan_index"]
_no_such_file = lazy.function("cairn.codebase.bounds", "no_such_file")
_require_no_secret = lazy.function("cairn.workspace.secrets", "require_no_secret")


class Codebase:
    """One root with its settings, its detector, its embedder and its store."""

    def __init__(self, path: str, *, shared_store: str | None = None, embedder: Embedder | None = None) -> None:
        """`shared_store` is the folder of a store that several users of this machine share.

        `embedder` is one by the settings of now that other threads use too; else the codebase has one of its own.
        """
        self.root = find_root(path)
        self.shared_store = shared_store
        self.detector = ChangeDetector(self.root, shared=shared_store is not None)
        home = cairn_home()
        self.model = embedder or embedder_from(load_settings(home, os.environ), home, os.environ)
        self._alone = embedder is None
        self._cached: CachedEmbedder | None = None
        self.identity = self.identity_with(chosen_engine(self.detector.config.engine))
        self.naming = TreeNames(self.root.path)
        self._closed = False
        self._notes: list[Note] = []
        self._recalled = False
        self._shelf = Shelf()
        self._pin = Pin()
        self._stores = StorePlace(shared_store)
        self._searches = Searches(self, self.model)
        self._insight: PastInsight | None = None
        self._reads: ReadCache | None = None
        self._refreshing: Refreshing | None = None
        self.elsewhere: dict[str, Codebase] = {}
        """The same root as remotes have it, by their names; kept for the next question, and closed with this one."""
        self.tracking = Tracking(home, self) if shared_store is None else None

    @property
    def embedder(self) -> CachedEmbedder:
        """The embedder with its cache, which is opened with the first use."""
        if self._cached is None:
            from cairn.embed.cached import with_cache

            self._cached = with_cache(self.model, cairn_home(), self.identity.engine, alone=self._alone)
        return self._cached

    @property
    def insight(self) -> PastInsight:
        """Questions about the structure of the code."""
        if self._insight is None:
            from cairn.codebase.past import PastInsight

            self._insight = PastInsight(self)
        return self._insight

    @property
    def refreshing(self) -> Refreshing:
        """Semantic facts on request."""
        if self._refreshing is None:
            from cairn.codebase.refreshes import Refreshing

            self._refreshing = Refreshing(self)
        return self._refreshing

    @property
    def root_path(self) -> str:
        """The folder that the codebase is."""
        return self.root.path

    def index(
        self, options: SyncOptions | None = None, progress: Progress | None = None, *, create: bool = True
    ) -> SyncResult:
        """Create the index or bring it up to date; without `create` only the latter, of what may be read."""
        from cairn.indexing.options import SyncOptions

        self._require_open()
        self.refresh()
        if self.tracking is None:
            self.require_able()
            return self._bring_up_to_date(options or SyncOptions(), progress, self._pin.taken())
        result, said = self.tracking.index(self._bring_up_to_date, options or SyncOptions(), progress, create=create)
        self._notes = [*said, *self._notes]
        return result

    def require_able(self) -> None:
        """The error of an engine that a first index could not even begin with.

        Nothing is left of such an attempt: neither a store nor a row that says that it failed.
        """
        if not self._stores.exists(self.identity):
            from cairn.engines import require_usable

            require_usable(self.identity.engine, is_shared=self.shared_store is not None)

    def _bring_up_to_date(
        self, options: SyncOptions, progress: Progress | None, view: SnapshotView | None
    ) -> SyncResult:
        from cairn.codebase import upkeep

        with contextlib.ExitStack() as stack:
            if view is not None:
                stack.callback(view.close)
            store = self._stores.made(self.identity, view)
            self._notes = []
            if not self._recalled:
                self._recalled = True
                upkeep.recall(store.layout, self.detector)
            result, self._notes = upkeep.bring_up_to_date(
                store,
                self.detector,
                lambda: self.embedder,
                options,
                progress,
                lambda: self._stores.siblings(self.identity, self.detector, stack),
                view,
            )
            if self._cached is not None:
                self._notes += self._cached.take_notes()
            if view is not None and view.is_open and self._pin.wanted:
                stack.pop_all()
                self._pin.hold(view, admitted=True)
        return result

    def pin(self) -> bool:
        """Hold the active snapshot for the question that begins; False where there is none.

        A sync that finds that it tells the truth leaves it to the answer, until `release` ends the question.
        """
        self._require_open()
        self.release()
        try:
            self._pin.hold(self.open_view(), admitted=False)
        except NotIndexedError:
            return False
        self._pin.wanted = True
        return True

    def release(self) -> None:
        """End a question that has pinned a snapshot."""
        self._pin.release()

    @property
    def notes(self) -> tuple[Note, ...]:
        """What a user should know of the last sync."""
        return tuple(self._notes)

    def search(
        self, request: Request, *, synced: bool = False, snapshot_id: str | None = None
    ) -> Answer[Found[SearchHit]]:
        """Ask the active snapshot, or that of an earlier page; `synced` when this request has brought it up to date."""
        return self._searches.search(request, synced=synced, snapshot_id=snapshot_id)

    def grep(
        self, request: LineRequest, *, synced: bool = False, snapshot_id: str | None = None
    ) -> Answer[Found[Match]]:
        """Lines of the active snapshot that match, in order of path and line."""
        return self._searches.grep(request, synced=synced, snapshot_id=snapshot_id)

    def related(
        self, request: RelatedRequest, *, synced: bool = False, snapshot_id: str | None = None
    ) -> Answer[Found[SearchHit]]:
        """Places in other files that are like the one at a line of the active snapshot."""
        return self._searches.related(request, synced=synced, snapshot_id=snapshot_id)

    def vector_of(self, query: Query) -> tuple[Vectors | None, tuple[Note, ...], LeastFit | None]:
        """The query's vector, and how badly an answer may fit by it; without one, words and names are searched by."""
        return self._searches.vector_of(query)

    def now(self) -> Now:
        """The tree as it is, for one question."""
        return Now(partial(self.detector.states.of, self.detector.tree))

    def eligible(self) -> frozenset[str]:
        """The files that a sync would take in, by the one ignore policy and without reading them."""
        with ChangeDetector(self.root, shared=self.shared_store is not None, hashing=False) as detector:
            return frozenset(entry.key for entry in detector.detect().scan.files)

    def read(self, path: str) -> str:
        """A file that the index knows, as it is now: what is left out of the index is left out here too."""
        key = self.naming.key(path)
        with self.view() as view:
            file_in(view, key)
        try:
            data = read_now(self.detector.tree, key).data
            _require_no_secret(self.detector.tree, key, data)
        except OSError as error:
            raise unreadable(key, error) from error
        return data.decode("utf-8", "replace")

    def source(self, path: str) -> SourceState:
        """Any text beneath the root as it is now, indexed or not; bytes and hash are of one read.

        RefusedError for a secret: every door reads files through here.
        """
        key = self.naming.key(path)
        if ".git" in key.split("/"):
            raise RefusedError(f"{key} belongs to git, not to the tree.", hint="Ask git itself.")
        with self.view() as view:
            file, manifest = view.rows.file(key), view.manifest
            paths = [path for path, _ in view.rows.languages()] if file is None else []
        try:
            read = read_now(self.detector.tree, key)
            _require_no_secret(self.detector.tree, key, read.data)
        except FileNotFoundError as error:
            raise _no_such_file(key, paths) from error
        except OSError as error:
            raise unreadable(key, error) from error
        source = ReadSource(self.root.path, key, read.data, read.file_hash)
        return SourceState(source, manifest, file is not None, file is not None and file.file_hash != read.file_hash)

    @property
    def reads(self) -> ReadCache:
        """Cached reads; their log is one for all codebases of a home."""
        if self._reads is None:
            from cairn.readcache.cache import ReadCache

            self._reads = ReadCache(cairn_home())
        return self._reads

    def reindex_incremental(self, progress: Progress | None = None) -> SyncResult:
        """Bring the index up to date with what changed."""
        return self.index(None, progress)

    def reindex_full(self, progress: Progress | None = None) -> SyncResult:
        """Make the index anew from all files."""
        from cairn.indexing.options import SyncOptions

        return self.index(SyncOptions(reindex=True), progress)

    def compact(self, *, force: bool) -> Manifest | None:
        """Merge segments if that is due, or with `force` in any case; None where nothing was merged."""
        from cairn.indexing.terms import terms_of

        return self.store().compact(terms_of, force=force)

    def repair(self) -> RepairResult:
        """Make anew what is damaged in the store."""
        from cairn.codebase.controls import set_controls_aside
        from cairn.indexing.repair import repair

        store = self.store()
        kept = tuple(f"set {name} aside" for name in set_controls_aside(cairn_home(), store.layout))
        result = repair(store, self.detector, self.embedder)
        return replace(result, actions=(*kept, *result.actions))

    def migrate(self, to: str) -> Manifest | None:
        """Copy the index into the engine that the settings name; None where it is there already."""
        from cairn.codebase.migration import migrate

        if self.tracking is None:
            raise RefusedError(
                "A shared store isn't moved.", hint=Advice("Make a new one: ", NextStep("index_shared"), ".")
            )
        self.refresh()
        return migrate(cairn_home(), self.tracking, self.identity, self.identity_with, to)

    def collect(self, *, force: bool) -> GcPlan:
        """Remove what no snapshot needs; with `force` whatever the age of snapshots."""
        return self.store().collect(force=force)

    def is_indexed(self) -> bool:
        try:
            return self.store().active() is not None
        except NotIndexedError:
            return False

    def store(self) -> Store:
        """The codebase's store; NotIndexedError where there is none."""
        return self._stores.opened(self.identity)

    def view(self, snapshot_id: str | None = None) -> SnapshotView:
        """The active snapshot or a former one, for one question; the error of the gate that it doesn't pass."""
        self._require_open()
        if snapshot_id is None and (held := self._pin.taken(admitted=True)) is not None:
            return held
        return self.tracking.admitted(snapshot_id) if self.tracking is not None else self.open_view(snapshot_id)

    def open_view(self, snapshot_id: str | None = None) -> SnapshotView:
        """A snapshot whatever state the codebase is in."""
        if snapshot_id is None and (held := self._pin.taken()) is not None:
            return held
        store = self.store()
        touch_last_used(store.layout)
        return store.view(snapshot_id=snapshot_id, shelf=self._shelf)

    def parts(self) -> Mapping[str, str]:
        """What the index fingerprint is made of."""
        return parts_of(self.detector.config, self.model, self.identity.engine)

    def note(self, state: str, cause: str, **facts: str) -> None:
        """A line of the store's log about the state that the codebase has come to."""
        from cairn.store.log import record

        record(self._stores.made(self.identity).layout, "state", self.root.path, state=state, cause=cause, **facts)

    def verdict(self, requested: str = "") -> Verdict:
        """Whether the codebase may be read, and if not, why; a shared store has no registry and no gates."""
        if self.tracking is None:
            return Verdict(CodebaseFacts(self.root.path, requested or self.root.path, self.identity.config_fingerprint))
        # Settings that changed since the codebase was opened are what the gates are for.
        self.refresh()
        return self.tracking.verdict(requested)

    def require_readable(self) -> None:
        """The error of the gate that the codebase doesn't pass, if there is one."""
        with self.view():
            pass

    def require_answering(self) -> None:
        """RequiresReindexError where the codebase answers from another store than this one, in whatever state it is."""
        if self.tracking is not None:
            self.tracking.require_answering()

    def clear(self, *, whole: bool = False) -> bool:
        """Remove the store; False when there is none. With `whole`, one of another engine that answers goes too."""
        self._notes = []
        removed, self._notes = self._stores.remove(self.identity, self.tracking, whole=whole)
        return removed

    def close(self) -> None:
        """Close everything that the codebase holds open; it can't be asked afterwards."""
        self._closed = True
        for other in self.elsewhere.values():
            other.close()
        self.release()
        self._shelf.clear()
        self.detector.close()
        if self._cached is not None:
            self._cached.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def refresh(self) -> None:
        """Settings may have changed since the codebase was opened: others mean another store."""
        self.detector.reload()
        identity = self.identity_with(chosen_engine(self.detector.config.engine))
        if identity != self.identity:
            self.release()
        self.identity = identity

    def identity_with(self, engine: str) -> Identity:
        """Who the codebase is under the settings of now, but for the engine."""
        return identity_of(self.root, self.detector.config, self.model, engine)

    def _require_open(self) -> None:
        if self._closed:
            raise UsageError("This codebase was closed.", hint="Open it again.")
