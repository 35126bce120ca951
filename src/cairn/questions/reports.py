"""Reports: the state of a codebase and of what Cairn keeps. They say what is, also where no snapshot can answer."""

import contextlib
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from cairn.base.errors import CairnError, CorruptStoreError, ExitCode
from cairn.base.notes import Note
from cairn.base.ownfile import ASIDE, kept_aside
from cairn.base.ulid import is_ulid
from cairn.codebase.wording import Spelling
from cairn.questions import schemas
from cairn.questions.parameters import Parameter, Values
from cairn.questions.question import Asked, Document, Question, Report
from cairn.questions.semantic_documents import job_document, moment

if TYPE_CHECKING:
    from cairn.codebase.codebase import Codebase
    from cairn.lifecycle.gates import Verdict
    from cairn.store import FileRow, SnapshotView

SCHEMA_VERSION = 1


def as_it_is(report: Report, _values: Values) -> Document:
    """The document of a report."""
    return report.document


@contextlib.contextmanager
def looked_after(codebase: "Codebase") -> Iterator["Codebase"]:
    """A codebase whose store is looked at: one of other settings is not the store that was meant."""
    if codebase.tracking is not None:
        codebase.tracking.require_settings()
    yield codebase


def _status(asked: Asked, _values: Values) -> Report:
    from cairn.engines import whereabouts
    from cairn.lifecycle.envelopes import error_of, message_of
    from cairn.lifecycle.gates import NonOkReason
    from cairn.readcache.log import ReadLog
    from cairn.readcache.savings import savings_of
    from cairn.store.lease import read_lease
    from cairn.workspace import cairn_home

    codebase = asked.codebase
    verdict = codebase.verdict()
    if verdict.reason is NonOkReason.INDEXING:
        return Report({**_state(verdict), "message": message_of(verdict)})
    error = error_of(verdict)
    if error is not None and verdict.probe_failed:
        # What kept the probe from looking is the better answer than that nothing was found.
        with codebase.open_view():
            pass
    if error is not None:
        raise error
    with codebase.open_view() as view:
        lease = read_lease(codebase.store().layout)
        writing = lease is not None and not lease.is_free(time.time_ns())
        document = _of_view(view, writing)
        document["read_mode"] = asked.host.read_mode(asked_for=asked.offline)
        document["tree"], notes = _beside_the_tree(codebase, view)
        recovered = view.recovered
        layout = codebase.store().layout.path
        engine = codebase.identity.engine
        document["engine"], document["address"] = engine, whereabouts(engine, layout)
    interrupted, faults = _interrupted(codebase) if os.path.isdir(os.path.join(layout, "edits")) else ([], [])
    document |= {"interrupted_edits": interrupted, "edit_faults": faults}
    document["reads"] = savings_of(ReadLog(cairn_home()), verdict.facts.root).document()
    aside = [
        f"{name.partition(ASIDE)[0]} was damaged: it is kept as {name}, and began anew"
        for name in kept_aside((cairn_home(), layout))
        if not name.endswith("-journal")
    ]
    document["notes"] = [*_notes(verdict), *notes, *aside]
    return Report({**_state(verdict), **document}, ExitCode.CORRUPT if recovered else ExitCode.OK)


def _state(verdict: "Verdict") -> Document:
    """What the registry knows; `indexing` is null unless a run is under way."""
    from cairn.lifecycle.gates import NonOkReason

    facts, tracked, failure = verdict.facts, verdict.facts.tracked, verdict.failure
    running = tracked is not None and verdict.reason is NonOkReason.INDEXING
    return {
        "schema_version": SCHEMA_VERSION,
        "root": facts.root,
        # A store that proves itself is indexed, tracked or not.
        "state": str(tracked.state) if tracked is not None else "indexed",
        "indexing": {"progress_pct": tracked.progress, "phase": tracked.phase, "last_updated": tracked.updated_at}
        if running and tracked is not None
        else None,
        "last_error": {"code": failure.code, "message": failure.message, "hint": failure.hint}
        if failure is not None
        else None,
        "completion_proof": str(facts.proof.outcome) if facts.proof is not None else None,
    }


def _interrupted(codebase: "Codebase") -> tuple[list[str], list[str]]:
    """Edits that a process which is gone has left half done, and why that could not be looked at."""
    from cairn.codebase.renames import Renaming  # most users have none

    try:
        return list(Renaming(codebase).interrupted()), []
    except CairnError as error:
        return [], [f"{error.message} {error.hint}"]


def _notes(verdict: "Verdict") -> list[str]:
    """That a proof could not be looked for changes nothing, and is told all the same."""
    proof = verdict.facts.proof
    return [f"the completion proof could not be looked for: {proof.detail}"] if verdict.probe_failed and proof else []


def _beside_the_tree(codebase: "Codebase", view: "SnapshotView") -> tuple[dict[str, int] | None, list[str]]:
    """How many files are new, changed or gone since the snapshot, or null and why that could not be seen."""
    from cairn.indexing.look import look

    try:
        changes = look(view, codebase.detector, verify=False).detection.changes
    except (CairnError, OSError) as error:
        return None, [f"the tree could not be looked at: {error}"]
    moved = len(changes.rename)
    return {
        "new": len(changes.add) + moved,
        "changed": len(changes.modify),
        "deleted": len(changes.delete) + moved,
    }, []


def _of_view(view: "SnapshotView", writing: bool) -> Document:
    from cairn.syntax.grammar import grammars

    manifest = view.manifest
    parsed = grammars()
    live = {file.path_key: file for file in view.files()}
    return {
        "root": manifest.canonical_root,
        "store_id": manifest.store_id,
        "snapshot_id": manifest.snapshot_id,
        "created_at": manifest.created_at,
        "cause": manifest.cause,
        "git": {"head": manifest.git.head_sha, "dirty": manifest.git.dirty},
        "counts": {
            "files": manifest.counts.files_live,
            "chunks": manifest.counts.chunks_live,
            "segments": len(manifest.segments),
            "tombstones": sum(ref.count for ref in manifest.tombstones),
            "by_lines": sum(1 for file in live.values() if file.language in parsed and not file.interface_hash),
        },
        "semantic": _semantic(view, live),
        "skipped": manifest.skipped,
        "degraded": manifest.degraded,
        "failed_files": len(manifest.errors),
        "writing": writing,
        "recovered": view.recovered,
    }


def _semantic(view: "SnapshotView", live: "Mapping[str, FileRow]") -> dict[str, int]:
    """How many live files have semantic facts, and how many of those were edited since."""
    held = [
        (file.content_hash, live[file.path].file_hash)
        for ref in view.semantics
        if (facts := view.semantic(ref.context)) is not None
        for file in facts.files()
        if file.path in live
    ]
    dirty = sum(1 for recorded, now in held if recorded != now)
    return {"contexts": len(view.semantics), "files": len(held), "dirty": dirty}


def _health(asked: Asked, _values: Values) -> Report:
    from cairn.store.health import Level, check_store

    with looked_after(asked.codebase) as codebase:
        store = codebase.store()
        with contextlib.suppress(CorruptStoreError):
            # Another tree's store may be sound and is still not ours; what is corrupt the checks say.
            store.active()
        checks = check_store(store.layout)
    healthy = all(check.level is Level.OK for check in checks)
    document = {
        "schema_version": SCHEMA_VERSION,
        "root": codebase.root_path,
        "healthy": healthy,
        "checks": [
            {"code": check.code, "level": check.level.value, "message": check.message, "action": check.action}
            for check in checks
        ],
    }
    if any(check.level is Level.ERROR for check in checks):
        return Report(document, ExitCode.CORRUPT)
    return Report(document, ExitCode.OK if healthy else ExitCode.REFUSED)


def _audit(asked: Asked, _values: Values) -> Report:
    from cairn.store.audit import audit

    with looked_after(asked.codebase) as codebase, codebase.open_view() as view:
        drifts = audit(view)
        snapshot = view.snapshot_id
    document = {
        "schema_version": SCHEMA_VERSION,
        "root": codebase.root_path,
        "snapshot_id": snapshot,
        "drift": [{"code": drift.code, "message": drift.message, "action": drift.action} for drift in drifts],
    }
    return Report(document, ExitCode.CORRUPT if drifts else ExitCode.OK)


def _stores(_values: Values) -> Report:
    from cairn.codebase.homestores import known_stores
    from cairn.workspace import cairn_home

    return Report(
        {
            "schema_version": SCHEMA_VERSION,
            "stores": [
                {
                    "store_id": store.store_id,
                    "canonical_root": store.canonical_root,
                    "config_fingerprint": store.config_fingerprint,
                    "created_at": moment(store.created_at),
                    "last_used_at": moment(store.last_used_at),
                    "size_bytes": store.size_bytes,
                    "active_snapshot_id": store.active_snapshot_id,
                    "engine": store.engine,
                    "address": store.address,
                    "root_gone": store.root_is_gone,
                    "empty": store.is_empty,
                }
                for store in known_stores(cairn_home())
            ],
        }
    )


def _jobs(asked: Asked, values: Values) -> Report:
    from cairn.semantic.job import JobStatus

    refreshing = asked.codebase.refreshing
    refreshing.recover()
    if values["job"] is not None:
        found: tuple[Any, ...] = (refreshing.job(values["job"]),)
    else:
        status = JobStatus(values["status"]) if values["status"] is not None else None
        found = refreshing.queue.all(context=values["context"], status=status)
    document = {
        "schema_version": SCHEMA_VERSION,
        "root": asked.codebase.root.path,
        "jobs": [job_document(job) for job in found],
    }
    return Report(document, notes=tuple(refreshing.notes))


def jobs_document(root: str, jobs: Any, notes: Sequence[Note], spelling: Spelling) -> Document:
    """Jobs of a codebase, in the order in which they were asked for."""
    from cairn.questions.envelope import report

    document = {"schema_version": SCHEMA_VERSION, "root": root, "jobs": [job_document(job) for job in jobs]}
    return report(document, notes, spelling)


JOB_STATES = ("queued", "running", "completed", "superseded", "failed")
STATUS = Question(
    "status",
    "the state, the snapshot, when it was published, and whether somebody writes",
    (),
    _status,
    as_it_is,
    schemas.STATUS,
    example="cairn status ~/src/project",
    syncs=False,
    gated=False,
)
HEALTH = Question(
    "health",
    "everything in the store, checked without trusting a cache",
    (),
    _health,
    as_it_is,
    schemas.HEALTH,
    example="cairn health ~/src/project",
    syncs=False,
    gated=False,
)
AUDIT = Question(
    "audit",
    "the counts of the manifest, held against the data",
    (),
    _audit,
    as_it_is,
    schemas.AUDIT,
    example="cairn audit ~/src/project",
    syncs=False,
    gated=False,
)
STORES = Question(
    "stores",
    "all stores",
    (),
    lambda _asked, values: _stores(values),
    as_it_is,
    schemas.STORES,
    example="cairn stores --json",
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
    as_it_is,
    schemas.JOBS,
    example="cairn jobs --status failed",
    syncs=False,
)
ABOUT_STORES = (STATUS, HEALTH, AUDIT, STORES)
QUESTIONS = (*ABOUT_STORES, JOBS)
