"""Finding the snapshot that counts when the pointer can't say it."""

import os
from pathlib import Path

import pytest

from cairn.base.errors import CorruptStoreError, NotIndexedError
from cairn.base.ulid import new_ulid
from cairn.store import Store
from cairn.store.integrity import Verifier
from cairn.store.recovery import find_active, newest_first, read_pointer
from tests.store.samples import contents, make_store, publish


@pytest.fixture
def store(tmp_path: Path) -> Store:
    made = make_store(tmp_path)
    for text in ("first\n", "second\n", "third\n"):
        publish(made, {"a.py": text})
    return made


def spoil_newest(store: Store, count: int = 1) -> None:
    for manifest in list(newest_first(store.layout))[:count]:
        os.truncate(os.path.join(store.layout.segment(manifest.segments[-1].segment_id), "vectors.npy"), 1)


POINTERS = [None, b"", b"\n", b"garbage\n", b"\xff" * 27, b"01ARZ3NDEKTSV4RRFFQ69G5FAV\n", b"../../../etc/passwd\n"]


@pytest.mark.requirement("STO.6")
@pytest.mark.parametrize("pointer", POINTERS)
def test_the_newest_whole_snapshot_stands_in_for_a_lost_pointer(store: Store, pointer: bytes | None) -> None:
    os.unlink(store.layout.pointer)
    if pointer is not None:
        Path(store.layout.pointer).write_bytes(pointer)
    with store.view() as view:
        assert "ACTIVE_SNAPSHOT" in view.recovered
        assert contents(view) == {"a.py": "third\n"}
    spoil_newest(store)
    with store.view() as view:
        assert contents(view) == {"a.py": "second\n"}


@pytest.mark.requirement("STO.6")
def test_no_whole_snapshot_is_a_corrupt_store(store: Store) -> None:
    os.unlink(store.layout.pointer)
    spoil_newest(store, 3)
    with pytest.raises(CorruptStoreError, match="The store is corrupt"):
        store.view()
    for name in os.listdir(store.layout.snapshots):
        os.truncate(store.layout.manifest(name), 0)
    with pytest.raises(CorruptStoreError, match="The store is corrupt"):
        store.view()


@pytest.mark.requirement("STO.6")
def test_an_empty_store_is_not_a_corrupt_one(tmp_path: Path) -> None:
    empty = make_store(tmp_path / "other")
    with pytest.raises(NotIndexedError):
        find_active(empty.layout, Verifier(empty.layout))
    assert empty.active() is None


@pytest.mark.requirement("STO.6")
def test_a_good_pointer_is_believed_though_newer_snapshots_lie_about(store: Store) -> None:
    manifests = list(newest_first(store.layout))
    Path(store.layout.pointer).write_text(f"{manifests[1].snapshot_id}\n")
    with store.view() as view:
        assert view.recovered == ""
        assert contents(view) == {"a.py": "second\n"}


@pytest.mark.requirement("STO.6")
def test_a_damaged_active_snapshot_is_an_error_and_no_silent_step_back(store: Store) -> None:
    spoil_newest(store)
    with pytest.raises(CorruptStoreError):
        store.view()


def test_the_epoch_comes_before_the_id(store: Store) -> None:
    found = list(newest_first(store.layout))
    assert [manifest.lease_epoch for manifest in found] == [3, 2, 1]
    assert [manifest.order for manifest in found] == sorted((m.order for m in found), reverse=True)
    assert (2, new_ulid()) < found[0].order


def test_what_is_no_snapshot_is_passed_over(store: Store) -> None:
    top = Path(store.layout.snapshots)
    (top / "notes").mkdir()
    (top / new_ulid()).mkdir()
    (top / "file").write_text("x")
    assert len(list(newest_first(store.layout))) == 3


def test_a_manifest_in_the_wrong_folder_is_not_believed(store: Store) -> None:
    first, second, *_ = newest_first(store.layout)
    data = Path(store.layout.manifest(second.snapshot_id)).read_bytes()
    Path(store.layout.manifest(first.snapshot_id)).write_bytes(data)
    with pytest.raises(CorruptStoreError, match=second.snapshot_id):
        store.view()


@pytest.mark.requirement("STO.9")
def test_losing_the_state_file_loses_nothing(store: Store) -> None:
    before = Path(store.layout.index_state).read_bytes()
    os.unlink(store.layout.index_state)
    with store.view() as view:
        assert contents(view) == {"a.py": "third\n"}
    active = store.active()
    assert active is not None
    with store.writer() as lease:
        store.point_to(lease, active)
    assert Path(store.layout.index_state).read_bytes() == before
    assert read_pointer(store.layout) == active.snapshot_id
