"""The tools that ask about the structure of code: outline, call graph, references, map."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from cairn.codebase.wording import TRUNCATED, UNNAMED, Spelling
from cairn.graph.notes import relevant_notes
from cairn.graph.outline import walk
from cairn.questions.parameters import Parameter, Values
from cairn.questions.question import Asked, Question
from cairn.surfaces.mcp.arguments import Tuning
from cairn.surfaces.mcp.notes import spelling
from cairn.surfaces.mcp.service import Answer, Ready, Service, ToolCall
from cairn.surfaces.mcp.size import fitted

if TYPE_CHECKING:
    from cairn.codebase.bodies import Told
    from cairn.graph.calls import CallGraph, Node

_SYMBOL = {"name": "symbol"}
_TUNED: Mapping[str, Tuning] = {
    "call_graph": Tuning(
        names={**_SYMBOL, "nodes": "limit", "notes": "note_limit"},
        bounds={"nodes": {"default": 50, "most": 500}, "notes": {"default": 20, "most": 500}},
        without=frozenset({"fan_out"}),
    ),
    "find_references": Tuning(names=_SYMBOL),
    "file_outline": Tuning(without=frozenset({"budget_tokens"})),
    "repo_map": Tuning(bounds={"budget_tokens": {"least": 100, "most": 100_000}}, sized=False),
}


def arguments_of(question: Question) -> tuple[Parameter, ...]:
    """What the tool of a question takes."""
    return _tuning(question).arguments(question)


def _tuning(question: Question) -> Tuning:
    return _TUNED.get(question.tool, Tuning(sized=False))


def _words(question: Question) -> Spelling:
    """How the tool spells what lifts a limit, and how far it lets that go."""
    tuning = _tuning(question)
    taken = [each for each in question.parameters if each.name not in tuning.without | UNNAMED]
    most = {each.name: tuning.bounds.get(each.name, {}).get("most", each.most) for each in taken}
    names = {each.name: tuning.name_of(each) for each in taken}
    return spelling(names, most={name: value for name, value in most.items() if value is not None})


def answer(question: Question, service: Service, call: ToolCall, **given: Any) -> Answer:
    """Ask the question of the codebase that is named, and say what it answers in few bytes."""
    tuning = _tuning(question)
    values = tuning.values(question, given)
    with service.ready(call, given["path"]) as ready:
        if question.subject == "file" and "file" in values:
            values["file"] = ready.file()
        if question.require is not None:
            question.require(values, lambda name: tuning.name_of(question.parameter(name)))
        told = question.answer(Asked(ready.codebase, ready, ready.freshness.looked), values)
    view = _VIEWS.get(question.tool, _plain)
    return view(_head(ready, told, call, _words(question)), told, values | given, question)


def _plain(head: Answer, told: Any, values: Values, question: Question) -> Answer:
    """An answer without a form of its own: the body of its document, cut by nothing."""
    return head | question.document(told, values)


def _outline(head: Answer, told: "Told[Any]", values: Values, _question: Question) -> Answer:
    value, symbol = told.value, values["symbol"]
    exact = value.exact
    head |= {"file": value.path, "language": value.language}
    if exact is not None and exact.status != "ok":
        # These are answers of their own: no gate is closed.
        head["status"] = exact.status
        head["message"] = (
            f"{value.path} defines several {symbol}: ask for one by its id."
            if exact.status == "ambiguous"
            else f"{value.path} defines no {symbol}."
        )
        if exact.suggestions:
            head["suggestions"] = list(exact.suggestions)
    rows = [
        {
            "id": branch.id,
            "name": branch.symbol.name,
            "kind": branch.symbol.kind,
            "lines": f"{branch.symbol.start_line}-{branch.symbol.end_line}",
            "depth": depth,
            "signature": branch.symbol.signature,
        }
        for depth, branch in walk(value.branches if exact is None else exact.branches)
    ]
    return _cut(head, "symbols", rows, values["max_bytes"])


def _call_graph(head: Answer, told: "Told[CallGraph]", values: Values, _question: Question) -> Answer:
    graph = told.value
    if not graph.roots:
        return _unknown(head, values["name"])
    head |= {"direction": graph.direction, "roots": list(graph.roots), "unresolved": graph.unresolved}

    def build(count: int) -> Answer:
        nodes = graph.nodes[:count]
        whole = head | _among(graph, nodes) | {"nodes": [_node(told, node) for node in nodes]}
        if count < len(graph.nodes) and whole["notesTruncated"] and TRUNCATED not in whole.get("warnings", ()):
            whole["warnings"] = [*whole.get("warnings", ()), TRUNCATED]
        return _told_of(whole, "nodes", count, len(graph.nodes))

    return fitted(build, len(graph.nodes), values["max_bytes"])


def _references(head: Answer, told: "Told[Any]", values: Values, _question: Question) -> Answer:
    value = told.value
    if not value.definitions and not value.items:
        return _unknown(head, values["name"])
    head |= {
        "definitions": [
            {
                "path": item.path,
                "line": item.symbol.name_line,
                "name": item.symbol.qualified_name,
                "kind": item.symbol.kind,
                "layer": item.symbol.layer,
            }
            for item in value.definitions[:10]
        ],
        "total": value.total,
        "tiers": dict(value.tiers),
        "layers": dict(value.layers),
        "unresolved": value.unresolved,
        "elsewhere": value.elsewhere,
    }
    uses = [
        {
            "path": use.path,
            "line": use.line,
            "role": use.role,
            "tier": use.tier,
            "layer": use.layer,
            "within": use.within or None,
            "text": use.text.strip()[:200],
            **({"changedSince": True} if use.path in told.changed else {}),
        }
        for use in value.items
    ]
    return _cut(head, "references", uses, values["max_bytes"])


def _map(head: Answer, told: "Told[Any]", _values: Values, _question: Question) -> Answer:
    value = told.value
    return head | {
        "map": value.text(),
        "tokens": value.tokens,
        "fullTokens": value.full_tokens,
        "filesLeftOut": value.files_left_out,
    }


def _among(graph: "CallGraph", nodes: "Sequence[Node]") -> Answer:
    """What is between some nodes of a graph, and the notes on them."""
    ids, files = {node.id for node in nodes}, {node.path for node in nodes}
    edges = [call for call in graph.calls if call.source in ids and call.target in ids]
    notes = graph.notes.items
    if len(nodes) < len(graph.nodes):
        notes = relevant_notes(notes, files, ids, len(notes)).items
    return {
        "edges": [
            {"source": each.source, "target": each.target, "tier": each.tier, "lines": list(each.lines[:5])}
            for each in edges
        ],
        "notes": [
            {
                "file": note.file,
                "type": note.type,
                "symbolId": note.symbol_id,
                "startLine": note.start_line,
                "detail": note.detail,
            }
            for note in notes
        ],
        "notesTruncated": len(notes) < graph.notes.total,
        "totalNoteCount": graph.notes.total,
        "returnedNoteCount": len(notes),
    }


def _head(ready: Ready, told: "Told[Any]", call: ToolCall, words: Spelling) -> Answer:
    found = ready.basis(told.snapshot_id, told.notes, debug=call.debug, words=words)
    if told.limits_hit:
        found["limitsHit"] = list(told.limits_hit)
    return found


def _unknown(head: Answer, symbol: str) -> Answer:
    return head | {
        "status": "not_found",
        "message": f"Nothing is called {symbol} here.",
        "nextAction": {"tool": "search_codebase", "args": {"query": symbol, "path": head["codebaseRoot"]}},
    }


def _node(told: "Told[Any]", node: "Node") -> dict[str, Any]:
    return {
        "id": node.id,
        "path": node.path,
        "name": node.name,
        "kind": node.kind,
        "lines": f"{node.line}-{node.end_line}",
        "depth": node.depth,
        **({"changedSince": True} if node.path in told.changed else {}),
    }


def _cut(head: Answer, name: str, rows: Sequence[dict[str, Any]], max_bytes: int) -> Answer:
    """As many rows as there is room for, and how many there were."""

    def build(count: int) -> Answer:
        return _told_of(head | {name: rows[:count]}, name, count, len(rows))

    return fitted(build, len(rows), max_bytes)


def _told_of(answer: Answer, name: str, kept: int, total: int) -> Answer:
    if kept == total:
        return answer
    told = f"{total - kept} of {total} {name} left out: ask with a larger max_bytes"
    return answer | {
        "leftOut": total - kept,
        "limitsHit": [*answer.get("limitsHit", ()), "max_bytes"],
        "warnings": [*answer.get("warnings", ()), told],
    }


_VIEWS: Mapping[str, Callable[[Answer, Any, Values, Question], Answer]] = {
    "file_outline": _outline,
    "call_graph": _call_graph,
    "find_references": _references,
    "repo_map": _map,
}
