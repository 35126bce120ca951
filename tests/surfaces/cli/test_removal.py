"""What is removed is what was named: of roots that are gone, by another engine's settings, and without any room."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from cairn.config.user import cairn_home
from cairn.store.layout import TRASH
from tests.surfaces.cli.test_store import answer, layout_of, run, say
from tests.trees import Repo

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CAIRN_EMBED_PROVIDER", "hashing")


@pytest.fixture
def indexed(repo: Repo) -> Repo:
    repo.write("walrus.py", "walrus = 1\n")
    repo.commit()
    answer("index", str(repo.path))
    return repo


def stores() -> list[dict[str, object]]:
    found: list[dict[str, object]] = answer("stores")["stores"]
    return found


@pytest.mark.parametrize("by", ["path", "id"])
def test_the_index_of_a_root_that_is_gone_is_cleared_by_its_path_or_its_id(indexed: Repo, by: str) -> None:
    shutil.rmtree(indexed.path)
    (store,) = stores()
    assert store["root_gone"] is True
    assert f"{indexed.path} (gone)" in say("stores")
    named = str(indexed.path) if by == "path" else str(store["store_id"])
    assert say("clear", named).strip() == f"the index of {indexed.path} was removed"
    assert stores() == []
    done = run("clear", named)
    assert "doesn't exist, and no store has that root or id" in done.stderr
    assert "Run `cairn stores`" in done.stderr


def test_clear_says_that_it_takes_ids() -> None:
    assert "a store's id" in " ".join(say("clear", "--help").split())


def test_gc_removes_the_stores_of_roots_that_are_gone_at_once(indexed: Repo, tmp_path: Path) -> None:
    other = Repo.create(tmp_path / "other")
    other.write("heron.py", "heron = 1\n")
    other.commit()
    answer("index", str(other.path))
    shutil.rmtree(indexed.path)
    done = run("gc", "--gone", str(indexed.path))
    assert (done.returncode, "`cairn clear PATH`" in done.stderr) == (2, True)
    assert len(answer("gc", "--gone")["removed"]) == 1
    assert [store["canonical_root"] for store in stores()] == [str(other.path)]


def test_an_interrupted_first_index_is_listed_by_its_root_and_warned_about_by_nobody(
    indexed: Repo, tmp_path: Path
) -> None:
    other = Repo.create(tmp_path / "other")
    other.write("heron.py", "heron = 1\n")
    other.commit()
    command = [sys.executable, "-m", "cairn", "index", str(other.path)]
    environment = os.environ | {"CAIRN_CRASH_AT": "segment.rows_written"}
    assert subprocess.run(command, env=environment, capture_output=True, check=False).returncode != 0
    assert {store["canonical_root"]: store["empty"] for store in stores()} == {
        str(indexed.path): False,
        str(other.path): True,
    }
    assert answer("search", "walrus", "--all")["warnings"] == []


def test_what_a_killed_clear_left_is_counted_by_health_and_removed_by_gc(indexed: Repo) -> None:
    left = Path(cairn_home(), f"{TRASH}store-1", "segments")
    left.mkdir(parents=True)
    checks = {check["code"]: check for check in answer("health", str(indexed.path), code=5)["checks"]}
    assert (checks["garbage"]["level"], checks["garbage"]["action"]) == ("warning", "Run `cairn gc --force`.")
    assert "1 store removed in part" in run("health", str(indexed.path)).stdout
    assert "removed what was left of 1 store" in say("gc", str(indexed.path), "--force")
    assert not left.parent.exists()
    left.mkdir(parents=True)
    assert answer("gc", "--gone")["leftovers"] == 1


def test_clear_keeps_an_index_of_another_engine_that_answers(indexed: Repo) -> None:
    path, other = str(indexed.path), {"CAIRN_ENGINE": "lancedb"}
    said = answer("clear", path, environment=other, code=3)
    assert said["removed"] is False
    assert ["kept" in note for note in said["notes"]] == [True]
    assert answer("search", "walrus", path)["results"]
    said = answer("clear", path, "--yes", environment=other)
    assert (said["removed"], said["notes"]) == (True, [])
    assert stores() == []


def test_former_indexes_are_listed_and_dropped_and_never_the_one_that_answers(indexed: Repo) -> None:
    path = str(indexed.path)
    (only,) = answer("engine", "list", path)["stores"]
    assert (only["engine"], only["answers"]) == ("flat", True)
    done = run("engine", "drop", "flat", path)
    assert (done.returncode, "The index in flat is the one that answers" in done.stderr) == (5, True)
    indexed.write(".cairn.toml", "[index]\nchunk_bytes = 900\n")
    answer("index", path, "--reindex")
    listed = {store["store_id"]: store["answers"] for store in answer("engine", "list", path)["stores"]}
    assert len(listed) == 2
    assert listed[only["store_id"]] is False
    assert "former   flat" in say("engine", "list", path)
    # Settings that were put back don't make the store that answers a former one.
    indexed.write(".cairn.toml", "")
    now = next(name for name, answers in listed.items() if answers)
    assert run("engine", "drop", now, path).returncode == 5
    assert answer("engine", "drop", "flat", path)["removed"] == [only["store_id"]]
    assert [store["store_id"] for store in stores()] == [now]
    done = run("engine", "drop", "milvus", path)
    assert (done.returncode, "Its indexes lie in: flat." in done.stderr) == (2, True)


_FULL = """
mount -t tmpfs -o size=8m none "$1" || exit 77
cp -a "$2/." "$1"; home="$1"; left="$3"; shift 3
dd if=/dev/zero of="$home/fill" bs=4096 status=none
dd if=/dev/zero of="$home/fill2" bs=1 status=none
[ "$left" = 0 ] || truncate -s "-$left" "$home/fill"
exec "$@"
"""


def on_a_full_disk(home: str, left: int, *command: str) -> subprocess.CompletedProcess[str]:
    """A command whose home lies on a disk of 8 MB with so many bytes left."""
    if shutil.which("unshare") is None:
        pytest.skip("unshare(1) is needed to mount a small disk")
    copy = f"{home}-copy"
    os.rename(home, copy)
    os.mkdir(home, 0o700)
    mounted = ["unshare", "-m", "sh", "-c", _FULL, "sh", home, copy, str(left), sys.executable, "-m", "cairn", *command]
    done = subprocess.run(mounted, capture_output=True, text=True, timeout=120, check=False)
    if done.returncode == 77 or "unshare" in done.stderr:
        pytest.skip("nothing can be mounted here")
    return done


@pytest.mark.requirement("STO.22")
@pytest.mark.parametrize("command", [("gc", "--force"), ("clear",)])
def test_freeing_room_needs_none(indexed: Repo, command: tuple[str, ...]) -> None:
    layout = layout_of(indexed.path)
    for folder in (layout.cache, layout.logs):
        # Nothing is left that could be removed first.
        shutil.rmtree(folder)
        os.mkdir(folder, 0o700)
    done = on_a_full_disk(cairn_home(), 0, *command, str(indexed.path))
    assert done.returncode == 0, done.stdout + done.stderr
    assert "removed" in done.stdout


@pytest.mark.requirement("STO.22")
@pytest.mark.parametrize("left", [0, 300_000])
def test_an_index_on_a_full_disk_is_told_as_that(indexed: Repo, left: int) -> None:
    indexed.write("more.py", "more = 1\n")
    done = on_a_full_disk(cairn_home(), left, "index", str(indexed.path))
    assert done.returncode == 15, done.stdout + done.stderr
    assert "cairn gc --force" in done.stderr
