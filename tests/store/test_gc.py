"""Garbage: what is past its time goes, what anything still needs stays."""

import contextlib
import json
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from cairn.base import durable
from cairn.base.errors import BusyError, CairnError
from cairn.base.ulid import new_ulid
from cairn.indexing.terms import terms_of
from cairn.store import SnapshotView, Store, gc
from cairn.store.damage import assess
from cairn.store.gc import plan_gc, retained
from cairn.store.readers import exclusive_readers
from cairn.store.staging import STAGING_TTL_S, Staging
from tests.store.samples import contents, make_store, publish, snapshot_of


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return make_store(tmp_path)


def snapshots(store: Store) -> list[str]:
    return sorted(os.listdir(store.layout.snapshots))


def garbage(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """A store in which a forced collection finds snapshots, segments and staging to delete."""
    monkeypatch.setenv("CAIRN_RETAIN_SNAPSHOTS", "1")
    publish(store, {"a.py": "walrus\n", "b.py": "otter\n"})
    publish(store, {"a.py": "seal\n"})
    store.compact(terms_of, force=True)
    shutil.copytree(store.layout.locks, os.path.join(store.layout.staging, "trash-old"))


@pytest.mark.slow
@pytest.mark.requirement("GC.1")
def test_five_snapshots_and_all_young_ones_stay(store: Store) -> None:
    published = [publish(store, {"a.py": f"version {n}\n"}) for n in range(8)]
    names = [manifest.snapshot_id for manifest in published]
    newest = list(reversed(published))
    now = time.time() * 1000
    assert retained(newest, names[-1], now, force=False) == set(names)
    assert retained(newest, names[-1], now + 9 * 60_000, force=False) == set(names)
    assert retained(newest, names[-1], now + 11 * 60_000, force=False) == set(names[-5:])
    assert retained(newest, names[-1], now, force=True) == set(names[-5:])
    assert retained(newest, names[0], now, force=True) == {names[0], *names[-5:]}


@pytest.mark.requirement("GC.1")
def test_the_environment_can_only_lower_what_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CAIRN_RETAIN_SNAPSHOTS", "50")
    monkeypatch.setenv("CAIRN_RETAIN_AGE_MS", "99999999")
    assert gc.retention() == (5, 600_000)
    monkeypatch.setenv("CAIRN_RETAIN_SNAPSHOTS", "0")
    monkeypatch.setenv("CAIRN_RETAIN_AGE_MS", "-5")
    assert gc.retention() == (1, 0)
    monkeypatch.setenv("CAIRN_RETAIN_SNAPSHOTS", "many")
    assert gc.retention()[0] == 5


@pytest.mark.slow
@pytest.mark.requirement("GC.1")
def test_every_snapshot_that_stays_can_still_be_read(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CAIRN_RETAIN_SNAPSHOTS", "2")
    for number in range(5):
        publish(store, {"a.py": f"version {number}\n", f"{number}.py": "walrus\n"})
        publish(store, {f"{number}.py": None})
    plan = store.collect(force=True)
    assert len(plan.snapshots) == 8
    assert plan.segments == ()
    kept = [name for name in snapshots(store) if os.path.exists(store.layout.manifest(name))]
    assert len(kept) == 2
    for name in kept:
        with SnapshotView(store.layout, snapshot_id=name, fresh=True) as view:
            assert contents(view)["a.py"] == "version 4\n"
    with store.view(fresh=True) as view:
        assert contents(view) == {"a.py": "version 4\n"}


@pytest.mark.requirement("GC.1")
def test_tombstone_files_outlive_their_snapshot_until_nothing_needs_them(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CAIRN_RETAIN_SNAPSHOTS", "1")
    publish(store, {"a.py": "walrus\n", "b.py": "otter\n"})
    hides = publish(store, {"a.py": None})
    publish(store, {"c.py": "seal\n"})
    store.collect(force=True)
    folder = Path(store.layout.snapshot(hides.snapshot_id))
    assert sorted(path.name for path in folder.iterdir()) == ["tombstones.jsonl"]
    with store.view(fresh=True) as view:
        assert contents(view) == {"b.py": "otter\n", "c.py": "seal\n"}
    store.compact(terms_of, force=True)
    store.collect(force=True)
    assert not folder.exists()
    assert len(snapshots(store)) == len(os.listdir(store.layout.segments)) == 1
    with store.view(fresh=True) as view:
        assert contents(view) == {"b.py": "otter\n", "c.py": "seal\n"}
    assert not store.collect(force=True)


@pytest.mark.requirement("IDX.MUST.004")
def test_nothing_is_deleted_while_another_process_holds_the_lease(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    garbage(store, monkeypatch)
    code = (
        "import sys\nfrom cairn.store.layout import open_layout\nfrom cairn.store.lease import WriterLease\n"
        "with WriterLease.acquire(open_layout(sys.argv[1])):\n    print('held', flush=True)\n    sys.stdin.read()\n"
    )
    command = (sys.executable, "-c", code, store.layout.path)
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "held\n"
        before = snapshot_of(Path(store.layout.path))
        with pytest.raises(BusyError):
            store.collect(force=True)
        after = snapshot_of(Path(store.layout.path))
        child.communicate()
    assert before.keys() == after.keys()
    assert store.collect(force=True)


@pytest.mark.requirement("IDX.MUST.004")
def test_a_collector_that_lost_its_lease_stops(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    garbage(store, monkeypatch)
    with store.writer() as lease:
        document = json.loads(Path(store.layout.lease).read_bytes())
        Path(store.layout.lease).write_text(json.dumps(document | {"owner_id": new_ulid()}))
        before = snapshot_of(Path(store.layout.path))
        with pytest.raises(BusyError, match="taken over"):
            gc.collect(store.layout, lease, force=True)
        assert snapshot_of(Path(store.layout.path)).keys() == before.keys()


@pytest.mark.requirement("GC.1")
def test_a_plan_touches_nothing(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    garbage(store, monkeypatch)
    before = snapshot_of(Path(store.layout.path))
    plan = plan_gc(store.layout, leased_txn="", force=True)
    assert plan.snapshots
    assert plan.segments
    assert plan.staging == ("trash-old",)
    assert snapshot_of(Path(store.layout.path)) == before
    store.collect(force=True)
    assert not plan_gc(store.layout, leased_txn="", force=True)


@pytest.mark.requirement("GC.1")
@pytest.mark.requirement("EVO.2")
@pytest.mark.parametrize("harm", ["future", "flipped", "missing"])
def test_nothing_is_collected_when_the_active_manifest_can_not_be_read(
    store: Store, monkeypatch: pytest.MonkeyPatch, harm: str
) -> None:
    """What it references is unknown then, so any segment may be one of them."""
    monkeypatch.setenv("CAIRN_RETAIN_SNAPSHOTS", "1")
    publish(store, {"a.py": "walrus\n"})
    manifest = publish(store, {"b.py": "otter\n"})
    path = Path(store.layout.manifest(manifest.snapshot_id))
    text = path.read_text()
    if harm == "future":
        path.write_text(text.replace('"schema_version": 2', '"schema_version": 3', 1))
    elif harm == "flipped":
        path.write_text(text.replace("otter", "otteR").replace('"lease_epoch": 2', '"lease_epoch": 3'))
    else:
        path.rename(path.with_suffix(".away"))
    before = set(os.listdir(store.layout.segments))
    with contextlib.suppress(CairnError):
        store.collect(force=True)
    assert set(os.listdir(store.layout.segments)) == before


def staging(store: Store, owner: dict[str, object] | None, *, age_s: float = 0) -> str:
    """A staging folder with an owner file of our choice."""
    made = Staging(store.layout, new_ulid())
    path = Path(made.path)
    if owner is not None:
        document = json.loads((path / "owner.json").read_bytes())
        (path / "owner.json").write_text(json.dumps(document | owner))
    (path / "seg").mkdir()
    os.utime(path, (time.time() - age_s,) * 2)
    return path.name


@pytest.mark.requirement("GC.4")
def test_staging_of_the_dead_goes_and_of_the_living_stays(store: Store) -> None:
    publish(store, {"a.py": "walrus\n"})
    alive = staging(store, None)
    long_at_work = staging(store, None, age_s=STAGING_TTL_S + 60)
    dead = staging(store, {"process_started": "1"})
    elsewhere = staging(store, {"boot_id": "another machine"})
    old_elsewhere = staging(store, {"boot_id": "another machine"}, age_s=STAGING_TTL_S + 60)
    store.collect()
    left = set(os.listdir(store.layout.staging))
    assert alive in left
    assert elsewhere in left
    assert dead not in left
    assert old_elsewhere not in left
    assert long_at_work in left


@pytest.mark.requirement("GC.4")
def test_staging_of_the_leased_transaction_stays_whatever_its_age(store: Store) -> None:
    with store.writer() as lease:
        made = Staging(store.layout, lease.txn_id)
        (Path(made.path) / "owner.json").unlink()
        os.utime(made.path, (0, 0))
        gc.collect(store.layout, lease, force=True)
        assert os.listdir(store.layout.staging) == [lease.txn_id]


@pytest.mark.requirement("GC.4")
def test_markers_go_with_their_snapshots(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    garbage(store, monkeypatch)
    store.collect(force=True)
    data = b"".join(snapshot_of(Path(store.layout.segments)).values())
    assert set(re.findall(rb'"snapshotId": "(\w+)"', data)) == {snapshots(store)[-1].encode()}


@pytest.mark.requirement("GC.1")
def test_what_nobody_made_does_not_stop_a_collection(store: Store) -> None:
    publish(store, {"a.py": "walrus\n"})
    (Path(store.layout.snapshots) / "notes.txt").write_text("mine")
    (Path(store.layout.segments) / "seg_half").mkdir()
    store.collect(force=True)
    assert not assess(store.layout)
    assert not (Path(store.layout.segments) / "seg_half").exists()


@pytest.mark.requirement("GC.1")
@pytest.mark.parametrize("kind", ["folder", "file", "link", "pipe"])
def test_damage_in_what_is_collected_goes_with_it_and_nothing_outside_does(
    store: Store, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, kind: str
) -> None:
    garbage(store, monkeypatch)
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "precious").touch()
    plan = plan_gc(store.layout, leased_txn="", force=True)
    first, *others = (store.layout.snapshot(name) for name in plan.snapshots)
    damaged = [os.path.join(others[0], os.listdir(others[0])[0]), first, store.layout.segment(plan.segments[0])]
    damaged.append(os.path.join(store.layout.staging, "trash-strange"))
    for path in damaged:
        durable.remove(path)
        match kind:
            case "folder":
                shutil.copytree(outside, path)
            case "file":
                Path(path).touch()
            case "link":
                os.symlink(outside, path)
            case "pipe":
                os.mkfifo(path)
    store.collect(force=True)
    assert len(snapshots(store)) == 1
    assert os.listdir(store.layout.staging) == []
    assert os.listdir(outside) == ["precious"]
    assert not assess(store.layout)


@pytest.mark.requirement("IDX.MUST.005")
def test_a_reader_does_not_wait_for_ever_for_a_collection_that_hangs(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    publish(store, {"a.py": "walrus\n"})
    monkeypatch.setattr("cairn.store.readers._WAIT_S", 0.05)
    with exclusive_readers(store.layout), pytest.raises(BusyError):
        store.view()
    with store.view() as view:
        assert view.rows.file("a.py") is not None
