"""Search over one pinned view: candidates, evidence, order, and the place in each file."""

import re
import zlib
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from cairn.engines import Vectors
from cairn.search import signals
from cairn.search.allowed import allowed_files
from cairn.search.place import meant
from cairn.search.query import Query
from cairn.search.ranking import WEIGHTS, Ranked, Statistics, rank
from cairn.store import ChunkRow, FileAt, SnapshotView, SymbolRow

LEXICAL_ROWS = 300
NEAR_ROWS = 200
MAX_DEFINITIONS = 400
_LOOKED_UP = 20_000
_PATH_BOOST = 1.5
_FILTERED_FILES = 3_000
_FILTERED_FACTOR = 10
_LOOKED_AT = 12
_NAME_SHARE = 0.3
_TEST_SHARE = 0.4
_IN_TEST = re.compile(r"(?:.*\.)?[Tt]ests?(?:\.|_|$)")


@dataclass(frozen=True, slots=True)
class Found:
    """One place that answers a query."""

    row: ChunkRow
    score: float
    symbol: str
    """What the place defines, if anything."""
    contributions: Mapping[str, float] = field(default_factory=dict)
    """What each signal added to the score."""

    @property
    def path(self) -> str:
        return self.row.path_key

    @property
    def file_hash(self) -> str:
        return self.row.file_hash


@dataclass(frozen=True, slots=True)
class Findings:
    results: tuple[Found, ...]
    limits_hit: tuple[str, ...] = ()


def find(
    view: SnapshotView,
    query: Query,
    vector: Vectors | None,
    limit: int,
    *,
    mode: str = "auto",
    weights: Mapping[str, float] = WEIGHTS,
) -> Findings:
    """The best places: one a file as long as there are files, ordered by score, path and line."""
    if not query.terms and not query.names:
        return Findings(())
    allowed = allowed_files(query.filters, mode)
    inside = view.files_where(allowed) if allowed is not None else None
    defined, all_of_them = _definitions(view, query, mode, inside)
    limits = [name for name, hit in (("query", query.cut), ("definitions", not all_of_them)) if hit]
    total = view.manifest.counts.chunks_live
    idf = [
        signals.inverse_frequency(
            max(view.document_frequency("body", term), view.document_frequency("path", term)), total
        )
        for term in query.terms
    ]
    candidates, edge = _candidates(view, query, vector, idf, set(defined), inside, mode)
    hashes = np.array([zlib.crc32(term.encode()) for term in query.terms], dtype=np.uint32)
    evidence = view.evidence(candidates, hashes, vector)
    statistics = Statistics(tuple(idf), view.average_length(), edge)
    order = rank(query, evidence, statistics, defined, weights)
    return Findings(tuple(_places(view, query, order, defined, limit, weights, statistics)), tuple(limits))


def _definitions(
    view: SnapshotView, query: Query, mode: str, inside: set[FileAt] | None
) -> tuple[dict[FileAt, list[SymbolRow]], bool]:
    """Definitions of what the query names, by file, and whether these are all; filters come before the cut."""
    named = view.symbols_named(query.names, _LOOKED_UP)
    if not named and mode == "symbol":
        named = view.symbols_starting(query.names or query.words, _LOOKED_UP)
    kinds = query.filters.kinds
    wanted = [
        (place, symbol)
        for place, symbol in named
        if (not kinds or symbol.kind in kinds) and (inside is None or place in inside)
    ]
    found: dict[FileAt, list[SymbolRow]] = defaultdict(list)
    for place, symbol in wanted[:MAX_DEFINITIONS]:
        found[place].append(symbol)
    return dict(found), len(wanted) <= MAX_DEFINITIONS and len(named) < _LOOKED_UP


def _candidates(
    view: SnapshotView,
    query: Query,
    vector: Vectors | None,
    idf: list[float],
    defined: set[FileAt],
    inside: set[FileAt] | None,
    mode: str,
) -> tuple[set[FileAt], float]:
    """Files worth a closer look, and the likeness of the last row that was near enough."""
    if mode == "symbol":
        return defined, 0.0
    factor = 1 if inside is None or len(inside) <= _FILTERED_FILES else _FILTERED_FACTOR
    pairs = {("body", term): weight for term, weight in zip(query.terms, idf, strict=True)}
    pairs |= {("path", term): _PATH_BOOST * weight for term, weight in zip(query.terms, idf, strict=True)}
    found = set(defined) | set(view.matching_files(pairs, factor * LEXICAL_ROWS))
    edge = 0.0
    if vector is not None:
        near, edge = view.near_files(vector, factor * NEAR_ROWS)
        found |= set(near)
    if inside is not None:
        found = inside if len(inside) <= _FILTERED_FILES else found & inside
    return found, round(edge, 4)


def _places(
    view: SnapshotView,
    query: Query,
    order: list[Ranked],
    defined: Mapping[FileAt, list[SymbolRow]],
    limit: int,
    weights: Mapping[str, float],
    statistics: Statistics,
) -> list[Found]:
    found: list[Found] = []
    for item in order:
        if len(found) == limit:
            break
        places = view.places(item.place)
        text_rows = [ordinal for ordinal, (_, _, kind) in enumerate(places) if kind != "anchor"] or [0]
        symbols = defined.get(item.place, [])
        if query.filters.kinds:
            symbols = symbols or [
                symbol for symbol in view.facts_of(item.path_key).symbols if symbol.kind in query.filters.kinds
            ]
            if not symbols:
                continue
        row = _best_row(view, item, places, text_rows, symbols, query, statistics)
        contributions = {
            name: round(weights[name] * value, 6) for name, value in item.values.items() if weights[name] * value
        }
        found.append(Found(row, round(item.score, 6), _symbol_of(row, symbols, query, statistics), contributions))
    return found


def _best_row(
    view: SnapshotView,
    item: Ranked,
    places: list[tuple[int, int, str]],
    text_rows: list[int],
    symbols: list[SymbolRow],
    query: Query,
    statistics: Statistics,
) -> ChunkRow:
    """The row that defines what the query names, else the one that matches best, by its text and its names."""
    defining: dict[int, float] = {}
    for symbol in symbols:
        for ordinal in text_rows:
            if places[ordinal][0] <= symbol.name_line <= places[ordinal][1]:
                worth = signals.definition(query, [symbol]) if query.names else 0.0
                defining[ordinal] = max(worth, defining.get(ordinal, 0.0))
    choice = sorted(
        defining or text_rows, key=lambda ordinal: (-defining.get(ordinal, 0.0), -float(item.rows[ordinal]), ordinal)
    )
    best = defining.get(choice[0], 0.0)
    near = [ordinal for ordinal in choice[:_LOOKED_AT] if defining.get(ordinal, 0.0) == best]
    rows = [view.row(item.place, ordinal) for ordinal in near]

    def worth_of(row: ChunkRow) -> float:
        names = row.symbols.split("\n") if row.symbols else []
        score = float(item.rows[row.ordinal]) + _NAME_SHARE * signals.name_match(query.terms, statistics.weights, names)
        in_test = bool(names) and all(_IN_TEST.match(name) for name in names)
        return score - _TEST_SHARE if in_test and "test" not in query.asks_for else score

    return max(rows, key=lambda row: (worth_of(row), -row.ordinal))


def _symbol_of(row: ChunkRow, symbols: list[SymbolRow], query: Query, statistics: Statistics) -> str:
    """What the place is called: what the query names, else the name in it that says most of the query."""
    named = [symbol for symbol in symbols if row.start_line <= symbol.name_line <= row.end_line]
    if named and query.names:
        return max(named, key=lambda symbol: (signals.definition(query, [symbol]), -symbol.name_line)).qualified_name
    names = [symbol.qualified_name for symbol in named] if query.filters.kinds else []
    return meant(row.text, names or row.symbols.split("\n"), dict(zip(query.terms, statistics.weights, strict=True)))
