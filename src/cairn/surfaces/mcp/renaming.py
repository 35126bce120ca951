"""`rename_symbol`: a rename that is proven, asked about or refused; planned first, written when told to."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from cairn.codebase.renamed import written_document
from cairn.codebase.renames import Renaming
from cairn.edit.plans import TTL_S
from cairn.edit.texts import written
from cairn.edit.values import BLOCKED, NEEDS_DECISION, REFUSED
from cairn.questions.rename import arguments, require
from cairn.surfaces.mcp import deeds
from cairn.surfaces.mcp.arguments import MAX_BYTES
from cairn.surfaces.mcp.notes import left_out
from cairn.surfaces.mcp.service import Answer, Ready, Service, ToolCall
from cairn.surfaces.mcp.size import fitted, size_of

if TYPE_CHECKING:
    from cairn.edit.editor import Planned
    from cairn.edit.values import RenameDraft

_LISTS = ("checklist", "open", "facts", "edits", "mentions")
"""What is kept longest where room is short comes first."""
ARGUMENTS = (*arguments(), MAX_BYTES, deeds.IN_WORDS)


def rename_symbol(
    service: Service, call: ToolCall, *, action: str, path: str | None, max_bytes: int, format: str, **given: Any
) -> Answer:
    """The tool `rename_symbol`: plan, decide, apply or undo a rename."""
    require(action, {"path": path, **given})
    with service.ready(call, path) as ready:
        renaming = Renaming(ready.codebase)
        if action == "apply":
            return deeds.worded(_applied(ready, call, renaming, given["plan_id"]), deeds.renamed, format)
        if action == "undo":
            edit = renaming.undo(given["edit_id"])
            undone = {"status": "ok", "action": action, "codebaseRoot": ready.root, "edit": written_document(edit)}
            return deeds.worded(undone, deeds.renamed, format)
        if action == "decide":
            planned = renaming.decide(f"{given['plan_id']}:{given['choice']}")
        else:
            planned = renaming.plan(ready.file(), given["line"], given["column"], given["new_name"])
    head, rows = _planned(ready, call, planned, action), _rows(planned)

    def shown(answer: Answer) -> Answer:
        return deeds.worded(answer, deeds.planned, format)

    return fitted(lambda count: shown(_cut(head, rows, count, max_bytes, shown)), len(rows), max_bytes, budgeted=False)


def _applied(ready: Ready, call: ToolCall, renaming: Renaming, plan_id: str) -> Answer:
    done = renaming.apply(plan_id)
    edit = done.applied.written
    head = ready.basis(done.applied.planned.snapshot_id, done.notes, debug=call.debug)
    return head | {
        "action": "apply",
        "edit": written_document(edit),
        "places": len(done.applied.planned.spots),
        "refreshJobs": list(done.jobs),
        "hints": head.get("hints", {}) | {"undo": _step(ready, action="undo", edit_id=edit.id)},
    }


def _planned(ready: Ready, call: ToolCall, planned: "Planned", action: str) -> Answer:
    draft, plan = planned.draft, planned.plan
    target = draft.target
    head = ready.basis(planned.snapshot_id, (), debug=call.debug) | {
        "status": "ok" if plan is not None and plan.choice else draft.status,
        "action": action,
        "target": {
            "name": target.name,
            "kind": target.kind,
            "symbol": target.symbol,
            "path": target.path,
            "line": target.line,
            "column": target.column + 1,
        },
        "newName": draft.new_name,
        "places": len(planned.spots),
        "files": len({spot.path for spot in planned.spots}),
    }
    if plan is not None:
        head |= {"planId": plan.id, "expiresInS": int(TTL_S)}
    if draft.reasons and not planned.applicable:
        head |= {"message": _message(draft), "reasons": list(draft.reasons)}
    witness = draft.witness
    if witness is not None and not planned.applicable:
        scope = witness.refresh
        head["witness"] = {
            "filesSeen": witness.files_seen,
            "truncated": witness.truncated,
            "mayForce": witness.may_force,
        }
        if not scope.is_empty:
            head["refresh"] = {"files": sorted(scope.files), "packages": sorted(scope.packages), "full": scope.full}
            head["hint"] = "Have the user refresh the facts of the codebase, then plan again."
    if draft.status == NEEDS_DECISION and not planned.applicable and plan is not None:
        head["candidates"] = [
            {
                "choice": each.choice,
                "title": each.title,
                "risk": each.risk,
                "places": len(each.spots),
                "nextAction": _step(ready, action="decide", plan_id=plan.id, choice=each.choice),
            }
            for each in draft.candidates
        ]
        if planned.offered:
            head["offered"] = planned.offered
    if planned.applicable and plan is not None:
        head["nextAction"] = _step(ready, action="apply", plan_id=plan.id)
    return head


def _message(draft: "RenameDraft") -> str:
    said = {
        BLOCKED: "It can't be proven before the semantic facts are refreshed",
        NEEDS_DECISION: "It is not proven: the user has to choose",
        REFUSED: "It can't be done",
    }.get(draft.status, draft.status)
    return f"{said}: {draft.reasons[0]}."


def _rows(planned: "Planned") -> list[tuple[str, dict[str, Any]]]:
    """Everything that there may be much of, in the order in which it is kept."""
    draft = planned.draft
    rows: list[tuple[str, dict[str, Any]]] = []
    if draft.witness is not None and not planned.applicable:
        rows += [
            ("checklist", {"code": each.code, "question": each.question, "needed": each.needed, "verify": each.verify})
            for each in draft.witness.checklist
        ]
        rows += [("open", _open(each.path, each.line, each.column, each.why, each.shown)) for each in draft.opened]
        known = {each.why for each in draft.opened}
        rows += [("facts", dict(fact)) for fact in draft.witness.facts if fact["type"] not in known]
    rows += [
        (
            "edits",
            {
                "path": spot.path,
                "line": spot.line,
                "column": spot.column + 1,
                "newText": written(spot, draft.new_name),
                "provenance": spot.provenance,
            },
        )
        for spot in planned.spots
    ]
    rows += [
        ("mentions", {"path": each.path, "line": each.line, "tier": each.tier, "where": each.where, "text": each.shown})
        for each in draft.mentions
    ]
    return rows


def _open(path: str, line: int, column: int, why: str, shown: str) -> dict[str, Any]:
    return {"path": path, "line": line, "column": column + 1, "why": why, "text": shown}


def _cut(
    head: Answer,
    rows: list[tuple[str, dict[str, Any]]],
    count: int,
    max_bytes: int,
    shown: Callable[[Answer], Answer],
) -> Answer:
    kept = {name: [row for kind, row in rows[:count] if kind == name] for name in _LISTS}
    answer = head | {name: found for name, found in kept.items() if found or name == "edits"}
    if count == len(rows):
        return answer
    missing = {name: sum(kind == name for kind, _ in rows[count:]) for name in _LISTS}
    said = ", ".join(f"{number} {name}" for name, number in missing.items() if number)
    full = size_of(shown(_cut(head, rows, len(rows), max_bytes, shown)))
    return answer | {
        "leftOut": len(rows) - count,
        "limitsHit": ["max_bytes"],
        "warnings": [
            *answer.get("warnings", ()),
            left_out(said, full, max_bytes, "the command line shows all"),
        ],
    }


def _step(ready: Ready, **arguments: str) -> dict[str, Any]:
    return {"tool": "rename_symbol", "args": {"path": ready.root, **arguments}}
