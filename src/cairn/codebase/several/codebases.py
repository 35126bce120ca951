"""Several codebases under one question: each keeps its store, its snapshot and its faults to itself.

A codebase that can't answer is told beside the answer of the others; only when none can is its error
the answer. The order in which they are named makes no difference.
"""

import contextlib
import sys
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from itertools import pairwise
from typing import Any, Self

from cairn.base.errors import CairnError, UsageError
from cairn.base.notes import Note
from cairn.base.shortage import cause_of
from cairn.base.values import dataclass, field
from cairn.codebase.answers import (
    Clock,
    LeastFit,
    Now,
    Request,
    cautions_of,
    check,
    notes_of,
    notes_of_query,
    within_budget,
)
from cairn.codebase.bodies import Answer, AskedCodebase, Found, Uses
from cairn.codebase.bounds import cut_places
from cairn.codebase.codebase import Codebase
from cairn.codebase.searches import history_notes
from cairn.codebase.several.members import Opened, Sync, members_of
from cairn.codebase.several.values import DefinitionIn, SeveralDefinitions, SeveralUses
from cairn.config.project import Config, QuerySettings, query_fingerprint
from cairn.engines import Vectors
from cairn.graph.symbols import spelling, standing
from cairn.search import (
    RANKING_VERSION,
    Filters,
    MergedViews,
    Query,
    SearchHit,
    Unit,
    ViewFailedError,
    parse_query,
    unit_of,
)
from cairn.search.find import find
from cairn.store import FileAt, SnapshotView

_SETTINGS = QuerySettings()
"""Those of one repository can't speak for the others."""
_STEPS = ("open", "embed", "search", "check")


@dataclass(frozen=True, slots=True)
class _Places:
    """What was found, each with its root, and with a budget in all its forms."""

    results: tuple[tuple[str, SearchHit], ...]
    units: tuple[Unit, ...]
    limits_hit: tuple[str, ...]
    notes: tuple[Note, ...] = ()
    terms: Mapping[str, float] = field(default_factory=dict)


class Codebases:
    """Some codebases, each once however it was named, in the order of their roots; a context manager."""

    def __init__(self, paths: Iterable[str], opened: Opened = Codebase) -> None:
        self._members = members_of(list(paths))
        if not self._members:
            raise UsageError("No codebase was named.", hint="Name one or more folders.")
        try:
            for member in self._members:
                if member.error is None:
                    member.open(opened)
        except BaseException:
            self.close()
            raise

    @property
    def roots(self) -> tuple[str, ...]:
        """The folders of all members, in their order."""
        return tuple(member.root for member in self._members)

    def sync(self, bring: Sync) -> None:
        """Bring one codebase after the other up to date; one that fails stops no other."""
        for member in self._members:
            member.sync(bring)

    def search(self, request: Request) -> Answer[Found[SearchHit]]:
        """One ranking over the active snapshots of all; the first error when none of them answers."""
        times = [time.perf_counter()]
        query = parse_query(request.query, request.filters)
        _require_relative(query.filters)
        nows = {member.root: member.codebase.now() for member in self._members if member.codebase is not None}
        failures: dict[str, CairnError] = {}
        with contextlib.ExitStack() as stack:
            views = self._views(stack, failures)
            times.append(time.perf_counter())
            vector, failed, least_fit = self._vector(query, views)
            times.append(time.perf_counter())
            places = _find(views, failures, request, query, vector, least_fit, nows)
            if not views:
                raise failures[self._members[0].root]
            times.append(time.perf_counter())
            asked, gone, notes = self._held_against_the_trees(places, views, failures, nows)
        times.append(time.perf_counter())
        kept = [at for at, (root, item) in enumerate(places.results) if (root, item.row.path_key) not in gone]
        steps = {name: end - begin for name, (begin, end) in zip(_STEPS, pairwise(times), strict=True)}
        units = tuple(places.units[at] for at in kept) if places.units else ()
        fitted, cut, said = within_budget(units, request.budget_tokens)
        found = Found(
            tuple(places.results[at][1] for at in kept),
            query_fingerprint(Config(), RANKING_VERSION),
            units,
            fitted,
            tuple(asked[places.results[at][0]] for at in kept),
            terms=places.terms,
        )
        return Answer(
            found,
            notes=(*places.notes, *failed, *notes, *_unavailable(failures), *said),
            limits_hit=places.limits_hit + cut,
            timings_ms={name: round(s * 1000, 3) for name, s in {**steps, "total": times[-1] - times[0]}.items()},
            codebases=tuple(asked.values()),
        )

    def symbol(self, name: str, limit: int | None = None) -> Answer[SeveralDefinitions]:
        """Where something is defined: exact case first, then what others can see, then by root, path and line."""
        found: list[DefinitionIn] = []
        failures: dict[str, CairnError] = {}
        notes: list[Note] = []
        answers: dict[str, Answer[Any]] = {}
        clock = Clock()
        otherwise: Counter[str] = Counter()
        hits: list[str] = []
        total = 0
        for member in self._members:
            try:
                answer = member.require().insight.symbol(name, synced=member.synced)
            except (CairnError, OSError) as error:
                failures[member.root] = cause_of(error)
                continue
            body = answer.value
            answers[member.root] = answer
            found += [
                DefinitionIn(member.root, answer.snapshot_id, item.path, item, item.path in answer.changed, each)
                for each, item in zip(body.ids, body.definitions, strict=True)
            ]
            total += body.total
            otherwise.update(body.otherwise)
            notes += [note.of(member.root) for note in (*member.notes, *answer.notes)]
            hits += answer.limits_hit
        if len(failures) == len(self._members):
            raise failures[self._members[0].root]
        order = standing(name)
        # Each codebase's own are in order of path and line already, and the sort keeps that.
        found.sort(key=lambda item: (*order(item.definition), item.root))
        spelt = [spelling(name, item.definition) for item in found]
        # One codebase may have another spelling where it has none of the best one: those are other names.
        kept = [item for item, written in zip(found, spelt, strict=True) if written == spelt[0]]
        otherwise.update(written for written in spelt if written != spelt[0])
        total -= len(found) - len(kept)
        cut, cut_note = cut_places(total, limit, "definition")
        clock.lap("graph")
        return Answer(
            SeveralDefinitions(tuple(kept[:limit]), total, otherwise),
            notes=(*notes, *cut_note, *_unavailable(failures)),
            limits_hit=tuple(dict.fromkeys([*cut, *hits])),
            timings_ms=clock.laps(),
            codebases=self._asked(answers, failures),
        )

    def references(self, name: str, limit: int | None = None, *, most: int = sys.maxsize) -> Answer[SeveralUses]:
        """Where something is used, in each codebase by what it defines or names so; `most` as one codebase takes it."""
        clock = Clock()
        found: dict[str, Answer[Uses]] = {}
        failures: dict[str, CairnError] = {}
        notes: list[Note] = []
        for member in self._members:
            try:
                answer = member.require().insight.references(name, most=most, synced=member.synced)
            except (CairnError, OSError) as error:
                failures[member.root] = cause_of(error)
                continue
            found[member.root] = answer
            notes += [note.of(member.root) for note in (*member.notes, *answer.notes)]
        if not found:
            raise failures[self._members[0].root]
        bodies = [answer.value for answer in found.values()]
        partial = not all(body.complete for body in bodies)
        cut, cut_note = cut_places(sum(body.total for body in bodies), limit, "use", partial)
        hits = [hit for answer in found.values() for hit in answer.limits_hit]
        limits = tuple(dict.fromkeys([*cut, *hits]))
        clock.lap("graph")
        return Answer(
            SeveralUses(found, limit),
            notes=(*notes, *cut_note, *_unavailable(failures)),
            limits_hit=limits,
            timings_ms=clock.laps(),
            codebases=self._asked(found, failures),
        )

    def _asked(
        self, answers: Mapping[str, Answer[Any]], failures: Mapping[str, CairnError]
    ) -> tuple[AskedCodebase, ...]:
        """What each codebase's part rests on, or why it has none, in the order of their roots."""
        return tuple(
            AskedCodebase(root, error=failures[root]) if root in failures else AskedCodebase.of(root, answers[root])
            for root in self.roots
        )

    def close(self) -> None:
        """Close all members."""
        for member in self._members:
            member.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _views(self, stack: contextlib.ExitStack, failures: dict[str, CairnError]) -> dict[str, SnapshotView]:
        """The pinned snapshots of those that have one, by root."""
        views: dict[str, SnapshotView] = {}
        for member in self._members:
            try:
                codebase = member.require()
                views[member.root] = stack.enter_context(codebase.view())
            except (CairnError, OSError) as error:
                failures[member.root] = cause_of(error)
        return views

    def _vector(
        self, query: Query, views: Mapping[str, SnapshotView]
    ) -> tuple[Vectors | None, tuple[Note, ...], LeastFit | None]:
        """The embedder is the user's and not a repository's: any codebase makes the same vector."""
        able = next((member for member in self._members if member.root in views), None)
        return (None, (), None) if able is None else able.require().vector_of(query)

    def _held_against_the_trees(
        self,
        places: _Places,
        views: Mapping[str, SnapshotView],
        failures: Mapping[str, CairnError],
        nows: Mapping[str, Now],
    ) -> tuple[dict[str, AskedCodebase], set[tuple[str, str]], list[Note]]:
        """What each codebase's part rests on, which cited files are gone, and what to say."""
        asked: dict[str, AskedCodebase] = {}
        gone: set[tuple[str, str]] = set()
        notes: list[Note] = []
        for member in self._members:
            root = member.root
            if root in failures:
                asked[root] = AskedCodebase(root, error=failures[root])
                continue
            codebase, view = member.require(), views[root]
            own = tuple(item for owner, item in places.results if owner == root)
            checked = check(own, nows[root])
            kept = {item.path for item in checked.results}
            gone |= {(root, item.path) for item in own if item.path not in kept}
            said = list(member.notes)
            own_notes = history_notes(view) + notes_of(view.manifest, cautions_of(view), checked)
            said += (note for note in own_notes if note not in said)
            if codebase.detector.config.query != _SETTINGS:
                said.append(Note("query_settings_unused"))
            notes += [note.of(root) for note in said]
            freshness = {
                "synced": member.synced,
                "checked": "tree" if member.synced else "cited_files",
                "moved": bool(checked.changed or checked.gone),
            }
            asked[root] = AskedCodebase(root, view.manifest, checked.changed, freshness)
        return asked, gone, notes


def _find(
    views: dict[str, SnapshotView],
    failures: dict[str, CairnError],
    request: Request,
    query: Query,
    vector: Vectors | None,
    least_fit: LeastFit | None,
    nows: Mapping[str, Now],
) -> _Places:
    """Search all views as one; a view that fails on the way is moved to the failures, and the others are asked anew."""
    while views:
        roots, together = list(views), MergedViews(list(views.values()))
        present = partial(_are_there, roots, together, nows)
        try:
            found = find(
                together,
                query,
                vector,
                request.limit_or(_SETTINGS.limit),
                mode=request.mode or _SETTINGS.mode,
                present=present,
                per_file=request.per_file,
            )
            results = tuple((roots[together.number_of(item.place)], item) for item in found.results)
            with_forms = results if request.budget_tokens is not None else ()
            units = tuple(unit_of(together, item, root) for root, item in with_forms)
            notes = notes_of_query(query, found, least_fit, request.mode or _SETTINGS.mode)
            return _Places(results, units, found.limits_hit, notes, found.terms)
        except ViewFailedError as failure:
            root = roots[failure.number]
            failures[root] = cause_of(failure.cause)
            del views[root]
    return _Places((), (), ())


def _unavailable(failures: Mapping[str, CairnError]) -> list[Note]:
    return [
        Note("codebase_failed", {"codebase": root, "message": failures[root].message, "hint": failures[root].hint})
        for root in sorted(failures)
    ]


def _are_there(
    roots: Sequence[str], together: MergedViews, nows: Mapping[str, Now], files: Sequence[tuple[FileAt, str]]
) -> list[bool]:
    return [nows[roots[together.number_of(place)]].is_there(path) for place, path in files]


def _require_relative(filters: Filters) -> None:
    """Path filters hold for every codebase alike, so they are relative to each root."""
    for pattern in filters.paths:
        if pattern.startswith("/") or ".." in pattern.split("/") or not pattern.strip("/"):
            raise UsageError(
                f"The path filter {pattern!r} is not relative to the roots of several codebases.",
                hint="Use a path like src/ or *.py, and name only the codebases that you mean.",
            )
