"""A rename never ends in a dead end: what every answer but "done" prints is run here, and goes on."""

import json
import os
import shlex
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cairn.codebase.codebase import Codebase
from cairn.surfaces.agents.checks import CheckLevel
from cairn.surfaces.agents.languages import check_indexers
from tests.edit.samples import MARKS, UNTYPED, contents, project
from tests.surfaces.cli.test_rename import told
from tests.surfaces.cli.test_store import Done, run
from tests.trees import Repo

INSTALL = "npm install -g @sourcegraph/scip-python"
READER = "import lease\n\n\ndef ask(word):\n    return getattr(lease, word)\n"


@pytest.fixture
def bare(repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repo:
    """A tree on a machine without any indexer."""
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "git").symlink_to(shutil.which("git") or "")
    monkeypatch.setenv("PATH", str(tools))
    monkeypatch.setenv("CAIRN_EMBED_PROVIDER", "hashing")
    monkeypatch.chdir(repo.path)
    return repo


def asked(repo: Repo) -> None:
    project(repo, {"later.py": UNTYPED}, {**MARKS, "later.py": {}}).close()


def blocked(repo: Repo) -> None:
    asked(repo)
    repo.write("later.py", UNTYPED + "\n")


def proven(repo: Repo) -> None:
    project(repo).close()


def without_facts(repo: Repo) -> None:
    for path, text in {"pyproject.toml": "[project]\nname = 'x'\n", "later.py": UNTYPED}.items():
        repo.write(path, text)
    repo.write("lease.py", "def take(key):\n    return key\n")
    repo.commit()
    with Codebase(str(repo.path)) as codebase:
        codebase.index()


def steps(done: Done) -> list[str]:
    """The commands below `to go on:`."""
    lines = done.stdout.split("to go on:\n")[1].split("\n")
    return [line.strip() for line in lines if line.startswith("  ") and line[2:3] not in (" ", "-")]


@pytest.mark.slow
@pytest.mark.requirement("REN.20")
@pytest.mark.sampled
@pytest.mark.parametrize(
    ("made", "place", "new", "status", "known"),
    [
        (proven, "lease.py:1:5", "acquire", "ok", ["cairn rename --apply", "--take proven,docs"]),
        (asked, "lease.py:1:5", "acquire", "needs_decision", ["--take proven", "--take code", "--take proven,docs"]),
        (asked, "take", "acquire", "needs_decision", ["--take proven", "--take code", "--take proven,docs"]),
        (blocked, "lease.py:1:5", "acquire", "blocked", ["--take proven", "--take code", "refresh --wait"]),
        (without_facts, "lease.py:1:5", "acquire", "needs_decision", ["--take proven", "--take code", INSTALL]),
        (proven, "lease.py:1:5", "class", "refused", ["cairn rename lease.py:1:5 ANOTHER_NAME"]),
        (proven, "lease.py:1:5", "both", "refused", ["cairn refs both", "ANOTHER_NAME"]),
        (asked, "later.py:2:18", "acquire", "refused", ["cairn symbol take", "ANOTHER_NAME"]),
    ],
)
def test_whatever_is_not_done_prints_commands_that_go_on(
    bare: Repo, made: Callable[[Repo], None], place: str, new: str, status: str, known: list[str]
) -> None:
    made(bare)
    before = contents(bare)
    first = run("rename", place, new)
    assert f": {status}; nothing is written yet\n" in first.stdout
    commands = steps(first)
    for words in known:
        assert any(words in each for each in commands), (words, commands)
    # Where facts are there already, nobody is sent to make them.
    assert made is not asked or not any("refresh" in each for each in commands)
    for command in commands:
        if command.startswith("npm ") or command.endswith("refresh --wait"):
            continue  # what a user does to a machine
        line = command.replace("ANOTHER_NAME", "quite_another")
        if "--apply" in line:
            line = steps(run("rename", place, new))[0]  # an earlier one of these took the plan
        done = run(*shlex.split(line)[1:])
        if done.returncode not in (0, 1):  # 1: that nothing is found is an answer
            assert status == "refused", done  # another name may be asked about as well
            assert steps(done), done
        if " written\n" in done.stdout:
            undo = done.stdout.split("undo it with: cairn ")[1].split()
            assert run(*undo).returncode == 0
            assert contents(bare) == before


@pytest.mark.slow
@pytest.mark.requirement("REN.20")
def test_without_an_indexer_it_goes_by_syntax_and_everything_names_what_to_install(bare: Repo) -> None:
    without_facts(bare)
    first = run("rename", "lease.py:1:5", "acquire")
    assert "\nproven by syntax alone: scip-python is not installed\n" in first.stdout
    assert f"  {INSTALL} && cairn refresh --wait\n" in first.stdout
    refreshed = run("refresh", "--wait")
    assert refreshed.returncode == 5
    assert INSTALL in refreshed.stdout
    assert "until then answers and renames go by syntax alone" in refreshed.stdout
    (found,) = check_indexers(str(bare.path))
    assert (found.level, INSTALL in found.action) == (CheckLevel.WARNING, True)
    again = run("rename", "lease.py:1:5", "acquire", "--take", "proven")
    assert (again.returncode, "1 place in 1 file written" in again.stdout) == (0, True)


@pytest.mark.requirement("REN.20")
def test_an_indexer_that_is_there_is_told_where(bare: Repo) -> None:
    without_facts(bare)
    tool = Path(os.environ["PATH"]) / "scip-python"
    tool.write_text("#!/bin/sh\n", encoding="utf-8")
    tool.chmod(0o700)
    (found,) = check_indexers(str(bare.path))
    assert (found.level, str(tool) in found.message) == (CheckLevel.OK, True)
    assert not list(check_indexers(str(bare.path.parent / "nowhere")))


@pytest.mark.slow
@pytest.mark.requirement("REN.20")
def test_places_are_chosen_and_one_that_is_gone_is_told_with_the_next_command(bare: Repo) -> None:
    asked(bare)
    place = ("lease.py:1:5", "acquire")
    seen = told(*place, "--take", "code", "--except", "user.py", "--diff")
    assert (seen["decided"], {each["path"] for each in seen["edits"]}) == ("code", {"lease.py", "later.py"})
    assert "+    return thing.acquire()" in seen["diff"].split("\n")
    bare.write("later.py", "\n" + UNTYPED)
    gone = run("rename", *place, "--only", "later.py:2")
    assert gone.returncode == 2
    assert "later.py:2 is none of the places that would be changed, or has changed meanwhile" in gone.stderr
    assert "cairn rename lease.py:1:5 acquire" in gone.stderr
    done = told(*place, "--only", "later.py:3", "lease.py")
    assert done["applied"]["files"] == ["later.py", "lease.py"]
    assert b"from lease import take" in contents(bare)["user.py"]


@pytest.mark.slow
def test_a_plan_whose_files_changed_says_how_to_plan_again(bare: Repo) -> None:
    asked(bare)
    found = told("lease.py:1:5", "acquire", code=5)
    bare.write("lease.py", "def take(key, more=None):\n    return key\n")
    done = run("rename", "--decide", found["candidates"][0]["id"])
    assert done.returncode == 5
    assert "Run `cairn rename lease.py:1:5 acquire`" in done.stderr


@pytest.mark.slow
@pytest.mark.requirement("GATE.2")
def test_what_was_chosen_before_is_offered_and_not_done(bare: Repo) -> None:
    asked(bare)
    told("lease.py:1:5", "acquire", "--take", "code", "--diff")
    again = told("lease.py:1:5", "acquire", "--apply", code=5)
    assert [each["chosen_before"] for each in again["next"]] == [False, True, False]
    assert "applied" not in again


@pytest.mark.slow
@pytest.mark.requirement("REN.21")
def test_an_answer_about_a_construct_is_kept_until_it_changes(bare: Repo) -> None:
    project(bare, {"reader.py": READER}, {**MARKS, "reader.py": {}}).close()

    def constructs(new: str) -> list[dict[str, Any]]:
        done = run("rename", "lease.py:1:5", new, "--json")
        found: list[dict[str, Any]] = json.loads(done.stdout)["constructs"]
        return found

    assert [(each["path"], each["line"]) for each in constructs("acquire")] == [("reader.py", 5)]
    assert "The answer is kept until the place changes." in run("rename", "lease.py:1:5", "acquire").stdout
    told("lease.py:1:5", "acquire", "--take", "proven")
    assert constructs("obtain") == []
    assert told("lease.py:1:5", "obtain", "--apply")["applied"]["state"] == "applied"
    bare.write("reader.py", READER.replace("word", "other"))
    assert [(each["path"], each["line"]) for each in constructs("acquire")] == [("reader.py", 5)]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("place", "code", "said"),
    [
        ("lease.py:take", 0, ""),
        ("lease.py:1", 0, ""),
        ("both", 0, ""),
        ("nosuch", 2, "Nothing that nosuch names is defined"),
        ("user.py:take", 2, "Nothing that user.py:take names is defined"),
        ("key", 2, "names 2 definitions"),
    ],
)
def test_what_is_meant_may_be_named(bare: Repo, place: str, code: int, said: str) -> None:
    more = {"a.py": "def key():\n    pass\n", "b.py": "def key():\n    pass\n"}
    project(bare, more).close()
    done = run("rename", place, "quite_another", "--plan")
    assert (done.returncode, said in done.stderr) == (code, True), done
