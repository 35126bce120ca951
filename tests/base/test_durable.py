"""Durable writes: the old content or the new, in an order that survives a crash, and nothing left beside it."""

import ast
import errno
import os
import stat
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

import cairn
from cairn.base import durable
from cairn.codebase.codebase import Codebase
from cairn.indexing.options import SyncOptions
from cairn.store import digest, publish

Event = tuple[str, str]

_WRITE_TOO_MUCH = """
import resource, signal, sys
from cairn.base import durable
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
try:
    durable.write_file(sys.argv[1], b"x" * 10_000, 0o600)
except OSError as error:
    print(error.errno)
"""


@pytest.fixture
def unsynced() -> None:
    """Sync here as ever."""


@pytest.fixture
def events(monkeypatch: pytest.MonkeyPatch) -> list[Event]:
    """What is synced and renamed, in order.

    The calls are recorded on their way to the kernel: nothing else shows an fsync, short of cutting the power.
    """
    seen: list[Event] = []
    fsync, rename = os.fsync, os.rename

    def watched_fsync(fd: int) -> None:
        fsync(fd)
        seen.append(("fsync", os.readlink(f"/proc/self/fd/{fd}")))

    def watched_rename(source: str, target: str) -> None:
        rename(source, target)
        seen.append(("rename", target))

    monkeypatch.setattr(os, "fsync", watched_fsync)
    monkeypatch.setattr(os, "rename", watched_rename)
    return seen


@pytest.mark.requirement("IDX.MUST.003")
def test_a_file_is_synced_before_its_rename_and_its_folder_after(folder: Path, events: list[Event]) -> None:
    path = str(folder / "file")
    durable.write_file(path, b"new", 0o600)
    kinds = [kind for kind, _ in events]
    assert kinds == ["fsync", "rename", "fsync"]
    assert os.path.dirname(events[0][1]) == str(folder)
    assert durable.TEMP_MARK in events[0][1]
    assert events[1:] == [("rename", path), ("fsync", str(folder))]


@pytest.mark.requirement("IDX.MUST.003")
def test_a_move_syncs_both_folders(folder: Path, events: list[Event]) -> None:
    (folder / "from").mkdir()
    (folder / "to").mkdir()
    (folder / "from" / "x").write_bytes(b"x")
    durable.move(str(folder / "from" / "x"), str(folder / "to" / "y"))
    assert events == [
        ("rename", str(folder / "to" / "y")),
        ("fsync", str(folder / "to")),
        ("fsync", str(folder / "from")),
    ]


@pytest.mark.requirement("IDX.MUST.003")
def test_a_tree_is_synced_to_the_last_file_and_every_folder_after_what_is_in_it(
    folder: Path, events: list[Event]
) -> None:
    (folder / "a" / "b").mkdir(parents=True)
    for name in ("x", "a/y", "a/b/z"):
        (folder / name).write_bytes(b"1")
    durable.sync_tree(str(folder))
    order = [path for _, path in events]
    assert sorted(order) == sorted(str(folder / name) for name in (".", "x", "a", "a/y", "a/b", "a/b/z"))
    for inner, outer in (("a/b/z", "a/b"), ("a/b", "a"), ("a/y", "a"), ("a", "."), ("x", ".")):
        assert order.index(str(folder / inner)) < order.index(str(folder / outer))


def test_a_write_replaces_the_content_and_makes_a_new_file(folder: Path) -> None:
    path = folder / "file"
    path.write_bytes(b"old")
    with path.open("rb") as reader:
        durable.write_file(str(path), b"new", 0o600)
        assert reader.read() == b"old"
    assert path.read_bytes() == b"new"
    assert os.listdir(folder) == ["file"]


@pytest.mark.parametrize("mode", [0o600, 0o660])
@pytest.mark.parametrize("mask", [0o000, 0o077])
def test_the_mode_is_the_one_asked_for_whatever_the_umask(folder: Path, mode: int, mask: int) -> None:
    former = os.umask(mask)
    try:
        durable.write_file(str(folder / "file"), b"x", mode)
    finally:
        os.umask(former)
    assert stat.S_IMODE((folder / "file").stat().st_mode) == mode


def test_a_write_that_finds_no_room_leaves_the_old_content_and_nothing_beside_it(folder: Path) -> None:
    path = folder / "file"
    path.write_bytes(b"old")
    done = subprocess.run(
        (sys.executable, "-c", _WRITE_TOO_MUCH, str(path)), capture_output=True, text=True, check=True
    )
    assert done.stdout == f"{errno.EFBIG}\n"
    assert path.read_bytes() == b"old"
    assert os.listdir(folder) == ["file"]


def test_a_write_whose_rename_fails_leaves_nothing_beside_it(folder: Path) -> None:
    (folder / "taken").mkdir()
    with pytest.raises(IsADirectoryError):
        durable.write_file(str(folder / "taken"), b"x", 0o600)
    assert os.listdir(folder) == ["taken"]


def test_a_staged_file_that_is_never_swapped_leaves_the_old_content(folder: Path) -> None:
    path = folder / "file"
    path.write_bytes(b"old")
    with durable.staged_file(str(path), b"new", 0o600):
        assert path.read_bytes() == b"old"
        assert len(os.listdir(folder)) == 2
    with pytest.raises(ZeroDivisionError), durable.staged_file(str(path), b"new", 0o600):
        raise ZeroDivisionError
    assert path.read_bytes() == b"old"
    assert os.listdir(folder) == ["file"]


@pytest.mark.requirement("IDX.MUST.002")
def test_a_staged_file_that_was_taken_away_can_not_be_swapped_in(folder: Path) -> None:
    path, staged = folder / "file", folder / "staged"
    path.write_bytes(b"old")
    with durable.staged_file(str(path), b"new", 0o600, temporary=str(staged)) as swap:
        staged.unlink()
        with pytest.raises(FileNotFoundError):
            swap()
    assert path.read_bytes() == b"old"


def test_a_new_file_is_never_written_over_another(folder: Path) -> None:
    (folder / "file").write_bytes(b"old")
    with pytest.raises(FileExistsError):
        durable.write_new_file(str(folder / "file"), b"new", 0o600)
    assert (folder / "file").read_bytes() == b"old"


def test_a_long_content_is_written_to_its_end(folder: Path) -> None:
    data = os.urandom(3 << 20)
    durable.write_file(str(folder / "file"), data, 0o600)
    assert (folder / "file").read_bytes() == data


def _publish_order(
    tree: Path, events: list[Event], monkeypatch: pytest.MonkeyPatch
) -> tuple[list[Event], Callable[[str, str], int], str, str]:
    """Everything that happens during the second publish of a tree, and a way to find the last of an event."""
    (tree / "a.py").write_text("a = 1\n")
    with Codebase(str(tree)) as codebase:
        codebase.index(SyncOptions())
        (tree / "a.py").write_text("a = 2\n")
        monkeypatch.setattr("cairn.store._segment.MOST_ROWS", 0)
        hashed = digest.digest_file

        def watched(path: str) -> digest.Digest:
            events.append(("hash", path))
            return hashed(path)

        monkeypatch.setattr(digest, "digest_file", watched)
        monkeypatch.setattr(publish, "digest_file", watched)
        events.clear()
        manifest = codebase.index(SyncOptions(verify=True)).manifest
        store = codebase.store().layout.path
    seen = list(events)
    return seen, lambda kind, path: seen.index((kind, path)), store, manifest.snapshot_id


@pytest.mark.requirement("IDX.MUST.003")
def test_the_order_of_a_whole_publish_is_the_durability_barrier(
    folder: Path, events: list[Event], monkeypatch: pytest.MonkeyPatch
) -> None:
    seen, at, store, snapshot = _publish_order(folder, events, monkeypatch)
    segment = f"seg_{snapshot}_0"
    staged = {path for kind, path in seen if f"/{segment}/" in path and "/staging/" in path and kind == "hash"}
    assert {os.path.basename(path) for path in staged} >= {"rows.sqlite", "vectors.npy"}
    assert any("/lexical/" in path for path in staged)
    for path in staged:
        assert at("fsync", path) < at("hash", path), "a hash vouches for what is on disk"
        assert at("fsync", os.path.dirname(path)) < at("hash", path)

    last_hash = max(at("hash", path) for path in staged)
    moved = at("rename", f"{store}/segments/{segment}")
    assert last_hash < moved < at("fsync", f"{store}/segments")

    manifest = f"{store}/snapshots/{snapshot}/manifest.json"
    (written,) = [place for place, (_, path) in enumerate(seen) if path.startswith(manifest + durable.TEMP_MARK)]
    named = at("rename", manifest)
    pointer = at("rename", f"{store}/ACTIVE_SNAPSHOT")
    own_folder = seen.index(("fsync", f"{store}/snapshots/{snapshot}"), named)
    all_folders = seen.index(("fsync", f"{store}/snapshots"), named)
    assert at("fsync", f"{store}/segments") < written < named < own_folder < pointer
    assert named < all_folders < pointer
    stones = f"{store}/snapshots/{snapshot}/tombstones.jsonl"
    assert at("rename", stones) < at("hash", stones) < written

    staged_pointer = [place for place, (kind, path) in enumerate(seen) if "ACTIVE_SNAPSHOT.staged-" in path]
    assert staged_pointer
    assert max(staged_pointer) < pointer
    assert seen[pointer + 1] == ("fsync", store), "the folder that holds the pointer, right after the swap"


# Who may write by itself, and why: everything else in the store goes through `durable`.
WRITERS = {
    "_rowfile.py": "rows.sqlite, behind the segment's barrier",
    "_terms.py": "term counts, behind the segment's barrier",
    "_trigrams.py": "trigrams, behind the segment's barrier",
    "_lexical.py": "the Tantivy index, behind the segment's barrier",
    "arrived.py": "a database in memory, to know the schema by",
    "database.py": "control state, behind SQLite's own journal",
    "guard.py": "means something only to living processes",
    "log.py": "a log can be lost",
    "shared.py": "the capability probe",
    "layout.py": "empty lock files",
    "inventory.py": "the time of last use",
    "scratch.py": "the lock of a folder that is no store",
}


def _writing_calls(source: str) -> list[str]:
    found = []
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Call):
            continue
        name = ast.unparse(node.func)
        arguments = [ast.unparse(argument) for argument in (*node.args, *(word.value for word in node.keywords))]
        if name == "open" and not any(text in ("'rb'", "'r'", "'utf-8'", "'ascii'") for text in arguments[1:]):
            found.append(ast.unparse(node))
        opens_to_write = name == "os.open" and any("O_CREAT" in text or "O_WRONLY" in text for text in arguments)
        if opens_to_write or name in ("os.write", "os.rename", "os.replace", "os.fsync"):
            found.append(ast.unparse(node))
        if name.rpartition(".")[2] in ("write_text", "write_bytes", "copyfile", "copytree", "NamedTemporaryFile"):
            found.append(ast.unparse(node))
        if name == "sqlite3.connect" and "uri" not in {word.arg for word in node.keywords}:
            found.append(ast.unparse(node))
    return found


@pytest.mark.slow
@pytest.mark.requirement("IDX.MUST.003")
def test_nothing_in_the_store_is_written_but_through_durable() -> None:
    package = Path(cairn.__file__).parent / "store"
    writing = {path.name: _writing_calls(path.read_text()) for path in sorted(package.glob("*.py"))}
    others = {name: calls for name, calls in writing.items() if calls and name not in WRITERS}
    assert others == {}


@pytest.mark.parametrize(
    "source",
    [
        "open(path, 'w')",
        "open(path, mode='ab')",
        "os.open(path, os.O_CREAT)",
        "os.write(fd, data)",
        "os.replace(a, b)",
        "Path(p).write_text('x')",
        "sqlite3.connect(path)",
    ],
)
def test_the_search_for_writes_finds_them(source: str) -> None:
    assert _writing_calls(source)


def test_a_copy_has_the_content_and_the_mode_and_replaces_nothing(tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.write_bytes(b"abc" * 1_000_000)
    source.chmod(0o644)
    durable.copy_file(str(source), str(tmp_path / "copy"), 0o600)
    assert (tmp_path / "copy").read_bytes() == source.read_bytes()
    assert (tmp_path / "copy").stat().st_mode & 0o777 == 0o600
    with pytest.raises(FileExistsError):
        durable.copy_file(str(source), str(tmp_path / "copy"), 0o600)


def test_all_of_a_tree_is_synced_and_what_fails_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = {f"{folder}/{number}" for folder in ("a", "a/b", "c") for number in range(7)}
    for name in names:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)
    seen: list[str] = []
    monkeypatch.setattr(durable, "_sync", seen.append)
    durable.sync_tree(str(tmp_path))
    assert sorted(seen) == sorted(str(tmp_path / name) for name in names)

    def fail(path: str) -> None:
        if path.endswith("a/b/3"):
            raise OSError(errno.EIO, "lost")

    monkeypatch.setattr(durable, "_sync", fail)
    with pytest.raises(OSError, match="lost"):
        durable.sync_tree(str(tmp_path))

    def no_room(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    seen.clear()
    monkeypatch.setattr(durable, "_sync", seen.append)
    monkeypatch.setattr(threading.Thread, "start", no_room)
    durable.sync_tree(str(tmp_path))
    assert len(seen) == len(names)


def test_a_cache_is_replaced_whole_and_leaves_nothing_behind_where_it_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "cache"
    for data in (b"one", b"other"):
        durable.write_cache(str(path), data, 0o640)
        assert path.read_bytes() == data
        assert path.stat().st_mode & 0o777 == 0o640

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "full")

    monkeypatch.setattr(durable, "write_all", full)
    with pytest.raises(OSError, match="full"):
        durable.write_cache(str(path), b"third", 0o640)
    assert [each.name for each in tmp_path.iterdir()] == ["cache"]
    assert path.read_bytes() == b"other"
