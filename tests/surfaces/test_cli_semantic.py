"""`cairn contexts` as a user meets it."""

import json
from typing import Any

import pytest

from tests.surfaces.test_cli_store import run
from tests.trees import Repo, write

FILES = {
    "pyproject.toml": '[project]\nname = "x"\n',
    "src/x.py": "def f():\n    return 1\n",
    "web/package.json": '{"workspaces": ["a"]}',
    "web/a/package.json": "{}",
    "web/a/a.ts": "export const a = 1;\n",
    "web/b/package.json": "{}",
    "web/b/b.ts": "export const b = 1;\n",
    "tool.go": "package tool\n",
}


@pytest.fixture
def indexed(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> Repo:
    monkeypatch.setenv("CAIRN_EMBED_PROVIDER", "hashing")
    monkeypatch.chdir(repo.path)
    for path, text in FILES.items():
        repo.write(path, text)
    repo.commit()
    assert run("index").returncode == 0
    return repo


def asked(*arguments: str) -> dict[str, Any]:
    done = run("contexts", *arguments, "--json")
    assert done.returncode == 0, done
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.mark.requirement("CTX.1")
def test_contexts_are_listed_with_what_they_are(indexed: Repo) -> None:
    told = asked()
    found = {
        each["id"]: (each["tier"], each["status"], each["files"]) for each in told["contexts"] if each["manifests"]
    }
    assert found == {
        "javascript:web": ("workspace", "empty", 0),
        "javascript:web/a": ("package", "valid", 1),
        "javascript:web/b": ("package", "detached", 0),
        "python:.": ("package", "valid", 1),
    }
    assert told["unowned"] == {"go": 1, "javascript": 1}
    assert told["faults"] == []
    assert told["snapshot_id"]
    lines = run("contexts").stdout.splitlines()
    assert [line.split() for line in lines if line.startswith("python")] == [
        ["python:.", "package", "valid", "1", "file", "pyproject.toml"]
    ]
    assert "1 go file without a context" in lines
    assert not [line for line in lines if line.startswith("docker")]


@pytest.mark.requirement("CTX.1")
def test_a_broken_manifest_is_told_and_a_sync_comes_first(indexed: Repo) -> None:
    write(indexed.path, "web/a/package.json", '{"\x1b[31m')
    write(indexed.path, "go.mod", "module tool\n")
    before = asked("--no-sync")
    assert before["faults"] == []
    assert before["freshness"]["moved"]
    assert "go:." not in {each["id"] for each in before["contexts"]}
    after = asked()
    assert [fault["path"] for fault in after["faults"]] == ["web/a/package.json"]
    assert "go:." in {each["id"] for each in after["contexts"]}
    assert "\x1b" not in run("contexts").stdout


@pytest.mark.requirement("CTX.1")
def test_a_manifest_that_is_gone_marks_nothing(indexed: Repo) -> None:
    (indexed.path / "web/package.json").unlink()
    told = asked("--no-sync")
    found = {each["id"]: each["status"] for each in told["contexts"] if each["family"] == "javascript"}
    assert found == {"javascript:web/a": "valid", "javascript:web/b": "valid"}
    assert told["freshness"]["moved"]


def test_without_an_index_the_command_that_makes_one_is_named(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(repo.path)
    done = run("contexts")
    assert done.returncode == 3
    assert "cairn index" in done.stderr
