"""Reports: the state of a codebase and of what Cairn keeps. They say what is, also where no snapshot can answer."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from cairn.base import lazy
from cairn.base.errors import CairnError, ExitCode
from cairn.base.notes import Note
from cairn.base.ulid import is_ulid
from cairn.config.user import LEDGER_DAYS
from cairn.questions.fields import plain
from cairn.questions.parameters import Parameter, Values
from cairn.questions.question import Asked, Document, Question

if TYPE_CHECKING:
    from cairn.codebase.bodies import Answer
    from cairn.codebase.codebase import Codebase
    from cairn.codebase.gains import Gains
    from cairn.codebase.homestores import StoreInfo
    from cairn.codebase.inspection import Drift, HealthCheck
    from cairn.lifecycle.gates import Verdict
    from cairn.semantic.job import Job


def _body(name: str) -> Any:
    """What a report holds is described where a parser need not load it."""
    return lazy.function("cairn.questions.report_documents", name)


def _status(asked: Asked, _values: Values) -> "Answer[Any]":
    from cairn.codebase.bodies import Answer
    from cairn.codebase.inspection import state_of
    from cairn.config.user import cairn_home
    from cairn.kernel.core import kernel
    from cairn.lifecycle.envelopes import error_of, message_of
    from cairn.lifecycle.gates import NonOkReason
    from cairn.readcache.log import ReadLog, savings_of

    codebase = asked.codebase
    verdict = codebase.verdict()
    if verdict.reason is NonOkReason.INDEXING:
        return Answer({**_state(verdict), "message": message_of(verdict)}, root=verdict.facts.root)
    error = error_of(verdict)
    if error is not None and verdict.probe_failed:
        # What kept the probe from looking is the better answer than that nothing was found.
        with codebase.open_view():
            pass
    if error is not None:
        raise error
    now = state_of(codebase)
    manifest = now.manifest
    interrupted, faults = _interrupted(codebase) if now.has_edits else ([], [])
    notes = [*_notes(verdict), *now.notes, *_without_git(manifest)]
    document = {
        "created_at": manifest.created_at,
        "cause": manifest.cause,
        "counts": {
            "files": manifest.counts.files_live,
            "chunks": manifest.counts.chunks_live,
            "segments": len(manifest.segments),
            "tombstones": sum(ref.count for ref in manifest.tombstones),
            "by_lines": now.by_lines,
            "commits": manifest.history.count if manifest.history is not None else 0,
        },
        "semantic": now.semantic,
        "skipped": manifest.skipped,
        "failed_files": len(manifest.errors),
        "writing": now.writing,
        "recovered": now.recovered,
        "read_mode": asked.host.read_mode(asked_for=asked.offline),
        "tree": now.tree,
        "engine": now.engine,
        "address": now.address,
        "kernel": kernel().name,
        "interrupted_edits": interrupted,
        "edit_faults": faults,
        "reads": savings_of(ReadLog(cairn_home()), verdict.facts.root).document(),
    }
    return Answer(
        {**_state(verdict), **document},
        manifest,
        notes=tuple(notes),
        exit_code=ExitCode.CORRUPT if now.recovered else ExitCode.OK,
    )


def _state(verdict: "Verdict") -> Document:
    """What the registry knows; `indexing` is null unless a run is under way."""
    from cairn.lifecycle.gates import NonOkReason

    facts, tracked, failure = verdict.facts, verdict.facts.tracked, verdict.failure
    running = tracked is not None and verdict.reason is NonOkReason.INDEXING
    return {
        # A store that proves itself is indexed, tracked or not.
        "state": str(tracked.state) if tracked is not None else "indexed",
        "indexing": {"progress_pct": tracked.progress, "phase": tracked.phase, "last_updated": tracked.updated_at}
        if running and tracked is not None
        else None,
        "last_error": plain(failure),
        "completion_proof": str(facts.proof.outcome) if facts.proof is not None else None,
    }


def _interrupted(codebase: "Codebase") -> tuple[list[str], list[str]]:
    """Edits that a process which is gone has left half done, and why that could not be looked at."""
    from cairn.codebase.renames import Renaming  # most users have none

    try:
        return list(Renaming(codebase).interrupted()), []
    except CairnError as error:
        return [], [f"{error.message} {error.hint}"]


def _notes(verdict: "Verdict") -> list[Note]:
    """That a proof could not be looked for changes nothing, and is told all the same."""
    proof = verdict.facts.proof
    return [Note("proof_unseen", {"message": proof.detail})] if verdict.probe_failed and proof else []


def _without_git(manifest: Any) -> list[Note]:
    """That git's part of the snapshot is not known: there was a repository, but no git to ask."""
    return [Note("git_missing")] if manifest.git.dirty is None else []


def _health(asked: Asked, _values: Values) -> "Answer[Sequence[HealthCheck]]":
    from cairn.codebase.bodies import Answer
    from cairn.codebase.inspection import Level, health_of

    checks = health_of(asked.codebase)
    levels = {check.level for check in checks}
    exit_code = ExitCode.OK if levels <= {Level.OK} else ExitCode.REFUSED
    return Answer(
        checks, root=asked.codebase.root_path, exit_code=ExitCode.CORRUPT if Level.ERROR in levels else exit_code
    )


def _audit(asked: Asked, _values: Values) -> "Answer[Sequence[Drift]]":
    from cairn.codebase.bodies import Answer
    from cairn.codebase.inspection import audit_of

    manifest, drifts = audit_of(asked.codebase)
    exit_code = ExitCode.CORRUPT if drifts else ExitCode.OK
    return Answer(drifts, manifest, asked.codebase.root_path, exit_code=exit_code)


def _stores(_asked: None, _values: Values) -> "Answer[Sequence[StoreInfo]]":
    from cairn.codebase.bodies import Answer
    from cairn.codebase.homestores import known_stores
    from cairn.config.user import cairn_home

    return Answer(known_stores(cairn_home()))


def _gain(_asked: None, values: Values) -> "Answer[Gains]":
    from cairn.codebase.bodies import Answer
    from cairn.codebase.gains import gains_of
    from cairn.codebase.ledger import entries, is_on
    from cairn.config.user import cairn_home

    home = cairn_home()
    found, unreadable = entries(home, values["days"])
    return Answer(gains_of(found, values["days"], recording=is_on(home), unreadable=unreadable))


def _jobs(asked: Asked, values: Values) -> "Answer[Sequence[Job]]":
    from cairn.codebase.bodies import Answer
    from cairn.semantic.job import JobStatus

    refreshing = asked.codebase.refreshing
    refreshing.recover()
    if values["job"] is not None:
        found: tuple[Job, ...] = (refreshing.job(values["job"]),)
    else:
        status = JobStatus(values["status"]) if values["status"] is not None else None
        found = refreshing.queue.all(context=values["context"], status=status)
    return Answer(found, root=asked.codebase.root.path, notes=tuple(refreshing.notes))


JOB_STATES = ("queued", "running", "completed", "superseded", "failed")
STATUS = Question(
    "status",
    "the state, the snapshot, when it was published, and whether somebody writes",
    (),
    _status,
    _body("status"),
    example="cairn status ~/src/project",
    syncs=False,
    gated=False,
)
HEALTH = Question(
    "health",
    "a check of everything in the store that trusts no cache",
    (),
    _health,
    _body("health"),
    example="cairn health ~/src/project",
    syncs=False,
    gated=False,
)
AUDIT = Question(
    "audit",
    "the counts of the manifest, compared with the data",
    (),
    _audit,
    _body("audit"),
    example="cairn audit ~/src/project",
    syncs=False,
    gated=False,
)
STORES = Question(
    "stores",
    "all stores",
    (),
    _stores,
    _body("stores"),
    example="cairn stores --json",
    subject="home",
    syncs=False,
    gated=False,
)
GAIN = Question(
    "gain",
    "what was asked, what the answers weighed, and what whole files would have",
    (Parameter("days", "integer", "how many days back", 30, least=1, most=LEDGER_DAYS, metavar="N"),),
    _gain,
    _body("gain"),
    example="cairn gain --days 7",
    subject="home",
    syncs=False,
    gated=False,
)
JOBS = Question(
    "jobs",
    "refreshes that were asked for, and what became of them",
    (
        Parameter("job", "string", "one job, by its id: it is shown whole", flag=None, metavar="JOB", form=is_ulid),
        Parameter("context", "string", "only those of one context", metavar="ID"),
        Parameter("status", "string", "only those that are in this state", choices=JOB_STATES),
    ),
    _jobs,
    _body("jobs"),
    example="cairn jobs --status failed",
    syncs=False,
)
ABOUT_STORES = (STATUS, HEALTH, AUDIT, STORES, GAIN)
QUESTIONS = (*ABOUT_STORES, JOBS)
