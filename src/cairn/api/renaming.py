"""Renames for Python callers, whose arguments are checked as those of every question are."""

from typing import TYPE_CHECKING

from cairn.api.arguments import in_python_words
from cairn.base.values import replace
from cairn.codebase.renames import Renamed, Renaming
from cairn.questions.parameters import checked
from cairn.questions.rename import given_for, parameter

if TYPE_CHECKING:
    from cairn.edit.editor import Planned
    from cairn.edit.journalfile import EditRecord

_CHOICE = replace(parameter("choice"), name="choice_id", help="a choice of a plan, as PLAN:CHOICE", required=True)


class CheckedRenaming(Renaming):
    """The renames of one codebase."""

    @in_python_words()
    def plan(self, path: str, line: int, column: int, new_name: str) -> "Planned":
        """What the rename of the name at a place would do."""
        given_for("plan", path=path, line=line, column=column, new_name=new_name)
        return super().plan(path, line, column, new_name)

    @in_python_words()
    def decide(self, choice_id: str) -> "Planned":
        """Choose one of a plan's candidates, by PLAN:CHOICE."""
        checked((_CHOICE,), {"choice_id": choice_id})
        return super().decide(choice_id)

    @in_python_words()
    def apply(self, plan_id: str) -> Renamed:
        """Write a plan: all of its files or none."""
        given_for("apply", plan_id=plan_id)
        return super().apply(plan_id)

    @in_python_words()
    def undo(self, edit_id: str) -> "EditRecord":
        """Give the files of an edit their old contents back."""
        given_for("undo", edit_id=edit_id)
        return super().undo(edit_id)
