"""Edits over HTTP: what their declaration takes as parameters of a POST, since they may write."""

from typing import Any

from cairn.codebase import goingon
from cairn.codebase.edits import plan_of
from cairn.codebase.goingon import GoOn
from cairn.codebase.renamed import SCHEMA_VERSION, planned_document, written_document
from cairn.codebase.renames import Renaming
from cairn.daemon.syncs import DaemonState
from cairn.edit.source.values import MOVE, RENAME, SIGNATURE
from cairn.questions.question import Document
from cairn.questions.rename import arguments, asked_of, require
from cairn.surfaces.http.endpoints import ROOT

EDITS = {
    f"/v1/{name}": (
        f"Plan, apply or undo {what}; a plan shows what is open and what can be taken.",
        (*arguments(kind), ROOT),
    )
    for name, kind, what in (
        ("rename", RENAME, "a rename"),
        ("move", MOVE, "the move of a definition to another file"),
        ("change-signature", SIGNATURE, "a change of a signature"),
    )
}
"""The text and the parameters of each, by its address."""


def edit(house: DaemonState, address: str, given: dict[str, Any]) -> Document:
    """The document of a plan, or of what was written."""
    values: dict[str, Any] = {each.name: given.get(each.name) for each in EDITS[address][1] if each is not ROOT}
    action, only, but = values.pop("action"), values["only"] or (), values["except"] or ()
    require(action, values)
    with house.pool.using(given["root"]) as codebase:
        codebase.require_readable()
        renaming = Renaming(codebase)
        if action == "undo":
            return {"schema_version": SCHEMA_VERSION, "undone": written_document(renaming.undo(values["edit_id"]))}
        take = values["take"] or ""
        if values["plan_id"] is not None:
            plan_id = values["plan_id"]
            if take or only or but:
                decided = renaming.decide(f"{plan_id}:{take}", only=only, except_=but).plan
                plan_id = decided.id if decided is not None else plan_id
            return _written(renaming, plan_id)
        planned = plan_of(codebase, asked_of(values), take, only, but)
        if action == "apply" and planned.applicable and planned.plan is not None:
            return _written(renaming, planned.plan.id)
        diff = renaming.diff(planned) if values["diff"] and planned.plan is not None else None
        plan_id = planned.plan.id if planned.plan is not None else ""
        return planned_document(planned, renaming.proof(planned), lambda step: _asked(step, plan_id), diff)


def _written(renaming: Renaming, plan_id: str) -> Document:
    done = renaming.apply(plan_id)
    return {
        "schema_version": SCHEMA_VERSION,
        "applied": written_document(done.applied.written),
        "places": len(done.applied.planned.spots),
        "notes": [each.document() for each in done.notes],
    }


def _asked(step: GoOn, plan_id: str) -> object:
    """The parameters that go on; in words what isn't done here."""
    if step.do == goingon.APPLY:
        return {"action": "apply", "plan_id": step.value}
    if step.do == goingon.TAKE:
        return {"action": "apply", "plan_id": plan_id, "take": step.value}
    if step.do == goingon.INSTALL:
        return f"{step.value}, then cairn refresh --wait"
    if step.do == goingon.REFRESH:
        return "cairn refresh --wait"
    if step.do == goingon.IMPORTERS:
        return f"ask /v1/imports with file={step.value}"
    asked = {goingon.USES: "ask /v1/refs", goingon.DEFINITIONS: "ask /v1/symbol"}.get(step.do)
    return f"{asked} with name={step.value}" if asked else "ask again with another new_name"
