"""How one goes on with a planned edit: never nothing. The same for every kind of edit and every door."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from cairn.base.values import dataclass
from cairn.edit.source.values import DOCS_TOO, FILE_TOO, MODULE, PROVEN_ONLY
from cairn.languages.files import language_of

if TYPE_CHECKING:
    from cairn.codebase.renames import EditBasis
    from cairn.edit.editor import Planned

APPLY, TAKE, ANOTHER_NAME, USES, DEFINITIONS = "apply", "take", "another_name", "references", "symbol"
REFRESH, INSTALL, IMPORTERS = "refresh", "install", "imports"


@dataclass(frozen=True, slots=True)
class GoOn:
    """One thing that can be done next; each door has the command or call for it."""

    do: str
    value: str = ""
    """A plan, choices, a name, or what one does to get an indexer."""
    why: str = ""
    places: int | None = None
    files: int | None = None
    is_offered: bool = False
    """Whether the user chose it before in the same situation: offered again, never done by itself."""


def going_on(planned: "Planned", proof: "EditBasis") -> tuple[GoOn, ...]:
    """What can be done next, what is likeliest first."""
    return tuple(_found(planned, proof))


def _found(planned: "Planned", proof: "EditBasis") -> Iterator[GoOn]:
    draft, plan = planned.draft, planned.plan
    if plan is None:
        yield from _refused(planned)
        return
    if planned.applicable:
        yield GoOn(
            APPLY,
            plan.id,
            "write it within five minutes",
            len(planned.spots),
            len({spot.path for spot in planned.spots}),
        )
        if plan.choice:
            return
    taken = {(spot.path, spot.line, spot.column) for spot in draft.spots}
    for each in draft.candidates:
        beside = each.choice in (DOCS_TOO, FILE_TOO)
        value = f"{PROVEN_ONLY},{each.choice}" if beside else each.choice
        spots = {(spot.path, spot.line, spot.column) for spot in each.spots}
        spots |= taken if beside else set()
        files = len({path for path, _, _ in spots})
        yield GoOn(TAKE, value, each.title, len(spots), files, is_offered=value == planned.offered)
    if planned.applicable:
        return
    if proof.indexer is not None and proof.indexer.program is None:
        yield GoOn(INSTALL, proof.indexer.install, f"with {proof.indexer.name} more is proven")
    elif proof.indexer is not None or (draft.witness is not None and not draft.witness.refresh.is_empty):
        yield GoOn(REFRESH, "", "facts of the files as they are now prove more")


def _refused(planned: "Planned") -> Iterator[GoOn]:
    from cairn.edit.gate.newname import naming_fault  # it brings the whole gate, and editors wait for their server

    draft = planned.draft
    name, new = draft.target.name, draft.new_name
    if draft.title:  # No rename.
        yield GoOn(DEFINITIONS, name, f"where {name} is defined, and how")
        return
    if draft.target.kind == MODULE:
        yield GoOn(IMPORTERS, draft.target.symbol, "who imports it: rename the file, and mend these")
        return
    if draft.spots:
        yield GoOn(USES, new, f"what is called {new} already")
    elif not naming_fault(new, name, language_of(draft.target.path)):
        yield GoOn(DEFINITIONS, name, f"where {name} is defined")
    yield GoOn(ANOTHER_NAME, "", "with another name")
