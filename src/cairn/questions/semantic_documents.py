"""Jobs and contexts of the semantic layer, as JSON."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NotRequired, TypedDict

from cairn.base.values import dataclass
from cairn.questions.fields import filled
from cairn.questions.parameters import Values
from cairn.semantic.contexts.values import Fault
from cairn.semantic.flags import Flag

if TYPE_CHECKING:
    from cairn.codebase.bodies import Answer
    from cairn.questions.question import Document
    from cairn.semantic.contexts.survey import Survey
    from cairn.semantic.contexts.values import Context
    from cairn.semantic.control import KnownContext
    from cairn.semantic.job import Job
    from cairn.semantic.scope import RefreshScope
    from cairn.semantic.states import FileStatus

TIERS = ("ambient", "workspace", "package")


@dataclass(frozen=True, slots=True)
class Contexts:
    """Which files are understood together, and when their facts were last made."""

    survey: "Survey"
    known: "Mapping[str, KnownContext]"


class _Context(TypedDict):
    id: str
    family: str
    root: str
    tier: str
    status: str
    workspace: str | None
    manifests: list[str]
    excludes: list[str]
    files: int
    samples: list[str]
    config_hash: str
    refreshed_at: str | None
    tool: str | None
    tool_version: str | None
    enabled: bool
    states: NotRequired[dict[str, int]]


class _Survey(TypedDict):
    contexts: list[_Context]
    unowned: dict[str, Any]
    faults: list[Fault]


class _OfFile(TypedDict):
    path: str
    context: str | None
    probe: str | None
    state: str
    certainty: str | None
    tool: str | None
    job_id: str | None
    flags: list[Flag]
    changed_since: bool


def contexts(answer: "Answer[Any]", values: Values) -> _Survey | _OfFile:
    """All contexts, or one file's."""
    return _file(answer) if values["file"] is not None else _survey(answer.value)


def _survey(body: "Contexts") -> _Survey:
    found = body.survey
    rows = [_context(each, found, body.known.get(each.id)) for each in found.contexts]
    return filled(_Survey, found, contexts=rows)


def _context(context: "Context", found: "Survey", known: "KnownContext | None") -> _Context:
    probe = found.probes[context.id]
    states = {"states": dict(found.states[context.id])} if found.states else {}
    return filled(
        _Context,
        context,
        tier=TIERS[context.tier],
        status=probe.status,
        excludes=list(context.holes),
        files=len(found.members[context.id]),
        samples=list(probe.samples),
        **refresh_document(known),
        **states,
    )


def _file(answer: "Answer[FileStatus]") -> _OfFile:
    found = answer.value
    return filled(
        _OfFile,
        found,
        probe=found.probe or None,
        state=found.state.freshness,
        certainty=found.state.certainty,
        tool=found.tool or None,
        job_id=found.job_id or None,
        changed_since=found.path in answer.changed,
    )


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
        "took_s": _took(job),
        "superseded_reason": job.superseded_reason or None,
        "failure": failure and {"code": failure.code.value, "message": failure.message, "hint": failure.hint},
        "phase": job.phase or None,
        "progress_pct": job.progress,
        "attempts": job.attempts,
    }


def _took(job: "Job") -> float | None:
    """Seconds from a worker's claim to the end of a job."""
    if job.started_at is None or job.finished_at is None:
        return None
    return round(job.finished_at - job.started_at, 1)


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
