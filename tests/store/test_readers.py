"""Readers beside writers, collectors and removals: an answer or a plain word, never a failure of Cairn's own."""

import fcntl
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from cairn.base.errors import BusyError
from cairn.codebase.codebase import Codebase
from cairn.indexing.options import SyncOptions
from cairn.store import Store, gc, health, inventory, readers, shared, view
from cairn.store.layout import Layout, StoreKind, create_layout
from cairn.store.recovery import newest_first, read_pointer
from tests.store.samples import contents, make_store, publish, snapshot_of
from tests.surfaces.cli.test_store import answer, layout_of, run
from tests.trees import Repo

QUICK_GC = {"CAIRN_RETAIN_SNAPSHOTS": "1", "CAIRN_RETAIN_AGE_MS": "0"}
ROUNDS = 16


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CAIRN_EMBED_PROVIDER", "hashing")


@pytest.fixture
def indexed(repo: Repo) -> Repo:
    """A repository with two snapshots, of which one is garbage as soon as its age doesn't count."""
    for number in range(2):
        repo.write("a.py", f"alpha = {number}\n")
        answer("index", str(repo.path))
    return repo


# Each runs its commands a fixed number of times; a list of [command, exit code, output] is the answer.
_LOOP = """
import io, json, sys
from contextlib import redirect_stderr, redirect_stdout
from cairn.program.start import main
commands, rounds = json.loads(sys.argv[1]), int(sys.argv[2])
seen = []
sys.stdin.readline()
for number in range(rounds):
    for command in commands:
        if command[0] == "edit":
            with open(command[1], "w") as file:
                file.write(f"alpha = {number}\\n")
            continue
        out = io.StringIO()
        with redirect_stdout(out), redirect_stderr(out):
            code = main(command)
        seen.append([command[0], int(code), out.getvalue()[-300:]])
print(json.dumps(seen))
"""


def loop(commands: list[list[str]], rounds: int) -> subprocess.Popen[str]:
    return subprocess.Popen(
        (sys.executable, "-c", _LOOP, json.dumps(commands), str(rounds)),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def all_at_once(*processes: subprocess.Popen[str]) -> list[list[list[object]]]:
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    return [json.loads(process.communicate(timeout=120)[0]) for process in processes]


@pytest.mark.slow
def test_readers_beside_a_store_that_comes_and_goes_never_fail_by_themselves(repo: Repo) -> None:
    """0, not indexed, refused (a warning of health), busy, corrupt: all of them are answers; 1 is a defect."""
    root = str(repo.path)
    edited = str(repo.path / "a.py")
    repo.write("a.py", "alpha = 0\n")
    answer("index", root)
    readers = [["status", root], ["health", root], ["stores"], ["search", "--no-sync", "alpha", root]]
    seen = all_at_once(
        loop(readers, ROUNDS * 2),
        loop(list(reversed(readers)), ROUNDS * 2),
        loop([["edit", edited], ["index", root], ["clear", root]], ROUNDS),
    )
    failures = [item for part in seen for item in part if item[1] not in (0, 3, 5, 10)]
    assert failures == []
    assert {item[1] for item in seen[2] if item[0] == "clear"} <= {0, 10}
    assert answer("index", root)["counts"]["files"] == 1
    assert answer("health", root)["healthy"] is True


@pytest.mark.slow
def test_readers_beside_writers_and_collectors_always_get_an_answer(indexed: Repo) -> None:
    root = str(indexed.path)
    edited = str(indexed.path / "a.py")
    readers = [["status", root], ["health", root], ["stores"], ["search", "alpha", root]]
    seen = all_at_once(
        loop(readers, ROUNDS // 2),
        loop([["edit", edited], ["index", root], ["compact", "--force", root], ["gc", "--force", root]], ROUNDS // 2),
    )
    assert [item for item in seen[0] if item[1] not in (0, 10)] == []
    assert [item for item in seen[1] if item[1] not in (0, 10)] == []


@pytest.mark.slow
@pytest.mark.parametrize("together", [False, True], ids=["private", "shared"])
@pytest.mark.parametrize("command", [("status",), ("audit",), ("search", "--no-sync", "alpha"), ("health",)])
def test_a_store_that_is_removed_under_a_readers_hands_is_busy_or_gone(
    indexed: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...], together: bool
) -> None:
    where = (str(indexed.path), "--shared-store", str(tmp_path / "shared")) if together else (str(indexed.path),)
    answer("index", *where)

    lock_shared = readers.lock_shared

    def too_late(layout: Layout) -> int:
        assert run("clear", *where).returncode == 0
        return lock_shared(layout)

    # The removal has to fall between two lines of the reader: a race would meet them once in a hundred times.
    monkeypatch.setattr(readers if command == ("health",) else view, "lock_shared", too_late)
    done = run(*command, "--json", *where)
    assert done.returncode in (3, 10), done.stdout


@pytest.mark.slow
def test_a_store_that_is_removed_while_stores_looks_is_left_out(indexed: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    def too_late(layout: Layout) -> str | None:
        monkeypatch.setattr(inventory, "read_pointer", read_pointer)  # `clear` looks at the stores too
        assert run("clear", str(indexed.path)).returncode == 0
        return read_pointer(layout)

    # The removal has to fall between two lines of the list.
    monkeypatch.setattr(inventory, "read_pointer", too_late)
    assert answer("stores")["stores"] == []


@pytest.mark.slow
def test_a_reader_needs_no_place_to_write(indexed: Repo) -> None:
    """Stamps are kept if they can be; nothing else may be written by a read."""
    cache = Path(layout_of(indexed.path).cache)
    shutil.rmtree(cache)
    cache.write_text("no folder")
    cache.chmod(0o600)
    assert answer("search", "--no-sync", "alpha", str(indexed.path))["results"]
    assert answer("status", str(indexed.path))["counts"]["files"] == 1


@pytest.mark.slow
def test_a_shared_store_that_is_removed_while_it_is_tried_out_is_busy_or_gone(
    indexed: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    where = (str(indexed.path), "--shared-store", str(tmp_path / "shared"))
    answer("index", *where)

    def removed_at_once(path: str, kind: StoreKind) -> Layout:
        layout = create_layout(path, kind)
        shutil.rmtree(path)
        return layout

    # What another member's `cairn clear` does between two lines of the opening.
    monkeypatch.setattr(shared, "create_layout", removed_at_once)
    done = run("index", "--json", *where)
    assert done.returncode in (3, 10), done.stdout


@pytest.mark.slow
@pytest.mark.requirement("IDX.MUST.005")
def test_nothing_is_collected_while_health_looks(indexed: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    codes: list[int] = []
    modes = health._modes

    def collecting(layout: Layout) -> health.HealthCheck:
        codes.append(run("gc", "--force", str(indexed.path), **QUICK_GC).returncode)
        return modes(layout)

    # A look at the end of a long check, when its view is closed again.
    monkeypatch.setattr(health, "_modes", collecting)
    assert run("health", str(indexed.path)).returncode == 0
    assert codes == [10]


@pytest.mark.slow
def test_health_passes_over_what_a_writer_removes_meanwhile(indexed: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    layout = layout_of(indexed.path)
    walk = os.walk

    def seeing_more(top: str) -> Iterator[tuple[str, list[str], list[str]]]:
        for folder, folders, names in walk(top):
            yield folder, folders, [*names, "gone-since"] if folder == layout.path else names

    # A file that is there for the list and gone for the look.
    monkeypatch.setattr(os, "walk", seeing_more)
    assert answer("health", str(indexed.path))["healthy"] is True


_OPEN_A_VIEW = """
import fcntl, sys
from cairn.store import SnapshotView, readers
from cairn.store.layout import open_layout
flock = fcntl.flock
told = []
def telling(fd, how):
    try:
        flock(fd, how)
    except BlockingIOError:
        if not told:
            told.append(print("waiting", flush=True))
        raise
readers.fcntl.flock = telling
with SnapshotView(open_layout(sys.argv[1])) as view:
    print(view.snapshot_id, view.recovered or "as told", flush=True)
    print(sorted(file.path_key for file in view.files()), flush=True)
"""


@pytest.mark.slow
@pytest.mark.requirement("IDX.MUST.005")
@pytest.mark.requirement("STO.3")
def test_a_reader_looks_for_its_snapshot_only_once_it_keeps_collectors_away(tmp_path: Path) -> None:
    store = make_store(tmp_path)
    older = publish(store, {"a.py": "walrus\n"})
    newer = publish(store, {"a.py": "otter\n"})
    layout = store.layout
    Path(layout.pointer).write_text(f"{older.snapshot_id}\n")
    with open(layout.readers, "r+b") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        reader = subprocess.Popen((sys.executable, "-c", _OPEN_A_VIEW, layout.path), stdout=subprocess.PIPE, text=True)
        assert reader.stdout is not None
        assert reader.stdout.readline() == "waiting\n"
        Path(layout.pointer).write_text(f"{newer.snapshot_id}\n")
        os.unlink(layout.manifest(older.snapshot_id))
    output, _ = reader.communicate(timeout=60)
    assert output.splitlines() == [f"{newer.snapshot_id} as told", "['a.py']"]


@pytest.fixture
def codebase(indexed: Repo) -> Iterator[Codebase]:
    with Codebase(str(indexed.path)) as codebase:
        codebase.compact(force=True)
        yield codebase


@pytest.mark.slow
@pytest.mark.requirement("GC.2")
@pytest.mark.parametrize("force", [(), ("--force",)])
def test_a_collection_refuses_while_a_query_reads_even_when_forced(codebase: Codebase, force: tuple[str, ...]) -> None:
    root = codebase.root.path
    layout = codebase.store().layout
    with codebase.view() as view:
        before = snapshot_of(Path(layout.segments)), snapshot_of(Path(layout.snapshots))
        done = run("gc", *force, "--json", root, **QUICK_GC)
        assert done.returncode == 10, done.stdout
        assert json.loads(done.stdout)["error"]["code"] == "busy"
        assert (snapshot_of(Path(layout.segments)), snapshot_of(Path(layout.snapshots))) == before
        assert contents(view) == {"a.py": "alpha = 1\n"}
    assert answer("gc", *force, root, environment=QUICK_GC)["segments"]


@pytest.mark.slow
@pytest.mark.requirement("GC.2")
@pytest.mark.requirement("IDX.MUST.004")
@pytest.mark.parametrize("force", [(), ("--force",)])
def test_a_collection_runs_only_under_the_lease(codebase: Codebase, force: tuple[str, ...]) -> None:
    root = codebase.root.path
    layout = codebase.store().layout
    before = snapshot_of(Path(layout.segments)), snapshot_of(Path(layout.snapshots))
    with codebase.store().writer():
        done = run("gc", *force, "--json", root, **QUICK_GC)
        assert done.returncode == 10, done.stdout
        assert (snapshot_of(Path(layout.segments)), snapshot_of(Path(layout.snapshots))) == before
    assert answer("gc", *force, root, environment=QUICK_GC)["segments"]


@pytest.mark.requirement("GC.2")
def test_a_snapshot_younger_than_the_retention_age_stays(codebase: Codebase) -> None:
    root = codebase.root.path
    layout = codebase.store().layout
    before = {manifest.snapshot_id for manifest in newest_first(layout)}
    only_age = {"CAIRN_RETAIN_SNAPSHOTS": "1"}
    assert answer("gc", root, environment=only_age)["snapshots"] == []
    assert {manifest.snapshot_id for manifest in newest_first(layout)} == before
    gone = answer("gc", root, environment=QUICK_GC)["snapshots"]
    assert len(gone) == len(before) - 1


@pytest.mark.slow
@pytest.mark.requirement("GC.1")
@pytest.mark.requirement("GC.2")
def test_the_age_that_protects_a_snapshot_is_ten_minutes(codebase: Codebase) -> None:
    """Longer than any query may take."""
    manifests = list(newest_first(codebase.store().layout))
    oldest = manifests[-1]
    created = gc._created_ms(oldest)
    many = [manifests[0]] * gc.RETAIN_SNAPSHOTS + [oldest]
    active = manifests[0].snapshot_id
    assert oldest.snapshot_id in gc.retained(many, active, created + 10 * 60 * 1000 - 1, force=False)
    assert oldest.snapshot_id not in gc.retained(many, active, created + 10 * 60 * 1000, force=False)
    assert oldest.snapshot_id not in gc.retained(many, active, created, force=True)


@pytest.mark.slow
@pytest.mark.requirement("GC.2")
def test_a_store_is_not_removed_while_a_query_reads_it(codebase: Codebase) -> None:
    with codebase.view():
        assert run("clear", codebase.root.path).returncode == 10
        assert os.path.isdir(codebase.store().layout.path)
    assert run("clear", codebase.root.path).returncode == 0


@pytest.mark.slow
@pytest.mark.requirement("GC.2")
def test_tidying_in_passing_gives_way_to_a_query(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cairn.store.gate.MAX_SEGMENTS_REFERENCED", 4)
    for name, value in QUICK_GC.items():
        monkeypatch.setenv(name, value)
    store: Store = make_store(tmp_path)
    for number in range(3):
        publish(store, {"a.py": f"{number}\n"})
    with store.view():
        store.tidy()
        with pytest.raises(BusyError):
            store.collect(force=True)
        assert len(list(newest_first(store.layout))) == 3
    store.tidy()
    assert len(list(newest_first(store.layout))) == 1


@pytest.mark.slow
def test_a_sync_beside_a_reader_leaves_the_reader_its_snapshot(codebase: Codebase, indexed: Repo) -> None:
    with codebase.view() as view:
        indexed.write("a.py", "alpha = 'new'\n")
        assert codebase.index(SyncOptions()).published
        assert contents(view) == {"a.py": "alpha = 1\n"}
    assert layout_of(indexed.path).path == codebase.store().layout.path
    with codebase.view() as view:
        assert contents(view) == {"a.py": "alpha = 'new'\n"}
