"""A saved file becomes searchable by itself; and a daemon that is killed loses nothing."""

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from cairn.codebase.codebase import Codebase
from cairn.codebase.pool import Pool
from cairn.daemon.admission import Admission, AdmissionLimits
from cairn.daemon.syncs import DaemonState, Syncs
from cairn.daemon.watching import MOST_WATCHED, Watching, debounce_for
from cairn.indexing.options import SyncOptions
from cairn.lifecycle.registry import Registry
from cairn.store import Store
from cairn.store.health import Level, check_store
from tests.surfaces.http.running import PATIENCE_S, Daemon, serving, small, until
from tests.trees import Repo, cairn


def found(daemon: Daemon, tree: Repo, name: str) -> bool:
    answer = daemon.get("/v1/symbol", name=name, root=tree.path)
    return answer.status == 200 and answer.document["total"] == 1


def is_watched(daemon: Daemon, tree: Repo) -> bool:
    rows = daemon.get("/v1/codebases").document["codebases"]
    return any(row["root"] == str(tree.path) and row["watched"] for row in rows)


@pytest.mark.slow
@pytest.mark.requirement("DMN.3")
def test_a_saved_file_becomes_searchable_through_watch_alone(tree: Repo) -> None:
    with serving() as daemon:
        until(lambda: is_watched(daemon, tree))
        for name in ("first_save", "second_save"):
            tree.write("src/saved.py", f"def {name}() -> None: ...\n")
            until(lambda name=name: found(daemon, tree, name))  # type: ignore[misc]
        (tree.path / "src/saved.py").unlink()
        until(lambda: daemon.get("/v1/symbol", name="second_save", root=tree.path).document["total"] == 0)


def test_few_are_followed_closely_and_many_keep_nobody_awake() -> None:
    times = [debounce_for(watched) for watched in (1, 8, 20, MOST_WATCHED)]
    assert times == sorted(times)
    assert times[0] == times[1] < times[2] < times[3]
    # All watchers together wake so many times a second at most.
    assert max(watched * 1000 / debounce_for(watched) for watched in range(1, MOST_WATCHED + 1)) < 1_000


@pytest.mark.slow
def test_what_changed_while_nobody_watched_is_found_at_the_start(tree: Repo) -> None:
    tree.write("src/meanwhile.py", "def meanwhile() -> None: ...\n")
    with serving() as daemon:
        until(lambda: found(daemon, tree, "meanwhile"))


@pytest.mark.slow
def test_a_codebase_that_is_indexed_later_is_watched_too(tmp_path: Path) -> None:
    with serving() as daemon:
        late = small(tmp_path / "late")
        assert cairn("index", str(late.path)).returncode == 0
        until(lambda: is_watched(daemon, late))
        late.write("src/after.py", "def after_all() -> None: ...\n")
        until(lambda: found(daemon, late, "after_all"))
        assert cairn("clear", str(late.path)).returncode == 0
        until(lambda: not is_watched(daemon, late))


@pytest.mark.slow
def test_a_folder_that_takes_the_place_of_another_is_watched_instead(tree: Repo, tmp_path: Path) -> None:
    other = small(tmp_path / "other")
    other.write("src/swapped.py", "def swapped_in() -> None: ...\n")
    with serving() as daemon:
        until(lambda: is_watched(daemon, tree))
        tree.path.rename(tmp_path / "former")
        other.path.rename(tree.path)
        until(lambda: found(daemon, tree, "swapped_in"))
        tree.write("src/later.py", "def came_later() -> None: ...\n")
        until(lambda: found(daemon, tree, "came_later"))


@pytest.mark.slow
def test_a_folder_that_goes_and_comes_back_is_watched_again(tree: Repo, tmp_path: Path) -> None:
    with serving() as daemon:
        until(lambda: is_watched(daemon, tree))
        shutil.rmtree(tree.path)
        until(lambda: not is_watched(daemon, tree))
        assert daemon.get("/v1/symbol", name="Lease", root=tree.path).status == 400
        small(tree.path).write("src/back.py", "def came_back() -> None: ...\n")
        until(lambda: found(daemon, tree, "came_back"))
    assert "Traceback" not in daemon.logged


@pytest.mark.slow
def test_the_newest_are_watched_when_there_are_too_many(
    tree: Repo, tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    newer = small(tmp_path / "newer")
    assert cairn("index", str(newer.path)).returncode == 0
    monkeypatch.setattr("cairn.daemon.watching.MOST_WATCHED", 1)
    house = DaemonState(Registry(str(home)), Pool(str(home)), Syncs(), Admission(AdmissionLimits()))
    watching = Watching(house, survey_s=0.05)
    watching.start()
    try:
        until(lambda: house.syncs.done >= 1)
        assert watching.watched() == {str(newer.path)}
        with house.pool.using(str(newer.path)):
            pass
        assert house.pool.idle() >= 1
        # One that is gone makes room, and nothing of it stays open.
        newer.path.rename(tmp_path / "former")
        until(lambda: watching.watched() == {str(tree.path)})
        assert all(kept.root == str(tree.path) for kept in house.pool._idle)
    finally:
        watching.close()
        house.syncs.close()
        house.pool.close()


@pytest.mark.slow
def test_where_events_can_not_be_had_the_tree_is_looked_at_now_and_then(
    tree: Repo, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_watches(*_: object, **__: object) -> None:
        raise OSError("inotify watch limit reached")

    monkeypatch.setattr("watchfiles.watch", no_watches)
    house = DaemonState(Registry(str(home)), Pool(str(home)), Syncs(), Admission(AdmissionLimits()))
    watching = Watching(house, reconcile_s=0.1, survey_s=0.1)
    watching.start()
    try:
        until(lambda: house.syncs.done >= 1)
        assert watching.watched() == frozenset()
        before = house.registry.get(str(tree.path))
        tree.write("src/silent.py", "def silent() -> None: ...\n")

        def is_newer() -> bool:
            row = house.registry.get(str(tree.path))
            return row is not None and before is not None and row.snapshot_id != before.snapshot_id

        until(is_newer)
    finally:
        watching.close()
        house.syncs.close()
        house.pool.close()


@pytest.mark.slow
def test_what_was_not_tidied_up_is_when_nobody_asks(tree: Repo, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def segments() -> int:
        with Codebase(str(tree.path)) as codebase:
            active = codebase.store().active()
            assert active is not None
            return len(active.segments)

    with monkeypatch.context() as untidy, Codebase(str(tree.path)) as codebase:
        untidy.setattr(Store, "compact", lambda *_, **__: None)
        for number in range(12):
            tree.write(f"src/n{number}.py", f"def number_{number}() -> None: ...\n")
            codebase.index(SyncOptions(), create=False)
    before = segments()
    assert before > 10
    house = DaemonState(Registry(str(home)), Pool(str(home)), Syncs(), Admission(AdmissionLimits()))
    asked_at = [time.monotonic() + 1_000]
    watching = Watching(house, quiet_since=lambda: asked_at[0], reconcile_s=0.1, survey_s=0.1)
    watching.start()
    try:
        until(lambda: house.syncs.done >= 3)
        assert segments() == before
        asked_at[0] = float("-inf")
        until(lambda: segments() < before)
    finally:
        watching.close()
        house.syncs.close()
        house.pool.close()


@pytest.mark.slow
def test_the_command_watches_one_codebase_until_it_is_interrupted(repo: Repo) -> None:
    repo.write("a.py", "def one() -> None: ...\n")
    process = subprocess.Popen(
        (sys.executable, "-m", "cairn", "watch", "--json"), cwd=repo.path, stdout=subprocess.PIPE, env=os.environ
    )
    try:
        assert process.stdout is not None
        first = json.loads(process.stdout.readline())
        assert first["root"] == str(repo.path)
        repo.write("b.py", "def two() -> None: ...\n")
        second = json.loads(process.stdout.readline())
        assert second["indexed"] == 1
        assert second["snapshot_id"] != first["snapshot_id"]
        done = cairn("symbol", "two", "--no-sync", "--json", cwd=repo.path)
        assert json.loads(done.stdout)["total"] == 1
    finally:
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 12


_INTERRUPTED_IN_A_FINALIZER = """
import os, signal, sys
from cairn.codebase.codebase import Codebase
from cairn.program.start import main

class Dropped:
    def __del__(self):
        os.kill(os.getpid(), signal.SIGINT)

index = Codebase.index
def indexed(*arguments, **named):
    done = index(*arguments, **named)
    Dropped()
    return done
Codebase.index = indexed
sys.exit(main(["watch"]))
"""


@pytest.mark.slow
def test_an_interrupt_that_python_drops_in_a_finalizer_ends_the_watch_all_the_same(repo: Repo) -> None:
    repo.write("a.py", "def one() -> None: ...\n")
    command = (sys.executable, "-c", _INTERRUPTED_IN_A_FINALIZER)
    done = subprocess.run(command, cwd=repo.path, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
    assert "Exception ignored in" in done.stderr
    assert done.returncode == 12, done


@pytest.mark.slow
@pytest.mark.parametrize("moment_s", [0.02, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1.0, 1.3, 1.6, 2.0])
def test_an_interrupt_ends_the_watch_at_whatever_moment_it_comes(repo: Repo, moment_s: float) -> None:
    repo.write("a.py", "def one() -> None: ...\n")
    process = subprocess.Popen(
        (sys.executable, "-m", "cairn", "watch"), cwd=repo.path, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    try:
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(moment_s)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=PATIENCE_S)
    finally:
        process.kill()
    # Before Cairn's first line runs, Python itself ends at an interrupt.
    assert process.returncode in (12, -signal.SIGINT, 1)


@pytest.mark.slow
@pytest.mark.requirement("DMN.3")
def test_killed_under_load_and_started_again_nothing_is_lost(tree: Repo, home: Path) -> None:
    over, wrong = threading.Event(), []

    def ask() -> None:
        while not over.is_set():
            done = cairn("symbol", "Lease", "--json", cwd=tree.path)
            # With the daemon or without it: always an answer.
            if done.returncode != 0 or json.loads(done.stdout)["total"] != 1:
                wrong.append(done)

    threads = [threading.Thread(target=ask) for _ in range(3)]
    for each in threads:
        each.start()
    try:
        for number in range(3):
            with serving() as daemon:
                tree.write("src/round.py", f"def round_{number}() -> None: ...\n")
                until(lambda daemon=daemon, number=number: found(daemon, tree, f"round_{number}"))  # type: ignore[misc]
                tree.write("src/more.py", f"def more_{number}() -> None: ...\n")
                daemon.kill()
    finally:
        over.set()
        for each in threads:
            each.join()
    assert wrong == []
    with serving() as daemon:
        until(lambda: found(daemon, tree, "more_2"))
        assert daemon.get("/v1/health", root=tree.path).document["healthy"]
    with Codebase(str(tree.path)) as codebase:
        assert all(check.level is Level.OK for check in check_store(codebase.store().layout))
