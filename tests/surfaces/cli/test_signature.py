"""`cairn change-signature` as a user meets it: a plan, a choice, a write, an undo, and what a killed process leaves."""

import json
import signal
from pathlib import Path

import pytest

import cairn as package
from cairn.base.errors import UsageError
from cairn.store import faults
from tests.edit.samples import contents
from tests.surfaces.cli.test_store import run
from tests.trees import Repo, cairn

LEASE = "def take(key, wait=1, *, loud=False, quiet=True):\n    return key\n"
FILES = {"lease.py": LEASE, "user.py": "from lease import take\n\ntake(1, 2, loud=True)\n"}
OLD = {path: text.encode() for path, text in FILES.items()}
NEW = {path: text.replace("wait=1, ", "").replace("1, 2", "1").encode() for path, text in FILES.items()}
POINTS = ("edit.contents_written", "edit.prepared", "edit.file_written")


@pytest.fixture
def tree(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> Repo:
    monkeypatch.setenv("CAIRN_EMBED_PROVIDER", "hashing")
    monkeypatch.chdir(repo.path)
    for path, text in FILES.items():
        repo.write(path, text)
    run("index", str(repo.path))
    return repo


@pytest.mark.slow
def test_a_plan_is_a_diff_with_the_command_that_writes_it_and_one_that_undoes_it(tree: Repo) -> None:
    done = run("change-signature", "user.py:3:1", "--remove", "wait")
    lines = done.stdout.splitlines()
    assert (done.returncode, lines[0]) == (0, "remove wait from take: ok_syntactic; nothing is written yet")
    assert {"-take(1, 2, loud=True)", "+take(1, loud=True)"} <= set(lines)
    assert contents(tree) == OLD
    written = run(*lines[lines.index("to go on:") + 1].split()[1:])
    assert "remove wait from take: 2 places in 2 files written" in written.stdout
    assert contents(tree) == NEW
    undo = next(line for line in written.stdout.splitlines() if "undo" in line).partition(": ")[2].split()
    assert run(*undo[1:]).returncode == 0
    assert contents(tree) == OLD


@pytest.mark.slow
def test_what_is_open_is_asked_with_exit_code_5_and_written_with_what_is_taken(tree: Repo) -> None:
    tree.write("more.py", "from lease import take\n\nmap(take, [1])\n")
    asked = run("change-signature", "lease.py:1:5", "--remove", "wait", "--apply")
    assert asked.returncode == 5
    command = next(line for line in asked.stdout.splitlines() if line.endswith("--take proven"))
    assert run(*command.split()[1:]).returncode == 0
    assert contents(tree) == {**NEW, "more.py": contents(tree)["more.py"]}
    again = json.loads(run("change-signature", "lease.py:1:5", "--remove", "quiet", "--json").stdout)
    assert (again["status"], again["constructs"]) == ("ok_syntactic", [])  # The place was answered for.


@pytest.mark.slow
@pytest.mark.parametrize(
    ("given", "said"),
    [
        ((), "needs a place"),
        (("nobody", "--remove", "wait"), "Nothing that nobody names is defined"),
        (("lease.py:1:5",), "Say one change"),
        (("lease.py:1:5", "--add", "x=1", "--remove", "wait"), "Say one change"),
        (("lease.py:1:5", "--add", "x=1 +"), "is not one parameter"),
        (("lease.py:1:5", "--add", "class=1"), "no word of the language's own: `class_` will do."),
        (("lease.py:1:5", "--add", "x=1", "--at", "9"), "There is no place 9"),
        (("lease.py:9:5", "--remove", "wait"), "has no line 9"),
    ],
)
def test_what_a_change_lacks_is_named(tree: Repo, given: tuple[str, ...], said: str) -> None:
    done = run("change-signature", *given)
    assert done.returncode == 2
    assert said in done.stderr
    assert contents(tree) == OLD


@pytest.mark.slow
@pytest.mark.requirement("EDIT.1")
@pytest.mark.parametrize("point", POINTS)
def test_a_change_that_is_killed_is_all_old_or_all_new_after_recovery(tree: Repo, point: str) -> None:
    assert point in faults.POINTS
    done = cairn("change-signature", "lease.py:1:5", "--remove", "wait", "--apply", cwd=tree.path, CAIRN_CRASH_AT=point)
    assert done.returncode == -signal.SIGKILL, done
    assert run("rename", "--recover").returncode == 0
    assert contents(tree) in (OLD, NEW)
    assert not list(tree.path.glob(".cairn-*"))


def test_a_plan_whose_file_changed_meanwhile_is_not_written(tree: Repo) -> None:
    found = json.loads(run("change-signature", "lease.py:1:5", "--add", "more = 2", "--json").stdout)
    tree.write("lease.py", LEASE + "# changed\n")
    done = run("change-signature", "--apply", found["plan_id"])
    assert done.returncode != 0
    assert contents(tree)["lease.py"] == (LEASE + "# changed\n").encode()


def test_python_asks_and_writes_the_same(tree: Repo) -> None:
    with package.open(str(tree.path)) as workspace:
        with pytest.raises(UsageError):
            workspace.signature.plan_signature("lease.py", 1, 5)
        with pytest.raises(UsageError):
            workspace.signature.plan_signature("lease.py", 1, 5, add="x=1", at=0)
        planned = workspace.signature.plan_signature("lease.py", 1, 5, reorder="quiet, loud")
        assert planned.plan is not None
        workspace.signature.apply(planned.plan.id)
    assert "*, quiet=True, loud=False" in Path("lease.py").read_text()


def test_a_function_is_named_as_in_a_rename(tree: Repo) -> None:
    for place in ("lease.py:take", "lease.py:1", "take"):
        assert run("change-signature", place, "--remove", "wait").stdout.startswith(
            "remove wait from take: ok_syntactic"
        )
