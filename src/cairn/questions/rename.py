"""What edits take, declared once: their actions and parameters, for the command, the tool, HTTP and Python.

It is no question, since it writes: what it does is asked for by an action, and each has an answer of its own.
"""

from collections.abc import Mapping
from typing import Any

from cairn.base.errors import UsageError
from cairn.base.values import dataclass, replace
from cairn.edit.source.values import MOVE, RENAME, SIGNATURE, EditRequest
from cairn.questions.choosing import DIFF, EXCEPT, ONLY, TAKE
from cairn.questions.move import TO_FILE
from cairn.questions.parameters import Parameter, Values, checked
from cairn.questions.read import MOST_LINES
from cairn.questions.signature import ADD, REMOVE, require_one
from cairn.questions.signature import PARAMETERS as OF_SIGNATURE


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


_AT = ("path", "line", "column")
_PLACE = (*_AT, "new_name")
_CHOSEN = (TAKE.name, ONLY.name, EXCEPT.name)
_NEW_NAME = Parameter("new_name", "string", "what to call it", metavar="NEW")
CHANGES = {RENAME: (_NEW_NAME,), MOVE: (TO_FILE,), SIGNATURE: OF_SIGNATURE}
"""What each kind of edit takes beside its place: by what is given one tells which is meant."""
PARAMETERS = (
    Parameter("path", "string", "the file", is_path=True),
    Parameter("line", "integer", "of the name", least=1, most=MOST_LINES),
    Parameter("column", "integer", "in bytes, from 1", least=1, most=MOST_LINES),
    *(each for taken in CHANGES.values() for each in taken),
    Parameter("plan_id", "string", "for apply"),
    Parameter("choice", "string", "a candidate of the plan"),
    Parameter("edit_id", "string", "for undo"),
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


def arguments(*kinds: str) -> tuple[Parameter, ...]:
    """An action and its parameters, for edits of some kinds."""
    action = Parameter("action", "string", "plan writes nothing", required=True, choices=TOOL_ACTIONS)
    others = {each.name for kind in CHANGES.keys() - {*kinds} for each in CHANGES[kind]}
    return (action, *(each for each in PARAMETERS if each.name not in (others | {"choice"})))


def asked_of(given: Mapping[str, Any]) -> EditRequest:
    """The edit that is asked for at a place; UsageError unless it is one."""
    kinds = [kind for kind, taken in CHANGES.items() if any(each.name in _changes(given) for each in taken)]
    if len(kinds) != 1:
        raise UsageError("Say one change.", hint=f"There are {_ways(given)}.")
    said = {each.name: given.get(each.name, each.default) for each in CHANGES[kinds[0]]}
    if kinds[0] == SIGNATURE:
        require_one(said["add"], said["remove"], said["reorder"])
    return EditRequest(kinds[0], given["path"], given["line"], given["column"], said)


def _ways(given: Mapping[str, Any]) -> str:
    """What can be changed where some parameters are taken; to reorder is left to programs."""
    return " or ".join(each.name for each in (_NEW_NAME, TO_FILE, ADD, REMOVE) if each.name in given)


def _changes(given: Mapping[str, Any]) -> tuple[str, ...]:
    """The names of what is given to change."""
    known = (each.name for taken in CHANGES.values() for each in taken)
    return tuple(name for name in known if given.get(name) not in (None, False))


def require(action: str, given: Mapping[str, Any]) -> None:
    """UsageError unless what an action takes is there, and nothing that belongs to another."""
    needed, changes = ACTIONS[action].takes, _changes(given)
    if changes and (action == "plan" or (action == "apply" and given["plan_id"] is None)):
        # A place is edited at once, without a plan.
        needed = (*_AT, *changes)
    allowed = (*needed, *ACTIONS[action].may_take, "path")
    for name in needed:
        if given.get(name) is None and name == _NEW_NAME.name:
            said = f"action={action} takes {', '.join(_AT)} and {_ways(given)}."
            raise UsageError("The change is missing.", hint=said)
        if given.get(name) is None:
            raise UsageError(f"The argument {name} is missing.", hint=f"action={action} takes {', '.join(needed)}.")
    for name, value in given.items():
        if value not in (None, False, ()) and name not in allowed:
            raise UsageError(
                f"The argument {name} doesn't go with action={action}.", hint=f"It takes {', '.join(needed)}."
            )
