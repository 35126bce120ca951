"""A codebase's life on the command line and in the engine: gates before every read, runs that end well or badly."""

import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import cairn
from cairn.base.errors import (
    BusyError,
    CairnError,
    CorruptStoreError,
    NotReadyError,
    RequiresReindexError,
    StorageError,
    TransitionError,
)
from cairn.codebase.codebase import Codebase
from cairn.config.user import cairn_home
from cairn.indexing.options import SyncOptions
from cairn.lifecycle.envelopes import envelope_of
from cairn.lifecycle.freshness import Decision, Freshener
from cairn.lifecycle.registry import Registry
from cairn.lifecycle.states import State
from cairn.lifecycle.tracked import Tracked
from cairn.store.log import LOG_FILE
from cairn.store.view import SnapshotView
from tests.surfaces.cli.test_store import answer, run
from tests.trees import Repo, write

Marker = Callable[[SnapshotView], dict[str, object] | None]
TEXT = "def lease(epoch):\n    return epoch + 1\n\n\ndef renew():\n    return lease(2)\n"
OTHER = "[index]\nchunk_bytes = 500\n"


@pytest.fixture
def indexed(repo: Repo) -> Repo:
    repo.write("src/lease.py", TEXT)
    repo.commit()
    answer("index", str(repo.path))
    return repo


@pytest.fixture
def neighbour(tmp_path: Path) -> Repo:
    """Another codebase, indexed."""
    repo = Repo.create(tmp_path / "neighbour")
    repo.write("b.py", "def neighbour():\n    return 1\n")
    answer("index", str(repo.path))
    return repo


def reads(path: Path) -> list[tuple[str, ...]]:
    """Every command that answers a question, without a sync where one can be left out."""
    root, file = str(path), str(path / "src" / "lease.py")
    return [
        ("search", "--no-sync", "lease", root),
        ("symbol", "--no-sync", "lease", root),
        ("refs", "--no-sync", "lease", root),
        ("callers", "--no-sync", "lease", root),
        ("callees", "--no-sync", "renew", root),
        ("outline", "--no-sync", file),
        ("imports", "--no-sync", file),
        ("map", "--no-sync", root),
        ("impact", "--no-sync", file),
        ("slice", "--no-sync", f"{file}:2", "epoch"),
    ]


def row(path: Path) -> Tracked:
    found = Registry(cairn_home()).get(str(path))
    assert found is not None
    return found


def code_of(*arguments: str) -> tuple[int, str]:
    """Exit code, and the code of the error if there is one."""
    done = run(*arguments, "--json")
    document = json.loads(done.stdout)
    return done.returncode, document["error"]["code"] if "error" in document else ""


@pytest.fixture
def started() -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """Start a command that stops itself at a point; whatever becomes of the test, it ends."""
    children: list[subprocess.Popen[str]] = []

    def start(point: str, *arguments: str) -> subprocess.Popen[str]:
        child = subprocess.Popen(
            (sys.executable, "-m", "cairn", *arguments),
            env=os.environ | {"CAIRN_STOP_AT": point},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        children.append(child)
        _, status = os.waitpid(child.pid, os.WUNTRACED)
        assert os.WIFSTOPPED(status), f"it never stopped: {status}"
        return child

    yield start
    for child in children:
        if child.returncode is None:
            child.kill()
            child.communicate()


def die_at(point: str, *arguments: str) -> None:
    done = subprocess.run(
        (sys.executable, "-m", "cairn", *arguments),
        env=os.environ | {"CAIRN_CRASH_AT": point},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == -signal.SIGKILL, done.stdout + done.stderr


def registry_file() -> bytes:
    return Path(Registry(cairn_home()).path).read_bytes()


# Other settings.


@pytest.mark.slow
@pytest.mark.requirement("SIS.5", "LOCK.4")
def test_a_changed_index_setting_requires_a_reindex_on_every_command(indexed: Repo) -> None:
    """ISS-INDEX-STABILITY-G: never a silent empty store, and never not_indexed."""
    root = str(indexed.path)
    before = row(indexed.path)
    indexed.write(".cairn.toml", OTHER)
    with_sync = [
        ("search", "lease", root),
        ("index", root),
        ("status", root),
        ("symbol", "lease", root),
        ("refs", "lease", root),
        ("callers", "lease", root),
        ("outline", f"{root}/src/lease.py"),
        ("map", root),
    ]
    for command in (*with_sync, *reads(indexed.path)):
        assert code_of(*command) == (4, "requires_reindex"), command
    told = run("status", root)
    assert "index.chunk_bytes" in told.stderr
    assert "-> 500" in told.stderr
    assert "cairn index --reindex" in told.stderr
    with pytest.raises(RequiresReindexError):
        cairn.open(root, sync=False)
    assert row(indexed.path) == before, "no question moves the row"
    # As it was before is as it was before.
    (indexed.path / ".cairn.toml").unlink()
    assert code_of("search", "--no-sync", "lease", root) == (0, "")
    indexed.write(".cairn.toml", OTHER)
    answer("index", "--reindex", root)
    after = row(indexed.path)
    assert (after.state, after.store_id != before.store_id) == (State.INDEXED, True)
    for command in (*with_sync, *reads(indexed.path)):
        assert code_of(*command) == (0, ""), command
    # The old settings are now the other ones.
    (indexed.path / ".cairn.toml").unlink()
    assert code_of("search", "lease", root) == (4, "requires_reindex")
    answer("index", "--reindex", root)
    assert row(indexed.path).store_id == before.store_id


@pytest.mark.requirement("SIS.5", "LOCK.9")
def test_the_envelope_of_a_subdirectory_names_the_root_that_is_tracked(indexed: Repo) -> None:
    """Seed 001 test 9."""
    indexed.write(".cairn.toml", OTHER)
    inner = str(indexed.path / "src")
    with Codebase(inner) as codebase:
        envelope = envelope_of(codebase.verdict(inner))
    assert envelope is not None
    assert (envelope["status"], envelope["path"], envelope["codebaseRoot"]) == (
        "requires_reindex",
        inner,
        str(indexed.path),
    )
    assert envelope["hints"]["reindex"]["args"] == {"action": "reindex", "path": str(indexed.path)}
    assert "index.chunk_bytes" in envelope["message"]


# A run under way.


@pytest.mark.slow
@pytest.mark.requirement("LOCK.1", "LOCK.8", "LOCK.10")
@pytest.mark.parametrize("what", ["create", "reindex"])
def test_only_the_active_codebase_is_blocked(
    repo: Repo, neighbour: Repo, what: str, started: Callable[..., subprocess.Popen[str]]
) -> None:
    """Seed 001 tests 2, 4 and 7."""
    repo.write("src/lease.py", TEXT)
    root = str(repo.path)
    if what == "reindex":
        answer("index", root)
    child = started("segment.rows_written", "index", "--reindex", root)
    before = registry_file()
    for command in reads(repo.path):
        assert code_of(*command) == (10, "not_ready"), command
    with pytest.raises(NotReadyError):
        cairn.open(root, sync=False)
    status = answer("status", root)
    assert (status["state"], status["completion_proof"]) == ("indexing", None)
    assert set(status["indexing"]) == {"progress_pct", "phase", "last_updated"}
    assert status["indexing"]["progress_pct"] < 100
    assert code_of("clear", root) == (10, "not_ready")
    assert code_of("search", "--no-sync", "neighbour", str(neighbour.path)) == (0, "")
    with Codebase(root) as codebase:
        synced: list[int] = []

        def sync() -> bool:
            synced.append(1)
            return codebase.index(SyncOptions(wait_s=0), create=False).published

        found = Freshener().ensure_freshness(codebase.verdict(), sync, exists=lambda: True)
        assert (found.decision, synced) == (Decision.SKIPPED_INDEXING, [])
        with pytest.raises(NotReadyError) as refused:
            codebase.index(SyncOptions(wait_s=0))
        assert refused.value.retry_after_ms
        with pytest.raises(NotReadyError):
            codebase.index(SyncOptions(wait_s=0, reindex=True))
    assert registry_file() == before, "nobody who asks or is refused writes"
    child.send_signal(signal.SIGCONT)
    child.communicate(timeout=60)
    assert child.returncode == 0
    for command in reads(repo.path):
        assert code_of(*command) == (0, ""), command
    assert row(repo.path).state is State.INDEXED


@pytest.mark.slow
@pytest.mark.requirement("LOCK.4")
def test_other_settings_are_told_before_a_run_under_way(
    repo: Repo, started: Callable[..., subprocess.Popen[str]]
) -> None:
    """Seed 001 test 8."""
    repo.write("src/lease.py", TEXT)
    started("segment.rows_written", "index", str(repo.path))
    assert code_of("status", str(repo.path)) == (0, "")
    repo.write(".cairn.toml", OTHER)
    assert code_of("search", "--no-sync", "lease", str(repo.path)) == (4, "requires_reindex")
    assert code_of("clear", str(repo.path)) == (10, "not_ready"), "the run is what keeps a clear away"


@pytest.mark.slow
@pytest.mark.requirement("LOCK.1")
def test_a_run_under_way_is_told_also_where_the_old_snapshot_is_damaged(
    indexed: Repo, started: Callable[..., subprocess.Popen[str]]
) -> None:
    """The run makes it anew: nobody has to repair anything."""
    started("segment.rows_written", "index", "--reindex", str(indexed.path))
    (manifest,) = (Path(cairn_home()) / "data" / row(indexed.path).store_id / "snapshots").glob("*/manifest.json")
    manifest.write_bytes(b"{")
    assert code_of("search", "--no-sync", "lease", str(indexed.path)) == (10, "not_ready")
    assert answer("status", str(indexed.path))["state"] == "indexing"


@pytest.mark.slow
@pytest.mark.requirement("LOCK.1")
def test_an_incremental_sync_blocks_nobody(indexed: Repo, started: Callable[..., subprocess.Popen[str]]) -> None:
    indexed.write("src/more.py", "def more():\n    return 1\n")
    started("segment.rows_written", "index", str(indexed.path))
    assert row(indexed.path).state is State.INDEXED
    for command in reads(indexed.path):
        assert code_of(*command) == (0, ""), command


# A run that dies or fails.


@pytest.mark.slow
@pytest.mark.requirement("LOCK.5")
@pytest.mark.parametrize("last_good", [False, True])
def test_a_killed_run_is_seen_as_failed_and_the_next_index_completes(repo: Repo, last_good: bool) -> None:
    repo.write("src/lease.py", TEXT)
    root = str(repo.path)
    if last_good:
        answer("index", root)
    die_at("segment.rows_written", "index", "--reindex", root)
    before = registry_file()
    if last_good:
        found = answer("search", "--no-sync", "lease", root)
        assert any(text.startswith("last_index_failed, the last good snapshot answers") for text in found["warnings"])
        status = answer("status", root)
        assert (status["state"], status["last_error"]["code"]) == ("indexfailed", "indexer_died")
        assert "last_index_failed" in run("status", root).stdout
    else:
        for command in (("search", "--no-sync", "lease", root), ("status", root)):
            done = run(*command)
            assert done.returncode == 3
            assert "the last run failed" in done.stderr
            assert "cairn index" in done.stderr
    assert registry_file() == before, "reading persists nothing"
    assert row(repo.path).state is State.INDEXING
    answer("index", root)
    assert (row(repo.path).state, row(repo.path).failure) == (State.INDEXED, None)
    assert answer("search", "--no-sync", "lease", root)["warnings"] == []


@pytest.mark.slow
@pytest.mark.requirement("LOCK.5", "SIS.9")
@pytest.mark.parametrize("point", ["publish.pointer_swapped", "publish.state_written", "publish.staging_removed"])
def test_a_process_that_dies_between_publish_and_complete_is_mended_by_the_next_index(repo: Repo, point: str) -> None:
    repo.write("src/lease.py", TEXT)
    root = str(repo.path)
    die_at(point, "index", root)
    assert row(repo.path).state is State.INDEXING
    # The marker is there and valid: every surface reads what it proves, with the warning.
    status = answer("status", root)
    assert (status["state"], status["completion_proof"]) == ("indexfailed", "valid")
    found = answer("search", "--no-sync", "lease", root)
    assert found["snapshot_id"] == status["snapshot_id"]
    assert any("last_index_failed" in text for text in found["warnings"])
    answer("index", root)
    after = row(repo.path)
    assert (after.state, after.snapshot_id, after.failure) == (State.INDEXED, status["snapshot_id"], None)
    assert after.files == 1


@pytest.mark.slow
@pytest.mark.requirement("LOCK.5")
def test_a_failed_reindex_leaves_the_last_good_snapshot_readable_with_a_warning(indexed: Repo) -> None:
    root, good = str(indexed.path), row(indexed.path).snapshot_id
    with Codebase(root) as codebase:

        def fail(*_: object) -> None:
            raise StorageError("The disk is full.")

        codebase._bring_up_to_date = fail  # type: ignore[method-assign,assignment]
        with pytest.raises(StorageError):
            codebase.index(SyncOptions(reindex=True))
    failed = row(indexed.path)
    assert (failed.state, failed.snapshot_id) == (State.INDEXFAILED, good)
    assert failed.failure is not None
    assert failed.failure.code == "storage_failed"
    for command in reads(indexed.path):
        assert code_of(*command) == (0, ""), command
    found = answer("search", "--no-sync", "lease", root)
    assert found["snapshot_id"] == good
    assert any("last_index_failed" in text and "The disk is full." in text for text in found["warnings"])
    assert answer("status", root)["last_error"]["code"] == "storage_failed"
    # A question brings it up to date and mends nothing of its state.
    indexed.write("src/new.py", "def brand_new():\n    return 1\n")
    assert code_of("symbol", "brand_new", root) == (0, "")
    assert row(indexed.path).state is State.INDEXFAILED
    answer("index", root)
    assert (row(indexed.path).state, row(indexed.path).failure) == (State.INDEXED, None)


@pytest.mark.requirement("LOCK.5", "LOCK.7")
def test_a_run_that_published_no_marker_is_failed_and_never_indexed(
    repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Seed 001 test 1: the store being there is no proof."""
    repo.write("src/lease.py", TEXT)
    monkeypatch.setattr(SnapshotView, "marker", lambda _: None)
    with Codebase(str(repo.path)) as codebase, pytest.raises(TransitionError, match="missing_marker_doc"):
        codebase.index(SyncOptions())
    assert row(repo.path).state is State.INDEXFAILED
    assert code_of("search", "--no-sync", "lease", str(repo.path)) == (3, "not_indexed")


def test_a_failed_sync_changes_no_state(indexed: Repo) -> None:
    before = row(indexed.path)
    indexed.write("src/more.py", "x = 1\n")
    with Codebase(str(indexed.path)) as codebase:

        def fail(*_: object) -> None:
            raise CorruptStoreError("rotten")

        codebase._bring_up_to_date = fail  # type: ignore[method-assign,assignment]
        found = Freshener().ensure_freshness(
            codebase.verdict(), lambda: codebase.index(create=False).published, exists=lambda: True
        )
    assert found.decision is Decision.FAILED
    assert row(indexed.path) == before


@pytest.mark.slow
def test_a_sync_that_published_is_noted_and_one_without_changes_is_not(indexed: Repo) -> None:
    before = row(indexed.path)
    answer("index", str(indexed.path))
    assert row(indexed.path) == before
    indexed.write("src/more.py", "x = 1\n")
    published = answer("index", str(indexed.path))
    after = row(indexed.path)
    assert (after.state, after.snapshot_id, after.files) == (State.SYNC_COMPLETED, published["snapshot_id"], 2)


@pytest.mark.slow
def test_a_registry_that_can_not_be_written_hides_no_published_snapshot(
    indexed: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    indexed.write("src/more.py", "def more():\n    return 1\n")
    for error in (StorageError("no space left"), PermissionError(13, "Permission denied")):

        def refuse(*_: object, error: Exception = error) -> bool:
            raise error

        indexed.write("src/more.py", f"def more():\n    return {type(error).__name__!r}\n")
        monkeypatch.setattr(Registry, "synced", refuse)
        done = answer("index", str(indexed.path))
        assert done["published"]
        assert any("the registry could not be brought up to date" in text for text in done["warnings"])


# Without a proof.


def missing_of(snapshot: str, real: Marker) -> Marker:
    """One snapshot without its marker, as an engine that lost it would answer."""
    return lambda view: None if view.snapshot_id == snapshot else real(view)


@pytest.mark.slow
@pytest.mark.requirement("SIS.6", "SIS.7", "SIS.12")
def test_create_repairs_a_stale_searchable_state_and_says_so(indexed: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    """ISS-INDEX-STABILITY-B, C and F."""
    root, old = str(indexed.path), row(indexed.path)
    monkeypatch.setattr(SnapshotView, "marker", missing_of(old.snapshot_id, SnapshotView.marker))
    before = registry_file()
    for command in (*reads(indexed.path), ("status", root)):
        done = run(*command)
        assert done.returncode == 3, command
        assert "recorded as indexed, but its store has no valid completion proof (missing_marker_doc)" in done.stderr
        assert re.search("[Rr]un `cairn index", done.stderr)
    with Codebase(root) as codebase:
        envelope = envelope_of(codebase.verdict())
    assert envelope is not None
    assert (envelope["status"], envelope["reason"]) == ("not_indexed", "not_indexed")
    assert envelope["hints"]["staleLocal"]["recommendedAction"]["args"] == {"action": "create", "path": root}
    assert registry_file() == before, "stale-local answers change nothing"
    created = answer("index", root)
    assert [note["code"] for note in created["notices"]] == ["proof_missing"]
    assert created["published"]
    after = row(indexed.path)
    assert (after.state, after.snapshot_id != old.snapshot_id) == (State.INDEXED, True)
    assert answer("index", root)["warnings"] == []
    for command in reads(indexed.path):
        assert code_of(*command) == (0, ""), command


@pytest.mark.slow
@pytest.mark.requirement("SIS.7")
def test_create_proceeds_where_the_store_of_a_tracked_root_is_gone(indexed: Repo) -> None:
    """ISS-INDEX-STABILITY-B."""
    shutil.rmtree(Path(cairn_home()) / "data" / row(indexed.path).store_id)
    assert code_of("search", "--no-sync", "lease", str(indexed.path)) == (3, "not_indexed")
    created = answer("index", str(indexed.path))
    assert [note["code"] for note in created["notices"]] == ["proof_missing"]
    assert code_of("search", "--no-sync", "lease", str(indexed.path)) == (0, "")


FAILURES = [
    CorruptStoreError("rotten"),
    BusyError("away"),
    PermissionError(13, "no"),
    TimeoutError("late"),
    ValueError(),
]


@pytest.mark.slow
@pytest.mark.requirement("SIS.4", "SIS.9", "SIS.12")
@pytest.mark.parametrize("error", FAILURES, ids=lambda error: type(error).__name__)
def test_probe_failure_is_a_note_and_flips_nothing(
    indexed: Repo, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    """ISS-INDEX-STABILITY-G."""

    def fail(_: SnapshotView) -> None:
        raise error

    healthy = answer("status", str(indexed.path))
    assert healthy["warnings"] == []
    monkeypatch.setattr(SnapshotView, "marker", fail)
    for command in reads(indexed.path):
        assert code_of(*command) == (0, ""), command
    status = answer("status", str(indexed.path))
    assert (status["state"], status["completion_proof"]) == ("indexed", "probe_failed")
    (note,) = status["warnings"]
    assert "completion proof could not be looked for" in note
    assert "note: the completion proof" in run("status", str(indexed.path)).stdout
    with Codebase(str(indexed.path)) as codebase:
        assert codebase.verdict().passes
    monkeypatch.undo()


@pytest.mark.slow
@pytest.mark.requirement("SIS.1", "SIS.4", "SIS.9")
def test_create_status_search_and_list_do_not_flap_under_a_backend_that_comes_and_goes(
    indexed: Repo, neighbour: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    """ISS-INDEX-STABILITY-D, E and cycle 4: fails, empty, slow and healthy in any order."""
    chance, real, root = random.Random(7), SnapshotView.marker, str(indexed.path)
    members = [store["canonical_root"] for store in answer("stores")["stores"]]
    rows = Registry(cairn_home()).all()
    mood: list[object] = [None]

    def moody(view: SnapshotView) -> dict[str, object] | None:
        if isinstance(mood[0], Exception):
            raise mood[0]
        return None if mood[0] == "empty" else real(view)

    monkeypatch.setattr(SnapshotView, "marker", moody)
    for _ in range(60):
        mood[0] = chance.choice([*FAILURES, "empty", "healthy"])
        # A successful empty probe is no proof, and still no reason to change anything.
        expected = 3 if mood[0] == "empty" else 0
        command = chance.choice(["index", "status", "search", "stores"])
        if command == "stores":
            assert [store["canonical_root"] for store in answer("stores")["stores"]] == members
        elif command == "index" and mood[0] != "empty":
            assert not answer("index", root)["published"]
        elif command == "status":
            assert run("status", root).returncode == expected
        else:
            assert run("search", "--no-sync", "lease", root).returncode == expected
        assert Registry(cairn_home()).all() == rows
    mood[0] = "healthy"
    assert answer("status", root)["state"] == "indexed"


# Clear, and a registry that was lost.


def stores() -> set[str]:
    return {path.name for path in (Path(cairn_home()) / "data").iterdir()}


@pytest.mark.slow
def test_clear_with_a_changed_setting_removes_the_store_of_the_old_one(indexed: Repo, neighbour: Repo) -> None:
    kept = row(neighbour.path)
    indexed.write(".cairn.toml", OTHER)
    assert answer("clear", str(indexed.path))["removed"]
    assert stores() == {kept.store_id}
    assert Registry(cairn_home()).all() == (kept,)
    assert code_of("status", str(indexed.path)) == (3, "not_indexed")


@pytest.mark.slow
def test_a_clear_that_is_refused_forgets_nothing(indexed: Repo) -> None:
    before = row(indexed.path)
    with Codebase(str(indexed.path)) as codebase, codebase.view():
        indexed.write(".cairn.toml", OTHER)
        assert code_of("clear", str(indexed.path)) == (10, "busy")
    assert row(indexed.path) == before
    assert answer("clear", str(indexed.path))["removed"]
    assert (stores(), Registry(cairn_home()).all()) == (set(), ())


@pytest.mark.slow
@pytest.mark.requirement("SIS.1", "SIS.8")
@pytest.mark.parametrize("how", ["deleted", "damaged", "emptied"])
def test_a_lost_registry_forgets_nothing_that_stores_prove(indexed: Repo, neighbour: Repo, how: str) -> None:
    path = Path(Registry(cairn_home()).path)
    before = {found.root: (found.store_id, found.snapshot_id) for found in Registry(cairn_home()).all()}
    if how == "deleted":
        path.unlink()
    else:
        path.write_bytes(b"" if how == "emptied" else b"no database" * 500)
    for command in reads(indexed.path):
        assert code_of(*command) == (0, ""), command
    assert answer("status", str(indexed.path))["state"] == "indexed"
    assert path.exists() == (how != "deleted"), "reading makes no registry"
    told = answer("index", str(indexed.path))["warnings"]
    assert [("damaged" in text) for text in told] == ([True] if how == "damaged" else [])
    found = {each.root: (each.store_id, each.snapshot_id) for each in Registry(cairn_home()).all()}
    assert found == before, "all are found again, not only the one that was asked for"


@pytest.mark.slow
@pytest.mark.requirement("SIS.8")
def test_a_root_that_is_not_tracked_any_more_is_tracked_again_by_a_sync_without_changes(
    indexed: Repo, neighbour: Repo
) -> None:
    before = row(indexed.path)
    Registry(cairn_home()).forget(str(indexed.path))
    assert code_of("search", "--no-sync", "lease", str(indexed.path)) == (0, "")
    assert Registry(cairn_home()).get(str(indexed.path)) is None
    assert not answer("index", str(indexed.path))["published"]
    after = row(indexed.path)
    assert (after.state, after.store_id, after.snapshot_id) == (State.INDEXED, before.store_id, before.snapshot_id)


@pytest.mark.slow
@pytest.mark.requirement("SIS.5", "SIS.8")
def test_a_lost_registry_does_not_hide_that_settings_changed(indexed: Repo) -> None:
    os.unlink(Registry(cairn_home()).path)
    indexed.write(".cairn.toml", OTHER)
    assert code_of("index", str(indexed.path)) == (4, "requires_reindex")


@pytest.mark.slow
@pytest.mark.requirement("SIS.8")
def test_of_two_stores_of_a_root_the_newest_is_found(indexed: Repo) -> None:
    indexed.write(".cairn.toml", OTHER)
    answer("index", "--reindex", str(indexed.path))
    newest = row(indexed.path)
    os.unlink(Registry(cairn_home()).path)
    answer("index", str(indexed.path))
    assert len(stores()) == 2
    assert (row(indexed.path).store_id, row(indexed.path).snapshot_id) == (newest.store_id, newest.snapshot_id)


@pytest.mark.slow
@pytest.mark.requirement("SIS.8")
def test_gc_of_stores_prunes_what_has_no_store_and_nothing_else(indexed: Repo, neighbour: Repo) -> None:
    shutil.rmtree(Path(cairn_home()) / "data" / row(neighbour.path).store_id)
    done = answer("gc", "--stores", str(indexed.path))
    assert done["forgotten"] == [str(neighbour.path)]
    assert [found.root for found in Registry(cairn_home()).all()] == [str(indexed.path)]


@pytest.mark.slow
@pytest.mark.requirement("SIS.8")
def test_gc_of_stores_keeps_a_codebase_whose_store_can_not_be_looked_at(indexed: Repo, neighbour: Repo) -> None:
    os.chmod(Path(cairn_home()) / "data" / row(neighbour.path).store_id, 0o755)
    assert answer("gc", "--stores", str(indexed.path))["forgotten"] == []
    assert row(neighbour.path).state is State.INDEXED


# Questions change nothing.


def everything(home: Path) -> dict[str, tuple[object, ...]]:
    """Every file and folder below the home but what stands in a store's cache, and the count of answers."""
    found: dict[str, tuple[object, ...]] = {}
    for path in sorted(home.rglob("*")):
        inside = path.relative_to(home).parts
        if (inside[0] == "data" and "cache" in inside[2:3]) or inside[0] == "gain":
            continue
        status = path.lstat()
        content = path.read_bytes() if path.is_file() else b""
        found[str(path)] = (status.st_mode, status.st_size, status.st_mtime_ns, status.st_ino, content)
    return found


def slow(real: Marker) -> Marker:
    """Slow enough that others come in between: it lets go of the processor."""

    def marker(view: SnapshotView) -> dict[str, object] | None:
        os.sched_yield()
        return real(view)

    return marker


BACKENDS = ["healthy", "corrupt", "permission", "timeout", "empty", "slow", "damaged store", "unopenable"]


@pytest.mark.slow
@pytest.mark.requirement("SIS.1", "SIS.9")
@pytest.mark.parametrize("backend", BACKENDS)
def test_foreground_reads_never_mutate(
    indexed: Repo, neighbour: Repo, backend: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """ISS-INDEX-STABILITY-A, D, E and F, cycle 2."""
    home, root = Path(cairn_home()), str(indexed.path)
    real = SnapshotView.marker
    errors = {
        "corrupt": CorruptStoreError("rotten"),
        "permission": PermissionError(13, "no"),
        "timeout": TimeoutError(),
    }
    for command in reads(indexed.path):
        run(*command)
    if backend in errors:

        def fail(_: SnapshotView) -> None:
            raise errors[backend]

        monkeypatch.setattr(SnapshotView, "marker", fail)
    elif backend == "empty":
        monkeypatch.setattr(SnapshotView, "marker", lambda _: None)
    elif backend == "slow":
        monkeypatch.setattr(SnapshotView, "marker", slow(real))
    elif backend == "damaged store":
        (manifest,) = (home / "data" / row(indexed.path).store_id / "snapshots").glob("*/manifest.json")
        manifest.write_bytes(b"{")
    elif backend == "unopenable":

        def refuse(*_: object, **__: object) -> None:
            raise PermissionError(13, "Permission denied")

        monkeypatch.setattr("cairn.store.store.Store.view", refuse)
    before = everything(home)
    codes = {run(*command).returncode for command in (*reads(indexed.path), ("status", root))}
    expected = {"empty": {3}, "damaged store": {14}, "unopenable": {70}}.get(backend, {0})
    assert codes == expected
    assert run("stores").returncode == 0
    assert run("search", "--no-sync", "--all", "lease").returncode in (0, 1) or backend in ("empty", "unopenable")
    try:
        with cairn.open(root, sync=False) as workspace:
            workspace.read("src/lease.py")
            workspace.search("lease")
            workspace.outline("src/lease.py")
    except (CairnError, OSError):
        assert expected != {0}
    assert everything(home) == before


_AUDITED = """
import os, sys
home = os.path.realpath(os.environ["CAIRN_HOME"])
touched = []
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
def hook(event, arguments):
    if event == "open":
        path, mode, flags = arguments
        writes = bool(flags & WRITING) or any(sign in (mode or "") for sign in "wax+")
        paths = [path] if writes else []
    elif event in ("os.rename", "os.link", "os.symlink"):
        paths = arguments[:2]
    elif event in ("os.remove", "os.rmdir", "os.mkdir", "os.chmod", "os.truncate", "os.utime", "shutil.rmtree"):
        paths = arguments[:1]
    elif event == "sqlite3.connect":
        name = os.fsdecode(arguments[0])
        paths = [name] if "mode=ro" not in name and "immutable=1" not in name else []
    else:
        return
    for path in paths:
        name = os.path.realpath(os.fsdecode(path).removeprefix("file:")) if not isinstance(path, int) else ""
        if name.startswith(home + "/") and not {"cache", "locks", "gain"} & set(name.removeprefix(home).split("/")):
            touched.append((event, name))
sys.addaudithook(hook)
from cairn.program.start import main
code = main(sys.argv[1:])
for each in touched:
    print("touched", *each)
sys.exit(code)
"""


@pytest.mark.slow
@pytest.mark.requirement("SIS.1", "SIS.9")
def test_foreground_reads_open_nothing_for_writing(indexed: Repo, private_home: Path) -> None:
    """ISS-INDEX-STABILITY-A: told by the interpreter itself, in a process of its own."""
    for command in (*reads(indexed.path), ("status", str(indexed.path)), ("stores",)):
        done = subprocess.run((sys.executable, "-c", _AUDITED, *command), capture_output=True, text=True, check=False)
        assert done.returncode == 0, command
        assert "touched" not in done.stdout, command
    # The hook sees what a lifecycle action writes.
    write(indexed.path, "src/more.py", "x = 1\n")
    done = subprocess.run(
        (sys.executable, "-c", _AUDITED, "index", str(indexed.path)), capture_output=True, text=True, check=False
    )
    assert "registry.db" in done.stdout
    assert "ACTIVE_SNAPSHOT" in done.stdout


@pytest.mark.requirement("SIS.1")
def test_without_create_a_codebase_is_only_synced(indexed: Repo, folder: Path) -> None:
    write(folder, "a.py")
    before = registry_file()
    with Codebase(str(folder)) as codebase, pytest.raises(CairnError) as refused:
        codebase.index(create=False)
    assert refused.value.code == "not_indexed"
    assert registry_file() == before
    for command in (("symbol", "lease"), ("refs", "lease"), ("map",)):
        assert code_of(*command, str(folder))[0] == 3
    assert registry_file() == before


# What the log tells.


@pytest.mark.requirement("LOG.2")
def test_log_lines_of_interleaved_codebases_name_root_action_and_state(repo: Repo, tmp_path: Path) -> None:
    other = Repo.create(tmp_path / "other")
    for each in (repo, other):
        each.write("a.py", "def a():\n    return 1\n")
    with Codebase(str(repo.path)) as first, Codebase(str(other.path)) as second:
        first.index(SyncOptions())
        second.index(SyncOptions())
        repo.write("b.py", "x = 1\n")
        first.index(SyncOptions())
        second.index(SyncOptions(reindex=True))

        def fail(*_: object) -> None:
            raise StorageError("The disk is full.")

        first._bring_up_to_date = fail  # type: ignore[method-assign,assignment]
        with pytest.raises(StorageError):
            first.index(SyncOptions(reindex=True))
    lines = [
        json.loads(line)
        for log in (Path(cairn_home()) / "data").glob(f"*/logs/{LOG_FILE}")
        for line in log.read_text().splitlines()
    ]
    assert {line["root"] for line in lines} == {str(repo.path), str(other.path)}
    assert all(line["action"] and line["at"] and line["pid"] for line in lines)
    told = {
        str(path): [
            (line["state"], line["cause"]) for line in lines if line["action"] == "state" and line["root"] == str(path)
        ]
        for path in (repo.path, other.path)
    }
    assert told[str(repo.path)] == [
        ("indexing", "create"),
        ("indexed", "create"),
        ("sync_completed", "sync"),
        ("indexing", "reindex"),
        ("indexfailed", "reindex"),
    ]
    assert told[str(other.path)] == [
        ("indexing", "create"),
        ("indexed", "create"),
        ("indexing", "reindex"),
        ("indexed", "reindex"),
    ]
    assert [line["error"] for line in lines if line.get("state") == "indexfailed"] == ["storage_failed"]
