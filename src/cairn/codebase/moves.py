"""Moves of definitions in one codebase."""

from cairn.codebase.renames import Renaming
from cairn.edit.editor import Planned
from cairn.edit.values import MOVE, EditRequest
from cairn.workspace.livefiles import real_key


class Moving(Renaming):
    """The moves of one codebase; what was planned is decided, applied and undone as a rename is."""

    def plan_move(self, path: str, line: int, column: int, target: str) -> Planned:
        """What the move of the definition at a place to a file, which may have to be made, would do."""
        root = self._codebase.root_path
        return self._editor().plan(EditRequest(MOVE, real_key(root, path), line, column, {"target": target}))
