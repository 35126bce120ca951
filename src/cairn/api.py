"""The Python interface: open a tree, ask it, close it."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Self

from cairn.answers import DEFAULT_LINES, C
from cairn.engine import Answer, Codebase, LineRequest, Listed, Request
from cairn.errors import NotIndexedError
from cairn.graph import Definition, Reference, RepoMap
from cairn.indexing import SyncOptions, SyncResult
from cairn.search import Filters, Found, Match


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
    explain: Mapping[str, float] = field(default_factory=dict)
    column: int | None = None
    """Where a line matches, in characters from 1; None for an answer to a question."""
    match: str | None = None


@dataclass(frozen=True, slots=True)
class Results:
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
    warnings: tuple[str, ...]
    limits_hit: tuple[str, ...]
    timings_ms: Mapping[str, float]

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

    def search(
        self,
        query: str,
        limit: int = 10,
        *,
        mode: str | None = None,
        languages: str | Sequence[str] = (),
        paths: str | Sequence[str] = (),
    ) -> Results:
        """The best places for a question, words, or a name; asks the snapshot as it is."""
        filters = Filters(languages=_several(languages), paths=_several(paths))
        answer = self._codebase.search(Request(query, limit, mode, filters))
        return _results(answer, _result)

    def grep(
        self,
        pattern: str,
        limit: int = DEFAULT_LINES,
        *,
        regex: bool = False,
        ignore_case: bool = False,
        mode: str | None = None,
        languages: str | Sequence[str] = (),
        paths: str | Sequence[str] = (),
    ) -> Results:
        """Every line that holds a text, or with `regex` matches an expression, in order of path and line."""
        filters = Filters(languages=_several(languages), paths=_several(paths))
        answer = self._codebase.grep(LineRequest(pattern, regex, ignore_case, limit, mode, filters))
        return _results(answer, _line)

    def symbol(self, name: str) -> Listed[Definition]:
        """Where something is defined."""
        return self._codebase.get_symbol(name)

    def references(self, name: str) -> Listed[Reference]:
        """Where a name is used."""
        return self._codebase.get_references(name)

    def outline(self, path: str) -> Listed[Definition]:
        """What a file defines, in order."""
        return self._codebase.outline(path)

    def map(self, budget_tokens: int = 2_000) -> RepoMap:
        """The files that others use most, with what they offer."""
        return self._codebase.get_map(budget_tokens)

    def read(self, path: str) -> str:
        """A file that the index knows, as it is now."""
        return self._codebase.read(path)

    def close(self) -> None:
        self._codebase.close()

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
        elif not codebase.is_indexed():
            raise NotIndexedError(f"{codebase.root.path} is not indexed.")
    except BaseException:
        codebase.close()
        raise
    return Workspace(codebase)


def _several(given: str | Sequence[str]) -> tuple[str, ...]:
    return (given,) if isinstance(given, str) else tuple(given)


def _results(answer: Answer[C], result_of: Callable[[C, Answer[C]], Result]) -> Results:
    manifest = answer.manifest
    return Results(
        results=tuple(result_of(item, answer) for item in answer.results),
        snapshot_id=manifest.snapshot_id,
        store_id=manifest.store_id,
        request_id=answer.request_id,
        config_fingerprint=manifest.config_fingerprint,
        ignore_fingerprint=manifest.ignore_fingerprint,
        query_fingerprint=answer.query_fingerprint,
        git={"head": manifest.git.head_sha, "dirty": manifest.git.dirty},
        degraded=manifest.degraded,
        freshness=answer.freshness,
        warnings=answer.warnings,
        limits_hit=answer.limits_hit,
        timings_ms=answer.timings_ms,
    )


def _line(item: Match, answer: Answer[Match]) -> Result:
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
        column=line.column,
        match=line.match,
    )


def _result(item: Found, answer: Answer[Found]) -> Result:
    row = item.row
    return Result(
        path=row.path_key,
        start_line=row.start_line,
        end_line=row.end_line,
        kind=row.kind,
        language=row.language,
        symbol=item.symbol or None,
        score=item.score,
        text=row.text,
        changed_since=row.path_key in answer.changed,
        explain=item.contributions,
    )
