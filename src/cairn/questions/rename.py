"""What a rename takes, declared once: its actions and their parameters, for the command, the tool and Python.

It is no question, since it writes: what it does is asked for by an action, and each has an answer of its own.
"""

from collections.abc import Mapping
from typing import Any

from cairn.base.errors import UsageError
from cairn.base.values import dataclass, replace
from cairn.questions.parameters import Parameter, Values, checked
from cairn.questions.read import MOST_LINES


@dataclass(frozen=True, slots=True)
class RenameAction:
    """One thing that can be done about a rename."""

    name: str
    help: str
    takes: tuple[str, ...] = ()
    metavar: str = ""
    """What the command line's option takes; empty where it takes nothing."""
    in_tool: bool = True
    """Whether an agent may do it."""


PARAMETERS = (
    Parameter("path", "string", "the file", is_path=True),
    Parameter("line", "integer", "the line of the name, from 1", least=1, most=MOST_LINES),
    Parameter("column", "integer", "its column, in bytes from 1", least=1, most=MOST_LINES),
    Parameter("new_name", "string", "what to call it", metavar="NEW"),
    Parameter("plan_id", "string", "the plan"),
    Parameter("choice", "string", "a candidate of the plan; ask the user first"),
    Parameter("edit_id", "string", "the edit that apply made"),
)
ACTIONS = {
    each.name: each
    for each in (
        RenameAction("plan", "only show what would be done (the default)", ("path", "line", "column", "new_name")),
        RenameAction("decide", "choose one of a plan's candidates", ("plan_id", "choice"), "PLAN:CHOICE"),
        RenameAction("apply", "write a plan, or a place's rename at once", ("plan_id",), "PLAN"),
        RenameAction("undo", "give the files of an edit their old contents back", ("edit_id",), "EDIT"),
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
    """The parameters beside an action, which each say with which one they go."""

    def described(each: Parameter) -> Parameter:
        having = " and ".join(action.name for action in ACTIONS.values() if each.name in action.takes)
        rest = "; else a path in the codebase" if each.is_path else ""
        return replace(each, help=f"with {having}: {each.help}{rest}")

    choice = Parameter("action", "string", "what to do; plan writes nothing", required=True, choices=TOOL_ACTIONS)
    return (choice, *map(described, PARAMETERS))


def require(action: str, given: Mapping[str, Any]) -> None:
    """UsageError unless what an action takes is there, and nothing that belongs to another."""
    needed = ACTIONS[action].takes
    for name in needed:
        if given[name] is None:
            raise UsageError(f"The argument {name} is missing.", hint=f"action={action} takes {', '.join(needed)}.")
    for name, value in given.items():
        if value is not None and name not in (*needed, "path"):
            raise UsageError(
                f"The argument {name} doesn't go with action={action}.", hint=f"It takes {', '.join(needed)}."
            )
