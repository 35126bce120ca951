"""The coordinator that every surface calls: it connects the parts and decides nothing itself."""

import contextlib
import os
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Self

from cairn.answers import Answer, Listed, P, Request, counted, warnings_of
from cairn.config import Artifacts, Config, config_fingerprint, query_fingerprint
from cairn.embed import (
    CachedEmbedder,
    Embedder,
    EmbeddingCache,
    Inheritable,
    embed_config_fingerprint,
    embedder_from,
    load_settings,
)
from cairn.engines import Vectors
from cairn.errors import BusyError, CairnError, NotIndexedError, UsageError
from cairn.graph import MAX_PLACES, Definition, Reference, RepoMap, find_definitions, find_references, repo_map
from cairn.indexing import CHUNKER_VERSION, RepairResult, SyncOptions, SyncResult, repair, sync, terms_of
from cairn.indexing.sync import Progress, nobody
from cairn.indexing.vectors import RECIPE
from cairn.search import RANKING_VERSION, Filters, Query, find, parse_query, weights_without
from cairn.store import GcPlan, Identity, Manifest, SnapshotView, Store, StoreKind
from cairn.store.inventory import remove_store, remove_store_at, touch_last_used
from cairn.store.layout import open_layout
from cairn.store.shared import open_shared, require_same_settings
from cairn.store.ulid import new_ulid
from cairn.store.versions import VERSIONS
from cairn.syntax.grammar import grammars
from cairn.syntax.tokens import TOKENS_VERSION
from cairn.workspace import (
    ChangeDetector,
    IndexPlan,
    Root,
    cairn_home,
    file_state,
    find_root,
    path_key,
    plan_index,
    read_now,
    shared_store_warnings,
    store_id,
)

ENGINE = "flat"
_SCAN_FILE = "scan.json"
_FEW_FILES = 32
_ROW_FORMATS = ("chunk_rows",)
"""Formats that decide what rows mean; those of manifests and answers may change without a reindex."""

__all__ = ["Answer", "Codebase", "IndexPlan", "Listed", "Request", "identity_of", "plan_index"]


class Codebase:
    """One root with its settings, its detector, its embedder and its store."""

    def __init__(self, path: str, *, shared_store: str | None = None) -> None:
        """`shared_store` is the folder of a store that several users of this machine share."""
        self.root = find_root(path)
        self.shared_store = shared_store
        self.detector = ChangeDetector(self.root, shared=shared_store is not None)
        home = cairn_home()
        self._raw: Embedder = embedder_from(load_settings(home, os.environ), home, os.environ)
        self._cached: CachedEmbedder | None = None
        self._cache: EmbeddingCache | None = None
        self.identity = identity_of(self.root, self.detector.config, self._raw)
        self._closed = False
        self._notes: list[str] = []
        self._recalled = False

    @property
    def embedder(self) -> CachedEmbedder:
        """The embedder with its cache, which is opened with the first use; one that is quicker than it has none."""
        if self._cached is None:
            os.makedirs(cairn_home(), mode=0o700, exist_ok=True)
            if not isinstance(self._raw, Inheritable):
                self._cache = EmbeddingCache(cairn_home(), embed_config_fingerprint(self._raw), self._raw.dimension)
            self._cached = CachedEmbedder(self._raw, self._cache)
        return self._cached

    def index(self, options: SyncOptions, progress: Progress = nobody) -> SyncResult:
        """Create the index or bring it up to date."""
        self._require_open()
        self._refresh()
        store = self._create()
        self._notes = []
        self._recall(store)
        result = sync(store, self.detector, self.embedder, options, progress)
        if result.published:
            self._keep_house(store)
        touch_last_used(store.layout)
        self._memorise(store, result)
        self._notes += self.embedder.take_warnings()
        self._notes += [f"{path} was cut by lines: its parser failed or was killed" for path in result.by_lines]
        if self.shared_store is not None and result.published:
            self._notes += shared_store_warnings(result.detection.git)
        return result

    @property
    def notes(self) -> tuple[str, ...]:
        """What a user should know of the last sync."""
        return tuple(self._notes)

    def search(self, request: Request, *, synced: bool = False) -> Answer:
        """Ask the active snapshot; `synced` when this very request has brought it up to date."""
        self._require_open()
        began = time.perf_counter()
        settings = self.detector.config.query
        query = parse_query(request.query, self._within(request.filters))
        limit = request.limit or settings.limit
        store = self.store()
        touch_last_used(store.layout)
        with store.view() as view:
            opened = time.perf_counter()
            vector, failure = self._vector(query)
            embedded = time.perf_counter()
            findings = find(
                view,
                query,
                vector,
                limit,
                mode=request.mode or settings.mode,
                weights=weights_without(settings.signals_off),
            )
            manifest, recovered = view.manifest, view.recovered
        searched = time.perf_counter()
        states = {
            path: file_state(self.detector.tree, path) for path in {item.row.path_key for item in findings.results}
        }
        gone = {path for path, digest in states.items() if digest is None}
        results = tuple(item for item in findings.results if item.row.path_key not in gone)
        changed = frozenset(item.row.path_key for item in results if states[item.row.path_key] != item.row.file_hash)
        ended = time.perf_counter()
        return Answer(
            request_id=new_ulid(),
            manifest=manifest,
            query_fingerprint=query_fingerprint(self.detector.config, RANKING_VERSION),
            results=results,
            changed=changed,
            warnings=failure + warnings_of(query, manifest, recovered, gone, changed, results),
            limits_hit=findings.limits_hit,
            freshness={
                "synced": synced,
                "checked": "tree" if synced else "cited_files",
                "moved": bool(changed or gone),
            },
            timings_ms={
                "open": _ms(began, opened),
                "embed": _ms(opened, embedded),
                "search": _ms(embedded, searched),
                "check": _ms(searched, ended),
                "total": _ms(began, ended),
            },
        )

    def get_symbol(self, name: str) -> Listed[Definition]:
        """Where something is defined."""
        with self.view() as view:
            found = find_definitions(view, name)
            return self._listed(view, found, MAX_PLACES)

    def get_references(self, name: str) -> Listed[Reference]:
        """Where a name is used."""
        with self.view() as view:
            found = find_references(view, name)
            return self._listed(view, found, MAX_PLACES)

    def outline(self, path: str) -> Listed[Definition]:
        """What a file defines, in order; NotIndexedError for a file that the snapshot doesn't have."""
        key = path_key(path)
        with self.view() as view:
            self._require_in(view, key)
            return self._listed(view, [Definition(key, symbol) for symbol in view.facts_of(key).symbols], None)

    def get_map(self, budget_tokens: int = 2_000) -> RepoMap:
        """The files that others use most, with what they offer; those that are gone are left out."""
        with self.view() as view:
            return repo_map(view, budget_tokens, lambda key: file_state(self.detector.tree, key) is not None)

    def read(self, path: str) -> str:
        """A file that the index knows, as it is now: what is left out of the index is left out here too."""
        key = path_key(path)
        with self.view() as view:
            self._require_in(view, key)
        try:
            return read_now(self.detector.tree, key).data.decode("utf-8", "replace")
        except OSError as error:
            raise UsageError(f"{key} can't be read: {error.strerror or 'it is no plain file'}.") from error

    def reindex_incremental(self, progress: Progress = nobody) -> SyncResult:
        return self.index(SyncOptions(), progress)

    def reindex_full(self, progress: Progress = nobody) -> SyncResult:
        return self.index(SyncOptions(reindex=True), progress)

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

    def store(self) -> Store:
        if self.shared_store is None:
            return Store.open(cairn_home(), self.identity)
        layout = open_layout(os.path.abspath(self.shared_store))
        if layout is None:
            raise NotIndexedError(f"There is no shared store at {self.shared_store} yet.")
        require_same_settings(layout, self.identity)
        return Store.at(layout, self.identity)

    def view(self) -> SnapshotView:
        self._require_open()
        return self.store().view()

    def clear(self) -> bool:
        """Remove the store; False when there is none."""
        if self.shared_store is None:
            return remove_store(cairn_home(), self.identity.store_id)
        if open_layout(self.shared_store) is None:
            return False
        path = os.path.abspath(self.store().layout.path)
        return remove_store_at(path, os.path.dirname(path))

    def close(self) -> None:
        self._closed = True
        self.detector.close()
        if self._cache is not None:
            self._cache.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _create(self) -> Store:
        if self.shared_store is not None:
            return Store.at(open_shared(self.shared_store, self.identity), self.identity)
        return Store.create(cairn_home(), self.identity)

    def _refresh(self) -> None:
        """Settings may have changed since the codebase was opened: others mean another store."""
        self.detector.reload()
        self.identity = identity_of(self.root, self.detector.config, self._raw)

    def _recall(self, store: Store) -> None:
        """Give a new detector what an earlier process learnt; only from a place that is ours alone."""
        if self._recalled or store.layout.kind is not StoreKind.PRIVATE:
            return
        self._recalled = True
        with contextlib.suppress(OSError), open(os.path.join(store.layout.cache, _SCAN_FILE), "rb") as file:
            self.detector.scanner.recall(file.read())

    def _memorise(self, store: Store, result: SyncResult) -> None:
        if store.layout.kind is not StoreKind.PRIVATE:
            return
        path = os.path.join(store.layout.cache, _SCAN_FILE)
        # Without it the next process reads more, no worse: a few files are read sooner than all are written down.
        if result.detection.scan.hashed > (_FEW_FILES if os.path.exists(path) else 0):
            with contextlib.suppress(OSError):
                store.layout.write_file(path, self.detector.scanner.memorise())

    def _keep_house(self, store: Store) -> None:
        """Compact and collect in passing; the snapshot stands whatever becomes of that."""
        try:
            with contextlib.suppress(BusyError):
                store.compact(terms_of)
            store.tidy()
        except (CairnError, OSError) as error:
            self._notes.append(f"the snapshot was published, but the store could not be tidied: {error}")

    def _vector(self, query: Query) -> tuple[Vectors | None, tuple[str, ...]]:
        """The query's vector; an embedder that fails leaves words and names to search by."""
        if not query.terms:
            return None, ()
        try:
            return self._raw.embed([query.text])[0], ()
        except (CairnError, OSError) as error:
            return None, (f"by words and names alone, since the embedder failed: {error}",)

    def _within(self, filters: Filters) -> Filters:
        """Path filters as they are meant: relative to the root."""
        return replace(filters, paths=tuple(_relative(self.root.path, pattern) for pattern in filters.paths))

    def _listed(self, view: SnapshotView, found: Sequence[P], limit: int | None) -> Listed[P]:
        """Leave out what is gone from the tree, and say what has changed in it or was cut."""
        shown = found if limit is None else found[:limit]
        hashes: dict[str, str] = {}
        for path in {item.path for item in shown}:
            file = view.file(path)
            hashes[path] = file.file_hash if file is not None else ""
        states = {path: file_state(self.detector.tree, path) for path in hashes}
        gone = {path for path, state in states.items() if state is None}
        changed = frozenset(path for path, state in states.items() if path not in gone and state != hashes[path])
        warnings = []
        if gone:
            warnings.append(f"{counted(len(gone), 'file')} left out: gone since the snapshot")
        if changed:
            warnings.append(f"{counted(len(changed), 'file')} changed since the snapshot")
        cut = ("places",) if limit is not None and len(found) > limit else ()
        kept = tuple(item for item in shown if item.path not in gone)
        return Listed(kept, view.snapshot_id, changed, tuple(warnings), cut)

    @staticmethod
    def _require_in(view: SnapshotView, key: str) -> None:
        if view.file(key) is None:
            raise NotIndexedError(f"{key} is not in the snapshot.", hint="Run `cairn index --dry-run` to see why.")

    def _require_open(self) -> None:
        if self._closed:
            raise UsageError("This codebase was closed.", hint="Open it again.")


def identity_of(root: Root, config: Config, embedder: Embedder) -> Identity:
    artifacts = Artifacts(
        model=f"{embedder.identity} {RECIPE}",
        dimension=embedder.dimension,
        engine=ENGINE,
        grammars={name: grammar.identity for name, grammar in grammars().items()},
        chunker_version=f"{CHUNKER_VERSION} {TOKENS_VERSION}",
        schema_versions={name: VERSIONS[name].writable for name in _ROW_FORMATS},
    )
    fingerprint = config_fingerprint(config, artifacts)
    return Identity(root.path, store_id(root.path, fingerprint), fingerprint, ENGINE, embedder.dimension)


def _relative(root: str, pattern: str) -> str:
    """A path filter beneath the root; UsageError for one that can match nothing there."""
    inside = pattern.removeprefix(root.rstrip("/") + "/") if pattern.startswith("/") else pattern
    if not inside.strip("/") or inside.startswith("/") or ".." in inside.split("/"):
        raise UsageError(f"path:{pattern} matches nothing beneath the root.", hint="Use a path like src/ or *.py.")
    return inside


def _ms(start: float, end: float) -> float:
    return round((end - start) * 1000, 3)
