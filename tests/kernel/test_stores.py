"""What one kernel has written, the other reads, changes and answers from as if it were its own."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from bench.kernels import compared

from cairn.kernel.core import core
from tests.kernel.test_parsing import SAMPLES
from tests.trees import cairn, write

INSTALLED = "python" if core() is None else "native"
"""Without a core the reference takes its place: then this only shows that the reference repeats itself."""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file of every language."""
    root = tmp_path_factory.mktemp("kernels") / "project"
    for number, (path, text) in enumerate(SAMPLES.items()):
        write(root, f"part{number}/{path}", text)
    return root


def asked(root: Path, home: Path, kernel: str, *arguments: str) -> dict[str, object]:
    done = cairn(*arguments, str(root), "--json", CAIRN_HOME=str(home), CAIRN_KERNEL=kernel)
    assert done.returncode == 0, done.stderr
    said: dict[str, object] = json.loads(done.stdout)
    return said


@pytest.mark.slow
@pytest.mark.requirement("KRN.1")
def test_a_project_in_all_languages_is_written_and_answered_the_same(project: Path) -> None:
    found = compared(project, 4, (INSTALLED, "python"))
    assert found["files"] == len(SAMPLES)
    assert (found["files written"] > 2, found["questions"] > 20) == (True, True)
    assert (found["bytes that differ"], found["answers that differ"]) == (0, 0)


@pytest.mark.requirement("KRN.1")
@pytest.mark.parametrize(
    ("first", "second"), [(INSTALLED, "python"), pytest.param("python", INSTALLED, marks=pytest.mark.slow)]
)
def test_a_store_that_one_kernel_wrote_is_read_and_changed_by_the_other(
    tmp_path: Path, first: str, second: str
) -> None:
    root, home = tmp_path / "tree", tmp_path / "home"
    for name in ("a.py", "b.py"):
        write(root, name, f"def shared_{name[0]}():\n    return helper_of_{name[0]}()\n")
    asked(root, home, first, "index")
    before = asked(root, home, first, "search", "helper_of_a", "--no-sync")
    again = asked(root, home, second, "search", "helper_of_a", "--no-sync")
    assert again["results"] == before["results"]
    assert again["snapshot_id"] == before["snapshot_id"]
    write(root, "b.py", "def changed_by_the_other():\n    return shared_a()\n")
    changed = asked(root, home, second, "index")
    assert changed["snapshot_id"] != before["snapshot_id"]
    found = [asked(root, home, kernel, "search", "changed_by_the_other", "--no-sync") for kernel in (first, second)]
    assert found[0]["results"] == found[1]["results"] != []


@pytest.mark.requirement("KRN.2")
@pytest.mark.parametrize("kernel", ["python", pytest.param(INSTALLED, marks=pytest.mark.slow)])
def test_everything_works_and_status_and_doctor_say_which_kernel_answers(tmp_path: Path, kernel: str) -> None:
    root, home = tmp_path / "tree", tmp_path / "home"
    write(root, "a.py", "def stale_lease():\n    return 1\n")
    found = asked(root, home, kernel, "search", "stale lease")
    assert found["results"]
    assert asked(root, home, kernel, "status")["kernel"] == kernel
    environment = os.environ | {"CAIRN_KERNEL": kernel}
    check = "from cairn.surfaces.agents.machine import check_kernel; print(check_kernel())"
    told = subprocess.run((sys.executable, "-c", check), env=environment, capture_output=True, text=True, check=True)
    assert ("native core" in told.stdout) is (kernel == "native")
    assert ("Python reference" in told.stdout) is (kernel == "python")
