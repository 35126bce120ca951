"""What a rename asks or refuses in an editor: one sentence, the choices, and the places that are open."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from cairn.base.text import plural
from cairn.base.values import dataclass
from cairn.codebase.goingon import TAKE, GoOn
from cairn.edit.source.values import BLOCKED, FILE_TOO, REFUSED
from cairn.surfaces.lsp import types

if TYPE_CHECKING:
    from cairn.edit.editor import Planned

_TAKEN: Mapping[str, str] = {
    "proven": "proven",
    "likely": "proven and likely",
    "code": "everything open in code",
    "all": "texts too",
    "docs": "comments and documents too",
    "file": "the file too",
}


@dataclass(frozen=True, slots=True)
class RenameChoice:
    """One answer that the user can give."""

    title: str
    take: str
    was_taken: bool = False
    """Whether the user chose it before in the same situation."""


@dataclass(frozen=True, slots=True)
class StandingPlace:
    """A place that keeps a rename from passing."""

    path: str
    line: int
    """From 1."""
    column: int | None
    """In bytes from the start of the line; None where all of the line is meant."""
    why: str


@dataclass(frozen=True, slots=True)
class RenameAsk:
    """A rename that somebody asks for at a place, with what is taken of it."""

    uri: str
    position: types.Position
    new_name: str
    take: str = ""
    only: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RenameQuestion:
    """A rename that waits for an answer."""

    asked: RenameAsk
    version: int | None
    """Of the document: an answer is offered until that changes."""
    name: types.Range
    sentence: str
    choices: tuple[RenameChoice, ...]
    root: str
    open_places: tuple[StandingPlace, ...]


def sentence_of(planned: "Planned") -> str:
    """Why a rename is not done, in one sentence that a client can show."""
    draft = planned.draft
    name, new, reasons = draft.target.name, draft.new_name, draft.reasons
    if draft.status == REFUSED:
        return f"{name} can't be renamed to {new}: {reasons[0] if reasons else 'it is refused'}."
    said = [f"{plural(len(draft.spots), 'place')} proven"]
    if draft.opened:
        first = draft.opened[0]
        said.append(f"{len(draft.opened)} open ({first.path}:{first.line} {first.shown!r}{_more(draft.opened)})")
    if draft.constructs:
        one = draft.constructs[0]
        beside = _more(draft.constructs)
        said.append(f"{one.path}:{one.line} {one.why} ({one.shown!r}{beside})")
    elif not draft.opened and reasons:
        said.append(reasons[0])
    old = ", and facts of it are old" if draft.status == BLOCKED else ""
    return f"Not all of {name} is proven{old}: {', '.join(said)}; choose what to rename to {new}."


def choices_of(planned: "Planned", steps: tuple[GoOn, ...], *, files: bool) -> tuple[RenameChoice, ...]:
    """The answers that can be given; whether a file follows is asked only of a client who can rename files."""
    found = (step for step in steps if step.do == TAKE)
    return tuple(
        RenameChoice(_title(planned, step), step.value, step.is_offered)
        for step in found
        if files or FILE_TOO not in step.value.split(",")
    )


def follows(planned: "Planned") -> bool:
    """Whether a file is called after the thing, so that it may get the new name as well."""
    return any(each.choice == FILE_TOO for each in planned.draft.candidates)


def standing_in_the_way(planned: "Planned") -> Iterator[StandingPlace]:
    """What is open, by place."""
    draft = planned.draft
    questions = {each.code: each.question for each in draft.witness.checklist} if draft.witness is not None else {}
    for each in draft.opened:
        yield StandingPlace(each.path, each.line, each.column, questions.get(each.why, each.why))
    for construct in draft.constructs:
        yield StandingPlace(
            construct.path, construct.line, None, f"This {construct.why}: may that be {draft.target.name}?"
        )


def _title(planned: "Planned", step: GoOn) -> str:
    words = step.value.split(",")
    taken = ", ".join(_TAKEN.get(word, word) for word in words)
    if FILE_TOO in words:
        moved = next((each.moves for each in planned.draft.candidates if each.choice == FILE_TOO), {})
        taken += "".join(f" ({old} to {new})" for old, new in moved.items())
    before = ", as you chose before" if step.is_offered else ""
    return f"Rename to {planned.draft.new_name}: take {taken} ({plural(step.places or 0, 'place')}{before})"


def _more(found: tuple[object, ...]) -> str:
    return f", and {len(found) - 1} more" if len(found) > 1 else ""
