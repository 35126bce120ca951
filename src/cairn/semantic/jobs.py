"""The queue of refresh jobs.

A context has at most one active job. A request widens a queued job. A running job keeps its scope, so what goes
beyond it is recorded and becomes another job afterwards. A job is only superseded if HEAD moved, and the new job then
takes over the old one's scope: no request is lost.
"""

import sqlite3
import time
from collections.abc import Callable, Container
from enum import StrEnum
from typing import Any

from cairn.base.owner import this_process
from cairn.base.steps import Advice, NextStep
from cairn.base.ulid import new_ulid
from cairn.base.values import dataclass, replace
from cairn.semantic import jobtable as table
from cairn.semantic.control import control_file, note_refreshed, same_head
from cairn.semantic.job import Job, JobFailure, JobFailureCode, JobStatus, is_orphan
from cairn.semantic.scope import NOTHING, RefreshScope, covers, merge, rest
from cairn.store.layout import Layout

MAX_ATTEMPTS = 3
"""A job whose workers died so many times is not tried again."""
_TICK_S = 0.1
"""How far the clock behind a file's stamps may lag."""
KEPT_PER_CONTEXT = 20
"""Finished jobs that stay for people to look at."""


class EnqueueOutcome(StrEnum):
    """What became of a request."""

    CREATED = "created"
    COVERED = "covered"
    WIDENED = "widened"
    FOLLOWS = "follows"
    """The job runs; the rest comes after it."""
    SUPERSEDED = "superseded"
    """HEAD is elsewhere: a new job stands in the old one's place."""


@dataclass(frozen=True, slots=True)
class Enqueued:
    """The result of a request for a refresh."""

    job: Job | None
    """The job that will do it; None when nothing was asked for."""
    outcome: EnqueueOutcome


@dataclass(frozen=True, slots=True)
class Recovered:
    """Jobs whose workers were gone, by what became of them."""

    completed: tuple[str, ...] = ()
    requeued: tuple[str, ...] = ()
    failed: tuple[str, ...] = ()


_DIED = JobFailure(
    JobFailureCode.WORKER_DIED,
    f"The process that ran the job ended before it was done, {MAX_ATTEMPTS} times.",
    "See whether there is enough memory, then ask for the refresh again.",
)
_CANCELLED = JobFailure(
    JobFailureCode.CANCELLED, "The job was cancelled.", Advice(NextStep("refresh"), " to ask for it again.")
)


class JobQueue:
    """The jobs of one store."""

    def __init__(self, layout: Layout, *, clock: Callable[[], float] = time.time) -> None:
        self._file = control_file(layout)
        self._clock = clock

    def get(self, job_id: str) -> Job | None:
        """A job by its id; None if there is none."""
        with self._file.reading() as connection:
            return table.get(connection, job_id) if connection is not None else None

    def all(self, *, context: str | None = None, status: JobStatus | None = None) -> tuple[Job, ...]:
        """Jobs in the order of their requests."""
        with self._file.reading() as connection:
            if connection is None:
                return ()
            rows = connection.execute(
                "SELECT * FROM jobs WHERE (? IS NULL OR context = ?) AND (? IS NULL OR status = ?) ORDER BY id",
                (context, context, status, status),
            )
            return tuple(table.from_row(row) for row in rows)

    def enqueue(
        self, context: str, scope: RefreshScope, head: str | None, reason: str = "", *, changed_at: float = 0.0
    ) -> Enqueued:
        """Ask for a refresh; `changed_at`: the last change among its files, which a running job may have missed."""
        with self._file.writing() as connection:
            connection.execute("INSERT OR REPLACE INTO repo_state VALUES (1, ?, ?)", (head, self._clock()))
            active = table.active(connection, context)
            if scope.is_empty:
                enqueued = Enqueued(active, EnqueueOutcome.COVERED)
            elif active is None:
                enqueued = Enqueued(self._create(connection, context, scope, head, reason), EnqueueOutcome.CREATED)
            elif not same_head(active.head, head):
                code = JobFailureCode.HEAD_UNKNOWN if head is None or active.head is None else JobFailureCode.HEAD_MOVED
                self._end(connection, active, JobStatus.SUPERSEDED, superseded_reason=code.value)
                wider = merge(merge(active.scope, active.widened), scope)
                job = self._create(connection, context, wider, head, reason, follows=active.id)
                enqueued = Enqueued(job, EnqueueOutcome.SUPERSEDED)
            else:
                enqueued = _widen(connection, active, scope, changed_at)
            table.prune(connection, context, KEPT_PER_CONTEXT)
            return enqueued

    def claim(self, *, limit: int, job_id: str | None = None) -> Job | None:
        """Take the oldest queued job, or a certain one; None when there is none or `limit` of them run already."""
        if not self._any(JobStatus.QUEUED):
            return None
        with self._file.writing() as connection:
            (running,) = connection.execute("SELECT count(*) FROM jobs WHERE status = 'running'").fetchone()
            if running >= limit:
                return None
            row = connection.execute(
                "SELECT * FROM jobs WHERE status = 'queued' AND (? IS NULL OR id = ?) ORDER BY id LIMIT 1",
                (job_id, job_id),
            ).fetchone()
            if row is None:
                return None
            now = self._clock()
            before = table.from_row(row)
            job = replace(
                before,
                status=JobStatus.RUNNING,
                run=new_ulid(),
                owner=this_process(),
                started_at=now,
                heartbeat=now,
                phase="starting",
                progress=None,
                attempts=before.attempts + 1,
            )
            return job if table.update(connection, job, JobStatus.QUEUED, run=before.run) else None

    def beat(self, job: Job, phase: str, progress: float | None = None) -> bool:
        """Record that a job's worker is alive and how far it is; False if the job is no longer this claim's."""
        with self._file.writing() as connection:
            found = connection.execute(
                "UPDATE jobs SET heartbeat = ?, phase = ?, progress = ? "
                "WHERE id = ? AND run = ? AND status = 'running'",
                (self._clock(), phase, progress, job.id, job.run),
            )
            return found.rowcount == 1

    def settle(self, job: Job, done: RefreshScope, leftover: RefreshScope = NOTHING) -> bool:
        """Record, right before the facts are published, what they cover and what changed during the run.

        What changed was not imported and becomes another job, even if the worker dies in the next moment. False if the
        job is no longer this claim's: then nothing may be published.
        """
        with self._file.writing() as connection:
            now = table.claimed(connection, job)
            if now is None:
                return False
            settled = replace(now, scope=merge(now.scope, done), widened=merge(now.widened, leftover))
            return table.update(connection, settled, JobStatus.RUNNING, run=job.run)

    def complete(self, job: Job) -> bool:
        """End a job whose facts are published; False, and no change, if the job is no longer this claim's."""
        return self._finish(job, JobStatus.COMPLETED, progress=100.0)

    def fail(self, job: Job, failure: JobFailure) -> bool:
        """End a job without facts; False if the job is no longer this claim's."""
        return self._finish(job, JobStatus.FAILED, failure=failure)

    def supersede(self, job: Job, head: str | None) -> bool:
        """End a job because HEAD moved during the run, and queue its scope again for the new HEAD.

        Nothing is queued while HEAD is unknown: such a job could never be imported either.
        """
        code = JobFailureCode.HEAD_UNKNOWN if head is None or job.head is None else JobFailureCode.HEAD_MOVED
        again = job.scope if head is not None else NOTHING
        return self._finish(job, JobStatus.SUPERSEDED, again, head=head, superseded_reason=code.value)

    def cancel(self, job_id: str) -> Job | None:
        """Cancel an active job with everything requested; its worker publishes nothing. None if it isn't active."""
        with self._file.writing() as connection:
            job = table.get(connection, job_id)
            if job is None or not job.is_active:
                return None
            self._end(connection, job, JobStatus.FAILED, failure=_CANCELLED)
            return table.get(connection, job_id)

    def give_back(self, job: Job) -> bool:
        """Put a job back into the queue, because its worker was interrupted."""
        with self._file.writing() as connection:
            now = table.claimed(connection, job)
            return now is not None and table.update(
                connection, _queued(now, attempts=now.attempts - 1), JobStatus.RUNNING
            )

    def recover(self, published: Container[str] = ()) -> Recovered:
        """Settle the jobs whose workers are gone; `published`: ids of jobs whose facts are in the active snapshot."""
        completed, requeued, failed = [], [], []
        if not self._any(JobStatus.RUNNING):
            return Recovered()
        with self._file.writing() as connection:
            rows = connection.execute("SELECT * FROM jobs WHERE status = 'running' ORDER BY id").fetchall()
            for job in map(table.from_row, rows):
                if not is_orphan(job, self._clock()):
                    continue
                if job.id in published:
                    self._end_and_follow(connection, job, JobStatus.COMPLETED, progress=100.0)
                    completed.append(job.id)
                elif job.attempts >= MAX_ATTEMPTS:
                    self._end_and_follow(connection, job, JobStatus.FAILED, failure=_DIED)
                    failed.append(job.id)
                else:
                    # The job starts over, so it takes in what was requested during its last run.
                    wider = replace(job, scope=merge(job.scope, job.widened), widened=NOTHING)
                    table.update(connection, _queued(wider), JobStatus.RUNNING)
                    requeued.append(job.id)
        return Recovered(tuple(completed), tuple(requeued), tuple(failed))

    def last_head(self) -> tuple[str | None, float] | None:
        """Where HEAD was when it was last looked at, and when that was."""
        with self._file.reading() as connection:
            if connection is None:
                return None
            row = connection.execute("SELECT last_seen_head, checked_at FROM repo_state").fetchone()
            return (row["last_seen_head"], row["checked_at"]) if row is not None else None

    def _any(self, status: JobStatus) -> bool:
        """Whether any job has a status, without the lock for writing: workers look often and mostly find nothing."""
        with self._file.reading() as connection:
            return connection is not None and table.has(connection, status)

    def _create(
        self,
        connection: sqlite3.Connection,
        context: str,
        scope: RefreshScope,
        head: str | None,
        reason: str,
        follows: str = "",
    ) -> Job:
        job = Job(
            new_ulid(table.last_id(connection)),
            context,
            JobStatus.QUEUED,
            scope,
            reason,
            head,
            self._clock(),
            follows=follows,
        )
        table.insert(connection, job)
        return job

    def _finish(self, job: Job, status: JobStatus, leftover: RefreshScope = NOTHING, **values: Any) -> bool:
        with self._file.writing() as connection:
            now = table.claimed(connection, job)
            if now is None:
                return False
            self._end_and_follow(connection, now, status, leftover, **values)
            table.prune(connection, now.context, KEPT_PER_CONTEXT)
            return True

    def _end_and_follow(
        self,
        connection: sqlite3.Connection,
        job: Job,
        status: JobStatus,
        leftover: RefreshScope = NOTHING,
        *,
        head: str | None = None,
        **values: Any,
    ) -> None:
        self._end(connection, job, status, **values)
        scope = merge(job.widened, leftover)
        if not scope.is_empty:
            reason = status.value if status is JobStatus.SUPERSEDED else "rest"
            self._create(connection, job.context, scope, head or job.head, reason, follows=job.id)

    def _end(self, connection: sqlite3.Connection, job: Job, status: JobStatus, **values: Any) -> None:
        ended = replace(job, status=status, finished_at=self._clock(), phase="", owner=None, **values)
        table.update(connection, ended, job.status, run=job.run)
        if status is JobStatus.COMPLETED:
            note_refreshed(connection, ended)


def _widen(connection: sqlite3.Connection, job: Job, scope: RefreshScope, changed_at: float) -> Enqueued:
    # A running job may have read its files before the change that this request is about.
    too_late = job.status is JobStatus.RUNNING and changed_at + _TICK_S > (job.started_at or 0.0)
    if not too_late and covers(job.scope, scope):
        return Enqueued(job, EnqueueOutcome.COVERED)
    if job.status is JobStatus.QUEUED:
        wider = replace(job, scope=merge(job.scope, scope))
        table.update(connection, wider, JobStatus.QUEUED)
        return Enqueued(wider, EnqueueOutcome.WIDENED)
    wider = replace(job, widened=merge(job.widened, scope if too_late else rest(scope, job.scope)))
    table.update(connection, wider, JobStatus.RUNNING)
    return Enqueued(wider, EnqueueOutcome.FOLLOWS)


def _queued(job: Job, **values: Any) -> Job:
    blank: dict[str, Any] = {
        "run": "",
        "owner": None,
        "heartbeat": 0.0,
        "started_at": None,
        "progress": None,
        "phase": "",
    }
    return replace(job, status=JobStatus.QUEUED, **blank, **values)
