"""Races of a whole job, with a fake indexer and real processes."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from cairn.base.errors import StorageError
from cairn.semantic.control import NO_GIT, UNBORN, UNKNOWN, read_head, same_head
from cairn.semantic.indexers import Indexer, IndexerCall, IndexerRequest
from cairn.semantic.job import Job, JobFailureCode, JobStatus
from cairn.semantic.jobs import JobQueue, Recovered
from cairn.semantic.runner import RunLimits
from cairn.semantic.scip.reader import read_index
from cairn.semantic.scope import FULL, NOTHING, scope_of
from cairn.semantic.settings import SemanticSettings
from cairn.semantic.tools import Indexed
from cairn.semantic.worker import Settle, Worker
from cairn.store.layout import Layout
from tests.semantic.recorded import recorded
from tests.semantic.samples import ELSEWHERE, HEAD, layout, python, queue_at
from tests.trees import Repo

GOOD = f"import shutil; shutil.copy({str(recorded('scip-python'))!r}, output)"
CUT_SHORT = f"open(output, 'wb').write(open({str(recorded('scip-typescript'))!r}, 'rb').read()[:-3])"
FAKE = Indexer(
    "scip-fake", ("fake",), lambda request: IndexerCall(("--output", request.output)), False, "fetch scip-fake"
)


class Codebase:
    """A Work that publishes into a list."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.now: str | None = HEAD
        self.published: list[str] = []
        self.leftover = NOTHING
        self.while_importing: Callable[[], None] = lambda: None

    def head(self) -> str | None:
        return self.now

    def prepare(self, job: Job, folder: str) -> tuple[Indexer, IndexerRequest]:
        return FAKE, IndexerRequest(str(self.root), str(self.root), "name", folder, job.scope)

    def publish(self, job: Job, indexed: Indexed, settle: Settle) -> None:
        assert list(read_index(indexed.output).documents())
        self.while_importing()
        settle(indexed.covers, self.leftover)
        self.published.append(job.id)


@pytest.fixture
def store(tmp_path: Path) -> Layout:
    return layout(tmp_path)


@pytest.fixture
def codebase(tmp_path: Path) -> Codebase:
    (tmp_path / "root").mkdir()
    return Codebase(tmp_path / "root")


def worker(store: Layout, codebase: Codebase, code: str, limits: RunLimits | None = None) -> Worker:
    folder = Path(store.path).parent / "bin"
    folder.mkdir(exist_ok=True)
    program = folder / "scip-fake"
    program.write_text(f"#!{sys.executable}\nimport os, sys\noutput = sys.argv[-1]\n{code}\n")
    program.chmod(0o700)
    settings = SemanticSettings(tool_folders=(str(folder),))
    return Worker(store, JobQueue(store), codebase, settings, os.environ, limits)


def ended(worker: Worker) -> Job:
    job = worker.run_one()
    assert job is not None
    assert os.listdir(worker.layout.staging) == [], "what the tool wrote is removed however it ended"
    return job


@pytest.mark.requirement("JOB.1")
def test_a_job_is_completed_after_its_facts_are_published(store: Layout, codebase: Codebase) -> None:
    at_work = worker(store, codebase, GOOD)
    asked = at_work.queue.enqueue("py", FULL, HEAD).job
    assert asked is not None

    def still_running() -> None:
        job = at_work.queue.get(asked.id)
        assert job is not None
        assert (job.status, job.phase) == (JobStatus.RUNNING, "importing")

    codebase.while_importing = still_running
    codebase.leftover = scope_of(["edited.py"])
    assert ended(at_work).status is JobStatus.COMPLETED
    assert codebase.published == [asked.id]
    assert at_work.queue.all()[-1].scope == codebase.leftover
    assert at_work.queue.all()[-1].status is JobStatus.QUEUED


def test_without_a_job_nothing_is_done(store: Layout, codebase: Codebase) -> None:
    assert worker(store, codebase, GOOD).run_one() is None


@pytest.mark.requirement("JOB.2")
def test_a_head_that_moves_while_the_tool_runs_supersedes(store: Layout, codebase: Codebase, tmp_path: Path) -> None:
    moved = tmp_path / "moved"
    at_work = worker(store, codebase, f"open({str(moved)!r}, 'w'); {GOOD}")
    at_work.queue.enqueue("py", FULL, HEAD)
    codebase.head = lambda: ELSEWHERE if moved.exists() else HEAD  # type: ignore[method-assign]
    begun: list[bool] = []
    codebase.while_importing = lambda: begun.append(True)
    assert (ended(at_work).status, codebase.published) == (JobStatus.SUPERSEDED, [])
    assert not begun, "output of another tree isn't even looked at"
    assert at_work.queue.all()[-1].head == ELSEWHERE
    assert ended(at_work).status is JobStatus.COMPLETED


@pytest.mark.requirement("JOB.2")
@pytest.mark.parametrize("head", [ELSEWHERE, None])
def test_a_head_that_moves_during_the_import_supersedes(store: Layout, codebase: Codebase, head: str | None) -> None:
    at_work = worker(store, codebase, GOOD)
    at_work.queue.enqueue("py", FULL, HEAD)
    codebase.while_importing = lambda: setattr(codebase, "now", head)
    job = ended(at_work)
    assert (job.status, codebase.published) == (JobStatus.SUPERSEDED, [])
    assert job.superseded_reason == ("head_moved" if head else "head_unknown")


@pytest.mark.slow
@pytest.mark.requirement("JOB.4")
@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("sys.exit('it broke')", JobFailureCode.TOOL_CRASHED),
        ("import signal; signal.pause()", JobFailureCode.TOOL_TIMEOUT),
        ("open(output, 'w').write('garbage')", JobFailureCode.PARSE_ERROR),
        (
            "open(output, 'wb').write(open({!r}, 'rb').read()[:-3])".format(str(recorded("scip-typescript"))),
            JobFailureCode.PARSE_ERROR,
        ),
    ],
)
def test_a_bad_tool_fails_the_job_and_publishes_nothing(
    store: Layout, codebase: Codebase, code: str, expected: JobFailureCode
) -> None:
    at_work = worker(store, codebase, code, RunLimits(wall_s=2.0))
    at_work.queue.enqueue("py", FULL, HEAD)
    job = ended(at_work)
    assert job.status is JobStatus.FAILED
    assert job.failure is not None
    assert job.failure.code is expected
    assert job.failure.hint
    assert codebase.published == []


@pytest.mark.requirement("JOB.4")
def test_a_missing_tool_fails_the_job(store: Layout, codebase: Codebase) -> None:
    at_work = worker(store, codebase, GOOD)
    at_work.queue.enqueue("py", FULL, HEAD)
    os.unlink(Path(store.path).parent / "bin" / "scip-fake")
    failure = ended(at_work).failure
    assert failure is not None
    assert failure.code is JobFailureCode.MISSING_TOOL


def test_a_store_that_fails_fails_the_job(store: Layout, codebase: Codebase) -> None:
    at_work = worker(store, codebase, GOOD)
    at_work.queue.enqueue("py", FULL, HEAD)

    def full() -> None:
        raise StorageError("The disk is full.")

    codebase.while_importing = full
    failure = ended(at_work).failure
    assert failure is not None
    assert (failure.code, failure.message) == (JobFailureCode.INTERNAL, "The disk is full.")


@pytest.mark.requirement("JOB.1")
def test_a_worker_that_has_lost_its_job_publishes_nothing(store: Layout, codebase: Codebase) -> None:
    at_work = worker(store, codebase, GOOD)
    at_work.queue.enqueue("py", FULL, HEAD)

    def taken_away() -> None:
        (job,) = at_work.queue.all()
        assert at_work.queue.give_back(job)
        assert at_work.queue.claim(limit=1) is not None

    codebase.while_importing = taken_away
    job = ended(at_work)
    assert (job.status, codebase.published) == (JobStatus.RUNNING, []), "it is another's now"


def test_an_interrupted_worker_gives_its_job_back(store: Layout, codebase: Codebase) -> None:
    at_work = worker(store, codebase, GOOD)
    at_work.queue.enqueue("py", FULL, HEAD)

    def interrupted() -> None:
        raise KeyboardInterrupt

    codebase.while_importing = interrupted
    with pytest.raises(KeyboardInterrupt):
        at_work.run_one()
    assert [(job.status, job.attempts) for job in at_work.queue.all()] == [(JobStatus.QUEUED, 0)]
    assert os.listdir(store.staging) == []


@pytest.mark.slow
def test_a_job_that_is_superseded_meanwhile_ends_its_tool(
    store: Layout, codebase: Codebase, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cairn.semantic.worker.HEARTBEAT_S", 0.0)
    code = f"""
import signal
sys.path[:0] = {[*sys.path]!r}
from tests.semantic.samples import ELSEWHERE, queue_at
from cairn.semantic.scope import FULL
queue_at({store.path!r}).enqueue("py", FULL, ELSEWHERE)
signal.pause()
"""
    at_work = worker(store, codebase, code)
    at_work.queue.enqueue("py", FULL, HEAD)
    assert ended(at_work).status is JobStatus.SUPERSEDED
    assert codebase.published == []
    assert [job.status for job in at_work.queue.all()] == [JobStatus.SUPERSEDED, JobStatus.QUEUED]


_WORK = """
import sys
from pathlib import Path
from cairn.semantic.runner import RunLimits
from tests.semantic.samples import queue_at
from cairn.store.layout import StoreKind, create_layout
from tests.semantic.test_worker import Codebase, GOOD, worker
store, how = sys.argv[1:]
codebase = Codebase(Path(store).parent)
def wait():
    print("importing", flush=True)
    sys.stdin.readline()
codebase.while_importing = wait
code = "print(1, file=open(output + '.begun', 'w')); import signal; signal.pause()" if how == "indexing" else GOOD
at_work = worker(create_layout(store, StoreKind.PRIVATE), codebase, code)
if how == "indexing":
    import cairn.semantic.worker as module
    beat = module._Beat.__call__
    def told(self, phase):
        print(phase, flush=True)
        return beat(self, phase)
    module._Beat.__call__ = told
at_work.run_one()
"""


@pytest.mark.slow
@pytest.mark.requirement("JOB.1")
@pytest.mark.parametrize("when", ["indexing", "importing"])
@pytest.mark.parametrize("published", [False, True])
def test_the_job_of_a_killed_worker_is_settled_by_what_was_published(
    store: Layout, codebase: Codebase, when: str, published: bool
) -> None:
    queue = queue_at(store.path)
    job = queue.enqueue("py", FULL, HEAD).job
    assert job is not None
    with subprocess.Popen(
        python(_WORK, store.path, when), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as child:
        assert child.stdout is not None
        assert child.stdout.readline().strip() == when
        assert queue.recover({job.id}) == Recovered()
        child.send_signal(signal.SIGKILL)
    if published:
        assert queue.recover({job.id}) == Recovered(completed=(job.id,))
    else:
        assert queue.recover() == Recovered(requeued=(job.id,))
        # The dead one's folder is left to the collector, which knows whose it was.
        again = worker(store, codebase, GOOD).run_one()
        assert again is not None
        assert (again.status, again.attempts) == (JobStatus.COMPLETED, 2)


@pytest.mark.requirement("JOB.2")
def test_heads_are_the_same_only_when_both_are_known(repo: Repo, folder: Path) -> None:
    assert read_head(str(folder), in_git=False) == NO_GIT
    assert read_head(str(repo.path), in_git=True) == UNBORN
    (repo.path / "a.py").write_text("x = 1\n")
    repo.commit()
    commit = read_head(str(repo.path), in_git=True)
    assert commit is not None
    assert len(commit) == 40
    (repo.path / ".git" / "HEAD").write_text("nonsense\n")
    assert read_head(str(repo.path), in_git=True) is UNKNOWN
    assert same_head(commit, commit)
    assert same_head(NO_GIT, NO_GIT)
    assert not same_head(UNKNOWN, UNKNOWN)
    assert not same_head(commit, UNBORN)
