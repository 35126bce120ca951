"""Several servers on one registry: each sees what the others do, and none loses what another wrote."""

import os
import signal
import threading
from pathlib import Path

import pytest

from cairn.base.errors import CairnError
from cairn.config.user import cairn_home
from cairn.lifecycle.states import State
from cairn.surfaces.mcp.service import Service
from tests.surfaces.mcp.client import Session, connected, go_on, small_tree, stopped_indexer
from tests.surfaces.mcp.local import Local, index
from tests.surfaces.mcp.states import registry, tracked
from tests.trees import write

STOP = {"CAIRN_STOP_AT": "segment.rows_written"}


@pytest.mark.slow
@pytest.mark.requirement("LOCK.1", "SIS.9")
def test_one_indexes_and_both_answer(home: Path, tmp_path: Path) -> None:
    first, second = small_tree(tmp_path / "first"), small_tree(tmp_path / "second")
    with connected(home, first, second) as other:
        other.create(second)
        with connected(home, first, second, env=STOP) as indexing:
            assert indexing.call("manage_index", action="create", path=str(first))["started"] is True
            pid = stopped_indexer(home, first)
            for session in (indexing, other):
                assert session.call("search_codebase", query="lease", path=str(first))["status"] == "not_ready"
                assert session.call("search_codebase", query="lease", path=str(second))["status"] == "ok"
                blocked = session.call("manage_index", action="reindex", path=str(first), wait=True)
                assert (blocked["status"], blocked["reason"]) == ("not_ready", "indexing")
                rows = session.call("list_codebases")["codebases"]
                assert [(row["path"], row["state"]) for row in rows] == [
                    (str(first), "indexing"),
                    (str(second), "indexed"),
                ]
            go_on(pid)
            for session in (indexing, other):
                done = session.when(first, lambda status: status["state"] != "indexing")
                assert done["state"] == "indexed"
                assert session.call("search_codebase", query="lease", path=str(first))["results"]
            snapshots = {
                session.call("search_codebase", query="lease", path=str(first))["snapshotId"]
                for session in (indexing, other)
            }
            assert len(snapshots) == 1


@pytest.mark.slow
@pytest.mark.requirement("LOCK.5")
def test_kill_nine_of_the_indexing_process_is_told_by_the_other_and_mended(home: Path, tree: Path) -> None:
    with connected(home, tree) as other:
        with connected(home, tree, env=STOP) as indexing:
            indexing.call("manage_index", action="create")
            pid = stopped_indexer(home, tree)
            os.kill(pid, signal.SIGKILL)
            for session in (other, indexing):
                status = session.when(tree, lambda status: status["state"] != "indexing")
                assert (status["state"], status["reason"]) == ("indexfailed", "not_indexed")
                envelope = session.call("search_codebase", query="lease")
                assert (envelope["status"], envelope["reason"]) == ("not_indexed", "not_indexed")
                assert envelope["lastError"]["code"] == "indexer_died"
                assert envelope["hints"]["create"]["args"] == {"action": "create", "path": str(tree)}
            # Asking wrote nothing down: that is for whoever acts.
            assert tracked(home, tree).state is State.INDEXING
        assert other.create(tree)["state"] == "indexed"
        assert other.call("search_codebase", query="lease")["results"]


@pytest.mark.slow
def test_neither_loses_the_entries_of_the_other(home: Path, tmp_path: Path) -> None:
    """Each creates several codebases at the same time, in the background."""
    trees = [small_tree(tmp_path / f"tree{number}", files=1) for number in range(6)]
    with connected(home, *trees) as first, connected(home, *trees) as second:

        def create(session: Session, mine: list[Path]) -> None:
            for tree in mine:
                assert session.call("manage_index", action="create", path=str(tree))["started"] is True

        threads = [
            threading.Thread(target=create, args=(session, mine))
            for session, mine in ((first, trees[::2]), (second, trees[1::2]))
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for tree in trees:
            for session in (first, second):
                done = session.when(tree, lambda status: status["state"] not in ("indexing", "not_found"))
                assert done["state"] == "indexed", done
        rows = [{row["path"] for row in session.call("list_codebases")["codebases"]} for session in (first, second)]
        assert rows == [{str(tree) for tree in trees}] * 2
        assert {row.root for row in registry(home).all()} == {str(tree) for tree in trees}


@pytest.mark.slow
def test_two_that_create_the_same_do_it_once(local: Local, tree: Path) -> None:
    """Who comes second is told that it is under way, or that it is done; nobody is told a lie."""
    local.see(tree)
    other = Local(tree)
    said: list[dict[str, object]] = []
    threads = [
        threading.Thread(target=lambda each=each: said.append(each.call("manage_index", action="create", wait=True)))
        for each in (local, other)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {answer["status"] for answer in said} <= {"ok", "not_ready"}
    assert any(answer["status"] == "ok" for answer in said)
    assert tracked(Path(cairn_home()).parent, tree).state is State.INDEXED
    other.close()


@pytest.mark.slow
def test_a_clear_elsewhere_is_seen_at_once(local: Local, tree: Path) -> None:
    index(tree)
    local.see(tree)
    other = Local(tree)
    assert local.call("search_codebase", query="lease")["status"] == "ok"
    assert other.call("manage_index", action="clear")["removed"] is True
    assert local.call("search_codebase", query="lease")["status"] == "not_indexed"
    index(tree)
    assert local.call("search_codebase", query="lease")["status"] == "ok"
    other.close()


@pytest.mark.slow
def test_callers_of_one_codebase_take_turns_and_share_a_sync(local: Local, tree: Path) -> None:
    index(tree)
    local.see(tree)
    for number in range(3):
        write(tree, "src/lease.py", f"def edition_{number}():\n    pass\n")
        said: list[dict[str, object]] = []
        threads = [
            threading.Thread(target=lambda: said.append(local.call("search_codebase", query=f"edition_{number}")))  # noqa: B023
            for _ in range(6)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(said) == 6
        for answer in said:
            assert answer["status"] == "ok"
            assert answer["results"][0]["symbol"] == f"edition_{number}"  # type: ignore[index]
        assert len({answer["snapshotId"] for answer in said}) == 1


def test_a_codebase_that_is_dropped_while_it_is_waited_for_is_opened_anew(local: Local, tree: Path) -> None:
    index(tree)
    service: Service = local.service
    failures: list[CairnError] = []
    stop = threading.Event()

    def use() -> None:
        while not stop.is_set():
            try:
                with service.using(str(tree)) as codebase:
                    assert codebase.is_indexed()
                    codebase.require_readable()
            except CairnError as error:
                failures.append(error)

    threads = [threading.Thread(target=use) for _ in range(3)]
    for thread in threads:
        thread.start()
    for _ in range(30):
        service.drop(str(tree))
    stop.set()
    for thread in threads:
        thread.join()
    assert failures == []


def test_no_more_than_a_few_codebases_are_kept_open(local: Local, tmp_path: Path) -> None:
    trees = []
    for number in range(10):
        folder = tmp_path / f"plain{number}"
        write(folder, "a.py")
        trees.append(folder.resolve())
    local.see(*trees)
    for tree in (*trees, trees[0]):
        assert local.call("manage_index", action="status", path=str(tree))["state"] == "not_found"
    assert local.service.pool.idle() == 8
    with local.service.using(str(trees[3])) as kept:
        for tree in trees:
            if tree != trees[3]:
                local.call("manage_index", action="status", path=str(tree))
        assert not kept._closed
