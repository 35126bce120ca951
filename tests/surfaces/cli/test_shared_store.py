"""A shared store from the command line: opt-in, one set of settings, untracked files left out."""

import json
import os
import stat
from pathlib import Path
from typing import Any

import pytest

from cairn.base.errors import ExitCode
from tests.trees import Repo, cairn

pytestmark = pytest.mark.slow


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repo:
    monkeypatch.setenv("CAIRN_HOME", str(tmp_path / "home"))
    made = Repo.create(tmp_path / "work")
    made.write("tracked.py", "wombat = 1\n")
    made.commit()
    return made


def answer(repo: Repo, *arguments: str, code: int = 0) -> dict[str, Any]:
    done = cairn(*arguments, "--json", cwd=repo.path)
    assert done.returncode == code, done.stdout + done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def paths(found: dict[str, Any]) -> list[str]:
    return [result["path"] for result in found["results"]]


@pytest.mark.requirement("ROOT.3")
@pytest.mark.requirement("STO.2")
def test_a_shared_store_lies_where_it_was_asked_for_and_belongs_to_the_group(repo: Repo, tmp_path: Path) -> None:
    store = tmp_path / "team"
    answer(repo, "index", "--shared-store", str(store))
    assert stat.S_IMODE(store.stat().st_mode) == 0o2770
    assert not (tmp_path / "home" / "data").exists()
    files = [os.path.join(folder, name) for folder, _, names in os.walk(store) for name in names]
    assert files
    assert {stat.S_IMODE(os.stat(file).st_mode) for file in files} == {0o660}
    assert paths(answer(repo, "search", "wombat", "--shared-store", str(store))) == ["tracked.py"]
    assert answer(repo, "status", "--shared-store", str(store))["counts"]["files"] == 1
    assert answer(repo, "status", code=ExitCode.NOT_INDEXED)["error"]["code"] == "not_indexed"


@pytest.mark.requirement("ROOT.3")
@pytest.mark.requirement("GIT.1")
def test_untracked_files_stay_out_and_uncommitted_changes_are_said(repo: Repo, tmp_path: Path) -> None:
    store = str(tmp_path / "team")
    repo.write("private.py", "wombat = 2\n")
    first = answer(repo, "index", "--shared-store", store)
    assert first["counts"]["files"] == 1
    assert paths(answer(repo, "search", "wombat", "--shared-store", store)) == ["tracked.py"]
    repo.write("tracked.py", "wombat = 3\n")
    second = answer(repo, "index", "--shared-store", store)
    assert [warning for warning in second["warnings"] if "uncommitted" in warning]
    assert sorted(paths(answer(repo, "search", "wombat"))) == ["private.py", "tracked.py"]


@pytest.mark.requirement("ROOT.3")
def test_other_index_settings_are_refused(repo: Repo, tmp_path: Path) -> None:
    store = str(tmp_path / "team")
    before = answer(repo, "index", "--shared-store", store)["snapshot_id"]
    repo.write(".cairn.toml", "[index]\nchunk_bytes = 900\n")
    for command in (("index",), ("search", "wombat"), ("status",), ("gc",), ("clear",)):
        refused = answer(repo, *command, "--shared-store", store, code=ExitCode.REFUSED)
        assert refused["error"]["code"] == "store_refused", command
    (repo.path / ".cairn.toml").unlink()
    assert answer(repo, "status", "--shared-store", store)["snapshot_id"] == before


@pytest.mark.requirement("ROOT.3")
def test_the_environment_can_name_the_store_and_clear_removes_it(
    repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CAIRN_SHARED_STORE", str(tmp_path / "team"))
    answer(repo, "index")
    assert (tmp_path / "team" / "ACTIVE_SNAPSHOT").exists()
    assert answer(repo, "clear")["removed"] is True
    assert [name for name in os.listdir(tmp_path) if "team" in name] == []
    assert answer(repo, "search", "wombat", "--no-sync", code=ExitCode.NOT_INDEXED)["error"]


@pytest.mark.requirement("ROOT.3")
def test_a_place_that_cannot_hold_one_is_named(repo: Repo, tmp_path: Path) -> None:
    missing = answer(repo, "index", "--shared-store", str(tmp_path / "no" / "such"), code=ExitCode.REFUSED)
    assert "is not a folder" in missing["error"]["message"]
    (tmp_path / "own").mkdir(mode=0o700)
    own = answer(repo, "index", "--shared-store", str(tmp_path / "own"), code=ExitCode.REFUSED)
    assert "private" in own["error"]["message"]
