"""Jobs and contexts of the semantic layer, as JSON."""

from datetime import UTC, datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cairn.questions.question import Document
    from cairn.semantic.contexttable import KnownContext
    from cairn.semantic.job import Job
    from cairn.semantic.scope import RefreshScope

TIERS = ("ambient", "workspace", "package")


def job_document(job: "Job") -> "Document":
    """A refresh job as JSON."""
    failure = job.failure
    return {
        "id": job.id,
        "context": job.context,
        "status": job.status.value,
        "scope": _scope_document(job.scope),
        "widened": _scope_document(job.widened),
        "reason": job.reason,
        "head": job.head,
        "follows": job.follows or None,
        "created_at": moment(job.created_at),
        "started_at": moment(job.started_at),
        "finished_at": moment(job.finished_at),
        "superseded_reason": job.superseded_reason or None,
        "failure": failure and {"code": failure.code.value, "message": failure.message, "hint": failure.hint},
        "phase": job.phase or None,
        "progress_pct": job.progress,
        "attempts": job.attempts,
    }


def refresh_document(known: "KnownContext | None") -> "Document":
    """The last refresh of a context as JSON; its fields are null where there was none."""
    return {
        "refreshed_at": moment(known.refreshed_at) if known is not None else None,
        "tool": (known.tool or None) if known is not None else None,
        "tool_version": (known.tool_version or None) if known is not None else None,
        "enabled": known.enabled if known is not None else True,
    }


def moment(seconds: float | None) -> str | None:
    """A time in UTC, in the form of ISO 8601."""
    if seconds is None:
        return None
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def _scope_document(scope: "RefreshScope") -> "Document":
    return {
        "files": sorted(scope.files),
        "packages": sorted(scope.packages),
        "changed_since": moment(scope.changed_since),
        "full": scope.full,
    }
