"""Publishing: the whole snapshot or none of it."""

import contextlib
import hashlib
import json
import os
import shutil
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from cairn.base.errors import CairnError, InvalidRowError, PublishRefusedError, StorageError
from cairn.codebase.codebase import Codebase
from cairn.engines import Vectors
from cairn.indexing.options import SyncOptions
from cairn.indexing.terms import terms_of
from cairn.store import FileError, SnapshotView, Store, StoreKind, Transaction, _segment, faults
from cairn.store import gate as gates
from cairn.store._lexical import LexicalWriter
from cairn.store._rowfile import RowFileWriter
from cairn.store.audit import audit
from cairn.store.recovery import read_pointer
from cairn.store.rows import ChunkRow
from tests.store.samples import (
    DIMENSION,
    Prepared,
    add,
    begin,
    contents,
    facts,
    identity,
    make_store,
    modes_of,
    prepare,
    publish,
    snapshot_of,
)
from tests.trees import write

pytestmark = pytest.mark.sampled


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return make_store(tmp_path)


def stored(store: Store) -> dict[str, bytes]:
    """All that a snapshot is made of, leaving out locks, logs and caches."""
    kept = ("ACTIVE_SNAPSHOT", "index_state.json", "segments/", "snapshots/", "staging/")
    return {name: data for name, data in snapshot_of(Path(store.layout.path)).items() if name.startswith(kept)}


@pytest.mark.requirement("STO.4")
def test_the_manifest_holds_every_field_of_the_schema(store: Store) -> None:
    first = publish(store, {"a.py": "walrus\n"})
    manifest = publish(store, {"a.py": "otter\n"})
    document = json.loads(Path(store.layout.manifest(manifest.snapshot_id)).read_bytes())
    assert document["schema_version"] == 2
    assert document["chunk_row_schema_version"] == 7
    assert document["snapshot_id"] == manifest.snapshot_id
    assert document["parent_snapshot_id"] == first.snapshot_id
    assert document["created_at"].endswith("Z")
    assert document["canonical_root"] == store.identity.canonical_root
    assert document["store_id"] == store.identity.store_id
    assert document["config_fingerprint"] == store.identity.config_fingerprint
    assert document["ignore_fingerprint"] == "0" * 64
    assert document["lease_epoch"] == 2
    assert document["git"] == {"head_sha": None, "dirty": False, "untracked_included": True}
    assert document["degraded"] is False
    assert document["errors"] == []
    assert document["counts"] == {
        "files_indexed": 2,
        "chunks_indexed": 2,
        "tombstones_added": 1,
        "files_live": 1,
        "chunks_live": 1,
    }
    for number, ref in enumerate(document["segments"]):
        assert ref["kind"] == ("base", "delta")[number]
        assert ref["rows"] == 1
        assert len(ref["sha256"]) == 64
        assert ref["size_bytes"] > 0
        assert ref["ref_type"] == "segment_folder"
    (stones,) = document["tombstones"]
    data = (Path(store.layout.path) / stones["path"]).read_bytes()
    assert stones["path"] == f"snapshots/{manifest.snapshot_id}/tombstones.jsonl"
    assert (stones["ref_type"], stones["count"], stones["size_bytes"]) == ("jsonl", 1, len(data))
    assert stones["sha256"] == hashlib.sha256(data).hexdigest()
    assert json.loads(data) == {"path_key": "a.py", "reason": "replace"}


@pytest.mark.requirement("STO.4")
def test_the_manifest_alone_is_enough_to_read_its_snapshot(store: Store) -> None:
    publish(store, {"a.py": "walrus\n", "b.py": "otter\n"})
    publish(store, {"a.py": None})
    newest = publish(store, {"c.py": "seal\n"})
    for name in os.listdir(store.layout.snapshots):
        if name != newest.snapshot_id:
            os.unlink(store.layout.manifest(name))
    os.unlink(store.layout.index_state)
    with store.view() as view:
        assert contents(view) == {"b.py": "otter\n", "c.py": "seal\n"}


@pytest.mark.requirement("STO.4")
def test_segments_are_named_after_their_snapshot(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cairn.store.publish.ROWS_PER_SEGMENT", 2)
    manifest = publish(store, {f"{n}.py": "walrus\n" for n in range(5)})
    assert [ref.segment_id for ref in manifest.segments] == [f"seg_{manifest.snapshot_id}_{n}" for n in range(3)]
    assert sorted(os.listdir(store.layout.segments)) == [ref.segment_id for ref in manifest.segments]
    with store.view() as view:
        assert len(contents(view)) == 5
        assert view.marker() is not None
        assert audit(view) == []


@pytest.mark.slow
@pytest.mark.requirement("STO.7")
def test_every_kind_of_publish_carries_the_marker_of_its_snapshot(store: Store) -> None:
    publish(store, {"a.py": "walrus\n"})
    publish(store, {"a.py": "otter\n"})
    publish(store, {"a.py": None})
    store.compact(terms_of, force=True)
    causes = set()
    for name in os.listdir(store.layout.snapshots):
        with SnapshotView(store.layout, snapshot_id=name) as view:
            marker = view.marker()
            assert marker is not None
            assert marker["snapshotId"] == name
            assert marker["totalChunks"] == view.manifest.counts.chunks_live
            causes.add(view.manifest.cause)
    assert causes == {"sync", "compact"}


def missing_artifact(store: Store) -> None:
    with store.view() as view:
        ref = view.segments[0]
    os.unlink(os.path.join(store.layout.segment(ref.segment_id), "vectors.npy"))


def assert_refused(store: Store, expected: str, change: Callable[[Transaction], None], **tree: frozenset[str]) -> None:
    before = stored(store)
    with store.writer() as lease, begin(store, lease) as transaction:
        change(transaction)
        live = transaction.live_paths
        with pytest.raises(PublishRefusedError, match=expected):
            transaction.publish(lease, facts(tree.get("eligible", live), tree.get("changed", frozenset())))
    assert stored(store) == before
    assert os.listdir(store.layout.staging) == []
    with store.view() as view:
        assert contents(view) == {"a.py": "walrus\n"}


@pytest.mark.requirement("STO.7")
@pytest.mark.requirement("PUB.1")
def test_a_refused_publish_leaves_the_pointer_and_no_half_snapshot(store: Store) -> None:
    publish(store, {"a.py": "walrus\n"})
    assert_refused(store, "b.py: eligible but not live", lambda txn: None, eligible=frozenset({"a.py", "b.py"}))
    assert_refused(store, "a.py: live but not eligible", lambda txn: None, eligible=frozenset())
    assert_refused(store, "z.py: changed but neither", lambda txn: None, changed=frozenset({"z.py"}))
    assert_refused(
        store, "b.py: live but not eligible", lambda txn: add(txn, "b.py", "x\n"), eligible=frozenset({"a.py"})
    )


@pytest.mark.requirement("STO.7")
def test_a_publish_over_a_damaged_segment_is_refused(store: Store) -> None:
    publish(store, {"a.py": "walrus\n"})
    with store.writer() as lease, begin(store, lease) as transaction:
        missing_artifact(store)
        before = stored(store)
        with pytest.raises(PublishRefusedError, match="is damaged"):
            transaction.publish(lease, facts(transaction.live_paths))
        staged = {name for name in stored(store) if name not in before}
    assert not {name for name in staged if not name.startswith("staging/")}
    assert read_pointer(store.layout) in os.listdir(store.layout.snapshots)


@pytest.mark.requirement("STO.7")
def test_a_publish_without_a_marker_is_refused(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    publish(store, {"a.py": "walrus\n"})
    # Nothing but a defect leaves the marker out.
    monkeypatch.setattr(Transaction, "_marker", lambda self: {"snapshotId": "another"})
    assert_refused(store, "marker", lambda txn: None)


@pytest.mark.requirement("STO.7")
def test_counts_that_are_not_those_of_the_data_are_refused(store: Store) -> None:
    publish(store, {"a.py": "walrus\n", "b.py": "otter\n" * 30})
    pointer = read_pointer(store.layout)
    with store.writer() as lease:
        mistaken = {"a.py": 1, "b.py": 1}
        with Transaction(
            store.layout, store.identity, store.active(), mistaken, cause="sync", txn_id=lease.txn_id
        ) as transaction:
            add(transaction, "c.py", "seal\n")
            with pytest.raises(PublishRefusedError):
                transaction.publish(lease, facts(transaction.live_paths))
    assert read_pointer(store.layout) == pointer


@pytest.mark.requirement("STO.7")
def test_a_file_taken_in_and_deleted_in_one_transaction_never_shows(store: Store) -> None:
    publish(store, {"a.py": "walrus\n"})
    with store.writer() as lease, begin(store, lease) as transaction:
        add(transaction, "b.py", "otter\n")
        with contextlib.suppress(CairnError):
            transaction.delete("b.py")
            transaction.publish(lease, facts(transaction.live_paths))
    with store.view() as view:
        assert contents(view) == {"a.py": "walrus\n"}
        assert audit(view) == []


@pytest.mark.requirement("STO.10")
@pytest.mark.parametrize(
    ("limit", "words"),
    [
        ("MAX_SEGMENTS_PER_SNAPSHOT", "3 segments in the snapshot, at most 2"),
        ("MAX_SEGMENTS_REFERENCED", "3 segments referenced by all snapshots, at most 2"),
        ("MAX_TOMBSTONES_PER_SNAPSHOT", "3 tombstones, at most 2"),
    ],
)
def test_a_publish_past_a_limit_is_refused(
    store: Store, monkeypatch: pytest.MonkeyPatch, limit: str, words: str
) -> None:
    publish(store, {"a.py": "walrus\n", "b.py": "x\n", "c.py": "x\n"})
    publish(store, {"b.py": None, "c.py": None})
    # The real limits would need thousands of files.
    monkeypatch.setattr(gates, limit, 2)
    pointer = read_pointer(store.layout)
    with pytest.raises(PublishRefusedError, match=words):
        publish(store, {"a.py": "otter\n"})
    assert read_pointer(store.layout) == pointer


@pytest.mark.slow
@pytest.mark.requirement("STO.10")
def test_steady_syncs_never_run_into_the_limit_of_referenced_segments(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CAIRN_RETAIN_AGE_MS", "0")
    monkeypatch.setattr(gates, "MAX_SEGMENTS_REFERENCED", 16)
    root = tmp_path / "root"
    write(root, "a.py", "start\n")
    with Codebase(str(root)) as codebase:
        for number in range(24):
            write(root, "a.py", f"version {number}\n")
            codebase.index(SyncOptions())
        with codebase.view() as view:
            assert contents(view) == {"a.py": "version 23\n"}


@pytest.mark.requirement("STO.8")
@pytest.mark.requirement("PUB.1")
def test_a_degraded_publish_lists_what_failed_and_why(store: Store) -> None:
    error = FileError("unreadable", "bad.py: Permission denied", "bad.py")
    with store.writer() as lease, begin(store, lease) as transaction:
        add(transaction, "a.py", "walrus\n")
        tree = facts(frozenset({"a.py", "bad.py"}), frozenset({"a.py", "bad.py"}), (error,))
        manifest = transaction.publish(lease, tree)
    document = json.loads(Path(store.layout.manifest(manifest.snapshot_id)).read_bytes())
    assert document["degraded"] is True
    assert document["errors"] == [{"code": "unreadable", "message": "bad.py: Permission denied", "path_key": "bad.py"}]


def with_row(ready: Prepared, **changes: object) -> Prepared:
    row: ChunkRow = replace(ready.rows[0], **changes)  # type: ignore[arg-type]
    return replace(ready, rows=[row, *ready.rows[1:]])


def with_vectors(ready: Prepared, vectors: Vectors) -> Prepared:
    return replace(ready, vectors=vectors)


def not_finite(ready: Prepared, value: float) -> Vectors:
    vectors = ready.vectors.copy()
    vectors[0, 3] = value
    return vectors


@pytest.mark.requirement("ROW.1")
@pytest.mark.parametrize(
    ("name", "spoil"),
    [
        ("the hash of another text", lambda r: with_row(r, chunk_hash="0" * 64)),
        ("another text", lambda r: with_row(r, text="changed")),
        ("a file hash that is none", lambda r: with_row(r, file_hash="abc")),
        ("the hash of another file", lambda r: with_row(r, file_hash="0" * 64)),
        ("another path", lambda r: with_row(r, path_key="other.py")),
        ("an empty folded path", lambda r: with_row(r, path_key_ci="")),
        ("an unknown kind", lambda r: with_row(r, kind="picture")),
        ("a wrong chunk id", lambda r: with_row(r, chunk_id="0" * 64)),
        ("a wrong row id", lambda r: with_row(r, row_id="0" * 64)),
        ("a wrong ordinal", lambda r: with_row(r, ordinal=1)),
        ("lines that end before they start", lambda r: with_row(r, start_line=9, end_line=2)),
        ("line zero", lambda r: with_row(r, start_line=0)),
        ("bytes that end before they start", lambda r: with_row(r, byte_start=9, byte_end=2)),
        ("rows in another order", lambda r: replace(r, rows=r.rows[::-1])),
        ("a row too few", lambda r: replace(r, rows=r.rows[:-1], vectors=r.vectors[:-1])),
        ("a vector too few", lambda r: with_vectors(r, r.vectors[:-1])),
        ("a wrong dimension", lambda r: with_vectors(r, np.zeros((len(r.rows), DIMENSION + 1), dtype=np.float32))),
        ("double precision", lambda r: with_vectors(r, r.vectors.astype(np.float64))),
        ("a vector with NaN", lambda r: with_vectors(r, not_finite(r, np.nan))),
        ("an infinite vector", lambda r: with_vectors(r, not_finite(r, np.inf))),
    ],
)
def test_rows_that_break_the_schema_are_refused(store: Store, name: str, spoil: Callable[[Prepared], Prepared]) -> None:
    ready = prepare("a.py", "walrus\n" * 20)
    assert len(ready.rows) > 1
    bad = spoil(ready)
    with (
        store.writer() as lease,
        begin(store, lease) as transaction,
        pytest.raises(InvalidRowError, match=r"a\.py"),
    ):
        bad.add_to(transaction)
    assert store.active() is None


@pytest.mark.requirement("ROW.1")
def test_the_same_file_twice_in_one_segment_is_refused(store: Store) -> None:
    with store.writer() as lease, begin(store, lease) as transaction:
        add(transaction, "a.py", "walrus\n")
        with pytest.raises(StorageError):
            add(transaction, "a.py", "otter\n")


@pytest.mark.parametrize("failing", ["lexical", "rows"])
def test_a_segment_whose_parts_can_not_all_be_written_is_no_segment(
    store: Store, monkeypatch: pytest.MonkeyPatch, failing: str
) -> None:
    monkeypatch.setattr(_segment, "MOST_ROWS", 0)
    threads = set(threading.enumerate())
    publish(store, {"a.py": "walrus\n"})
    before = store.active()

    def fail(_: object) -> None:
        raise ValueError("the disk is full")

    monkeypatch.setattr(LexicalWriter if failing == "lexical" else RowFileWriter, "close", fail)
    with pytest.raises(StorageError, match="the disk is full"):
        publish(store, {"b.py": "otter\n"})
    assert store.active() == before
    assert set(threading.enumerate()) <= threads


@pytest.mark.requirement("ROW.1")
def test_a_path_and_ordinal_is_live_only_once(store: Store) -> None:
    for text in ("walrus\n" * 20, "otter\n" * 30, "seal\n"):
        publish(store, {"a.py": text})
    with store.view() as view:
        places = [(row.path_key, row.ordinal) for file in view.files() for row in view.rows.of(file.path_key)]
        near = [
            (hit.row.path_key, hit.row.ordinal) for hit in view.vectors.nearest(np.ones(DIMENSION, np.float32), 100)
        ]
    assert places == near == [("a.py", 0)]


@pytest.mark.requirement("STO.5")
@pytest.mark.parametrize("point", ["publish.pointer_swapped", "publish.state_written"])
def test_an_interrupt_after_the_swap_takes_nothing_back(
    store: Store, monkeypatch: pytest.MonkeyPatch, point: str
) -> None:
    publish(store, {"a.py": "walrus\n"})

    def interrupt(reached: str) -> None:
        if reached == point:
            raise KeyboardInterrupt

    # A key press can't be timed: the crash point is where it comes.
    monkeypatch.setattr(faults, "reach", interrupt)
    with pytest.raises(KeyboardInterrupt):
        publish(store, {"a.py": "otter\n"})
    monkeypatch.undo()
    with store.view() as view:
        assert view.recovered == ""
        assert contents(view) == {"a.py": "otter\n"}


@pytest.mark.requirement("STO.5")
@pytest.mark.parametrize("point", [p for p in faults.POINTS if p.startswith(("segment.", "publish."))][:11])
def test_an_interrupt_before_the_swap_leaves_no_trace(
    store: Store, monkeypatch: pytest.MonkeyPatch, point: str
) -> None:
    publish(store, {"a.py": "walrus\n"})
    before = stored(store)

    def interrupt(reached: str) -> None:
        if reached == point:
            raise KeyboardInterrupt

    monkeypatch.setattr(faults, "reach", interrupt)
    with pytest.raises(KeyboardInterrupt):
        publish(store, {"a.py": "otter\n"})
    monkeypatch.undo()
    assert {name: data for name, data in stored(store).items() if not name.startswith("staging/")} == before


@pytest.mark.requirement("STO.9")
def test_a_state_file_that_can_not_be_written_stops_no_publish(store: Store) -> None:
    publish(store, {"a.py": "walrus\n"})
    os.unlink(store.layout.index_state)
    os.mkdir(store.layout.index_state)
    manifest = publish(store, {"a.py": "otter\n"})
    assert read_pointer(store.layout) == manifest.snapshot_id


@pytest.mark.requirement("STO.1")
@pytest.mark.requirement("STO.2")
@pytest.mark.parametrize("kind", StoreKind)
@pytest.mark.parametrize("umask", [0o000, 0o022, 0o077, 0o027])
def test_the_modes_are_those_of_the_kind_whatever_the_umask(tmp_path: Path, kind: StoreKind, umask: int) -> None:
    before = os.umask(umask)
    try:
        store = make_store(tmp_path, kind=kind)
        publish(store, {"a.py": "walrus\n"})
        publish(store, {"a.py": None, "b.py": "otter\n"})
        store.compact(terms_of, force=True)
        with store.view():
            pass
        store.collect(force=True)
        transaction = begin_staging(store)
    finally:
        os.umask(before)
    top = Path(store.layout.path)
    modes = modes_of(store.layout)
    assert {"ACTIVE_SNAPSHOT", "index_state.json", "locks/writer_lease.json", "locks/readers.lock"} <= set(modes)
    assert {"snapshots", "segments", "staging", "locks", "logs", "cache", "logs/sync.log.jsonl"} <= set(modes)
    wrong = {
        name: oct(mode)
        for name, mode in modes.items()
        if mode != (kind.folder_mode if (top / name).is_dir() else kind.file_mode)
        and not (name.startswith("staging/") and "seg_" in name)
    }
    transaction.abandon()
    assert wrong == {}


def begin_staging(store: Store) -> Transaction:
    with store.writer() as lease:
        return begin(store, lease)


def test_two_stores_of_one_home_know_nothing_of_each_other(tmp_path: Path) -> None:
    left, right = (make_store(tmp_path, who=identity(store_id=name)) for name in ("left", "right"))
    publish(left, {"a.py": "walrus\n"})
    assert right.active() is None
    shutil.rmtree(right.layout.path)
    with left.view() as view:
        assert contents(view) == {"a.py": "walrus\n"}
