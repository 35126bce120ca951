"""Search over one pinned view, or several as one: candidates, evidence, order, and the place in each file."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

import numpy as np

from cairn.base.terms import term_hashes
from cairn.base.values import dataclass, field, replace
from cairn.engines import Vectors
from cairn.search import signals
from cairn.search.definitions import MOST_MEANT
from cairn.search.filters import allowed_files
from cairn.search.history import by_commits
from cairn.search.mergedviews import MergedViews
from cairn.search.places import Present, SearchHit, WantedDefinitions, all_present, best_places, places_meant
from cairn.search.query import MAX_TERMS, Query, written_terms
from cairn.search.ranking import Statistics, rank, weights_for
from cairn.search.reported import files_mentioned, saying
from cairn.store import (
    Evidence,
    FileAt,
    Hashes,
    NearRow,
    SnapshotView,
    SymbolRow,
    TermCounts,
    TermMatrix,
)

LEXICAL_ROWS = 150
NEAR_ROWS = 100
EDGE_ROW = 200
"""What is as near as this row speaks for itself."""
KNOWN_ROWS = 600
"""Of so many rows it is known how near they are. Of the others nothing is asked, so that one question to an engine
is enough, wherever it is."""
MAX_DEFINITIONS = 400
_LOOKED_UP = 20_000
_PATH_BOOST = 1.5
_FILTERED_FILES = 3_000
_FILTERED_FACTOR = 10
_WORD_SHARE = 0.28
_ALL_WORDS = 0.999


@dataclass(frozen=True, slots=True)
class SearchCandidates:
    """The candidate files of a query, and the evidence that they are ranked by."""

    query: Query
    """With the words of a long text that are worth most."""
    evidence: Evidence
    statistics: Statistics
    defined: Mapping[FileAt, list[SymbolRow]]
    limits: tuple[str, ...] = ()
    has_words: bool = True
    said: Mapping[FileAt, float] = field(default_factory=dict)
    """Files that hold messages of a long text."""
    fit: float | None = None
    """How well the best row fits a question; None where nothing speaks against it, or nothing can tell."""
    history: signals.Array | None = None
    """What the last commits say of each file."""


@dataclass(frozen=True, slots=True)
class Findings:
    """The results of a search, best first, and the limits that it ran into."""

    results: tuple[SearchHit, ...]
    limits_hit: tuple[str, ...] = ()
    has_words: bool = True
    """Whether anything has a word of the query; otherwise the results are near to it in meaning alone."""
    fit: float | None = None
    """How well the best row fits a question; None where nothing speaks against it, or nothing can tell."""
    terms: Mapping[str, float] = field(default_factory=dict)
    """The words that it was searched by, and what each is worth: the worthiest first."""


def find(
    view: SnapshotView | MergedViews,
    query: Query,
    vector: Vectors | None,
    limit: int,
    *,
    mode: str = "auto",
    weights: Mapping[str, float] | None = None,
    present: Present = all_present,
    per_file: int | None = None,
) -> Findings:
    """The best places, ordered by score, path and line.

    To a phrase each file is one place, and with it come the `others` of its file that answer nearly as well, up to
    `per_file` in all: one by default. To a long text each definition that it means is a place of its own, up to
    `per_file` of a file: three by default.

    Files that are not `present` are replaced by the next best.
    """
    if not query.terms and not query.names:
        return Findings(())
    gathered = gather(view, query, vector, mode)
    query, weights = gathered.query, weights or weights_for(query)
    ranking = rank(
        query,
        gathered.evidence,
        gathered.statistics,
        gathered.defined,
        weights,
        view.facts.imports_of,
        gathered.said,
        gathered.history,
    )
    if isinstance(view, MergedViews):
        order = sorted(ranking.order, key=lambda item: (-item.score, view.number_of(item.place), item.path_key))
        ranking = replace(ranking, order=tuple(order))
    if query.report is not None:
        which = WantedDefinitions(mode, gathered.defined, per_file or MOST_MEANT)
        places = places_meant(view, query, query.report, ranking, limit, weights, gathered.statistics, present, which)
    else:
        places = best_places(
            view,
            query,
            ranking,
            gathered.defined,
            limit,
            weights,
            gathered.statistics,
            present,
            (per_file or 1) - 1,
        )
    worth = sorted(zip(query.terms, gathered.statistics.weights, strict=True), key=lambda each: (-each[1], each[0]))
    terms = {term: round(weight, 3) for term, weight in worth}
    return Findings(tuple(places), gathered.limits, gathered.has_words, gathered.fit, terms)


def gather(
    view: SnapshotView | MergedViews, query: Query, vector: Vectors | None, mode: str = "auto"
) -> SearchCandidates:
    """Find the candidates of a query and everything that ranking needs to know about them."""
    allowed = allowed_files(query.filters, mode)
    inside = view.files_where(allowed) if allowed is not None else None
    defined, all_of_them = _definitions(view, query, mode, inside)
    limits = [name for name, hit in (("query", query.cut), ("definitions", not all_of_them)) if hit]
    query, counts, idf = _weighed(query, view.words.counted(query.terms))
    hashes = np.frombuffer(term_hashes(query.terms), dtype="<u8")
    statistics = Statistics(tuple(idf), counts.length / max(counts.rows, 1), 0.0)
    near = [] if vector is None else view.vectors.near(vector, KNOWN_ROWS, defined if mode == "symbol" else inside)
    candidates, all_seen = _candidates(view, query, near, hashes, statistics, set(defined), inside, mode)
    if not all_seen:
        limits.append("candidates")
    said = {}
    if query.report is not None and mode != "symbol":
        said = saying(view, query.report.messages, inside)
        named = files_mentioned(view, query.report)
        candidates |= named if inside is None else named & inside
    evidence = view.words.evidence(candidates | said.keys(), hashes, near)
    in_paths = frozenset(term for term, held in zip(query.terms, counts.path, strict=True) if held)
    held = (evidence.text + evidence.symbols) > 0
    has_words = bool(defined) or _has_words(query, held, in_paths)
    edge = near[:EDGE_ROW][-1].likeness if near and mode != "symbol" else 0.0
    statistics = replace(statistics, edge=round(edge, 4))
    fit = (
        None if vector is None else _fit(query, held, evidence.likeness, counts, idf, defined=bool(defined), mode=mode)
    )
    history = by_commits(view, evidence, hashes, vector) if query.report is None else None
    return SearchCandidates(query, evidence, statistics, defined, tuple(limits), has_words, said, fit, history)


def _weighed(query: Query, counts: TermCounts) -> tuple[Query, TermCounts, list[float]]:
    """A query with what each of its words is worth; of a long text those that are worth most."""
    worth = [signals.inverse_frequency(max(held), counts.rows) for held in zip(counts.body, counts.path, strict=True)]
    if query.report is None:
        return query, counts, worth
    said = [weight * query.report.terms[term] ** 0.5 for term, weight in zip(query.terms, worth, strict=True)]
    best = sorted(range(len(said)), key=lambda each: (-said[each], query.terms[each]))[:MAX_TERMS]
    kept = [each for each in sorted(best) if said[each]] or best[:1]
    body, path = [counts.body[each] for each in kept], [counts.path[each] for each in kept]
    terms = tuple(query.terms[each] for each in kept)
    return replace(query, terms=terms), replace(counts, body=body, path=path), [said[each] for each in kept]


def _has_words(query: Query, held: signals.Mask, in_paths: frozenset[str]) -> bool:
    """Whether a word of the query is in the text or in the path of something: as a whole, or all its parts together."""
    if held.any(axis=0).all():
        return True
    at = {term: number for number, term in enumerate(query.terms)}
    for own in written_terms(query):
        whole, *parts = own
        if whole in in_paths or held[:, at[whole]].any():
            return True
        if parts and (in_paths.issuperset(parts) or held[:, [at[part] for part in parts]].all(axis=1).any()):
            return True
    return False


def _fit(
    query: Query,
    held: signals.Mask,
    likeness: signals.Array,
    counts: TermCounts,
    idf: Sequence[float],
    *,
    defined: bool,
    mode: str,
) -> float | None:
    """The likeness of the best row, and what the words in it are worth beside the others; a strange word is a rare one.

    None for a name that is defined, and where a row has all of the words of a phrase. A long text names and says so
    much that some of it is anywhere.
    """
    is_phrase = query.report is None
    if defined and (is_phrase or mode == "symbol"):
        return None
    rows = [max(body, path, 1) for body, path in zip(counts.body, counts.path, strict=True)]
    worth = np.array([signals.inverse_frequency(each, counts.rows) for each in rows] if is_phrase else idf)
    total = float(worth.sum())
    if not len(likeness) or not total:
        return None
    shares = held @ worth / total
    if is_phrase and shares.max() > _ALL_WORDS:
        return None
    return round(float((likeness + _WORD_SHARE * shares).max()), 4)


def _definitions(
    view: SnapshotView | MergedViews, query: Query, mode: str, inside: set[FileAt] | None
) -> tuple[dict[FileAt, list[SymbolRow]], bool]:
    """Definitions of what the query names, by file, and whether these are all; filters come before the cut.

    Names with the fewest definitions go first: where a text names `__init__`, hundreds of them would leave no room.
    """
    named = view.facts.symbols_named(query.names, _LOOKED_UP)
    if not named and mode == "symbol":
        named = view.facts.symbols_starting(query.names or query.words, _LOOKED_UP)
    kinds = query.filters.kinds
    wanted = [
        (place, symbol)
        for place, symbol in named
        if (not kinds or symbol.kind in kinds) and (inside is None or place in inside)
    ]
    if len(wanted) > MAX_DEFINITIONS:
        counts = Counter(symbol.name for _, symbol in wanted)
        wanted.sort(key=lambda each: counts[each[1].name])
    found: dict[FileAt, list[SymbolRow]] = defaultdict(list)
    for place, symbol in wanted[:MAX_DEFINITIONS]:
        found[place].append(symbol)
    return dict(found), len(wanted) <= MAX_DEFINITIONS and len(named) < _LOOKED_UP


def _candidates(
    view: SnapshotView | MergedViews,
    query: Query,
    near: Sequence[NearRow],
    hashes: Hashes,
    statistics: Statistics,
    defined: set[FileAt],
    inside: set[FileAt] | None,
    mode: str,
) -> tuple[set[FileAt], bool]:
    """Files worth a closer look, and whether all rows with the words were seen."""
    if mode == "symbol":
        return defined, True
    idf = statistics.weights

    def worth(matrix: TermMatrix) -> signals.Array:
        frequencies = matrix.text + signals.SYMBOL_WEIGHT * matrix.symbols
        return signals.bm25(frequencies, matrix.lengths, np.array(idf), statistics.average_length)

    factor = 1 if inside is None or len(inside) <= _FILTERED_FILES else _FILTERED_FACTOR
    pairs = {("body", term): weight for term, weight in zip(query.terms, idf, strict=True)}
    pairs |= {("path", term): _PATH_BOOST * weight for term, weight in zip(query.terms, idf, strict=True)}
    matching, all_seen = view.words.matching_files(pairs, factor * LEXICAL_ROWS, hashes, worth)
    found = set(defined) | set(matching) | view.vectors.nearest_files(near, NEAR_ROWS)
    if inside is not None:
        found = inside if len(inside) <= _FILTERED_FILES else found & inside
    return found, all_seen
