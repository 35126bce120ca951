"""The queue: what a request becomes, who may run what, and what a dead worker leaves."""

import os
import signal
import sqlite3
import stat
import subprocess
import tempfile
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from cairn.base.errors import CorruptStoreError, IncompatibleError
from cairn.base.owner import this_process
from cairn.base.values import replace
from cairn.semantic import jobs as jobs_module
from cairn.semantic.control import CONTROL_NAME
from cairn.semantic.job import SILENCE_S, Job, JobFailure, JobFailureCode, JobStatus
from cairn.semantic.jobs import KEPT_PER_CONTEXT, MAX_ATTEMPTS, EnqueueOutcome, JobQueue, Recovered
from cairn.semantic.scope import FULL, NOTHING, RefreshScope, covers, merge, scope_of
from cairn.store.layout import Layout, StoreKind
from tests.semantic.samples import ELSEWHERE, HEAD, dead_owner, layout, python
from tests.semantic.test_scope import SCOPES

A, B = scope_of(["a.py"]), scope_of(["b.py"])
BROKEN = JobFailure(JobFailureCode.TOOL_CRASHED, "It fell over.", "Pick it up.")


class Clock:
    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def store(tmp_path: Path) -> Layout:
    return layout(tmp_path)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def queue(store: Layout, clock: Clock) -> JobQueue:
    return JobQueue(store, clock=clock)


def claimed(queue: JobQueue, limit: int = 9) -> Job:
    job = queue.claim(limit=limit)
    assert job is not None
    return job


def enqueued(queue: JobQueue, scope: RefreshScope = A, head: str | None = HEAD, context: str = "py") -> Job:
    job = queue.enqueue(context, scope, head, "test").job
    assert job is not None
    return job


def now(queue: JobQueue, job: Job) -> Job:
    found = queue.get(job.id)
    assert found is not None
    return found


@pytest.mark.requirement("JOB.3")
def test_a_request_for_the_same_head_widens_the_queued_job(queue: JobQueue) -> None:
    first = enqueued(queue, A)
    second = queue.enqueue("py", B, HEAD)
    assert second.outcome is EnqueueOutcome.WIDENED
    assert [(job.id, job.scope) for job in queue.all()] == [(first.id, merge(A, B))]
    assert queue.enqueue("py", A, HEAD).outcome is EnqueueOutcome.COVERED
    assert queue.enqueue("py", FULL, HEAD).job == replace(first, scope=FULL)


@pytest.mark.requirement("JOB.3")
def test_what_widens_a_running_job_follows_it(queue: JobQueue) -> None:
    enqueued(queue, A)
    running = claimed(queue)
    assert queue.enqueue("py", merge(A, B), HEAD).outcome is EnqueueOutcome.FOLLOWS
    assert now(queue, running).scope == A
    assert queue.claim(limit=9) is None
    assert queue.complete(running)
    done, after = queue.all()
    assert (done.status, after.status) == (JobStatus.COMPLETED, JobStatus.QUEUED)
    assert (after.scope, after.head, after.follows) == (B, HEAD, done.id)


@pytest.mark.requirement("JOB.3")
def test_a_request_that_the_running_job_covers_adds_nothing(queue: JobQueue) -> None:
    enqueued(queue, FULL)
    running = claimed(queue)
    assert queue.enqueue("py", A, HEAD).outcome is EnqueueOutcome.COVERED
    assert queue.complete(running)
    assert [job.status for job in queue.all()] == [JobStatus.COMPLETED]


@pytest.mark.requirement("JOB.3")
def test_a_failed_job_is_followed_too(queue: JobQueue) -> None:
    enqueued(queue, A)
    running = claimed(queue)
    queue.enqueue("py", B, HEAD)
    assert queue.fail(running, BROKEN)
    failed, after = queue.all()
    assert (failed.status, failed.failure) == (JobStatus.FAILED, BROKEN)
    assert after.scope == B


@pytest.mark.requirement("JOB.3", "JOB.5")
@pytest.mark.parametrize("running", [False, True])
def test_only_another_head_supersedes_and_what_was_asked_for_is_kept(queue: JobQueue, running: bool) -> None:
    first = enqueued(queue, A)
    job = claimed(queue) if running else first
    assert queue.enqueue("py", A, HEAD).outcome is EnqueueOutcome.COVERED
    second = queue.enqueue("py", B, ELSEWHERE, "checkout")
    assert second.outcome is EnqueueOutcome.SUPERSEDED
    old, new = queue.all()
    assert (old.status, old.superseded_reason) == (JobStatus.SUPERSEDED, "head_moved")
    assert (new.scope, new.head, new.reason) == (merge(A, B), ELSEWHERE, "checkout")
    assert not queue.beat(job, "indexing")
    assert not queue.complete(job)
    assert queue.all() == (old, new)


@pytest.mark.requirement("JOB.3")
def test_two_unknown_heads_are_not_equal(queue: JobQueue) -> None:
    enqueued(queue, A, head=None)
    assert queue.enqueue("py", B, None).outcome is EnqueueOutcome.SUPERSEDED
    old, new = queue.all()
    assert old.superseded_reason == "head_unknown"
    assert new.scope == merge(A, B)


@pytest.mark.requirement("JOB.2")
def test_a_head_that_moved_during_the_run_supersedes_and_asks_again(queue: JobQueue) -> None:
    enqueued(queue, A)
    running = claimed(queue)
    queue.enqueue("py", B, HEAD)
    assert queue.supersede(running, ELSEWHERE)
    old, new = queue.all()
    assert (old.status, old.superseded_reason) == (JobStatus.SUPERSEDED, "head_moved")
    assert (new.scope, new.head, new.status) == (merge(A, B), ELSEWHERE, JobStatus.QUEUED)


def test_a_head_that_became_unknown_is_not_asked_for_again_and_again(queue: JobQueue) -> None:
    enqueued(queue, A)
    assert queue.supersede(claimed(queue), None)
    (old,) = queue.all()
    assert old.superseded_reason == "head_unknown"


def test_what_changed_during_the_run_is_left_to_the_next(queue: JobQueue) -> None:
    enqueued(queue, FULL)
    running = claimed(queue)
    assert queue.settle(running, FULL, A)
    assert queue.complete(running)
    assert queue.all()[-1].scope == A


@pytest.mark.requirement("JOB.1")
def test_a_claim_that_was_lost_can_not_be_settled(queue: JobQueue) -> None:
    enqueued(queue, A)
    lost = claimed(queue)
    assert queue.give_back(lost)
    assert not queue.settle(lost, FULL)
    assert queue.all()[0].scope == A


@pytest.mark.requirement("JOB.3")
def test_a_running_job_covers_what_changed_before_it_began_and_no_more(queue: JobQueue, clock: Clock) -> None:
    enqueued(queue, FULL)
    clock.now += 100
    running = claimed(queue)
    assert queue.enqueue("py", A, HEAD, changed_at=clock.now - 10).outcome is EnqueueOutcome.COVERED
    assert queue.enqueue("py", A, HEAD, changed_at=clock.now + 1).outcome is EnqueueOutcome.FOLLOWS
    assert queue.complete(running)
    assert queue.all()[-1].scope == A


@pytest.mark.parametrize("running", [False, True])
def test_a_cancelled_job_ends_with_all_that_was_asked_for(queue: JobQueue, running: bool) -> None:
    job = enqueued(queue, A)
    claim = claimed(queue) if running else None
    queue.enqueue("py", B, HEAD)
    ended = queue.cancel(job.id)
    assert ended is not None
    assert ended.failure is not None
    assert (ended.status, ended.failure.code) == (JobStatus.FAILED, JobFailureCode.CANCELLED)
    assert [each.id for each in queue.all()] == [job.id]
    assert claim is None or not queue.complete(claim)
    assert queue.cancel(job.id) is None


def test_an_empty_request_is_no_job(queue: JobQueue) -> None:
    assert queue.enqueue("py", NOTHING, HEAD).job is None
    assert queue.all() == ()


@pytest.mark.requirement("JOB.1")
def test_jobs_are_taken_in_the_order_in_which_they_were_asked_for(queue: JobQueue) -> None:
    for context in "cab":
        enqueued(queue, context=context)
    assert [claimed(queue).context for _ in range(3)] == ["c", "a", "b"]
    assert queue.claim(limit=9) is None


def test_no_more_jobs_run_than_are_allowed(queue: JobQueue) -> None:
    for context in "abc":
        enqueued(queue, context=context)
    first = claimed(queue, limit=2)
    claimed(queue, limit=2)
    assert queue.claim(limit=2) is None
    assert queue.complete(first)
    assert claimed(queue, limit=2).context == "c"


def test_a_certain_job_can_be_taken(queue: JobQueue) -> None:
    enqueued(queue, context="a")
    second = enqueued(queue, context="b")
    taken = queue.claim(limit=9, job_id=second.id)
    assert taken is not None
    assert taken.id == second.id
    assert queue.claim(limit=9, job_id=second.id) is None


@pytest.mark.requirement("JOB.5")
def test_times_reasons_and_progress_stand_in_the_job(queue: JobQueue, clock: Clock) -> None:
    job = enqueued(queue)
    clock.now += 1
    running = claimed(queue)
    clock.now += 1
    assert queue.beat(running, "indexing", 40.0)
    beaten = now(queue, job)
    assert (beaten.phase, beaten.progress, beaten.heartbeat) == ("indexing", 40.0, 1_002.0)
    clock.now += 1
    assert queue.complete(running)
    done = now(queue, job)
    assert (done.created_at, done.started_at, done.finished_at) == (1_000.0, 1_001.0, 1_003.0)
    assert (done.reason, done.attempts, done.progress, done.owner) == ("test", 1, 100.0, None)


@pytest.mark.requirement("JOB.5")
def test_the_last_head_that_was_seen_is_kept(queue: JobQueue, clock: Clock) -> None:
    assert queue.last_head() is None
    enqueued(queue)
    assert queue.last_head() == (HEAD, clock.now)
    clock.now += 5
    enqueued(queue, head=None)
    assert queue.last_head() == (None, clock.now)


@pytest.mark.requirement("JOB.1")
def test_the_job_of_a_dead_worker_is_queued_again_with_all_that_was_asked_for(
    queue: JobQueue, monkeypatch: pytest.MonkeyPatch
) -> None:
    enqueued(queue, A)
    monkeypatch.setattr(jobs_module, "this_process", dead_owner)
    lost = claimed(queue)
    queue.enqueue("py", B, HEAD)
    assert queue.recover() == Recovered(requeued=(lost.id,))
    again = now(queue, lost)
    assert (again.status, again.scope, again.widened) == (JobStatus.QUEUED, merge(A, B), NOTHING)
    assert not queue.complete(lost)
    monkeypatch.undo()
    mine = claimed(queue)
    assert mine.attempts == 2
    assert not queue.complete(lost), "one who lost a job can't end it for the next"
    assert queue.complete(mine)


@pytest.mark.requirement("JOB.1")
def test_a_job_whose_facts_are_published_is_completed_by_recovery(
    queue: JobQueue, monkeypatch: pytest.MonkeyPatch
) -> None:
    enqueued(queue, A)
    monkeypatch.setattr(jobs_module, "this_process", dead_owner)
    lost = claimed(queue)
    queue.enqueue("py", B, HEAD)
    assert queue.recover({lost.id}) == Recovered(completed=(lost.id,))
    done, after = queue.all()
    assert (done.status, after.scope) == (JobStatus.COMPLETED, B)


def test_a_living_worker_keeps_its_job_however_silent_it_is(queue: JobQueue, clock: Clock) -> None:
    enqueued(queue)
    running = claimed(queue)
    clock.now += 100 * SILENCE_S
    assert queue.recover() == Recovered()
    assert queue.complete(running)


def test_a_worker_that_cannot_be_asked_loses_its_job_by_its_silence(
    queue: JobQueue, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    enqueued(queue)
    monkeypatch.setattr(jobs_module, "this_process", lambda: replace(this_process(), boot_id="another machine's"))
    far = claimed(queue)
    clock.now += SILENCE_S
    assert queue.recover() == Recovered()
    clock.now += 1
    assert queue.recover() == Recovered(requeued=(far.id,))


@pytest.mark.requirement("JOB.4")
def test_a_job_that_takes_every_worker_along_fails_in_the_end(queue: JobQueue, monkeypatch: pytest.MonkeyPatch) -> None:
    job = enqueued(queue)
    monkeypatch.setattr(jobs_module, "this_process", dead_owner)
    for _ in range(MAX_ATTEMPTS - 1):
        claimed(queue)
        assert queue.recover().requeued == (job.id,)
    claimed(queue)
    assert queue.recover().failed == (job.id,)
    failure = now(queue, job).failure
    assert failure is not None
    assert failure.code is JobFailureCode.WORKER_DIED


def test_a_job_that_is_given_back_is_not_counted_as_tried(queue: JobQueue) -> None:
    job = enqueued(queue)
    assert queue.give_back(claimed(queue))
    assert now(queue, job) == job


@pytest.mark.slow
def test_old_finished_jobs_go_and_active_ones_stay(queue: JobQueue) -> None:
    other = enqueued(queue, context="other")
    ids = []
    for _ in range(KEPT_PER_CONTEXT + 5):
        ids.append(enqueued(queue).id)
        taken = queue.claim(limit=9, job_id=ids[-1])
        assert taken is not None
        assert queue.complete(taken)
    assert [job.id for job in queue.all(context="py")] == ids[5:]
    assert [job.id for job in queue.all(context="other", status=JobStatus.QUEUED)] == [other.id]


@pytest.mark.parametrize(("kind", "mode"), [(StoreKind.PRIVATE, 0o600), (StoreKind.SHARED, 0o660)])
def test_the_file_has_the_mode_of_its_store(tmp_path: Path, kind: StoreKind, mode: int) -> None:
    store = layout(tmp_path, kind)
    enqueued(JobQueue(store))
    assert stat.S_IMODE(os.stat(os.path.join(store.path, CONTROL_NAME)).st_mode) == mode


def test_looking_makes_no_file(store: Layout, queue: JobQueue) -> None:
    assert queue.all() == ()
    assert queue.get("x") is None
    assert queue.claim(limit=1) is None
    assert queue.recover() == Recovered()
    assert not os.path.exists(os.path.join(store.path, CONTROL_NAME))


def test_a_damaged_or_newer_file_is_said(store: Layout, queue: JobQueue) -> None:
    job = enqueued(queue)
    path = os.path.join(store.path, CONTROL_NAME)
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE jobs SET scope = 'everything'")
    connection.close()
    with pytest.raises(CorruptStoreError):
        queue.get(job.id)
    assert queue.all() == ()  # the damaged one is set aside
    enqueued(queue)
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA user_version=99")
        connection.execute("UPDATE cairn_format SET version = 99")
    connection.close()
    with pytest.raises(IncompatibleError):
        queue.enqueue("py", A, HEAD)


@pytest.mark.requirement("STO.21")
@pytest.mark.parametrize("damage", ["bit", "garbage", "folder", "pipe", "link"])
def test_a_file_that_lies_or_is_none_is_kept_and_begins_anew(store: Layout, queue: JobQueue, damage: str) -> None:
    enqueued(queue)
    path = Path(store.path, CONTROL_NAME)
    data = path.read_bytes()
    path.unlink()
    if damage == "folder":
        path.mkdir()
    elif damage == "pipe":
        os.mkfifo(path)
    elif damage == "link":
        path.symlink_to(store.path + ".elsewhere")
    else:
        path.write_bytes(data[:63] + bytes([data[63] ^ 2]) + data[64:] if damage == "bit" else b"no database" * 1000)
    assert queue.all() == ()
    job = enqueued(queue)
    assert [each.id for each in queue.all()] == [job.id]
    (kept,) = Path(store.path).glob(f"{CONTROL_NAME}.damaged-*")
    assert damage in ("folder", "pipe", "link") or kept.read_bytes() != path.read_bytes()


_CLAIM = """
import sys
from tests.semantic.samples import queue_at
queue = queue_at(sys.argv[1])
sys.stdin.readline()
found = []
while (job := queue.claim(limit=99)) is not None:
    found.append(job.id)
    assert queue.complete(job)
print(*found)
"""
_CLAIM_AND_WAIT = """
import sys
from tests.semantic.samples import queue_at
queue = queue_at(sys.argv[1])
job = queue.claim(limit=9)
print(job.id, flush=True)
sys.stdin.readline()
print(queue.complete(job), flush=True)
"""


def child(code: str, store: Layout) -> subprocess.Popen[str]:
    return subprocess.Popen(python(code, store.path), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


@pytest.mark.slow
@pytest.mark.requirement("JOB.1")
def test_two_workers_never_take_one_job(store: Layout) -> None:
    queue = JobQueue(store)
    wanted = [enqueued(queue, context=f"context-{number}").id for number in range(30)]
    workers = [child(_CLAIM, store) for _ in range(3)]
    for worker in workers:
        assert worker.stdin is not None
        worker.stdin.write("go\n")
        worker.stdin.flush()
    found = [job for worker in workers for job in worker.communicate(timeout=60)[0].split()]
    assert [worker.returncode for worker in workers] == [0, 0, 0]
    assert sorted(found) == wanted


@pytest.mark.slow
@pytest.mark.requirement("JOB.1")
def test_the_job_of_a_killed_worker_is_run_by_another(store: Layout) -> None:
    queue = JobQueue(store)
    job = enqueued(queue)
    with child(_CLAIM_AND_WAIT, store) as worker:
        assert worker.stdout is not None
        assert worker.stdout.readline().strip() == job.id
        assert queue.recover() == Recovered()
        worker.send_signal(signal.SIGKILL)
        worker.wait()
    assert queue.recover() == Recovered(requeued=(job.id,))
    assert claimed(queue).attempts == 2


@pytest.mark.slow
@pytest.mark.requirement("JOB.3")
def test_a_job_that_another_process_runs_is_widened_and_followed(store: Layout) -> None:
    queue = JobQueue(store)
    job = enqueued(queue, A)
    with child(_CLAIM_AND_WAIT, store) as worker:
        assert worker.stdout is not None
        assert worker.stdin is not None
        assert worker.stdout.readline().strip() == job.id
        assert queue.enqueue("py", B, HEAD).outcome is EnqueueOutcome.FOLLOWS
        worker.stdin.write("end\n")
        worker.stdin.flush()
        assert worker.stdout.readline().strip() == "True"
    assert [(each.status, each.scope) for each in queue.all()] == [(JobStatus.COMPLETED, A), (JobStatus.QUEUED, B)]


class Requests(RuleBasedStateMachine):
    """Whatever comes in whatever order: what was asked for is done, or still to be done, or its failure is told."""

    @initialize()
    def begin(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.queue = JobQueue(layout(Path(self.folder.name)))
        self.running: Job | None = None
        self.head = HEAD
        self.asked = NOTHING
        self.done = NOTHING

    @rule(scope=SCOPES)
    def ask(self, scope: RefreshScope) -> None:
        self.queue.enqueue("py", scope, self.head)
        # A later request for the same thing is a new one.
        self.asked = merge(self.asked, scope)

    @rule(head=st.sampled_from([HEAD, ELSEWHERE]))
    def move(self, head: str) -> None:
        self.head = head

    @precondition(lambda self: self.running is None)
    @rule()
    def take(self) -> None:
        self.running = self.queue.claim(limit=1)

    @precondition(lambda self: self.running is not None)
    @rule(how=st.sampled_from(["complete", "give_back", "moved"]))
    def end(self, how: str) -> None:
        assert self.running is not None
        if how == "complete" and self.queue.complete(self.running):
            self.done = merge(self.done, self.running.scope)
        elif how == "give_back":
            self.queue.give_back(self.running)
        elif how == "moved":
            self.queue.supersede(self.running, self.head)
        self.running = None

    @invariant()
    def nothing_is_lost(self) -> None:
        if not hasattr(self, "queue"):
            return
        active = [job for job in self.queue.all() if job.is_active]
        assert len(active) <= 1
        left = NOTHING
        for job in active:
            left = merge(merge(left, job.scope), job.widened)
        assert covers(merge(self.done, left), self.asked)

    def teardown(self) -> None:
        if hasattr(self, "folder"):
            self.folder.cleanup()


Requests.TestCase.settings = settings(max_examples=40, stateful_step_count=25, deadline=None)
test_nothing_that_was_asked_for_is_lost = pytest.mark.slow(pytest.mark.requirement("JOB.3")(Requests.TestCase))
