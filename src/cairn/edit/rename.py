"""A rename from the request to the written files; everything is checked again right before writing."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager

from cairn.base.errors import ContentChangedError, RefusedError, UsageError
from cairn.base.values import dataclass, replace
from cairn.edit.draft import SemanticStates, draft
from cairn.edit.journal import FileEdit, Journal
from cairn.edit.journalfile import EditRecord
from cairn.edit.plans import Plans, RenamePlan, digest_of
from cairn.edit.sources import UnindexedFiles
from cairn.edit.texts import rewritten
from cairn.edit.values import APPLICABLE, PROVEN_ONLY, REFUSED, RenameDraft, Spot
from cairn.semantic.control import same_head
from cairn.store import SnapshotView
from cairn.workspace.beneath import Beneath
from cairn.workspace.reads import read_stable

MAX_FILE_BYTES = 64 << 20
RenameInputs = tuple[SnapshotView, SemanticStates, UnindexedFiles]
"""What a draft is made from."""


@dataclass(frozen=True, slots=True)
class Planned:
    """A draft, and the plan by which the user can apply it or decide."""

    draft: RenameDraft
    plan: RenamePlan | None
    snapshot_id: str
    offered: str = ""
    """The user's earlier choice in the same situation: it is offered, never applied by itself."""

    @property
    def spots(self) -> tuple[Spot, ...]:
        """The places that applying it would change."""
        return _chosen(self.draft, self.plan) if self.plan is not None else self.draft.spots

    @property
    def applicable(self) -> bool:
        """Whether the plan can be applied as it is."""
        return self.draft.status in APPLICABLE or (self.plan is not None and bool(self.plan.choice))


@dataclass(frozen=True, slots=True)
class Applied:
    """A rename that was written, with its entry in the journal."""

    planned: Planned
    written: EditRecord


class Renamer:
    """Renames in one codebase. `inputs` opens a snapshot that agrees with the tree, and what is known of it."""

    def __init__(
        self,
        tree: Beneath,
        plans: Plans,
        journal: Journal,
        inputs: Callable[[], AbstractContextManager[RenameInputs]],
        head: Callable[[], str | None],
    ) -> None:
        self._tree = tree
        self._plans = plans
        self._journal = journal
        self._inputs = inputs
        self._head = head

    def plan(self, path: str, line: int, column: int, new_name: str) -> Planned:
        """What a rename would do; nothing is written."""
        head = self._head()
        with self._inputs() as (view, known, unindexed):
            found = draft(view, known, path, line, column, new_name, unindexed, self._plans.settled)
            snapshot_id = view.snapshot_id
        if faults := tuple(self._journal.unwritable(found.files)) if found.status in APPLICABLE else ():
            found = replace(found, status=REFUSED, reasons=faults)
        asked = (path, line, column)
        if found.status in APPLICABLE:
            return Planned(found, self._plans.keep(asked, found, found.spots, head), snapshot_id)
        if found.candidates:
            plan = self._plans.keep(asked, found, found.spots, head)
            return Planned(found, plan, snapshot_id, self._plans.decided(found.signature, head, found.hashes))
        return Planned(found, None, snapshot_id)

    def decide(self, choice_id: str, only: Sequence[str] = (), excluded: Sequence[str] = ()) -> Planned:
        """Take some of a plan's choices, by PLAN:CHOICE[,CHOICE], or some places of them; the result can be applied."""
        plan_id, _, choice = choice_id.partition(":")
        plan = self._alive(plan_id)
        now, snapshot_id = self._again(plan)
        known = {each.choice for each in now.candidates}
        for each in choice.split(","):
            # What is proven can always be taken, also where nothing is asked.
            if each not in known and not (each == PROVEN_ONLY and now.spots):
                said = ", ".join(sorted(known)) or "nothing"
                raise UsageError(f"{each or choice_id} is none of the choices.", hint=f"There is {said} to choose.")
        asked = (plan.path, plan.line, plan.column)
        decided = replace(plan, choice=choice, only=tuple(only), excluded=tuple(excluded))
        spots = _chosen(now, decided)
        if not spots:
            raise UsageError("None of the places is left to change.", hint="Name places that the plan shows.")
        self._plans.decide(plan, choice, {"symbol": now.target.symbol, "new_name": plan.new_name})
        kept = self._plans.keep(asked, now, spots, plan.head, choice=choice, only=only, excluded=excluded)
        self._plans.drop(plan.id)
        return Planned(now, kept, snapshot_id)

    def apply(self, plan_id: str) -> Applied:
        """Write a plan's edits, if it is still alive and everything it relies on is unchanged."""
        plan = self._alive(plan_id)
        now, snapshot_id = self._again(plan)
        planned = Planned(now, plan, snapshot_id)
        if not planned.applicable:
            raise RefusedError(
                f"The plan's status is {now.status}: nothing was written.", hint="See the plan's reasons."
            )
        if digest_of(planned.spots) != plan.edits:
            raise ContentChangedError("The plan would change other places now than it showed: nothing was written.")
        changes = [self._change(path, plan, planned) for path in sorted({spot.path for spot in planned.spots})]
        title = f"rename {now.target.name} to {plan.new_name}"
        written = self._journal.apply(changes, title)
        self._plans.drop(plan.id)
        if plan.choice:
            # Whoever goes on in sight of these has answered for them.
            self._plans.settle((each.settles for each in now.constructs), plan.choice)
        return Applied(planned, written)

    def _alive(self, plan_id: str) -> RenamePlan:
        plan = self._plans.get(plan_id)
        if plan is None:
            raise RefusedError(f"There is no plan {plan_id}, or it is too old.", hint="Plan the rename again.")
        return plan

    def _again(self, plan: RenamePlan) -> tuple[RenameDraft, str]:
        """Draft the rename again; RefusedError if the result differs from the plan."""
        if not same_head(plan.head, self._head()):
            raise ContentChangedError("HEAD is not where it was when the rename was planned: nothing was written.")
        with self._inputs() as (view, known, unindexed):
            asked = (plan.path, plan.line, plan.column, plan.new_name)
            now = draft(view, known, *asked, unindexed, self._plans.settled)
            if dict(now.hashes) != dict(plan.hashes) or now.status != plan.status or now.signature != plan.signature:
                raise ContentChangedError("Files changed since the rename was planned: nothing was written.")
            return now, view.snapshot_id

    def _change(self, path: str, plan: RenamePlan, planned: Planned) -> FileEdit:
        read = read_stable(self._tree, path, MAX_FILE_BYTES)
        if read.file_hash != plan.hashes.get(path):
            raise ContentChangedError(f"{path} was changed since the rename was planned: nothing was written.")
        spots = [spot for spot in planned.spots if spot.path == path]
        return FileEdit(path, read.data, rewritten(read.data, spots, plan.new_name))


def _chosen(found: RenameDraft, plan: RenamePlan) -> tuple[Spot, ...]:
    """The places that a plan changes, in order."""
    taken = plan.choice.split(",") if plan.choice else [PROVEN_ONLY]
    by_choice = {each.choice: each.spots for each in found.candidates} | {PROVEN_ONLY: found.spots}
    spots = {(spot.path, spot.line, spot.column): spot for each in taken for spot in by_choice.get(each, ())}
    return tuple(
        spot
        for _, spot in sorted(spots.items())
        if (not plan.only or _is_among(spot, plan.only)) and not _is_among(spot, plan.excluded)
    )


def _is_among(spot: Spot, places: Sequence[str]) -> bool:
    line = f"{spot.path}:{spot.line}"
    return any(place in (spot.path, line, f"{line}:{spot.column + 1}") for place in places)
