"""Whose a store is: the root and the settings that it was made for, and the users that may open it."""

import json
import os
import shutil
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from cairn.base.errors import StoreRefusedError, TreeMovedError
from cairn.codebase.codebase import Codebase
from cairn.indexing.options import SyncOptions
from cairn.indexing.progress import SyncStep
from cairn.store.layout import StoreKind, create_layout, open_layout
from cairn.store.recovery import newest_first, read_pointer
from cairn.store.shared import open_shared
from tests.store.samples import identity, make_store, publish
from tests.surfaces.cli.test_store import answer, layout_of, run
from tests.trees import Repo

pytestmark = pytest.mark.sampled

PUBLIC = (0o755, 0o750, 0o770, 0o777, 0o2700, 0o1700, 0o1770, 0o2771, 0o3770, 0o4700)
READERS = (("status",), ("audit",), ("search", "--no-sync", "alpha"))
WRITERS = (("index",), ("search", "alpha"), ("repair",), ("compact", "--force"), ("upgrade-store",))


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CAIRN_EMBED_PROVIDER", "hashing")


@pytest.fixture
def indexed(repo: Repo) -> Repo:
    repo.write("a.py", "alpha = 1\n")
    answer("index", str(repo.path))
    return repo


def store_of(path: Path) -> tuple[Path, str]:
    """Where a root's store lies or would lie, and the id in its name."""
    with Codebase(str(path)) as codebase:
        return Path(os.environ["CAIRN_HOME"]) / "data" / codebase.identity.store_id, codebase.identity.store_id


@pytest.fixture(params=["root", "settings"])
def copied(request: pytest.FixtureRequest, indexed: Repo, tmp_path: Path) -> Path:
    """A root whose store is a copy of another root's, or of its own under other settings."""
    source, _ = store_of(indexed.path)
    if request.param == "root":
        other = Repo.create(tmp_path / "other").path
        (other / "theirs.py").write_text("theirs = 1\n")
    else:
        other = indexed.path
        (other / ".cairn.toml").write_text("[index]\nchunk_bytes = 700\n")
    target, _ = store_of(other)
    assert target != source
    shutil.copytree(source, target)
    return other


@pytest.mark.parametrize("command", [*READERS, *WRITERS])
def test_a_store_under_the_name_of_another_is_refused(copied: Path, command: tuple[str, ...]) -> None:
    target, _ = store_of(copied)
    before = (target / "ACTIVE_SNAPSHOT").read_bytes()
    done = run(*command, "--json", str(copied))
    error = json.loads(done.stdout)["error"]
    # The registry knows a root's own settings, and says so before any store is looked at.
    if error["code"] != "requires_reindex" or not (copied / ".cairn.toml").exists():
        assert (done.returncode, error["code"]) == (5, "store_refused")
        assert "cairn clear" in error["hint"]
    assert (target / "ACTIVE_SNAPSHOT").read_bytes() == before


def test_health_does_not_call_a_store_under_the_name_of_another_healthy(copied: Path) -> None:
    assert run("health", "--json", str(copied)).returncode != 0


@pytest.mark.slow
def test_what_was_refused_can_be_cleared_and_indexed_again(copied: Path) -> None:
    assert run("clear", str(copied)).returncode == 0
    answer("index", str(copied))
    assert answer("status", str(copied))["root"] == str(copied)


def test_a_manifest_with_the_right_name_but_other_settings_is_refused(tmp_path: Path) -> None:
    publish(make_store(tmp_path), {"a.py": "walrus\n"})
    other = make_store(tmp_path, who=identity(fingerprint="e" * 64))
    with pytest.raises(StoreRefusedError, match="holds a snapshot of"):
        other.view()
    with pytest.raises(StoreRefusedError, match="holds a snapshot of"):
        other.active()


@pytest.mark.requirement("STO.2")
@pytest.mark.parametrize("mode", PUBLIC)
def test_a_store_with_any_other_mode_is_refused(tmp_path: Path, mode: int) -> None:
    store = make_store(tmp_path)
    os.chmod(store.layout.path, mode)
    if stat.S_IMODE(os.stat(store.layout.path).st_mode) != mode:
        pytest.skip("the system doesn't let this user set the mode")
    with pytest.raises(StoreRefusedError, match=rf"mode {mode:04o}"):
        open_layout(store.layout.path)
    with pytest.raises(StoreRefusedError, match=rf"mode {mode:04o}"):
        create_layout(store.layout.path, StoreKind.PRIVATE)


@pytest.mark.requirement("STO.2")
@pytest.mark.parametrize("command", [("status",), ("index",), ("health",), ("search", "alpha"), ("gc",), ("clear",)])
def test_every_command_refuses_a_store_that_others_may_read(indexed: Repo, command: tuple[str, ...]) -> None:
    path, _ = store_of(indexed.path)
    path.chmod(0o755)
    done = run(*command, "--json", str(indexed.path))
    assert done.returncode == 5, done.stdout
    error = json.loads(done.stdout)["error"]
    assert error["code"] == "store_refused"
    assert "chmod 700" in error["hint"]


@pytest.mark.requirement("STO.2")
def test_every_folder_of_a_shared_store_hands_its_group_on(indexed: Repo, tmp_path: Path) -> None:
    place = tmp_path / "shared"
    answer("index", str(indexed.path), "--shared-store", str(place))
    folders = [path for path in (place, *place.rglob("*")) if path.is_dir()]
    assert len(folders) > 8
    assert {str(path): oct(stat.S_IMODE(path.stat().st_mode)) for path in folders} == {
        str(path): "0o2770" for path in folders
    }
    files = [path for path in place.rglob("*") if path.is_file()]
    assert {oct(stat.S_IMODE(path.stat().st_mode)) for path in files} == {"0o660"}
    assert answer("health", str(indexed.path), "--shared-store", str(place))["healthy"] is True


@pytest.mark.requirement("STO.2")
def test_a_shared_store_that_lost_its_group_bit_is_refused(indexed: Repo, tmp_path: Path) -> None:
    place = tmp_path / "shared"
    answer("index", str(indexed.path), "--shared-store", str(place))
    place.chmod(0o770)
    place.chmod(stat.S_IMODE(place.stat().st_mode) & ~stat.S_ISGID)
    assert run("status", str(indexed.path), "--shared-store", str(place)).returncode == 5


@pytest.mark.requirement("STO.2")
def test_a_shared_store_is_tried_out_before_it_is_used(tmp_path: Path) -> None:
    layout = open_shared(str(tmp_path / "shared"), identity())
    os.rmdir(layout.cache)
    Path(layout.cache).write_text("no folder")
    with pytest.raises(StoreRefusedError, match="can't hold a shared store"):
        open_shared(layout.path, identity())


_DIE_BEFORE_CHMOD = """
import os, signal, sys
os.chmod = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
from cairn.store.layout import StoreKind, create_layout
create_layout(sys.argv[1], StoreKind.SHARED)
"""


@pytest.mark.requirement("STO.2")
def test_a_shared_store_whose_maker_died_in_the_first_moment_can_be_made_again(tmp_path: Path) -> None:
    # No named point lies between the folder and its mode, so the child's own chmod is where it dies.
    place = str(tmp_path / "shared")
    done = subprocess.run((sys.executable, "-c", _DIE_BEFORE_CHMOD, place), check=False)
    assert done.returncode == -signal.SIGKILL
    layout = open_shared(place, identity())
    assert stat.S_IMODE(os.stat(layout.path).st_mode) == 0o2770


@pytest.mark.requirement("IDX.MUST.003")
def test_a_new_store_is_on_disk_with_its_folders_before_anything_is_in_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: dict[str, list[str]] = {}
    fsync = os.fsync

    def watching(fd: int) -> None:
        path = os.readlink(f"/proc/self/fd/{fd}")
        synced[path] = sorted(os.listdir(path)) if os.path.isdir(path) else []
        fsync(fd)

    # Whether a folder would survive a power cut shows nowhere else.
    monkeypatch.setattr(os, "fsync", watching)
    layout = create_layout(str(tmp_path.resolve() / "data" / "store"), StoreKind.PRIVATE)
    assert synced[layout.path] == ["cache", "locks", "logs", "segments", "snapshots", "staging"]
    assert synced[os.path.dirname(layout.path)] == ["store"]


@pytest.fixture
def codebase(indexed: Repo) -> Iterator[Codebase]:
    with Codebase(str(indexed.path)) as codebase:
        yield codebase


def test_settings_that_change_during_a_sync_stop_it(indexed: Repo, codebase: Codebase) -> None:
    """The store's name holds their fingerprint: a tree cut in another way would lie in the wrong store.

    All files are looked at: a sync that trusts its last look reads the settings no second time.
    """
    layout = layout_of(indexed.path)
    before = read_pointer(layout)
    indexed.write("a.py", "alpha = 2\n")

    def progress(step: SyncStep) -> None:
        if step.stage == "looking":
            indexed.write(".cairn.toml", "[index]\nchunk_bytes = 700\n")

    with pytest.raises(TreeMovedError, match=r"\.cairn\.toml"):
        codebase.index(SyncOptions(verify=True), progress)
    assert read_pointer(layout) == before
    assert [manifest.snapshot_id for manifest in newest_first(layout)] == [before]


@pytest.mark.slow
@pytest.mark.requirement("ELIG.2")
def test_new_ignore_rules_are_published_though_nothing_else_changed(indexed: Repo, codebase: Codebase) -> None:
    """The file of rules ignores itself, and git calls the tree dirty before and after."""
    indexed.commit()
    indexed.write(".cairnignore", ".cairnignore\nnothing-like-this\n")
    before = codebase.index(SyncOptions()).manifest
    indexed.write(".cairnignore", ".cairnignore\nnor-like-this\n")
    result = codebase.index(SyncOptions())
    after = result.manifest
    assert (after.git, after.skipped, result.indexed, result.deleted) == (before.git, before.skipped, 0, 0)
    assert after.ignore_fingerprint != before.ignore_fingerprint
    assert result.published
    assert codebase.index(SyncOptions()).published is False
