"""The Python interface: open a tree or several, ask them, close them."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self, overload

from cairn.base.errors import UsageError
from cairn.base.notes import Note
from cairn.base.values import as_dict, dataclass, field, replace
from cairn.codebase.answers import Answer, Excerpt, excerpt
from cairn.codebase.bodies import FileOutline, Symbols, Told, Uses
from cairn.codebase.codebase import Codebase
from cairn.codebase.several import Asked as AskedCodebase
from cairn.codebase.several import (
    Codebases,
    SeveralAnswer,
    SeveralDefinitions,
    SeveralUses,
    bring_up_to_date,
    known_roots,
)
from cairn.codebase.wording import PYTHON, Noted, worded
from cairn.config.project import MAX_BUDGET_TOKENS
from cairn.graph import CALLEES, CALLERS, CallGraph, Impact, Imports, RepoMap
from cairn.indexing import SyncOptions, SyncResult
from cairn.questions.asking import Answered, values_of
from cairn.questions.code import CALLS, IMPACT, IMPORTS, MAP, OUTLINE, REFERENCES, SLICE, SYMBOL
from cairn.questions.parameters import Values
from cairn.questions.question import Asked, Question
from cairn.questions.registry import QUESTIONS
from cairn.questions.search import SEARCH
from cairn.search import Fitted, Match, SearchHit, Unit, fit
from cairn.semantic.job import Job
from cairn.store import Manifest
from cairn.syntax.uses import Slice

if TYPE_CHECKING:
    from cairn.codebase.renames import Renaming


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


class Workspace:
    """One tree and its index; a context manager."""

    def __init__(self, codebase: Codebase) -> None:
        self._codebase = codebase

    @property
    def root(self) -> str:
        return self._codebase.root.path

    def sync(self, *, reindex: bool = False) -> SyncResult:
        """Bring the index up to date; create it where there is none."""
        return self._codebase.index(SyncOptions(reindex=reindex))

    def ask(self, question: str | Question, **given: Any) -> Answered:
        """Any question by its name, with the parameters of its declaration: see docs/reference.md."""
        found = question if isinstance(question, Question) else _question(question)
        return Answered(found, values := values_of(found, given), self._answer(found, values), ())

    def _told(self, question: Question, **given: Any) -> Told[Any]:
        answer: Told[Any] = self._asked(question, **given)
        return answer

    def _asked(self, question: Question, **given: Any) -> Any:
        return self._answer(question, values_of(question, given))

    def _answer(self, question: Question, values: Values) -> Any:
        return question.ask(None if question.subject == "home" else Asked(self._codebase, _Root(self.root)), values)

    def search(
        self,
        query: str,
        limit: int | None = None,
        *,
        mode: str | None = None,
        languages: str | Sequence[str] = (),
        paths: str | Sequence[str] = (),
        budget_tokens: int | None = None,
    ) -> Results:
        """The best places for a question, words, or a name; asks the snapshot as it is.

        With a budget the texts are whole definitions, as many as it holds, and signatures of others.
        """
        answer = self._asked(
            SEARCH,
            query=query,
            limit=limit,
            mode=mode,
            languages=_several(languages),
            paths=_several(paths),
            budget_tokens=budget_tokens,
        )
        found = [_result(item, self.root, answer.manifest, answer.changed) for item in answer.results]
        results, budget = _within(found, answer.units, budget_tokens)
        return _results(answer, results, budget)

    def grep(
        self,
        pattern: str,
        limit: int | None = None,
        *,
        regex: bool = False,
        ignore_case: bool = False,
        mode: str | None = None,
        languages: str | Sequence[str] = (),
        paths: str | Sequence[str] = (),
    ) -> Results:
        """Every line that holds a text, or with `regex` matches an expression, in order of path and line."""
        answer = self._asked(
            SEARCH,
            query=pattern,
            limit=limit,
            literal=not regex,
            regex=regex,
            ignore_case=ignore_case,
            mode=mode,
            languages=_several(languages),
            paths=_several(paths),
        )
        return _results(answer, tuple(_line(item, self.root, answer) for item in answer.results))

    def related(
        self,
        path: str,
        line: int,
        limit: int | None = None,
        *,
        languages: str | Sequence[str] = (),
        paths: str | Sequence[str] = (),
    ) -> Results:
        """Places in other files that are like the one at a line."""
        answer = self._asked(
            SEARCH, related=f"{path}:{line}", limit=limit, languages=_several(languages), paths=_several(paths)
        )
        return _results(
            answer, tuple(_result(item, self.root, answer.manifest, answer.changed) for item in answer.results)
        )

    def symbol(self, name: str, limit: int | None = None) -> Told[Symbols]:
        """Where something is defined; iterate over the definitions."""
        return self._told(SYMBOL, name=name, limit=limit)

    def references(self, name: str, limit: int | None = None) -> Told[Uses]:
        """Where something is used, each use with its role and how sure it is; `name` may be FILE:LINE[:COLUMN]."""
        return self._told(REFERENCES, name=name, limit=limit)

    def callers(self, name: str, depth: int | None = None, **limits: int) -> Told[CallGraph]:
        """What calls something, some steps far; `limits` are nodes, fan_out and notes."""
        return self._told(CALLS, name=name, direction=CALLERS, depth=depth, **limits)

    def callees(self, name: str, depth: int | None = None, **limits: int) -> Told[CallGraph]:
        """What something calls, some steps far; `limits` are nodes, fan_out and notes."""
        return self._told(CALLS, name=name, direction=CALLEES, depth=depth, **limits)

    def imports(self, path: str) -> Told[Imports]:
        """What a file imports, and which files import it."""
        return self._told(IMPORTS, file=path)

    def impact(
        self, paths: str | Sequence[str] = (), *, since: str | None = None, depth: int | None = None
    ) -> Told[Impact]:
        """What a change reaches: of some files, or of all that differs from a revision (HEAD when none is named)."""
        return self._told(IMPACT, files=_several(paths), since=since, depth=depth)

    def slice(self, path: str, line: int, name: str) -> Told[Slice | None]:
        """Definitions, uses and flow of a name inside the function around a line; None where there is no such name."""
        return self._told(SLICE, place=f"{path}:{line}", name=name)

    def outline(self, path: str, symbol: str | None = None, *, budget_tokens: int | None = None) -> Told[FileOutline]:
        """What a file defines, in order; with a budget, what stands at the top before members."""
        return self._told(OUTLINE, file=path, symbol=symbol, budget_tokens=budget_tokens)

    def map(self, budget_tokens: int | None = None) -> Told[RepoMap]:
        """What the repository is made of, its ways in, and the files that others use most, with what they offer."""
        return self._told(MAP, budget_tokens=budget_tokens)

    @property
    def rename(self) -> "Renaming":
        """Renames: `plan` a place's, `decide` what is open, `apply` a plan, `undo` an edit."""
        from cairn.codebase.renames import Renaming

        return Renaming(self._codebase)

    @overload
    def read(self, path: str, *, from_line: int = 1) -> str: ...

    @overload
    def read(self, path: str, *, budget_tokens: int, from_line: int = 1) -> Excerpt: ...

    def read(self, path: str, *, budget_tokens: int | None = None, from_line: int = 1) -> str | Excerpt:
        """A file that the index knows, as it is now; with a budget, the lines that it holds and how to read on."""
        text = self._codebase.read(path)
        if budget_tokens is None:
            return text if from_line == 1 else excerpt(path, text, MAX_BUDGET_TOKENS, from_line).text
        return excerpt(path, text, budget_tokens, from_line)

    def refresh(
        self,
        files: str | Sequence[str] = (),
        *,
        packages: str | Sequence[str] = (),
        since: float | None = None,
        everything: bool = False,
        context: str = "",
    ) -> tuple[Job, ...]:
        """Ask the languages' own indexers for facts about what isn't clean, or about a part; the jobs as they ended."""
        refreshing = self._codebase.refreshing
        self.sync()
        wish = refreshing.wish(
            files=_several(files), packages=_several(packages), since=since, everything=everything, context=context
        )
        asked = refreshing.ask(wish, "api")
        return tuple(refreshing.wait(each.job.id for each in asked if each.job is not None))

    def jobs(self) -> tuple[Job, ...]:
        """The refreshes that were asked for, and what became of them, in their order."""
        self._codebase.refreshing.recover()
        return self._codebase.refreshing.queue.all()

    def close(self) -> None:
        self._codebase.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Workspaces:
    """Several trees under one question; a context manager."""

    def __init__(self, codebases: Codebases, notes: Sequence[Note] = ()) -> None:
        self._codebases = codebases
        self._notes = tuple(notes)

    @property
    def roots(self) -> tuple[str, ...]:
        return self._codebases.roots

    def sync(self) -> None:
        """Bring all indexes up to date; what fails is told with the next answer."""
        self._codebases.sync(bring_up_to_date)

    def search(
        self,
        query: str,
        limit: int | None = None,
        *,
        mode: str | None = None,
        languages: str | Sequence[str] = (),
        paths: str | Sequence[str] = (),
        budget_tokens: int | None = None,
    ) -> SeveralResults:
        """The best places of all codebases in one order; one that can't answer is a warning."""
        values = values_of(
            SEARCH,
            {
                "query": query,
                "limit": limit,
                "mode": mode,
                "languages": _several(languages),
                "paths": _several(paths),
                "budget_tokens": budget_tokens,
            },
        )
        answer: SeveralAnswer = _asked_of(SEARCH, self._codebases, values)
        found = [
            _result(item, source.root, source.manifest, source.changed)
            for item, source in zip(answer.results, answer.sources, strict=True)
        ]
        results, budget = _within(found, answer.units, budget_tokens)
        return SeveralResults(
            results=results,
            codebases=answer.codebases,
            request_id=answer.request_id,
            query_fingerprint=answer.query_fingerprint,
            notes=(*self._notes, *answer.notes),
            limits_hit=_limits(answer.limits_hit, budget),
            timings_ms=answer.timings_ms,
            budget=budget,
        )

    def symbol(self, name: str, limit: int | None = None) -> SeveralDefinitions:
        """Where something is defined, in all codebases."""
        values = values_of(SYMBOL, {"name": name, "limit": limit})
        found: SeveralDefinitions = _asked_of(SYMBOL, self._codebases, values)
        return found

    def references(self, name: str, limit: int | None = None) -> SeveralUses:
        """Where something is used, in all codebases."""
        values = values_of(REFERENCES, {"name": name, "limit": limit})
        found: SeveralUses = _asked_of(REFERENCES, self._codebases, values)
        return found

    def close(self) -> None:
        self._codebases.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def open_workspace(path: str | os.PathLike[str] = ".", *, sync: bool = True) -> Workspace:
    """Open a tree; with `sync` its index is created or brought up to date first."""
    codebase = Codebase(os.path.expanduser(os.fspath(path)))
    try:
        if sync:
            codebase.index(SyncOptions())
        else:
            codebase.require_readable()
    except BaseException:
        codebase.close()
        raise
    return Workspace(codebase)


def open_all(
    paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]] | None = None, *, sync: bool = True
) -> Workspaces:
    """Open several trees, or all that are indexed when none is named; one that can't be opened is a warning."""
    named = [paths] if isinstance(paths, (str, os.PathLike)) else paths
    roots, notes = known_roots() if named is None else ([os.path.expanduser(os.fspath(path)) for path in named], [])
    workspaces = Workspaces(Codebases(roots), notes)
    try:
        if sync:
            workspaces.sync()
    except BaseException:
        workspaces.close()
        raise
    return workspaces


def _question(name: str) -> Question:
    found = next((each for each in QUESTIONS if each.name == name), None)
    if found is None:
        names = ", ".join(each.name for each in QUESTIONS)
        raise UsageError(f"There is no question {name!r}.", hint=f"Questions are: {names}.")
    return found


class _Root:
    """Paths of a Python caller start from the root of the codebase."""

    def __init__(self, root: str) -> None:
        self._root = root

    def at(self, path: str) -> str:
        """A path from the root on."""
        return os.path.join(self._root, path)

    def read_mode(self, *, asked_for: bool) -> str:
        """How stores are read here, in words."""
        return "direct: each request holds the readers' lock, and nothing is collected meanwhile"


def _asked_of(question: Question, codebases: Codebases, values: Values) -> Any:
    if question.ask_several is None:
        raise UsageError(f"{question.name} is a question for one codebase.", hint="Open that codebase alone.")
    return question.ask_several(codebases, values)


def _within(
    found: Sequence[Result], units: Sequence[Unit], budget_tokens: int | None
) -> tuple[tuple[Result, ...], FittedAnswer | None]:
    """Results in the forms that a budget lets through."""
    if budget_tokens is None:
        return tuple(found), None
    chosen = FittedAnswer(**as_dict(fit(units, budget_tokens)))
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


def _limits(hit: tuple[str, ...], budget: FittedAnswer | None) -> tuple[str, ...]:
    return (*hit, "budget") if budget is not None and budget.is_cut else hit


def _several(given: str | Sequence[str]) -> tuple[str, ...]:
    return (given,) if isinstance(given, str) else tuple(given)


def _results(answer: Answer[Any], results: tuple[Result, ...], budget: FittedAnswer | None = None) -> Results:
    manifest = answer.manifest
    return Results(
        results=results,
        snapshot_id=manifest.snapshot_id,
        store_id=manifest.store_id,
        request_id=answer.request_id,
        config_fingerprint=manifest.config_fingerprint,
        ignore_fingerprint=manifest.ignore_fingerprint,
        query_fingerprint=answer.query_fingerprint,
        git={"head": manifest.git.head_sha, "dirty": manifest.git.dirty},
        degraded=manifest.degraded,
        freshness=answer.freshness,
        notes=answer.notes,
        limits_hit=_limits(answer.limits_hit, budget),
        timings_ms=answer.timings_ms,
        budget=budget,
    )


def _line(item: Match, root: str, answer: Answer[Match]) -> Result:
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


def _result(item: SearchHit, root: str, manifest: Manifest | None, changed: frozenset[str]) -> Result:
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
        root=root,
        snapshot_id=manifest.snapshot_id if manifest is not None else "",
    )
