"""One refresh job, as `control.db` holds it.

queued -> running -> completed | failed
queued, running -> superseded       HEAD is elsewhere
running -> queued                   its worker is gone, or gave it back
"""

from enum import StrEnum

from cairn.base.owner import Owner, is_proven_alive, is_proven_dead
from cairn.base.values import dataclass
from cairn.semantic.scope import NOTHING, RefreshScope

SILENCE_S = 120.0
"""After so many seconds without a heartbeat, a worker that can't be checked counts as gone."""


class JobStatus(StrEnum):
    """How far a job is."""

    QUEUED = "queued"
    RUNNING = "running"
    COMPLETED = "completed"
    SUPERSEDED = "superseded"
    FAILED = "failed"


ACTIVE = (JobStatus.QUEUED, JobStatus.RUNNING)


class JobFailureCode(StrEnum):
    """Why a job ended without facts."""

    MISSING_TOOL = "missing_tool"
    TOOL_CRASHED = "tool_crashed"
    TOOL_TIMEOUT = "tool_timeout"
    PARSE_ERROR = "parse_error"
    HEAD_MOVED = "head_moved"
    HEAD_UNKNOWN = "head_unknown"
    NO_CONTEXT = "no_context"
    UNTRUSTED_ROOT = "untrusted_root"
    WORKER_DIED = "worker_died"
    CANCELLED = "cancelled"
    INTERNAL = "internal"


@dataclass(frozen=True, slots=True)
class JobFailure:
    """Why a job failed, in words for people."""

    code: JobFailureCode
    message: str
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Job:
    """A refresh of one context, from the request to its end."""

    id: str
    """A ULID: it is never reused, so a published segment that carries it belongs to this job."""
    context: str
    status: JobStatus
    scope: RefreshScope
    reason: str
    """Who or what asked for it first."""
    head: str | None
    """Where HEAD was when the job was requested; None if unknown."""
    created_at: float
    widened: RefreshScope = NOTHING
    """What was requested while it ran, beyond its scope: it becomes another job when this one ends."""
    follows: str = ""
    """The job whose remaining work this one does."""
    started_at: float | None = None
    finished_at: float | None = None
    superseded_reason: str = ""
    failure: JobFailure | None = None
    run: str = ""
    """The id of one claim: a worker that lost its job can't end it for the next worker."""
    owner: Owner | None = None
    heartbeat: float = 0.0
    progress: float | None = None
    phase: str = ""
    attempts: int = 0

    @property
    def is_active(self) -> bool:
        """Whether the job is queued or running."""
        return self.status in ACTIVE


def is_orphan(job: Job, now: float) -> bool:
    """Whether its worker is gone: by proof if possible, else by its silence."""
    if job.status is not JobStatus.RUNNING:
        return False
    return is_proven_dead(job.owner) or (now - job.heartbeat > SILENCE_S and not is_proven_alive(job.owner))
