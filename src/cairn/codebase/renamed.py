"""A planned edit as JSON: the same for every surface."""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from cairn.codebase.goingon import GoOn, going_on
from cairn.edit.gate.account import IN_CODE, IN_TEXT
from cairn.edit.source.texts import written
from cairn.edit.source.values import ALL_TOO, CODE_TOO, LIKELY_TOO
from cairn.graph.meaning import LIKELY

if TYPE_CHECKING:
    from cairn.codebase.renames import EditBasis
    from cairn.edit.editor import Planned
    from cairn.edit.journalfile import EditRecord
    from cairn.edit.source.values import Spot, Witness

SCHEMA_VERSION = 1
CHOICE_OF = {LIKELY: LIKELY_TOO, IN_CODE: CODE_TOO, IN_TEXT: ALL_TOO}
"""The narrowest choice that changes an open place, by the group that the place is of."""
Document = dict[str, Any]


def planned_document(
    planned: "Planned",
    proof: "EditBasis",
    word: Callable[[GoOn], object],
    diff: Iterable[str] | None = None,
) -> Document:
    """A plan: what would be changed, what is open, and how to go on, in the words of a door."""
    draft, plan = planned.draft, planned.plan
    decided = plan is not None and bool(plan.choice)
    return {
        "schema_version": SCHEMA_VERSION,
        "title": draft.title or f"{draft.target.name} to {draft.new_name}",
        "status": draft.status if not decided else "ok",
        "decided": plan.choice if decided and plan is not None else None,
        "plan_id": plan.id if plan is not None else None,
        "snapshot_id": planned.snapshot_id,
        "target": {
            "name": draft.target.name,
            "kind": draft.target.kind,
            "symbol": draft.target.symbol,
            "context": draft.target.context or None,
            "path": draft.target.path,
            "line": draft.target.line,
            "column": draft.target.column + 1,
        },
        "new_name": draft.new_name,
        "edits": [_spot_document(spot, draft.new_name) for spot in planned.spots],
        "files": len({spot.path for spot in planned.spots}),
        "open": [
            {
                "path": each.path,
                "line": each.line,
                "column": each.column + 1,
                "why": each.why,
                "text": each.shown,
                "changed_by": CHOICE_OF.get(each.choice),
            }
            for each in draft.opened
        ],
        "constructs": [
            {"path": each.path, "line": each.line, "kind": each.kind, "why": each.why, "text": each.shown}
            for each in draft.constructs
        ],
        "mentions": [
            {
                "path": each.path,
                "line": each.line,
                "column": each.column + 1,
                "tier": each.tier,
                "where": each.where,
                "text": each.shown,
            }
            for each in draft.mentions
        ],
        "reasons": list(draft.reasons),
        "witness": _witness_document(draft.witness) if draft.witness is not None else None,
        "candidates": [
            {
                "id": f"{plan.id}:{each.choice}" if plan is not None else None,
                "choice": each.choice,
                "title": each.title,
                "risk": each.risk,
                "places": len(each.spots),
                "edits": [_spot_document(spot, draft.new_name) for spot in each.spots],
            }
            for each in draft.candidates
        ],
        "offered": f"{plan.id}:{planned.offered}" if planned.offered and plan is not None else None,
        "proof": proof_document(proof),
        "next": [
            {
                "do": each.do,
                "call": word(each),
                "why": each.why,
                "places": each.places,
                "files": each.files,
                "chosen_before": each.is_offered,
            }
            for each in going_on(planned, proof)
        ],
        "diff": None if diff is None else "\n".join(diff),
    }


def proof_document(proof: "EditBasis") -> Document:
    """What an edit is proven by as JSON."""
    indexer = proof.indexer
    return {
        "by": proof.by,
        "indexer": indexer.name if indexer is not None else None,
        "install": indexer.install if indexer is not None and indexer.program is None else None,
    }


def written_document(edit: "EditRecord") -> Document:
    """An edit of the journal as JSON."""
    return {
        "edit_id": edit.id,
        "state": edit.state,
        "title": edit.title,
        "files": [entry.path for entry in edit.entries],
        "left": list(edit.left),
        "lost": list(edit.lost),
    }


def _spot_document(spot: "Spot", new_name: str) -> Document:
    return {
        "path": spot.path,
        "line": spot.line,
        "column": spot.column + 1,
        "text": spot.text,
        "new_text": written(spot, new_name),
        "before": spot.before,
        "after": spot.after,
        "provenance": spot.provenance,
    }


def _witness_document(witness: "Witness") -> Document:
    scope = witness.refresh
    return {
        "bounds": {"files_seen": witness.files_seen, "truncated": witness.truncated},
        "failed": list(witness.failed),
        "facts": [dict(fact) for fact in witness.facts],
        "checklist": [
            {"code": each.code, "question": each.question, "needed": each.needed, "verify": each.verify}
            for each in witness.checklist
        ],
        "refresh": {"files": sorted(scope.files), "packages": sorted(scope.packages), "full": scope.full},
        "may_force": witness.may_force,
    }
