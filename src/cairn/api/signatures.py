"""Changes of signatures for Python callers, whose arguments are checked as those of every question are."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from cairn.api.arguments import in_python_words
from cairn.api.renaming import CheckedRenaming, choosing_given
from cairn.codebase.signatures import SignatureChanging
from cairn.questions.parameters import checked
from cairn.questions.rename import parameter
from cairn.questions.signature import PARAMETERS, require_one

if TYPE_CHECKING:
    from cairn.edit.editor import Planned

_PLACE = tuple(map(parameter, ("path", "line", "column")))


class CheckedSignatureChanging(CheckedRenaming, SignatureChanging):
    """The changes of signatures of one codebase."""

    @in_python_words()
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
    ) -> "Planned":
        """What another signature of the function at a place would change; with what is taken it can be applied."""
        said = {"add": add, "at": at, "keyword_only": keyword_only, "remove": remove, "reorder": reorder}
        checked((*_PLACE, *PARAMETERS), {"path": path, "line": line, "column": column, **said})
        require_one(add, remove, reorder)
        given = choosing_given(take, only, except_)
        return super().plan_signature(
            path,
            line,
            column,
            add=add,
            at=at,
            keyword_only=keyword_only,
            remove=remove,
            reorder=reorder,
            take=take,
            only=given["only"],
            except_=given["except"],
        )
