"""Searches in one codebase, each answered from one pinned view and held against the tree."""

from __future__ import annotations

import os
import sys
from functools import partial
from typing import TYPE_CHECKING, Protocol

from cairn.base.errors import (
    CairnError,
    EngineDeniedError,
    EngineMissingError,
    EngineMovedError,
    IncompatibleError,
    NotIndexedError,
    ProbeFailedError,
    UsageError,
    VectorsLostError,
)
from cairn.base.notes import Note
from cairn.base.steps import Advice, NextStep
from cairn.base.values import replace
from cairn.codebase.answers import (
    C,
    Clock,
    LeastFit,
    LineRequest,
    Now,
    Outcome,
    RelatedRequest,
    Request,
    cautions_of,
    check,
    notes_of,
    notes_of_lines,
    notes_of_query,
    within_budget,
)
from cairn.codebase.bodies import Answer, Found
from cairn.codebase.treenames import TreeNames
from cairn.config.project import DEFAULT_LINES, query_fingerprint
from cairn.search.filters import allowed_files
from cairn.search.version import RANKING_VERSION
from cairn.workspace.detector import ChangeDetector

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from cairn.embed import Embedder
    from cairn.engines import Vectors
    from cairn.search import Filters, Match, Query, SearchHit
    from cairn.store import FileAt, FileRow, SnapshotView

_UNASKED = (
    ProbeFailedError, VectorsLostError, EngineDeniedError, EngineMissingError, EngineMovedError, IncompatibleError
)  # fmt: skip
"""What keeps a question from the vectors, and says nothing of the words."""


class SearchedCodebase(Protocol):
    """What a search needs of a codebase."""

    naming: TreeNames

    @property
    def root_path(self) -> str:
        """The folder that path filters are relative to."""

    @property
    def detector(self) -> ChangeDetector:
        """Where the settings of now are."""

    def view(self, snapshot_id: str | None = None) -> SnapshotView:
        """The active snapshot or a former one."""

    def now(self) -> Now:
        """The tree as it is."""


class Searches:
    """Searches by words and meaning, by lines, and by likeness."""

    def __init__(self, codebase: SearchedCodebase, embedder: Embedder) -> None:
        self._codebase = codebase
        self._embedder = embedder

    def search(
        self, request: Request, *, synced: bool = False, snapshot_id: str | None = None
    ) -> Answer[Found[SearchHit]]:
        """Ask the active snapshot, or that of an earlier page; `synced` when this request has brought it up to date."""
        from cairn.search.find import find
        from cairn.search.ranking import weights_for
        from cairn.search.units import unit_of

        settings = self._codebase.detector.config.query
        plain = self.meant(request)

        def ask(view: SnapshotView, clock: Clock, now: Now) -> Outcome[SearchHit]:
            query, links = _without_links(plain, view.aliases)
            vector, failure, least_fit = self.vector_of(query)
            clock.lap("embed")
            ranked = partial(
                find,
                view,
                query,
                limit=request.limit_or(settings.limit),
                mode=request.mode or settings.mode,
                weights=weights_for(query, settings.signals_off),
                present=lambda files: now.are_there([path for _, path in files]),
                per_file=request.per_file,
            )
            try:
                findings = ranked(vector)
            except _UNASKED as error:
                # What the words of the snapshot say is as true as before.
                findings = ranked(None)
                said = {"error": error.code, "message": str(error), "hint": error.hint}
                failure += (Note("vectors_unavailable", said),)
            units = () if request.budget_tokens is None else tuple(unit_of(view, item) for item in findings.results)
            notes = notes_of_query(query, findings, None if links else least_fit, request.mode or settings.mode)
            if query.is_symbol and not findings.has_words:
                # A name is more often mistyped than made up.
                from cairn.graph.likeness import like_notes

                notes += like_notes(view, query.text, now.is_there)
            every = links + failure + history_notes(view) + notes
            return Outcome(findings.results, units, findings.limits_hit, every, terms=findings.terms)

        return self._answer(ask, synced, snapshot_id, request.budget_tokens)

    def grep(
        self, request: LineRequest, *, synced: bool = False, snapshot_id: str | None = None
    ) -> Answer[Found[Match]]:
        """Lines of the active snapshot that match, in order of path and line."""
        from cairn.search.grep import LineBounds, grep

        pattern = request.parsed()
        filters = self.within(request.filters).with_known_languages()
        limit = request.limit or DEFAULT_LINES
        order = None if request.sort == "path" else partial(self._by_time, newest_first=request.sort == "newest")
        around = (request.before, request.after)
        bounds = LineBounds(request.by_file, request.max_count or sys.maxsize, *around, order, request.behind)

        def ask(view: SnapshotView, _: Clock, now: Now) -> Outcome[Match]:
            allowed = allowed_files(filters, request.mode or "auto", request.narrowed)
            found = grep(view, pattern, limit, allowed, now.is_there, bounds)
            return Outcome(found.results, (), found.limits_hit, notes_of_lines(found, limit), engine=found.engine)

        return self._answer(ask, synced, snapshot_id)

    def _by_time(self, path: str, *, newest_first: bool) -> tuple[float, str]:
        try:
            changed = os.stat(os.path.join(self._codebase.root_path, path)).st_mtime
        except OSError:
            changed = 0.0
        return -changed if newest_first else changed, path

    def related(
        self, request: RelatedRequest, *, synced: bool = False, snapshot_id: str | None = None
    ) -> Answer[Found[SearchHit]]:
        """Places in other files that are like the one at a line of the active snapshot."""
        from cairn.search.find import find
        from cairn.search.related import question_of

        key = self._codebase.naming.key(request.path)
        filters = self.within(request.filters).with_known_languages()
        limit = request.limit or self._codebase.detector.config.query.limit

        def ask(view: SnapshotView, clock: Clock, now: Now) -> Outcome[SearchHit]:
            file = file_in(view, key)
            state = now.hash_of(key)
            if state is None:
                raise NotIndexedError(f"{key} is gone since the snapshot.", hint=Advice(NextStep("index"), "."))
            query, own = question_of(view, key, request.line, filters)
            vector, failure, _ = self.vector_of(query)
            clock.lap("embed")

            def others(files: Sequence[tuple[FileAt, str]]) -> list[bool]:
                """Its own file is the nearest of all, and no answer."""
                there = now.are_there([path for _, path in files])
                return [is_there and path != key for is_there, (_, path) in zip(there, files, strict=True)]

            findings = find(view, query, own if vector is None else vector, limit, present=others)
            moved = state != file.file_hash
            said = (Note("place_moved", {"path": key, "line": request.line}),) if moved else ()
            return Outcome(findings.results, (), findings.limits_hit, failure + history_notes(view) + said, moved)

        return self._answer(ask, synced, snapshot_id)

    def meant(self, request: Request) -> Query:
        """The question, with filters that are relative to the root wherever they were written."""
        from cairn.search.query import parse_query

        query = parse_query(request.query, request.filters)
        return replace(query, filters=self.within(query.filters))

    def _answer(
        self,
        ask: Callable[[SnapshotView, Clock, Now], Outcome[C]],
        synced: bool,
        snapshot_id: str | None = None,
        budget_tokens: int | None = None,
    ) -> Answer[Found[C]]:
        """Ask one pinned view, hold what it says against the tree, and say what the answer rests on."""
        clock, now = Clock(), self._codebase.now()
        with self._codebase.view(snapshot_id) as view:
            clock.lap("open")
            outcome = ask(view, clock, now)
            manifest, cautions = view.manifest, cautions_of(view)
        clock.lap("search")
        checked = check(outcome.results, now)
        clock.lap("check")
        units = tuple(unit for unit in outcome.units if unit.path in checked.cited)
        fingerprint = query_fingerprint(self._codebase.detector.config, RANKING_VERSION)
        fitted, cut, said = within_budget(units, budget_tokens)
        return Answer(
            Found(checked.results, fingerprint, units, fitted, engine=outcome.engine, terms=outcome.terms),
            manifest,
            cited=tuple(checked.cited),
            changed=checked.changed,
            notes=outcome.notes + notes_of(manifest, cautions, checked) + said,
            limits_hit=outcome.limits_hit + cut,
            freshness={
                "synced": synced,
                "checked": "tree" if synced else "cited_files",
                "moved": bool(checked.changed or checked.gone or outcome.moved),
            },
            timings_ms=clock.laps(),
        )

    def vector_of(self, query: Query) -> tuple[Vectors | None, tuple[Note, ...], LeastFit | None]:
        """The query's vector, and how badly an answer may fit by it; an embedder that fails leaves words and names.

        Nobody has measured how well answers fit by other models than the bundled one.
        """
        from cairn.embed.elsewhere import least_fit
        from cairn.embed.static import IDENTITY

        if not query.terms:
            return None, (), None
        try:
            vector = self._embedder.embed([query.text])[0]
        except (CairnError, OSError) as error:
            return None, (Note("embedder_failed", {"message": str(error)}),), None
        return vector, (), partial(least_fit, vector) if self._embedder.identity == IDENTITY else None

    def within(self, filters: Filters) -> Filters:
        """Path filters as they are meant: relative to the root."""
        return replace(filters, paths=tuple(_relative(self._codebase.root_path, pattern) for pattern in filters.paths))


def history_notes(view: SnapshotView) -> tuple[Note, ...]:
    """Says that an answer was ranked without the history that the snapshot names."""
    return (Note("history_lost", {"message": view.history_lost}),) if view.history_lost else ()


def _without_links(query: Query, aliases: tuple[tuple[str, str], ...]) -> tuple[Query, tuple[Note, ...]]:
    """A query that names links as one that names what they lead to, and notes that say so.

    A link's name without its suffix may be a word like any other: alone it is asked for as both.
    """
    from cairn.search.query import parse_query

    known = {name: link for link in aliases for name in (link[0], link[0].rpartition("/")[2])}
    words = query.text.split()
    if len(words) == 1 and words[0] not in known:
        words += [name for name in known if name.partition(".")[0] == words[0]]
    found = tuple(known[word] for word in words if word in known)
    if not found:
        return query, ()
    text = " ".join(known[word][1] if word in known else word for word in words)
    notes = tuple(Note("alias", {"path": name, "target": target}) for name, target in dict.fromkeys(found))
    return parse_query(text, query.filters), notes


def file_in(view: SnapshotView, key: str) -> FileRow:
    """The row of a file; NotIndexedError where the snapshot has none."""
    file = view.rows.file(key)
    if file is None:
        raise NotIndexedError(f"{key} is not in the snapshot.", hint=Advice(NextStep("preview"), " to see why."))
    return file


def _relative(root: str, pattern: str) -> str:
    """A path filter beneath the root; UsageError for one that can match nothing there."""
    inside = pattern.removeprefix(root.rstrip("/") + "/") if pattern.startswith("/") else pattern
    if not inside.strip("/") or inside.startswith("/") or ".." in inside.split("/"):
        raise UsageError(f"The path {pattern} matches nothing beneath the root.", hint="Use a path like src/ or *.py.")
    return inside
