"""`cairn contexts` as a user meets it."""

import json
from typing import Any

import pytest

from cairn.codebase.codebase import Codebase
from cairn.store import SemanticFlag
from tests.semantic.facts import publish, publish_recorded
from tests.semantic.recorded import PYTHON, make_project
from tests.surfaces.cli.test_store import run
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


@pytest.mark.slow
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


@pytest.mark.slow
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


@pytest.mark.slow
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


GOODS = "shop/goods.py"


@pytest.fixture
def understood(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> Repo:
    """A project with what a real tool wrote about it."""
    monkeypatch.setenv("CAIRN_EMBED_PROVIDER", "hashing")
    monkeypatch.chdir(repo.path)
    make_project(repo.path, "scip-python")
    repo.write("pyproject.toml", '[project]\nname = "shop"\n')
    with Codebase(str(repo.path)) as codebase:
        codebase.index()
        publish_recorded(codebase, "scip-python", "python:.")
    return repo


def states() -> dict[str, int]:
    (found,) = (each["states"] for each in asked("--states")["contexts"] if each["id"] == "python:.")
    return {name: count for name, count in found.items() if count}


@pytest.mark.slow
@pytest.mark.requirement("STATE.1")
def test_states_are_counted_for_each_context(understood: Repo) -> None:
    assert states() == {"clean": 3}
    write(understood.path, GOODS, PYTHON[GOODS] + "\n\ndef more():\n    pass\n")
    write(understood.path, "shop/new.py", "x = 1\n")
    assert states() == {"clean": 1, "stale": 1, "dirty": 1, "unindexed": 1}
    (row,) = (line for line in run("contexts", "--states").stdout.splitlines() if line.startswith("python:."))
    assert row.split("  ")[-2:] == ["1 clean, 1 stale, 1 dirty, 1 unindexed", "pyproject.toml"]
    assert "states" not in asked()["contexts"][0]


@pytest.mark.slow
def test_one_file_tells_its_context_state_and_flags(understood: Repo) -> None:
    with Codebase(str(understood.path)) as codebase:
        place = (1, 0, 1, 4, "scip-python python shop 0 `shop.till`/x.", 0)
        flags = {"shop/till.py": [SemanticFlag(2, "star_import", ".goods\x1b[31m")]}
        publish(codebase, "python:.", {"shop/till.py": [place]}, flags=flags)
    told = asked("--file", "shop/till.py")
    assert (told["context"], told["probe"]) == ("python:.", "valid")
    assert (told["state"], told["certainty"], told["tool"]) == ("clean", "ambiguous", "tool 1")
    assert told["flags"] == [{"line": 2, "kind": "star_import", "what": ".goods\x1b[31m"}]
    shown = run("contexts", "--file", "shop/till.py").stdout
    assert "python:. (valid)  clean, ambiguous" in shown
    assert "     2  star_import  .goods" in shown
    assert "\x1b" not in shown
    assert asked("--file", GOODS)["state"] == "unindexed"
    write(understood.path, "tool.go", "package tool\n")
    assert asked("--file", "tool.go")["context"] is None
    assert "no context" in run("contexts", "--file", "tool.go").stdout


@pytest.mark.slow
def test_a_file_that_is_not_there_and_two_questions_at_once_are_refused(understood: Repo) -> None:
    assert run("contexts", "--file", "none.py").returncode == 3
    assert run("contexts", "--file", GOODS, "--states").returncode == 2


@pytest.mark.slow
@pytest.mark.requirement("MOD.1")
def test_refs_and_symbol_say_which_layer_tells_them(understood: Repo) -> None:
    told = json.loads(run("refs", "total", "--json").stdout)
    assert told["layers"] == {"semantic": 1, "syntactic": 1}
    assert [use["layer"] for use in told["results"]] == ["semantic", "syntactic"]
    assert [each["layer"] for each in told["definitions"]] == ["semantic"]
    done = run("refs", "total")
    assert "     3  proven  semantic  import" in done.stdout
    assert "     8  proven            call" in done.stdout
    assert "2 uses (2 proven), 1 semantic" in done.stdout + done.stderr
    done = run("symbol", "total")
    assert "total  function  semantic" in done.stdout
    assert "1 definition (1 semantic)" in done.stdout + done.stderr
    assert json.loads(run("symbol", "total", "--json").stdout)["semantic"] == 1
    several = json.loads(run("refs", "total", "--all", "--json").stdout)
    assert [use["layer"] for use in several["results"]] == ["semantic", "syntactic"]
    several = json.loads(run("symbol", "total", "--all", "--json").stdout)
    assert [each["layer"] for each in several["results"]] == ["semantic"]


@pytest.mark.slow
def test_facts_that_are_older_than_a_definition_are_told(understood: Repo) -> None:
    write(understood.path, GOODS, "\n" + PYTHON[GOODS])
    done = run("refs", "total")
    assert f"semantic facts of {GOODS} leave out 1 changed line: run `cairn refresh`" in done.stderr
    assert "     3  proven  semantic  import" in done.stdout
    write(understood.path, GOODS, PYTHON[GOODS] + "\n\ndef more():\n    pass\n")
    done = run("refs", "total")
    assert f"semantic facts of {GOODS} are older than the file: run `cairn refresh`" in done.stderr
    assert "semantic  " not in done.stdout
