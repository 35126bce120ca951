"""A search for whoever turns pages: one page of a list that ends, how many there are, and what they are of."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NotRequired, TypedDict, cast

from cairn.base.errors import NotIndexedError
from cairn.base.values import dataclass, field, replace
from cairn.config.project import DEFAULT_LINES
from cairn.questions.fields import plain
from cairn.questions.paging import Page, page_behind, page_behind_line, page_of, question_of
from cairn.questions.parameters import Parameter, Values
from cairn.questions.question import Asked
from cairn.questions.search import SEARCH, by_lines, filters_of, line_request
from cairn.questions.search_documents import SearchBody, search, several

if TYPE_CHECKING:
    from cairn.codebase.bodies import Answer, Found
    from cairn.search.facets import FacetCount, Listed, Narrowed

_USUAL = 20
_MOST = 1_000_000_000
_NO_SNAPSHOT = "0" * 26
"""Of several codebases each has a snapshot of its own, so their pages are of what is there now."""
_SAME = ("limit", "continuation", "counted")
"""What may differ from page to page of one question."""
_PARTS = ("languages_only", "folders", "defines", "roles", "not_roles")


@dataclass(frozen=True, slots=True)
class ListCounts:
    """How many there are of the part that is wanted, and of all by each facet."""

    entries: int
    files: int
    facets: dict[str, "list[FacetCount]"]


@dataclass(frozen=True, slots=True)
class Paged:
    """One page of what a search found."""

    found: "Found[Any]"
    continuation: str | None
    counts: ListCounts | None = None
    items: tuple[Any, ...] = field(default=())


class _Value(TypedDict):
    value: str
    files: int
    lines: int


class _Facets(TypedDict):
    language: list[_Value]
    folder: list[_Value]
    kind: list[_Value]
    role: list[_Value]


class _Counted(TypedDict):
    entries: int
    """Places, or lines; of as many files."""
    files: int
    facets: _Facets


class _PageBody(SearchBody):
    continuation: str | None
    """What the next page is asked with; null with the last one."""
    counted: NotRequired[_Counted]


def document(answer: "Answer[Any]", values: Values) -> _PageBody:
    """The page, and what is counted of the whole list."""
    body = (several if answer.codebases else search)(replace(answer, value=answer.value.found), values)
    own: dict[str, Any] = {"continuation": answer.value.continuation}
    if answer.value.counts is not None:
        own["counted"] = plain(answer.value.counts)
    return cast(_PageBody, {**body, **own})


def _ask(asked: Asked, values: Values) -> "Answer[Any]":
    page, same = _page(values)
    snapshot = page.snapshot_id or asked.snapshot_id
    try:
        if by_lines(values):
            return _lines(replace(asked, snapshot_id=snapshot), values, page, same)
        request = _request(values, page, asked.within)
        answer = asked.codebase.search(request, synced=asked.synced, snapshot_id=snapshot)
    except FileNotFoundError:
        if page.snapshot_id is None:
            raise
        raise NotIndexedError(
            f"The snapshot {page.snapshot_id} of the first page is gone.",
            hint="Ask again without continuation: the answer is from the newest snapshot then.",
        ) from None
    return _places(answer, values, page, same, answer.snapshot_id)


def _ask_several(codebases: Any, values: Values) -> "Answer[Any]":
    page, same = _page(values)
    return _places(codebases.search(_request(values, page, ())), values, page, same, _NO_SNAPSHOT)


def _page(values: Values) -> tuple[Page, str]:
    same = question_of({name: values[name] for name in values if name not in _SAME})
    page = page_of(values["continuation"], same, _MOST)
    return (replace(page, snapshot_id=None) if page.snapshot_id == _NO_SNAPSHOT else page), same


def _narrowed(values: Values) -> "Narrowed":
    from cairn.search.facets import Narrowed

    return Narrowed(*(tuple(values[name]) for name in _PARTS))


def _request(values: Values, page: Page, within: tuple[str, ...]) -> Any:
    """The first of a list is asked for as it is; what follows, or is counted, needs the whole of it."""
    from cairn.codebase.answers import Request

    whole = bool(page.offset or values["counted"] or _narrowed(values))
    limit = (values["limit"] or _USUAL) + 1
    return Request(
        values["query"],
        min(limit, 200),
        values["mode"],
        filters_of(values, within),
        per_file=values["per_file"],
        whole=whole,
    )


def _places(answer: "Answer[Any]", values: Values, page: Page, same: str, snapshot: str) -> "Answer[Any]":
    from cairn.search.facets import Listed

    narrowed, found = _narrowed(values), answer.value
    entries = [Listed(item.path, item.row.language, item.spot.kind) for item in found.items]
    kept = [at for at, entry in enumerate(entries) if narrowed.takes(entry)]
    paths = [entries[at].path for at in kept]
    start = page.start(paths)
    shown = kept[start : start + (values["limit"] or _USUAL)]
    end = start + len(shown)
    sources = tuple(found.sources[at] for at in shown) if found.sources else ()
    part = replace(found, items=tuple(found.items[at] for at in shown), sources=sources)
    counts = _counts(entries, narrowed) if values["counted"] else None
    following = page_behind(paths, end, snapshot).token(same) if end < len(paths) else None
    return replace(answer, value=Paged(part, following, counts, part.items))


def _lines(asked: Asked, values: Values, page: Page, same: str) -> "Answer[Any]":
    from cairn.search.facets import Listed

    narrowed, limit = _narrowed(values), values["limit"] or DEFAULT_LINES
    request = replace(line_request(values, asked.within), limit=limit, behind=page.last_line)
    answer: Answer[Any] = asked.codebase.grep(
        replace(request, narrowed=narrowed), synced=asked.synced, snapshot_id=asked.snapshot_id
    )
    counts = None
    if values["counted"]:
        by_file = replace(request, by_file=True, limit=_MOST, behind=None)
        # Both are of one snapshot, even where another is published between them.
        whole = asked.codebase.grep(by_file, snapshot_id=answer.snapshot_id)
        counts = _counts([Listed(each.path, each.language, "", each.count) for each in whole.items], narrowed)
        more = tuple(note for note in whole.notes if note.code in ("took_too_long", "not_reached"))
        answer = replace(answer, notes=(*answer.notes, *(note for note in more if note not in answer.notes)))
    following = None
    if "results" in answer.limits_hit and answer.items:
        last = answer.items[-1]
        end = page.offset + len(answer.items)
        following = page_behind_line(last.path, last.line.number, end, answer.snapshot_id).token(same)
    # What follows is the next page, and no limit.
    return replace(
        answer,
        value=Paged(answer.value, following, counts, answer.items),
        notes=tuple(note for note in answer.notes if note.code != "lines_cut"),
        limits_hit=tuple(name for name in answer.limits_hit if name != "results"),
    )


def _counts(entries: "Sequence[Listed]", narrowed: "Narrowed") -> ListCounts:
    from cairn.search.facets import facets_of

    wanted = [entry for entry in entries if narrowed.takes(entry)]
    files = len({entry.path for entry in wanted})
    return ListCounts(sum(entry.lines for entry in wanted), files, facets_of(entries, narrowed))


_TAKEN = (
    "query", "within", "limit", "mode", "languages", "paths", "kinds", "explain", "literal", "regex", "ignore_case",
    "word", "per_file",
)  # fmt: skip


def _part(name: str, http: str, text: str) -> Parameter:
    return Parameter(name, "strings", text, http=http, in_tools=False)


SEARCH_PAGE = replace(
    SEARCH,
    name="search-page",
    summary="a page of what a search finds, how many there are, and what they are of",
    parameters=(
        *(SEARCH.parameter(name) for name in _TAKEN),
        Parameter("continuation", "string", "what the page before gave"),
        Parameter("counted", "boolean", "how many there are in all, and by language, folder, kind and role", False),
        _part("languages_only", "language", "of the list only what is in this language"),
        _part("folders", "folder", "of the list only what lies in this folder"),
        _part("defines", "defines", "of the list only places of this kind"),
        _part("roles", "role", "of the list only files for this: code, tests, docs or data"),
        _part("not_roles", "not_role", "of the list all but files for this"),
    ),
    ask=_ask,
    document=document,
    ask_several=_ask_several,
    document_several=document,
    require=lambda values, spell: SEARCH.require and SEARCH.require(_whole(values), spell),
    found=None,
    plain=None,
    example="",
    tool="",
    tool_text="",
)
"""Asked over HTTP alone: a terminal shows a list whole, and agents have pages of their own."""


def _whole(values: Values) -> Values:
    """The values of a search that has no pages."""
    usual = {each.name: () if each.kind == "strings" else each.default for each in SEARCH.parameters}
    return usual | {name: value for name, value in values.items() if name in usual}
