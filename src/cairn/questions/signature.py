"""What a change of a signature takes beside its place, declared once for every door."""

from cairn.base.errors import UsageError
from cairn.questions.parameters import Parameter

_MOST_ARGUMENTS = 1_000
ADD = Parameter("add", "string", "a parameter: 'name: type = default'", metavar="PARAMETER")
AT = Parameter(
    "at",
    "integer",
    "with add: which argument of a call it is, from 1 (default: the last)",
    least=1,
    most=_MOST_ARGUMENTS,
)
KEYWORD_ONLY = Parameter("keyword_only", "boolean", "with add: calls have to name it (Python)", default=False)
REMOVE = Parameter("remove", "string", "an unused parameter", metavar="NAME")
REORDER = Parameter("reorder", "string", "keyword-only ones, with commas", metavar="NAMES")
PARAMETERS = (ADD, AT, KEYWORD_ONLY, REMOVE, REORDER)
"""Exactly one of `add`, `remove` and `reorder` is given."""


def require_one(add: str | None, remove: str | None, reorder: str | None) -> None:
    """UsageError unless one change is asked for."""
    if sum(each is not None for each in (add, remove, reorder)) != 1:
        ways = ", ".join(each.name for each in (ADD, REMOVE, REORDER))
        raise UsageError("Say one change of the signature.", hint=f"There are {ways}.")
