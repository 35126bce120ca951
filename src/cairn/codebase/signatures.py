"""Changes of signatures in one codebase: planned, decided, written and undone as renames are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cairn.codebase.renames import Renaming
from cairn.edit.source.values import SIGNATURE, EditRequest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cairn.edit.editor import Planned


class SignatureChanging(Renaming):
    """The changes of signatures of one codebase."""

    def plan_signature(
        self,
        path: str,
        line: int,
        column: int,
        *,
        add: str | None = None,
        at: int | None = None,
        keyword_only: bool = False,
        remove: str | None = None,
        reorder: str | None = None,
        take: str = "",
        only: Sequence[str] = (),
        except_: Sequence[str] = (),
    ) -> Planned:
        """What another signature of the function at a place would change; with what is taken it can be applied."""
        said = {"add": add, "at": at, "keyword_only": keyword_only, "remove": remove, "reorder": reorder}
        asked = EditRequest(SIGNATURE, path, line, column, said)
        return self._planned(asked, take=take, only=only, except_=except_)
