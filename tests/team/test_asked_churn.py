"""A remote is asked while its team pushes and collects, while it comes and goes, and by machines that die."""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.long import LONG
from tests.team.samples import at_home, clone, committed, done, refused
from tests.team.test_asked import said
from tests.trees import Repo, cairn

ROUNDS = 8 * LONG or 3
QUESTIONS = ("heron_wades", "how do otters dive", "Walrus", "egret", "river")
WORDS = ("heron", "otter", "walrus", "egret", "river", "floe", "depth", "sky")


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CAIRN_EMBED_PROVIDER", "hashing")


@pytest.fixture
def machines(tmp_path: Path) -> tuple[Path, Path]:
    """One that pushes to a folder, and one that asks it."""
    (tmp_path / "remote").mkdir()
    made = (tmp_path / "one", tmp_path / "two")
    for home in made:
        with at_home(home):
            done("remote", "add", "team", str(tmp_path / "remote"))
    return made


def edit(repo: Repo, number: int, chance: random.Random) -> None:
    """Write a few files, some of them in the place of others, and remove one now and then."""
    for _ in range(3):
        body = "".join(f"def {chance.choice(WORDS)}_{chance.choice(WORDS)}_{number}(a):\n    return a\n" for _ in "abc")
        repo.write(f"src/made{chance.randrange(6)}.py", body)
    there = sorted(repo.path.glob("src/*.py"))
    if len(there) > 4 and chance.random() < 0.5:
        chance.choice(there).unlink()


@pytest.mark.slow
@pytest.mark.long
@pytest.mark.parametrize("seed", range(2))
def test_answers_are_those_of_an_index_whatever_is_pushed_and_collected_meanwhile(
    seed: int, machines: tuple[Path, Path], tmp_path: Path
) -> None:
    chance = random.Random(seed)
    repo = committed(tmp_path / "repo")
    other = clone(repo, tmp_path / "clone")
    with at_home(machines[0]):
        done("push", "--askable", str(repo.path))
    for number in range(ROUNDS):
        edit(repo, number, chance)
        repo.commit()
        if chance.random() < 0.3:
            died = cairn("push", "--askable", str(repo.path), CAIRN_HOME=str(machines[0]), CAIRN_CRASH_AT="tables.sent")
            assert died.returncode in (0, -signal.SIGKILL)
        if chance.random() < 0.7:
            with at_home(machines[0]):
                done("push", "--askable", str(repo.path))
        if chance.random() < 0.5:
            with at_home(machines[0]):
                done("remote", "gc", "--keep", "1")
        # Its tree is that of a commit, and sometimes has edits that nobody has committed.
        other.git("pull", "-q", str(repo.path), "HEAD")
        if chance.random() < 0.5:
            edit(other, number, chance)
        with at_home(machines[1]):
            there = [said(other.path, query, {}, "team") for query in QUESTIONS]
        with at_home(tmp_path / "index"):
            here = [said(other.path, query, {}) for query in QUESTIONS]
        assert [each["hits"] for each in there] == [each["hits"] for each in here]
        other.git("checkout", "-q", "--force", "HEAD")
        other.git("clean", "-q", "-fd")


@pytest.mark.slow
def test_one_that_dies_amid_its_first_questions_answers_the_next(machines: tuple[Path, Path], tmp_path: Path) -> None:
    repo = committed(tmp_path / "repo")
    with at_home(machines[0]):
        done("push", "--askable", str(repo.path))
        here = said(repo.path, "heron_wades", {})
    other = clone(repo, tmp_path / "clone")
    command = (sys.executable, "-m", "cairn", "search", "--remote", "team", "heron_wades", str(other.path), "--json")
    killed, took = 0, 0.0
    while not took:
        begun = time.perf_counter()
        process = subprocess.Popen(
            command, env=os.environ | {"CAIRN_HOME": str(machines[1])}, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        try:
            # Each gets a little further than the last.
            _, told = process.communicate(timeout=0.15 * (killed + 1))
            took = time.perf_counter() - begun
            assert process.returncode == 0, told
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            killed += 1
    assert killed
    with at_home(machines[1]):
        assert said(other.path, "heron_wades", {}, "team") == here


@pytest.mark.slow
def test_a_snapshot_that_is_collected_under_a_question_is_told_or_answered_and_never_mixed(
    machines: tuple[Path, Path], tmp_path: Path
) -> None:
    """A machine knows of a snapshot whose tables are gone by now."""
    repo = committed(tmp_path / "repo")
    other = clone(repo, tmp_path / "clone")
    with at_home(machines[0]):
        done("push", "--askable", str(repo.path))
    with at_home(machines[1]):
        done("search", "--remote", "team", "heron_wades", str(other.path))
    (repo.path / "src/heron.py").write_text("def stork_nests(roof):\n    return roof\n")
    repo.commit()
    with at_home(machines[0]):
        done("push", "--askable", str(repo.path))
    for table in (tmp_path / "remote" / "cairn1" / "tables").rglob("*"):
        if table.is_file():
            table.unlink()
    other.git("pull", "-q", str(repo.path), "HEAD")
    with at_home(machines[1]):
        assert "lost a table" in refused("search", "--remote", "team", "stork", str(other.path)).stderr
