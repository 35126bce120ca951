"""Renames for Python callers, whose arguments are checked as those of every question are."""

from typing import TYPE_CHECKING

from cairn.api.arguments import LINE, MOST_LINES
from cairn.codebase.renames import Renamed, Renaming
from cairn.questions.parameters import Parameter, checked

if TYPE_CHECKING:
    from cairn.edit.journalfile import EditRecord
    from cairn.edit.rename import Planned

_PLAN = (
    Parameter("path", "string", "a file of the codebase", required=True),
    LINE,
    Parameter("column", "integer", "where the name begins, in bytes from 1", required=True, least=1, most=MOST_LINES),
    Parameter("new_name", "string", "what it is to be called", required=True),
)
_CHOICE = Parameter("choice_id", "string", "a choice of a plan, as PLAN:CHOICE", required=True)
_PLAN_ID = Parameter("plan_id", "string", "the id of a plan", required=True)
_EDIT_ID = Parameter("edit_id", "string", "the id of an edit", required=True)


class CheckedRenaming(Renaming):
    """The renames of one codebase."""

    def plan(self, path: str, line: int, column: int, new_name: str) -> "Planned":
        """What the rename of the name at a place would do."""
        checked(_PLAN, {"path": path, "line": line, "column": column, "new_name": new_name})
        return super().plan(path, line, column, new_name)

    def decide(self, choice_id: str) -> "Planned":
        """Choose one of a plan's candidates, by PLAN:CHOICE."""
        checked((_CHOICE,), {"choice_id": choice_id})
        return super().decide(choice_id)

    def apply(self, plan_id: str) -> Renamed:
        """Write a plan: all of its files or none."""
        checked((_PLAN_ID,), {"plan_id": plan_id})
        return super().apply(plan_id)

    def undo(self, edit_id: str) -> "EditRecord":
        """Give the files of an edit their old contents back."""
        checked((_EDIT_ID,), {"edit_id": edit_id})
        return super().undo(edit_id)
