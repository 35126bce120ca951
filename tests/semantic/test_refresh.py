"""One job after the other over a real store: what a tool is asked for, and what becomes of the facts of the rest."""

import re
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from cairn.codebase.codebase import Codebase
from cairn.semantic.contexts.values import Context
from cairn.semantic.job import Job, JobFailureCode, JobStatus
from cairn.semantic.refresh import _project_name
from cairn.semantic.scope import FULL, RefreshScope, scope_of
from cairn.workspace.stamps import COARSE_TICK_NS
from tests.semantic.fakes import FILES, Project, project_in, until
from tests.semantic.test_races import ALL


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    return project_in(tmp_path, monkeypatch)


@pytest.fixture
def codebase(project: Project) -> Iterator[Codebase]:
    with Codebase(str(project.repo.path)) as codebase:
        refresh(codebase, everything=True)
        yield codebase


def refresh(codebase: Codebase, **wish: object) -> Job:
    codebase.index()
    refreshing = codebase.refreshing
    asked = refreshing.ask(refreshing.wish(**wish), "test")  # type: ignore[arg-type]
    (job,) = refreshing.wait([each.job.id for each in asked if each.job is not None])
    return job


def run(codebase: Codebase, scope: RefreshScope, context: str = "python:.") -> Job:
    """A job as the queue has it, whatever there was to ask for."""
    refreshing = codebase.refreshing
    job = refreshing.queue.enqueue(context, scope, refreshing._head()).job
    assert job is not None
    return refreshing.wait([job.id])[-1]


def narrowed_to(project: Project) -> str:
    return project.began(project.runs())


def tiers(project: Project, name: str) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for each in project.told("refs", name)["results"]:
        found.setdefault(each["path"], set()).add(each["tier"])
    return found


@pytest.mark.slow
def test_a_part_is_refreshed_and_the_rest_is_kept(project: Project, codebase: Codebase) -> None:
    (first,) = project.published()
    assert narrowed_to(project) == "."
    project.write("b/stock.py", "def count(thing):\n    return 7\n")
    job = refresh(codebase)
    assert (job.status, job.scope) == (JobStatus.COMPLETED, scope_of(packages=["b"]))
    assert narrowed_to(project) == "b"
    assert project.published() == [job.id]
    assert project.served() == ALL
    with codebase.view() as view:
        facts = view.semantic("python:.")
        assert facts is not None
        assert {file.path: file.job_id for file in facts.files()} == {
            "a/goods.py": first,
            "a/till.py": first,
            "b/stock.py": job.id,
        }
        assert facts.meta().head == job.head
        assert facts.recorded()["a/till.py"].dependencies.keys() == {"a/goods.py"}


@pytest.mark.slow
def test_a_part_that_uses_the_rest_depends_on_it(project: Project, codebase: Codebase) -> None:
    project.write("b/stock.py", "from a.goods import price\n\n\ndef count(thing):\n    return price(thing)\n")
    refresh(codebase)
    assert narrowed_to(project) == "b"
    assert project.served()["b/stock.py"] == {"count", "price"}
    with codebase.view() as view:
        facts = view.semantic("python:.")
        assert facts is not None
        shown = facts.recorded()["b/stock.py"].dependencies
        file = view.rows.file("a/goods.py")
    assert file is not None
    assert shown == {"a/goods.py": f"{file.interface_hash} {file.file_hash}"}


@pytest.mark.slow
@pytest.mark.requirement("STATE.3")
def test_a_body_that_is_refreshed_alone_leaves_doubt_in_who_uses_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {
        "pyproject.toml": "[project]\n",
        "core/a.py": "def make():\n    return Foo()\n",
        "app/b.py": "from core.a import make\n\n\ndef go():\n    make().run()\n",
    }
    project = project_in(tmp_path, monkeypatch, files)
    with Codebase(str(project.repo.path)) as codebase:
        refresh(codebase, everything=True)
        assert tiers(project, "make") == {"app/b.py": {"proven"}}
        project.write("core/a.py", files["core/a.py"].replace("Foo", "Bar"))
        refresh(codebase, files=["core/a.py"])
        assert narrowed_to(project) == "core"
        # What syntax proves stays proven.
        assert tiers(project, "make") == {"app/b.py": {"proven"}}
        assert project.told("contexts", "--file", "app/b.py")["state"] == "pending_check"
        refresh(codebase)
        assert narrowed_to(project) == "app"
        assert project.told("contexts", "--file", "app/b.py")["state"] == "clean"


@pytest.mark.slow
@pytest.mark.parametrize("what", ["version", "manifest"])
def test_another_tool_or_other_settings_mean_everything(project: Project, codebase: Codebase, what: str) -> None:
    if what == "version":
        (project.at / "version").write_text("1.1")
    else:
        project.write("pyproject.toml", '[project]\nname = "y"\n')
    job = refresh(codebase, files=["b/stock.py"])
    assert (job.status, job.scope) == (JobStatus.COMPLETED, FULL)
    assert narrowed_to(project) == "."
    known = codebase.refreshing.known()["python:."]
    assert (known.tool, known.tool_version) == ("scip-python", "1.1" if what == "version" else "1.0")
    assert known.refreshed_at == job.finished_at
    assert known.whole_at == job.started_at


@pytest.mark.slow
def test_a_deleted_file_has_no_facts_after_the_next_refresh(project: Project, codebase: Codebase) -> None:
    (project.repo.path / "b/stock.py").unlink()
    refresh(codebase, everything=True)
    with codebase.view() as view:
        facts = view.semantic("python:.")
        assert facts is not None
        assert [file.path for file in facts.files()] == ["a/goods.py", "a/till.py"]


@pytest.mark.slow
def test_a_job_whose_files_are_gone_is_completed_without_a_run(project: Project, codebase: Codebase) -> None:
    runs, published = project.runs(), project.published()
    assert run(codebase, scope_of(["a/gone.py"])).status is JobStatus.COMPLETED
    assert (project.runs(), project.published()) == (runs, published)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("context", "told"), [("python:gone", "There is no context"), ("docs:.", "none of its files can be understood")]
)
def test_a_job_of_no_workable_context_fails(codebase: Codebase, context: str, told: str) -> None:
    job = run(codebase, FULL, context)
    assert job.failure is not None
    assert job.failure.code is JobFailureCode.NO_CONTEXT
    assert told in job.failure.message


@pytest.mark.slow
@pytest.mark.requirement("JOB.4")
def test_a_tool_that_is_not_there_is_told_and_nothing_is_lost(project: Project, codebase: Codebase) -> None:
    (project.at / "bin" / "scip-python").unlink()
    job = refresh(codebase, everything=True)
    assert job.failure is not None
    assert job.failure.code is JobFailureCode.MISSING_TOOL
    assert project.served() == ALL


@pytest.mark.slow
def test_nested_contexts_keep_their_own_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = {
        "pyproject.toml": "[project]\n",
        "top.py": "from inner.core import deep\n\n\ndef top():\n    return deep()\n",
        "inner/pyproject.toml": "[project]\n",
        "inner/core.py": "def deep():\n    return 1\n",
    }
    project = project_in(tmp_path, monkeypatch, files)
    project.cairn("refresh", "--wait")
    with Codebase(str(project.repo.path)) as codebase, codebase.view() as view:
        outer, inner = view.semantic("python:."), view.semantic("python:inner")
        assert outer is not None
        assert inner is not None
        assert [file.path for file in outer.files()] == ["top.py"]
        assert [file.path for file in inner.files()] == ["inner/core.py"]
        file = view.rows.file("inner/core.py")
        assert file is not None
        assert outer.recorded()["top.py"].dependencies == {"inner/core.py": f"{file.interface_hash} {file.file_hash}"}


@pytest.mark.slow
@pytest.mark.requirement("STATE.3")
def test_a_file_that_uses_an_ignored_module_is_clean(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = {
        "pyproject.toml": "[project]\n",
        ".gitignore": "_version.py\n",
        "a/_version.py": "def version():\n    return 1\n",
        "a/main.py": "from a._version import version\n\n\ndef main():\n    return version()\n",
    }
    project = project_in(tmp_path, monkeypatch, files)
    stamp = (project.repo.path / "a/_version.py").stat().st_ctime_ns
    until(lambda: time.time_ns() > stamp + COARSE_TICK_NS)
    project.cairn("refresh", "--wait")
    assert project.served() == {"a/main.py": {"main", "version"}}
    assert project.told("contexts", "--file", "a/main.py")["state"] == "clean"
    assert project.cairn("refresh").stdout == "python:.  nothing to do\n"


def test_no_two_roots_have_one_name() -> None:
    roots = ["", "project", "a/b", "a.b", "a_b", "a_2e_b", "a/project", "\xe4", "_e4_", "a b"]
    names = [_project_name(Context("python", root, 2)) for root in roots]
    assert len(set(names)) == len(roots)
    assert names[:3] == ["project", "project.project", "project.a.b"]
    assert all(re.fullmatch(r"[A-Za-z0-9._-]+", name) for name in names)


@pytest.mark.slow
@pytest.mark.requirement("SEMA.20")
def test_files_that_the_tool_has_nothing_about_are_told(project: Project, codebase: Codebase) -> None:
    project.act("hide")
    said = project.told("refresh", "--all", "--wait")
    assert said["warnings"] == ["scip-python has nothing about b/stock.py: their answers are by syntax"]
    assert said["notices"][0]["files"] == ["b/stock.py"]
    assert said["jobs"][0]["took_s"] > 0
    assert project.told("status")["semantic"] == {"contexts": 1, "files": 2, "dirty": 0, "left_out": 1}
    assert "2 files in 1 context, none of 1 file that the tool left out" in project.cairn("status").stdout
    # A part that was run anew says nothing of the rest.
    project.act("")
    assert project.told("refresh", "--package", "a", "--wait")["notices"][0]["files"] == ["b/stock.py"]
    assert project.told("refresh", "--package", "b", "--wait")["warnings"] == []
    assert project.told("status")["semantic"]["left_out"] == 0


@pytest.mark.slow
@pytest.mark.requirement("SEMA.20")
def test_settings_of_the_project_hide_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = {**FILES, "pyproject.toml": '[project]\nname = "x"\n[tool.pyright]\ninclude = ["a"]\n'}
    project = project_in(tmp_path, monkeypatch, files)
    with Codebase(str(project.repo.path)) as codebase:
        refresh(codebase, everything=True)
        assert tiers(project, "price") == {"a/till.py": {"proven"}}
        refresh(codebase, files=["b/stock.py"])
    assert project.told("status")["semantic"] == {"contexts": 1, "files": 3, "dirty": 0, "left_out": 0}
    assert narrowed_to(project) == "b"
    assert project.repo.git("status", "--porcelain") == ""
