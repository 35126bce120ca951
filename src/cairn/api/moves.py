"""Moves for Python callers, whose arguments are checked as those of every question are."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from cairn.api.arguments import in_python_words
from cairn.api.renaming import CheckedRenaming, choosing_given
from cairn.base.values import replace
from cairn.codebase.moves import Moving
from cairn.questions.move import TO_FILE
from cairn.questions.parameters import checked
from cairn.questions.rename import parameter

if TYPE_CHECKING:
    from cairn.edit.editor import Planned

_TAKEN = tuple(replace(each, required=True) for each in (*map(parameter, ("path", "line", "column")), TO_FILE))


class CheckedMoving(CheckedRenaming, Moving):
    """The moves of one codebase."""

    @in_python_words()
    def plan_move(
        self,
        path: str,
        line: int,
        column: int,
        to_file: str,
        *,
        take: str = "",
        only: Sequence[str] = (),
        except_: Sequence[str] = (),
    ) -> "Planned":
        """What the move of the definition at a place to a file, which may have to be made, would do."""
        checked(_TAKEN, {"path": path, "line": line, "column": column, "to_file": to_file})
        given = choosing_given(take, only, except_)
        chosen = {"take": take, "only": given["only"], "except_": given["except"]}
        return super().plan_move(path, line, column, to_file, **chosen)
