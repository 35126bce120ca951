"""Moves of definitions in one codebase: planned, decided, written and undone as renames are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cairn.codebase.renames import Renaming
from cairn.edit.source.values import MOVE, EditRequest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cairn.edit.editor import Planned


class Moving(Renaming):
    """The moves of one codebase."""

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
    ) -> Planned:
        """What the move of the definition at a place to a file, which may have to be made, would do."""
        asked = EditRequest(MOVE, path, line, column, {"to_file": to_file})
        return self._planned(asked, take=take, only=only, except_=except_)
