"""The first publish of a store: nothing is active yet, and nobody may take its pieces for a snapshot."""

import contextlib
import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from cairn.config.user import cairn_home
from cairn.lifecycle.registry import REGISTRY_NAME
from cairn.store import faults
from cairn.store.layout import Layout
from cairn.store.recovery import newest_first, read_pointer
from tests.store.samples import snapshot_of
from tests.surfaces.cli.test_store import answer, layout_of, run
from tests.trees import Repo

pytestmark = pytest.mark.slow

POINTS = [point for point in faults.POINTS if point.split(".")[0] in ("lease", "staging", "segment", "publish")]
FILES = {"a.py": "alpha = 1\n", "b.py": "beta = 2\n"}


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """No model to load, and collections that leave the active snapshot alone."""
    monkeypatch.setenv("CAIRN_EMBED_PROVIDER", "hashing")
    monkeypatch.setenv("CAIRN_RETAIN_SNAPSHOTS", "1")
    monkeypatch.setenv("CAIRN_RETAIN_AGE_MS", "0")


@pytest.fixture
def tree(repo: Repo) -> Repo:
    for name, text in FILES.items():
        repo.write(name, text)
    return repo


# Imports once and forks for each command, so that a death costs no start of Python.
_FORKS = """
import json, os, sys
import cairn.codebase.codebase, cairn.surfaces.cli.upkeep
from cairn.program.start import main
for line in sys.stdin:
    arguments, environment = json.loads(line)
    pid = os.fork()
    if not pid:
        os.environ.clear()
        os.environ.update(environment)
        os.dup2(2, 1)
        os._exit(main(arguments))
    print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), flush=True)
"""


@pytest.fixture(scope="module")
def forks() -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen((sys.executable, "-c", _FORKS), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    yield process
    process.communicate(timeout=60)


def die_at(forks: subprocess.Popen[str], point: str, root: str, **environment: str) -> None:
    """A first `cairn index` in a process that kills itself at a point."""
    assert forks.stdin is not None
    assert forks.stdout is not None
    environment |= {"CAIRN_CRASH_AT": point}
    forks.stdin.write(json.dumps([["index", root], dict(os.environ) | environment]) + "\n")
    forks.stdin.flush()
    assert int(forks.stdout.readline()) == -signal.SIGKILL, f"{point} was not reached"


class Stopped:
    """A first `cairn index` that stopped itself at a point."""

    def __init__(self, repo: Repo, point: str) -> None:
        self.process = subprocess.Popen(
            (sys.executable, "-m", "cairn", "index", "--json", str(repo.path)),
            env=os.environ | {"CAIRN_STOP_AT": point},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        _, status = os.waitpid(self.process.pid, os.WUNTRACED)
        assert os.WIFSTOPPED(status), f"{point} was not reached"

    def go_on(self) -> tuple[int, str]:
        self.process.send_signal(signal.SIGCONT)
        output, errors = self.process.communicate(timeout=60)
        return self.process.returncode, output + errors

    def end(self) -> None:
        if self.process.returncode is None:
            self.process.kill()
            self.process.communicate()


@pytest.fixture
def writer(tree: Repo) -> Iterator[Stopped]:
    """Its snapshot lies there whole; only the pointer is missing."""
    stopped = Stopped(tree, "publish.pointer_staged")
    yield stopped
    stopped.end()


def let_the_time_to_live_pass(layout: Layout) -> None:
    """Age the lease and the run in place: waiting for them would take minutes."""
    document = json.loads(Path(layout.lease).read_bytes())
    Path(layout.lease).write_text(json.dumps(document | {"last_heartbeat_ns": 0}))
    with contextlib.closing(sqlite3.connect(Path(cairn_home()) / REGISTRY_NAME)) as registry:
        registry.execute("UPDATE tracked SET heartbeat = 0")
        registry.commit()


def found(repo: Repo, query: str) -> dict[str, str]:
    """What a search shows of each file; these have one line, and a result leaves out the end of its last one."""
    results = answer("search", "--no-sync", query, str(repo.path))["results"]
    return {result["path"]: f"{result['text']}\n" for result in results}


def assert_clean(repo: Repo, snapshot_id: str) -> None:
    """Everybody agrees on one snapshot, and nothing else is left after a collection."""
    root = str(repo.path)
    assert answer("gc", "--force", root)["schema_version"] == 1
    assert answer("status", root)["snapshot_id"] == snapshot_id
    assert answer("audit", root)["drift"] == []
    assert answer("health", root)["healthy"] is True
    layout = layout_of(repo.path)
    (manifest,) = newest_first(layout)
    assert read_pointer(layout) == manifest.snapshot_id == snapshot_id
    assert os.listdir(layout.snapshots) == [snapshot_id]
    assert sorted(os.listdir(layout.segments)) == sorted(ref.segment_id for ref in manifest.segments)
    assert os.listdir(layout.staging) == []
    assert not os.path.exists(layout.guard)
    assert [name for name in snapshot_of(Path(layout.path)) if ".tmp-" in name or ".staged-" in name] == []


@pytest.mark.requirement("LEASE.3")
@pytest.mark.requirement("IDX.MUST.002")
@pytest.mark.parametrize("edited", [False, True])
def test_a_first_writer_that_was_robbed_destroys_nothing_of_its_successor(
    tree: Repo, writer: Stopped, edited: bool
) -> None:
    layout = layout_of(tree.path)
    let_the_time_to_live_pass(layout)
    if edited:
        tree.write("a.py", "alpha = 'robber'\n")
    published = answer("index", str(tree.path))
    assert published["published"] is True
    code, output = writer.go_on()
    assert code == 10, output
    assert json.loads(output)["error"]["code"] == "lease_lost"
    assert read_pointer(layout) == published["snapshot_id"]
    assert answer("index", str(tree.path))["published"] is False
    assert found(tree, "alpha")["a.py"] == ("alpha = 'robber'\n" if edited else "alpha = 1\n")
    assert_clean(tree, published["snapshot_id"])


@pytest.mark.requirement("IDX.MUST.002")
def test_the_successor_of_a_first_writer_does_not_build_on_what_was_never_published(
    tree: Repo, writer: Stopped
) -> None:
    layout = layout_of(tree.path)
    (unpublished,) = newest_first(layout)
    let_the_time_to_live_pass(layout)
    assert answer("index", str(tree.path))["snapshot_id"] != unpublished.snapshot_id
    newest = next(newest_first(layout))
    assert newest.parent_snapshot_id is None
    assert {ref.segment_id for ref in newest.segments}.isdisjoint(ref.segment_id for ref in unpublished.segments)


@pytest.mark.requirement("LEASE.3")
def test_a_first_writer_that_was_robbed_takes_nothing_back_that_a_repair_has_published(
    tree: Repo, writer: Stopped
) -> None:
    layout = layout_of(tree.path)
    (unpublished,) = newest_first(layout)
    let_the_time_to_live_pass(layout)
    assert unpublished.snapshot_id in answer("repair", str(tree.path))["actions"][0]
    code, output = writer.go_on()
    assert code == 10, output
    assert answer("status", str(tree.path))["snapshot_id"] == unpublished.snapshot_id
    assert_clean(tree, unpublished.snapshot_id)


@pytest.mark.requirement("STO.5")
@pytest.mark.parametrize("point", POINTS)
def test_a_first_index_that_dies_is_made_good_by_the_next(tree: Repo, forks: subprocess.Popen[str], point: str) -> None:
    root = str(tree.path)
    if point == "lease.stolen":
        die_at(forks, "lease.written", root)
    # A beat a millisecond: several of them fall into any run.
    die_at(forks, point, root, **({"CAIRN_LEASE_TTL_MS": "3"} if point == "lease.heartbeat" else {}))
    snapshot_id = answer("index", root)["snapshot_id"]
    assert found(tree, "alpha")["a.py"] == FILES["a.py"]
    assert_clean(tree, snapshot_id)


@pytest.mark.requirement("STO.5")
@pytest.mark.requirement("STO.6")
@pytest.mark.parametrize("damage", [None, b"", b"not an id\n", b"01ARZ3NDEKTSV4RRFFQ69G5FAV\n"])
def test_an_index_mends_a_pointer_that_was_lost_or_damaged_later(tree: Repo, damage: bytes | None) -> None:
    root = str(tree.path)
    snapshot_id = answer("index", root)["snapshot_id"]
    pointer = Path(layout_of(tree.path).pointer)
    pointer.unlink()
    if damage is not None:
        pointer.write_bytes(damage)
        pointer.chmod(0o600)
    assert answer("status", root, code=14)["snapshot_id"] == snapshot_id
    mended = answer("index", root)
    assert (mended["snapshot_id"], mended["published"]) == (snapshot_id, False)
    assert pointer.read_text() == f"{snapshot_id}\n"
    assert_clean(tree, snapshot_id)


@pytest.mark.requirement("STO.6")
@pytest.mark.requirement("STO.9")
def test_a_store_that_lost_pointer_and_summary_is_still_read_and_mended(tree: Repo) -> None:
    root = str(tree.path)
    snapshot_id = answer("index", root)["snapshot_id"]
    layout = layout_of(tree.path)
    os.unlink(layout.pointer)
    os.unlink(layout.index_state)
    assert answer("status", root, code=14)["snapshot_id"] == snapshot_id
    assert found(tree, "alpha")["a.py"] == FILES["a.py"]
    assert_clean(tree, answer("index", root)["snapshot_id"])
    assert found(tree, "alpha")["a.py"] == FILES["a.py"]


@pytest.mark.parametrize("command", [("status",), ("audit",), ("search", "--no-sync", "alpha")])
def test_readers_see_no_snapshot_while_the_first_publish_is_under_way(
    tree: Repo, writer: Stopped, command: tuple[str, ...]
) -> None:
    (unpublished,) = newest_first(layout_of(tree.path))
    done = run(*command, "--json", str(tree.path))
    said = json.loads(done.stdout)
    told = said["state"] if command == ("status",) else said["error"]["code"]
    expected = {"status": (0, "indexing"), "audit": (3, "not_indexed"), "search": (10, "not_ready")}
    assert (done.returncode, told) == expected[command[0]]
    assert unpublished.snapshot_id not in done.stdout
    code, output = writer.go_on()
    assert code == 0, output
    assert run(*command, str(tree.path)).returncode == 0


def test_health_tells_no_snapshot_while_the_first_publish_is_under_way(tree: Repo, writer: Stopped) -> None:
    (unpublished,) = newest_first(layout_of(tree.path))
    done = run("health", "--json", str(tree.path))
    assert done.returncode in (3, 5), done.stdout
    assert unpublished.snapshot_id not in done.stdout
    assert "no snapshot yet" in done.stdout
    code, output = writer.go_on()
    assert code == 0, output
    assert answer("health", str(tree.path))["healthy"] is True


def test_stores_names_no_active_snapshot_while_the_first_publish_is_under_way(tree: Repo, writer: Stopped) -> None:
    (store,) = answer("stores")["stores"]
    assert store["active_snapshot_id"] is None
    code, output = writer.go_on()
    assert code == 0, output
    (store,) = answer("stores")["stores"]
    assert store["active_snapshot_id"] == json.loads(output)["snapshot_id"]


@pytest.mark.requirement("STO.6")
def test_a_search_without_the_pointer_says_that_an_older_snapshot_answers(tree: Repo) -> None:
    root = str(tree.path)
    answer("index", root)
    assert answer("search", "--no-sync", "alpha", root)["warnings"] == []
    os.unlink(layout_of(tree.path).pointer)
    (warning,) = answer("search", "--no-sync", "alpha", root)["warnings"]
    assert "ACTIVE_SNAPSHOT is missing" in warning
    assert "an older snapshot answers" in warning
    spoken = run("search", "--no-sync", "alpha", root)
    assert "warning: ACTIVE_SNAPSHOT is missing" in spoken.stderr
    assert answer("search", "alpha", root)["warnings"] == []


@pytest.mark.requirement("STO.6")
@pytest.mark.parametrize("folder", ["segments", "snapshots"])
@pytest.mark.parametrize("command", [("status",), ("search", "--no-sync", "alpha"), ("audit",), ("index",)])
def test_a_store_that_lost_a_folder_is_corrupt_and_not_unindexed(
    tree: Repo, folder: str, command: tuple[str, ...]
) -> None:
    root = str(tree.path)
    answer("index", root)
    layout = layout_of(tree.path)
    shutil.rmtree(os.path.join(layout.path, folder))
    done = run(*command, "--json", root)
    assert done.returncode == 14, done.stdout
    assert json.loads(done.stdout)["error"]["code"] == "store_corrupt"
    assert run("health", root).returncode == 14
    assert answer("index", "--reindex", root)["published"] is True
    assert found(tree, "alpha")["a.py"] == FILES["a.py"]
