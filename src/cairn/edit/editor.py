"""An edit from the request to the written files; everything is checked again right before writing.

A kind of edit is a function from what is known and a request to a draft. All else is the same for every kind: plans,
choices, the check that nothing changed since, the journal.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager

from cairn.base.errors import ContentChangedError, RefusedError, UsageError
from cairn.base.steps import PHRASES, Advice, NextStep
from cairn.base.values import dataclass, replace
from cairn.edit.gate.draft import EditInputs, Settled, rename_draft
from cairn.edit.journal import FileEdit, Journal
from cairn.edit.journalfile import EditRecord
from cairn.edit.moving.draft import move_draft
from cairn.edit.plans import EditPlan, Plans, digest_of
from cairn.edit.signature.draft import signature_draft
from cairn.edit.source.texts import rewritten
from cairn.edit.source.values import (
    ALL_TOO,
    APPLICABLE,
    CHOICES,
    DOCS_TOO,
    LADDER,
    MOVE,
    PROVEN_ONLY,
    REFUSED,
    RENAME,
    SIGNATURE,
    EditDraft,
    EditRequest,
    Spot,
)
from cairn.semantic.control import same_head
from cairn.workspace.beneath import Beneath
from cairn.workspace.reads import read_stable

MAX_FILE_BYTES = 64 << 20
KINDS: Mapping[str, Callable[[EditInputs, EditRequest, Settled], EditDraft]] = {
    MOVE: move_draft,
    RENAME: rename_draft,
    SIGNATURE: signature_draft,
}


@dataclass(frozen=True, slots=True)
class Planned:
    """A draft, and the plan by which the user can apply it or decide."""

    draft: EditDraft
    plan: EditPlan | None
    snapshot_id: str
    offered: str = ""
    """The user's earlier choice in the same situation: it is offered, never applied by itself."""

    @property
    def spots(self) -> tuple[Spot, ...]:
        """The places that applying it would change."""
        return _chosen(self.draft, self.plan) if self.plan is not None else self.draft.spots

    @property
    def left_out(self) -> tuple[Spot, ...]:
        """What is proven and not changed, since the user left it out."""
        taken = {(spot.path, spot.line, spot.column) for spot in self.spots}
        return tuple(spot for spot in self.draft.spots if (spot.path, spot.line, spot.column) not in taken)

    @property
    def moves(self) -> dict[str, str]:
        """The files that applying it would give another path."""
        taken = self.plan.choice.split(",") if self.plan is not None else ()
        chosen = (each for each in self.draft.candidates if each.choice in taken)
        return {old: new for each in chosen for old, new in each.moves.items()}

    @property
    def applicable(self) -> bool:
        """Whether the plan can be applied as it is."""
        return self.draft.status in APPLICABLE or (self.plan is not None and bool(self.plan.choice))

    @property
    def digest(self) -> str:
        """By which it is told whether a later draft would do the same."""
        return digest_of(self.spots, self.moves)


@dataclass(frozen=True, slots=True)
class Applied:
    """An edit that was written, with its entry in the journal."""

    planned: Planned
    written: EditRecord


class Editor:
    """Edits of one codebase. `inputs` opens a snapshot that agrees with the tree, and what is known of it."""

    def __init__(
        self,
        tree: Beneath,
        plans: Plans,
        journal: Journal,
        inputs: Callable[[], AbstractContextManager[EditInputs]],
        head: Callable[[], str | None],
    ) -> None:
        self._tree = tree
        self._plans = plans
        self._journal = journal
        self._inputs = inputs
        self._head = head

    def plan(self, request: EditRequest) -> Planned:
        """What an edit would do; nothing is written."""
        self._journal.require_whole()
        head = self._head()
        with self._inputs() as inputs:
            found = KINDS[request.kind](inputs, request, self._plans.settled)
            snapshot_id = inputs[0].snapshot_id
        if faults := tuple(self._journal.unwritable(found.files, found.made)) if found.status in APPLICABLE else ():
            found = replace(found, status=REFUSED, reasons=faults)
        planned = Planned(found, None, snapshot_id)
        if found.status not in APPLICABLE and not found.candidates:
            return planned
        offered = "" if found.status in APPLICABLE else self._plans.decided(found.signature, head, found.hashes)
        plan = self._plans.keep(request, found, planned.digest, head)
        return replace(planned, plan=plan, offered=offered)

    def decide(self, choice_id: str, only: Sequence[str] = (), excluded: Sequence[str] = ()) -> Planned:
        """Take some of a plan's choices, by PLAN:CHOICE[,CHOICE], or some places of them; the result can be applied."""
        plan_id, _, choice = choice_id.partition(":")
        plan = self._alive(plan_id)
        now, snapshot_id = self._again(plan)
        known = {*CHOICES, *(each.choice for each in now.candidates)}
        for each in choice.split(","):
            if each not in known:
                hint = f"Choices are: {', '.join(CHOICES)}."
                raise UsageError(f"{each or choice_id} is none of the choices: nothing was written.", hint=hint)
        _require_known(now, (*only, *excluded), plan)
        decided = replace(plan, choice=choice, only=tuple(only), excluded=tuple(excluded))
        planned = Planned(now, decided, snapshot_id)
        if not planned.spots:
            raise UsageError("None of the places is left to change.", hint=_again_of(plan, " to see them."))
        self._plans.decide(plan, choice, {"symbol": now.target.symbol, **plan.request.arguments})
        kept = self._plans.keep(
            plan.request, now, planned.digest, plan.head, choice=choice, only=only, excluded=excluded
        )
        self._plans.drop(plan.id)
        return replace(planned, plan=kept)

    def apply(self, plan_id: str) -> Applied:
        """Write a plan's edits, if it is still alive and everything it relies on is unchanged."""
        plan = self._alive(plan_id)
        now, snapshot_id = self._again(plan)
        planned = Planned(now, plan, snapshot_id)
        if not planned.applicable:
            hint = _again_of(plan, " to see the choices.")
            raise RefusedError(f"The plan's status is {now.status}: nothing was written.", hint=hint)
        if planned.digest != plan.edits:
            raise _changed(plan, "The plan would change other places now than it showed")
        title = now.title or f"rename {now.target.name} to {now.new_name}"
        written = self._journal.apply(list(self.changes(planned)), title)
        self._plans.drop(plan.id)
        if plan.choice and not planned.left_out:
            # Whoever goes on in sight of these has answered for them.
            self._plans.settle((each.settles for each in now.constructs), plan.choice, written.id)
        return Applied(planned, written)

    def changes(self, planned: Planned) -> Iterator[FileEdit]:
        """Every file that a plan changes, makes or removes, with its contents now and then."""
        hashes, new_name, moves = planned.draft.hashes, planned.draft.new_name, planned.moves
        for path in sorted({*(spot.path for spot in planned.spots), *moves}):
            spots = [spot for spot in planned.spots if spot.path == path]
            if path in planned.draft.made:
                yield FileEdit(path, None, rewritten(b"", spots, new_name))
                continue
            read = read_stable(self._tree, path, MAX_FILE_BYTES)
            if read.file_hash != hashes.get(path):
                raise _changed(planned.plan, f"{path} was changed since the edit was planned")
            new = rewritten(read.data, spots, new_name)
            if path in moves:
                yield FileEdit(path, read.data, None)
                yield FileEdit(moves[path], None, new, self._journal.mode(path))
            else:
                yield FileEdit(path, read.data, new)

    def _alive(self, plan_id: str) -> EditPlan:
        plan = self._plans.get(plan_id)
        if plan is None:
            hint = Advice("Plan it again: ", NextStep("rename", "FILE:LINE:COLUMN\nNEW"), ".")
            raise RefusedError(f"There is no plan {plan_id}, or it is too old.", hint=hint)
        return plan

    def _again(self, plan: EditPlan) -> tuple[EditDraft, str]:
        """Draft the edit again; ContentChangedError if what it relies on differs from the plan."""
        if not same_head(plan.head, self._head()):
            raise _changed(plan, "HEAD is not where it was when the edit was planned")
        with self._inputs() as inputs:
            now = KINDS[plan.request.kind](inputs, plan.request, self._plans.settled)
            if dict(now.hashes) != dict(plan.hashes) or now.status != plan.status or now.signature != plan.signature:
                raise _changed(plan, "Files changed since the edit was planned")
            return now, inputs[0].snapshot_id


def _again_of(plan: EditPlan | None, purpose: str) -> Advice:
    """What mends a plan that can't be used: to ask for the same once more."""
    asked = plan.request if plan is not None else None
    if asked is None or asked.kind not in PHRASES:
        return Advice("Ask for the edit again", purpose)
    words = (f"{asked.path}:{asked.line}:{asked.column}", *map(str, asked.arguments.values()))
    return Advice(NextStep(asked.kind, "\n".join(words)), purpose)


def _changed(plan: EditPlan | None, why: str) -> ContentChangedError:
    return ContentChangedError(f"{why}: nothing was written.", hint=_again_of(plan, " to see it as it is now."))


def _require_known(found: EditDraft, places: Sequence[str], plan: EditPlan) -> None:
    """UsageError for a place that the user names and the draft doesn't have, or not any more."""
    known = [*found.spots, *(spot for each in found.candidates for spot in each.spots)]
    for place in places:
        if not any(_is_among(spot, (place,)) for spot in known):
            said = f"{place} is none of the places that would be changed, or has changed meanwhile"
            raise UsageError(f"{said}: nothing was written.", hint=_again_of(plan, " to see them as they are now."))


def _widest(choice: str, offered: Collection[str]) -> str:
    """The choice, or the widest below it where it has nothing to add: a user may name more than there is."""
    if choice in offered or choice not in LADDER:
        return choice if choice in offered else PROVEN_ONLY
    return next(each for each in reversed(LADDER[: LADDER.index(choice)]) if each in offered)


def _chosen(found: EditDraft, plan: EditPlan) -> tuple[Spot, ...]:
    """The places that a plan changes, in order; where two choices change one place, the later one counts."""
    taken = plan.choice.split(",") if plan.choice else [PROVEN_ONLY]
    by_choice = {each.choice: each.spots for each in found.candidates} | {PROVEN_ONLY: found.spots}
    groups = [by_choice[_widest(each, by_choice)] for each in taken]
    if plan.only and ALL_TOO in taken:
        # Whoever names a place where there is nothing but prose means that.
        prose = [place for place in plan.only if not any(_is_among(spot, (place,)) for each in groups for spot in each)]
        groups.append(tuple(spot for spot in by_choice.get(DOCS_TOO, ()) if _is_among(spot, prose)))
    spots = {(spot.path, spot.line, spot.column): spot for group in groups for spot in group}
    return tuple(
        spot
        for _, spot in sorted(spots.items())
        if (not plan.only or _is_among(spot, plan.only)) and not _is_among(spot, plan.excluded)
    )


def _is_among(spot: Spot, places: Sequence[str]) -> bool:
    line = f"{spot.path}:{spot.line}"
    return any(place in (spot.path, line, f"{line}:{spot.column + 1}") for place in places)
