"""A store consists of regular files of its own: whatever else lies in their place is damage, and is mended."""

import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from cairn.base.errors import CorruptStoreError, NotIndexedError
from cairn.base.ownfile import ASIDE, StrangeFileError, open_own, read_own
from cairn.store import Store, integrity
from cairn.store.digest import is_volatile
from cairn.store.health import REPAIR, Level, check_store
from cairn.store.integrity import Verifier, artifacts
from cairn.store.layout import Layout
from cairn.store.strangers import set_strangers_aside, strangers
from tests.store.samples import make_store, publish

pytestmark = [pytest.mark.requirement("STO.20"), pytest.mark.sampled]


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    monkeypatch.setattr(integrity, "_SETTLED_NS", -60_000_000_000)
    made = make_store(tmp_path / "home")
    publish(made, {"a.py": "walrus\n", "b.py": "heron\n"})
    publish(made, {"a.py": "otter\n"})
    with made.view():
        return made


def linked(path: str, outside: Path) -> None:
    shutil.move(path, outside)
    os.symlink(outside, path)


def named_twice(path: str, outside: Path) -> None:
    os.link(path, outside)


def pipe(path: str, outside: Path) -> None:
    shutil.move(path, outside)
    os.mkfifo(path, 0o600)


def emptied(path: str, outside: Path) -> None:
    shutil.move(path, outside)
    Path(path).touch()


def folder(path: str, outside: Path) -> None:
    shutil.move(path, outside)
    os.mkdir(path, 0o700)


def listening(path: str, outside: Path) -> None:
    shutil.move(path, outside)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(f"/proc/self/fd/{(fd := os.open(os.path.dirname(path), os.O_PATH))}/{os.path.basename(path)}")
        os.close(fd)


def of_another(path: str, outside: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root gives files away")
    os.chown(path, 65534, 65534)


FILE_KINDS: list[Callable[[str, Path], None]] = [linked, named_twice, pipe, folder, listening, of_another]


def files_of(layout: Layout) -> list[str]:
    with Store(layout, make_store(Path(layout.path).parent.parent).identity).view() as view:
        names = [name for name, _ in artifacts(view.manifest)]
    found = []
    for name in names:
        path = Path(layout.path, name)
        found += [str(each) for each in path.rglob("*") if each.is_file()] if path.is_dir() else [str(path)]
    return found


@pytest.mark.parametrize("make", FILE_KINDS)
def test_an_artifact_that_is_not_a_file_of_the_stores_own_is_damage(
    store: Store, tmp_path: Path, make: Callable[[str, Path], None]
) -> None:
    for number, path in enumerate(files_of(store.layout)):
        name = os.path.relpath(path, store.layout.path)
        if is_volatile(name) and make in (named_twice, of_another):
            continue  # a lock of Tantivy's, which holds nothing
        make(path, outside := tmp_path / f"outside{number}")
        with pytest.raises(CorruptStoreError, match="/".join(name.split("/")[:2])):
            store.view()
        health = {check.code: check for check in check_store(store.layout)}
        assert health["artifact_integrity"].level is Level.ERROR
        assert health["artifact_integrity"].action == REPAIR
        if outside.exists() and not os.path.samefile(path, outside):
            shutil.rmtree(path) if os.path.isdir(path) else os.unlink(path)
            shutil.move(outside, path)
        else:
            if os.path.islink(path):
                os.unlink(path)
                shutil.move(outside, path)
            outside.unlink(missing_ok=True)
            os.chown(path, os.geteuid(), os.getegid())
        store.view().close()


def test_a_change_behind_a_link_is_not_served_after_a_verified_search(store: Store, tmp_path: Path) -> None:
    with store.view() as view:
        segment = store.layout.segment(view.segments[-1].segment_id)
    vectors = os.path.join(segment, "vectors.npy")
    linked(vectors, tmp_path / "outside.npy")
    with pytest.raises(CorruptStoreError, match="is a symbolic link"):
        store.view()


def test_a_folder_of_segments_that_is_a_link_is_damage(store: Store, tmp_path: Path) -> None:
    with store.view() as view:
        segment = store.layout.segment(view.segments[-1].segment_id)
        snapshot = store.layout.snapshot(view.snapshot_id)
    for number, path in enumerate((segment, snapshot, store.layout.segments, store.layout.snapshots)):
        linked(path, tmp_path / f"outside{number}")
        with pytest.raises(CorruptStoreError, match="is a symbolic link, not a folder"):
            store.view()
        os.unlink(path)
        shutil.move(tmp_path / f"outside{number}", path)
    store.view().close()


def test_stores_of_one_home_may_share_a_segment_and_nobody_else(store: Store, tmp_path: Path) -> None:
    layout = store.layout
    (path,) = [each for each in files_of(layout) if each.endswith("vectors.npy")][:1]
    name = os.path.relpath(path, layout.path)
    for place in ("data/other", "data/other/staging/01ARZ3NDEKTSV4RRFFQ69G5FAV/linked", "cairn-trash-gone-1"):
        shared = tmp_path / "home" / place / name
        shared.parent.mkdir(parents=True)
        os.link(path, shared)
        with store.view() as view:
            Verifier(layout, fresh=True).verify(view.manifest)
    os.link(path, tmp_path / "elsewhere")
    with pytest.raises(CorruptStoreError, match="further name"):
        store.view()


CONTROL = (
    "ACTIVE_SNAPSHOT",
    "index_state.json",
    "locks/readers.lock",
    "locks/lease_guard.lock.mutex",
    "locks/writer_lease.json",
    "cache/stamps.json",
    "logs/sync.log.jsonl",
)


@pytest.mark.parametrize("make", FILE_KINDS)
@pytest.mark.parametrize("name", CONTROL)
def test_a_control_file_that_is_none_is_told_and_set_aside(
    store: Store, tmp_path: Path, name: str, make: Callable[[str, Path], None]
) -> None:
    path = os.path.join(store.layout.path, name)
    if not os.path.exists(path):
        os.close(store.layout.open_lock(path))
    make(path, tmp_path / "outside")
    with pytest.raises(StrangeFileError):
        read_own(path)
    assert list(strangers(store.layout)) == [name]
    (told,) = check_store(store.layout)
    assert (told.code, told.level, told.action) == ("own_files", Level.ERROR, REPAIR)
    assert told.message.startswith(name)
    (kept,) = set_strangers_aside(store.layout)
    assert kept.startswith(f"{name}{ASIDE}")
    assert os.path.lexists(os.path.join(store.layout.path, kept))
    assert strangers(store.layout) == {}
    store.view().close()
    publish(store, {"a.py": "egret\n"})
    assert {check.level for check in check_store(store.layout)} == {Level.OK}


@pytest.mark.parametrize("make", [linked, pipe, folder, listening])
def test_a_question_never_waits_for_a_control_file(
    store: Store, tmp_path: Path, make: Callable[[str, Path], None]
) -> None:
    for number, name in enumerate(("ACTIVE_SNAPSHOT", "index_state.json", "cache/stamps.json", "locks/readers.lock")):
        make(os.path.join(store.layout.path, name), tmp_path / f"outside{number}")
        if name != "locks/readers.lock":
            store.view().close()
    with pytest.raises(CorruptStoreError, match=r"readers\.lock is a"):
        store.view()


@pytest.mark.parametrize("name", ["locks", "cache", "logs", "staging", "segments", "snapshots"])
def test_a_folder_that_is_a_link_or_a_file_is_told_and_set_aside(store: Store, tmp_path: Path, name: str) -> None:
    path = os.path.join(store.layout.path, name)
    for number, make in enumerate((linked, emptied)):
        make(path, tmp_path / f"outside{number}")
        (told,) = check_store(store.layout)
        assert told.message.startswith(name)
        assert set_strangers_aside(store.layout)
        assert strangers(store.layout) == {}
    if name in ("segments", "snapshots"):
        with pytest.raises((CorruptStoreError, NotIndexedError)):
            store.view()
    else:
        store.view().close()


def test_an_own_file_is_opened_and_a_missing_one_is_missing(tmp_path: Path) -> None:
    path = tmp_path / "file"
    with pytest.raises(FileNotFoundError):
        open_own(str(path))
    path.write_bytes(b"text")
    assert read_own(str(path)) == b"text"
    # A second name beside it is one of its own folder's.
    os.link(path, tmp_path / "beside")
    assert read_own(str(path)) == b"text"


def test_a_file_of_another_file_system_is_not_the_folders_own(tmp_path: Path) -> None:
    """In a space of its own for mounts, which goes with the process."""
    own, mounted, place = (tmp_path / name for name in ("own", "mounted", "place"))
    own.write_text("ours")
    mounted.mkdir()
    place.touch()
    look = "import sys; from cairn.base.ownfile import fault_at; print([fault_at(path) for path in sys.argv[1:]])"
    mount = f"mount -t tmpfs none {mounted} && cp {own} {mounted}/file && mount --bind {mounted}/file {place}"
    command = ("unshare", "-rm", "sh", "-c", f'{mount} || exit 77; exec "$@"', "sh", sys.executable, "-c", look)
    try:
        done = subprocess.run((*command, str(own), str(place)), capture_output=True, text=True, check=False)
    except FileNotFoundError:
        pytest.skip("there is no unshare here")
    if done.returncode == 77 or "unshare:" in done.stderr:
        pytest.skip("this user may mount nothing")
    assert done.stdout == "['', 'lies on another file system']\n", done
