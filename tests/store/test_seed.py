"""A store that starts from a sibling's: what is shared, what is not, and what is no source at all."""

import errno
import json
import os
import shutil
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from cairn.base import durable
from cairn.base.errors import BusyError, CorruptStoreError, PublishRefusedError, StorageError
from cairn.indexing.terms import terms_of
from cairn.store import GitInfo, Manifest, Store, StoreKind, Transaction, _segment, integrity, readers
from cairn.store.audit import audit
from cairn.store.digest import Digest, digest_file
from cairn.store.health import Level, check_store
from cairn.store.inventory import remove_store
from cairn.store.lease import WriterLease
from cairn.store.recovery import newest_first, read_pointer
from cairn.store.seed import Seed, Siblings, plant
from tests.notes import sentences
from tests.store.samples import FINGERPRINT, add, answers, contents, facts, identity, make_store, modes_of, publish

HEAD = "a" * 40
OURS = identity(root="/new", store_id="new__store")
BEFORE = {"a.py": "walrus = 1\n", "b.py": "otter = 2\n", "c.py": "heron = 3\n"}
QUERIES = ("walrus", "otter", "heron", "ibis")


def store_of(home: Path, name: str, **settings: str) -> Store:
    return make_store(home, who=identity(root=f"/{name}", store_id=f"{name}__store", **settings))


@pytest.fixture(autouse=True)
def settled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Stamps count at once: what a real store has behind it is time."""
    monkeypatch.setattr(integrity, "_SETTLED_NS", -60_000_000_000)


@pytest.fixture
def sibling(tmp_path: Path) -> Store:
    """Two segments, with a tombstone in the second snapshot."""
    made = store_of(tmp_path, "old")
    publish(made, BEFORE | {"a.py": "walrus = 0\n", "gone.py": "gone = 1\n"})
    publish(made, {"a.py": BEFORE["a.py"], "gone.py": None})
    return made


@pytest.fixture
def new(tmp_path: Path) -> Store:
    return make_store(tmp_path, who=OURS)


def siblings(*stores: Store, head: str | None = None) -> Siblings:
    return Siblings(tuple(store.layout.path for store in stores), head)


def planted(new: Store, *stores: Store, head: str | None = None) -> Seed:
    found, notes = plant(new.layout, OURS, siblings(*stores, head=head))
    assert found is not None
    assert notes == ()
    return found


def grow(new: Store, found: Seed, lease: WriterLease, change: Mapping[str, str | None]) -> Manifest:
    """Publish the first snapshot on top of a seed."""
    live = {file.path_key: file.chunks for file in found.view.files()}
    transaction = Transaction(
        new.layout, new.identity, found.view.manifest, live, cause="seed", txn_id=lease.txn_id, keep=found.view.segments
    )
    with transaction:
        for path, text in change.items():
            if text is None:
                transaction.delete(path)
            else:
                add(transaction, path, text)
        found.place()
        return transaction.publish(lease, facts(transaction.live_paths, frozenset(change)))


def start(new: Store, *stores: Store, change: Mapping[str, str | None] | None = None) -> Manifest:
    with new.writer() as lease:
        found = planted(new, *stores)
        try:
            return grow(new, found, lease, change or {})
        finally:
            found.close(lease)


def read(store: Store, *, fresh: bool = False) -> dict[str, str]:
    with store.view(fresh=fresh) as view:
        assert audit(view) == []
        return contents(view)


def assert_sound(store: Store) -> None:
    assert [check for check in check_store(store.layout) if check.level is not Level.OK] == []


def files_of(store: Store) -> dict[str, os.stat_result]:
    """The artifacts of the active snapshot, without Tantivy's locks."""
    manifest = store.active()
    assert manifest is not None
    top = Path(store.layout.path)
    paths = [top / name for name, _ in integrity.artifacts(manifest)]
    return {
        str(path.relative_to(top)): path.stat()
        for place in paths
        for path in ((place,) if place.is_file() else place.rglob("*"))
        if path.is_file() and not path.name.endswith(".lock")
    }


def hashed(act: Callable[[], object], monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Which files are read in order to check them."""
    seen: list[str] = []

    def watching(path: str) -> Digest:
        seen.append(path)
        return digest_file(path)

    with monkeypatch.context() as patch:
        patch.setattr(integrity, "digest_file", watching)
        act()
    return seen


def flip_a_byte(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)


@pytest.mark.slow
@pytest.mark.requirement("WT.1")
def test_the_first_snapshot_shows_what_the_sibling_has_and_what_differs(sibling: Store, new: Store) -> None:
    manifest = start(new, sibling, change={"b.py": "ibis = 4\n", "c.py": None, "d.py": "ibis = 5\n"})
    source = sibling.active()
    assert source is not None
    assert read(new, fresh=True) == {"a.py": BEFORE["a.py"], "b.py": "ibis = 4\n", "d.py": "ibis = 5\n"}
    assert (manifest.cause, manifest.parent_snapshot_id) == ("seed", source.snapshot_id)
    assert (manifest.store_id, manifest.canonical_root) == (OURS.store_id, OURS.canonical_root)
    assert_sound(new)
    assert read(sibling, fresh=True) == BEFORE
    assert_sound(sibling)


@pytest.mark.slow
@pytest.mark.requirement("WT.1")
def test_a_seeded_store_answers_like_one_that_was_made_from_nothing(tmp_path: Path, sibling: Store, new: Store) -> None:
    change = {"b.py": "ibis = 4\nwalrus(ibis)\n", "c.py": None, "d.py": "ibis = 5\n"}
    start(new, sibling, change=change)
    plain = store_of(tmp_path, "plain")
    publish(plain, {path: text for path, text in (BEFORE | change).items() if text is not None})
    with new.view() as seeded, plain.view() as whole:
        assert answers(seeded, *QUERIES) == answers(whole, *QUERIES)
        assert any(answers(whole, *QUERIES))


@pytest.mark.requirement("WT.1")
def test_what_is_taken_over_is_linked_and_tantivys_locks_are_not(
    sibling: Store, new: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_segment, "MOST_ROWS", 0)
    assert sibling.compact(terms_of, force=True)
    start(new, sibling)
    theirs, ours = files_of(sibling), files_of(new)
    assert len(theirs) > 10
    assert {name: (ours[name].st_dev, ours[name].st_ino) for name in theirs} == {
        name: (found.st_dev, found.st_ino) for name, found in theirs.items()
    }
    locks = list(Path(new.layout.segments).rglob(".tantivy-*.lock"))
    assert locks
    assert {path.stat().st_nlink for path in locks} == {1}


@pytest.mark.requirement("WT.1")
@pytest.mark.parametrize("number", [errno.EXDEV, errno.EPERM, errno.EMLINK])
def test_where_nothing_can_be_linked_it_is_copied(
    sibling: Store, new: Store, number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, "link", refuse)
    old_umask = os.umask(0o077)
    try:
        os.umask(0o000)
        start(new, sibling, change={"b.py": "ibis = 4\n"})
    finally:
        os.umask(old_umask)
    assert {found.st_nlink for found in files_of(new).values()} == {1}
    assert read(new, fresh=True) == BEFORE | {"b.py": "ibis = 4\n"}
    assert set(modes_of(new.layout).values()) == {0o700, 0o600}
    assert_sound(new)


@pytest.mark.requirement("WT.1")
def test_a_copy_that_went_wrong_is_noticed(sibling: Store, new: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(errno.EXDEV, os.strerror(errno.EXDEV))

    def torn(source: object, target: object) -> None:
        target.write(b"half")  # type: ignore[attr-defined]

    monkeypatch.setattr(os, "link", refuse)
    monkeypatch.setattr(shutil, "copyfileobj", torn)
    found, notes = plant(new.layout, OURS, siblings(sibling))
    assert found is None
    assert len(notes) == 2
    assert all("damaged" in note for note in sentences(notes))
    assert os.listdir(new.layout.staging) == []


@pytest.mark.requirement("WT.1")
def test_a_link_that_is_refused_for_another_reason_is_noted_and_leaves_nothing(
    sibling: Store, new: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "link", refuse)
    found, notes = plant(new.layout, OURS, siblings(sibling))
    assert found is None
    assert len(notes) == 1
    assert "/old" in sentences(notes)[0]
    assert "No space left" in sentences(notes)[0]
    assert os.listdir(new.layout.staging) == []
    sibling.collect()


@pytest.mark.slow
@pytest.mark.requirement("WT.1")
@pytest.mark.parametrize("removed", ["sibling", "new"])
def test_removing_either_store_leaves_the_other_whole(tmp_path: Path, sibling: Store, new: Store, removed: str) -> None:
    start(new, sibling, change={"b.py": "ibis = 4\n"})
    gone, left = (sibling, new) if removed == "sibling" else (new, sibling)
    expected = read(left)
    assert remove_store(str(tmp_path), gone.identity.store_id)
    assert read(left, fresh=True) == expected
    assert_sound(left)
    publish(left, {"e.py": "ibis = 6\n"})
    assert read(left) == expected | {"e.py": "ibis = 6\n"}


@pytest.mark.slow
@pytest.mark.requirement("WT.1")
def test_collections_and_compactions_of_one_leave_the_other_alone(
    sibling: Store, new: Store, monkeypatch: pytest.MonkeyPatch
) -> None:

    monkeypatch.setenv("CAIRN_RETAIN_SNAPSHOTS", "1")
    monkeypatch.setenv("CAIRN_RETAIN_AGE_MS", "0")
    start(new, sibling, change={"b.py": "ibis = 4\n"})
    for store, other in ((sibling, new), (new, sibling)):
        expected = read(other)
        assert store.compact(terms_of, force=True) is not None
        assert store.collect(force=True).segments
        assert read(other, fresh=True) == expected
        assert_sound(other)
        assert_sound(store)


@pytest.mark.requirement("WT.1")
def test_neither_side_hashes_again_what_was_linked(sibling: Store, new: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    def look(store: Store) -> list[str]:
        return hashed(lambda: store.view().close(), monkeypatch)

    sibling.view().close()
    assert look(sibling) == []
    shared = [f"{os.sep}{name}" for name in files_of(sibling)]
    read_by_the_publish = hashed(lambda: start(new, sibling, change={"b.py": "ibis = 4\n"}), monkeypatch)
    assert read_by_the_publish
    assert not [path for path in read_by_the_publish if path.endswith(tuple(shared))]
    assert look(sibling) == []
    assert look(new) == []


@pytest.mark.requirement("WT.1")
@pytest.mark.requirement("IDX.MUST.006")
def test_a_write_between_the_look_at_the_sibling_and_the_links_is_noticed(
    sibling: Store, new: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    sibling.view().close()
    active = sibling.active()
    assert active is not None
    victim = Path(sibling.layout.segment(active.segments[-1].segment_id), "vectors.npy")
    link_all = Seed._link_all

    def late(found: Seed) -> None:
        flip_a_byte(victim)
        monkeypatch.setattr(Seed, "_link_all", link_all)
        link_all(found)

    monkeypatch.setattr(Seed, "_link_all", late)
    found, notes = plant(new.layout, OURS, siblings(sibling))
    assert found is not None
    with new.writer() as lease:
        assert found.view.snapshot_id == active.parent_snapshot_id
        found.close(lease)
    assert len(notes) == 1
    assert active.snapshot_id in sentences(notes)[0]
    assert "is damaged" in sentences(notes)[0]


@pytest.mark.requirement("WT.1")
@pytest.mark.requirement("IDX.MUST.006")
def test_the_newest_whole_snapshot_of_a_damaged_sibling_is_taken(sibling: Store, new: Store) -> None:
    active = sibling.active()
    assert active is not None
    flip_a_byte(Path(sibling.layout.segment(active.segments[-1].segment_id), "rows.sqlite"))
    with new.writer() as lease:
        found, notes = plant(new.layout, OURS, siblings(sibling))
        assert found is not None
        assert len(notes) == 1
        grow(new, found, lease, {"gone.py": None})
        found.close(lease)
    assert read(new, fresh=True) == BEFORE | {"a.py": "walrus = 0\n"}
    flip_a_byte(Path(sibling.layout.segment(active.segments[0].segment_id), "rows.sqlite"))
    again, notes = plant(new.layout, OURS, siblings(sibling))
    assert again is None
    assert len(notes) == 2


def _without_pointer(store: Store) -> None:
    os.unlink(store.layout.pointer)


def _being_made_for_the_first_time(store: Store) -> None:
    os.unlink(store.layout.pointer)
    os.unlink(store.layout.index_state)


def _removed(store: Store) -> None:
    shutil.rmtree(store.layout.path)


@pytest.mark.slow
@pytest.mark.requirement("WT.1")
@pytest.mark.parametrize("spoil", [_without_pointer, _being_made_for_the_first_time, _removed])
def test_what_is_not_published_or_not_there_is_no_source(sibling: Store, new: Store, spoil: object) -> None:
    assert callable(spoil)
    spoil(sibling)
    assert plant(new.layout, OURS, siblings(sibling)) == (None, ())


@pytest.mark.requirement("WT.1")
def test_a_store_with_other_settings_is_no_source(tmp_path: Path, new: Store) -> None:
    other = store_of(tmp_path, "other", fingerprint=FINGERPRINT[:-1] + "e")
    publish(other, BEFORE)
    assert plant(new.layout, OURS, siblings(other)) == (None, ())


@pytest.mark.requirement("WT.1")
def test_a_shared_store_is_no_source(tmp_path: Path, new: Store) -> None:
    shared = make_store(tmp_path, kind=StoreKind.SHARED, who=identity(root="/old", store_id="old__store"))
    publish(shared, BEFORE)
    assert plant(new.layout, OURS, siblings(shared)) == (None, ())


@pytest.mark.requirement("WT.1")
def test_a_damaged_manifest_is_noted(sibling: Store, new: Store) -> None:
    active = sibling.active()
    assert active is not None
    Path(sibling.layout.manifest(active.snapshot_id)).write_text("{}")
    found, notes = plant(new.layout, OURS, siblings(sibling))
    assert found is None
    assert len(notes) == 1
    assert sibling.layout.path in sentences(notes)[0]


@pytest.mark.slow
@pytest.mark.requirement("WT.1")
def test_a_snapshot_that_never_became_active_is_not_built_on(sibling: Store, new: Store) -> None:
    active = sibling.active()
    assert active is not None
    newer = publish(sibling, {"a.py": "never = 1\n"})
    Path(sibling.layout.pointer).write_text(f"{active.snapshot_id}\n")
    with new.writer() as lease:
        found = planted(new, sibling)
        assert found.view.snapshot_id == active.snapshot_id != newer.snapshot_id
        found.close(lease)


@pytest.fixture
def several(tmp_path: Path) -> dict[str, Store]:
    stores = {}
    for name, head, dirty in (
        ("clean", HEAD, False),
        ("dirty", HEAD, True),
        ("elsewhere", "b" * 40, False),
    ):
        store = store_of(tmp_path, name)
        with (
            store.writer() as lease,
            Transaction(store.layout, store.identity, None, {}, cause="sync", txn_id=lease.txn_id) as transaction,
        ):
            add(transaction, "a.py", f"{name} = 1\n")
            tree = replace(facts(frozenset({"a.py"})), git=GitInfo(head, dirty, True))
            transaction.publish(lease, tree)
        stores[name] = store
    return stores


@pytest.mark.slow
@pytest.mark.requirement("WT.1")
def test_the_same_commit_comes_first_then_what_is_clean_then_what_is_new(several: dict[str, Store], new: Store) -> None:
    def best(*names: str, head: str | None) -> str:
        with new.writer() as lease:
            found = planted(new, *(several[name] for name in names), head=head)
            found.close(lease)
            return found.origin.canonical_root

    assert best("elsewhere", "dirty", "clean", head=HEAD) == "/clean"
    assert best("elsewhere", "dirty", head=HEAD) == "/dirty"
    assert best("clean", "dirty", "elsewhere", head=None) == "/elsewhere"
    assert best("clean", "dirty", head="c" * 40) == "/dirty"


@pytest.mark.requirement("WT.1")
@pytest.mark.requirement("GC.1")
def test_while_a_sibling_is_pinned_nobody_collects_or_removes_it(tmp_path: Path, sibling: Store, new: Store) -> None:
    with new.writer() as lease:
        found = planted(new, sibling)
        with pytest.raises(BusyError):
            sibling.collect(force=True)
        with pytest.raises(BusyError):
            remove_store(str(tmp_path), sibling.identity.store_id)
        found.close(lease)
    sibling.collect(force=True)


@pytest.mark.requirement("WT.1")
def test_a_sibling_under_collection_is_left_alone_after_a_while(
    sibling: Store, new: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(readers, "_WAIT_S", 0.01)
    with readers.exclusive_readers(sibling.layout):
        found, notes = plant(new.layout, OURS, siblings(sibling))
    assert found is None
    assert len(notes) == 1
    assert "collection" in sentences(notes)[0]


@pytest.mark.slow
@pytest.mark.requirement("WT.1")
def test_a_first_snapshot_that_is_refused_leaves_nothing_behind(sibling: Store, new: Store) -> None:
    with new.writer() as lease:
        found = planted(new, sibling)
        live = {file.path_key: file.chunks for file in found.view.files()}
        txn = lease.txn_id
        with Transaction(new.layout, OURS, found.view.manifest, live, cause="seed", txn_id=txn) as transaction:
            found.place()
            assert os.listdir(new.layout.segments)
            with pytest.raises(PublishRefusedError):
                transaction.publish(lease, facts(frozenset({"another.py"})))
        found.close(lease)
    for folder in (new.layout.segments, new.layout.snapshots, new.layout.staging):
        assert os.listdir(folder) == []
    assert read(sibling, fresh=True) == BEFORE


@pytest.mark.requirement("WT.1")
def test_leftovers_of_a_start_that_broke_off_are_replaced(sibling: Store, new: Store) -> None:
    active = sibling.active()
    assert active is not None
    half = Path(new.layout.segment(active.segments[0].segment_id))
    half.mkdir()
    (half / "rows.sqlite").write_bytes(b"half")
    start(new, sibling)
    assert read(new, fresh=True) == BEFORE
    assert_sound(new)


@pytest.mark.slow
@pytest.mark.requirement("WT.1")
def test_whole_leftovers_stay_for_whoever_reads_them(sibling: Store, new: Store) -> None:
    with new.writer() as lease:
        first = planted(new, sibling)
        first.place()
        left = {path: path.stat().st_ino for path in Path(new.layout.segments).rglob("*")}
        # A process that dies here runs no `close`.
        first.view.close()
        second = planted(new, sibling)
        grow(new, second, lease, {})
        second.close(lease)
    assert {path: path.stat().st_ino for path in left} == left
    assert read(new, fresh=True) == BEFORE


@pytest.mark.requirement("WT.1")
def test_a_move_that_fails_is_an_error_of_the_store(
    sibling: Store, new: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with new.writer() as lease:
        found = planted(new, sibling)
        with monkeypatch.context() as patch:
            patch.setattr(durable, "move", full)
            with pytest.raises(StorageError, match="No space left"):
                found.place()
        found.close(lease)
    assert os.listdir(new.layout.segments) == []


@pytest.mark.slow
@pytest.mark.requirement("WT.1")
def test_damage_to_one_store_is_mended_without_touching_the_file_that_both_share(sibling: Store, new: Store) -> None:
    """Rot under a link is rot for both; what a publish of one replaces, the other keeps as it is."""
    start(new, sibling)
    shared = new.active()
    assert shared is not None
    victim = Path(new.layout.segment(shared.segments[0].segment_id), "vectors.npy")
    flip_a_byte(victim)
    damaged = victim.read_bytes()
    for store in (new, sibling):
        with pytest.raises(CorruptStoreError):
            store.view(fresh=True)
    with (
        new.writer() as lease,
        Transaction(new.layout, new.identity, None, {}, cause="reindex", txn_id=lease.txn_id) as transaction,
    ):
        for path, text in BEFORE.items():
            add(transaction, path, text)
        transaction.publish(lease, facts(frozenset(BEFORE)))
    assert read(new, fresh=True) == BEFORE
    assert Path(sibling.layout.segment(shared.segments[0].segment_id), "vectors.npy").read_bytes() == damaged


def test_the_summary_of_a_seeded_store_is_its_own(sibling: Store, new: Store) -> None:
    manifest = start(new, sibling)
    state = json.loads(Path(new.layout.index_state).read_bytes())
    assert (state["canonical_root"], state["active_snapshot_id"]) == ("/new", manifest.snapshot_id)
    assert read_pointer(new.layout) == manifest.snapshot_id
    assert [found.snapshot_id for found in newest_first(new.layout)] == [manifest.snapshot_id]
