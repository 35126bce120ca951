"""`list_codebases` and `manage_index`: what is indexed, and the only actions that change that."""

import contextlib
import os
from typing import Any

from cairn.base.errors import CairnError, CancelledError, NotReadyError, RootNotFoundError
from cairn.base.notes import STALE_CREATE_NOTE, Note
from cairn.base.values import replace
from cairn.codebase.homestores import remove_one
from cairn.indexing.options import SyncOptions
from cairn.lifecycle.envelopes import (
    action,
    debug_hints,
    envelope_of,
    indexing_of,
    message_of,
    not_ready_envelope,
    probe_hint,
)
from cairn.lifecycle.gates import NonOkReason, Verdict, may_claim_indexed
from cairn.lifecycle.roots import effective_root
from cairn.lifecycle.states import State
from cairn.lifecycle.tracked import Tracked
from cairn.questions.parameters import Parameter
from cairn.surfaces.mcp.deeds import IN_WORDS
from cairn.surfaces.mcp.notes import sentences
from cairn.surfaces.mcp.service import Answer, BlockedError, Service, ToolCall
from cairn.workspace.leftout import tree_notes

ACTIONS = ("create", "reindex", "sync", "status", "clear", "repair")
ARGUMENTS = (
    Parameter("action", "string", "what to do", required=True, choices=ACTIONS),
    Parameter("path", "string", "an absolute path in the codebase"),
    Parameter("wait", "boolean", "return at the end", default=False),
    IN_WORDS,
)


def list_codebases(service: Service, call: ToolCall) -> Answer:
    """Those that the client may see; by the registry alone, so that no backend can make one come and go."""
    rows = [row for row in service.listed() if effective_root(row.root, call.access.folders) is not None]
    found: Answer = {"status": "ok", "codebases": [_listed(row) for row in rows]}
    if not rows and len(call.access.folders) == 1:
        # A hint that would be refused is none.
        with contextlib.suppress(CairnError):
            found["nextAction"] = action("create", call.access.root(call.access.folders[0], ()))
    return found


def manage_index(service: Service, call: ToolCall, *, action: str, path: str | None, wait: bool) -> Answer:
    """The tool `manage_index`: create, sync, repair or clear an index, or say how it stands."""
    root, requested = service.locate(call, path)
    if not os.path.isdir(root) and (row := next((row for row in service.tracked() if row.root == root), None)):
        return _of_a_missing_folder(service, action, row, requested)
    if action in ("create", "reindex"):
        return _create(service, call, root, requested, action, wait)
    run = {"status": _status, "sync": _sync, "clear": _clear, "repair": _repair}[action]
    return run(service, call, root, requested)


def _status(service: Service, call: ToolCall, root: str, requested: str) -> Answer:
    verdict = service.verdict(root, requested)
    tracked, proof = verdict.facts.tracked, verdict.facts.proof
    found: Answer = {
        "status": "ok",
        "action": "status",
        "codebaseRoot": root,
        "path": requested,
        "state": _state(verdict),
        "reason": verdict.reason,
        "readMode": service.read_mode,
    }
    if verdict.reason is not None:
        found["message"] = message_of(verdict)
    if verdict.reason is NonOkReason.INDEXING:
        found["indexing"] = indexing_of(tracked)
    if tracked is not None and tracked.snapshot_id:
        found |= {"snapshotId": tracked.snapshot_id, "files": tracked.files, "chunks": tracked.chunks}
    elif proof is not None and proof.is_valid:
        found |= {"snapshotId": proof.snapshot_id, "files": proof.files, "chunks": proof.chunks}
    if tracked is not None:
        found["lastUpdated"] = tracked.updated_at or None
    warnings = _warnings(verdict)
    if warnings:
        found["warnings"] = warnings
    envelope = envelope_of(verdict, debug=call.debug)
    hints = envelope["hints"] if envelope is not None else probe_hint(proof)
    if call.debug:
        hints = hints | debug_hints(verdict)
    return found | ({"hints": hints} if hints else {})


def _create(service: Service, call: ToolCall, root: str, requested: str, wanted: str, wait: bool) -> Answer:
    verdict = service.verdict(root, requested)
    _require_idle(service, verdict, call)
    if wanted == "create" and may_claim_indexed(verdict):
        return _done(verdict, wanted, alreadyIndexed=True, message=f"{root} is already indexed.")
    # A snapshot that has no proof, or is of other settings, is no ground to build on.
    anew = wanted == "reindex" or verdict.stale or verdict.reason is NonOkReason.REQUIRES_REINDEX
    notes = {"note": STALE_CREATE_NOTE} if verdict.stale else {}
    if call.cancelled.is_set():
        raise CancelledError("The call was cancelled before the run began.")
    service.drop(root)
    if not service.jobs.start(root, reindex=anew):
        raise BlockedError(_under_way(service.verdict(root, requested), call))
    if not wait:
        return {
            "status": "ok",
            "action": wanted,
            "codebaseRoot": root,
            "path": requested,
            "started": True,
            "state": State.INDEXING.value,
            "message": f"{root} is being indexed in the background.",
            **notes,
            "hints": {"status": action("status", root)},
        }
    service.jobs.wait(root, call.report, call.cancelled)
    untold = service.jobs.failure(root)
    after = service.verdict(root, requested)
    if _is_running(after):
        # Another process was faster: it is its run that goes on.
        raise BlockedError(_under_way(after, call))
    failure = after.failure or untold
    if failure is not None or not after.passes:
        said = {"code": failure.code, "hint": failure.hint} if failure is not None else {"code": "not_completed"}
        message = failure.message if failure is not None else message_of(after)
        return {"status": "error", "action": wanted, "codebaseRoot": root, "path": requested, "message": message} | said
    with service.using(root) as codebase:
        warnings = sentences(tree_notes(root, codebase.detector.detect()))
    return _done(after, wanted, **notes, **({"warnings": warnings} if warnings else {}))


def _sync(service: Service, call: ToolCall, root: str, requested: str) -> Answer:
    verdict = service.verdict(root, requested)
    _require(verdict, call)
    try:
        with service.using(root) as codebase:
            # An explicit action, which may track again what a lost registry has forgotten; its gate is behind it.
            result = codebase.index(SyncOptions(wait_s=10.0, tells=True), create=verdict.facts.tracked is None)
            notes = sentences((*codebase.notes, *result.tree_notes))
    except NotReadyError:
        raise BlockedError(_under_way(service.verdict(root, requested), call)) from None
    counts = result.manifest.counts
    return {
        "status": "ok",
        "action": "sync",
        "codebaseRoot": root,
        "path": requested,
        "published": result.published,
        "indexed": result.indexed,
        "deleted": result.deleted,
        "snapshotId": result.manifest.snapshot_id,
        "files": counts.files_live,
        "chunks": counts.chunks_live,
    } | ({"warnings": notes} if notes else {})


def _clear(service: Service, call: ToolCall, root: str, requested: str) -> Answer:
    _require_idle(service, service.verdict(root, requested), call)
    with service.using(root) as codebase:
        removed = codebase.clear()
        notes = sentences(codebase.notes)
    service.drop(root)
    return {
        "status": "ok",
        "action": "clear",
        "codebaseRoot": root,
        "path": requested,
        "removed": removed,
        "state": State.NOT_FOUND.value,
        "hints": {"create": action("create", root)},
    } | ({"warnings": notes} if notes else {})


def _repair(service: Service, call: ToolCall, root: str, requested: str) -> Answer:
    verdict = service.verdict(root, requested)
    _require_idle(service, verdict, call)
    if not verdict.probe_failed and not verdict.stale:
        # Damage shows as a probe that fails or a proof that is missing; where neither is, the gates stand.
        _require(verdict, call)
    with service.using(root) as codebase:
        result = codebase.repair()
    service.drop(root)
    found: Answer = {
        "status": "ok",
        "action": "repair",
        "codebaseRoot": root,
        "path": requested,
        "damage": list(result.damage.reasons),
        "actions": list(result.actions),
        "reindexRequired": result.reindex_required,
    }
    return found | ({"hints": {"reindex": action("reindex", root)}} if result.reindex_required else {})


def _of_a_missing_folder(service: Service, wanted: str, row: Tracked, requested: str) -> Answer:
    """A codebase whose folder is not there stays what it is, for it may only be away; it can be cleared."""
    found: Answer = {"action": wanted, "codebaseRoot": row.root, "path": requested}
    if wanted == "status":
        return {"status": "ok", **found, "state": row.state.value, "warnings": [f"{row.root} is not there now."]}
    if wanted == "clear":
        service.drop(row.root)
        removed, behind = remove_one(service.home, row.store_id) if row.store_id else (False, ())
        left = sentences(behind)
        service.registry.forget(row.root)
        cleared = {"status": "ok", **found, "removed": removed, "state": State.NOT_FOUND.value}
        return cleared | ({"warnings": left} if left else {})
    raise RootNotFoundError(f"{row.root} is not there now.", hint="Bring the folder back, or clear the codebase.")


def _listed(row: Tracked) -> dict[str, Any]:
    found: dict[str, Any] = {
        "path": row.root,
        "state": row.state.value,
        "files": row.files,
        "chunks": row.chunks,
        "snapshotId": row.snapshot_id or None,
        "lastUpdated": row.updated_at,
    }
    if row.state is State.INDEXING:
        found["indexing"] = indexing_of(row)
    if row.failure is not None:
        found["lastError"] = {"code": row.failure.code, "message": row.failure.message, "hint": row.failure.hint}
    return found


def _state(verdict: Verdict) -> str:
    """The state as it is to be acted upon: other settings count, whatever the row says."""
    if verdict.reason is NonOkReason.REQUIRES_REINDEX:
        return State.REQUIRES_REINDEX.value
    tracked = verdict.facts.tracked
    if tracked is None:
        return (State.INDEXED if verdict.passes else State.NOT_FOUND).value
    return tracked.state.value


def _warnings(verdict: Verdict) -> list[str]:
    found = []
    if verdict.stale:
        found.append(
            f"{message_of(verdict)} Run manage_index with action=create on {verdict.facts.root} to build it again."
        )
    if verdict.passes and verdict.failure is not None:
        found += sentences([Note("last_index_failed", {"message": verdict.failure.message})])
    return found


def _require(verdict: Verdict, call: ToolCall) -> None:
    envelope = envelope_of(verdict, debug=call.debug)
    if envelope is not None:
        raise BlockedError(envelope)


def _is_running(verdict: Verdict) -> bool:
    """Whether a run is under way, whichever gate comes first."""
    return verdict.facts.state is State.INDEXING


def _require_idle(service: Service, verdict: Verdict, call: ToolCall) -> None:
    if _is_running(verdict) or service.jobs.is_running(verdict.facts.root):
        raise BlockedError(_under_way(verdict, call))


def _under_way(verdict: Verdict, call: ToolCall) -> Answer:
    """A run on the same root blocks whoever wants to change it, even where other settings come first for readers."""
    running = replace(verdict, reason=NonOkReason.INDEXING)
    found = not_ready_envelope(running)
    if call.debug:
        found["hints"] |= debug_hints(running)
    return found


def _done(verdict: Verdict, wanted: str, **more: Any) -> Answer:
    proof = verdict.facts.proof
    counts = (
        {"snapshotId": proof.snapshot_id, "files": proof.files, "chunks": proof.chunks} if proof is not None else {}
    )
    return {
        "status": "ok",
        "action": wanted,
        "codebaseRoot": verdict.facts.root,
        "path": verdict.facts.requested,
        "state": _state(verdict),
        **counts,
        **more,
    }
