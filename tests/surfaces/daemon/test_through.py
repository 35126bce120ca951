"""The command line through the daemon: the same bytes as without it, and without it where that is right."""

import json
import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest

from cairn.surfaces.cli import through
from cairn.surfaces.line import settings
from cairn.workspace import cairn_home
from tests.surfaces.daemon.running import Daemon, serving
from tests.trees import Repo, cairn

_VARYING = (
    (re.compile(r'"(request_id)": "[^"]*"'), r'"\1": ""'),
    (re.compile(r'"timings_ms": \{[^}]*\}'), '"timings_ms": {}'),
    (re.compile(r"\d+ ms"), "0 ms"),
    (re.compile(r"\d+ (second|minute)s? old"), "0 seconds old"),
)


def same(text: str) -> str:
    """Without what no two runs have in common."""
    for pattern, put in _VARYING:
        text = pattern.sub(put, text)
    return text


def both(shared: Daemon, tree: Repo, *arguments: str, cwd: str = ".", **environment: str) -> None:
    """A command says the same, on both streams, and ends the same."""
    places = {"CAIRN_HOME": str(shared.home), "HOME": str(shared.home.parent)} | environment
    before = relayed(shared)
    ours = cairn(*arguments, cwd=tree.path / cwd, **places)
    # What an error says of paths, only the process that was given them can say.
    run = ours.returncode == 0
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
    both(shared, shared_tree, *arguments)


_QUESTIONS = {
    "search": ("search", "stale leases", "--explain"),
    "symbol": ("symbol", "Lease"),
    "refs": ("refs", "release"),
    "callers": ("callers", "release"),
    "callees": ("callees", "free"),
    "outline": ("outline", "src/lease.py"),
    "map": ("map",),
    "imports": ("imports", "src/free.py"),
    "impact": ("impact", "src/lease.py"),
    "slice": ("slice", "src/lease.py:4", "self"),
    "contexts": ("contexts",),
}


def test_every_command_that_asks_the_daemon_is_compared() -> None:
    assert {*_QUESTIONS, "status"} == through.COMMANDS


@pytest.mark.parametrize("more", [(), ("--json",)])
@pytest.mark.parametrize("name", _QUESTIONS)
@pytest.mark.requirement("OFF.1")
def test_every_command_gives_the_same_bytes(
    shared: Daemon, shared_tree: Repo, name: str, more: tuple[str, ...]
) -> None:
    both(shared, shared_tree, *_QUESTIONS[name], *more)


def test_status_differs_only_in_how_it_was_read(shared: Daemon, shared_tree: Repo) -> None:
    places = {"CAIRN_HOME": str(shared.home), "HOME": str(shared.home.parent)}
    ours, direct = (
        json.loads(cairn("status", "--json", *more, cwd=shared_tree.path, **places).stdout)
        for more in ((), ("--offline",))
    )
    assert f"through the daemon (process {shared.process.pid})" in ours.pop("read_mode")
    assert "direct, as --offline asks for" in direct.pop("read_mode")
    assert ours == direct


def test_paths_mean_what_they_mean_where_the_user_stands(shared: Daemon, shared_tree: Repo) -> None:
    both(shared, shared_tree, "outline", "lease.py", cwd="src")
    both(shared, shared_tree, "symbol", "lease.py:4", cwd="src")
    both(shared, shared_tree, "search", "lease", "..", cwd="src")


def test_another_encoding_is_honoured(shared: Daemon, shared_tree: Repo) -> None:
    both(shared, shared_tree, "search", "lease", PYTHONIOENCODING="ascii")


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


def test_other_settings_than_the_daemons_are_honoured_by_reading_directly(shared: Daemon, shared_tree: Repo) -> None:
    places = {"CAIRN_HOME": str(shared.home), "HOME": str(shared.home.parent)}
    done = cairn("symbol", "Lease", cwd=shared_tree.path, CAIRN_EMBED_PROVIDER="hashing", **places)
    assert done.returncode == 4
    assert "hashing" in done.stderr


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
    given = {"SECRET": "x", "_": "y", "HOME": "/h", "CAIRN_EMBED_KEY": "k", "CAIRN_HOME": "/h/.cairn"}
    same = settings(given, str(tmp_path))
    assert set(same) - {"CAIRN_HOME"} == found | {"HOME", "CAIRN_EMBED_KEY"}


def test_a_tree_that_is_not_indexed_is_indexed_by_who_asks(repo: Repo) -> None:
    repo.write("a.py", "def lonely() -> None: ...\n")
    with serving("--no-watch"):
        assert cairn("symbol", "lonely", cwd=repo.path).returncode == 3
        done = cairn("search", "lonely", "--json", cwd=repo.path)
        assert json.loads(done.stdout)["results"][0]["path"] == "a.py"


def test_an_edit_is_seen_by_the_next_question(tree: Repo) -> None:
    with serving("--no-watch"):
        for number in range(3):
            tree.write("src/new.py", f"def brand_new_{number}() -> None: ...\n")
            done = cairn("symbol", f"brand_new_{number}", "--json", cwd=tree.path)
            assert json.loads(done.stdout)["total"] == 1
        (tree.path / "src/new.py").unlink()
        assert json.loads(cairn("symbol", "brand_new_2", "--json", cwd=tree.path).stdout)["total"] == 0


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


def test_the_client_loads_next_to_nothing(shared: Daemon, shared_tree: Repo) -> None:
    code = (
        "import sys\nfrom cairn.surfaces.cli import main\ncode = main(['search', 'lease'])\n"
        "loaded = [name for name in sys.modules if name.split('.')[0] in ('argparse', 'typing', 'numpy', 'sqlite3')]\n"
        "loaded += [name for name in sys.modules if name.startswith('cairn.')]\n"
        "assert len(loaded) < 5, loaded\nsys.exit(code)"
    )
    environment = os.environ | {"CAIRN_HOME": str(shared.home), "HOME": str(shared.home.parent)}
    done = subprocess.run(
        (sys.executable, "-c", code), cwd=shared_tree.path, env=environment, capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr
