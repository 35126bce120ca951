"""What the Python interface answers with, made from the answers of the codebases."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from cairn.base.notes import Note
from cairn.base.values import as_dict, dataclass, field, replace
from cairn.codebase.bodies import Answer, AskedCodebase, Found
from cairn.codebase.wording import PYTHON, Noted, worded
from cairn.search import Fitted, Match, SearchHit


@dataclass(frozen=True, slots=True)
class Result:
    """One place that answers a query."""

    path: str
    start_line: int
    end_line: int
    kind: str
    language: str
    symbol: str | None
    score: float
    text: str
    changed_since: bool
    root: str
    """The codebase that it is from."""
    snapshot_id: str
    explain: Mapping[str, float] = field(default_factory=dict)
    explain_place: Mapping[str, float] = field(default_factory=dict)
    """Of a definition that a long text means: what speaks for it beside others of its file."""
    form: str = "place"
    """The lines that are meant; with a budget a whole `definition`, a `chunk` of the file, or only a `signature`."""
    column: int | None = None
    """Where a line matches, in characters from 1; None for an answer to a question."""
    match: str | None = None
    text_column: int = 1
    """Where in its line the text begins: 1 unless the line is so long that only the part around the match is given."""


class FittedAnswer(Fitted):
    """What a budget lets through, what not, and how to get that."""

    __slots__ = ()

    @property
    def hint(self) -> str:
        """How to get the rest; empty when there is none."""
        return worded(self.note, PYTHON) if self.note is not None else ""


@dataclass(frozen=True, slots=True)
class Results(Noted):
    """An answer: iterate over it, or look at `results` and at what the answer says of itself."""

    results: tuple[Result, ...]
    snapshot_id: str
    store_id: str
    request_id: str
    config_fingerprint: str
    ignore_fingerprint: str
    query_fingerprint: str
    git: Mapping[str, object]
    degraded: bool
    freshness: Mapping[str, object]
    notes: tuple[Note, ...]
    """What one should know of it; `warnings` says it in sentences."""
    limits_hit: tuple[str, ...]
    timings_ms: Mapping[str, float]
    budget: FittedAnswer | None = None
    """With a budget: what it let through, what was left out, and how to get that."""
    engine: str = ""
    """Of lines: `text`, `linear` for the engine whose time grows with the text alone, `python`, or `linear, python`."""

    def __iter__(self) -> Iterator[Result]:
        return iter(self.results)

    def __len__(self) -> int:
        return len(self.results)


@dataclass(frozen=True, slots=True)
class SeveralResults(Noted):
    """An answer of several codebases; `codebases` says of each what its part rests on, or why it has none."""

    results: tuple[Result, ...]
    codebases: tuple[AskedCodebase, ...]
    request_id: str
    query_fingerprint: str
    notes: tuple[Note, ...]
    """What one should know of it; `warnings` says it in sentences."""
    limits_hit: tuple[str, ...]
    timings_ms: Mapping[str, float]
    budget: FittedAnswer | None = None

    def __iter__(self) -> Iterator[Result]:
        return iter(self.results)

    def __len__(self) -> int:
        return len(self.results)


def in_forms(found: Sequence[Result], fitted: Fitted | None) -> tuple[tuple[Result, ...], FittedAnswer | None]:
    """Results in the forms that a budget lets through."""
    if fitted is None:
        return tuple(found), None
    chosen = FittedAnswer(**as_dict(fitted))
    shown = tuple(
        replace(
            found[item.index],
            text=item.piece.text,
            start_line=item.piece.start_line,
            end_line=item.piece.end_line,
            form=item.piece.form,
        )
        for item in chosen.shown
    )
    return shown, chosen


def results_of(answer: Answer[Any], results: tuple[Result, ...], budget: FittedAnswer | None = None) -> Results:
    """The answer of one codebase, with what it rests on."""
    manifest = answer.manifest
    return Results(
        results=results,
        snapshot_id=manifest.snapshot_id,
        store_id=manifest.store_id,
        request_id=answer.request_id,
        config_fingerprint=manifest.config_fingerprint,
        ignore_fingerprint=manifest.ignore_fingerprint,
        query_fingerprint=answer.value.query_fingerprint,
        git={"head": manifest.git.head_sha, "dirty": manifest.git.dirty},
        degraded=manifest.degraded,
        freshness=answer.freshness,
        notes=answer.notes,
        limits_hit=answer.limits_hit,
        timings_ms=answer.timings_ms,
        budget=budget,
        engine=answer.value.engine,
    )


def result_of_line(item: Match, root: str, answer: Answer[Found[Match]]) -> Result:
    """A line that matches, as a result."""
    line = item.line
    return Result(
        path=item.path,
        start_line=line.number,
        end_line=line.number,
        kind="match",
        language=item.language,
        symbol=item.symbol or None,
        score=1.0,
        text=line.text,
        changed_since=item.path in answer.changed,
        root=root,
        snapshot_id=answer.manifest.snapshot_id,
        form="line",
        column=line.column,
        match=line.match,
        text_column=line.column - line.offset,
    )


def result_of_hit(item: SearchHit, root: str, snapshot_id: str | None, changed: frozenset[str]) -> Result:
    """A place that answers a query, as a result."""
    row = item.row
    return Result(
        path=row.path_key,
        start_line=item.spot.start_line,
        end_line=item.spot.end_line,
        kind=item.spot.kind,
        language=row.language,
        symbol=item.symbol or None,
        score=item.score,
        text=item.spot.text,
        changed_since=row.path_key in changed,
        explain=item.contributions,
        explain_place=item.parts,
        root=root,
        snapshot_id=snapshot_id or "",
    )
