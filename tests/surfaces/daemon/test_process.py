"""One daemon a home: started, stopped, killed, and started again."""

import contextlib
import json
import os
import signal
import socket
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from cairn.surfaces.daemon.place import Place
from tests.surfaces.daemon.running import PATIENCE_S, serving, until
from tests.trees import Repo, cairn


@pytest.mark.requirement("DMN.2")
def test_the_socket_its_folder_and_the_token_are_private(home: Path) -> None:
    with serving("--http", "127.0.0.1:0") as daemon:
        place = Place(str(home))
        assert daemon.is_alive()
        assert stat.S_IMODE(os.stat(place.socket_path).st_mode) == 0o600
        assert stat.S_IMODE(os.stat(place.folder).st_mode) == 0o700
        assert stat.S_IMODE(os.stat(place.token_file).st_mode) == 0o600
        assert stat.S_IMODE(os.stat(place.lock).st_mode) == 0o600
    assert not os.path.exists(place.socket_path)
    assert place.running() is None


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
    place = Place(str(home))
    with serving() as daemon:
        assert daemon.get("/v1/search", q="lease", root=tree.path).status == 200
        daemon.kill()
    assert os.path.exists(place.socket_path)
    assert place.running() is None
    # Nobody listens, so the command line does it itself.
    assert cairn("search", "lease", cwd=tree.path).returncode == 0
    with serving() as daemon:
        assert daemon.get("/v1/search", q="lease", root=tree.path).document["results"]


def test_a_number_that_another_process_has_by_now_is_not_signalled(home: Path) -> None:
    place = Place(str(home))
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


def test_stop_ends_it_and_says_so(home: Path) -> None:
    with serving() as daemon:
        done = cairn("stop", "--json")
        assert json.loads(done.stdout) == {"stopped": True}
        assert daemon.process.wait(PATIENCE_S) == 0
    assert json.loads(cairn("stop", "--json").stdout) == {"stopped": False}


def test_an_interrupt_ends_it_in_order(home: Path) -> None:
    with serving() as daemon:
        daemon.process.send_signal(signal.SIGINT)
        assert daemon.process.wait(PATIENCE_S) == 0
    assert Place(str(home)).running() is None


def test_detached_it_listens_when_the_command_returns(home: Path, tree: Repo) -> None:
    done = cairn("serve", "--detach", "--json", "--no-watch", "--http", "127.0.0.1:0")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    try:
        place = Place(str(home))
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


@pytest.mark.parametrize("why", ["port", "token", "home", "exposed", "running"])
def test_detached_it_says_why_it_did_not_start_just_as_in_the_foreground(home: Path, why: str) -> None:
    options, elsewhere = ("--http", "127.0.0.1:0"), home.parent / "elsewhere"
    with contextlib.ExitStack() as stack:
        if why == "port":
            taken = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
            options = ("--http", f"127.0.0.1:{taken.getsockname()[1]}")
        elif why == "token":
            place = Place(str(elsewhere))
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
    assert told["code"] == {"port": "storage_failed", "home": "storage_failed"}.get(why, "refused")
    assert ours.returncode == (1 if why in ("port", "home") else 5)
    assert (detached.returncode, json.loads(detached.stdout)["error"]) == (ours.returncode, told)
    assert "Traceback" not in detached.stderr


def test_detached_it_tells_what_it_said_last_when_it_dies_without_a_reason(home: Path) -> None:
    (home.parent / "broken").mkdir()
    (home.parent / "broken" / "uvicorn.py").write_text("import os, sys\nsys.stderr.write('gone\\n')\nos._exit(7)\n")
    before = (str(home.parent / "broken"), os.environ.get("PYTHONPATH"))
    done = cairn("serve", "--detach", PYTHONPATH=os.pathsep.join(filter(None, before)))
    assert done.returncode == 1
    assert "did not start: gone" in done.stderr
    assert Place(str(home)).log in done.stderr


def test_it_ends_by_itself_when_nobody_asks(home: Path) -> None:
    with serving("--idle-exit", "0.5") as daemon:
        assert daemon.process.wait(PATIENCE_S) == 0
    assert Place(str(home)).running() is None


def test_a_home_with_a_long_name_has_a_socket_too(tmp_path: Path, tree: Repo) -> None:
    home = tmp_path / ("long" * 30) / ("name" * 30)
    with serving(home=home) as daemon:
        assert len(daemon.path) > 200
        assert daemon.is_alive()
        assert "not indexed" in cairn("status", str(tree.path), CAIRN_HOME=str(home)).stderr


@pytest.mark.parametrize(
    "options",
    [
        ("--http", "nonsense"),
        ("--http", "127.0.0.1:99999"),
        ("--expose",),
        ("--idle-exit", "0"),
        ("--concurrency", "0"),
        ("--queue", "-1"),
    ],
)
def test_options_that_make_no_sense_are_told(options: tuple[str, ...]) -> None:
    assert cairn("serve", *options).returncode == 2


@pytest.mark.requirement("DMN.2")
def test_an_address_that_others_may_reach_has_to_be_insisted_on(home: Path) -> None:
    done = cairn("serve", "--http", "0.0.0.0:0")
    assert done.returncode == 5
    assert "--expose" in done.stderr
    with serving("--http", "0.0.0.0:0", "--expose") as daemon:
        assert until(daemon.is_alive)
