"""What a sync does that has found changes: from changed files to a published snapshot, under the writer lease."""

import contextlib
from collections.abc import Callable, Iterable, Sequence

from cairn.base import deadline
from cairn.base.errors import (
    CairnError,
    CorruptStoreError,
    IncompatibleError,
    PublishRefusedError,
    StorageError,
    TreeMovedError,
)
from cairn.base.notes import Note
from cairn.base.values import replace
from cairn.embed import CachedEmbedder, Heritage
from cairn.engines import lies_outside
from cairn.indexing.history import history_at
from cairn.indexing.look import UNREAD, Looked, git_info, history_asked, look, worth_a_snapshot
from cairn.indexing.memory import memory_limit, segment_bytes
from cairn.indexing.options import SyncOptions, SyncResult
from cairn.indexing.prepare import ChunkLimits, Prepared
from cairn.indexing.progress import Progress, SyncStep, nobody
from cairn.indexing.reading import TreeReader
from cairn.indexing.terms import terms_of
from cairn.indexing.vectors import vectors_in, vectors_of
from cairn.store import FileError, Manifest, SnapshotView, Store, Transaction, TreeFacts
from cairn.store.history import encode
from cairn.store.layout import Layout, StoreKind
from cairn.store.lease import WriterLease
from cairn.store.log import record
from cairn.store.manifest import SemanticRef
from cairn.store.seed import Origin, Seed, Siblings, plant
from cairn.syntax.parse import make_ready
from cairn.workspace.detector import ChangeDetector
from cairn.workspace.entries import FileEntry

BATCH_ROWS = 1024
_FEW_FILES = 16


def sync_under(
    lease: WriterLease,
    store: Store,
    detector: ChangeDetector,
    embedder: CachedEmbedder,
    options: SyncOptions,
    progress: Progress = nobody,
) -> SyncResult:
    """Sync with a lease that the caller holds."""
    if options.reindex or store.active() is None:
        looked = look(None, detector, progress, verify=options.verify)
        return _publish(store, detector, embedder, lease, None, looked, options, progress)
    if not options.leave_out:
        store.make_room(lease, terms_of)
    with store.view(leave_out=options.leave_out) as view:
        if view.recovered:
            store.point_to(lease, view.manifest)
        looked = look(view, detector, progress, verify=options.verify)
        return publish_if_worth(store, detector, embedder, lease, view, looked, options, progress)


def publish_if_worth(
    store: Store,
    detector: ChangeDetector,
    embedder: CachedEmbedder,
    lease: WriterLease,
    view: SnapshotView,
    looked: Looked,
    options: SyncOptions,
    progress: Progress,
) -> SyncResult:
    """Publish what was seen on top of a view, if a snapshot would tell anything that is different."""
    if not options.leave_out and not worth_a_snapshot(view.manifest, looked.detection, detector, insists=options.tells):
        return SyncResult(view.manifest, looked.detection, published=False)
    return _publish(store, detector, embedder, lease, view, looked, options, progress)


def first(
    store: Store,
    detector: ChangeDetector,
    embedder: CachedEmbedder,
    lease: WriterLease,
    options: SyncOptions,
    progress: Progress,
    siblings: Callable[[], Siblings],
) -> SyncResult:
    """The first snapshot of a store: built on a sibling's where there is one, else from nothing."""
    notes: tuple[Note, ...] = ()
    try:
        found = Siblings((options.arrived,), arrived=options.arrived) if options.arrived else siblings()
        if found.arrived and found.paths and lies_outside(store.identity.engine, store.layout.path) is not None:
            return _copied(store, detector, embedder, lease, options, progress, found)
        seed, notes = plant(store.layout, store.identity, found)
    except CairnError as error:
        if options.arrived:
            raise
        seed, notes = None, (Note("siblings_unseen", {"message": str(error)}),)
    if seed is not None:
        try:
            looked = look(seed.view, detector, progress, verify=options.verify)
            if looked.shares_little:
                raise PublishRefusedError("Most of its files are not in this tree, or differ.")
            made = _publish(store, detector, embedder, lease, seed.view, looked, options, progress, seed)
            return replace(made, origin=seed.origin, notes=notes + made.notes)
        except (CorruptStoreError, PublishRefusedError, StorageError) as error:
            if options.arrived:
                raise
            # Whatever the sibling's snapshot has to do with it, the tree itself is there to index.
            notes += (Note("seed_refused", {"codebase": seed.origin.canonical_root, "message": str(error)}),)
        finally:
            seed.close(lease)
    if options.arrived:
        raise CorruptStoreError(f"What came can't be built on: {notes[-1].fields if notes else 'nothing was found'}.")
    looked = look(None, detector, progress, verify=options.verify)
    made = _publish(store, detector, embedder, lease, None, looked, options, progress)
    return replace(made, notes=notes + made.notes)


def _copied(
    store: Store,
    detector: ChangeDetector,
    embedder: CachedEmbedder,
    lease: WriterLease,
    options: SyncOptions,
    progress: Progress,
    found: Siblings,
) -> SyncResult:
    """The first snapshot where an engine keeps vectors elsewhere: rows and vectors that came are copied.

    Links to segments would be of no use: their vectors must come to where this store has its own.
    """
    (path,) = found.paths
    with SnapshotView(Layout(path, StoreKind.PRIVATE)) as view:
        looked = look(view, detector, progress, verify=options.verify)
        if looked.shares_little:
            raise PublishRefusedError("Most of its files are not in this tree, or differ.")
        run = _Run(store, detector, embedder, lease, None, looked, options, None, view)
        manifest = run.publish(progress)
        origin = Origin(found.arrived, view.manifest.store_id, view.snapshot_id)
    made = SyncResult(manifest, looked.detection, True, run.indexed, run.deleted, run.embedded, run.by_lines)
    return replace(made, origin=origin, notes=found.notes + run.notes)


def _publish(
    store: Store,
    detector: ChangeDetector,
    embedder: CachedEmbedder,
    lease: WriterLease,
    view: SnapshotView | None,
    looked: Looked,
    options: SyncOptions,
    progress: Progress,
    seed: Seed | None = None,
) -> SyncResult:
    """One snapshot on top of what a view shows; with a `seed`, that view is a sibling's."""
    run = _Run(store, detector, embedder, lease, view, looked, options, seed)
    manifest = run.publish(progress)
    record(
        store.layout,
        run.cause,
        store.identity.canonical_root,
        snapshot=manifest.snapshot_id,
        epoch=manifest.lease_epoch,
        indexed=run.indexed,
        deleted=run.deleted,
        embedded=run.embedded,
        degraded=manifest.degraded,
        **({"from_store": seed.origin.store_id} if seed is not None else {}),
    )
    made = SyncResult(manifest, looked.detection, True, run.indexed, run.deleted, run.embedded, run.by_lines)
    return replace(made, notes=run.notes)


class _Run:
    """One transaction's way from changed files to a published snapshot."""

    def __init__(
        self,
        store: Store,
        detector: ChangeDetector,
        embedder: CachedEmbedder,
        lease: WriterLease,
        view: SnapshotView | None,
        looked: Looked,
        options: SyncOptions,
        seed: Seed | None,
        source: SnapshotView | None = None,
    ) -> None:
        self._store = store
        self._detector = detector
        self._embedder = embedder
        self._lease = lease
        self._view = view
        self._known = looked.known
        self._detection = looked.detection
        self._options = options
        self._seed = seed
        self._own = store.active() if seed is not None else None
        """What the store has already, where something came from elsewhere."""
        self._source = source
        """What is copied of a snapshot from elsewhere: all that the tree has as it is there."""
        self.cause = "seed" if seed is not None or source is not None else options.cause
        self._reader = TreeReader(detector, looked.detection.config.index, lease, allow_degraded=options.allow_degraded)
        self.indexed = 0
        self.deleted = 0
        self.embedded = 0
        self.by_lines: tuple[str, ...] = ()
        self.notes: tuple[Note, ...] = ()

    def publish(self, progress: Progress) -> Manifest:
        changes = self._detection.changes
        for failure in self._detection.tree.failures:
            self._reader.fail(FileError(failure.code, failure.message, failure.key))
        parent = self._view.manifest if self._view is not None else None
        transaction = Transaction(
            self._store.layout,
            self._store.identity,
            parent,
            {path: chunks for path, (_, chunks) in self._known.items()} if self._source is None else {},
            cause=self.cause,
            txn_id=self._lease.txn_id,
            keep=self._view.segments if self._view is not None else (),
            semantics=self._semantics(),
        )
        with transaction:
            if self._options.leave_out and self._view is not None:
                transaction.fold_file_index(dict(self._view.upkeep.homes()))
            if self._source is not None:
                self._copy(transaction, self._source)
            for key in changes.delete:
                transaction.delete(key)
                self.deleted += 1
            for old, _ in changes.rename:
                transaction.delete(old, "rename_from")
            self._take_in(transaction, self._detection.entries, progress)
            if not self._detector.tree.is_in_place():
                # What was not found in a folder that is gone is no delete.
                raise TreeMovedError("The root was replaced or removed while it was indexed.")
            facts = self._tree_facts(transaction)
            self._tell_history(transaction, facts.git.head_sha)
            if self._seed is not None:
                self._seed.place()
            return transaction.publish(self._lease, facts)

    def _copy(self, transaction: Transaction, source: SnapshotView) -> None:
        changes = self._detection.changes
        differs = {*changes.delete, *changes.modify, *(old for old, _ in changes.rename)}
        for number, (packed, rows, vectors) in enumerate(source.upkeep.content([*source.manifest.segment_ids])):
            if number % _FEW_FILES == 0:
                deadline.check()
                self._lease.check()
            if packed.file.path_key not in differs:
                transaction.copy_file(packed, [terms_of(row) for row in rows], vectors)
        for ref in source.semantics:
            transaction.copy_semantic(ref, source.layout.segment(ref.segment_id))

    def _tell_history(self, transaction: Transaction, head: str | None) -> None:
        """Have the history that is asked for: that of the parent where it is the same, else with what is new."""
        asked, git = history_asked(self._detector, head), self._detector.git
        known = self._view.history if self._view is not None else None
        was = self._view.manifest.history_of if self._view is not None else ""
        if asked == was:
            return
        found, unread = None, ""
        if git is not None and head is not None and asked:
            # A history that doesn't say of what it is may have been read otherwise.
            found, unread = history_at(git, head, known if was else None, self._embedder.at_hand)
        if unread:
            record(self._store.layout, "no_history", self._store.identity.canonical_root, message=unread)
            self.notes += (Note("history_unread", {"message": unread}),)
        elif self._view is not None and self._view.history_lost:
            self.notes += (Note("history_mended", {"message": self._view.history_lost}),)
        made = (encode(found), len(found.oids)) if found is not None else None
        transaction.tell_history(made, asked + UNREAD if unread else asked)
        self._lease.check()

    def _semantics(self) -> tuple[SemanticRef, ...]:
        """The facts of each context that the view has; one's own go before those that came."""
        found = {ref.context: ref for ref in (self._view.semantics if self._view is not None else ())}
        return tuple((found | {ref.context: ref for ref in (self._own.semantics if self._own else ())}).values())

    def _take_in(self, transaction: Transaction, entries: Sequence[FileEntry], progress: Progress) -> None:
        from cairn.indexing.pool import ParserPool, worker_count  # a sync that finds no change does without

        settings = self._detection.config.index
        limits = ChunkLimits(settings.chunk_bytes, settings.max_chunks_per_file)
        total = SyncStep("indexing", 0, len(entries), 0, sum(entry.size for entry in entries))
        progress(total)
        memory = memory_limit()
        transaction.segment_bytes = min(settings.max_sync_bytes, segment_bytes(memory, total.total_bytes))
        before = self._embedder.misses
        files = size = rows = 0
        batch: list[Prepared] = []
        heritage = self._embedder.heritage
        if entries:
            load((entry.language for entry in entries), heritage, len(entries))
        with ParserPool(limits, worker_count(len(entries)), heritage, memory) as pool:
            for prepared in pool.prepare(self._reader.sources(entries)):
                deadline.check()
                batch.append(prepared)
                rows += prepared.file.chunks
                if prepared.vectors or rows >= BATCH_ROWS:
                    # Those that need no embedding are taken in one by one: between them, workers are heard.
                    self._add(transaction, batch)
                    batch, rows = [], 0
                files += 1
                size += prepared.file.size
                done = min(size, total.total_bytes)
                progress(SyncStep("indexing", files, total.total_files, done, total.total_bytes))
        self._add(transaction, batch)
        self._embedder.hear(0, pool.notes)
        self.embedded = self._embedder.misses - before
        self.by_lines = tuple(pool.by_lines)
        progress(replace(total, stage="publishing", files=files, done_bytes=min(size, total.total_bytes)))

    def _add(self, transaction: Transaction, batch: list[Prepared]) -> None:
        bare = [prepared for prepared in batch if not prepared.vectors]
        if bare:
            self._lease.check()
        made = iter(vectors_of(bare, self._embedder))
        for prepared in batch:
            if prepared.vectors:
                vectors = vectors_in(prepared, self._embedder.dimension)
                self._embedder.hear(prepared.embedded, ())
            else:
                vectors = next(made)
            transaction.add_file(prepared.packed, prepared.terms, vectors, prepared.grams)
            self.indexed += 1

    def _tree_facts(self, transaction: Transaction) -> TreeFacts:
        detection = self._detection
        changes = detection.changes
        changed = {*changes.add, *changes.modify, *changes.delete, *(key for pair in changes.rename for key in pair)}
        for key in self._reader.gone:
            transaction.delete(key)
        if self._source is not None:
            # What was left behind was never here, so nothing has to hide it.
            changed &= transaction.live_paths
        tree = detection.tree
        return TreeFacts(
            ignore_fingerprint=tree.ignore_fingerprint,
            git=git_info(detection),
            eligible=tree.eligible - self._reader.gone,
            changed=frozenset(changed) - self._reader.gone,
            skipped=tree.skipped,
            aliases=tree.aliases,
            unread=tree.unread,
            errors=tuple(sorted(self._reader.errors, key=lambda error: error.path_key)),
        )


def load(languages: Iterable[str], heritage: Heritage | None = None, files: int = 0) -> None:
    """What workers need, loaded before they are forked: each has it at once, and all of them once."""
    for language in set(languages):
        # A grammar that doesn't fit may not be needed: a worker tells when it is.
        with contextlib.suppress(IncompatibleError):
            make_ready(language)
    if heritage is None:
        return
    if files > _FEW_FILES:
        heritage.embedder.load()
    else:
        # What makes many texts faster would take longer than a few take without it.
        heritage.embedder.embed([])
