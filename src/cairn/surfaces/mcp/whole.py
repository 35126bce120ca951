"""Tools that show another question's answer in place of their own: of a codebase as a whole, or of a file."""

from typing import Any

from cairn.base.errors import UsageError
from cairn.base.notes import Lift, Note
from cairn.base.values import replace
from cairn.kernel.tokens import token_cost_of
from cairn.questions.asking import Answered
from cairn.questions.changes import IMPACT, TESTS, UNUSED
from cairn.questions.code import IMPORTS
from cairn.questions.parameters import Parameter
from cairn.questions.question import Asked, Document, Question
from cairn.surfaces.mcp import code_tools
from cairn.surfaces.mcp.arguments import BUDGET, ROOM, room_for
from cairn.surfaces.mcp.compact import in_text
from cairn.surfaces.mcp.service import Answer, Service, ToolCall
from cairn.surfaces.mcp.size import size_of

_SHOWN = {"impact": IMPACT, "tests": TESTS, "unused": UNUSED}
MORE = (
    Parameter("show", "string", "what to tell", "map", choices=("map", *_SHOWN)),
    Parameter("since", "string", "of impact, tests: changes since this commit or branch"),
    Parameter("places", "strings", "instead of since: files; of tests also FILE:LINE or names"),
)
_DIGITS = 2
"""Tokens by which a hint may grow, since its number does."""
OF_A_FILE = (Parameter("show", "string", "what to tell", "outline", choices=("outline", "imports")),)


def repo_map(question: Question, service: Service, call: ToolCall, **given: Any) -> Answer:
    """The map, or what is asked for in its place."""
    show, since, places = (given.pop(each.name) for each in MORE)
    if show in ("map", "unused") and (since is not None or places):
        raise UsageError(f"show={show} is of the whole codebase.", hint="Leave since and places out.")
    if show == "map":
        run = _map if given["format"] == "text" else code_tools.answer
        return run(question, service, call, **given)
    named = {"impact": {"files": places, "since": since}, "tests": {"places": places, "since": since}}
    shown = _SHOWN[show]
    return code_tools.answer(shown, service, call, **{**given, **_defaults(shown), **named.get(show, {})})


def _map(question: Question, service: Service, call: ToolCall, **given: Any) -> Answer:
    """The map in the room that what is said beside it leaves: the budget is that of the whole answer."""
    budget, room = given[BUDGET.name], room_for(given)
    with service.ready(call, given["path"]) as ready:

        def made(beside: int) -> tuple[Document, Answer]:
            values = code_tools.values_of(question, given) | {BUDGET.name: max(1, budget - beside)}
            found = question.answer(Asked(ready.codebase, ready, ready.freshness.looked), values)
            found = replace(found, notes=tuple(_with(note, beside) for note in found.notes))
            words = code_tools.words_of(question, call)
            document = Answered(question, values, found, ready.notes).document(words)
            assert question.plain is not None
            head = code_tools.head_of(ready, document, call)
            return document, in_text(head, question.plain(document, values), room if beside else None)

        document, answer = made(0)
        if document["limits_hit"] or size_of(answer) > room:
            said = size_of(answer) - len(document["text"].encode("utf-8", "replace"))
            document, answer = made(token_cost_of(said) + _DIGITS)
    return answer


def _with(note: Note, beside: int) -> Note:
    """A budget that shows the whole map has room for what is said beside it too."""
    if note.lift is None or note.lift.parameter != BUDGET.name:
        return note
    full = int(str(note.fields["full_tokens"])) + beside
    return replace(note, fields={**note.fields, "full_tokens": full}, lift=Lift(BUDGET.name, full))


def file_outline(question: Question, service: Service, call: ToolCall, *, show: str, **given: Any) -> Answer:
    """The outline of a file, of which a budget leaves out what is innermost first; or its imports."""
    if given["symbol"] is not None or given["format"] != "text":
        given["budget_tokens"] = None
    elif show == "outline":
        # The budget is that of the text, which is cut as such.
        given |= {ROOM: room_for(given), "budget_tokens": None}
    return code_tools.answer(question if show == "outline" else IMPORTS, service, call, **given)


def _defaults(question: Question) -> dict[str, Any]:
    return {each.name: () if each.kind == "strings" else each.default for each in question.parameters}
