"""Renames with facts of the real tools: planned, written, and the project does what it did."""

import os
import subprocess
import sys
from collections.abc import Iterator

import pytest

from cairn.codebase.codebase import Codebase
from cairn.codebase.renames import Renaming
from cairn.semantic.job import JobStatus
from tests.edit.samples import contents, places
from tests.semantic.recorded import PROJECTS, TOOLS, why_not_for_real
from tests.trees import Repo

pytestmark = pytest.mark.skipif(bool(why_not_for_real()), reason=why_not_for_real() or "they can")
STAR = "from .goods import *\n"


@pytest.fixture
def codebase(repo: Repo, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Codebase]:
    """A recorded project with the facts of a run of its tool, now."""
    monkeypatch.setenv("CAIRN_EMBED_PROVIDER", "hashing")
    monkeypatch.setenv("CAIRN_TOOL_FOLDERS", str(TOOLS))
    tool, star = request.param
    for path, text in PROJECTS[tool].items():
        repo.write(path, text if star else text.replace(STAR, ""))
    repo.write("pyproject.toml", '[project]\nname = "shop"\nversion = "1.0.0"\n')
    repo.commit()
    with Codebase(str(repo.path)) as made:
        made.index()
        refresh(made)
        yield made


def refresh(codebase: Codebase) -> None:
    asked = codebase.refreshing.ask(codebase.refreshing.wish(everything=True), "test")
    ended = codebase.refreshing.wait([each.job.id for each in asked if each.job is not None])
    assert ended
    assert all(job.status is JobStatus.COMPLETED for job in ended), ended


def sold(repo: Repo) -> str:
    """What the Python project does."""
    code = "from shop.till import sell; print(sell('x'))"
    env = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        (sys.executable, "-B", "-c", code),
        cwd=repo.path,
        env=env,
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    return done.stdout


@pytest.mark.requirement("GATE.1")
@pytest.mark.requirement("GATE.3")
@pytest.mark.parametrize("codebase", [("scip-python", False)], indirect=True)
def test_a_python_project_does_the_same_after_a_rename_and_after_a_refresh_the_next(
    codebase: Codebase, repo: Repo
) -> None:
    before, result = contents(repo), sold(repo)
    renaming = Renaming(codebase)
    found = renaming.plan("shop/goods.py", 20, 5, "summed")
    assert (found.draft.status, found.draft.reasons) == ("ok", ())
    assert places(found) == ["shop/goods.py:20:5", "shop/till.py:2:36", "shop/till.py:7:19"]
    assert found.plan is not None
    renaming.apply(found.plan.id)
    assert sold(repo) == result
    # The facts are of the files as they were: until a refresh the next one goes by syntax.
    assert renaming.plan("shop/goods.py", 20, 5, "again").draft.status == "ok_syntactic"
    refresh(codebase)
    back = renaming.plan("shop/till.py", 7, 19, "total")
    assert back.draft.status == "ok"
    assert back.plan is not None
    renaming.apply(back.plan.id)
    assert contents(repo) == before


@pytest.mark.requirement("GATE.1")
@pytest.mark.parametrize("codebase", [("scip-python", True)], indirect=True)
def test_a_star_import_keeps_nothing_open_and_overriding_methods_go_together(codebase: Codebase, repo: Repo) -> None:
    result = sold(repo)
    renaming = Renaming(codebase)
    starred = renaming.plan("shop/goods.py", 20, 5, "summed")
    assert starred.draft.status == "ok"
    assert starred.plan is not None
    done = renaming.apply(starred.plan.id)
    assert sold(repo) == result
    renaming.undo(done.applied.written.id)
    found = renaming.plan("shop/goods.py", 16, 9, "cost")
    assert places(found) == ["shop/goods.py:11:9", "shop/goods.py:16:9", "shop/goods.py:21:22"]
    assert found.draft.status == "ok"
    assert found.plan is not None
    renaming.apply(found.plan.id)
    assert sold(repo) == result


@pytest.mark.requirement("GATE.1")
@pytest.mark.parametrize("codebase", [("scip-typescript", False)], indirect=True)
def test_a_typescript_project_is_renamed_whole(codebase: Codebase, repo: Repo) -> None:
    renaming = Renaming(codebase)
    before = contents(repo)
    found = renaming.plan("src/till.ts", 1, 10, "Tome")
    assert (found.draft.status, found.draft.reasons) == ("ok", ())
    assert places(found) == ["src/goods.ts:5:14", "src/till.ts:1:10"]
    assert found.plan is not None
    renaming.apply(found.plan.id)
    refresh(codebase)
    member = renaming.plan("src/goods.ts", 2, 3, "cost")
    assert places(member) == ["src/goods.ts:2:3", "src/goods.ts:6:3", "src/goods.ts:12:52"]
    assert member.draft.status == "ok"
    back = renaming.plan("src/goods.ts", 5, 14, "Book")
    assert back.plan is not None
    renaming.apply(back.plan.id)
    assert contents(repo) == before
