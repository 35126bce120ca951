"""Rows of the table of jobs: values in and out, each statement in a transaction of its caller."""

import json
import sqlite3
from typing import Any

from cairn.base.owner import owner_from
from cairn.base.steps import hint_document, hint_from
from cairn.semantic.job import Job, JobFailure, JobFailureCode, JobStatus
from cairn.semantic.scope import scope_from_json


def from_row(row: sqlite3.Row) -> Job:
    """The job in a row."""
    owner, failure = json.loads(row["owner"]), json.loads(row["failure"])
    return Job(
        id=row["id"],
        context=row["context"],
        status=JobStatus(row["status"]),
        scope=scope_from_json(row["scope"]),
        reason=row["reason"],
        head=row["head"],
        created_at=float(row["created_at"]),
        widened=scope_from_json(row["widened"]),
        follows=row["follows"],
        started_at=row["started_at"],
        finished_at=row["finished_at"],
        superseded_reason=row["superseded_reason"],
        failure=JobFailure(JobFailureCode(failure["code"]), failure["message"], hint_from(failure["hint"]))
        if failure
        else None,
        run=row["run"],
        owner=owner_from(owner) if owner else None,
        heartbeat=float(row["heartbeat"]),
        progress=row["progress"],
        phase=row["phase"],
        attempts=int(row["attempts"]),
    )


def as_row(job: Job) -> dict[str, Any]:
    """The columns of a job."""
    failure = job.failure
    said = (
        {"code": failure.code.value, "message": failure.message, "hint": hint_document(failure.hint)}
        if failure
        else None
    )
    return {
        "id": job.id,
        "context": job.context,
        "status": job.status.value,
        "scope": job.scope.to_json(),
        "widened": job.widened.to_json(),
        "reason": job.reason,
        "head": job.head,
        "follows": job.follows,
        "created_at": job.created_at,
        "started_at": job.started_at,
        "finished_at": job.finished_at,
        "superseded_reason": job.superseded_reason,
        "failure": json.dumps(said),
        "run": job.run,
        "owner": json.dumps(job.owner.document() if job.owner is not None else None),
        "heartbeat": job.heartbeat,
        "progress": job.progress,
        "phase": job.phase,
        "attempts": job.attempts,
    }


def insert(connection: sqlite3.Connection, job: Job) -> None:
    """Add a new job."""
    row = as_row(job)
    marks = ", ".join(f":{name}" for name in row)
    connection.execute(f"INSERT INTO jobs ({', '.join(row)}) VALUES ({marks})", row)  # noqa: S608


def last_id(connection: sqlite3.Connection) -> str | None:
    """The id of the newest job; None if there is none."""
    (last,) = connection.execute("SELECT max(id) FROM jobs").fetchone()
    return str(last) if last is not None else None


def get(connection: sqlite3.Connection, job_id: str) -> Job | None:
    """A job by its id; None if there is none."""
    row = connection.execute("SELECT * FROM jobs WHERE id = ?", (job_id,)).fetchone()
    return from_row(row) if row is not None else None


def has(connection: sqlite3.Connection, status: JobStatus) -> bool:
    """Whether any job has a status."""
    return connection.execute("SELECT 1 FROM jobs WHERE status = ? LIMIT 1", (status.value,)).fetchone() is not None


def active(connection: sqlite3.Connection, context: str) -> Job | None:
    """The queued or running job of a context; None if there is none."""
    row = connection.execute(
        "SELECT * FROM jobs WHERE context = ? AND status IN ('queued', 'running')", (context,)
    ).fetchone()
    return from_row(row) if row is not None else None


def claimed(connection: sqlite3.Connection, job: Job) -> Job | None:
    """The job as it is now, perhaps widened; None if it is no longer this claim's."""
    now = get(connection, job.id)
    return now if now is not None and now.status is JobStatus.RUNNING and now.run == job.run else None


def update(connection: sqlite3.Connection, job: Job, expected: JobStatus, *, run: str | None = None) -> bool:
    """Replace a job's row; False if the row is no longer as expected."""
    row = as_row(job)
    sets = ", ".join(f"{name} = :{name}" for name in row if name != "id")
    found = connection.execute(
        f"UPDATE jobs SET {sets} WHERE id = :id AND status = :expected AND (:before IS NULL OR run = :before)",  # noqa: S608
        {**row, "expected": expected.value, "before": run},
    )
    return found.rowcount == 1


def prune(connection: sqlite3.Connection, context: str, kept: int) -> None:
    """Remove the oldest finished jobs of a context, beyond `kept`."""
    connection.execute(
        "DELETE FROM jobs WHERE context = :context AND status NOT IN ('queued', 'running') AND id NOT IN ("
        "SELECT id FROM jobs WHERE context = :context AND status NOT IN ('queued', 'running') "
        "ORDER BY id DESC LIMIT :kept)",
        {"context": context, "kept": kept},
    )
