"""Where things lie, and who may read them."""

import os
from pathlib import Path

import pytest

from cairn.base.errors import NotIndexedError, StoreRefusedError
from cairn.store import Store, StoreKind
from cairn.store.layout import create_layout, open_layout
from tests.store.samples import contents, identity, make_store, publish


@pytest.mark.requirement("STO.1")
def test_a_new_store_has_all_its_folders(tmp_path: Path) -> None:
    layout = create_layout(str(tmp_path / "data" / "store"), StoreKind.PRIVATE)
    assert sorted(os.listdir(layout.path)) == ["cache", "locks", "logs", "segments", "snapshots", "staging"]
    assert open_layout(layout.path) == layout


@pytest.mark.requirement("STO.1")
def test_a_published_store_has_its_files_in_their_places(tmp_path: Path) -> None:
    store = make_store(tmp_path)
    manifest = publish(store, {"a.py": "walrus\n"})
    top = Path(store.layout.path)
    assert top == tmp_path / "data" / "sample__store"
    assert (top / "ACTIVE_SNAPSHOT").read_text() == f"{manifest.snapshot_id}\n"
    assert (top / "index_state.json").is_file()
    assert (top / "snapshots" / manifest.snapshot_id / "manifest.json").is_file()
    assert (top / "snapshots" / manifest.snapshot_id / "segment_file_index.jsonl").is_file()
    assert (top / "locks" / "writer_lease.json").is_file()
    assert not (top / "locks" / "lease_guard.lock").exists()
    assert list((top / "staging").iterdir()) == []
    assert list((top / "segments").iterdir()) == [top / "segments" / f"seg_{manifest.snapshot_id}_0"]


@pytest.mark.requirement("STO.1")
def test_no_temporary_file_stays(tmp_path: Path) -> None:
    store = make_store(tmp_path)
    publish(store, {"a.py": "walrus\n"})
    with store.view():
        pass
    assert [path for path in tmp_path.rglob("*") if ".tmp-" in path.name or ".staged-" in path.name] == []


def test_what_is_no_store_is_none(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    (tmp_path / "folder").mkdir()
    for name in ("file", "folder", "nothing", "file/inside"):
        assert open_layout(str(tmp_path / name)) is None
    with pytest.raises(NotIndexedError):
        Store.open(str(tmp_path), identity())


@pytest.mark.requirement("STO.1")
@pytest.mark.parametrize("name", ["logs", "cache", "staging"])
def test_a_store_that_lost_an_empty_folder_is_still_indexed(tmp_path: Path, name: str) -> None:
    """Backups and clean-up tools drop such folders; the seed calls logs and cache optional."""
    store = make_store(tmp_path)
    publish(store, {"a.py": "walrus\n"})
    folder = Path(store.layout.path) / name
    for path in folder.iterdir():
        path.unlink()
    folder.rmdir()
    with Store.open(str(tmp_path), identity()).view() as view:
        assert contents(view) == {"a.py": "walrus\n"}


@pytest.mark.requirement("STO.2")
@pytest.mark.parametrize("mode", [0o755, 0o701, 0o777, 0o2775])
def test_a_store_that_everybody_can_read_is_refused(tmp_path: Path, mode: int) -> None:
    layout = create_layout(str(tmp_path / "store"), StoreKind.PRIVATE)
    os.chmod(layout.path, mode)
    with pytest.raises(StoreRefusedError, match=f"{mode:04o}"):
        open_layout(layout.path)
    with pytest.raises(StoreRefusedError):
        create_layout(layout.path, StoreKind.PRIVATE)


@pytest.mark.requirement("STO.2")
@pytest.mark.parametrize("kind", StoreKind)
def test_the_kind_is_told_by_the_folder(tmp_path: Path, kind: StoreKind) -> None:
    layout = create_layout(str(tmp_path / "store"), kind)
    found = open_layout(layout.path)
    assert found is not None
    assert found.kind is kind


def test_a_half_made_store_is_completed(tmp_path: Path) -> None:
    layout = create_layout(str(tmp_path / "store"), StoreKind.PRIVATE)
    os.rmdir(layout.staging)
    os.rmdir(layout.cache)
    create_layout(layout.path, StoreKind.PRIVATE)
    assert os.path.isdir(layout.staging)
    assert os.path.isdir(layout.cache)
