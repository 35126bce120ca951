"""Small stores for tests: real segments, published through the same transaction as everything else."""

import hashlib
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from cairn.embed import HashingEmbedder
from cairn.engines import Vectors
from cairn.indexing.prepare import row_of
from cairn.indexing.terms import terms_of
from cairn.search import parse_query
from cairn.search.find import find
from cairn.store import (
    ChunkRow,
    FileError,
    FileRow,
    GitInfo,
    Identity,
    Manifest,
    SnapshotView,
    Store,
    StoreKind,
    Transaction,
    TreeFacts,
    pack,
)
from cairn.store.layout import Layout
from cairn.store.lease import WriterLease
from cairn.syntax.blocks import occurrence_block
from cairn.syntax.lines import chunk_lines

DIMENSION = 16
EMBEDDER = HashingEmbedder(DIMENSION)
FINGERPRINT = "f" * 64
CHUNK_BYTES = 64
GIT = GitInfo(None, False, True)


def identity(
    *, root: str = "/somewhere", store_id: str = "sample__store", fingerprint: str = FINGERPRINT, engine: str = "flat"
) -> Identity:
    return Identity(root, store_id, fingerprint, engine, DIMENSION)


def make_store(home: Path, *, kind: StoreKind = StoreKind.PRIVATE, who: Identity | None = None) -> Store:
    return Store.create(str(home), who or identity(), kind)


@dataclass(frozen=True, slots=True)
class Prepared:
    """A file as a transaction takes it in."""

    file: FileRow
    data: bytes
    rows: list[ChunkRow]
    vectors: Vectors

    def add_to(self, transaction: Transaction) -> None:
        occurrences = occurrence_block(self.file.path_key, "python", self.data)
        packed = pack(self.file, self.data, self.rows, occurrences=occurrences)
        transaction.add_file(packed, [terms_of(row) for row in self.rows], self.vectors)


def prepare(path: str, text: str) -> Prepared:
    data = text.encode()
    file_hash = hashlib.sha256(data).hexdigest()
    rows = [row_of(path, n, chunk, file_hash, "python") for n, chunk in enumerate(chunk_lines(data, CHUNK_BYTES, 100))]
    vectors = EMBEDDER.embed([row.text for row in rows])
    return Prepared(FileRow(path, file_hash, len(data), "python", len(rows)), data, rows, vectors)


def add(transaction: Transaction, path: str, text: str) -> None:
    prepare(path, text).add_to(transaction)


def begin(store: Store, lease: WriterLease, cause: str = "sync") -> Transaction:
    """A transaction on top of the active snapshot."""
    parent = store.active()
    live: dict[str, int] = {}
    if parent is not None:
        with store.view() as view:
            live = {file.path_key: file.chunks for file in view.files()}
    return Transaction(store.layout, store.identity, parent, live, cause=cause, txn_id=lease.txn_id)


def facts(
    eligible: frozenset[str], changed: frozenset[str] = frozenset(), errors: tuple[FileError, ...] = ()
) -> TreeFacts:
    return TreeFacts("0" * 64, GIT, eligible, changed, {"ignored": 1}, errors)


def publish(store: Store, files: Mapping[str, str | None]) -> Manifest:
    """Publish a change: text for a new or changed file, None for a deleted one."""
    with store.writer() as lease, begin(store, lease) as transaction:
        changed = frozenset(path for path, text in files.items() if text is not None or path in transaction.live_paths)
        for path, text in files.items():
            if text is None:
                transaction.delete(path)
            else:
                add(transaction, path, text)
        return transaction.publish(lease, facts(transaction.live_paths, changed))


def text_of(view: SnapshotView, path_key: str) -> str:
    """What a view says a file holds."""
    return "".join(row.text for row in view.rows.of(path_key) if row.kind == "text")


def contents(view: SnapshotView) -> dict[str, str]:
    """What a view says the files hold."""
    return {
        file.path_key: "".join(row.text for row in view.rows.of(file.path_key) if row.kind == "text")
        for file in view.files()
    }


def answers(view: SnapshotView, *queries: str) -> list[object]:
    """Everything that searches say, down to the last digit of the scores."""
    found: list[object] = []
    for query in queries:
        vector = EMBEDDER.embed([query])[0]
        for likeness in (None, vector):
            results = find(view, parse_query(query), likeness, 50).results
            found.append([(item.row.row_id, item.score, item.contributions) for item in results])
        found.append([(hit.row.row_id, hit.score) for hit in view.vectors.nearest(vector, 50)])
    return found


def modes_of(layout: Layout) -> dict[str, int]:
    top = Path(layout.path)
    return {str(path.relative_to(top)): path.lstat().st_mode & 0o7777 for path in (top, *top.rglob("*"))}


def snapshot_of(folder: Path) -> dict[str, bytes]:
    """Every file beneath a folder with its bytes."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@contextmanager
def temporary_home() -> Iterator[Path]:
    """A home of its own for each example of a property."""
    path = Path(tempfile.mkdtemp(prefix="cairn-test-"))
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)
