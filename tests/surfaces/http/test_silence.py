"""A daemon that is stopped, stuck, short of something or gone: its clients are answered all the same, and soon."""

import json
import os
import resource
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from cairn.daemon.client import SILENCE_S, SilentError, asked, connected
from cairn.surfaces.cli.through import ask
from tests.surfaces.http.gate import Gate
from tests.surfaces.http.running import PATIENCE_S, Daemon, dialled, serving, until
from tests.surfaces.http.test_through import relayed
from tests.trees import Repo, cairn

_SAID = "the daemon doesn't answer"


@pytest.fixture
def gate(tmp_path: Path) -> Gate:
    return Gate(tmp_path / "gate")


@pytest.fixture
def daemon(tree: Repo, gate: Gate) -> Iterator[Daemon]:
    with serving("--no-watch", PATH=gate.path) as found:
        yield found


def begun(tree: Repo, *arguments: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        (sys.executable, "-m", "cairn", *arguments),
        cwd=tree.path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.mark.slow
@pytest.mark.requirement("OFF.1")
def test_a_stopped_daemon_keeps_nobody_waiting(daemon: Daemon, tree: Repo) -> None:
    os.kill(daemon.process.pid, signal.SIGSTOP)
    try:
        done = cairn("search", "stale leases", "--json", cwd=tree.path)
    finally:
        os.kill(daemon.process.pid, signal.SIGCONT)
    assert done.returncode == 0
    assert json.loads(done.stdout)["results"][0]["path"] == "docs/leases.md"
    assert _SAID in done.stderr
    assert "cairn stop" in done.stderr
    before = relayed(daemon)
    again = cairn("search", "stale leases", "--json", cwd=tree.path)
    assert (again.returncode, again.stderr) == (0, "")
    assert relayed(daemon)[0] > before[0]


@pytest.mark.slow
def test_one_that_is_stopped_in_the_middle_too(daemon: Daemon, tree: Repo, gate: Gate) -> None:
    with gate.closed(tree.path):
        client = begun(tree, "symbol", "Lease", "--json")
        gate.somebody_waits()
        os.kill(daemon.process.pid, signal.SIGSTOP)
        status = begun(tree, "status", "--json")
        try:
            out, err = client.communicate(timeout=PATIENCE_S)
            read = json.loads(status.communicate(timeout=PATIENCE_S)[0])["read_mode"]
        finally:
            os.kill(daemon.process.pid, signal.SIGCONT)
    assert read.startswith("direct, since the daemon doesn't answer:")
    assert client.returncode == 0
    assert json.loads(out)["total"] == 1
    assert _SAID in err


@pytest.mark.slow
def test_one_that_is_killed_in_the_middle_is_not_spoken_of(daemon: Daemon, tree: Repo, gate: Gate) -> None:
    with gate.closed(tree.path):
        client = begun(tree, "symbol", "Lease", "--json")
        gate.somebody_waits()
        daemon.kill()
        out, err = client.communicate(timeout=PATIENCE_S)
    assert (client.returncode, err) == (0, "")
    assert json.loads(out)["total"] == 1


@pytest.mark.slow
def test_long_work_is_waited_for_as_long_as_it_goes_on(daemon: Daemon, tree: Repo, gate: Gate) -> None:
    before = relayed(daemon)
    with gate.closed(tree.path):
        client = begun(tree, "symbol", "Lease", "--json")
        gate.somebody_waits()
        with pytest.raises(subprocess.TimeoutExpired):
            client.wait(SILENCE_S + 2)
    out, err = client.communicate(timeout=PATIENCE_S)
    assert (client.returncode, err) == (0, "")
    assert json.loads(out)["total"] == 1
    assert relayed(daemon) == (before[0] + 1, before[1])


@pytest.mark.slow
def test_what_the_daemon_lacks_is_no_error_of_the_client(daemon: Daemon, tree: Repo) -> None:
    pid = daemon.process.pid
    had = resource.prlimit(pid, resource.RLIMIT_NOFILE)
    handles = [int(name) for name in os.listdir(f"/proc/{pid}/fd")]
    # Room for the connection, and for none of what an answer needs.
    resource.prlimit(pid, resource.RLIMIT_NOFILE, (max(handles) + 3, had[1]))
    try:
        done = cairn("search", "stale leases", "--json", cwd=tree.path)
    finally:
        resource.prlimit(pid, resource.RLIMIT_NOFILE, had)
    assert done.returncode == 0, done.stdout
    assert json.loads(done.stdout)["results"][0]["path"] == "docs/leases.md"
    assert "open files" not in done.stderr
    run, left = relayed(daemon)
    assert (run, left) == (0, 1)
    assert cairn("search", "stale leases", cwd=tree.path).returncode == 0
    assert relayed(daemon) == (1, 1)


@pytest.fixture
def crowded(tree: Repo, gate: Gate) -> Iterator[Daemon]:
    """One that has room for one."""
    with serving("--no-watch", "--concurrency=1", "--queue=0", PATH=gate.path) as found:
        yield found


@pytest.mark.slow
def test_a_daemon_that_is_busy_is_asked_again(crowded: Daemon, tree: Repo, gate: Gate) -> None:
    with gate.closed(tree.path):
        first = begun(tree, "symbol", "Lease", "--json")
        gate.somebody_waits()
        second = begun(tree, "symbol", "release", "--json", "--no-sync")
        until(lambda: "cairn_refused_total 0" not in crowded.get("/metrics").body.decode())
    for client in (first, second):
        out, err = client.communicate(timeout=PATIENCE_S)
        assert (client.returncode, err) == (0, "")
        assert json.loads(out)["total"] == 1
    assert relayed(crowded) == (2, 0)


@pytest.mark.slow
@pytest.mark.parametrize("more", [(), ("--json",)])
def test_one_that_stays_busy_is_said_to_be(
    crowded: Daemon,
    tree: Repo,
    gate: Gate,
    more: tuple[str, ...],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr("cairn.daemon.client._PATIENCE_S", 0.0)
    monkeypatch.chdir(tree.path)
    with gate.closed(tree.path):
        first = begun(tree, "symbol", "Lease")
        gate.somebody_waits()
        assert ask(["symbol", "Lease", *more]) == 10
        first.kill()
        first.communicate()
    said = capsys.readouterr()
    if more:
        assert json.loads(said.out)["error"]["code"] == "busy"
        assert json.loads(said.out)["error"]["retry_after_ms"] > 0
    else:
        assert said.err.startswith("cairn: The daemon has too many requests right now.\n  ")


@pytest.mark.parametrize(("told_ms", "pause"), [(0, 0.02), (250, 0.25), (60_000, 1.0)])
def test_one_that_is_busy_is_not_asked_without_a_pause(
    told_ms: int, pause: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    paused: list[float] = []
    monkeypatch.setattr(time, "sleep", paused.append)
    path = str(tmp_path / "line.sock")
    refusal = json.dumps({"error": {"message": "busy", "retry_after_ms": told_ms}}).encode()
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listening:
        listening.bind(path)
        listening.listen()

        def tell() -> None:
            for answer in (b"503 Busy\r\n\r\n" + refusal, b'200 OK\r\n\r\n["exit", 0]\n'):
                line, _ = listening.accept()
                with line:
                    line.recv(65_536)
                    line.sendall(b"HTTP/1.1 " + answer)

        telling = threading.Thread(target=tell)
        telling.start()
        assert list(asked(path, "/", b"{}")) == [("exit", 0)]
        telling.join()
    assert paused == [pause]


@pytest.mark.slow
def test_a_line_that_nobody_takes_is_given_up(tmp_path: Path) -> None:
    path = str(tmp_path / "line.sock")
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listening:
        listening.bind(path)
        listening.listen(0)
        with dialled(path), pytest.raises(SilentError):
            connected(path)


def test_a_line_that_is_taken_late_is_waited_for(tmp_path: Path) -> None:
    path = str(tmp_path / "line.sock")
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listening:
        listening.bind(path)
        listening.listen(0)
        taken: list[socket.socket] = []
        with dialled(path):
            taking = threading.Timer(0.2, lambda: taken.append(listening.accept()[0]))
            taking.start()
            connected(path).close()
            taking.join()
        assert len(taken) == 1
        taken[0].close()


def test_half_a_frame_is_none(tmp_path: Path) -> None:
    path = str(tmp_path / "line.sock")
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listening:
        listening.bind(path)
        listening.listen(1)
        child = os.fork()
        if not child:
            line, _ = listening.accept()
            line.recv(65_536)
            line.sendall(b'HTTP/1.1 200 OK\r\n\r\n["beat", ""]\n["out", "a"]\n["exit", 0]')
            line.close()
            os._exit(0)
        assert list(asked(path, "/", b"{}")) == [("out", "a")]
        assert os.waitpid(child, 0)[1] == 0
