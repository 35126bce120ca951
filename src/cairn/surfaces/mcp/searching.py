"""`search_codebase`: the best places or every line, a page at a time, each page of the same snapshot."""

import contextlib
import os
from collections.abc import Sequence
from typing import Any

from cairn.base.errors import NotIndexedError, UsageError
from cairn.base.values import replace
from cairn.config.project import DEFAULT_LINES
from cairn.questions.common import REMOTE
from cairn.questions.paging import Page, page_behind, page_behind_line, page_of, question_of
from cairn.questions.parameters import Parameter, Values
from cairn.questions.plain_places import WITH_CODE
from cairn.questions.question import Asked, Document, Question
from cairn.questions.search import MOST_LINES, by_lines
from cairn.search.query import parse_query
from cairn.surfaces.mcp.arguments import CODEBASE, room_for
from cairn.surfaces.mcp.code_tools import document_of, head_of, require, values_of, whole
from cairn.surfaces.mcp.compact import line, place
from cairn.surfaces.mcp.service import Answer, Ready, Service, ToolCall
from cairn.surfaces.mcp.size import BODY, fitted
from cairn.workspace.pathkey import path_key, quoted

SUBJECT = replace(CODEBASE, help="an absolute path in the codebase; a folder narrows it")
MORE = (
    Parameter(
        "group",
        "string",
        "symbol: the best place of each file with a snippet; file: the same without, to see more files",
        default="symbol",
        choices=("symbol", "file"),
    ),
    Parameter("continuation", "string", "what the last page gave"),
)
_PLACES = 100
"""How many there are to all pages together."""
_SAME = ("limit", "budget_tokens", "max_bytes", "continuation")
"""What may differ from page to page of one question."""
_CODE_TOKENS = 250
"""What a place with its code may cost, where a budget says how many are shown so."""


def search_codebase(question: Question, service: Service, call: ToolCall, **given: Any) -> Answer:
    """The tool `search_codebase`: the document of the search, whole or page by page."""
    in_text = given["format"] == "text"
    values = values_of(question, given) | ({"budget_tokens": None} if in_text else {})
    require(question, values)
    most = MOST_LINES if by_lines(values) else _PLACES
    same = question_of({name: given[name] for name in given if name not in _SAME})
    page = page_of(given["continuation"], same, most)
    is_whole = given["format"] == "json"
    if is_whole and given["continuation"] is not None:
        raise UsageError("A JSON document has no pages.", hint="Leave continuation out, and give a larger limit.")
    # A text ends where its budget does.
    usual: int | None = None if not by_lines(values) else most if in_text else DEFAULT_LINES
    if values["budget_tokens"] is not None:
        usual = most  # the budget is what cuts
    elif not is_whole:
        values["limit"] = most
    elsewhere = values[REMOTE.name] is not None
    with contextlib.ExitStack() as stack:
        ready = stack.enter_context(
            service.elsewhere(call, given["path"])
            if elsewhere
            else service.ready(call, given["path"], sync=page.snapshot_id is None)
        )
        usual = usual or ready.codebase.detector.config.query.limit
        asked = Asked(
            ready.codebase,
            ready,
            ready.freshness.looked,
            within=_below(ready),
            snapshot_id=page.snapshot_id,
        )
        try:
            document = document_of(question, asked, values, ready, call)
        except FileNotFoundError:
            if page.snapshot_id is None:
                raise
            raise _expired(page.snapshot_id) from None
    if is_whole:
        return whole(document)
    head, given = head_of(ready, document, call), given | {"limit": given["limit"] or usual}
    if in_text:
        return _text_page(question, head, document, values, given, page, same)
    return _page(head, document, given, page, same)


def _text_page(
    question: Question, head: Answer, document: Document, values: Values, given: Values, page: Page, same: str
) -> Answer:
    """As many of the next results as there is room for, as one text."""
    found = document["results"]
    start = _start(page, found)
    shown = found[start : start + given["limit"]]
    of: Document = {"of": (len(found), len({each["path"] for each in found}))}
    if given["budget_tokens"] is not None:
        of[WITH_CODE] = given["budget_tokens"] // _CODE_TOKENS
    assert question.plain is not None
    form = question.plain

    def build(count: int) -> Answer:
        body = form(document | of | {"results": shown[:count]}, values).text()
        return head | {BODY: body} | _following(found, start + count, document["snapshot_id"], same)

    return fitted(build, len(shown), room_for(given))


def _start(page: Page, found: Sequence[Document]) -> int:
    """Where a page begins: behind the last line, which may be gone; places are known by several of them."""
    last = page.last_line
    if last is None or not found or "match" not in found[0]:
        return page.start([each["path"] for each in found])
    places = [(each["path"], each["start_line"]) for each in found]
    behind = places.index(last) + 1 if last in places else 0
    return behind or next((at for at, each in enumerate(places) if each > last), len(places))


def _following(found: Sequence[Document], end: int, snapshot_id: str, same: str) -> Answer:
    """How to go on behind what is shown; nothing where that is all."""
    if end >= len(found):
        return {}
    if end and "match" in (last := found[end - 1]):
        page = page_behind_line(last["path"], last["start_line"], end, snapshot_id)
    else:
        page = page_behind([each["path"] for each in found], end, snapshot_id)
    return {"continuation": page.token(same), "more": len(found) - end}


def _page(head: Answer, document: Document, given: dict[str, Any], page: Page, same: str) -> Answer:
    found, root = document["results"], document["root"]
    start = _start(page, found)
    terms = frozenset(parse_query(given["query"] or "").terms) if given["group"] == "symbol" else None
    shown = found[start : start + given["limit"]]
    results = [line(each) if "match" in each else place(each, terms) for each in shown]

    def build(kept: list[Document]) -> Answer:
        end = start + len(kept)
        answer = head | {name: document[name] for name in ("engine",) if name in document} | {"results": kept}
        answer |= _following(found, end, document["snapshot_id"], same)
        if kept and page.offset == 0:
            answer["nextAction"] = _next(shown[0], root)
        elif not found:
            answer["message"] = "Nothing was found: use other words, another scope, or no include."
        return answer

    try:
        return fitted(lambda count: build(results[:count]), len(results), given["max_bytes"])
    except UsageError:
        # What a place is comes before what it looks like.
        lean = [_lean(each) for each in results[:1]]
        return fitted(lambda count: build(lean[:count]), len(lean), given["max_bytes"])


def _below(ready: Ready) -> tuple[str, ...]:
    """A folder or file beneath the root narrows the search; a path that is the root doesn't."""
    if not os.path.lexists(ready.requested):
        raise NotIndexedError(
            f"The path {quoted(ready.requested)} doesn't exist.", hint=f"Give {ready.root} or a path in it."
        )
    inside = os.path.relpath(ready.requested, ready.root)
    return () if inside == "." else (path_key(inside),)


def _lean(item: Document) -> Document:
    cut: Document = {name: "" for name in ("snippet", "text") if name in item}
    return {**item, **cut, "snippetCut": True} if cut else item


def _next(best: Document, root: str) -> Document:
    """To be called as it stands, wherever relative paths of this client start from."""
    path = os.path.join(root, best["path"])
    return {
        "tool": "read_file",
        "args": {"path": path, "start_line": best["start_line"], "end_line": best["end_line"]},
    }


def _expired(snapshot_id: str) -> NotIndexedError:
    return NotIndexedError(
        f"The snapshot {snapshot_id} of the first page is gone.",
        hint="Ask again without `continuation`: the answer is from the newest snapshot then.",
    )
