"""Tools that ask several codebases at once: one answer, in which each row says which codebase it is from."""

from collections.abc import Callable
from typing import Any

from cairn.base.errors import UsageError
from cairn.codebase.several import Codebases
from cairn.config.project import DEFAULT_RESULTS
from cairn.questions.asking import Answered
from cairn.questions.parameters import Values
from cairn.questions.question import Document, Question
from cairn.search.query import parse_query
from cairn.surfaces.mcp.code_tools import require, shown, values_of, whole, words_of
from cairn.surfaces.mcp.compact import cut, place, warned
from cairn.surfaces.mcp.service import Answer, Service, ToolCall


def either(one: Callable[..., Answer]) -> Callable[..., Answer]:
    """A tool that asks one codebase, or several where `codebases` names them."""

    def answer(
        question: Question, service: Service, call: ToolCall, *, codebases: tuple[str, ...] = (), **given: Any
    ) -> Answer:
        if codebases:
            return _answer(question, service, call, codebases, given)
        return one(question, service, call, **given)

    return answer


def _answer(
    question: Question, service: Service, call: ToolCall, paths: tuple[str, ...], given: dict[str, Any]
) -> Answer:
    """Ask all codebases that are named; one that can't answer is told beside the answer of the others."""
    if given["path"] is not None or given.get("continuation") is not None:
        raise UsageError("codebases goes with neither path nor continuation.", hint="Leave one of them out.")
    values = values_of(question, given)
    require(question, values)
    if question.single is not None and (name := question.single(values)):
        raise UsageError(f"{name} asks one codebase.", hint="Name it by path.")
    is_whole = given["format"] == "json"
    if not is_whole and question.name == "search" and values["budget_tokens"] is None:
        values["limit"] = given["limit"] or DEFAULT_RESULTS
    document = _document(question, service, call, values, paths)
    if is_whole:
        return whole(document)
    head: Answer = {"status": "ok", "codebases": [_codebase(row) for row in document["codebases"]]} | warned(document)
    if question.name == "search" and values["limit"] and len(document["results"]) >= values["limit"]:
        more = f"Only the best {values['limit']} are shown: a larger limit shows more."
        head["warnings"] = [*head.get("warnings", ()), more]
    if question.name != "search" or given["format"] == "text":
        return shown(question, head, document, values, given)
    terms = frozenset(parse_query(given["query"]).terms) if given["group"] == "symbol" else None
    return cut(head, "results", [place(each, terms) for each in document["results"]], given["max_bytes"])


def _document(question: Question, service: Service, call: ToolCall, values: Values, paths: tuple[str, ...]) -> Document:
    roots = sorted({service.locate(call, path)[0] for path in paths})
    brought = {root: service.brought(call, root) for root in roots}
    with Codebases(roots, service.using) as codebases:
        codebases.sync(lambda codebase: brought[codebase.root_path])
        found = question.answer(codebases, values)
    return Answered(question, values, found, ()).document(words_of(question, call))


def _codebase(row: Document) -> Document:
    found = {"codebaseRoot": row["root"], "snapshotId": row["snapshot_id"]}
    return found | ({"message": row["error"]["message"]} if "error" in row else {})
