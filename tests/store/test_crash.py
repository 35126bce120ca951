"""A process dies at every named point; the store goes on as if it had never started, or as if it had finished."""

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from cairn.base.owner import this_process
from cairn.base.ulid import new_ulid
from cairn.codebase.codebase import Codebase
from cairn.indexing import SyncOptions
from cairn.indexing.sync import sync
from cairn.store import SnapshotView, faults, gc, staging
from cairn.store.audit import audit
from cairn.store.health import Level, check_store
from cairn.store.layout import Layout
from cairn.store.recovery import newest_first, read_pointer
from tests.trees import Repo, cairn, write

BEFORE = {"a.py": "alpha_one = 1\n", "b.py": "beta = 2\n", "gone.py": "gamma = 3\n"}
AFTER = {"a.py": "alpha_two = 2\n", "b.py": "beta = 2\n", "new.py": "delta = 4\n"}
AFTER_SWAP = {"publish.pointer_swapped", "publish.state_written", "publish.staging_removed", "lease.released"}
INDEX_POINTS = [point for point in faults.POINTS if point.split(".")[0] in ("lease", "staging", "segment", "publish")]
COMPACT_POINTS = [point for point in faults.POINTS if point.startswith("compact.")]
# These lie on the way of a first index only: tests/test_worktrees.py dies there.
SEED_POINTS = [point for point in faults.POINTS if point.startswith("seed.")]
GC_POINTS = [point for point in faults.POINTS if point.startswith("gc.")]
# tests/edit/test_journal.py, tests/semantic and tests/team die at these.
OTHER = ("edit.", "semantic.", "arrival.", "export.", "push.", "tables.", "remote.")
OTHER_POINTS = [point for point in faults.POINTS if point.startswith(OTHER)]


@pytest.fixture(autouse=True)
def low_retention(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CAIRN_RETAIN_SNAPSHOTS", "1")
    monkeypatch.setenv("CAIRN_RETAIN_AGE_MS", "0")


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with two published snapshots: two segments, and a tombstone in the second."""
    base = tmp_path_factory.mktemp("crash")
    repo = Repo.create(base / "now" / "repo")
    home = {"CAIRN_HOME": str(base / "now" / "home")}
    fill(repo.path, BEFORE | {"a.py": "alpha_zero = 0\n"})
    repo.commit()
    assert cairn("index", str(repo.path), cwd=None, **home).returncode == 0
    write(repo.path, "a.py", BEFORE["a.py"])
    assert cairn("index", str(repo.path), cwd=None, **home).returncode == 0
    shutil.copytree(base / "now", base / "kept")
    return base


@pytest.fixture
def codebase(template: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Codebase]:
    """The template's repository with its store, at the same place and in its first state again."""
    now = template / "now"
    shutil.rmtree(now)
    shutil.copytree(template / "kept", now)
    monkeypatch.setenv("CAIRN_HOME", str(now / "home"))
    with Codebase(str(now / "repo")) as codebase:
        yield codebase


def fill(root: Path, files: dict[str, str]) -> None:
    for path in root.glob("*.py"):
        path.unlink()
    for name, text in files.items():
        write(root, name, text)


def content(codebase: Codebase) -> dict[str, str]:
    """Every live file with its text."""
    with codebase.view() as view:
        assert view.recovered == ""
        assert audit(view) == []
        return {
            file.path_key: "".join(row.text for row in view.rows.of(file.path_key) if row.kind == "text")
            for file in view.files()
        }


def die_at(point: str, *arguments: str, **environment: str) -> None:
    done = cairn(*arguments, cwd=None, **{"CAIRN_CRASH_AT": point, **environment})
    assert done.returncode == -signal.SIGKILL, f"{point} was not reached: {done.stdout}{done.stderr}"


def sync_at_once(codebase: Codebase) -> None:
    """Without waiting for any time to live: the owner is proven dead."""
    with Codebase(codebase.root.path) as again:
        sync(again.store(), again.detector, lambda: again.embedder, SyncOptions(wait_s=0))


def assert_sound(layout: Layout) -> None:
    errors = [check for check in check_store(layout) if check.level is Level.ERROR]
    assert errors == []


def assert_no_garbage(codebase: Codebase) -> None:
    """Only the active snapshot and what it references is left."""
    store = codebase.store()
    store.collect(force=True)
    layout = store.layout
    with store.view() as view:
        manifest = view.manifest
    assert os.listdir(layout.staging) == []
    assert sorted(os.listdir(layout.segments)) == sorted(ref.segment_id for ref in manifest.segments)
    referenced = {ref.path for ref in manifest.files}
    expected = referenced | {f"snapshots/{manifest.snapshot_id}/manifest.json"}
    assert files_beneath(layout, layout.snapshots) == expected
    assert sorted(name for name in os.listdir(layout.path) if os.path.isfile(os.path.join(layout.path, name))) == [
        "ACTIVE_SNAPSHOT",
        "index_state.json",
    ]
    assert not os.path.exists(layout.guard)
    assert temporary_files(layout) == set()


def files_beneath(layout: Layout, folder: str) -> set[str]:
    return {
        os.path.relpath(os.path.join(inside, name), layout.path)
        for inside, _, names in os.walk(folder)
        for name in names
    }


def temporary_files(layout: Layout) -> set[str]:
    return {name for name in files_beneath(layout, layout.path) if ".tmp-" in name or ".staged-" in name}


def assert_recovers(codebase: Codebase, expected: dict[str, str]) -> None:
    layout = codebase.store().layout
    sync_at_once(codebase)
    assert content(codebase) == expected
    assert_sound(layout)
    assert_no_garbage(codebase)
    assert content(codebase) == expected
    assert_sound(layout)


def test_every_point_belongs_to_one_of_the_commands_below() -> None:
    assert sorted((*INDEX_POINTS, *SEED_POINTS, *COMPACT_POINTS, *GC_POINTS, *OTHER_POINTS)) == sorted(faults.POINTS)


@pytest.mark.slow
@pytest.mark.requirement("STO.5")
@pytest.mark.requirement("LEASE.4")
@pytest.mark.parametrize("point", INDEX_POINTS)
def test_an_index_that_dies_leaves_the_old_or_the_new_snapshot(codebase: Codebase, point: str) -> None:
    root = codebase.root.path
    fill(Path(root), AFTER)
    environment = {}
    if point == "lease.heartbeat":
        # A beat a millisecond: several of them fall into any run.
        environment["CAIRN_LEASE_TTL_MS"] = "3"
    if point == "lease.stolen":
        die_at("staging.created", "index", root)
    die_at(point, "index", root, **environment)
    assert content(codebase) == (AFTER if point in AFTER_SWAP else BEFORE)
    assert_recovers(codebase, AFTER)


@pytest.mark.slow
@pytest.mark.requirement("STO.5")
def test_the_command_line_goes_on_after_an_index_died(codebase: Codebase) -> None:
    root = codebase.root.path
    fill(Path(root), AFTER)
    die_at("publish.manifest_written", "index", root)
    found = json.loads(cairn("search", "--no-sync", "--json", "alpha", root).stdout)
    texts = {result["path"]: result["text"] for result in found["results"]}
    assert texts["a.py"] == BEFORE["a.py"].rstrip("\n")
    assert "new.py" not in texts
    for command in (("index", root), ("audit", root), ("gc", "--force", root), ("health", root)):
        done = cairn(*command)
        assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"


@pytest.mark.slow
@pytest.mark.requirement("STO.5")
@pytest.mark.parametrize("point", ["segment.rows_written", "segment.synced"])
def test_a_store_with_unfinished_work_in_staging_has_no_error_in_its_health(codebase: Codebase, point: str) -> None:
    root = codebase.root.path
    fill(Path(root), AFTER)
    die_at(point, "index", root)
    assert_sound(codebase.store().layout)


@pytest.mark.slow
@pytest.mark.requirement("STO.5")
@pytest.mark.parametrize("point", [*COMPACT_POINTS, "segment.moved", "publish.gate_passed"])
def test_a_compaction_that_dies_changes_no_content(codebase: Codebase, point: str) -> None:
    die_at(point, "compact", "--force", codebase.root.path)
    assert content(codebase) == BEFORE
    sync_at_once(codebase)
    codebase.compact(force=True)
    assert content(codebase) == BEFORE
    assert_no_garbage(codebase)
    assert_sound(codebase.store().layout)


@pytest.mark.slow
@pytest.mark.requirement("STO.5")
@pytest.mark.requirement("GC.4")
@pytest.mark.parametrize("point", GC_POINTS)
def test_a_collection_that_dies_loses_nothing_and_the_next_one_finishes(codebase: Codebase, point: str) -> None:
    root = codebase.root.path
    codebase.compact(force=True)
    if point == "gc.staging_removed":
        die_at("segment.rows_written", "index", "--reindex", root)
    die_at(point, "gc", "--force", root)
    assert content(codebase) == BEFORE
    fill(Path(root), AFTER)
    assert_recovers(codebase, AFTER)


@pytest.mark.slow
@pytest.mark.requirement("STO.5")
@pytest.mark.parametrize("point", ["publish.manifest_written", "publish.lease_checked"])
def test_a_snapshot_that_was_never_published_is_garbage_even_if_no_other_follows(
    codebase: Codebase, point: str
) -> None:
    """The edit is taken back after the crash, so the next sync has nothing to publish."""
    root = Path(codebase.root.path)
    fill(root, AFTER)
    die_at(point, "index", str(root))
    fill(root, BEFORE)
    sync_at_once(codebase)
    assert content(codebase) == BEFORE
    assert_no_garbage(codebase)


_DIE_BEFORE_RENAME = """
import os, signal, sys
rename = os.rename
def dying(source, target):
    if os.path.basename(target) == sys.argv[2]:
        os.kill(os.getpid(), signal.SIGKILL)
    rename(source, target)
os.rename = dying
from cairn.program.start import main
main(["index", sys.argv[1]])
"""


@pytest.mark.slow
@pytest.mark.requirement("STO.5")
@pytest.mark.parametrize("name", ["writer_lease.json", "index_state.json", "manifest.json", "ACTIVE_SNAPSHOT"])
def test_a_temporary_file_of_a_dead_process_does_not_outlive_the_next_collection(codebase: Codebase, name: str) -> None:
    # No named point lies inside a durable write, so the child's own rename is where it dies.
    root = codebase.root.path
    fill(Path(root), AFTER)
    done = subprocess.run((sys.executable, "-c", _DIE_BEFORE_RENAME, root, name), check=False, capture_output=True)
    assert done.returncode == -signal.SIGKILL
    assert_recovers(codebase, AFTER)


@pytest.mark.slow
@pytest.mark.requirement("STO.5")
def test_crashes_in_a_row_do_not_add_up(codebase: Codebase) -> None:
    root = codebase.root.path
    fill(Path(root), AFTER)
    for point in ("staging.created", "segment.hashed", "publish.manifest_written", "lease.stolen"):
        die_at(point, "index", root)
        assert content(codebase) == BEFORE
    assert_recovers(codebase, AFTER)


@pytest.mark.slow
@pytest.mark.requirement("STO.5")
@pytest.mark.parametrize("point", ["segment.moved", "publish.gate_passed", "publish.state_written"])
def test_the_very_first_index_may_die_too(repo: Repo, point: str) -> None:
    fill(repo.path, AFTER)
    die_at(point, "index", str(repo.path))
    with Codebase(str(repo.path)) as codebase:
        assert_recovers(codebase, AFTER)


@pytest.mark.requirement("LEASE.4")
def test_the_next_owner_removes_the_dead_owners_staging_before_it_starts(codebase: Codebase) -> None:
    root = codebase.root.path
    fill(Path(root), AFTER)
    die_at("segment.vectors_written", "index", root)
    layout = codebase.store().layout
    (left,) = os.listdir(layout.staging)
    with codebase.store().writer():
        assert left not in os.listdir(layout.staging)


@pytest.mark.requirement("GC.4")
def test_staging_of_a_living_process_stays_however_old_it_is(codebase: Codebase) -> None:
    """A compaction builds without the lease and may take its time."""
    layout = codebase.store().layout
    running = staging.Staging(layout, new_ulid())
    os.utime(running.path, (1, 1))
    codebase.collect(force=True)
    assert os.path.isdir(running.path)


@pytest.mark.requirement("GC.4")
def test_old_staging_of_nobody_known_is_removed_and_young_one_stays(codebase: Codebase) -> None:
    layout = codebase.store().layout
    paths = {}
    for age in ("old", "young"):
        made = staging.Staging(layout, new_ulid())
        document = this_process().document() | {"boot_id": "another machine's"}
        write(Path(made.path), "owner.json", json.dumps(document))
        paths[age] = made.path
    os.utime(paths["old"], (1, 1))
    codebase.collect(force=True)
    assert not os.path.exists(paths["old"])
    assert os.path.isdir(paths["young"])


@pytest.mark.requirement("GC.4")
def test_the_marker_goes_with_its_snapshot(codebase: Codebase) -> None:
    layout = codebase.store().layout
    older = min(manifest.snapshot_id for manifest in newest_first(layout))
    codebase.compact(force=True)
    codebase.collect(force=True)
    active = read_pointer(layout)
    assert active is not None
    assert [manifest.snapshot_id for manifest in newest_first(layout)] == [active]
    with SnapshotView(layout) as view:
        marker = view.marker()
        assert marker is not None
        assert marker["snapshotId"] == active
    assert not [name for name in os.listdir(layout.segments) if older in name]
    assert gc.plan_gc(layout, leased_txn="", force=True).snapshots == ()
