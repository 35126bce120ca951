"""The tools that ask questions: each is asked by its declaration, and its document is shown compact or as it is."""

from typing import Any

from cairn.base.errors import UsageError
from cairn.codebase.wording import Spelling
from cairn.questions.asking import Answered
from cairn.questions.common import AT
from cairn.questions.parameters import Values
from cairn.questions.question import Asked, Document, Question
from cairn.questions.registry import question as question_named
from cairn.surfaces.mcp.arguments import BUDGET, is_the_file, room_for
from cairn.surfaces.mcp.compact import compact, in_text, nothing_is_meant, warned
from cairn.surfaces.mcp.notes import spelling
from cairn.surfaces.mcp.service import Answer, Ready, Service, ToolCall

OF_COMMIT = "of_commit"
"""How fresh an answer is that a commit gives."""
OF_REMOTE = "of_remote"
"""How fresh one is that a remote's snapshot gives, with what differs in the tree laid over it."""


def answer(question: Question, service: Service, call: ToolCall, **given: Any) -> Answer:
    """Ask the question of the codebase that is named, or another one where the arguments ask that."""
    other, given = question.tuning.asked(given)
    question = question_named(other) if other else question
    if given.get(AT.name) is not None and AT not in question.parameters:
        raise UsageError(f"{AT.name} doesn't go with what is asked for.", hint="Ask it of the tree as it is.")
    values = values_of(question, given)
    with service.ready(call, given["path"]) as ready:
        for each in question.parameters:
            if is_the_file(question, each):
                values[each.name] = ready.file()
        require(question, values)
        document = document_of(question, Asked(ready.codebase, ready, ready.freshness.looked), values, ready, call)
    if given["format"] == "json":
        return whole(document)
    return shown(question, head_of(ready, document, call), document, values, given)


def shown(question: Question, head: Answer, document: Document, values: Values, given: Values) -> Answer:
    """The answer as one text, or as JSON; what is no answer is JSON in any case."""
    if given["format"] == "text" and question.plain is not None and not nothing_is_meant(question, document):
        return in_text(head, question.plain(document, values), room_for(given), budgeted=BUDGET.name in given)
    return compact(question, head, document, given)


def values_of(question: Question, given: Values) -> Values:
    """The values of the question that the arguments of its tool stand for."""
    return question.tuning.values(question.parameters, given)


def require(question: Question, values: Values) -> None:
    """UsageError for values that don't go together, in the words of the tool."""
    if question.require is not None:
        question.require(values, lambda name: question.tuning.name_of(question.parameter(name)))


def document_of(question: Question, asked: Asked, values: Values, ready: Ready, call: ToolCall) -> Document:
    """The document that every door gives, with sentences in the words of the tool."""
    return Answered(question, values, question.answer(asked, values), ready.notes).document(words_of(question, call))


def whole(document: Document) -> Answer:
    """The document itself, for programs; every answer of a tool says its status."""
    return {"status": "ok", **document}


def head_of(ready: Ready, document: Document, call: ToolCall) -> Answer:
    """What a compact answer says of itself."""
    head = ready.basis(document["snapshot_id"], (), debug=call.debug) | warned(document)
    fresh = document["freshness"] or {}
    if commit := fresh.get("commit"):
        head["freshness"] = {"decision": OF_COMMIT, "commit": commit}
    if remote := fresh.get("remote"):
        head["freshness"] = {"decision": OF_REMOTE, "commit": fresh["remote_commit"], "remote": remote}
    return head


def words_of(question: Question, call: ToolCall) -> Spelling:
    """How the tool that was called spells what lifts a limit, and how far it lets that go."""
    every = question.tuning.all_taken(question.parameters)
    # A tool may ask a question that has more parameters than it takes.
    taken = {name: own for name, own in every.items() if own.name in call.takes}
    most = {name: own.most for name, own in taken.items() if own.most is not None}
    return spelling({name: own.name for name, own in taken.items()}, most=most)
