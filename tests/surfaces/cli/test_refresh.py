"""`cairn refresh` and `cairn jobs` as a user meets them, and what `status` and `contexts` say of refreshes."""

import json
from datetime import datetime
from pathlib import Path

import pytest

import cairn as package
from cairn.base.errors import UsageError
from cairn.codebase.codebase import Codebase
from cairn.semantic.job import JobStatus
from cairn.surfaces.cli.refresh import moment_of
from tests.semantic.fakes import Project, project_in
from tests.trees import Repo, cairn


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    return project_in(tmp_path, monkeypatch)


@pytest.mark.slow
def test_a_refresh_says_what_became_of_it_and_that_there_is_nothing_to_do(project: Project) -> None:
    done = project.cairn("refresh", "--wait")
    (line,) = done.stdout.splitlines()
    assert line.split()[1:4] == ["python:.", "completed", "all"]
    assert done.stderr == "", "no progress in a pipe"
    assert project.cairn("refresh").stdout == "python:.  nothing to do\n"
    told = project.told("refresh")
    assert told["contexts"] == [{"context": "python:.", "outcome": "skipped", "why": "nothing to do", "job": None}]
    assert (told["jobs"], told["worker"]) == ([], None)
    assert told["snapshot_id"] == project.told("status")["snapshot_id"]


@pytest.mark.slow
def test_contexts_and_status_know_of_refreshes(project: Project) -> None:
    def known() -> dict[str, object]:
        (found,) = [each for each in project.told("contexts")["contexts"] if each["id"] == "python:."]
        return {key: found[key] for key in ("tool", "tool_version", "enabled")}

    assert known() == {"tool": None, "tool_version": None, "enabled": True}
    assert project.told("status")["semantic"] == {"contexts": 0, "files": 0, "dirty": 0, "left_out": 0}
    assert "semantic" not in project.cairn("status").stdout
    project.cairn("refresh", "--wait")
    assert known() == {"tool": "scip-python", "tool_version": "1.0", "enabled": True}
    assert "scip-python 1.0: " in project.cairn("contexts").stdout
    project.write("b/stock.py", "x = 1\n")
    (project.repo.path / "a/till.py").unlink()
    project.cairn("index")
    assert project.told("status")["semantic"] == {"contexts": 1, "files": 2, "dirty": 1, "left_out": 0}
    assert "semantic facts of 2 files in 1 context, 1 dirty: run `cairn refresh`" in project.cairn("status").stdout
    assert project.runs() == 1, "neither an index nor a search refreshes by itself"


@pytest.mark.slow
def test_jobs_are_listed_and_shown_whole(project: Project) -> None:
    assert project.cairn("jobs").stdout == "no jobs\n"
    project.cairn("refresh", "--wait")
    project.act("crash")
    assert project.cairn("refresh", "--all", "--wait", code=5).stdout.count("tool_crashed") == 1
    completed, failed = project.told("jobs")["jobs"]
    assert [completed, failed] == project.jobs()
    assert (completed["status"], failed["status"]) == ("completed", "failed")
    assert failed["failure"]["code"] == "tool_crashed"
    assert "no luck" in failed["failure"]["message"]
    assert [job["id"] for job in project.told("jobs", "--status", "failed")["jobs"]] == [failed["id"]]
    assert project.told("jobs", "--context", "go:.")["jobs"] == []
    whole = project.cairn("jobs", failed["id"]).stdout
    assert "no luck" in whole
    assert project.cairn("jobs", str(project.repo.path), failed["id"]).stdout == whole


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (("refresh", "--since", "yesterday"), 2, "--since yesterday is no moment"),
        (("refresh", "--since", "9000-01-01"), 2, "--since 9000-01-01 lies in the future"),
        (("refresh", "--all", "--files", "a/goods.py"), 2, "not allowed with"),
        (("refresh", "--context", "go:."), 2, "There is no context go:."),
        (("refresh", "--files", "/etc/passwd"), 2, "is not beneath"),
        (("jobs", "--cancel"), 2, "No job is named"),
        (("jobs", "01ARZ3NDEKTSV4RRFFQ69G5FAV"), 2, "There is no job"),
        (("jobs", "x", "y"), 2, "More than one"),
    ],
)
def test_what_makes_no_sense_is_said(project: Project, arguments: tuple[str, ...], code: int, told: str) -> None:
    done = project.cairn(*arguments, code=code)
    assert told in done.stderr
    assert json.loads(project.cairn(*arguments, "--json", code=code).stdout)["error"]["hint"]


@pytest.mark.parametrize("command", ["refresh", "jobs"])
def test_without_an_index_the_command_that_makes_one_is_named(repo: Repo, command: str) -> None:
    done = cairn(command, cwd=repo.path)
    assert done.returncode == 3
    assert "cairn index" in done.stderr


@pytest.mark.parametrize("command", ["refresh", "jobs"])
def test_the_help_has_an_example(command: str) -> None:
    assert f"Example: cairn {command}" in cairn(command, "--help").stdout


def test_moments_as_people_write_them() -> None:
    now = 1_000_000.0
    assert moment_of("30m", now) == now - 1_800
    assert moment_of("3d ago", now) == now - 3 * 86_400
    assert moment_of("2026-01-31T12:00:00+00:00", 2e9) == 1_769_860_800.0
    assert moment_of("2026-01-31", 2e9) == datetime(2026, 1, 31).timestamp()
    with pytest.raises(UsageError, match="lies in the future"):
        moment_of("2026-01-31", now)
    for text in ("", "0", "tomorrow", "9999999999d"):
        with pytest.raises(UsageError):
            moment_of(text, now)


@pytest.mark.slow
def test_a_program_refreshes_and_sees_its_jobs(project: Project) -> None:
    with package.open(project.repo.path) as workspace:
        (job,) = workspace.refresh()
        assert job.status is JobStatus.COMPLETED
        assert workspace.refresh() == ()
        assert workspace.jobs() == (job,)
        (part,) = workspace.refresh("b/stock.py")
        assert part.scope.packages == {"b"}


@pytest.mark.slow
def test_the_folder_of_the_codebase_is_all_of_it(project: Project) -> None:
    project.cairn("refresh", "--package", ".", "--wait")
    (job,) = project.jobs()
    assert job["scope"]["full"]


@pytest.mark.slow
@pytest.mark.requirement("SEC.1")
def test_settings_that_make_no_sense_queue_nothing(project: Project) -> None:
    done = project.cairn("refresh", code=2, CAIRN_SEMANTIC_WORKERS="many")
    assert "CAIRN_SEMANTIC_WORKERS must be a number" in done.stderr
    assert project.jobs() == []


def control_of(project: Project) -> Path:
    with Codebase(str(project.repo.path)) as codebase:
        return Path(codebase.store().layout.path) / "control.db"


@pytest.mark.slow
def test_contexts_are_told_though_the_control_file_is_damaged(project: Project) -> None:
    project.cairn("refresh", "--wait")
    whole = project.cairn("contexts", "--states").stdout
    control_of(project).write_bytes(b"no database" * 1_000)
    done = project.cairn("contexts", "--states")
    assert "python:." in done.stdout
    assert "3 clean" in done.stdout
    assert "3 clean" in whole
    (kept,) = control_of(project).parent.glob("control.db.damaged-*")
    assert kept.read_bytes() == b"no database" * 1_000
    assert f"warning: control.db was damaged: it is kept as {kept.name}, and begins anew\n" in done.stderr
    assert "damaged" not in project.cairn("contexts", "--states").stderr


@pytest.mark.slow
@pytest.mark.requirement("REPAIR.1")
def test_a_repair_says_whose_facts_were_dropped(project: Project) -> None:
    project.cairn("refresh", "--wait")
    with Codebase(str(project.repo.path)) as codebase:
        store = codebase.store()
        manifest = store.active()
        assert manifest is not None
        (ref,) = manifest.semantics
        path = Path(store.layout.segment(ref.segment_id)) / "semantic.sqlite"
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)
    told = project.told("repair")
    assert told["actions"] == ["dropped the semantic facts of python:.: run `cairn refresh` to make them anew"]
    assert project.served() == {}
    project.cairn("refresh", "--wait")
    assert set(project.served()) == {"a/goods.py", "a/till.py", "b/stock.py"}
