"""`cairn rename` as a user meets it: a plan, a decision, a write, an undo, and what a killed process leaves."""

import json
import signal
from typing import Any

import pytest

from cairn.codebase.codebase import Codebase
from cairn.store import faults
from tests.edit.samples import FILES, MARKS, UNTYPED, contents, project
from tests.surfaces.cli.test_store import Done, run
from tests.trees import Repo, cairn

NEW = {
    path: text.replace("take", "acquire").encode() if path.endswith(".py") else text.encode()
    for path, text in FILES.items()
}
OLD = {path: text.encode() for path, text in FILES.items()}
REVERTING = {"edit.reverting", "edit.file_reverted"}
POINTS = [point for point in faults.POINTS if point.startswith("edit.")]


@pytest.fixture
def tree(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> Repo:
    monkeypatch.setenv("CAIRN_EMBED_PROVIDER", "hashing")
    monkeypatch.chdir(repo.path)
    return repo


@pytest.fixture
def proven(tree: Repo) -> Repo:
    project(tree).close()
    return tree


@pytest.fixture
def doubtful(tree: Repo) -> Repo:
    project(tree, {"later.py": UNTYPED}, {**MARKS, "later.py": {}}).close()
    return tree


def told(*arguments: str, code: int = 0) -> dict[str, Any]:
    done = run("rename", *arguments, "--json")
    assert done.returncode == code, done
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.mark.slow
def test_a_plan_is_a_diff_and_the_command_that_writes_it(proven: Repo) -> None:
    done = run("rename", "lease.py:1:5", "acquire")
    assert done.returncode == 0
    lines = done.stdout.splitlines()
    assert lines[0] == "take to acquire: ok; nothing is written yet"
    assert "+def acquire(key):" in lines
    assert "-from lease import take" in lines
    assert "2 mentions in comments, strings and prose stay as they are, unless docs is taken:" in lines
    assert lines[lines.index("to go on:") + 2] == "      write it within five minutes, 5 places in 2 files"
    assert contents(proven) == OLD
    command = lines[lines.index("to go on:") + 1].split()
    written = run(*command[1:])
    assert written.returncode == 0
    assert "take to acquire: 5 places in 2 files written" in written.stdout
    assert contents(proven) == NEW
    undo = next(line for line in written.stdout.splitlines() if "undo" in line).partition(": ")[2].split()
    assert run(*undo[1:]).returncode == 0
    assert contents(proven) == OLD


@pytest.mark.slow
def test_a_place_is_renamed_at_once_where_it_is_proven(proven: Repo) -> None:
    found = told("user.py:5:20", "acquire", "--apply")
    assert found["status"] == "ok"
    assert found["applied"]["state"] == "applied"
    assert found["applied"]["files"] == ["lease.py", "user.py"]
    assert len(found["refresh_jobs"]) == 1
    assert contents(proven) == NEW


@pytest.mark.slow
def test_a_place_may_stand_right_behind_the_option(proven: Repo) -> None:
    assert told("--apply", "user.py:5:20", "acquire")["applied"]["state"] == "applied"
    assert contents(proven) == NEW


@pytest.mark.slow
def test_a_tree_without_a_project_has_nothing_to_refresh_and_nothing_to_note(tree: Repo) -> None:
    tree.write("loop.py", "def count():\n    total = 0\n    return total\n")
    run("index", str(tree.path))
    found = told("loop.py:2:5", "summed", "--apply")
    assert (found["status"], found["notes"], found["refresh_jobs"]) == ("ok_syntactic", [], [])


def test_the_shape_of_a_plan(proven: Repo) -> None:
    found = told("lease.py:1:5", "acquire", "--plan")
    assert set(found) == {
        "schema_version", "status", "decided", "plan_id", "snapshot_id", "target", "new_name", "edits", "files",
        "open", "mentions", "reasons", "witness", "candidates", "offered", "title", "constructs", "proof", "next",
        "diff",
    }  # fmt: skip
    assert found["target"]["name"] == "take"
    assert (found["target"]["line"], found["target"]["column"]) == (1, 5)
    assert {name: value for name, value in found["edits"][0].items() if name != "provenance"} == {
        "path": "lease.py",
        "line": 1,
        "column": 5,
        "text": "take",
        "new_text": "acquire",
        "before": "def ",
        "after": "(key):\n   ",
    }
    assert {each["provenance"] for each in found["edits"]} <= {"semantic", "syntactic"}
    assert (found["status"], found["files"], len(found["edits"]), found["witness"]) == ("ok", 2, 5, None)


@pytest.mark.slow
@pytest.mark.requirement("GATE.1")
def test_what_is_open_is_asked_about_with_exit_code_5(doubtful: Repo) -> None:
    done = run("rename", "lease.py:1:5", "acquire", "--apply")
    assert done.returncode == 5
    assert "take to acquire: needs_decision" in done.stdout
    assert "open, 1 place: is this take too?\n  later.py\n        2  return thing.take()   (code)\n" in done.stdout
    assert contents(doubtful)["lease.py"] == OLD["lease.py"]
    found = told("lease.py:1:5", "acquire", code=5)
    assert [each["choice"] for each in found["candidates"]] == ["proven", "code", "docs"]
    assert found["witness"]["bounds"]["truncated"] is False
    assert found["witness"]["may_force"] is True
    decided = told("--decide", found["candidates"][1]["id"])
    assert (decided["status"], decided["decided"], len(decided["edits"])) == ("ok", "code", 6)
    assert told("lease.py:1:5", "acquire", code=5)["offered"].endswith(":code")
    assert "in code, 6 places in 3 files, as you chose before" in run("rename", "lease.py:1:5", "acquire").stdout
    assert told("--apply", decided["plan_id"])["applied"]["state"] == "applied"
    assert b"thing.acquire()" in contents(doubtful)["later.py"]


@pytest.mark.slow
@pytest.mark.requirement("GATE.1")
def test_what_is_not_clean_is_blocked_with_what_to_refresh(doubtful: Repo) -> None:
    doubtful.write("later.py", UNTYPED + "\n")
    found = told("lease.py:1:5", "acquire", code=5)
    assert found["status"] == "blocked"
    assert found["witness"]["refresh"] == {"files": ["later.py"], "packages": [], "full": False}
    assert [each["do"] for each in found["next"]] == ["take", "take", "take", "refresh"]
    assert "\n  cairn refresh --wait\n" in run("rename", "lease.py:1:5", "acquire").stdout


@pytest.mark.slow
def test_what_is_refused_says_why(proven: Repo) -> None:
    done = run("rename", "lease.py:1:5", "class")
    assert done.returncode == 5
    assert "class can't be the name: it is a keyword of python" in done.stdout
    assert told("lease.py:1:5", "use", code=5)["reasons"] == ["user.py:4 uses use already"]


@pytest.mark.slow
@pytest.mark.requirement("GATE.3")
def test_a_file_that_changed_since_the_plan_is_not_written(proven: Repo) -> None:
    found = told("lease.py:1:5", "acquire")
    proven.write("user.py", b"# mine\n")
    done = run("rename", "--apply", found["plan_id"])
    assert (done.returncode, done.stdout) == (5, "")
    assert "nothing was written" in done.stderr
    assert contents(proven) == OLD | {"user.py": b"# mine\n"}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        ((), 2, "needs a place and a new name"),
        (("lease.py:1:5",), 2, "The new name is missing"),
        (("lease.py:2", "acquire"), 2, "Nothing that lease.py:2 names is defined"),
        (("lease.py", "acquire"), 2, "lease.py is a file"),
        (("lease.py:99:1", "acquire"), 2, "no line 99"),
        (("lease.py:3:1", "acquire"), 2, "no name at"),
        (("lease.py:1:5", "acquire", "--undo", "x"), 2, "A place doesn't go with this"),
        (("nosuch.py:1:1", "acquire"), 3, "nosuch.py"),
        (("--apply", "nosuch"), 5, "no plan nosuch"),
        (("--decide", "nosuch:code"), 5, "no plan nosuch"),
        (("--undo", "../../etc"), 5, "no edit"),
        (("--undo", "x", "--list"), 2, ""),
        (("--undo",), 2, "`cairn rename --list` shows"),
    ],
)
def test_bad_input_is_told_in_one_sentence(proven: Repo, arguments: tuple[str, ...], code: int, said: str) -> None:
    done = run("rename", *arguments)
    assert done.returncode == code, done
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    assert contents(proven) == OLD


def test_without_an_index_the_command_that_makes_one_is_named(tree: Repo) -> None:
    tree.write("a.py", "x = 1\n")
    done = run("rename", "a.py:1:1", "y")
    assert done.returncode == 3
    assert "cairn index" in done.stderr


@pytest.mark.slow
def test_what_a_file_holds_can_not_speak_to_the_terminal(tree: Repo) -> None:
    text = "def f():\n    # \x1b[31mname \u202e\x07\n    name = '\x1b]0;owned\x07'; return name\n"
    tree.write("evil.py", text)
    with Codebase(str(tree.path)) as codebase:
        codebase.index()
    done = run("rename", "evil.py:3:5", "fresh")
    assert done.returncode == 0
    assert "ok_syntactic" in done.stdout
    assert not {"\x1b", "\x07", "\u202e"} & set(done.stdout + done.stderr)
    found = told("evil.py:3:5", "fresh")
    assert "\x1b" not in run("rename", "evil.py:3:5", "fresh", "--json").stdout
    told("--apply", found["plan_id"])
    assert contents(tree)["evil.py"].decode() == text.replace("    name =", "    fresh =").replace("n name", "n fresh")


@pytest.mark.slow
def test_edits_are_listed_with_their_states(proven: Repo) -> None:
    assert run("rename", "--list").stdout == "no edits were made\n"
    assert run("rename", "--recover").stdout == "nothing was left half done\n"
    first = told("lease.py:1:5", "acquire", "--apply")["applied"]
    told("--undo", first["edit_id"])
    (row,) = told("--list")["edits"]
    assert row == {**first, "state": "reverted"}
    listed = run("rename", "--list").stdout
    assert "reverted  rename take to acquire, 2 files" in listed
    assert listed.endswith("undo one with: cairn rename --undo EDIT\n")


def killed(tree: Repo, point: str, *arguments: str) -> None:
    done = cairn("rename", *arguments, cwd=tree.path, CAIRN_CRASH_AT=point)
    assert done.returncode == -signal.SIGKILL, done


def settled(tree: Repo) -> Done:
    done = run("rename", "--recover")
    assert done.returncode == 0, done
    assert not list(tree.path.glob(".cairn-*"))
    return done


@pytest.mark.slow
@pytest.mark.requirement("EDIT.1")
@pytest.mark.parametrize("point", [point for point in POINTS if point not in REVERTING])
def test_a_rename_that_is_killed_is_all_old_or_all_new_after_recovery(proven: Repo, point: str) -> None:
    killed(proven, point, "lease.py:1:5", "acquire", "--apply")
    status = json.loads(run("status", "--json").stdout)
    if point == "edit.contents_written":
        assert status["interrupted_edits"] == []
    else:
        (left,) = status["interrupted_edits"]
        assert f"the edit {left} was interrupted: run `cairn rename --recover`" in run("status").stdout
    settled(proven)
    assert contents(proven) == OLD
    assert json.loads(run("status", "--json").stdout)["interrupted_edits"] == []
    assert run("search", "acquire", "--no-sync").returncode in (0, 1)


@pytest.mark.slow
@pytest.mark.requirement("EDIT.1")
@pytest.mark.parametrize("point", sorted(REVERTING))
def test_an_undo_that_is_killed_is_all_old_after_recovery(proven: Repo, point: str) -> None:
    edit = told("lease.py:1:5", "acquire", "--apply")["applied"]["edit_id"]
    killed(proven, point, "--undo", edit)
    refused = run("rename", "lease.py:1:5", "obtain", "--apply")
    assert refused.returncode == 5
    assert "reverted" in settled(proven).stdout
    assert contents(proven) == OLD


@pytest.mark.slow
def test_a_journal_that_is_damaged_is_a_warning_of_status(proven: Repo, private_home: Any) -> None:
    told("lease.py:1:5", "acquire", "--apply")
    (journal,) = private_home.rglob("journal.json")
    journal.write_bytes(b"{")
    done = run("status")
    assert done.returncode == 0
    assert "warning: The journal of edit" in done.stdout
    assert run("rename", "--list").returncode == 14


@pytest.mark.parametrize(
    ("given", "sentence", "step"),
    [
        (("utils.py:240:5",), "The new name is missing.", "acquire_lease"),
        ((), "A rename needs a place and a new name.", "acquire_lease"),
    ],
)
def test_what_a_rename_lacks_is_named_with_how_to_give_it(
    tree: Repo, given: tuple[str, ...], sentence: str, step: str
) -> None:
    done = run("rename", *given)
    assert done.returncode == 2
    assert sentence in done.stderr
    assert step in done.stderr
