"""The command line through the daemon: the same bytes as without it, and without it where that is right."""

import json
import os
import pty
import re
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from cairn import __version__
from cairn.config.user import cairn_home
from cairn.daemon import client
from cairn.daemon.client import COMMAND_PATH, settings
from cairn.surfaces.cli import through
from cairn.surfaces.cli.console import Console
from tests.conformance import ROOT
from tests.surfaces.http.running import Daemon, serving
from tests.trees import Repo, cairn

_VARYING = {
    "`request_id`": (re.compile(r'"request_id": "[^"]*"'), '"request_id": ""'),
    "`timings_ms`": (re.compile(r'"timings_ms": \{[^}]*\}'), '"timings_ms": {}'),
    "the milliseconds": (re.compile(r"\d+ ms"), "0 ms"),
    "the age of a snapshot": (re.compile(r"\d+ (second|minute)s? old"), "0 seconds old"),
}
"""What no two runs have in common, in the words of docs/daemon.md."""


def same(text: str) -> str:
    for pattern, put in _VARYING.values():
        text = pattern.sub(put, text)
    return text


def test_what_may_differ_is_what_the_page_of_the_daemon_says() -> None:
    text = " ".join((ROOT / "docs" / "daemon.md").read_text().split())
    asks, _, rest = text.partition("While a daemon listens, ")[2].partition(" ask it, ")
    said = rest.partition("byte for byte but for what no two runs have in common: ")[2].partition(". ")[0]
    assert set(re.findall(r"`(\w+)`", asks)) == through.COMMANDS
    assert all(words in said for words in _VARYING)
    named = {words.strip("`") for words in _VARYING if words.startswith("`")}
    assert set(re.findall(r"`(\w+)`", said)) == named | {"read_mode", "status"}


def assert_same_both_ways(shared: Daemon, tree: Repo, *arguments: str, cwd: str = ".", **environment: str) -> None:
    """A command says the same, on both streams, and ends the same."""
    places = {"CAIRN_HOME": str(shared.home), "HOME": str(shared.home.parent)} | environment
    before = relayed(shared)
    ours = cairn(*arguments, cwd=tree.path / cwd, **places)
    # What an error says of paths, only the process that was given them can say.
    run = ours.returncode in (0, 1)
    assert relayed(shared) == (before[0] + run, before[1] + (not run))
    direct = cairn(*arguments, "--offline", cwd=tree.path / cwd, **places)
    assert relayed(shared) == (before[0] + run, before[1] + (not run))
    assert same(ours.stdout) == same(direct.stdout)
    assert same(ours.stderr) == same(direct.stderr)
    assert ours.returncode == direct.returncode


def relayed(shared: Daemon) -> tuple[int, int]:
    """How many commands the daemon has run, and how many it left to who asked."""
    text = shared.get("/metrics").body.decode()
    run, left = (re.search(rf"cairn_commands_{kind}_total (\d+)", text) for kind in ("run", "left"))
    assert run is not None
    assert left is not None
    return int(run[1]), int(left[1])


@pytest.mark.slow
@pytest.mark.parametrize(
    "arguments",
    [
        ("search", "stale leases"),
        ("search", "stale leases", "--json", "--explain"),
        ("search", "release", "--mode", "symbol", "-k", "1"),
        ("search", "lease", "--budget", "200"),
        ("search", "--literal", "Lease()"),
        ("search", "--regex", "rel.*se", "--json"),
        ("search", "--related", "src/lease.py:4"),
        ("search", "lease", "--no-sync"),
        ("search", "nothing_is_called_this"),
        ("search", "lease", "--all", "--json"),
        ("search", "lease", "--root", ".", "--root", "src"),
        ("symbol", "Lease.release"),
        ("symbol", "Lease", "--json"),
        ("refs", "src/lease.py:4"),
        ("callers", "release", "--both"),
        ("callees", "free", "--mermaid"),
        ("outline", "src/lease.py"),
        ("map", "--json"),
        ("imports", "src/free.py", "--dot"),
        ("impact", "src/lease.py"),
        ("slice", "src/lease.py:4", "self"),
        ("contexts",),
        ("read", "src/lease.py"),
        ("read", "docs/leases.md:2-", "--json"),
        ("read", "no/such/file.py"),
        ("read", "src/lease.py:99"),
        ("search", ""),
        ("search", "lease", "--limit", "0"),
        ("search", "lease", "no/such/folder"),
        ("outline", "no/such/file.py"),
        ("symbol", "Lease", "--nonsense"),
    ],
)
@pytest.mark.requirement("OFF.1")
def test_a_command_prints_the_same_through_the_daemon(
    shared: Daemon, shared_tree: Repo, arguments: tuple[str, ...]
) -> None:
    assert_same_both_ways(shared, shared_tree, *arguments)


_QUESTIONS = {
    "search": ("search", "stale leases", "--explain"),
    "symbol": ("symbol", "Lease"),
    "grep": ("grep", "-C1", "release"),
    "refs": ("refs", "release"),
    "callers": ("callers", "release"),
    "callees": ("callees", "free"),
    "outline": ("outline", "src/lease.py"),
    "map": ("map",),
    "imports": ("imports", "src/free.py"),
    "impact": ("impact", "src/lease.py"),
    "tests": ("tests", "src/lease.py"),
    "unused": ("unused", "--exported"),
    "hierarchy": ("hierarchy", "Lease"),
    "implementors": ("implementors", "Lease"),
    "overrides": ("overrides", "Lease.release"),
    "cycles": ("cycles",),
    "slice": ("slice", "src/lease.py:4", "self"),
    "history": ("history", "Lease", "--at", "HEAD"),
    "contexts": ("contexts",),
    "read": ("read", "src/lease.py:1-3"),
}


def test_every_command_that_asks_the_daemon_is_compared() -> None:
    assert {*_QUESTIONS, "status"} == through.COMMANDS


@pytest.mark.slow
@pytest.mark.parametrize("more", [(), ("--json",)])
@pytest.mark.parametrize("name", _QUESTIONS)
@pytest.mark.requirement("OFF.1")
def test_every_command_gives_the_same_bytes(
    shared: Daemon, shared_tree: Repo, name: str, more: tuple[str, ...]
) -> None:
    assert_same_both_ways(shared, shared_tree, *_QUESTIONS[name], *more)


@pytest.mark.slow
def test_status_differs_only_in_how_it_was_read(shared: Daemon, shared_tree: Repo) -> None:
    places = {"CAIRN_HOME": str(shared.home), "HOME": str(shared.home.parent)}
    ours, direct = (
        json.loads(cairn("status", "--json", *more, cwd=shared_tree.path, **places).stdout)
        for more in ((), ("--offline",))
    )
    assert f"through the daemon (process {shared.process.pid})" in ours.pop("read_mode")
    assert "direct, as --offline asks for" in direct.pop("read_mode")
    assert ours.pop("request_id") != direct.pop("request_id")
    assert ours == direct


@pytest.mark.slow
def test_paths_mean_what_they_mean_where_the_user_stands(shared: Daemon, shared_tree: Repo) -> None:
    assert_same_both_ways(shared, shared_tree, "outline", "lease.py", cwd="src")
    assert_same_both_ways(shared, shared_tree, "symbol", "lease.py:4", cwd="src")
    assert_same_both_ways(shared, shared_tree, "search", "lease", "..", cwd="src")
    assert_same_both_ways(shared, shared_tree, "read", "lease.py", cwd="src")
    assert_same_both_ways(shared, shared_tree, "read", "docs/leases.md", cwd="src")


@pytest.mark.slow
@pytest.mark.parametrize("more", [("--session", "mine"), ("--max-bytes=10",)])
def test_what_only_the_reader_knows_is_read_by_the_reader(
    shared: Daemon, shared_tree: Repo, more: tuple[str, ...]
) -> None:
    places = {"CAIRN_HOME": str(shared.home), "HOME": str(shared.home.parent)}
    before = relayed(shared)
    done = cairn("read", "src/lease.py", *more, cwd=shared_tree.path, **places)
    assert done.returncode == 0
    assert done.stdout.startswith("class Leas")
    assert relayed(shared) == before
    request = {
        "version": __version__,
        "settings": {},
        "arguments": ["read", "src/lease.py", *more],
        "folder": str(shared_tree.path),
        "variables": {},
    }
    assert shared.ask("POST", COMMAND_PATH, None, json.dumps(request).encode()).status == 400


@pytest.mark.slow
def test_a_file_that_begins_like_a_line_of_progress_is_none(tree: Repo) -> None:
    tree.write("odd.txt", b"\rodd\n")
    with serving("--no-watch") as daemon:
        done = cairn("read", "odd.txt", "--json", cwd=tree.path)
        assert json.loads(done.stdout)["text"] == "\rodd\n"
        raw = subprocess.run(
            (sys.executable, "-m", "cairn", "read", "odd.txt"), cwd=tree.path, capture_output=True, check=True
        )
        assert (raw.stdout, raw.stderr) == (b"\rodd\n", b"")
        assert relayed(daemon)[0] == 2


@pytest.mark.slow
def test_another_encoding_is_honoured(shared: Daemon, shared_tree: Repo) -> None:
    assert_same_both_ways(shared, shared_tree, "search", "lease", PYTHONIOENCODING="ascii")


@pytest.mark.slow
@pytest.mark.parametrize(
    "arguments", [("search", "stale leases"), ("symbol", "Lease"), ("search", "--literal", "Lease")]
)
def test_a_terminal_gets_its_colours_and_its_width(
    shared: Daemon, shared_tree: Repo, arguments: tuple[str, ...]
) -> None:
    def seen(*more: str) -> str:
        environment = os.environ | {
            "CAIRN_HOME": str(shared.home),
            "HOME": str(shared.home.parent),
            "COLUMNS": "60",
            "TERM": "xterm",
        }
        ours, theirs = pty.openpty()
        process = subprocess.Popen(
            (sys.executable, "-m", "cairn", *arguments, *more), cwd=shared_tree.path, env=environment, stdout=theirs,
            stderr=theirs,
        )  # fmt: skip
        os.close(theirs)
        found = b""
        while True:
            try:
                part = os.read(ours, 65_536)
            except OSError:
                break
            if not part:
                break
            found += part
        os.close(ours)
        assert process.wait(60) == 0
        # A line of progress wipes itself away.
        return same(found.decode()).rpartition("\x1b[K")[2] if "\r\x1b[K" in found.decode() else same(found.decode())

    through_it = seen()
    assert "\x1b[" in through_it
    assert through_it == seen("--offline")


@pytest.mark.slow
def test_other_settings_than_the_daemons_are_honoured_by_reading_directly(shared: Daemon, shared_tree: Repo) -> None:
    places = {"CAIRN_HOME": str(shared.home), "HOME": str(shared.home.parent)}
    done = cairn("symbol", "Lease", cwd=shared_tree.path, CAIRN_EMBED_PROVIDER="hashing", **places)
    assert done.returncode == 4
    assert "hashing" in done.stderr


@pytest.fixture
def passed_over() -> Iterator[list[str]]:
    """Why a daemon was passed over in this process."""
    client.passed_over.clear()
    yield client.passed_over
    client.passed_over.clear()


def test_a_daemon_of_another_version_is_passed_over(
    shared: Daemon, shared_tree: Repo, passed_over: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CAIRN_HOME", str(shared.home))
    monkeypatch.setattr(through, "__version__", "0.0.0")
    monkeypatch.chdir(shared_tree.path)
    assert through.ask(["status"]) is None
    assert passed_over == [f"the daemon is of version {__version__}"]
    assert Console().read_mode(asked_for=False).startswith(f"direct, since the daemon is of version {__version__}: ")
    assert Console().read_mode(asked_for=True).startswith("direct, as --offline asks for: ")


@pytest.mark.parametrize(
    "answer",
    [
        b"",
        b"HTTP/1.1 200 OK\r\n\r\n",
        b'HTTP/1.1 200 OK\r\n\r\n["out", "half"]\n',
        b"HTTP/1.1 200 OK\r\n\r\n{}\n",
        b"HTTP/1.1 404 Not Found\r\n\r\n",
        b"HTTP/1.1 503 Busy\r\n\r\n",
        b"\0\1\2\n\n",
    ],
)
def test_a_daemon_without_an_answer_is_passed_over(
    answer: bytes, passed_over: list[str], home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = home / client.SOCKET
    path.parent.mkdir(parents=True)
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(path))
        listening.listen()

        def tell() -> None:
            line, _ = listening.accept()
            with line:
                line.recv(65_536)
                line.sendall(answer)

        telling = threading.Thread(target=tell)
        telling.start()
        assert through.ask(["status"]) is None
        telling.join()
    assert passed_over == ["the daemon gave no answer"]
    assert capsys.readouterr() == ("", "")
    # Now nobody listens there, and nobody was passed over.
    passed_over.clear()
    assert through.ask(["status"]) is None
    assert passed_over == []


def test_a_shared_store_passes_the_daemon_over(passed_over: list[str]) -> None:
    assert through.ask(["status", "--shared-store=/somewhere"]) is None
    assert passed_over == ["a shared store is always read directly"]


@pytest.mark.slow
def test_nobody_is_answered_with_the_secrets_of_another(tree: Repo, home: Path) -> None:
    """Variables that the user's own configuration names are those of who asks, or the daemon doesn't answer."""
    (home / "config.toml").write_text('[milvus]\ntoken_env = "TEAM_TOKEN"\n')
    with serving("--no-watch", TEAM_TOKEN="mine", OTHER="one") as daemon:
        for more, through_it in (
            ({"TEAM_TOKEN": "mine", "OTHER": "two"}, True),
            ({"TEAM_TOKEN": "another"}, False),
            ({}, False),
        ):
            before = relayed(daemon)
            done = cairn("status", cwd=tree.path, **more)
            assert done.returncode == 0
            assert ("direct, since the daemon runs with other settings" in done.stdout) is not through_it
            assert relayed(daemon) == (before[0] + through_it, before[1])
    with serving("--no-watch") as daemon:
        assert cairn("symbol", "Lease", cwd=tree.path, TEAM_TOKEN="mine").returncode == 0
        assert relayed(daemon) == (0, 0)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", set()),
        ('key_env = "SECRET"', {"SECRET"}),
        ("embed = { key_env='SECRET' }", {"SECRET"}),
        ('key_env = "NOT_SECRET"', set()),
        ("# SECRET", set()),
        # It may be any of them, so it is all of them.
        ('key_env = "\\u0053ECRET"', {"SECRET", "_"}),
    ],
)
def test_names_of_variables_are_found_without_reading_toml(tmp_path: Path, text: str, found: set[str]) -> None:
    (tmp_path / "config.toml").write_text(text)
    always = {"HOME": "/h", "CAIRN_EMBED_KEY": "k", "GIT_DIR": "/g", "GIT_CONFIG_COUNT": "0"}
    same = settings({"SECRET": "x", "_": "y", "CAIRN_HOME": "/h/.cairn", **always}, str(tmp_path))
    assert set(same) - {"CAIRN_HOME"} == found | set(always)


@pytest.mark.slow
def test_a_tree_that_is_not_indexed_is_indexed_by_who_asks(repo: Repo) -> None:
    repo.write("a.py", "def lonely() -> None: ...\n")
    with serving("--no-watch"):
        assert cairn("symbol", "lonely", cwd=repo.path).returncode == 3
        done = cairn("search", "lonely", "--json", cwd=repo.path)
        assert json.loads(done.stdout)["results"][0]["path"] == "a.py"


@pytest.mark.slow
def test_an_edit_is_seen_by_the_next_question(tree: Repo) -> None:
    with serving("--no-watch"):
        for number in range(3):
            tree.write("src/new.py", f"def brand_new_{number}() -> None: ...\n")
            done = cairn("symbol", f"brand_new_{number}", "--json", cwd=tree.path)
            assert json.loads(done.stdout)["total"] == 1
        (tree.path / "src/new.py").unlink()
        assert json.loads(cairn("symbol", "brand_new_2", "--json", cwd=tree.path).stdout)["total"] == 0


@pytest.mark.slow
def test_settings_that_change_are_seen_by_the_next_question(tree: Repo) -> None:
    with serving("--no-watch"):
        assert cairn("symbol", "Lease", cwd=tree.path).returncode == 0
        tree.write(".cairn.toml", "[index]\nchunk_bytes = 600\n")
        assert cairn("symbol", "Lease", cwd=tree.path).returncode == 4
        tree.write(".cairn.toml", "[query]\nlimit = 1\n")
        assert len(json.loads(cairn("search", "lease", "--json", cwd=tree.path).stdout)["results"]) == 1


def test_a_pipe_that_nobody_reads_is_no_error(shared: Daemon, shared_tree: Repo) -> None:
    command = f"{sys.executable} -m cairn search lease | true; exit ${{PIPESTATUS[0]}}"
    environment = os.environ | {"CAIRN_HOME": str(shared.home), "HOME": str(shared.home.parent)}
    done = subprocess.run(
        ("bash", "-c", command), cwd=shared_tree.path, env=environment, capture_output=True, timeout=60, check=False
    )
    assert done.returncode == 0
    assert b"Traceback" not in done.stderr


def test_the_client_knows_the_home_as_the_rest_does(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert through.home() == cairn_home()
    monkeypatch.setenv("CAIRN_HOME", str(tmp_path / ".." / "x"))
    assert through.home() == cairn_home()
    monkeypatch.delenv("CAIRN_HOME")
    assert through.home() == cairn_home()


@pytest.mark.slow
def test_the_client_loads_next_to_nothing(shared: Daemon, shared_tree: Repo) -> None:
    code = (
        "import sys\nbefore = set(sys.modules)\n"
        "from cairn.program.start import main\ncode = main(['search', 'lease'])\n"
        "loaded = set(sys.modules) - before\n"
        "assert len(loaded) < 25, sorted(loaded)\nsys.exit(code)"
    )
    environment = os.environ | {"CAIRN_HOME": str(shared.home), "HOME": str(shared.home.parent)}
    done = subprocess.run(
        (sys.executable, "-c", code), cwd=shared_tree.path, env=environment, capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr
