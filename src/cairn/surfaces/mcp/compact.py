"""The compact forms of documents: pure functions that keep the places and leave out what a model need not pay for."""

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from cairn.codebase.wording import TRUNCATED
from cairn.kernel.tokens import BYTES_PER_TOKEN, token_cost_of
from cairn.questions.plain_text import Plain
from cairn.questions.question import Document, Question
from cairn.search.excerpt import excerpt_lines
from cairn.surfaces.mcp.arguments import MAX_BYTES
from cairn.surfaces.mcp.notes import left_out
from cairn.surfaces.mcp.size import BODY, Answer, fitted, size_of

Given = Mapping[str, Any]
"""The arguments of the tool."""
_DEFINITIONS = 10
_LINES = 5
_USE_CHARS = 200
_LEFT_OUT = "..."
_SAID = 50
"""Tokens that an answer may say of itself beyond what it says now."""
_NARROWER = {
    "symbols": "ask with symbol for one of them",
    "nodes": "ask for one of the nodes",
    "references": "ask for a narrower name",
    "lines": "search, or ask for the outline of a file",
    "results": "ask for fewer with limit",
    "users": "name some files with places",
    "tests": "name some files with places",
    "unused": "ask for the outline of a file",
}
"""What else one can do where no answer may be large enough."""


def compact(question: Question, head: Answer, document: Document, given: Given) -> Answer:
    """The document of a question in few bytes; one without a form of its own is given as it is."""
    if question.name != "outline" and nothing_is_meant(question, document):
        return _unknown(head, given["symbol"])
    form = _FORMS.get(question.name)
    return {"status": "ok", **document} if form is None else form(head, document, given)


def nothing_is_meant(question: Question, document: Document) -> bool:
    """Whether what was asked about isn't there, or could be several things."""
    if question.name == "symbol":
        return not document["results"]
    if question.name == "refs":
        return not document["definitions"] and not document["results"]
    if question.name in ("callgraph", "hierarchy"):
        return not document["roots"]
    return bool(question.name == "outline" and document["status"] != "ok")


def in_text(head: Answer, plain: Plain, max_bytes: int | None, *, budgeted: bool = True) -> Answer:
    """An answer whose body is one text, of as many passages as there is room for; None: of all.

    `budgeted` tells whether the tool has a budget that says how much room there is, or `max_bytes` alone.
    """
    total = len(plain.passages)
    full = size_of(head | {BODY: plain.text()})

    def build(count: int) -> Answer:
        answer = head | {BODY: plain.text(count)}
        if count == total:
            return answer
        said = []
        if left := plain.items() - plain.items(count):
            tokens = token_cost_of(full) + _SAID
            lifted = f"budget_tokens {tokens}" if budgeted else f"{MAX_BYTES.name} {tokens * BYTES_PER_TOKEN}"
            # What another limit cut is not among them.
            them = "these" if "limitsHit" in head else "all"
            said.append(f"{left} of {plain.items()} {plain.noun} left out: {lifted} shows {them}")
        if (rest := plain.passages[count].goes_on) is not None:
            path = os.path.join(head.get("codebaseRoot", ""), rest[0])
            said.append(f"cut: go on with read_file path {path}, start_line {rest[1]}, end_line {rest[2]}")
        return answer | {"warnings": [*answer.get("warnings", ()), *said]}

    return build(total) if max_bytes is None else fitted(build, total, max_bytes, budgeted=budgeted)


def warned(document: Document) -> Document:
    """What a compact answer repeats of what to know of it; nothing where there is nothing."""
    found = {"warnings": list(document["warnings"]), "limitsHit": list(document["limits_hit"])}
    return {name: value for name, value in found.items() if value}


def place(result: Document, terms: frozenset[str] | None) -> Document:
    """A place that answers a query; with `terms` also the lines of it that say why it was found."""
    found: Document = _root(result) | {
        "path": result["path"],
        "lines": _lines(result),
        "symbol": result["symbol"],
        "kind": result["kind"],
        "language": result["language"],
        "score": round(result["score"], 3),
    }
    if "form" in result:
        found |= {"form": result["form"], "text": result["text"]}
    elif terms is not None:
        found["snippet"] = _excerpt(result["text"], terms, result["symbol"] or "")
    return found | {name: result[name] for name in ("explain", "explain_place") if name in result} | _changed(result)


def _excerpt(text: str, terms: frozenset[str], symbol: str) -> str:
    """The lines that say why a place was found, with a mark wherever others are left out: what is shown is the code."""
    shown = excerpt_lines(text, terms, symbol)
    lines, following = [], 0
    for offset, each in (*shown, (len(text.rstrip().split("\n")), None)):
        lines += [_LEFT_OUT] * (offset > following)
        lines += [] if each is None else [each]
        following = offset + 1
    return "\n".join(lines)


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
    return cut(head, "symbols", rows, given["max_bytes"])


def _call_graph(head: Answer, document: Document, given: Given) -> Answer:
    head |= {name: document[name] for name in ("direction", "roots", "unresolved")}
    total = len(document["nodes"])

    def build(count: int) -> Answer:
        nodes = document["nodes"][:count]
        whole = head | _among(document, nodes) | {"nodes": [_node(node) for node in nodes]}
        if count < total and whole["notesTruncated"] and TRUNCATED not in whole.get("warnings", ()):
            whole["warnings"] = [*whole.get("warnings", ()), TRUNCATED]
        return whole

    return _fitted(build, "nodes", total, given["max_bytes"])


def _hierarchy(head: Answer, document: Document, given: Given) -> Answer:
    head |= {name: document[name] for name in ("direction", "roots", "unresolved")}

    def build(count: int) -> Answer:
        nodes = document["nodes"][:count]
        ids = {node["id"] for node in nodes}
        return head | {
            "edges": [each for each in document["edges"] if each["source"] in ids and each["target"] in ids],
            "unknownBases": [each for each in document["unknown"] if each["id"] in ids],
            "nodes": [_node(node) for node in nodes],
        }

    return _fitted(build, "nodes", len(document["nodes"]), given["max_bytes"])


def _among(document: Document, nodes: Sequence[Document]) -> Answer:
    """What is between some nodes of a graph, and the notes on them."""
    ids, files = {node["id"] for node in nodes}, {node["path"] for node in nodes}
    notes = document["notes"]
    if len(nodes) < len(document["nodes"]):
        notes = [each for each in notes if each["file"] in files and each["symbol_id"] in (None, *ids)]
    return {
        "edges": [
            {name: each[name] for name in ("source", "target", "tier")}
            | _dispatched(each)
            | {"lines": each["lines"][:_LINES]}
            for each in document["edges"]
            if each["source"] in ids and each["target"] in ids
        ],
        "notes": [_note(each) for each in notes],
        "notesTruncated": len(notes) < document["total_note_count"],
        "totalNoteCount": document["total_note_count"],
        "returnedNoteCount": len(notes),
    }


def _note(note: Document) -> Document:
    found = {name: note[name] for name in ("file", "type", "detail")}
    return found | {"symbolId": note["symbol_id"], "startLine": note["start_line"]}


def _node(node: Document) -> Document:
    found = {name: node[name] for name in ("id", "path", "name", "kind")}
    return found | {"lines": f"{node['line']}-{node['end_line']}", "depth": node["depth"]} | _changed(node)


def _references(head: Answer, document: Document, given: Given) -> Answer:
    head |= {
        "definitions": [
            _root(each)
            | {
                "path": each["path"],
                "line": each["line"],
                "name": each["qualified_name"],
                "kind": each["kind"],
                "layer": each["layer"],
            }
            | _places(each)
            for each in document["definitions"][:_DEFINITIONS]
        ],
        **{name: document[name] for name in ("total", "tiers", "layers", "unresolved", "elsewhere")},
    }
    uses = [
        _root(use)
        | {name: use[name] for name in ("path", "line", "role", "tier", "layer", "within")}
        | _dispatched(use)
        | {"text": use["text"].strip()[:_USE_CHARS]}
        | _changed(use)
        for use in document["results"]
    ]
    return cut(head, "references", uses, given["max_bytes"])


def _map(head: Answer, document: Document, given: Given) -> Answer:
    head |= {
        "tokens": document["tokens"],
        "fullTokens": document["full_tokens"],
        "filesLeftOut": document["files_left_out"],
    }
    lines = document["text"].splitlines(keepends=True)

    def build(count: int) -> Answer:
        return head | {"map": "".join(lines[:count])}

    return _fitted(build, "lines", len(lines), given["max_bytes"])


def _impact(head: Answer, document: Document, given: Given) -> Answer:
    head |= {name: document[name] for name in ("changed_files", "removed_files", "unresolved")}
    head["symbols"] = [
        {name: each[name] for name in ("path", "name", "change", "line", "former", "still_used") if each[name]}
        for each in document["symbols"][:_DEFINITIONS]
    ]
    head["tests"] = [each["path"] for each in document["tests"][:_DEFINITIONS]]
    users = [
        {name: each[name] for name in ("path", "line", "name", "role", "of", "distance", "tier")} | _changed(each)
        for each in document["users"]
    ]
    return cut(head, "users", users, given["max_bytes"])


def _tests(head: Answer, document: Document, given: Given) -> Answer:
    head |= {name: document[name] for name in ("changed_files", "removed_files", "total", "weak", "unresolved")}
    rows = [
        {
            "path": each["path"],
            "why": [" ".join(filter(None, (said["how"], said["of"]))) for said in each["reasons"]],
            "names": each["names"][:_LINES],
        }
        for each in document["tests"]
    ]
    return cut(head, "tests", rows, given["max_bytes"])


def _unused(head: Answer, document: Document, given: Given) -> Answer:
    head |= {name: document[name] for name in ("total", "exported")}
    rows = [
        {name: each[name] for name in ("path", "line", "name", "kind")} | _changed(each) for each in document["results"]
    ]
    return cut(head, "unused", rows, given["max_bytes"])


def _unknown(head: Answer, symbol: str) -> Answer:
    return head | {
        "status": "not_found",
        "message": f"Nothing is called {symbol} here.",
        "nextAction": {"tool": "search_codebase", "args": {"query": symbol, **_where(head)}},
    }


def _where(head: Answer) -> Document:
    """The arguments that name the same codebase, or the same ones."""
    if "codebases" in head:
        return {"codebases": [each["codebaseRoot"] for each in head["codebases"]]}
    return {"path": head["codebaseRoot"]}


def _places(item: Document) -> Document:
    """Where else the same thing is said, if anywhere."""
    others = item["places"]
    return {"alsoAt": [*others[:_DEFINITIONS], *[_LEFT_OUT] * (len(others) > _DEFINITIONS)]} if others else {}


def _lines(item: Document) -> str:
    return f"{item['start_line']}-{item['end_line']}"


def _root(item: Document) -> Document:
    """The codebase of a row, where several were asked."""
    return {"codebaseRoot": item["root"]} if "root" in item else {}


def _dispatched(item: Document) -> Document:
    return {"dispatch": True} if item["dispatch"] else {}


def _changed(item: Document) -> Document:
    return {"changedSince": True} if item["changed_since"] else {}


def cut(head: Answer, name: str, rows: Sequence[Document], max_bytes: int) -> Answer:
    """As many rows as there is room for, and how many there were."""

    def build(count: int) -> Answer:
        return head | {name: rows[:count]}

    return _fitted(build, name, len(rows), max_bytes)


def _fitted(build: Callable[[int], Answer], name: str, total: int, max_bytes: int) -> Answer:
    """What `build` makes of as many rows as there is room for, with what was left out."""
    full = size_of(build(total))

    def cut_at(count: int) -> Answer:
        answer = build(count)
        if count == total:
            return answer
        what = f"{total - count} of {total} {name}"
        return answer | {
            "leftOut": total - count,
            "limitsHit": [*answer.get("limitsHit", ()), MAX_BYTES.name],
            "warnings": [*answer.get("warnings", ()), left_out(what, full, max_bytes, _NARROWER[name])],
        }

    return fitted(cut_at, total, max_bytes)


_FORMS: Mapping[str, Callable[[Answer, Document, Given], Answer]] = {
    "outline": _outline,
    "callgraph": _call_graph,
    "hierarchy": _hierarchy,
    "refs": _references,
    "map": _map,
    "impact": _impact,
    "tests": _tests,
    "unused": _unused,
}
