"""A move that is killed in the middle leaves all files old or all new, also those that it makes."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from cairn.codebase.codebase import Codebase
from cairn.codebase.moves import Moving
from tests.edit.test_journal import POINTS, REVERTING_POINTS
from tests.edit.test_move import PACKAGE, runs
from tests.trees import write

_MOVE = """
import sys
from cairn.codebase.codebase import Codebase
from cairn.codebase.moves import Moving
with Codebase(sys.argv[1]) as codebase:
    moving = Moving(codebase)
    planned = moving.plan_move("pkg/a.py", 11, 5, sys.argv[2])
    moving.apply(planned.plan.id)
"""


def contents(folder: Path) -> dict[str, str]:
    found = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_text() for path in found}


@pytest.mark.slow
@pytest.mark.requirement("EDIT.1")
@pytest.mark.parametrize("target", ["pkg/b.py", "pkg/sub/deep.py"])
@pytest.mark.parametrize("point", [point for point in POINTS if point not in REVERTING_POINTS])
def test_a_killed_move_leaves_all_old_or_all_new(
    folder: Path, monkeypatch: pytest.MonkeyPatch, point: str, target: str
) -> None:
    monkeypatch.setenv("CAIRN_EMBED_PROVIDER", "hashing")
    for path, text in PACKAGE.items():
        write(folder, path, text)
    with Codebase(str(folder)) as codebase:
        codebase.index()
    command = [sys.executable, "-c", _MOVE, str(folder), target]
    done = subprocess.run(command, env={**os.environ, "CAIRN_CRASH_AT": point}, timeout=120, check=False)
    assert done.returncode == -signal.SIGKILL
    with Codebase(str(folder)) as codebase:
        Moving(codebase).recover()
        assert contents(folder) == PACKAGE
        assert not (folder / "pkg/sub").exists()
    assert subprocess.run(command, env=os.environ, timeout=120, check=False).returncode == 0
    assert runs(folder) == "2/y 3\n"
