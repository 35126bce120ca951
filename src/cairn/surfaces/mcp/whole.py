"""Tools that show another question's answer in place of their own: of a codebase as a whole, or of a file."""

from typing import Any

from cairn.questions.code import IMPACT, IMPORTS, TESTS, UNUSED
from cairn.questions.parameters import Parameter
from cairn.questions.question import Question
from cairn.surfaces.mcp import code_tools
from cairn.surfaces.mcp.arguments import ROOM, room_for
from cairn.surfaces.mcp.service import Answer, Service, ToolCall

_SHOWN = {"impact": IMPACT, "tests": TESTS, "unused": UNUSED}
MORE = (
    Parameter("show", "string", "what to tell", "map", choices=("map", *_SHOWN)),
    Parameter("since", "string", "of impact, tests: changes since this commit or branch"),
    Parameter("places", "strings", "instead of since: files; of tests also FILE:LINE or names"),
)
_END = 70
"""Tokens of what an outline says of itself."""
OF_A_FILE = (Parameter("show", "string", "what to tell", "outline", choices=("outline", "imports")),)


def repo_map(question: Question, service: Service, call: ToolCall, **given: Any) -> Answer:
    """The map, or what is asked for in its place."""
    show, since, places = (given.pop(each.name) for each in MORE)
    if show == "map":
        return code_tools.answer(question, service, call, **given)
    named = {"impact": {"files": places, "since": since}, "tests": {"places": places, "since": since}}
    shown = _SHOWN[show]
    return code_tools.answer(shown, service, call, **{**given, **_defaults(shown), **named.get(show, {})})


def file_outline(question: Question, service: Service, call: ToolCall, *, show: str, **given: Any) -> Answer:
    """The outline of a file, of which a budget leaves out what is innermost first; or its imports."""
    if given["symbol"] is not None or given["format"] != "text":
        given["budget_tokens"] = None
    elif show == "outline":
        # What an answer says of itself takes room as well.
        given |= {ROOM: room_for(given), "budget_tokens": max(1, given["budget_tokens"] - _END)}
    return code_tools.answer(question if show == "outline" else IMPORTS, service, call, **given)


def _defaults(question: Question) -> dict[str, Any]:
    return {each.name: () if each.kind == "strings" else each.default for each in question.parameters}
