"""`rename_symbol`: an edit that is proven, asked about or refused; planned first, written when told to."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from cairn.codebase import goingon
from cairn.codebase.edits import plan_of
from cairn.codebase.goingon import going_on
from cairn.codebase.renamed import written_document
from cairn.codebase.renames import EditBasis, Renaming
from cairn.edit.plans import TTL_S
from cairn.edit.source.texts import written
from cairn.edit.source.values import BLOCKED, NEEDS_DECISION, REFUSED, RISKS
from cairn.questions.rename import CHANGES, arguments, asked_of, require
from cairn.surfaces.mcp import deeds
from cairn.surfaces.mcp.arguments import MAX_BYTES
from cairn.surfaces.mcp.notes import left_out
from cairn.surfaces.mcp.service import Answer, Ready, Service, ToolCall
from cairn.surfaces.mcp.size import fitted, size_of

if TYPE_CHECKING:
    from cairn.edit.editor import Planned
    from cairn.edit.source.values import EditDraft

_LISTS = ("checklist", "open", "constructs", "facts", "edits", "mentions")
"""What is kept longest where room is short comes first."""
ARGUMENTS = (*arguments(*CHANGES), MAX_BYTES, deeds.IN_WORDS)


def rename_symbol(
    service: Service, call: ToolCall, *, action: str, path: str | None, max_bytes: int, format: str, **given: Any
) -> Answer:
    """The tool `rename_symbol`: plan, apply or undo an edit."""
    require(action, {"path": path, **given})
    with service.ready(call, path) as ready:
        renaming = Renaming(ready.codebase)
        if action == "undo":
            edit = renaming.undo(given["edit_id"])
            undone = {"status": "ok", "action": action, "codebaseRoot": ready.root, "edit": written_document(edit)}
            return deeds.worded(undone, deeds.renamed, format)
        only, but = given["only"] or (), given["except"] or ()
        if given["plan_id"] is not None:
            plan_id = given["plan_id"]
            if given["take"] or only or but:
                plan_id = _id_of(renaming.decide(f"{plan_id}:{given['take'] or ''}", only=only, except_=but))
            return deeds.worded(_applied(ready, call, renaming, plan_id), deeds.renamed, format)
        asked = asked_of(given | {"path": ready.file()})
        planned = plan_of(ready.codebase, asked, given["take"] or "", only, but)
        if action == "apply" and planned.applicable:
            return deeds.worded(_applied(ready, call, renaming, _id_of(planned)), deeds.renamed, format)
        head = _planned(ready, call, planned, action) | _going_on(ready, planned, renaming.proof(planned))
        # Where whole definitions go, their new texts say little.
        if (given["diff"] or planned.draft.title) and planned.plan is not None:
            head["diff"] = "\n".join(renaming.diff(planned))
    rows = _rows(planned)

    def shown(answer: Answer) -> Answer:
        return deeds.worded(answer, deeds.planned, format)

    return fitted(lambda count: shown(_cut(head, rows, count, max_bytes, shown)), len(rows), max_bytes, budgeted=False)


def _id_of(planned: "Planned") -> str:
    """The id of a plan that can be applied, which always has one."""
    return planned.plan.id if planned.plan is not None else ""


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
        "title": draft.title or f"{target.name} → {draft.new_name}",
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
    if planned.offered:
        head["offered"] = planned.offered
    return head


def _going_on(ready: Ready, planned: "Planned", basis: EditBasis) -> Answer:
    """What can be done next, as calls where there is a tool for it."""
    steps = going_on(planned, basis)
    risks = {each.choice: each.risk for each in planned.draft.candidates}
    found: Answer = {"proof": basis.by}
    candidates = [
        {
            "choice": each.value,
            "title": each.why,
            "risk": max((risks.get(word, RISKS[0]) for word in each.value.split(",")), key=RISKS.index),
            "places": each.places,
            "nextAction": _step(ready, action="apply", plan_id=_id_of(planned), take=each.value),
        }
        for each in steps
        if each.do == goingon.TAKE
    ]
    found |= {"candidates": candidates} if candidates else {}
    calls, words = {}, []
    for each in steps:
        if each.do == goingon.APPLY:
            found["nextAction"] = _step(ready, action="apply", plan_id=each.value)
        elif each.do in (goingon.USES, goingon.DEFINITIONS):
            calls[each.do] = {"tool": "find_references", "args": {"path": ready.root, "target": each.value}}
        elif each.do == goingon.IMPORTERS:
            words.append(f"Rename the file {each.value}, and mend what imports it.")
        elif each.do == goingon.ANOTHER_NAME:
            words.append("Plan again with another new_name.")
        elif each.do == goingon.INSTALL:
            words.append(f"More is proven once the user has run: {each.value}, then cairn refresh --wait.")
        elif each.do == goingon.REFRESH:
            words.append("More is proven once the user has run: cairn refresh --wait.")
    found |= {"hint": " ".join(words)} if words else {}
    return found | ({"hints": calls} if calls else {})


def _message(draft: "EditDraft") -> str:
    said = {
        BLOCKED: "Its facts are old: refresh them, or the user has to choose",
        NEEDS_DECISION: "Not all of it is proven: the user has to choose",
        REFUSED: "It can't be done",
    }.get(draft.status, draft.status)
    return f"{said}: {draft.reasons[0]}."


def _rows(planned: "Planned") -> list[tuple[str, dict[str, Any]]]:
    """Everything that there may be much of, in the order in which it is kept."""
    draft = planned.draft
    rows: list[tuple[str, dict[str, Any]]] = []
    if draft.witness is not None and not planned.applicable:
        grouped = {each.kind for each in draft.constructs}
        rows += [
            ("checklist", {"code": each.code, "question": each.question, "needed": each.needed, "verify": each.verify})
            for each in draft.witness.checklist
            if each.code not in grouped
        ]
        rows += [("open", _open(each.path, each.line, each.column, each.why, each.shown)) for each in draft.opened]
        rows += [
            ("constructs", {"path": each.path, "line": each.line, "why": each.why, "text": each.shown})
            for each in draft.constructs
        ]
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
