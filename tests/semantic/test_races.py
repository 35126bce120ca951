"""The races of a refresh: real processes, real git, a fake indexer that is held while the world moves."""

import os
import resource
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.semantic.fakes import FILES, Project, project_in, until

pytestmark = pytest.mark.slow

ALL = {"a/goods.py": {"price"}, "a/till.py": {"price", "sell"}, "b/stock.py": {"count"}}
NEW_GOODS = "def price(thing):\n    return 9\n"
BEFORE_SWAP = ("semantic.written", "semantic.hashed", "segment.moved", "publish.gate_passed", "publish.pointer_staged")
AFTER_SWAP = ("publish.pointer_swapped", "publish.state_written", "publish.staging_removed")


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    return project_in(tmp_path, monkeypatch)


def ended(child: "subprocess.Popen[str]") -> tuple[int, str]:
    said, _ = child.communicate(timeout=90)
    return child.returncode, said


def enqueue(project: Project) -> str:
    """A queued job that nobody runs: its worker was killed."""
    project.hold()
    child = project.start("refresh", "--all", "--wait")
    project.began(project.runs() + 1)
    child.kill()
    child.communicate()
    (project.at / "hold").unlink()
    (job,) = [job for job in project.jobs() if job["status"] == "queued"]
    return str(job["id"])


@pytest.mark.requirement("JOB.2")
def test_head_moves_during_the_run(project: Project) -> None:
    project.hold()
    child = project.start("refresh", "--wait")
    project.began()
    head = project.repo.commit("elsewhere")
    (project.at / "hold").unlink()
    assert ended(child)[0] == 0
    first, second = project.jobs()
    assert (first["status"], first["superseded_reason"]) == ("superseded", "head_moved")
    assert (second["status"], second["follows"], second["head"]) == ("completed", first["id"], head)
    assert project.published() == [second["id"]], "what was made under another HEAD is nowhere"
    assert project.served() == ALL
    project.assert_sound()


@pytest.mark.requirement("JOB.2")
@pytest.mark.parametrize("back", [False, True], ids=["edited", "edited and changed back"])
def test_a_file_is_edited_during_the_run(project: Project, back: bool) -> None:
    project.hold()
    child = project.start("refresh", "--wait")
    project.began()
    project.write("a/goods.py", NEW_GOODS)
    if back:
        project.write("a/goods.py", FILES["a/goods.py"])
    project.go()
    project.began(2)
    assert project.statuses() == ["completed", "running"]
    assert project.jobs()[1]["scope"]["files"] == ["a/goods.py", "a/till.py"], "with those that depend on it"
    assert project.served() == {name: ALL[name] for name in ("a/till.py", "b/stock.py")}
    with_doubt = project.told("contexts", "--no-sync")
    assert with_doubt["snapshot_id"]
    project.go(2)
    assert ended(child)[0] == 0
    assert project.served() == ALL
    assert project.statuses() == ["completed", "completed"]
    project.assert_sound()


@pytest.mark.requirement("JOB.2")
def test_a_file_that_is_edited_during_a_later_run_is_dirty_and_not_forgotten(project: Project) -> None:
    project.cairn("refresh", "--wait")
    project.hold()
    child = project.start("refresh", "--all", "--wait")
    project.began(2)
    project.write("a/goods.py", NEW_GOODS)
    project.go(2)
    project.began(3)
    assert project.told("contexts", "--file", "a/goods.py")["state"] == "dirty"
    project.go(3)
    assert ended(child)[0] == 0
    assert project.told("contexts", "--file", "a/goods.py")["state"] == "clean"


def test_a_file_that_never_holds_still_does_not_keep_a_worker_busy_for_ever(project: Project) -> None:
    project.hold()
    child = project.start("refresh", "--wait")
    for number in (1, 2, 3):
        project.began(number)
        project.write("a/goods.py", f"{NEW_GOODS}# {number}\n")
        project.go(number)
    project.began(4)
    project.go(4)
    code, said = ended(child)
    assert code == 10, said
    until(lambda: project.statuses()[-1] == "completed")
    assert project.served() == ALL


@pytest.mark.requirement("JOB.1")
def test_two_workers_run_one_job_once(project: Project) -> None:
    enqueue(project)
    before = project.runs()
    project.hold()
    workers = [project.start("jobs", "--run") for _ in range(2)]
    project.began(before + 1)
    # The other one finds nothing that it may run.
    until(lambda: any(worker.poll() is not None for worker in workers))
    project.go(before + 1)
    assert [ended(worker)[0] for worker in workers] == [0, 0]
    assert project.runs() == before + 1
    assert project.statuses() == ["completed"]
    assert project.served() == ALL


@pytest.mark.requirement("JOB.1")
def test_a_worker_is_killed(project: Project) -> None:
    project.hold()
    child = project.start("refresh", "--wait")
    project.began()
    tool = int((project.at / "began-1").read_text().split()[0])
    child.send_signal(signal.SIGKILL)
    child.communicate()
    until(lambda: not os.path.exists(f"/proc/{tool}"))
    assert project.statuses() == ["queued"]
    assert project.served() == {}
    project.go(2)
    assert project.told("jobs", "--run")["jobs"][0]["attempts"] == 2
    assert project.served() == ALL
    project.assert_sound()


@pytest.mark.requirement("JOB.1")
@pytest.mark.parametrize("point", [*BEFORE_SWAP, *AFTER_SWAP])
def test_a_worker_dies_during_the_import(project: Project, point: str) -> None:
    """Also after a first import: the former facts are served until the new ones are published."""
    project.cairn("refresh", "--wait")
    (former,) = project.published()
    project.write("b/stock.py", "def count(thing):\n    return 3\n")
    job = enqueue(project)
    died = project.cairn("jobs", "--run", code=None, CAIRN_CRASH_AT=point)
    assert died.returncode == -signal.SIGKILL, f"{point} was not reached: {died}"
    served = project.served()
    assert served == (ALL if point in AFTER_SWAP else {name: ALL[name] for name in ("a/goods.py", "a/till.py")})
    assert project.published() == ([job] if point in AFTER_SWAP else [former])
    project.assert_sound()
    assert project.statuses()[-1] == ("completed" if point in AFTER_SWAP else "queued")
    project.cairn("jobs", "--run")
    assert project.statuses()[-1] == "completed"
    assert project.published() == [job]
    assert project.served() == ALL
    project.assert_sound()


@pytest.mark.requirement("JOB.1")
def test_what_was_left_over_survives_a_worker_that_dies_after_the_swap(project: Project) -> None:
    project.hold()
    child = project.start("refresh", "--wait", CAIRN_CRASH_AT="publish.pointer_swapped")
    project.began()
    project.write("a/goods.py", NEW_GOODS)
    project.go()
    assert ended(child)[0] == -signal.SIGKILL
    first, second = project.jobs()
    assert (first["status"], second["status"]) == ("completed", "queued")
    assert second["scope"]["files"] == ["a/goods.py", "a/till.py"]


@pytest.mark.requirement("JOB.3")
def test_a_job_is_widened_while_it_runs(project: Project) -> None:
    project.cairn("refresh", "--wait")
    project.hold()
    child = project.start("refresh", "--files", "a/goods.py", "--wait")
    assert project.began(2) == "a"
    (asked,) = project.told("refresh", "--files", "b/stock.py")["contexts"]
    assert asked["outcome"] == "follows"
    project.go(2)
    assert project.began(3) == "b"
    project.go(3)
    assert ended(child)[0] == 0
    until(lambda: project.statuses() == ["completed"] * 3)
    assert project.served() == ALL


@pytest.mark.requirement("JOB.3")
def test_an_edit_after_the_running_job_began_is_not_taken_for_covered(project: Project) -> None:
    project.hold()
    child = project.start("refresh", "--wait")
    project.began()
    assert project.told("refresh", "--files", "b/stock.py")["contexts"][0]["outcome"] == "covered"
    project.write("b/stock.py", "def count(thing):\n    return 3\n")
    assert project.told("refresh", "--files", "b/stock.py")["contexts"][0]["outcome"] == "follows"
    (project.at / "hold").unlink()
    assert ended(child)[0] == 0
    until(lambda: not {"queued", "running"} & {*project.statuses()})
    assert project.served() == ALL


@pytest.mark.requirement("JOB.4")
@pytest.mark.parametrize(
    ("mode", "code"),
    [("hang", "tool_timeout"), ("garbage", "parse_error"), ("cut", "parse_error"), ("crash", "tool_crashed")],
)
def test_an_indexer_that_gives_nothing_leaves_the_last_facts(project: Project, mode: str, code: str) -> None:
    project.cairn("refresh", "--wait")
    published = project.published()
    project.act(mode)
    told = project.told("refresh", "--all", "--wait", code=5, CAIRN_SEMANTIC_TIME_LIMIT_S="2")
    assert told["jobs"][0]["failure"]["code"] == code
    assert told["jobs"][0]["failure"]["hint"]
    assert project.published() == published
    assert project.served() == ALL
    project.assert_sound()


@pytest.mark.requirement("JOB.4")
def test_the_disk_refuses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    many = "".join(f"def name_{number}(thing):\n    return name_{number}(thing)\n\n\n" for number in range(4_000))
    project = project_in(tmp_path, monkeypatch, {**FILES, "a/many.py": many})
    job = enqueue(project)
    _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    done = subprocess.run(
        (sys.executable, "-m", "cairn", "jobs", "--run"),
        cwd=project.repo.path,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, hard)),
        capture_output=True,
        text=True,
        timeout=90,
        check=False,
    )
    assert done.returncode == 5, done
    (failed,) = project.jobs()
    assert (failed["id"], failed["status"], failed["failure"]["code"]) == (job, "failed", "internal")
    assert "Traceback" not in done.stderr
    assert project.served() == {}
    project.assert_sound()
    project.cairn("refresh", "--wait")
    assert len(project.served()["a/many.py"]) == 4_000


@pytest.mark.requirement("JOB.2")
def test_another_folder_in_the_roots_place_is_not_what_was_hashed(project: Project) -> None:
    project.hold()
    child = project.start("refresh", "--wait")
    project.began()
    elsewhere = project.repo.path.with_name("elsewhere")
    project.repo.path.rename(elsewhere)
    subprocess.run(("cp", "-r", str(elsewhere), str(project.repo.path)), check=True)
    project.go()
    assert ended(child)[0] == 5
    assert project.published() == []


def test_a_cancelled_job_ends_its_tool_and_publishes_nothing(project: Project) -> None:
    project.hold()
    child = project.start("refresh", "--wait")
    project.began()
    (job,) = project.jobs()
    assert project.told("jobs", "--cancel", job["id"])["jobs"][0]["failure"]["code"] == "cancelled"
    code, said = ended(child)
    assert (code, "cancelled" in said) == (5, True)
    assert project.served() == {}
    project.cairn("jobs", "--cancel", job["id"], code=2)


def test_a_worker_of_its_own_outlives_the_command(project: Project) -> None:
    project.hold()
    told = project.told("refresh")
    assert told["worker"]
    project.began()
    assert project.statuses() == ["running"]
    project.go()
    until(lambda: project.statuses() == ["completed"])
    assert project.served() == ALL
    (log,) = Path(os.environ["CAIRN_HOME"]).glob("data/*/logs/worker.log")
    assert log.stat().st_mode & 0o777 == 0o600
