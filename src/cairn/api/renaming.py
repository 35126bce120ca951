"""Renames for Python callers, whose arguments are checked as those of every question are."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from cairn.api.arguments import in_python_words, several
from cairn.base.values import replace
from cairn.codebase.renames import Renamed, Renaming
from cairn.questions.choosing import EXCEPT, ONLY, TAKE
from cairn.questions.parameters import Values, checked
from cairn.questions.rename import given_for, parameter

if TYPE_CHECKING:
    from cairn.edit.editor import Planned
    from cairn.edit.journalfile import EditRecord
    from cairn.graph.targets import Place

_CHOICE = replace(parameter("choice"), name="choice_id", help="a choice of a plan, as PLAN:CHOICE", required=True)
_NAME = replace(parameter("choice"), name="name", help="what is called so", required=True)


def choosing_given(take: object, only: object, except_: object) -> Values:
    """What is taken of an edit, checked by its declaration; no choice at all is an empty text."""
    given = {"take": None if take == "" else take, "only": several(only), "except": several(except_)}
    return checked((TAKE, ONLY, EXCEPT), given)


class CheckedRenaming(Renaming):
    """The renames of one codebase."""

    @in_python_words()
    def plan(
        self,
        path: str,
        line: int,
        column: int,
        new_name: str,
        *,
        take: str = "",
        only: Sequence[str] = (),
        except_: Sequence[str] = (),
    ) -> "Planned":
        """What the rename of the name at a place would do; with what is taken of it, it can be applied."""
        given_for("plan", path=path, line=line, column=column, new_name=new_name)
        given = choosing_given(take, only, except_)
        return super().plan(path, line, column, new_name, take=take, only=given["only"], except_=given["except"])

    @in_python_words()
    def locate(self, name: str, path: str = "", line: int | None = None) -> "Place":
        """The place of a name's definition, of a file or on a line of it."""
        checked((_NAME, parameter("path"), parameter("line")), {"name": name, "path": path or None, "line": line})
        return super().locate(name, path, line)

    @in_python_words()
    def decide(self, choice_id: str, *, only: Sequence[str] = (), except_: Sequence[str] = ()) -> "Planned":
        """Take some of a plan's choices, by PLAN:CHOICE[,CHOICE], or some places of them."""
        checked((_CHOICE,), {"choice_id": choice_id})
        given = choosing_given("", only, except_)
        return super().decide(choice_id, only=given["only"], except_=given["except"])

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
