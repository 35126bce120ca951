"""A store of a former format: told, upgraded, collected and cleared."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from cairn.store import versions
from cairn.store.manifest import decode
from cairn.store.versions import Versions
from tests.surfaces.cli.test_store import answer, run
from tests.trees import Repo

ULID = "01ARZ3NDEKTSV4RRFFQ69G5FAV"


@pytest.fixture
def former(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository whose index says that it is of the format before this one."""
    monkeypatch.setenv("CAIRN_EMBED_PROVIDER", "hashing")
    repo.write("a.py", "alpha = 1\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(versions.VERSIONS, "chunk_rows", Versions(3, 3, 3))
        answer("index", str(repo.path))
    decode.cache_clear()  # this process took the former format for its own
    return repo.path


def stores() -> list[tuple[str, bool]]:
    return [(store["store_id"], store["outdated"]) for store in answer("stores")["stores"]]


@pytest.mark.requirement("EVO.2")
def test_an_upgrade_indexes_anew_keeps_the_edits_and_removes_the_former_store(former: Path) -> None:
    ((old, outdated),) = stores()
    assert outdated
    refused = run("search", "alpha", "--json", str(former))
    assert refused.returncode == 4
    assert "version of Cairn that writes another format" in json.loads(refused.stdout)["error"]["message"]
    data = Path(os.environ["CAIRN_HOME"]) / "data"
    edit = data / old / "edits" / ULID
    edit.mkdir(parents=True)
    (edit / "kept").write_text("undo\n")
    assert "1 store of a former format" in answer("upgrade-store", str(former))["message"]
    ((new, outdated),) = stores()
    assert (new != old, outdated) == (True, False)
    assert (data / new / "edits" / ULID / "kept").read_text() == "undo\n"
    assert answer("search", "alpha", str(former))["results"]
    assert "former" not in answer("upgrade-store", str(former))["message"]


_KILLED = """
import os, signal, sys
from cairn.codebase import codebase, upgrade
def die(*_): os.kill(os.getpid(), signal.SIGKILL)
{place} = die
from cairn.program.start import main
main(["upgrade-store", sys.argv[1]])
"""


@pytest.mark.slow
@pytest.mark.requirement("EVO.2")
@pytest.mark.parametrize("place", ["codebase.Codebase._bring_up_to_date", "upgrade.remove_one"])
def test_an_upgrade_that_was_killed_is_completed_by_the_next(former: Path, place: str) -> None:
    ((old, _),) = stores()
    child = (sys.executable, "-c", _KILLED.format(place=place), str(former))
    assert subprocess.run(child, check=False).returncode == -signal.SIGKILL
    assert (old, True) in stores(), "the former store goes last"
    answer("upgrade-store", str(former))
    assert [outdated for _, outdated in stores()] == [False]
    assert answer("search", "alpha", str(former))["results"]


def test_an_upgrade_leaves_changed_settings_to_the_user(former: Path) -> None:
    (former / ".cairn.toml").write_text("[index]\nchunk_bytes = 700\n")
    before = stores()
    assert run("upgrade-store", str(former)).returncode == 4
    assert stores() == before


@pytest.mark.parametrize("command", [("gc", "--stores"), ("clear",), ("upgrade-store",)])
def test_a_former_store_that_was_replaced_is_removed(former: Path, command: tuple[str, ...]) -> None:
    assert answer("gc", "--stores", str(former))["removed"] == [], "nothing has replaced it yet"
    answer("index", "--reindex", str(former))
    assert sorted(outdated for _, outdated in stores()) == [False, True]
    answer(*command, str(former))
    assert [outdated for _, outdated in stores()] == ([] if command == ("clear",) else [False])


def test_a_former_store_that_answers_can_be_cleared(former: Path) -> None:
    assert answer("clear", str(former))["removed"]
    assert stores() == []


def test_a_newer_store_is_never_taken_for_a_former_one(former: Path) -> None:
    ((old, _),) = stores()
    (path,) = (Path(os.environ["CAIRN_HOME"]) / "data" / old / "snapshots").glob("*/manifest.json")
    path.write_text(path.read_text().replace('"chunk_row_schema_version": 3', '"chunk_row_schema_version": 99'))
    answer("index", "--reindex", str(former))
    assert answer("gc", "--stores", str(former))["removed"] == []
    answer("upgrade-store", str(former))
    assert (old, False) in stores()
