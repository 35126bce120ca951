"""The bodies of search answers, as JSON."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from cairn.base.text import json_text
from cairn.config.project import MAX_BUDGET_TOKENS
from cairn.questions.parameters import Values
from cairn.questions.question import Document

if TYPE_CHECKING:
    from cairn.codebase.answers import Answer
    from cairn.codebase.several import SeveralAnswer
    from cairn.search import Fitted, Match, Piece, SearchHit, Unit


def search(answer: "Answer[Any]", values: Values) -> Document:
    """What one codebase found: places by their worth, or lines by their order."""
    found: list[Document]
    if values["literal"] or values["regex"]:
        found = [line(item, answer.changed) for item in answer.results]
    else:
        found = [place(item, answer.changed, explain=values["explain"]) for item in answer.results]
    body: Document = {"query_fingerprint": answer.query_fingerprint, "results": found}
    return body if values["budget_tokens"] is None else within(body, answer.units, values["budget_tokens"], answer)


def several(answer: "SeveralAnswer", values: Values) -> Document:
    """What several codebases found, in one order; `codebases` says what each part rests on."""
    body: Document = {
        "query_fingerprint": answer.query_fingerprint,
        "degraded": any(item.manifest is not None and item.manifest.degraded for item in answer.codebases),
        "results": [
            {"root": source.root, "snapshot_id": source.manifest.snapshot_id if source.manifest is not None else None}
            | place(item, source.changed, explain=values["explain"])
            for item, source in zip(answer.results, answer.sources, strict=True)
        ],
    }
    return body if values["budget_tokens"] is None else within(body, answer.units, values["budget_tokens"], answer)


def place(item: "SearchHit", changed: Iterable[str], *, explain: bool) -> Document:
    """One place that answers a question: the lines that are meant, and what they define."""
    spot = item.spot
    found: Document = {
        "path": item.path,
        "start_line": spot.start_line,
        "end_line": spot.end_line,
        "kind": spot.kind,
        "language": item.row.language,
        "symbol": item.symbol or None,
        "score": item.score,
        "text": spot.text,
        "changed_since": item.path in changed,
    }
    if explain:
        found["explain"] = dict(item.contributions)
        found["chunk"] = {"start_line": item.row.start_line, "end_line": item.row.end_line, "kind": item.row.kind}
    return found


def line(item: "Match", changed: Iterable[str]) -> Document:
    """One line that matches."""
    at = item.line
    return {
        "path": item.path,
        "start_line": at.number,
        "end_line": at.number,
        "kind": "match",
        "language": item.language,
        "symbol": item.symbol or None,
        "score": 1.0,
        "text": at.text,
        "changed_since": item.path in changed,
        "column": at.column,
        "match": at.match,
        "text_column": at.column - at.offset,
        "cut": at.cut,
    }


def within(document: Document, units: "Sequence[Unit]", budget_tokens: int, answer: Any) -> Document:
    """A body with each result in the form that fits: what is written for the results keeps the budget."""
    from cairn.search import fit

    found = document["results"]
    own = {(unit.root, unit.path): result for unit, result in zip(units, found, strict=True)}

    def write(unit: "Unit", piece: "Piece") -> str:
        return json_text(_in_form(own[unit.root, unit.path], piece, MAX_BUDGET_TOKENS)) + ", "

    fitted = fit(units, budget_tokens, write)
    return document | {
        "limits_hit": [*answer.limits_hit, *(["budget"] if fitted.is_cut else [])],
        "budget": _budget(fitted),
        "results": [_in_form(found[item.index], item.piece, item.tokens) for item in fitted.shown],
    }


def _budget(fitted: "Fitted") -> Document:
    return {
        "budget_tokens": fitted.budget_tokens,
        "used_tokens": fitted.used_tokens,
        "full_tokens": fitted.full_tokens,
        "left_out": [
            {
                **({"root": item.root} if item.root else {}),
                "path": item.path,
                "start_line": item.start_line,
                "end_line": item.end_line,
                "tokens": item.tokens,
            }
            for item in fitted.left_out
        ],
        "note": fitted.note,
    }


def _in_form(result: Document, piece: "Piece", tokens: int) -> Document:
    return result | {
        "start_line": piece.start_line,
        "end_line": piece.end_line,
        "text": piece.text,
        "form": piece.form,
        "tokens": tokens,
    }
