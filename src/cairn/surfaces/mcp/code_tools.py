"""The tools that ask about the structure of code: outline, call graph, references, map."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from cairn.graph import CALLEES, CALLERS, Limits
from cairn.graph.notes import relevant_notes
from cairn.graph.outline import walk
from cairn.questions.wording import TRUNCATED, Spelling
from cairn.surfaces.mcp.arguments import Argument
from cairn.surfaces.mcp.notes import PLAIN, spelling
from cairn.surfaces.mcp.service import Answer, Call, Ready, Service
from cairn.surfaces.mcp.size import fitted

if TYPE_CHECKING:
    from cairn.codebase.bodies import Told
    from cairn.graph.calls import CallGraph, Node

_MAX_BYTES = Argument("max_bytes", "integer", "how large the answer may be", default=16_000, least=1_000, most=128_000)
_CODEBASE = Argument("path", "string", "the codebase: an absolute path of it or of anything beneath it")
_SYMBOL = Argument("symbol", "string", "a name, Owner.name, an id, or FILE:LINE[:COLUMN]", required=True)
OUTLINE = (
    Argument("path", "string", "the file: an absolute path, or one from the root", required=True),
    Argument("symbol", "string", "only this definition of the file, by name or id"),
    _MAX_BYTES,
)
CALLS = (
    _SYMBOL,
    _CODEBASE,
    Argument("direction", "string", "which way", default=CALLERS, choices=(CALLERS, CALLEES, "both")),
    Argument("depth", "integer", "how many steps", default=1, least=1, most=3),
    Argument("limit", "integer", "how many definitions at most", default=50, least=1, most=500),
    Argument("note_limit", "integer", "how many notes at most", default=20, least=0, most=500),
    _MAX_BYTES,
)
REFERENCES = (
    _SYMBOL,
    _CODEBASE,
    Argument("limit", "integer", "how many uses", default=50, least=1, most=2_000),
    _MAX_BYTES,
)
MAP = (
    _CODEBASE,
    Argument("budget_tokens", "integer", "how large the map may be", default=2_000, least=100, most=100_000),
)

# Programs compare the warning about notes as it stands, so it names no argument.
_OF_CALLS = spelling({"nodes": "limit", "depth": "depth"}, most={"nodes": 500})
_OF_REFERENCES = spelling({"limit": "limit"})


def file_outline(service: Service, call: Call, *, path: str, symbol: str | None, max_bytes: int) -> Answer:
    with service.ready(call, path) as ready:
        told = ready.codebase.insight.outline(ready.file(), symbol, synced=ready.freshness.looked)
    value = told.value
    exact = value.exact
    head = _head(ready, told, call)
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
    return _cut(head, "symbols", rows, max_bytes)


def call_graph(
    service: Service,
    call: Call,
    *,
    symbol: str,
    path: str | None,
    direction: str,
    depth: int,
    limit: int,
    note_limit: int,
    max_bytes: int,
) -> Answer:
    with service.ready(call, path) as ready:
        limits = Limits(depth=depth, nodes=limit, notes=note_limit)
        told = ready.codebase.insight.calls(symbol, direction, limits, synced=ready.freshness.looked)
    graph = told.value
    head = _head(ready, told, call, _OF_CALLS)
    if not graph.roots:
        return _unknown(head, symbol)
    head |= {"direction": graph.direction, "roots": list(graph.roots), "unresolved": graph.unresolved}

    def build(count: int) -> Answer:
        nodes = graph.nodes[:count]
        whole = head | _among(graph, nodes) | {"nodes": [_node(told, node) for node in nodes]}
        if count < len(graph.nodes) and whole["notesTruncated"] and TRUNCATED not in whole.get("warnings", ()):
            whole["warnings"] = [*whole.get("warnings", ()), TRUNCATED]
        return _told_of(whole, "nodes", count, len(graph.nodes))

    return fitted(build, len(graph.nodes), max_bytes)


def find_references(
    service: Service, call: Call, *, symbol: str, path: str | None, limit: int, max_bytes: int
) -> Answer:
    with service.ready(call, path) as ready:
        told = ready.codebase.insight.references(symbol, limit, synced=ready.freshness.looked)
    value = told.value
    head = _head(ready, told, call, _OF_REFERENCES)
    if not value.definitions and not value.items:
        return _unknown(head, symbol)
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
    return _cut(head, "references", uses, max_bytes)


def repo_map(service: Service, call: Call, *, path: str | None, budget_tokens: int) -> Answer:
    with service.ready(call, path) as ready:
        told = ready.codebase.insight.map(budget_tokens, synced=ready.freshness.looked)
    value = told.value
    return _head(ready, told, call) | {
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


def _head(ready: Ready, told: "Told[Any]", call: Call, words: Spelling = PLAIN) -> Answer:
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
