"""Edits of every kind through one function, for doors that take what is asked for as a value."""

from collections.abc import Callable, Sequence

from cairn.codebase.moves import Moving
from cairn.codebase.renames import EditableCodebase, Renaming
from cairn.codebase.signatures import SignatureChanging
from cairn.edit.editor import Planned
from cairn.edit.source.values import MOVE, RENAME, SIGNATURE, EditRequest


def plan_of(
    codebase: EditableCodebase, asked: EditRequest, take: str, only: Sequence[str], except_: Sequence[str]
) -> Planned:
    """What an edit would do, with what is taken of it."""
    plans: dict[str, Callable[..., Planned]] = {
        RENAME: Renaming(codebase).plan,
        MOVE: Moving(codebase).plan_move,
        SIGNATURE: SignatureChanging(codebase).plan_signature,
    }
    place = (asked.path, asked.line, asked.column)
    return plans[asked.kind](*place, **asked.arguments, take=take, only=only, except_=except_)
