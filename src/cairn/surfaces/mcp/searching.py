"""`search_codebase`: the best places, a page at a time, each page of the same snapshot."""

import os
from typing import Any

from cairn.answers import Request
from cairn.errors import NotIndexedError
from cairn.search import Filters, Found
from cairn.search.excerpt import excerpt_lines
from cairn.search.query import parse_query
from cairn.surfaces.mcp.arguments import Argument
from cairn.surfaces.mcp.paging import Page, page_of, question_of
from cairn.surfaces.mcp.service import Answer, Call, Ready, Service
from cairn.surfaces.mcp.size import fitted

MOST_RESULTS = 100
_MODES = {"code": "code", "docs": "docs", "all": None}
ARGUMENTS = (
    Argument("query", "string", "a question, words, or the name of something", required=True),
    Argument("path", "string", "the codebase: an absolute path; a folder beneath its root narrows the search to it"),
    Argument("limit", "integer", "how many results a page has", default=10, least=1, most=50),
    Argument("scope", "string", "what to look in", default="all", choices=tuple(_MODES)),
    Argument("group", "string", "one result a place, or one a file", default="symbol", choices=("symbol", "file")),
    Argument("include", "strings", "only files that match one of these globs, from the root: ['src/*.py']"),
    Argument("max_bytes", "integer", "how large the answer may be", default=16_000, least=1_000, most=128_000),
    Argument("continuation", "string", "what the last page gave: the next one of the same snapshot"),
)


def search_codebase(
    service: Service,
    call: Call,
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
    question = question_of(query, path, scope, group, include)
    page = page_of(continuation, question, MOST_RESULTS)
    with service.ready(call, path, sync=page.snapshot_id is None) as ready:
        paths = tuple(include or ()) or _below(ready)
        request = Request(query, MOST_RESULTS, _MODES[scope], Filters(paths=paths))
        try:
            answer = ready.codebase.search(request, synced=ready.freshness.looked, snapshot_id=page.snapshot_id)
        except FileNotFoundError:
            return _expired(ready, page)
        warnings = answer.warnings
        terms = frozenset(parse_query(query).terms)
    found = _grouped(answer.results) if group == "file" else [[item] for item in answer.results]
    shown = found[page.offset : page.offset + limit]
    head = ready.basis(answer.manifest.snapshot_id, warnings, debug=call.debug)
    if answer.limits_hit:
        head["limitsHit"] = list(answer.limits_hit)
    results = [_result(items, terms, answer.changed, ready.root) for items in shown]
    kept = fitted(head, results, max_bytes)
    end = page.offset + len(kept)
    head["results"] = kept
    if end < len(found):
        head["continuation"] = Page(end, answer.manifest.snapshot_id).token(question)
        head["more"] = len(found) - end
    if kept and page.offset == 0:
        head["nextAction"] = _next(kept[0])
    elif not kept and not found:
        head["message"] = "Nothing was found: use other words, another scope, or no include."
    return head


def _below(ready: Ready) -> tuple[str, ...]:
    """A folder beneath the root narrows the search; a path that is the root doesn't."""
    inside = os.path.relpath(ready.requested, ready.root)
    if inside == ".":
        return ()
    return (f"{inside}/",) if os.path.isdir(ready.requested) else (inside,)


def _grouped(results: tuple[Found, ...]) -> list[list[Found]]:
    files: dict[str, list[Found]] = {}
    for item in results:
        files.setdefault(item.row.path_key, []).append(item)
    return list(files.values())


def _result(items: list[Found], terms: frozenset[str], changed: frozenset[str], root: str) -> dict[str, Any]:
    first = items[0].row
    found: dict[str, Any] = {
        "path": first.path_key,
        "lines": f"{first.start_line}-{first.end_line}",
        "symbol": items[0].symbol or None,
        "kind": first.kind,
        "language": first.language,
        "score": round(items[0].score, 3),
        "snippet": "\n".join(line for _, line in excerpt_lines(first.text, terms, items[0].symbol)),
    }
    if first.path_key in changed:
        found["changedSince"] = True
    if len(items) > 1:
        found["others"] = [
            {"lines": f"{item.row.start_line}-{item.row.end_line}", "symbol": item.symbol or None} for item in items[1:]
        ]
    return found


def _next(best: dict[str, Any]) -> dict[str, Any]:
    start, _, end = best["lines"].partition("-")
    return {"tool": "read_file", "args": {"path": best["path"], "start_line": int(start), "end_line": int(end)}}


def _expired(ready: Ready, page: Page) -> Answer:
    raise NotIndexedError(
        f"The snapshot {page.snapshot_id} of the first page is gone.",
        hint="Ask again without `continuation`: the answer is from the newest snapshot then.",
    )
