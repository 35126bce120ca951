"""Creates and reindexes over MCP: in the background, waited for, cancelled, killed; and servers that end."""

import json
import os
import signal
import subprocess
import sys
import threading
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import mcp_types as types
import pytest
from mcp.client.client import Client

from cairn.base.errors import CancelledError, StorageError
from cairn.config.user import cairn_home
from cairn.lifecycle import processes as jobs_module
from cairn.lifecycle.processes import Jobs
from cairn.lifecycle.registry import Registry
from cairn.lifecycle.states import State
from cairn.lifecycle.tracked import Tracked
from cairn.surfaces.mcp.server import build
from cairn.surfaces.mcp.service import Service
from tests.surfaces.mcp.client import (
    PATIENCE_S,
    Progress,
    Raw,
    connected,
    environment,
    go_on,
    stopped_indexer,
    until,
)
from tests.surfaces.mcp.local import Local, index
from tests.surfaces.mcp.states import tracked

STOP = {"CAIRN_STOP_AT": "segment.rows_written"}


@pytest.mark.slow
@pytest.mark.requirement("LOCK.1", "LOCK.5")
def test_no_premature_indexing_to_indexed_without_marker_proof(home: Path, tree: Path) -> None:
    """Seed 001, test requirement 1: create returns at once, all is not_ready until the proof is there."""
    with connected(home, tree, env=STOP) as session:
        started = session.call("manage_index", action="create", path=str(tree / "src"))
        assert (started["status"], started["started"], started["state"]) == ("ok", True, "indexing")
        assert started["codebaseRoot"] == str(tree)
        # From the very first moment, before the run has entered itself.
        assert session.call("search_codebase", query="lease")["status"] == "not_ready"
        pid = stopped_indexer(home, tree)
        for action in ("create", "reindex", "sync", "clear", "repair"):
            blocked = session.call("manage_index", action=action, wait=True)
            assert (blocked["status"], blocked["reason"]) == ("not_ready", "indexing")
            assert blocked["hints"]["status"]["args"] == {"action": "status", "path": str(tree)}
            assert blocked["retryAfterMs"] > 0
        for _ in range(3):
            status = session.call("manage_index", action="status")
            assert status["state"] == "indexing"
            assert status["indexing"]["progressPct"] < 100
            assert session.call("search_codebase", query="lease")["indexing"]["phase"]
            (row,) = session.call("list_codebases")["codebases"]
            assert row["indexing"]["progressPct"] < 100
        go_on(pid)
        done = session.when(tree, lambda status: status["state"] != "indexing")
        assert (done["state"], done["files"]) == ("indexed", 9)
        assert session.call("search_codebase", query="lease")["results"]


@pytest.mark.slow
def test_progress_arrives_while_a_client_waits(home: Path, tree: Path) -> None:
    with connected(home, tree, env=STOP) as session:
        heard: Progress = []
        ended: list[Any] = []
        ask = partial(session.result, "manage_index", {"action": "create", "wait": True}, heard)
        waiting = threading.Thread(target=lambda: ended.append(ask()))
        waiting.start()
        pid = stopped_indexer(home, tree)
        until(lambda: heard)
        # Others are answered meanwhile.
        assert session.call("search_codebase", query="lease")["status"] == "not_ready"
        go_on(pid)
        waiting.join(PATIENCE_S)
        answer = session.checked("manage_index", ended[0])
        assert (answer["status"], answer["state"]) == ("ok", "indexed")
        assert all(0 <= done < 100 for done, _ in heard)
        assert [done for done, _ in heard] == sorted(done for done, _ in heard)
        assert {phase for _, phase in heard} <= {"starting", "looking", "indexing", "publishing"}


@pytest.mark.slow
def test_a_call_that_is_cancelled_interrupts_the_run(home: Path, tree: Path) -> None:
    with connected(home, tree, env=STOP) as session:
        scope: list[anyio.CancelScope] = []

        async def cancellable() -> None:
            with anyio.CancelScope() as mine:
                scope.append(mine)
                await session.client.call_tool("manage_index", {"action": "create", "wait": True})

        future = session.portal.start_task_soon(cancellable)
        pid = stopped_indexer(home, tree)
        session.portal.call(scope[0].cancel)
        future.result(PATIENCE_S)
        # It was told to stop, and does as soon as it can.
        until(lambda: is_pending(pid, signal.SIGINT))
        go_on(pid)
        status = session.when(tree, lambda status: status["state"] != "indexing")
        assert (status["state"], status["reason"]) == ("indexfailed", "not_indexed")
        (row,) = session.call("list_codebases")["codebases"]
        assert row["lastError"]["code"] == "cancelled"
        envelope = session.call("search_codebase", query="lease")
        assert (envelope["status"], envelope["lastError"]["code"]) == ("not_indexed", "cancelled")
        assert envelope["hints"]["create"]["args"]["action"] == "create"
        until(lambda: not os.path.exists(f"/proc/{pid}"))


def is_pending(pid: int, sign: signal.Signals) -> bool:
    """Whether a signal has reached a process: it waits to be taken, or has ended the process."""
    try:
        status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    except (FileNotFoundError, ProcessLookupError):
        return True
    for line in status.splitlines():
        if line.startswith(("ShdPnd:", "SigPnd:")) and int(line.split()[1], 16) & (1 << (sign - 1)):
            return True
    return False


@pytest.mark.slow
def test_a_run_that_does_not_heed_is_killed(local: Local, tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs_module, "_GRACE_S", 0.2)
    monkeypatch.setenv("CAIRN_STOP_AT", "segment.rows_written")
    jobs = local.service.jobs
    assert jobs.start(str(tree), reindex=False)
    stopped_indexer(Path(cairn_home()).parent, tree)
    assert not jobs.start(str(tree), reindex=False)
    cancelled = threading.Event()
    cancelled.set()
    with pytest.raises(CancelledError):
        jobs.wait(str(tree), lambda _row: None, cancelled)
    assert not jobs.is_running(str(tree))
    local.see(tree)
    status = local.call("manage_index", action="status")
    assert (status["state"], status["reason"]) == ("indexfailed", "not_indexed")
    assert local.call("search_codebase", query="x")["lastError"]["code"] == "indexer_died"


@pytest.mark.slow
def test_a_registry_that_can_not_be_read_meanwhile_does_not_end_the_wait(
    local: Local, tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked: list[str] = []

    def refuse(_: Registry, root: str) -> Tracked | None:
        looked.append(root)
        raise StorageError("no")

    monkeypatch.setattr(jobs_module, "_POLL_S", 0.01)
    jobs: Jobs = local.service.jobs
    jobs.start(str(tree), reindex=False)
    with monkeypatch.context() as patch:
        patch.setattr(Registry, "get", refuse)
        assert jobs.wait(str(tree), lambda _row: None, threading.Event()) == 0
    assert looked
    assert tracked(Path(cairn_home()).parent, tree).state is State.INDEXED


@pytest.mark.slow
def test_a_run_that_fails_before_it_is_tracked_says_why(
    local: Local, tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the background nobody waits for what it prints: status and the gates tell."""
    local.see(tree)
    said = {"error": {"code": "storage_failed", "message": "No room is left.", "hint": "Make some."}}
    fake = tmp_path / "python"
    fake.write_text(f"#!/bin/sh\necho '{json.dumps(said)}'\nexit 1\n", encoding="utf-8")
    fake.chmod(0o700)
    with monkeypatch.context() as patch:
        patch.setattr(sys, "executable", str(fake))
        assert local.call("manage_index", action="create")["started"] is True
        until(lambda: not local.service.jobs.is_running(str(tree)))
        waited = local.call("manage_index", action="create", wait=True)
    assert (waited["status"], waited["code"], waited["hint"]) == ("error", "storage_failed", "Make some.")
    envelope = local.call("search_codebase", query="x")
    assert (envelope["status"], envelope["lastError"]["message"]) == ("not_indexed", "No room is left.")
    status = local.call("manage_index", action="status")
    assert (status["state"], status["reason"]) == ("indexfailed", "not_indexed")
    # And the way out works.
    assert local.call("manage_index", action="create", wait=True)["status"] == "ok"
    assert local.call("search_codebase", query="lease")["status"] == "ok"


@pytest.mark.slow
@pytest.mark.requirement("LOCK.5")
def test_a_failed_reindex_is_no_success_though_the_last_snapshot_answers(
    local: Local, tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index(tree)
    local.see(tree)
    before = local.call("manage_index", action="status")["snapshotId"]
    with monkeypatch.context() as patch:
        patch.setenv("CAIRN_CRASH_AT", "segment.rows_written")
        answer = local.call("manage_index", action="reindex", wait=True)
    assert (answer["status"], answer["code"]) == ("error", "indexer_died")
    found = local.call("search_codebase", query="lease")
    assert (found["status"], found["snapshotId"]) == ("ok", before)
    assert any("last_index_failed" in warning for warning in found["warnings"])
    status = local.call("manage_index", action="status")
    assert (status["state"], status["reason"], status["snapshotId"]) == ("indexfailed", None, before)
    assert any("last_index_failed" in warning for warning in status["warnings"])
    again = local.call("manage_index", action="create", wait=True)
    assert (again["status"], again["state"]) == ("ok", "indexed")
    assert "alreadyIndexed" not in again


@pytest.mark.slow
def test_a_run_that_dies_before_it_is_tracked_is_no_success(
    local: Local, tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index(tree)
    local.see(tree)
    with monkeypatch.context() as patch:
        patch.setattr(sys, "executable", "/bin/false")
        answer = local.call("manage_index", action="reindex", wait=True)
    assert (answer["status"], answer["code"]) == ("error", "not_completed")
    assert "exit code 1" in answer["message"]
    assert local.call("search_codebase", query="lease")["status"] == "ok"


@pytest.mark.slow
def test_a_client_that_closes_its_end_ends_the_server_and_not_the_run(home: Path, tree: Path) -> None:
    with Raw(home, tree, env=STOP) as raw:
        assert raw.call("manage_index", action="create")["started"] is True
        pid = stopped_indexer(home, tree)
    assert raw.process.returncode == 0
    go_on(pid)
    until(lambda: tracked(home, tree).state is not State.INDEXING)
    assert tracked(home, tree).state is State.INDEXED


@pytest.mark.slow
def test_a_client_that_closes_its_end_while_it_waits_ends_the_server(home: Path, tree: Path) -> None:
    with Raw(home, tree, env=STOP) as raw:
        raw.begin("tools/call", {"name": "manage_index", "arguments": {"action": "create", "wait": True}})
        pid = stopped_indexer(home, tree)
        assert raw.process.stdin is not None
        raw.process.stdin.close()
        until(lambda: is_pending(pid, signal.SIGINT))
        go_on(pid)
        assert raw.process.wait(PATIENCE_S) == 0
    assert tracked(home, tree).state is State.INDEXFAILED


@pytest.mark.slow
def test_kill_nine_of_the_client_ends_the_server(home: Path, tree: Path) -> None:
    script = (
        "import subprocess, sys, time\n"
        "command = [sys.executable, '-m', 'cairn', 'mcp']\n"
        "child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)\n"
        "print(child.pid, flush=True)\n"
        "time.sleep(600)\n"
    )
    client = subprocess.Popen(
        (sys.executable, "-c", script), cwd=tree, env=environment(home), stdout=subprocess.PIPE, text=True
    )
    assert client.stdout is not None
    server = int(client.stdout.readline())
    client.kill()
    client.wait()
    client.stdout.close()
    until(lambda: not is_alive(server))


def is_alive(pid: int) -> bool:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8")
    except (FileNotFoundError, ProcessLookupError):
        return False
    return stat.rpartition(")")[2].split()[0] not in "ZX"


@pytest.mark.slow
@pytest.mark.requirement("SIS.11")
def test_a_damaged_registry_is_told_and_mended_by_create(home: Path, tree: Path) -> None:
    """A registry that is no database: never a failure of the protocol, never an empty list that would be a lie."""
    (home / ".cairn").mkdir()
    (home / ".cairn/registry.db").write_bytes(b"this is no database, nor will it ever be one" * 100)
    with connected(home, tree) as session:
        listed = session.call("list_codebases")
        assert (listed["status"], listed["code"]) == ("error", "registry_damaged")
        assert session.call("search_codebase", query="x")["status"] == "not_indexed"
        assert session.create(tree)["state"] == "indexed"
        assert [row["path"] for row in session.call("list_codebases")["codebases"]] == [str(tree)]


@pytest.mark.requirement("SIS.11")
def test_a_defect_too_is_told_in_an_envelope(
    local: Local, tree: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(_: Service) -> None:
        raise ZeroDivisionError("by nothing")

    monkeypatch.setattr(Service, "listed", broken)

    async def ask() -> types.CallToolResult:
        async with Client(build(local.service, lambda: [str(tree)], structured=True)) as client:
            return await client.call_tool("list_codebases", {})

    result = anyio.run(ask)
    assert result.is_error
    assert result.structured_content is not None
    assert (result.structured_content["status"], result.structured_content["code"]) == ("error", "internal")
    assert "by nothing" in result.structured_content["message"]
    assert "Traceback" in capsys.readouterr().err
