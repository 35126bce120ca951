"""One daemon a home: started, stopped, killed, and started again."""

import contextlib
import fcntl
import json
import os
import signal
import socket
import stat
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from cairn.base.errors import BusyError, DeadlineError
from cairn.daemon import process
from cairn.daemon.folder import DaemonFolder
from tests.surfaces.http.running import PATIENCE_S, serving, until
from tests.trees import Repo, cairn


@pytest.mark.slow
@pytest.mark.requirement("DMN.2")
def test_the_socket_its_folder_and_the_token_are_private(home: Path) -> None:
    with serving("--http", "127.0.0.1:0") as daemon:
        place = DaemonFolder(str(home))
        assert daemon.is_alive()
        assert stat.S_IMODE(os.stat(place.socket_path).st_mode) == 0o600
        assert stat.S_IMODE(os.stat(place.folder).st_mode) == 0o700
        assert stat.S_IMODE(os.stat(place.token_file).st_mode) == 0o600
        assert stat.S_IMODE(os.stat(place.lock).st_mode) == 0o600
    assert not os.path.exists(place.socket_path)
    assert place.running() is None
    assert os.stat(place.lock).st_size == 0


def test_who_only_looks_whether_there_is_a_daemon_keeps_none_out(home: Path) -> None:
    place = DaemonFolder(str(home))
    place.make()
    Path(place.lock).touch(0o600)
    with open(place.lock, "rb") as looking:
        fcntl.flock(looking, fcntl.LOCK_SH)
        gone = threading.Timer(0.2, lambda: fcntl.flock(looking, fcntl.LOCK_UN))
        gone.start()
        with place.held():
            assert place.running() is not None
        gone.join()


@pytest.mark.slow
def test_a_home_has_one_daemon(home: Path) -> None:
    with serving() as daemon:
        second = cairn("serve")
        assert second.returncode == 5
        assert str(daemon.process.pid) in second.stderr
        assert "cairn stop" in second.stderr
        detached = cairn("serve", "--detach")
        assert detached.returncode == 5
        assert daemon.is_alive()


@pytest.mark.requirement("DMN.3")
def test_a_killed_daemon_leaves_nothing_that_keeps_the_next_one_out(home: Path, tree: Repo) -> None:
    place = DaemonFolder(str(home))
    with serving() as daemon:
        assert daemon.get("/v1/search", q="lease", root=tree.path).status == 200
        daemon.kill()
    assert os.path.exists(place.socket_path)
    assert place.running() is None
    # Nobody listens, so the command line does it itself.
    assert cairn("search", "lease", cwd=tree.path).returncode == 0
    with serving() as daemon:
        assert daemon.get("/v1/search", q="lease", root=tree.path).document["results"]


@pytest.mark.slow
def test_a_number_that_another_process_has_by_now_is_not_signalled(home: Path) -> None:
    place = DaemonFolder(str(home))
    with serving() as daemon:
        daemon.kill()
    told = json.loads(Path(place.lock).read_text())
    bystander = subprocess.Popen((sys.executable, "-c", "import time; time.sleep(600)"))
    try:
        Path(place.lock).write_text(json.dumps(told | {"pid": bystander.pid}))
        done = cairn("stop")
        assert done.returncode == 0
        assert done.stdout == "no daemon runs\n"
        assert bystander.poll() is None
    finally:
        bystander.kill()
        bystander.wait()


@pytest.mark.slow
def test_stop_ends_it_and_says_so(home: Path) -> None:
    with serving() as daemon:
        done = cairn("stop", "--json")
        assert json.loads(done.stdout) == {"stopped": True, "killed": False}
        assert daemon.process.wait(PATIENCE_S) == 0
    assert json.loads(cairn("stop", "--json").stdout) == {"stopped": False, "killed": False}


@pytest.mark.slow
def test_one_that_is_stopped_is_woken_and_ends_in_order(home: Path) -> None:
    with serving("--no-watch") as daemon:
        os.kill(daemon.process.pid, signal.SIGSTOP)
        done = cairn("stop")
        assert (done.returncode, done.stdout) == (0, "the daemon has ended\n")
        assert daemon.process.wait(PATIENCE_S) == 0
    assert not os.path.exists(DaemonFolder(str(home)).socket_path)


_DEAF = """
import signal, sys, time
from cairn.base.owner import this_process
from cairn.daemon.folder import DaemonFolder
signal.signal(signal.SIGTERM, signal.SIG_IGN)
with DaemonFolder(sys.argv[1]).held() as held:
    print("holds", flush=True)
    time.sleep(600)
"""


@pytest.fixture
def deaf(home: Path) -> Iterator["subprocess.Popen[bytes]"]:
    """A daemon that doesn't end when it is asked to."""
    found = subprocess.Popen((sys.executable, "-c", _DEAF, str(home)), stdout=subprocess.PIPE)
    try:
        assert found.stdout is not None
        assert found.stdout.readline() == b"holds\n"
        yield found
    finally:
        found.kill()
        found.communicate()


@pytest.mark.slow
def test_one_that_does_not_end_is_told_of_and_killed(
    home: Path, deaf: "subprocess.Popen[bytes]", monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process, "END_S", 1.5)
    said: list[str] = []
    assert process.end(DaemonFolder(str(home)), said.append) is True
    assert said == [f"the daemon (process {deaf.pid}) is still at work, and is killed if it goes on for 2 s"]
    assert deaf.wait(PATIENCE_S) == -signal.SIGKILL


@pytest.mark.slow
def test_who_holds_the_lock_and_can_not_be_seen_is_told_and_not_signalled(
    home: Path, deaf: "subprocess.Popen[bytes]", monkeypatch: pytest.MonkeyPatch
) -> None:
    place = DaemonFolder(str(home))
    monkeypatch.setattr(process, "_GONE_S", 0.2)
    told = json.loads(Path(place.lock).read_text())
    for text, said in (
        (json.dumps(told | {"boot_id": "another", "hostname": "there"}), f"process {deaf.pid} of there"),
        ("", "doesn't say who it is"),
    ):
        Path(place.lock).write_text(text)
        with pytest.raises(BusyError, match=said):
            process.end(place, pytest.fail)
    assert deaf.poll() is None


@pytest.mark.slow
def test_an_interrupt_ends_it_in_order(home: Path) -> None:
    with serving() as daemon:
        daemon.process.send_signal(signal.SIGINT)
        assert daemon.process.wait(PATIENCE_S) == 0
    assert DaemonFolder(str(home)).running() is None


@pytest.mark.slow
def test_detached_it_listens_when_the_command_returns(home: Path, tree: Repo) -> None:
    done = cairn("serve", "--detach", "--json", "--no-watch", "--http", "127.0.0.1:0")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    try:
        place = DaemonFolder(str(home))
        found = place.running()
        assert found is not None
        assert found.owner is not None
        assert found.owner.pid == told["pid"]
        assert found.ready
        assert "through the daemon" in cairn("status", cwd=tree.path).stdout
        assert stat.S_IMODE(os.stat(place.log).st_mode) == 0o600
        assert place.token() not in Path(place.log).read_text()
        assert told["page"].endswith(f"#token={place.token()}")
    finally:
        assert cairn("stop").returncode == 0


@pytest.mark.slow
@pytest.mark.parametrize("why", ["port", "token", "home", "exposed", "running"])
def test_detached_it_says_why_it_did_not_start_just_as_in_the_foreground(home: Path, why: str) -> None:
    options, elsewhere = ("--http", "127.0.0.1:0"), home.parent / "elsewhere"
    with contextlib.ExitStack() as stack:
        if why == "port":
            taken = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
            options = ("--http", f"127.0.0.1:{taken.getsockname()[1]}")
        elif why == "token":
            place = DaemonFolder(str(elsewhere))
            place.make()
            Path(place.token_file).touch(0o644)
        elif why == "home":
            elsewhere.touch()
        elif why == "exposed":
            options = ("--http", "0.0.0.0:0")
        else:
            stack.enter_context(serving("--no-watch", home=elsewhere))
        ours, detached = (
            cairn("serve", *options, *more, "--json", CAIRN_HOME=str(elsewhere)) for more in ((), ("--detach",))
        )
    told = json.loads(ours.stdout)["error"]
    assert told["code"] == {"port": "storage_failed"}.get(why, "refused")
    assert ours.returncode == (70 if why == "port" else 5)
    assert (detached.returncode, json.loads(detached.stdout)["error"]) == (ours.returncode, told)
    assert "Traceback" not in detached.stderr


@pytest.mark.slow
@pytest.mark.parametrize(("words", "told"), [("gone\\n", "gone"), ("", "it said nothing.")])
def test_detached_it_tells_what_it_said_last_when_it_dies_without_a_reason(home: Path, words: str, told: str) -> None:
    DaemonFolder(str(home)).make()
    Path(DaemonFolder(str(home)).log).write_text("what another one said\n")
    (home.parent / "broken").mkdir()
    (home.parent / "broken" / "uvicorn.py").write_text(
        f"import os, sys\nsys.stderr.write('{words}')\nsys.stderr.flush()\nos._exit(7)\n"
    )
    before = (str(home.parent / "broken"), os.environ.get("PYTHONPATH"))
    done = cairn("serve", "--detach", PYTHONPATH=os.pathsep.join(filter(None, before)))
    assert done.returncode == 70
    assert f"did not start: {told}" in done.stderr
    assert DaemonFolder(str(home)).log in done.stderr


@pytest.mark.slow
def test_detached_it_is_ended_when_it_is_not_ready_in_time(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (home.parent / "slow").mkdir()
    (home.parent / "slow" / "uvicorn.py").write_text(
        f"import os, sys, time\nopen({str(home / 'pid')!r}, 'w').write(str(os.getpid()))\n"
        "sys.stderr.write('still thinking\\n')\nsys.stderr.flush()\ntime.sleep(600)\n"
    )
    before = (str(home.parent / "slow"), os.environ.get("PYTHONPATH"))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, before)))
    monkeypatch.setattr(process, "_START_S", 3.0)
    with pytest.raises(DeadlineError, match="not ready within 3 s and was ended: still thinking") as late:
        process.start(DaemonFolder(str(home)), ())
    assert "cairn serve" in late.value.hint
    assert DaemonFolder(str(home)).log in late.value.hint
    with pytest.raises(ProcessLookupError):
        os.kill(int((home / "pid").read_text()), 0)


_KINDS: dict[str, Callable[[Path], None]] = {
    "folder": lambda path: path.mkdir(),
    "link": lambda path: path.symlink_to(path.parent / "elsewhere"),
    "pipe": os.mkfifo,
    "file": lambda path: path.touch(0o600),
}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "kind", "wanted"),
    [
        ("cairn.sock", "folder", "socket"),
        *((name, kind, "file") for name in ("daemon.lock", "token") for kind in ("folder", "link", "pipe")),
    ],
)
def test_what_else_has_the_name_of_one_of_its_files_is_told(home: Path, name: str, kind: str, wanted: str) -> None:
    place = DaemonFolder(str(home))
    place.make()
    path = Path(place.folder) / name
    _KINDS[kind](path)
    for more in ((), ("--detach",))[: 1 + (kind == "folder")]:
        done = cairn("serve", "--no-watch", "--http", "127.0.0.1:0", *more)
        assert (done.returncode, done.stdout) == (5, "")
        remedy = f"rm -r {path}" if kind == "folder" else f"rm {path}"
        assert done.stderr == (
            f"cairn: {path} is a {kind}, and the daemon needs a {wanted} there.\n"
            f"  Run `{remedy}`: the daemon makes a new one, for you alone.\n"
        )
    subprocess.run(remedy, shell=True, check=True)
    assert not path.exists()


@pytest.mark.parametrize("kind", ["folder", "link", "pipe"])
def test_what_else_has_the_name_of_the_log_is_told(home: Path, kind: str) -> None:
    place = DaemonFolder(str(home))
    place.make()
    _KINDS[kind](Path(place.log))
    done = cairn("serve", "--detach")
    assert done.returncode == 5
    assert f"{place.log} is a {kind}" in done.stderr
    assert f"`rm {'-r ' if kind == 'folder' else ''}{place.log}`" in done.stderr


@pytest.mark.slow
def test_a_log_that_can_not_be_set_aside_goes_on(home: Path) -> None:
    place = DaemonFolder(str(home))
    place.make()
    Path(place.log).write_bytes(b"x" * (process._MOST_LOG_BYTES + 1))
    Path(f"{place.log}.1").mkdir()
    assert cairn("serve", "--detach", "--no-watch").returncode == 0
    assert cairn("stop").returncode == 0
    assert os.stat(place.log).st_size > process._MOST_LOG_BYTES
    Path(f"{place.log}.1").rmdir()
    assert cairn("serve", "--detach", "--no-watch").returncode == 0
    assert cairn("stop").returncode == 0
    assert os.stat(f"{place.log}.1").st_size > process._MOST_LOG_BYTES
    assert os.stat(place.log).st_size < process._MOST_LOG_BYTES


@pytest.mark.slow
@pytest.mark.parametrize("command", [("serve",), ("serve", "--detach")])
@pytest.mark.parametrize("above", [False, True])
def test_a_file_in_the_place_of_its_folder_is_told(home: Path, command: tuple[str, ...], above: bool) -> None:
    """What lies above the folder is not the daemon's, and nobody is told to remove it."""
    folder = Path(DaemonFolder(str(home)).folder)
    elsewhere = home.parent / "a file" if above else folder
    elsewhere.parent.mkdir(parents=True, exist_ok=True)
    elsewhere.touch()
    done = cairn(*command, CAIRN_HOME=str(elsewhere / "home" if above else home))
    assert done.returncode == 5
    assert f"{elsewhere} is a file, and the daemon needs a folder there." in done.stderr
    assert (f"rm {elsewhere}" in done.stderr, "CAIRN_HOME" in done.stderr) == (not above, above)
    assert cairn("stop", CAIRN_HOME=str(home)).stdout == "no daemon runs\n"


@pytest.mark.slow
@pytest.mark.parametrize("more", [(), ("--expose",)])
@pytest.mark.parametrize("host", ["nosuchhost.invalid", f"{'a' * 70}.b", "a..b"])
def test_a_host_that_nobody_knows_is_told(home: Path, host: str, more: tuple[str, ...]) -> None:
    done = cairn("serve", "--http", f"{host}:0", *more)
    assert done.returncode == 2
    assert f"The host '{host}' is not known: " in done.stderr
    assert "--http 127.0.0.1:0" in done.stderr


@pytest.mark.slow
def test_an_address_of_another_machine_is_told(home: Path) -> None:
    done = cairn("serve", "--http", "192.0.2.1:0", "--expose")
    assert done.returncode == 70
    assert "http://192.0.2.1:0 can't be listened on: " in done.stderr
    assert "Use an address of this machine" in done.stderr


@pytest.mark.slow
def test_a_port_that_is_taken_or_does_not_exist_is_told(home: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = cairn("serve", "--http", f"127.0.0.1:{port}")
    assert done.returncode == 70
    assert f"http://127.0.0.1:{port} can't be listened on: Address already in use." in done.stderr
    assert "Use another port, or 0" in done.stderr
    done = cairn("serve", "--http", "127.0.0.1:65536")
    assert done.returncode == 2
    assert "There is no port 65536: the last one is 65535." in done.stderr


@pytest.mark.slow
def test_it_ends_by_itself_when_nobody_asks(home: Path) -> None:
    with serving("--idle-exit", "0.5") as daemon:
        assert daemon.process.wait(PATIENCE_S) == 0
    assert DaemonFolder(str(home)).running() is None


@pytest.mark.slow
def test_it_does_not_end_before_its_time(home: Path) -> None:
    with serving("--idle-exit", "600", "--no-watch") as daemon:
        with pytest.raises(subprocess.TimeoutExpired):
            daemon.process.wait(1.0)
        assert daemon.is_alive()


@pytest.mark.slow
def test_a_home_with_a_long_name_has_a_socket_too(tmp_path: Path, tree: Repo) -> None:
    home = tmp_path / ("long" * 30) / ("name" * 30)
    with serving(home=home) as daemon:
        assert len(daemon.path) > 200
        assert daemon.is_alive()
        assert "not indexed" in cairn("status", str(tree.path), CAIRN_HOME=str(home)).stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    "options",
    [
        ("--http", "nonsense"),
        ("--http", "127.0.0.1:99999"),
        ("--expose",),
        ("--idle-exit", "0"),
        ("--idle-exit", "1e99"),
        ("--concurrency", "0"),
        ("--queue", "-1"),
    ],
)
def test_options_that_make_no_sense_are_told(options: tuple[str, ...]) -> None:
    assert cairn("serve", *options).returncode == 2


@pytest.mark.slow
@pytest.mark.requirement("DMN.2")
def test_an_address_that_others_may_reach_has_to_be_insisted_on(home: Path) -> None:
    done = cairn("serve", "--http", "0.0.0.0:0")
    assert done.returncode == 5
    assert "--expose" in done.stderr
    with serving("--http", "0.0.0.0:0", "--expose") as daemon:
        assert until(daemon.is_alive)
