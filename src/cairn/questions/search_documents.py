"""The bodies of search answers, as JSON."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NotRequired, TypedDict

from cairn.questions.fields import filled
from cairn.questions.parameters import Values

if TYPE_CHECKING:
    from cairn.codebase.bodies import Answer, Found
    from cairn.search import Match, Piece, SearchHit


class _Chunk(TypedDict):
    start_line: int
    end_line: int
    kind: str


class _Other(TypedDict):
    start_line: int
    end_line: int
    symbol: str | None


class _Result(TypedDict):
    root: NotRequired[str]
    snapshot_id: NotRequired[str | None]
    path: str
    start_line: int
    end_line: int
    kind: str
    language: str | None
    symbol: str | None
    score: float
    text: str
    changed_since: bool
    explain: NotRequired[dict[str, float]]
    explain_place: NotRequired[dict[str, float]]
    """Of a definition that a long text means: what speaks for it beside others of its file."""
    chunk: NotRequired[_Chunk]
    column: NotRequired[int]
    match: NotRequired[str]
    text_column: NotRequired[int]
    cut: NotRequired[bool]
    form: NotRequired[str]
    tokens: NotRequired[int]
    before: NotRequired[list[str]]
    """The lines before it, and those behind, where they were asked for."""
    after: NotRequired[list[str]]
    matches: NotRequired[list[list[int]]]
    """Where in `text` each match begins and ends, where all were asked for."""
    count: NotRequired[int]
    """Where only files are asked for: how many lines of this one match."""
    others: NotRequired[list[_Other]]
    """Further places of the file, where more than one were asked for."""


class _LeftOut(TypedDict):
    root: NotRequired[str]
    path: str
    start_line: int
    end_line: int
    tokens: int


class _Budget(TypedDict):
    budget_tokens: int
    used_tokens: int
    full_tokens: int
    left_out: list[_LeftOut]
    hint: str
    notice: dict[str, Any] | None
    """A note, until a surface words it."""


class SearchBody(TypedDict):
    """What a search found."""

    query_fingerprint: str
    results: list[_Result]
    engine: NotRequired[str]
    """Of lines that are explained: what matched them."""
    terms: NotRequired[dict[str, float]]
    """Of places that are explained: the words that were searched by, and what each is worth; of a long text those
    that are worth most."""
    budget: NotRequired[_Budget]
    lines: NotRequired[int]
    """Where lines are counted: how many there are, in how many files."""
    files: NotRequired[int]


def search(answer: "Answer[Any]", values: Values) -> SearchBody:
    """What one codebase found: places by their worth, or lines by their order."""
    if values["literal"] or values["regex"]:
        rows = [line(item, answer.changed) for item in answer.items]
        own: dict[str, Any] = {"engine": answer.value.engine} if values["explain"] else {}
        if values.get("files_only") or values.get("count_only"):
            own |= {"lines": sum(item.count for item in answer.items), "files": len(rows)}
            counted = zip(rows, answer.items, strict=True)
            rows = [] if values.get("count_only") else [{**row, "count": item.count} for row, item in counted]
        return filled(SearchBody, answer.value, results=rows, **own)
    rows = [place(item, answer.changed, explain=values["explain"], **_beside(item)) for item in answer.items]
    return _within(filled(SearchBody, answer.value, results=rows, **_searched_by(answer, values)), answer)


def several(answer: "Answer[Found[SearchHit]]", values: Values) -> SearchBody:
    """What several codebases found, in one order; `codebases` says what each part rests on."""
    rows = [
        place(
            item,
            source.changed,
            explain=values["explain"],
            root=source.root,
            snapshot_id=source.snapshot_id,
            **_beside(item),
        )
        for item, source in zip(answer.items, answer.value.sources, strict=True)
    ]
    return _within(filled(SearchBody, answer.value, results=rows, **_searched_by(answer, values)), answer)


def place(item: "SearchHit", changed: Iterable[str], *, explain: bool, **own: Any) -> _Result:
    """One place that answers a question: the lines that are meant, and what they define."""
    row = item.row
    if explain:
        own |= {"explain": dict(item.contributions), "chunk": filled(_Chunk, row)}
        own |= {"explain_place": dict(item.parts)} if item.parts else {}
    return filled(
        _Result,
        item.spot,
        path=item.path,
        language=row.language,
        symbol=item.symbol or None,
        score=item.score,
        changed_since=item.path in changed,
        **own,
    )


def _searched_by(answer: "Answer[Found[SearchHit]]", values: Values) -> dict[str, Any]:
    return {"terms": dict(answer.value.terms)} if values["explain"] and answer.value.terms else {}


def _beside(item: "SearchHit") -> dict[str, Any]:
    others = [filled(_Other, each, symbol=each.symbols.split("\n")[0] or None) for each in item.others]
    return {"others": others} if others else {}


def line(item: "Match", changed: Iterable[str]) -> _Result:
    """One line that matches."""
    at = item.line
    around: dict[str, Any] = {}
    if item.before or item.after:
        around |= {"before": list(item.before), "after": list(item.after)}
    if at.spans:
        around["matches"] = [list(span) for span in at.spans]
    return filled(
        _Result,
        item,
        start_line=at.number,
        end_line=at.number,
        kind="match",
        symbol=item.symbol or None,
        score=1.0,
        text=at.text,
        changed_since=item.path in changed,
        column=at.column,
        match=at.match,
        text_column=at.column - at.offset,
        cut=at.cut,
        **around,
    )


def _within(body: SearchBody, answer: "Answer[Found[Any]]") -> SearchBody:
    """A body with each result in the form that its budget lets through, where it has one."""
    fitted = answer.value.fitted
    if fitted is None:
        return body
    left_out = [filled(_LeftOut, item, **({"root": item.root} if item.root else {})) for item in fitted.left_out]
    return {
        **body,
        "budget": filled(_Budget, fitted, left_out=left_out, hint="", notice=fitted.note),
        "results": [_in_form(body["results"][item.index], item.piece, item.tokens) for item in fitted.shown],
    }


def _in_form(result: _Result, piece: "Piece", tokens: int) -> _Result:
    own = {"start_line": piece.start_line, "end_line": piece.end_line, "text": piece.text, "form": piece.form}
    return filled(_Result, piece, **{**result, **own, "tokens": tokens})
