"""`cairn mcp` on standard input and output: its questions go through the daemon while there is one."""

import contextlib
import os
import resource
import signal
from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest

from cairn.lifecycle.states import State
from cairn.surfaces.mcp.access import access_to
from cairn.surfaces.mcp.service import Service, ToolCall
from cairn.surfaces.mcp.through import Through
from cairn.surfaces.mcp.tools import BY_NAME
from tests.surfaces.http.gate import Gate
from tests.surfaces.http.running import Daemon, serving, until
from tests.surfaces.http.test_through import relayed
from tests.surfaces.mcp.client import Raw, Session, connected, row_of, small_tree

_KEPT = {name: value for name, value in os.environ.items() if name.startswith("CAIRN_") and name != "CAIRN_HOME"}


@pytest.fixture
def house(tmp_path: Path) -> Path:
    path = tmp_path / "house"
    path.mkdir()
    return path.resolve()


@pytest.fixture
def code(tmp_path: Path, house: Path) -> Path:
    """An indexed tree."""
    path = small_tree(tmp_path / "code")
    with connected(house, path, env=_KEPT) as session:
        session.create(path)
    return path


def daemon_of(house: Path, **more: str) -> "AbstractContextManager[Daemon]":
    settings = {"HOME": str(house), "GIT_CONFIG_NOSYSTEM": "1", **more}
    return serving("--no-watch", home=house / ".cairn", handles=None, **settings)


@pytest.fixture
def daemon(house: Path, code: Path) -> Iterator[Daemon]:
    with daemon_of(house) as found:
        yield found


def way(session: Session, code: Path) -> str:
    told = session.call("manage_index", action="status", path=str(code))["readMode"]
    return str(told).partition(":")[0]


_CALLS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("list_codebases", {}),
    ("search_codebase", {"query": "stale lease", "limit": 3}),
    ("search_codebase", {"query": "lease", "path": "src"}),
    ("search_codebase", {"query": ""}),
    ("search_codebase", {"query": "lease", "limit": -1}),
    ("search_codebase", {"query": "lease", "path": "/"}),
    ("file_outline", {"path": "src/writer.py"}),
    ("file_outline", {"path": "src/none.py"}),
    ("call_graph", {"symbol": "take_over"}),
    ("find_references", {"symbol": "release"}),
    ("repo_map", {}),
    ("read_file", {"path": "src/lease.py", "start_line": 2, "end_line": 5}),
    ("read_file", {"path": "../outside"}),
)


@pytest.mark.requirement("OFF.1")
def test_answers_are_the_same_through_the_daemon_and_without(house: Path, code: Path, daemon: Daemon) -> None:
    with connected(house, code, env=_KEPT) as session:
        assert way(session, code) == f"through the daemon (process {daemon.process.pid})"
        before = relayed(daemon)[0]
        through_it = [session.call(name, **given) for name, given in _CALLS]
        assert relayed(daemon)[0] == before + sum(answer["status"] != "error" for answer in through_it)
        daemon.kill()
        assert way(session, code) == "direct"
        assert through_it == [session.call(name, **given) for name, given in _CALLS]


@pytest.mark.slow
@pytest.mark.parametrize("limit", ["0", "3600"])
def test_how_old_the_last_look_may_be_is_passed_on(house: Path, code: Path, daemon: Daemon, limit: str) -> None:
    with connected(house, code, env=_KEPT, options=("--fresh-for", limit)) as session:
        session.call("search_codebase", query="lease")
        again = session.call("search_codebase", query="lease")["freshness"]["decision"]
        assert (again == "skipped_recent") is (limit == "3600")
    assert relayed(daemon)[0] == 2


@pytest.mark.slow
def test_a_server_that_is_offline_asks_no_daemon(house: Path, code: Path, daemon: Daemon) -> None:
    with connected(house, code, env=_KEPT, options=("--offline",)) as session:
        assert way(session, code) == "direct, as --offline asks for"
        assert session.call("search_codebase", query="lease")["results"]
    assert relayed(daemon) == (0, 0)


@pytest.mark.slow
def test_another_key_than_the_daemons_is_not_answered_by_it(house: Path, code: Path, daemon: Daemon) -> None:
    with connected(house, code, env=_KEPT | {"CAIRN_EMBED_KEY": "another"}) as session:
        assert way(session, code) == "direct, since the daemon runs with other settings"
    assert relayed(daemon) == (0, 0)


@pytest.mark.slow
def test_a_run_that_is_known_here_alone_is_told_of_here(code: Path, house: Path, daemon: Daemon) -> None:
    service = Service(str(house / ".cairn"))
    service.jobs.any = lambda: True  # type: ignore[method-assign]
    call, given = ToolCall(access_to([str(code)])), {"action": "status", "path": str(code), "wait": False}
    told = Through(service).answer(BY_NAME["manage_index"], call, given)["readMode"]
    assert told.startswith("direct, since a run that was started here is under way")
    assert relayed(daemon) == (0, 0)
    service.close()


@pytest.mark.slow
def test_what_the_daemon_lacks_is_no_error_of_the_server(house: Path, code: Path, daemon: Daemon) -> None:
    pid = daemon.process.pid
    with connected(house, code, env=_KEPT) as session:
        had = resource.prlimit(pid, resource.RLIMIT_NOFILE)
        handles = [int(name) for name in os.listdir(f"/proc/{pid}/fd")]
        # Room for the connection, and for none of what an answer needs.
        resource.prlimit(pid, resource.RLIMIT_NOFILE, (max(handles) + 3, had[1]))
        try:
            answer = session.call("search_codebase", query="lease")
        finally:
            resource.prlimit(pid, resource.RLIMIT_NOFILE, had)
    assert answer["status"] == "ok"
    assert answer["results"]
    assert relayed(daemon) == (0, 1)


@pytest.mark.slow
def test_a_daemon_may_come_and_go_between_calls(house: Path, code: Path) -> None:
    with connected(house, code, env=_KEPT) as session:
        ways = [way(session, code)]
        for _ in range(2):
            with daemon_of(house) as daemon:
                ways.append(way(session, code))
                daemon.kill()
            ways.append(way(session, code))
    assert [each.partition(" (")[0] for each in ways] == [
        "direct", "through the daemon", "direct", "through the daemon", "direct",
    ]  # fmt: skip


@pytest.mark.slow
def test_a_client_sees_only_its_own_roots_through_the_daemon(house: Path, code: Path, tmp_path: Path) -> None:
    other = small_tree(tmp_path / "other")
    with connected(house, other, env=_KEPT) as session:
        session.create(other)
    with daemon_of(house), connected(house, env=_KEPT, client_roots=[f"file://{other}"], mode="legacy") as session:
        assert way(session, other).startswith("through")
        listed = session.call("list_codebases")["codebases"]
        assert [row["path"] for row in listed] == [str(other)]
        assert session.call("search_codebase", query="lease", path=str(code))["status"] == "refused"


@pytest.mark.slow
def test_a_question_is_asked_again_when_the_daemon_dies_in_the_middle(house: Path, code: Path, tmp_path: Path) -> None:
    gate = Gate(tmp_path / "gate")
    with daemon_of(house, PATH=gate.path) as daemon, Raw(house, code, env=_KEPT) as client:
        with gate.closed(code):
            number = client.begin("tools/call", {"name": "search_codebase", "arguments": {"query": "stale lease"}})
            gate.somebody_waits()
            daemon.kill()
            answer = client.answer_to(number)["result"]["structuredContent"]
        assert answer["status"] == "ok"
        assert answer["results"]


@pytest.mark.slow
def test_a_stopped_daemon_is_told_of_and_then_left_alone(house: Path, code: Path, daemon: Daemon) -> None:
    with connected(house, code, env=_KEPT) as session:
        assert way(session, code).startswith("through")
        os.kill(daemon.process.pid, signal.SIGSTOP)
        try:
            first = session.call("search_codebase", query="lease")
            second = session.call("search_codebase", query="lease")
            ways = [way(session, code)]
            # Another one may be there by now.
            os.utime(daemon.path)
            ways.append(way(session, code))
        finally:
            os.kill(daemon.process.pid, signal.SIGCONT)
    assert first["results"] == second["results"] != []
    assert any("the daemon doesn't answer" in each for each in first["warnings"])
    assert "warnings" not in second
    assert ways == [
        "direct, since the daemon doesn't answer and is left alone for 30 s",
        "direct, since the daemon doesn't answer",
    ]


@pytest.mark.slow
def test_another_daemon_than_the_silent_one_is_asked_at_once(house: Path, code: Path, daemon: Daemon) -> None:
    with connected(house, code, env=_KEPT) as session:
        os.kill(daemon.process.pid, signal.SIGSTOP)
        assert way(session, code).startswith("direct")
        daemon.kill()
        with daemon_of(house):
            assert way(session, code).startswith("through")


@pytest.mark.slow
def test_a_run_that_is_over_keeps_nobody_from_the_daemon(house: Path, code: Path, tmp_path: Path) -> None:
    new = small_tree(tmp_path / "new")
    with daemon_of(house), connected(house, code, new, env=_KEPT) as session:
        assert session.call("manage_index", action="create", path=str(new))["started"] is True
        # Nobody asks about the new one.
        until(lambda: way(session, code).startswith("through"))


@pytest.mark.slow
def test_a_call_that_is_cancelled_ends_in_the_daemon(house: Path, code: Path, tmp_path: Path) -> None:
    gate = Gate(tmp_path / "gate")

    def inside(daemon: Daemon) -> int:
        text = daemon.get("/metrics").body.decode()
        return int(next(line for line in text.splitlines() if line.startswith("cairn_inside ")).split()[1])

    with contextlib.ExitStack() as stack:
        daemon = stack.enter_context(daemon_of(house, PATH=gate.path))
        client = stack.enter_context(Raw(house, code, env=_KEPT))
        assert client.call("search_codebase", query="stale lease")["results"]
        stack.enter_context(gate.closed(code))
        number = client.begin("tools/call", {"name": "search_codebase", "arguments": {"query": "stale lease"}})
        gate.somebody_waits()
        assert inside(daemon) == 1
        client.say({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": number}})
        until(lambda: not inside(daemon))
        # It is the wait that is over; the server goes on.
        assert client.call("list_codebases")["status"] == "ok"


@pytest.mark.slow
def test_what_changes_an_index_is_done_here_and_once(house: Path, code: Path, daemon: Daemon) -> None:
    """A daemon that dies while an index is made has no part in it."""

    def snapshots(of: Daemon) -> int:
        return int(of.get("/v1/snapshots", root=code).document["total"])

    def is_indexing() -> bool:
        row = row_of(house, code)
        return row is not None and row.state is State.INDEXING

    before, asked = snapshots(daemon), relayed(daemon)
    with Raw(house, code, env=_KEPT) as client:
        number = client.begin(
            "tools/call", {"name": "manage_index", "arguments": {"action": "reindex", "path": str(code), "wait": True}}
        )
        until(is_indexing)
        assert relayed(daemon) == asked
        daemon.kill()
        done = client.answer_to(number)["result"]["structuredContent"]
        assert (done["status"], done["state"]) == ("ok", "indexed")
        with daemon_of(house) as other:
            assert snapshots(other) == before + 1
            # What this server knew of the run by itself it doesn't hold on to.
            assert client.call("search_codebase", query="lease")["results"]
            until(lambda: client.call("search_codebase", query="lease")["results"] and relayed(other)[0])


@pytest.mark.slow
def test_a_run_that_was_begun_here_is_known_here_at_once(house: Path, tmp_path: Path) -> None:
    new = small_tree(tmp_path / "new")
    with daemon_of(house), Raw(house, new, env=_KEPT) as client:
        assert client.call("search_codebase", query="lease")["status"] == "not_indexed"
        assert client.call("manage_index", action="create", path=str(new))["started"] is True
        # The run has yet to enter itself, or is under way, or is done: in no case has it never been asked for.
        assert client.call("search_codebase", query="lease")["status"] in ("not_ready", "ok")
