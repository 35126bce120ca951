"""What a rename takes, declared once: its actions and their parameters, for the command, the tool, HTTP and Python.

It is no question, since it writes: what it does is asked for by an action, and each has an answer of its own.
"""

from collections.abc import Mapping
from typing import Any

from cairn.base.errors import UsageError
from cairn.base.values import dataclass, replace
from cairn.questions.choosing import DIFF, EXCEPT, ONLY, TAKE
from cairn.questions.parameters import Parameter, Values, checked
from cairn.questions.read import MOST_LINES


@dataclass(frozen=True, slots=True)
class RenameAction:
    """One thing that can be done about a rename."""

    name: str
    help: str
    takes: tuple[str, ...] = ()
    may_take: tuple[str, ...] = ()
    metavar: str = ""
    """What the command line's option takes; empty where it takes nothing."""
    in_tool: bool = True
    """Whether an agent may do it."""


_PLACE = ("path", "line", "column", "new_name")
_CHOSEN = (TAKE.name, ONLY.name, EXCEPT.name)
PARAMETERS = (
    Parameter("path", "string", "the file", is_path=True),
    Parameter("line", "integer", "line of the name", least=1, most=MOST_LINES),
    Parameter("column", "integer", "its column, in bytes from 1", least=1, most=MOST_LINES),
    Parameter("new_name", "string", "what to call it", metavar="NEW"),
    Parameter("plan_id", "string", "for apply: a plan"),
    Parameter("choice", "string", "a candidate of the plan"),
    Parameter("edit_id", "string", "for undo: the edit that was made"),
    TAKE,
    ONLY,
    EXCEPT,
    DIFF,
)
ACTIONS = {
    each.name: each
    for each in (
        RenameAction("plan", "only show what would be done (the default)", _PLACE, (*_CHOSEN, DIFF.name)),
        RenameAction(
            "decide", "choose of a plan's candidates", ("plan_id", "choice"), _CHOSEN[1:], "PLAN:CHOICE", in_tool=False
        ),
        RenameAction("apply", "write a plan, or a place's rename at once", ("plan_id",), _CHOSEN, "PLAN"),
        RenameAction("undo", "give the files of an edit their old contents back", ("edit_id",), metavar="EDIT"),
        RenameAction("recover", "bring an edit to its end that a process left half done", in_tool=False),
        RenameAction("list", "the edits that were made", in_tool=False),
    )
}
TOOL_ACTIONS = tuple(each.name for each in ACTIONS.values() if each.in_tool)


def parameter(name: str) -> Parameter:
    """One of the parameters."""
    return next(each for each in PARAMETERS if each.name == name)


def given_for(action: str, **given: Any) -> Values:
    """What an action takes, checked; UsageError for what is missing or not allowed."""
    return checked([replace(parameter(name), required=True) for name in ACTIONS[action].takes], given)


def arguments() -> tuple[Parameter, ...]:
    """The parameters beside an action."""
    choice = Parameter("action", "string", "what to do; plan writes nothing", required=True, choices=TOOL_ACTIONS)
    return (choice, *(each for each in PARAMETERS if each.name != "choice"))


def require(action: str, given: Mapping[str, Any]) -> None:
    """UsageError unless what an action takes is there, and nothing that belongs to another."""
    needed = ACTIONS[action].takes
    if action == "apply" and given["plan_id"] is None and given["new_name"] is not None:
        # A place is renamed at once, without a plan.
        needed = _PLACE
    allowed = (*needed, *ACTIONS[action].may_take, "path")
    for name in needed:
        if given[name] is None:
            raise UsageError(f"The argument {name} is missing.", hint=f"action={action} takes {', '.join(needed)}.")
    for name, value in given.items():
        if value not in (None, False, ()) and name not in allowed:
            raise UsageError(
                f"The argument {name} doesn't go with action={action}.", hint=f"It takes {', '.join(needed)}."
            )
