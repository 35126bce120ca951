"""`search_codebase`: the best places, a page at a time, each page of the same snapshot."""

import os
from typing import Any

from cairn.base.errors import NotIndexedError, UsageError
from cairn.base.values import replace
from cairn.codebase.answers import Request
from cairn.questions.parameters import Parameter
from cairn.questions.search import SEARCH
from cairn.search import Filters, SearchHit
from cairn.search.excerpt import excerpt_lines
from cairn.search.query import parse_query
from cairn.surfaces.mcp.arguments import CODEBASE, MAX_BYTES
from cairn.surfaces.mcp.paging import Page, mark_of, page_of, question_of
from cairn.surfaces.mcp.service import Answer, Ready, Service, ToolCall
from cairn.surfaces.mcp.size import fitted
from cairn.workspace import path_key
from cairn.workspace.pathkey import quoted

MOST_RESULTS = 100
_MARKS = 5
_MODES = {"code": "code", "docs": "docs", "all": "auto"}
_GLOBS = "only files that match one of these globs, from the root: ['src/*.py']"
ARGUMENTS = (
    replace(SEARCH.parameter("query"), required=True),
    replace(CODEBASE, help="the codebase: an absolute path; a folder beneath its root narrows the search to it"),
    replace(SEARCH.parameter("limit"), help="how many results a page has", default=10, most=50),
    replace(SEARCH.parameter("mode"), name="scope", help="what to look in", default="all", choices=tuple(_MODES)),
    Parameter(
        "group",
        "string",
        "symbol: the best place of each file with a snippet; file: the same without, to see more files",
        default="symbol",
        choices=("symbol", "file"),
    ),
    replace(SEARCH.parameter("paths"), name="include", help=_GLOBS),
    MAX_BYTES,
    Parameter("continuation", "string", "what the last page gave: the next one of the same snapshot"),
)


def search_codebase(
    service: Service,
    call: ToolCall,
    *,
    query: str,
    path: str | None,
    limit: int,
    scope: str,
    group: str,
    include: list[str] | None,
    max_bytes: int,
    continuation: str | None,
) -> Answer:
    """The tool `search_codebase`: the best places for a query, page by page."""
    question = question_of(query, path, scope, group, include)
    page = page_of(continuation, question, MOST_RESULTS)
    with service.ready(call, path, sync=page.snapshot_id is None) as ready:
        filters = Filters(paths=tuple(include or ()), within=_below(ready))
        request = Request(query, MOST_RESULTS, _MODES[scope], filters)
        try:
            answer = ready.codebase.search(request, synced=ready.freshness.looked, snapshot_id=page.snapshot_id)
        except FileNotFoundError:
            if page.snapshot_id is None:
                raise
            raise _expired(page.snapshot_id) from None
        terms = frozenset(parse_query(query).terms)
    found = answer.results
    marks = [mark_of(item.row.path_key) for item in found]
    start = page.start(marks)
    shown = found[start : start + limit]
    head = ready.basis(answer.manifest.snapshot_id, answer.notes, debug=call.debug)
    if answer.limits_hit:
        head["limitsHit"] = list(answer.limits_hit)
    results = [_result(item, terms if group == "symbol" else None, answer.changed) for item in shown]

    def build(kept: list[dict[str, Any]]) -> Answer:
        end = start + len(kept)
        whole = head | {"results": kept}
        if end < len(found):
            whole["continuation"] = Page(
                end, answer.manifest.snapshot_id, tuple(marks[max(end - _MARKS, 0) : end])
            ).token(question)
            whole["more"] = len(found) - end
        if kept and page.offset == 0:
            whole["nextAction"] = _next(kept[0], ready.root)
        elif not found:
            whole["message"] = "Nothing was found: use other words, another scope, or no include."
        return whole

    try:
        return fitted(lambda count: build(results[:count]), len(results), max_bytes)
    except UsageError:
        # What a place is comes before what it looks like.
        return fitted(lambda count: build([_lean(item) for item in results[:count]]), len(results[:1]), max_bytes)


def _below(ready: Ready) -> str:
    """A folder or file beneath the root narrows the search; a path that is the root doesn't."""
    if not os.path.lexists(ready.requested):
        raise NotIndexedError(
            f"The path {quoted(ready.requested)} doesn't exist.", hint=f"Give {ready.root} or a path in it."
        )
    inside = os.path.relpath(ready.requested, ready.root)
    return "" if inside == "." else path_key(inside)


def _result(item: SearchHit, terms: frozenset[str] | None, changed: frozenset[str]) -> dict[str, Any]:
    """A place; with `terms` also the lines of it that say why it was found."""
    row = item.row
    found: dict[str, Any] = {
        "path": row.path_key,
        "lines": f"{item.spot.start_line}-{item.spot.end_line}",
        "symbol": item.symbol or None,
        "kind": item.spot.kind,
        "language": row.language,
        "score": round(item.score, 3),
    }
    if terms is not None:
        found["snippet"] = "\n".join(line for _, line in excerpt_lines(row.text, terms, item.symbol))
    if row.path_key in changed:
        found["changedSince"] = True
    return found


def _lean(item: dict[str, Any]) -> dict[str, Any]:
    return {**item, "snippet": "", "snippetCut": True} if "snippet" in item else item


def _next(best: dict[str, Any], root: str) -> dict[str, Any]:
    """To be called as it stands, wherever relative paths of this client start from."""
    start, _, end = best["lines"].partition("-")
    path = os.path.join(root, best["path"])
    return {"tool": "read_file", "args": {"path": path, "start_line": int(start), "end_line": int(end)}}


def _expired(snapshot_id: str) -> NotIndexedError:
    return NotIndexedError(
        f"The snapshot {snapshot_id} of the first page is gone.",
        hint="Ask again without `continuation`: the answer is from the newest snapshot then.",
    )
