"""All stores of a home: listed at a glance, removed only when long unused."""

import os
import shutil
import time
from dataclasses import replace
from pathlib import Path

import pytest

from cairn.base.errors import BusyError
from cairn.store import Store, inventory
from cairn.store.inventory import list_stores, remove_store, remove_trash, unused
from cairn.store.used import touch_last_used
from tests.store.samples import identity, make_store, publish

DAY = 86_400


def named(home: Path, name: str, root: str = "/somewhere") -> Store:
    store = make_store(home, who=identity(store_id=name, root=root))
    publish(store, {"a.py": "walrus\n"})
    return store


def age(store: Store, days: float) -> None:
    top = Path(store.layout.path)
    then = time.time() - days * DAY
    for path in (top / "ACTIVE_SNAPSHOT", top / "cache" / "last_used", top):
        if path.exists():
            os.utime(path, (then, then))


@pytest.mark.slow
@pytest.mark.requirement("GC.3")
def test_each_store_is_listed_with_all_that_is_known(tmp_path: Path) -> None:
    before = time.time() - 1
    store = named(tmp_path, "one")
    named(tmp_path, "two", root="/elsewhere")
    (tmp_path / "data" / "not a store").mkdir()
    (tmp_path / "data" / "file").write_text("x")
    one, two = list_stores(str(tmp_path))
    active = store.active()
    assert active is not None
    assert (one.store_id, one.canonical_root, one.config_fingerprint) == ("one", "/somewhere", "f" * 64)
    assert one.active_snapshot_id == active.snapshot_id
    files = [path for path in Path(store.layout.path).rglob("*") if path.is_file()]
    assert one.size_bytes == sum(path.stat().st_size for path in files)
    assert before < one.created_at < time.time() + 1
    assert before < one.last_used_at < time.time() + 1
    assert two.canonical_root == "/elsewhere"


@pytest.mark.slow
@pytest.mark.requirement("GC.3")
def test_the_scan_is_one_level_deep(tmp_path: Path) -> None:
    store = named(tmp_path, "one")
    nested = Path(store.layout.cache) / "data"
    make_store(nested.parent, who=identity(store_id="nested"))
    assert [info.store_id for info in list_stores(str(tmp_path))] == ["one"]
    assert list_stores(str(tmp_path / "nothing")) == []


@pytest.mark.slow
@pytest.mark.requirement("GC.3")
def test_the_time_of_creation_does_not_move(tmp_path: Path) -> None:
    store = named(tmp_path, "one")
    (first,) = list_stores(str(tmp_path))
    for number in range(3):
        publish(store, {"a.py": f"version {number}\n"})
    (later,) = list_stores(str(tmp_path))
    assert later.created_at == first.created_at


@pytest.mark.slow
@pytest.mark.requirement("GC.3")
@pytest.mark.requirement("STO.9")
def test_a_store_without_its_state_file_is_listed_all_the_same(tmp_path: Path) -> None:
    store = named(tmp_path, "one")
    os.unlink(store.layout.index_state)
    (info,) = list_stores(str(tmp_path))
    assert (info.canonical_root, info.config_fingerprint) == ("/somewhere", "f" * 64)


@pytest.mark.requirement("GC.3")
def test_a_store_that_can_not_be_read_is_listed_by_its_name(tmp_path: Path) -> None:
    store = named(tmp_path, "one")
    os.chmod(store.layout.path, 0o755)
    (info,) = list_stores(str(tmp_path))
    assert (info.store_id, info.canonical_root, info.active_snapshot_id) == ("one", "", None)


@pytest.mark.slow
@pytest.mark.requirement("GC.3")
def test_only_what_is_unused_for_30_days_may_go(tmp_path: Path) -> None:
    for name, days in (("old", 31.0), ("fresh", 29.0), ("mine", 90.0)):
        age(named(tmp_path, name, root=f"/{name}"), days)
    stores = list_stores(str(tmp_path))
    now = time.time()
    assert [info.store_id for info in unused(stores, "/mine", now, force=False)] == ["old"]
    assert [info.store_id for info in unused(stores, "/mine", now, force=True)] == ["mine", "old"]


@pytest.mark.requirement("GC.3")
def test_a_use_is_noted_at_most_once_an_hour(tmp_path: Path) -> None:
    store = named(tmp_path, "one")
    age(store, 40)
    touch_last_used(store.layout)
    note = Path(store.layout.cache) / "last_used"
    (info,) = list_stores(str(tmp_path))
    assert time.time() - info.last_used_at < 60
    recent = note.stat().st_mtime - 1800
    os.utime(note, (recent, recent))
    before = note.stat()
    touch_last_used(store.layout)
    assert note.stat().st_mtime_ns == before.st_mtime_ns
    assert note.stat().st_ctime_ns == before.st_ctime_ns
    os.utime(note, (recent - 3600, recent - 3600))
    touch_last_used(store.layout)
    assert time.time() - note.stat().st_mtime < 60


@pytest.mark.requirement("GC.3")
def test_noting_a_use_where_that_is_impossible_stops_nothing(tmp_path: Path) -> None:
    store = named(tmp_path, "one")
    shutil.rmtree(store.layout.cache)
    touch_last_used(store.layout)
    assert not os.path.exists(store.layout.cache)


@pytest.mark.slow
@pytest.mark.requirement("GC.3")
def test_a_removed_store_is_gone_as_a_whole(tmp_path: Path) -> None:
    named(tmp_path, "one")
    named(tmp_path, "two")
    assert remove_store(str(tmp_path), "one")
    assert not remove_store(str(tmp_path), "one")
    assert [info.store_id for info in list_stores(str(tmp_path))] == ["two"]
    assert sorted(os.listdir(tmp_path)) == ["data"]


@pytest.mark.slow
@pytest.mark.requirement("IDX.MUST.004")
def test_a_store_in_use_is_not_removed(tmp_path: Path) -> None:
    store = named(tmp_path, "one")
    with store.view(), pytest.raises(BusyError):
        remove_store(str(tmp_path), "one")
    with store.writer(), pytest.raises(BusyError):
        remove_store(str(tmp_path), "one")
    publish(store, {"b.py": "otter\n"})
    assert remove_store(str(tmp_path), "one")


def test_what_an_interrupted_removal_left_is_cleaned_up(tmp_path: Path) -> None:
    (tmp_path / "cairn-trash-one-x" / "deep").mkdir(parents=True)
    (tmp_path / "data").mkdir()
    assert remove_trash(str(tmp_path)) == 1
    assert os.listdir(tmp_path) == ["data"]
    assert remove_trash(str(tmp_path / "nothing")) == 0


@pytest.mark.requirement("GC.3")
def test_a_store_whose_root_is_unknown_may_be_the_current_ones(tmp_path: Path) -> None:
    store = named(tmp_path, "one", root="/mine")
    age(store, 90)
    (info,) = list_stores(str(tmp_path))
    unreadable = replace(info, canonical_root="")
    assert unused([unreadable], "/mine", time.time(), force=False) == []
    assert inventory.UNUSED_DAYS == 30
