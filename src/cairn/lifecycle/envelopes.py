"""Answers that are no answer: built here and nowhere else, so that every surface says the same."""

from collections.abc import Mapping
from typing import Any

from cairn.base.errors import CairnError, NotIndexedError, NotReadyError, RequiresReindexError
from cairn.base.steps import Advice, NextStep
from cairn.lifecycle.gates import NonOkReason, Verdict
from cairn.lifecycle.proof import Proof
from cairn.lifecycle.registry import RETRY_AFTER_MS
from cairn.lifecycle.tracked import Tracked

Envelope = dict[str, Any]
_ENGINE_PART = "vectorStoreProvider"
_PARTS_OF_THE_PROGRAM = frozenset({"schemaVersion", "chunker"})
"""What a version of Cairn decides, and no setting."""


def envelope_of(verdict: Verdict, *, debug: bool = False) -> Envelope | None:
    """The envelope of a gate; None where the codebase may be read."""
    if verdict.reason is None:
        return None
    build = {
        NonOkReason.INDEXING: not_ready_envelope,
        NonOkReason.REQUIRES_REINDEX: requires_reindex_envelope,
        NonOkReason.NOT_INDEXED: not_indexed_envelope,
    }[verdict.reason]
    envelope = build(verdict)
    if debug:
        envelope["hints"] |= debug_hints(verdict)
    return envelope


def not_ready_envelope(verdict: Verdict) -> Envelope:
    """The answer while the codebase is being indexed."""
    tracked = verdict.facts.tracked
    return {
        **_head("not_ready", NonOkReason.INDEXING, verdict),
        "indexing": indexing_of(tracked),
        "retryAfterMs": RETRY_AFTER_MS,
    }


def requires_reindex_envelope(verdict: Verdict) -> Envelope:
    """The answer for a codebase that was indexed with other settings."""
    envelope = _head("requires_reindex", NonOkReason.REQUIRES_REINDEX, verdict)
    envelope["hints"]["reindex"] = action("reindex", verdict.facts.root)
    return envelope


def not_indexed_envelope(verdict: Verdict) -> Envelope:
    """The answer for a codebase without an index that can be proven."""
    envelope = _head("not_indexed", NonOkReason.NOT_INDEXED, verdict)
    create = action("create", verdict.facts.root)
    envelope["hints"]["create"] = create
    proof = verdict.facts.proof
    if verdict.stale and proof is not None:
        envelope["hints"]["staleLocal"] = {"completionProof": str(proof.reason), "recommendedAction": create}
    if verdict.failure is not None:
        failure = verdict.failure
        envelope["lastError"] = {"code": failure.code, "message": failure.message, "hint": failure.hint}
    return envelope


def action(name: str, root: str) -> dict[str, Any]:
    """A hint that can be executed as it stands."""
    return {"tool": "manage_index", "args": {"action": name, "path": root}}


def indexing_of(tracked: Tracked | None) -> dict[str, Any]:
    """How far a run that is under way has come."""
    return {
        "progressPct": tracked.progress if tracked is not None else None,
        "lastUpdated": (tracked.updated_at or None) if tracked is not None else None,
        "phase": tracked.phase if tracked is not None else None,
    }


def debug_hints(verdict: Verdict) -> dict[str, Any]:
    """What only somebody who looks for a fault wants to see."""
    facts = verdict.facts
    indexing: dict[str, Any] = {"completionProof": "marker_doc"}
    present = facts.proof.marker_present if facts.proof is not None else None
    if present is not None:
        indexing["markerPresent"] = present
    fingerprint = {"now": {"configFingerprint": facts.fingerprint, **dict(facts.parts)}}
    if facts.tracked is not None:
        fingerprint["indexed"] = {"configFingerprint": facts.tracked.fingerprint, **facts.tracked.parts}
    return {"debugIndexing": indexing, "debugFingerprint": fingerprint, **probe_hint(facts.proof)}


def probe_hint(proof: Proof | None) -> dict[str, Any]:
    """That a marker could not be looked for: a note, never a judgement."""
    if proof is None or proof.marker_present is not None:
        return {}
    return {"debugProofCheck": {"ok": False, "reason": str(proof.reason), "detail": proof.detail}}


def error_of(verdict: Verdict) -> CairnError | None:
    """The same for surfaces that speak in errors and exit codes; None where the codebase may be read."""
    message = message_of(verdict)
    if verdict.reason is NonOkReason.REQUIRES_REINDEX:
        return RequiresReindexError(message, hint=_mended_by(verdict))
    if verdict.reason is NonOkReason.INDEXING:
        return NotReadyError(message, retry_after_ms=RETRY_AFTER_MS)
    if verdict.reason is NonOkReason.NOT_INDEXED:
        return NotIndexedError(message)
    return None


def _mended_by(verdict: Verdict) -> str | None:
    """An index that differs in its engine alone can be copied; None for the ordinary hint."""
    tracked, now = verdict.facts.tracked, dict(verdict.facts.parts)
    if tracked is None or _differing(tracked, now) != [_ENGINE_PART]:
        return None
    return Advice(NextStep("migrate", now[_ENGINE_PART]), ", which embeds nothing again, or ", NextStep("reindex"), ".")


def is_of_former_format(verdict: Verdict) -> bool:
    """Whether the index differs from one of now only in what the version of Cairn decides."""
    tracked, now = verdict.facts.tracked, dict(verdict.facts.parts)
    differing = _differing(tracked, now) if tracked is not None and tracked.parts else []
    return bool(differing) and _PARTS_OF_THE_PROGRAM.issuperset(differing)


def message_of(verdict: Verdict) -> str:
    """Why a codebase can't be read, in a sentence for people."""
    facts = verdict.facts
    if verdict.reason is NonOkReason.REQUIRES_REINDEX:
        changed = _changed(facts.tracked, dict(facts.parts))
        former = (
            "by a version of Cairn that writes another format"
            if is_of_former_format(verdict)
            else "with other settings"
        )
        return f"{facts.root} was indexed {former}{changed} and has to be indexed anew."
    if verdict.reason is NonOkReason.INDEXING:
        return f"{facts.root} is being indexed{_how_far(facts.tracked)}."
    if verdict.reason is None:
        return ""
    if verdict.stale and facts.proof is not None:
        return (
            f"{facts.root} is recorded as indexed, but its store has no valid completion proof "
            f"({facts.proof.reason}): it counts as not indexed."
        )
    if verdict.failure is not None:
        return f"{facts.root} is not indexed: the last run failed. {verdict.failure.message}"
    return f"{facts.root} is not indexed."


def _head(status: str, reason: NonOkReason, verdict: Verdict) -> Envelope:
    facts = verdict.facts
    return {
        "status": status,
        "reason": reason.value,
        "message": message_of(verdict),
        "path": facts.requested,
        "codebaseRoot": facts.root,
        "hints": {"status": action("status", facts.root)},
    }


def _changed(tracked: Tracked | None, now: Mapping[str, str]) -> str:
    if tracked is None:
        return ""
    names = _differing(tracked, now)
    if not names or not tracked.parts:
        return ""
    shown = [f"{name} {tracked.parts.get(name) or 'unset'} -> {now.get(name) or 'unset'}" for name in names]
    return f" ({'; '.join(shown)})"


def _differing(tracked: Tracked, now: Mapping[str, str]) -> list[str]:
    return [name for name in sorted({*tracked.parts, *now}) if tracked.parts.get(name) != now.get(name)]


def _how_far(tracked: Tracked | None) -> str:
    if tracked is None or tracked.progress is None:
        return ""
    return f" ({tracked.progress:.0f} %, {tracked.phase})" if tracked.phase else f" ({tracked.progress:.0f} %)"
