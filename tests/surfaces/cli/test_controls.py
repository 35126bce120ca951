"""Control files of a store and a home that are damaged: health tells, repair mends, and whoever meets them says so."""

import contextlib
import json
import os
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from cairn.codebase.codebase import Codebase
from cairn.config.user import cairn_home
from cairn.semantic.control import control_file
from tests.surfaces.cli.test_store import answer, layout_of, run, say
from tests.surfaces.mcp.client import Raw
from tests.trees import Repo

pytestmark = pytest.mark.requirement("STO.20")


@pytest.fixture
def indexed(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> Repo:
    monkeypatch.setenv("CAIRN_EMBED_PROVIDER", "hashing")
    repo.write("alpha.py", "def alpha():\n    return 1\n")
    repo.commit()
    say("index", str(repo.path))
    return repo


def linked(path: Path) -> None:
    aside = path.with_name("target")
    shutil.move(path, aside)
    path.symlink_to(aside)


def pipe(path: Path) -> None:
    path.unlink(missing_ok=True)
    os.mkfifo(path, 0o600)


def faults(root: str) -> list[str]:
    """What health finds wrong, each with a step that is a repair."""
    checks = [check for check in answer("health", root, code=14)["checks"] if check["level"] != "ok"]
    assert {check["action"] for check in checks} == {"Run `cairn repair`."}
    return [check["message"] for check in checks]


@pytest.mark.parametrize("make", [linked, pipe])
def test_stamps_that_are_a_link_or_a_pipe_are_told_and_mended(indexed: Repo, make: Callable[[Path], None]) -> None:
    root, stamps = str(indexed.path), Path(layout_of(indexed.path).cache, "stamps.json")
    stamps.touch(0o600)
    make(stamps)
    (said,) = faults(root)
    assert said.startswith("cache/stamps.json is a ")
    assert "stamps.json" in say("repair", root)
    assert answer("health", root)["healthy"]


def lying(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[63] ^= 8
    path.write_bytes(data)


def registry_row(path: Path) -> None:
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE tracked SET owner = '{'")
        connection.commit()


def job_row(path: Path) -> None:
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.execute(
            "INSERT INTO jobs VALUES ('1', 'c', 'nonsense', '{', '', '', NULL, '', 0, NULL, NULL, '', 'null', '', "
            "'null', 0, NULL, '', 0)"
        )
        connection.commit()


def controls(repo: Repo) -> dict[str, Path]:
    home = Path(cairn_home())
    found = {name: home / name for name in ("registry.db", "readcache.db", "embeddings.db")}
    return found | {"control.db": Path(layout_of(repo.path).path, "control.db")}


@pytest.fixture
def complete(indexed: Repo) -> Repo:
    """A codebase with all control files."""
    say("session", "open")
    with Codebase(str(indexed.path)) as codebase, control_file(codebase.store().layout).writing():
        pass
    return indexed


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("name", "make"),
    [
        *((name, make) for name in ("registry.db", "readcache.db", "control.db") for make in (linked, pipe, lying)),
        # A cache whose format number is wrong is another version's: it is no damage, and begun anew.
        *(("embeddings.db", make) for make in (linked, pipe)),
        ("registry.db", registry_row),
        ("control.db", job_row),
    ],
)
def test_a_damaged_control_file_is_told_by_health_and_mended_by_repair(
    complete: Repo, name: str, make: Callable[[Path], None]
) -> None:
    root = str(complete.path)
    make(controls(complete)[name])
    (said,) = faults(root)
    assert name in said
    assert f"{name}.damaged-" in say("repair", root)
    assert answer("health", root)["healthy"]
    assert say("repair", root) == "nothing is damaged\n"
    say("index", root)


@pytest.mark.parametrize("make", [linked, pipe, lying, job_row])
def test_a_command_that_meets_a_damaged_control_file_says_so_once_and_goes_on(
    complete: Repo, make: Callable[[Path], None]
) -> None:
    path = controls(complete)["control.db"]
    make(path)
    first = run("jobs", str(complete.path), "--json")
    (kept,) = path.parent.glob("control.db.damaged-*")
    said = f"control.db was damaged: it is kept as {kept.name}, and begins anew"
    if make is job_row:
        # It was found amid the work, of which nothing is left to answer.
        assert first.returncode == 14
        assert "Try again" in first.stdout
        assert first.stderr == f"warning: {said}\n"
    else:
        assert json.loads(first.stdout)["warnings"] == [said]
    again = answer("jobs", str(complete.path))
    assert (again["jobs"], again["warnings"]) == ([], [])


def test_a_session_that_begins_with_a_damaged_log_says_so(complete: Repo) -> None:
    lying(controls(complete)["readcache.db"])
    assert "readcache.db was damaged" in run("session", "open").stderr
    assert run("session", "open").stderr == ""


@pytest.mark.slow
def test_a_tool_that_meets_a_damaged_log_says_so(complete: Repo, private_home: Path) -> None:
    lying(controls(complete)["readcache.db"])
    with Raw(private_home, complete.path) as raw:
        for expected in (1, 0):
            told = raw.ask("tools/call", {"name": "session_open", "arguments": {}})
            assert json.dumps(told).count("readcache.db was damaged") >= expected
            assert ("was damaged" in json.dumps(told)) is bool(expected)
