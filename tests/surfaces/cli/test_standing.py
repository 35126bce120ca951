"""`cairn` without a command: where one stands, in every state, without a change to anything."""

import hashlib
import json
import os
from pathlib import Path
from typing import Any

import pytest

from cairn.config.user import cairn_home
from tests.surfaces.cli.test_store import answer, layout_of
from tests.trees import Repo, cairn


def told(folder: Path) -> dict[str, Any]:
    done = cairn("--json", cwd=folder)
    assert (done.returncode, done.stderr) == (0, "")
    document: dict[str, Any] = json.loads(done.stdout)
    assert len(document["next"]) == 3
    return document


def shown(folder: Path) -> str:
    done = cairn(cwd=folder)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def bytes_below(folder: str) -> dict[str, str]:
    return {
        os.path.join(place, name): hashlib.sha256(Path(place, name).read_bytes()).hexdigest()
        for place, _, names in os.walk(folder)
        for name in names
        # What was verified may be noted beside a store, and a reader takes a lock.
        if not {"cache", "locks"} & set(place.split(os.sep)) and not name.endswith(("-shm", "-wal"))
    }


@pytest.fixture
def indexed(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> Repo:
    monkeypatch.setenv("CAIRN_EMBED_PROVIDER", "hashing")
    repo.write("walrus.py", "def walrus():\n    return 1\n")
    repo.commit()
    answer("index", str(repo.path))
    return repo


@pytest.mark.slow
def test_what_is_not_indexed_is_told_with_the_command_that_indexes(repo: Repo) -> None:
    repo.write("src/a.py")
    found = told(repo.path / "src")
    assert (found["root"], found["state"]) == (str(repo.path), "not_indexed")
    assert "cairn index" in found["next"]
    assert not Path(cairn_home(), "registry.db").exists()


@pytest.mark.slow
def test_a_fresh_index_is_told_with_its_age(indexed: Repo) -> None:
    text = shown(indexed.path)
    assert text.startswith(f"{indexed.path}  cairn ")
    assert "1 file, snapshot " in text
    assert "old" in text
    assert "the tree is as indexed" in text
    assert "cairn map" in text
    assert "cairn --help" in text


@pytest.mark.slow
def test_a_tree_that_moved_is_told_and_nothing_is_written(indexed: Repo) -> None:
    indexed.write("walrus.py", "def walrus():\n    return 2\n")
    indexed.write("seal.py")
    before = bytes_below(cairn_home())
    found = told(indexed.path)
    assert (found["state"], found["tree"]) == ("indexed", {"new": 1, "changed": 1, "deleted": 0})
    assert "cairn tests" in found["next"]
    assert "since then: 1 new, 1 changed" in shown(indexed.path)
    assert bytes_below(cairn_home()) == before


@pytest.mark.slow
def test_settings_that_changed_are_told_with_the_command_that_mends(indexed: Repo) -> None:
    indexed.write(".cairn.toml", "[index]\nchunk_bytes = 900\n")
    found = told(indexed.path)
    assert found["state"] == "requires_reindex"
    assert found["next"][0] == "cairn index --reindex"


@pytest.mark.slow
def test_settings_that_are_wrong_are_no_error_here(indexed: Repo) -> None:
    indexed.write(".cairn.toml", "[indx]\n")
    found = told(indexed.path)
    assert found["state"] == "misconfigured"
    assert "Perhaps index is meant" in found["message"]
    assert found["next"][0] == "cairn config edit --project"


@pytest.mark.slow
def test_a_damaged_store_is_no_error_here(indexed: Repo) -> None:
    Path(layout_of(indexed.path).pointer).write_text("nonsense\n")
    for manifest in Path(layout_of(indexed.path).snapshots).glob("*/manifest.json"):
        manifest.write_text("{}")
    found = told(indexed.path)
    assert found["state"] == "damaged"
    assert "cairn repair" in found["next"]


@pytest.mark.slow
def test_a_folder_that_is_no_codebase_is_no_error(private_home: Path) -> None:
    found = told(private_home)
    assert found["state"] == "no_codebase"
    assert "cairn stores" in found["next"]
    assert "your home folder" in shown(private_home)
