"""The registry's file: many processes, dead ones, damaged and foreign content, names of any kind."""

import os
import signal
import sqlite3
import subprocess
import tempfile
from contextlib import AbstractContextManager
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cairn.base.errors import CairnError, IncompatibleError, NotReadyError, RegistryDamagedError
from cairn.base.values import replace
from cairn.lifecycle.registry import Registry
from cairn.lifecycle.states import State
from cairn.lifecycle.tracked import DEAD, STUCK_S, is_dead
from tests.lifecycle.samples import (
    FAILURE,
    OTHER_SETTINGS,
    PARTS,
    ROOT,
    VALID,
    dead_owner,
    identity,
    python,
)
from tests.notes import command_hint

# Every child waits for the word, so that all of them write at the same time.
_OWN_ROOTS = """
import sys
from cairn.lifecycle.registry import Registry
from tests.lifecycle.samples import VALID, identity
home, name = sys.argv[1:]
registry = Registry(home)
sys.stdin.readline()
for number in range(10):
    root = f"/{name}/{number}"
    registry.begin(identity(root), f"{name}-{number}", {})
    assert registry.beat(root, f"{name}-{number}", 50.0, "reading")
    assert registry.complete(root, f"{name}-{number}", VALID)
    assert registry.get(root).run_id == f"{name}-{number}"
"""
_SAME_ROOT = """
import sys
from cairn.base.errors import NotReadyError
from cairn.lifecycle.registry import Registry
from tests.lifecycle.samples import ROOT, VALID, identity
home, name = sys.argv[1:]
registry = Registry(home)
sys.stdin.readline()
done = refused = 0
for number in range(10):
    run = f"{name}-{number}"
    try:
        registry.begin(identity(), run, {})
    except NotReadyError:
        refused += 1
        continue
    for share in (10.0, 20.0):
        assert registry.beat(ROOT, run, share, run), "a run that lives was robbed"
        assert registry.get(ROOT).run_id == run
    assert registry.complete(ROOT, run, VALID)
    done += 1
print(done, refused)
"""
_BEGIN_AND_WAIT = """
import sys
from cairn.lifecycle.registry import Registry
from tests.lifecycle.samples import identity
Registry(sys.argv[1]).begin(identity(), "run-of-the-child", {})
print("begun", flush=True)
sys.stdin.readline()
"""
# More than the page cache holds: pages are in the file, and the journal says what was there before.
_DIE_AMID_A_TRANSACTION = """
import os, signal, sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("PRAGMA cache_size=1")
connection.execute("BEGIN IMMEDIATE")
connection.execute("UPDATE tracked SET state = 'requires_reindex', phase = ?", ("x" * 200_000,))
connection.execute("CREATE TABLE more (text TEXT)")
for _ in range(200):
    connection.execute("INSERT INTO more VALUES (?)", ("x" * 4000,))
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.fixture
def registry(tmp_path: Path) -> Registry:
    return Registry(str(tmp_path / "home"))


def together(code: str, home: str, names: list[str]) -> list[str]:
    """Let several processes go at once, and what each of them said."""
    children = [
        subprocess.Popen(python(code, home, name), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for name in names
    ]
    try:
        for child in children:
            assert child.stdin is not None
            child.stdin.write("go\n")
            child.stdin.flush()
        said = [child.communicate(timeout=120)[0] for child in children]
        assert [child.returncode for child in children] == [0] * len(children)
    finally:
        for child in children:
            child.kill()
            child.wait()
    return said


def indexed(registry: Registry, root: str = ROOT, run: str = "run-1") -> None:
    registry.begin(identity(root), run, PARTS)
    assert registry.complete(root, run, VALID)


def test_a_home_without_a_registry_tracks_nothing_and_gets_none_by_reading(registry: Registry) -> None:
    assert not registry.exists()
    assert registry.get(ROOT) is None
    assert registry.all() == ()
    assert not os.path.exists(os.path.dirname(registry.path))


def test_a_row_comes_back_as_it_was_written(registry: Registry) -> None:
    begun = registry.begin(identity(), "run-1", PARTS)
    assert registry.get(ROOT) == begun
    assert (begun.state, begun.progress, begun.phase) == (State.INDEXING, 0.0, "starting")
    assert (begun.fingerprint, begun.store_id, dict(begun.parts)) == (
        identity().config_fingerprint,
        identity().store_id,
        PARTS,
    )
    registry.complete(ROOT, "run-1", VALID)
    row = registry.get(ROOT)
    assert row is not None
    assert (row.snapshot_id, row.files, row.chunks) == (VALID.snapshot_id, VALID.files, VALID.chunks)
    assert os.stat(registry.path).st_mode & 0o777 == 0o600


@pytest.mark.requirement("LOCK.5")
@pytest.mark.parametrize(("is_settled", "openings"), [(True, 2), (False, 4)])
def test_a_row_is_read_again_only_where_the_file_may_have_changed(
    registry: Registry, monkeypatch: pytest.MonkeyPatch, is_settled: bool, openings: int
) -> None:
    monkeypatch.setattr("cairn.lifecycle.registry.trusted", lambda stamp, _: stamp if is_settled else None)
    opened: list[None] = []
    reading = registry._file.reading

    def counted() -> AbstractContextManager[sqlite3.Connection | None]:
        opened.append(None)
        return reading()

    monkeypatch.setattr(registry._file, "reading", counted)
    Registry(registry._home).begin(identity(), "run", PARTS)
    first = [registry.get(ROOT), registry.get(ROOT)]
    assert Registry(registry._home).complete(ROOT, "run", VALID)
    second = [registry.get(ROOT), registry.get(ROOT)]
    assert [row and row.state for row in (*first, *second)] == [State.INDEXING] * 2 + [State.INDEXED] * 2
    assert len(opened) == openings


def test_a_failed_run_keeps_the_last_good_snapshot_of_the_same_settings_only(registry: Registry) -> None:
    indexed(registry)
    registry.begin(identity(), "run-2", PARTS)
    registry.fail(ROOT, "run-2", FAILURE)
    row = registry.get(ROOT)
    assert row is not None
    assert (row.state, row.failure, row.snapshot_id) == (State.INDEXFAILED, FAILURE, VALID.snapshot_id)
    assert (row.progress, row.phase, row.owner) == (None, None, None)
    assert row.is_searchable
    registry.begin(identity(fingerprint=OTHER_SETTINGS), "run-3", PARTS)
    registry.fail(ROOT, "run-3", FAILURE)
    row = registry.get(ROOT)
    assert row is not None
    assert (row.snapshot_id, row.files, row.chunks) == ("", 0, 0)
    assert not row.is_searchable


@pytest.mark.requirement("LOCK.7", "LOCK.5")
def test_a_run_that_lives_is_neither_taken_over_nor_forgotten_and_a_dead_one_is(registry: Registry) -> None:
    registry.begin(identity(), "run-1", PARTS)
    with pytest.raises(NotReadyError) as refused:
        registry.begin(identity(), "run-2", PARTS)
    assert refused.value.retry_after_ms == 2000
    assert str(os.getpid()) in refused.value.message
    with pytest.raises(NotReadyError):
        registry.forget(ROOT)
    registry.fail(ROOT, "run-1", FAILURE)
    registry.begin(identity(), "run-2", PARTS, owner=dead_owner())
    registry.begin(identity(), "run-3", PARTS)
    assert not registry.complete(ROOT, "run-2", VALID), "a run that was taken over completes nothing"
    assert not registry.fail(ROOT, "run-2", FAILURE)
    assert not registry.beat(ROOT, "run-2", 1.0, "reading")
    registry.fail(ROOT, "run-3", FAILURE)
    registry.begin(identity(), "run-4", PARTS, owner=dead_owner())
    assert registry.forget(ROOT)
    assert registry.all() == ()


@pytest.mark.requirement("SIS.8")
def test_a_row_that_changed_since_it_was_judged_is_not_forgotten(registry: Registry) -> None:
    indexed(registry, run="run-1")
    indexed(registry, run="run-2")
    assert not registry.forget(ROOT, run_id="run-1")
    assert registry.get(ROOT) is not None
    assert registry.forget(ROOT, run_id="run-2")


@pytest.mark.slow
def test_processes_that_write_different_roots_at_once_lose_nothing(registry: Registry) -> None:
    names = ["a", "b", "c", "d"]
    together(_OWN_ROOTS, os.path.dirname(registry.path), names)
    rows = registry.all()
    assert [row.root for row in rows] == sorted(f"/{name}/{number}" for name in names for number in range(10))
    assert {row.state for row in rows} == {State.INDEXED}


@pytest.mark.slow
def test_processes_that_write_the_same_root_at_once_take_turns(registry: Registry) -> None:
    said = together(_SAME_ROOT, os.path.dirname(registry.path), ["a", "b", "c"])
    counts = [tuple(map(int, line.split())) for line in said]
    assert all(done + refused == 10 for done, refused in counts)
    assert sum(done for done, _ in counts) > 0
    row = registry.get(ROOT)
    assert row is not None
    assert row.state is State.INDEXED


@pytest.mark.requirement("LOCK.5")
def test_the_run_of_a_killed_process_is_taken_over_and_of_a_stopped_one_is_not(registry: Registry) -> None:
    home = os.path.dirname(registry.path)
    child = subprocess.Popen(python(_BEGIN_AND_WAIT, home), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        assert child.stdout is not None
        assert child.stdout.readline() == "begun\n"
        child.send_signal(signal.SIGSTOP)
        os.waitid(os.P_PID, child.pid, os.WSTOPPED)
        # It may go on at any moment, but nobody waits for ever.
        begun = registry.get(ROOT)
        assert begun is not None
        later = Registry(home, clock=lambda: begun.heartbeat + STUCK_S)
        with pytest.raises(NotReadyError):
            later.begin(identity(), "mine", PARTS)
        assert is_dead(begun, begun.heartbeat + STUCK_S + 1)
    finally:
        child.kill()
        child.communicate()
    before = Path(registry.path).read_bytes()
    row = registry.get(ROOT)
    assert row is not None
    assert (row.state, row.run_id) == (State.INDEXING, "run-of-the-child"), "reading persists no judgement"
    assert Path(registry.path).read_bytes() == before
    registry.begin(identity(), "mine", PARTS)
    assert registry.complete(ROOT, "mine", VALID)


def test_a_writer_that_died_amid_its_transaction_keeps_nobody_from_reading(registry: Registry) -> None:
    indexed(registry)
    expected = registry.get(ROOT)
    for act in (registry.get, lambda root: {row.root: row for row in registry.all()}[root]):
        done = subprocess.run(python(_DIE_AMID_A_TRANSACTION, registry.path), check=False)
        assert done.returncode == -signal.SIGKILL
        assert os.stat(f"{registry.path}-journal").st_size > 0
        assert act(ROOT) == expected
    done = subprocess.run(python(_DIE_AMID_A_TRANSACTION, registry.path), check=False)
    assert registry.synced(ROOT, identity().store_id, VALID)


@pytest.mark.parametrize("content", [b"no database at all\n" * 100, b"SQLite format 3\x00" + b"\xff" * 2000])
def test_a_damaged_file_is_told_as_such_and_set_aside(registry: Registry, content: bytes) -> None:
    indexed(registry)
    Path(registry.path).write_bytes(content)
    for act in (registry.all, lambda: registry.get(ROOT), lambda: registry.forget(ROOT)):
        with pytest.raises(RegistryDamagedError) as told:
            act()
        assert "cairn index" in command_hint(told.value.hint)
    aside = registry.set_aside()
    assert aside is not None
    assert Path(aside).read_bytes() == content
    assert registry.all() == ()
    indexed(registry)
    assert registry.set_aside() is None, "what is sound stays"
    assert len(registry.all()) == 1


def test_no_journal_of_a_damaged_file_is_left_for_the_new_one(registry: Registry) -> None:
    indexed(registry)
    Path(registry.path).write_bytes(b"x" * 4096)
    Path(f"{registry.path}-journal").write_bytes(b"journal")
    assert registry.set_aside() is not None
    assert not os.path.exists(f"{registry.path}-journal")
    indexed(registry)
    assert len(registry.all()) == 1


def test_an_empty_file_tracks_nothing_yet(registry: Registry) -> None:
    os.makedirs(os.path.dirname(registry.path))
    Path(registry.path).touch()
    assert registry.all() == ()
    assert registry.get(ROOT) is None
    assert Path(registry.path).read_bytes() == b""
    indexed(registry)
    assert len(registry.all()) == 1


def test_a_newer_version_is_refused_and_stays_as_it_is(registry: Registry) -> None:
    indexed(registry)
    with sqlite3.connect(registry.path) as connection:
        connection.execute("PRAGMA user_version=2")
        connection.execute("UPDATE cairn_format SET version = 2")
    connection.close()
    before = Path(registry.path).read_bytes()
    for act in (registry.all, lambda: registry.get(ROOT), lambda: registry.begin(identity(), "r", {})):
        with pytest.raises(IncompatibleError, match="version 2"):
            act()
    with pytest.raises(IncompatibleError):
        registry.set_aside()
    assert Path(registry.path).read_bytes() == before


@pytest.mark.requirement("STO.21")
@pytest.mark.parametrize("bit", range(32))
def test_a_flipped_bit_of_the_version_is_damage_and_no_newer_version(registry: Registry, bit: int) -> None:
    indexed(registry)
    with open(registry.path, "r+b") as file:
        file.seek(60)
        version = int.from_bytes(file.read(4))
        file.seek(60)
        file.write((version ^ 1 << bit).to_bytes(4))
    damaged = Path(registry.path).read_bytes()
    with pytest.raises(RegistryDamagedError):
        registry.get(ROOT)
    assert registry.roots() == ()
    kept = registry.set_aside()
    assert kept is not None
    assert kept.startswith(f"{registry.path}.damaged-")
    assert Path(kept).read_bytes() == damaged
    indexed(registry)
    assert registry.roots() == (ROOT,)


COLUMNS = "root state store_id fingerprint parts run_id owner heartbeat progress phase updated_at".split()


@pytest.mark.parametrize("column", [*COLUMNS, "snapshot_id", "files", "chunks", "failure"])
def test_a_table_of_other_columns_is_damage_and_no_traceback(registry: Registry, column: str) -> None:
    indexed(registry)
    with sqlite3.connect(registry.path) as connection:
        connection.execute(f"ALTER TABLE tracked RENAME COLUMN {column} TO other")
    connection.close()
    with pytest.raises(RegistryDamagedError):
        registry.all()


@pytest.mark.slow
@given(
    st.sampled_from(["state", "parts", "owner", "heartbeat", "failure", "files"]),
    st.text(max_size=8) | st.integers(-(2**63), 2**63 - 1) | st.binary(max_size=8),
)
def test_a_value_that_cairn_did_not_write_is_damage_or_harmless(column: str, value: object) -> None:
    with tempfile.TemporaryDirectory() as home:
        registry = Registry(home)
        indexed(registry)
        with sqlite3.connect(registry.path) as connection:
            connection.execute(f"UPDATE tracked SET {column} = ?", (value,))
        connection.close()
        try:
            row = registry.get(ROOT)
        except RegistryDamagedError:
            return
        assert row is not None
        assert isinstance(row.state, State)


def test_names_that_are_no_text_and_homes_with_any_sign_are_kept(tmp_path: Path) -> None:
    home = tmp_path / "50% ? of #1 'quoted'"
    registry = Registry(str(home))
    names = ["/na\udcffme", "/tab\tand\nline", "/Ünïcode", "/per%cent?and#hash"]
    for name in names:
        indexed(registry, name)
    assert {row.root for row in registry.all()} == set(names)
    assert registry.forget("/na\udcffme")
    assert sorted(os.listdir(tmp_path)) == [home.name]
    assert os.listdir(home) == ["registry.db"]


_WITHOUT_RIGHTS = """
import os, sys
from cairn.base.errors import CairnError
from cairn.lifecycle.registry import Registry
from cairn.base.owner import this_process
from tests.lifecycle.samples import ROOT, identity
owner = this_process()
if os.geteuid() == 0:
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
registry = Registry(sys.argv[1])
assert registry.get(ROOT).root == ROOT
assert len(registry.all()) == 1
try:
    registry.begin(identity(), "run", {}, owner=owner)
except (CairnError, OSError) as error:
    print(type(error).__name__)
"""


def test_a_home_that_may_only_be_read_is_read() -> None:
    with tempfile.TemporaryDirectory() as home:
        registry = Registry(home)
        indexed(registry)
        os.chmod(home, 0o555)
        os.chmod(registry.path, 0o444)
        done = subprocess.run(python(_WITHOUT_RIGHTS, home), capture_output=True, text=True, check=False)
        assert (done.stdout, done.stderr) == ("StorageError\n", "")
        assert os.listdir(home) == ["registry.db"]
        os.chmod(home, 0o755)


def test_a_folder_in_its_place_is_told(registry: Registry) -> None:
    os.makedirs(registry.path)
    with pytest.raises(RegistryDamagedError):
        registry.get(ROOT)


@pytest.mark.requirement("LOCK.7")
def test_a_sync_is_noted_only_of_the_store_that_is_tracked(registry: Registry) -> None:
    newer = replace(VALID, snapshot_id="snapshot-2", files=4, chunks=8)
    assert not registry.synced(ROOT, identity().store_id, newer)
    indexed(registry)
    assert not registry.synced(ROOT, "another store", newer)
    assert registry.synced(ROOT, identity().store_id, newer)
    row = registry.get(ROOT)
    assert row is not None
    assert (row.state, row.snapshot_id, row.files, row.chunks) == (State.SYNC_COMPLETED, "snapshot-2", 4, 8)


@pytest.mark.requirement("LOCK.5")
def test_a_dead_run_is_recorded_as_failed_by_the_lifecycle_action_that_meets_it(registry: Registry) -> None:
    registry.begin(identity(), "run-1", PARTS, owner=dead_owner())
    row = registry.get(ROOT)
    assert row is not None
    assert row.state is State.INDEXING
    assert DEAD.code == "indexer_died"
    assert issubclass(RegistryDamagedError, CairnError)
