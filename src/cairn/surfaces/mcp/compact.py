"""The compact forms of documents: pure functions that keep the places and leave out what a model need not pay for."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from cairn.codebase.wording import TRUNCATED
from cairn.questions.question import Document, Question
from cairn.search.excerpt import excerpt_lines
from cairn.surfaces.mcp.size import Answer, fitted

Given = Mapping[str, Any]
"""The arguments of the tool."""
_DEFINITIONS = 10
_LINES = 5
_USE_CHARS = 200


def compact(question: Question, head: Answer, document: Document, given: Given) -> Answer:
    """The document of a question in few bytes; one without a form of its own is given as it is."""
    form = _FORMS.get(question.name)
    return {"status": "ok", **document} if form is None else form(head, document, given)


def place(result: Document, terms: frozenset[str] | None) -> Document:
    """A place that answers a query; with `terms` also the lines of it that say why it was found."""
    found: Document = {
        "path": result["path"],
        "lines": _lines(result),
        "symbol": result["symbol"],
        "kind": result["kind"],
        "language": result["language"],
        "score": round(result["score"], 3),
    }
    if terms is not None:
        shown = excerpt_lines(result["text"], terms, result["symbol"] or "")
        found["snippet"] = "\n".join(line for _, line in shown)
    return found | _changed(result)


def line(result: Document) -> Document:
    """A line that holds a text."""
    found = {"path": result["path"], "line": result["start_line"], "symbol": result["symbol"], "text": result["text"]}
    return found | _changed(result)


def _outline(head: Answer, document: Document, given: Given) -> Answer:
    path, status, symbol = document["path"], document["status"], given["symbol"]
    head |= {"status": status, "file": path, "language": document["language"]}
    if status != "ok":
        # These are answers of their own: no gate is closed.
        head["message"] = (
            f"{path} defines several {symbol}: ask for one by its id."
            if status == "ambiguous"
            else f"{path} defines no {symbol}."
        )
        if document["suggestions"]:
            head["suggestions"] = document["suggestions"]
    rows = [
        {
            "id": each["id"],
            "name": each["name"],
            "kind": each["kind"],
            "lines": _lines(each),
            "depth": each["depth"],
            "signature": each["signature"],
        }
        for each in document["symbols"]
    ]
    return _cut(head, "symbols", rows, given["max_bytes"])


def _call_graph(head: Answer, document: Document, given: Given) -> Answer:
    if not document["roots"]:
        return _unknown(head, given["symbol"])
    head |= {name: document[name] for name in ("direction", "roots", "unresolved")}
    total = len(document["nodes"])

    def build(count: int) -> Answer:
        nodes = document["nodes"][:count]
        whole = head | _among(document, nodes) | {"nodes": [_node(node) for node in nodes]}
        if count < total and whole["notesTruncated"] and TRUNCATED not in whole.get("warnings", ()):
            whole["warnings"] = [*whole.get("warnings", ()), TRUNCATED]
        return _with_rest(whole, "nodes", count, total)

    return fitted(build, total, given["max_bytes"])


def _among(document: Document, nodes: Sequence[Document]) -> Answer:
    """What is between some nodes of a graph, and the notes on them."""
    ids, files = {node["id"] for node in nodes}, {node["path"] for node in nodes}
    notes = document["notes"]
    if len(nodes) < len(document["nodes"]):
        notes = [each for each in notes if each["file"] in files and each["symbolId"] in (None, *ids)]
    return {
        "edges": [
            {name: each[name] for name in ("source", "target", "tier")} | {"lines": each["lines"][:_LINES]}
            for each in document["edges"]
            if each["source"] in ids and each["target"] in ids
        ],
        "notes": notes,
        "notesTruncated": len(notes) < document["totalNoteCount"],
        "totalNoteCount": document["totalNoteCount"],
        "returnedNoteCount": len(notes),
    }


def _node(node: Document) -> Document:
    found = {name: node[name] for name in ("id", "path", "name", "kind")}
    return found | {"lines": f"{node['line']}-{node['end_line']}", "depth": node["depth"]} | _changed(node)


def _references(head: Answer, document: Document, given: Given) -> Answer:
    if not document["definitions"] and not document["results"]:
        return _unknown(head, given["symbol"])
    head |= {
        "definitions": [
            {
                "path": each["path"],
                "line": each["line"],
                "name": each["qualified_name"],
                "kind": each["kind"],
                "layer": each["layer"],
            }
            for each in document["definitions"][:_DEFINITIONS]
        ],
        **{name: document[name] for name in ("total", "tiers", "layers", "unresolved", "elsewhere")},
    }
    uses = [
        {name: use[name] for name in ("path", "line", "role", "tier", "layer", "within")}
        | {"text": use["text"].strip()[:_USE_CHARS]}
        | _changed(use)
        for use in document["results"]
    ]
    return _cut(head, "references", uses, given["max_bytes"])


def _map(head: Answer, document: Document, _given: Given) -> Answer:
    return head | {
        "map": document["text"],
        "tokens": document["tokens"],
        "fullTokens": document["full_tokens"],
        "filesLeftOut": document["files_left_out"],
    }


def _unknown(head: Answer, symbol: str) -> Answer:
    return head | {
        "status": "not_found",
        "message": f"Nothing is called {symbol} here.",
        "nextAction": {"tool": "search_codebase", "args": {"query": symbol, "path": head["codebaseRoot"]}},
    }


def _lines(item: Document) -> str:
    return f"{item['start_line']}-{item['end_line']}"


def _changed(item: Document) -> Document:
    return {"changedSince": True} if item["changed_since"] else {}


def _cut(head: Answer, name: str, rows: Sequence[Document], max_bytes: int) -> Answer:
    """As many rows as there is room for, and how many there were."""

    def build(count: int) -> Answer:
        return _with_rest(head | {name: rows[:count]}, name, count, len(rows))

    return fitted(build, len(rows), max_bytes)


def _with_rest(answer: Answer, name: str, kept: int, total: int) -> Answer:
    if kept == total:
        return answer
    rest = f"{total - kept} of {total} {name} left out: ask with a larger max_bytes"
    return answer | {
        "leftOut": total - kept,
        "limitsHit": [*answer.get("limitsHit", ()), "max_bytes"],
        "warnings": [*answer.get("warnings", ()), rest],
    }


_FORMS: Mapping[str, Callable[[Answer, Document, Given], Answer]] = {
    "outline": _outline,
    "callgraph": _call_graph,
    "refs": _references,
    "map": _map,
}
