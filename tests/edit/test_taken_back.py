"""What an answer is good for: whole edits, until they are taken back; and trees that somebody left half written."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from cairn.base.errors import RefusedError, UsageError
from cairn.codebase.codebase import Codebase
from cairn.codebase.moves import Moving
from cairn.codebase.renames import Renaming
from tests.trees import write

READS = """class A:
    def go(self): return 1
    def of(self, word): return getattr(self, word)
print(A().go(), A().of("g" + "o"))  # go on
# go
"""


@pytest.fixture
def renaming(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Renaming]:
    monkeypatch.setenv("CAIRN_EMBED_PROVIDER", "hashing")
    write(folder, "m.py", READS)
    with Codebase(str(folder)) as codebase:
        codebase.index()
        yield Renaming(codebase)


def written(renaming: Renaming, **taken: object) -> str:
    planned = renaming.plan("m.py", 2, 9, "fresh", **taken)  # type: ignore[arg-type]
    assert planned.plan is not None
    return renaming.apply(planned.plan.id).applied.written.id


@pytest.mark.slow
@pytest.mark.requirement("REN.20")
def test_an_edit_that_is_taken_back_takes_its_answer_with_it(renaming: Renaming) -> None:
    edit = written(renaming, take="proven")
    renaming.undo(edit)
    assert not renaming.plan("m.py", 2, 9, "fresh").applicable
    written(renaming, take="proven")
    assert renaming.plan("m.py", 2, 9, "other").applicable


@pytest.mark.slow
@pytest.mark.requirement("REN.20")
def test_a_part_of_an_edit_answers_for_nothing_and_says_what_is_left_out(renaming: Renaming, folder: Path) -> None:
    planned = renaming.plan("m.py", 2, 9, "fresh", only=["m.py:4"])
    assert planned.plan is not None
    done = renaming.apply(planned.plan.id)
    assert [(note.code, note.fields["places"]) for note in done.notes] == [("proven_left_out", ["m.py:2"])]
    # The comment on the line was not asked for.
    assert "A().fresh()" in (folder / "m.py").read_text()
    assert "# go on" in (folder / "m.py").read_text()
    renaming.undo(done.applied.written.id)
    prose = renaming.plan("m.py", 2, 9, "fresh", only=["m.py:5"])
    assert [spot.line for spot in prose.spots] == [5]
    written(renaming, only=["m.py:5"])
    assert not renaming.plan("m.py", 2, 9, "fresh").applicable


def test_a_name_that_is_too_long_is_not_said_again(renaming: Renaming) -> None:
    with pytest.raises(UsageError) as refused:
        renaming.plan("m.py", 2, 9, "x" * 5_000)
    assert len(refused.value.message) < 100


_MOVE = """
import sys
from cairn.codebase.codebase import Codebase
from cairn.codebase.moves import Moving
with Codebase(sys.argv[1]) as codebase:
    moving = Moving(codebase)
    planned = moving.plan_move(sys.argv[2], 1, 5, sys.argv[3])
    sys.stdin.readline()
    moving.apply(planned.plan.id)
"""


def begun(folder: Path, path: str, to_file: str, **environment: str) -> "subprocess.Popen[bytes]":
    command = [sys.executable, "-c", _MOVE, str(folder), path, to_file]
    return subprocess.Popen(command, stdin=subprocess.PIPE, env=os.environ | environment)


@pytest.fixture
def modules(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CAIRN_EMBED_PROVIDER", "hashing")
    write(folder, "a.py", "def f():\n    return 1\n")
    write(folder, "b.py", "def g():\n    return 2\n")
    write(folder, "m.py", "from a import f\nfrom b import g\nprint(f() + g())\n")
    with Codebase(str(folder)) as codebase:
        codebase.index()
    return folder


@pytest.mark.slow
@pytest.mark.requirement("EDIT.1")
def test_nothing_is_planned_on_a_tree_that_a_move_left_half_written(modules: Path) -> None:
    killed = begun(modules, "a.py", "c.py", CAIRN_CRASH_AT="edit.file_written")
    killed.communicate(b"\n", timeout=120)
    assert killed.returncode == -signal.SIGKILL
    with Codebase(str(modules)) as codebase:
        with pytest.raises(RefusedError, match="An earlier edit was interrupted"):
            Moving(codebase).plan_move("b.py", 1, 5, "c.py")
        Moving(codebase).recover()
        assert Moving(codebase).plan_move("b.py", 1, 5, "c.py").applicable


@pytest.mark.slow
@pytest.mark.requirement("EDIT.1")
def test_two_moves_at_once_leave_a_program_that_runs(modules: Path) -> None:
    both = [begun(modules, "a.py", "c.py"), begun(modules, "b.py", "c.py")]
    for each in both:
        each.communicate(b"\n", timeout=120)
    # Both change m.py: the second is refused, or was planned after the first.
    assert 0 in [each.returncode for each in both]
    done = subprocess.run([sys.executable, "m.py"], cwd=modules, capture_output=True, text=True, check=True)
    assert done.stdout == "3\n"
    with Codebase(str(modules)) as codebase:
        assert Moving(codebase).interrupted() == ()
