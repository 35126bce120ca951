"""One sync: what changed in the tree becomes one published snapshot, or nothing does."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np

from cairn.embed import Embedder
from cairn.engines import Vectors
from cairn.errors import CairnError, PublishRefusedError, TreeMovedError
from cairn.indexing.rows import row_of, terms_of
from cairn.store import ChunkRow, FileError, FileRow, GitInfo, Manifest, SnapshotView, Store, Transaction, TreeFacts
from cairn.store.lease import WriterLease
from cairn.store.log import record
from cairn.syntax.lines import chunk_lines
from cairn.workspace import (
    Baseline,
    ChangeDetector,
    ChangeSet,
    Detection,
    FileEntry,
    NotRegularError,
    TooLargeError,
    eligible_content,
    largest_size,
    read_stable,
    require_no_collisions,
)

BATCH_ROWS = 512
WAIT_S = 30.0

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class SyncOptions:
    reindex: bool = False
    verify: bool = False
    allow_degraded: bool = False
    wait_s: float = WAIT_S
    leave_out: frozenset[str] = frozenset()
    """Damaged artifacts to do without: what they held is made anew from the tree."""

    @property
    def cause(self) -> str:
        if self.reindex:
            return "reindex"
        return "repair" if self.leave_out else "sync"


@dataclass(frozen=True, slots=True)
class SyncResult:
    """What a sync did; `published` is False when the active snapshot already told the truth."""

    manifest: Manifest
    detection: Detection
    published: bool
    indexed: int = 0
    deleted: int = 0
    embedded: int = 0


@dataclass(slots=True)
class _Batch:
    """Files whose chunks wait to be embedded together."""

    files: list[tuple[FileRow, list[ChunkRow]]] = field(default_factory=list)
    rows: int = 0


def sync(
    store: Store,
    detector: ChangeDetector,
    embedder: Embedder,
    options: SyncOptions | None = None,
    progress: Progress | None = None,
) -> SyncResult:
    """Bring the store up to date with the tree."""
    chosen = options or SyncOptions()
    with store.writer(wait_s=chosen.wait_s) as lease:
        return sync_under(lease, store, detector, embedder, chosen, progress)


def sync_under(
    lease: WriterLease,
    store: Store,
    detector: ChangeDetector,
    embedder: Embedder,
    options: SyncOptions,
    progress: Progress | None = None,
) -> SyncResult:
    """Sync with a lease that the caller holds."""
    if options.reindex or store.active() is None:
        return _publish(store, detector, embedder, lease, None, options, progress)
    with store.view(leave_out=options.leave_out) as view:
        return _publish(store, detector, embedder, lease, view, options, progress)


def _publish(
    store: Store,
    detector: ChangeDetector,
    embedder: Embedder,
    lease: WriterLease,
    view: SnapshotView | None,
    options: SyncOptions,
    progress: Progress | None,
) -> SyncResult:
    known = {file.path_key: file for file in view.files()} if view is not None else {}
    parent = view.manifest if view is not None else None
    baseline = Baseline(
        {key: file.file_hash for key, file in known.items()}, parent.git.head_sha if parent is not None else None
    )
    settings = detector.config.index
    detection = detector.detect(baseline, verify=options.verify)
    if detection.config.index != settings:
        # The store's name holds the fingerprint of the settings: others belong into another store.
        raise TreeMovedError(".cairn.toml was changed while the index was brought up to date.")
    require_no_collisions(detection.scan, detection.config.index)
    if parent is not None and not options.leave_out and not _worth_a_snapshot(parent, detection):
        return SyncResult(parent, detection, published=False)
    run = _Run(store, detector, embedder, lease, view, known, detection, options)
    manifest = run.publish(progress)
    record(
        store.layout,
        options.cause,
        store.identity.canonical_root,
        snapshot=manifest.snapshot_id,
        epoch=manifest.lease_epoch,
        indexed=run.indexed,
        deleted=run.deleted,
        embedded=run.embedded,
        degraded=manifest.degraded,
    )
    return SyncResult(manifest, detection, True, run.indexed, run.deleted, run.embedded)


def _worth_a_snapshot(parent: Manifest, detection: Detection) -> bool:
    """Whether anything that a snapshot tells would be different."""
    return bool(
        detection.changes
        or parent.ignore_fingerprint != detection.scan.ignore_fingerprint
        or parent.git != _git_info(detection)
        or parent.skipped != detection.scan.skips_by_reason()
        or parent.errors
        or detection.scan.failures
    )


class _Run:
    """One transaction's way from changed files to a published snapshot."""

    def __init__(
        self,
        store: Store,
        detector: ChangeDetector,
        embedder: Embedder,
        lease: WriterLease,
        view: SnapshotView | None,
        known: dict[str, FileRow],
        detection: Detection,
        options: SyncOptions,
    ) -> None:
        self._store = store
        self._detector = detector
        self._embedder = embedder
        self._lease = lease
        self._view = view
        self._known = known
        self._detection = detection
        self._options = options
        self._errors: list[FileError] = []
        self._gone: set[str] = set()
        self.indexed = 0
        self.deleted = 0
        self.embedded = 0

    def publish(self, progress: Progress | None) -> Manifest:
        scan = self._detection.scan
        changes = self._detection.changes
        for failure in scan.failures:
            self._fail(FileError(failure.code, failure.message, failure.key))
        parent = self._view.manifest if self._view is not None else None
        transaction = Transaction(
            self._store.layout,
            self._store.identity,
            parent,
            {key: file.chunks for key, file in self._known.items()},
            cause=self._options.cause,
            txn_id=self._lease.txn_id,
            keep=self._view.segments if self._view is not None else (),
        )
        with transaction:
            if self._options.leave_out and self._view is not None:
                transaction.fold_file_index(dict(self._view.homes()))
            for key in changes.delete:
                transaction.delete(key)
                self.deleted += 1
            for old, _ in changes.rename:
                transaction.delete(old, "rename_from")
            self._take_in(transaction, self._to_read(changes), progress)
            return transaction.publish(self._lease, self._tree_facts(transaction))

    def _to_read(self, changes: ChangeSet) -> list[FileEntry]:
        wanted = {*changes.add, *changes.modify, *(new for _, new in changes.rename)}
        return [entry for entry in self._detection.scan.files if entry.key in wanted]

    def _take_in(self, transaction: Transaction, entries: list[FileEntry], progress: Progress | None) -> None:
        moved = {new: old for old, new in self._detection.changes.rename}
        total = len(entries)
        batch = _Batch()
        for number, entry in enumerate(entries, start=1):
            file = self._read(entry)
            if file is not None:
                vectors = self._known_vectors(moved.get(entry.key), file[1])
                if vectors is not None:
                    self._add(transaction, file[0], file[1], vectors)
                else:
                    batch.files.append(file)
                    batch.rows += len(file[1])
            if batch.rows >= BATCH_ROWS:
                self._embed(transaction, batch)
                batch = _Batch()
            if progress is not None:
                progress(number, total)
        self._embed(transaction, batch)

    def _read(self, entry: FileEntry) -> tuple[FileRow, list[ChunkRow]] | None:
        """A file as it is now: bytes and hash from one read; None when there is nothing to take in."""
        settings = self._detection.config.index
        try:
            read = read_stable(self._detector.tree, entry.target, largest_size(settings))
        except (FileNotFoundError, NotADirectoryError, NotRegularError, TooLargeError):
            # Gone, or become something that doesn't count: the next scan says which.
            self._gone.add(entry.key)
            return None
        except CairnError as error:
            self._fail(FileError(error.code, error.message, entry.key))
            return None
        except OSError as error:
            self._fail(FileError("unreadable", f"{entry.key}: {error.strerror}", entry.key))
            return None
        if not eligible_content(read.data, settings):
            # It was rewritten into something that doesn't count since the scan; the next one says why.
            self._gone.add(entry.key)
            return None
        chunks = chunk_lines(read.data, settings.chunk_bytes, settings.max_chunks_per_file)
        rows = [
            row_of(entry.key, ordinal, chunk, read.file_hash, entry.language) for ordinal, chunk in enumerate(chunks)
        ]
        return FileRow(entry.key, read.file_hash, len(read.data), entry.language, len(rows)), rows

    def _known_vectors(self, old: str | None, rows: list[ChunkRow]) -> Vectors | None:
        """A renamed file brings its embeddings along, as far as its content is really the same."""
        if old is None or self._view is None:
            return None
        before = [row.chunk_hash for row in self._view.rows_of(old)]
        return self._view.vectors_of(old) if before == [row.chunk_hash for row in rows] else None

    def _embed(self, transaction: Transaction, batch: _Batch) -> None:
        self._lease.check()
        texts = [row.text for _, rows in batch.files for row in rows]
        vectors = self._embedder.embed(texts)
        self.embedded += len(texts)
        for (file, rows), own in zip(batch.files, _split(vectors, (len(rows) for _, rows in batch.files)), strict=True):
            self._add(transaction, file, rows, own)

    def _add(self, transaction: Transaction, file: FileRow, rows: list[ChunkRow], vectors: Vectors) -> None:
        transaction.add_file(file, rows, [terms_of(row) for row in rows], vectors)
        self.indexed += 1

    def _fail(self, error: FileError) -> None:
        if not self._options.allow_degraded:
            raise PublishRefusedError(f"{error.path_key} can't be indexed: {error.message}")
        self._errors.append(error)

    def _tree_facts(self, transaction: Transaction) -> TreeFacts:
        detection = self._detection
        changes = detection.changes
        changed = {*changes.add, *changes.modify, *changes.delete, *(key for pair in changes.rename for key in pair)}
        for key in self._gone:
            transaction.delete(key)
        return TreeFacts(
            ignore_fingerprint=detection.scan.ignore_fingerprint,
            git=_git_info(detection),
            eligible=frozenset(entry.key for entry in detection.scan.files) - self._gone,
            changed=frozenset(changed) - self._gone,
            skipped=detection.scan.skips_by_reason(),
            errors=tuple(sorted(self._errors, key=lambda error: error.path_key)),
        )


def _split(vectors: Vectors, lengths: Iterable[int]) -> Iterator[Vectors]:
    at = 0
    for length in lengths:
        yield np.ascontiguousarray(vectors[at : at + length])
        at += length


def _git_info(detection: Detection) -> GitInfo:
    state = detection.git
    if state is None:
        return GitInfo(None, False, True)
    return GitInfo(state.head, state.dirty, state.untracked_included)
