"""The coordinator that every surface calls: it connects the parts and decides nothing itself."""

import contextlib
import os
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Self

from cairn.config import Artifacts, Config, config_fingerprint, query_fingerprint
from cairn.embed import CachedEmbedder, Embedder, EmbeddingCache, embed_config_fingerprint, embedder_from, load_settings
from cairn.errors import BusyError, CairnError, NotIndexedError, UsageError
from cairn.graph import Definition, Reference, RepoMap, find_definitions, find_references, repo_map
from cairn.indexing import CHUNKER_VERSION, RepairResult, SyncOptions, SyncResult, repair, sync, terms_of
from cairn.indexing.sync import Progress, nobody
from cairn.indexing.vectors import RECIPE
from cairn.search import RANKING_VERSION, Filters, Found, Query, find, parse_query, weights_without
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
_ROW_FORMATS = ("chunk_rows",)
"""Formats that decide what rows mean; those of manifests and answers may change without a reindex."""

__all__ = ["Answer", "Codebase", "IndexPlan", "Request", "identity_of", "plan_index"]


@dataclass(frozen=True, slots=True)
class Request:
    """A search as a surface asks for it."""

    query: str
    limit: int | None = None
    mode: str | None = None
    filters: Filters = field(default_factory=Filters)


@dataclass(frozen=True, slots=True)
class Answer:
    """What a search found, from which snapshot, and what one should know about it."""

    request_id: str
    manifest: Manifest
    query_fingerprint: str
    results: tuple[Found, ...]
    changed: frozenset[str] = frozenset()
    """Cited files whose content is no longer what the snapshot holds."""
    warnings: tuple[str, ...] = ()
    limits_hit: tuple[str, ...] = ()
    freshness: Mapping[str, object] = field(default_factory=dict)
    timings_ms: Mapping[str, float] = field(default_factory=dict)


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
        self._synced: SyncResult | None = None
        self._notes: list[str] = []
        self._recalled = False

    @property
    def embedder(self) -> CachedEmbedder:
        """The embedder with its cache, which is opened with the first use."""
        if self._cached is None:
            os.makedirs(cairn_home(), mode=0o700, exist_ok=True)
            self._cache = EmbeddingCache(cairn_home(), embed_config_fingerprint(self._raw), self._raw.dimension)
            self._cached = CachedEmbedder(self._raw, self._cache)
        return self._cached

    def index(self, options: SyncOptions, progress: Progress = nobody) -> SyncResult:
        """Create the index or bring it up to date."""
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
        self._notes += [f"{path} was cut by lines: its grammar failed" for path in result.by_lines]
        if self.shared_store is not None and result.published:
            self._notes += shared_store_warnings(result.detection.git)
        self._synced = result
        return result

    @property
    def notes(self) -> tuple[str, ...]:
        """What a user should know of the last sync."""
        return tuple(self._notes)

    def search(self, request: Request) -> Answer:
        """Ask the active snapshot."""
        began = time.perf_counter()
        settings = self.detector.config.query
        query = parse_query(request.query, request.filters)
        limit = request.limit or settings.limit
        store = self.store()
        touch_last_used(store.layout)
        with store.view() as view:
            opened = time.perf_counter()
            vector = self._raw.embed([query.text])[0] if query.terms else None
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
            warnings=_warnings(query, manifest, recovered, gone, changed, results),
            limits_hit=findings.limits_hit,
            freshness=self._freshness(manifest, changed, gone),
            timings_ms={
                "open": _ms(began, opened),
                "embed": _ms(opened, embedded),
                "search": _ms(embedded, searched),
                "check": _ms(searched, ended),
                "total": _ms(began, ended),
            },
        )

    def get_symbol(self, name: str) -> list[Definition]:
        """Where something is defined."""
        with self.view() as view:
            return find_definitions(view, name)

    def get_references(self, name: str) -> list[Reference]:
        """Where a name is used."""
        with self.view() as view:
            return find_references(view, name)

    def outline(self, path: str) -> list[Definition]:
        """What a file defines, in order; NotIndexedError for a file that the snapshot doesn't have."""
        key = path_key(path)
        with self.view() as view:
            if view.file(key) is None:
                raise NotIndexedError(f"{key} is not in the snapshot.", hint="Run `cairn index --dry-run` to see why.")
            symbols = view.facts_of(key).symbols
        return [Definition(key, symbol) for symbol in symbols]

    def read(self, path: str) -> str:
        """A file of the tree as it is now."""
        key = path_key(path)
        try:
            return read_now(self.detector.tree, key).data.decode("utf-8", "replace")
        except OSError as error:
            raise UsageError(f"{key} can't be read: {error.strerror or 'it is no plain file'}.") from error

    def get_map(self, budget_tokens: int = 2_000) -> RepoMap:
        """The files that others use most, with what they offer."""
        with self.view() as view:
            return repo_map(view, budget_tokens)

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
        if store.layout.kind is StoreKind.PRIVATE and result.detection.scan.hashed:
            # Without it the next process reads more, no worse.
            with contextlib.suppress(OSError):
                store.layout.write_file(os.path.join(store.layout.cache, _SCAN_FILE), self.detector.scanner.memorise())

    def _keep_house(self, store: Store) -> None:
        """Compact and collect in passing; the snapshot stands whatever becomes of that."""
        try:
            with contextlib.suppress(BusyError):
                store.compact(terms_of)
            store.tidy()
        except (CairnError, OSError) as error:
            self._notes.append(f"the snapshot was published, but the store could not be tidied: {error}")

    def _freshness(self, manifest: Manifest, changed: frozenset[str], gone: set[str]) -> dict[str, object]:
        synced = self._synced is not None and self._synced.manifest.snapshot_id == manifest.snapshot_id
        return {
            "synced": synced,
            "checked": "tree" if synced else "cited_files",
            "moved": bool(changed or gone),
        }


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


def _warnings(
    query: Query,
    manifest: Manifest,
    recovered: str,
    gone: set[str],
    changed: frozenset[str],
    results: tuple[Found, ...],
) -> tuple[str, ...]:
    found = []
    if not query.terms and not query.names:
        found.append("the query has no words to look for: filters alone find nothing")
    if recovered:
        found.append(f"{recovered}: an older snapshot answers; run `cairn repair`")
    if gone:
        found.append(f"{_count(len(gone), 'result')} left out: gone since the snapshot")
    if changed:
        found.append(f"{_count(len(changed), 'cited file')} changed since the snapshot")
    if manifest.degraded:
        found.append(f"degraded: {_count(len(manifest.errors), 'file')} could not be brought up to date")
    failed = {error.path_key for error in manifest.errors}
    found += [
        f"{path} is shown as it was before: it could not be read since"
        for path in sorted({item.row.path_key for item in results} & failed)
    ]
    return tuple(found)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _ms(start: float, end: float) -> float:
    return round((end - start) * 1000, 3)
