"""From evidence to an order of files: named signals, weights, and what each contributed."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from cairn.errors import ConfigError
from cairn.search import signals
from cairn.search.filekind import kinds_of
from cairn.search.query import Query
from cairn.search.signals import Array
from cairn.store import Evidence, FileAt, FileRow, SymbolRow

RANKING_VERSION = "1"
LEAST_LIKENESS = 0.25
"""A file without a word of the query must at least be this near to it; less is no answer."""
PENALISED = ("test", "example", "vendored", "bench", "docs", "generated", "declaration", "config")
WEIGHTS: Mapping[str, float] = {
    "lexical": 1.6,
    "dense": 3.1,
    "stem": 2.2,
    "joined_stem": 1.0,
    "lexical_size": 1.0,
    "breadth": 1.1,
    "definition": 3.0,
    "named_definition": 0.6,
    "test": -1.2,
    "example": -1.2,
    "vendored": -1.2,
    "bench": -1.0,
    "docs": -1.2,
    "generated": -0.8,
    "declaration": -1.2,
    "config": -0.8,
    "depth": -0.9,
}
"""The signals and how much each counts."""


def weights_without(names: Collection[str]) -> dict[str, float]:
    """The weights with some signals switched off."""
    unknown = sorted(set(names) - set(WEIGHTS))
    if unknown:
        raise ConfigError(
            f".cairn.toml: query.signals_off names {unknown[0]!r}, which is no signal.",
            hint="Signals are " + ", ".join(WEIGHTS) + ".",
        )
    return {name: 0.0 if name in names else weight for name, weight in WEIGHTS.items()}


_TOP_CHUNKS = (1.0, 0.5, 0.25)
_SIDE = frozenset({"docs", "config", "test", "generated"})
_GENERATED = frozenset({"generated"})
_ENDLESS = 250
"""Bytes in a line, on average, that nobody types."""
_REACH = 1.6
"""How far below the last candidate the floor of likeness lies, in spans from it to the best."""


@dataclass(frozen=True, slots=True)
class Statistics:
    """What the whole live view says about a query's terms."""

    weights: tuple[float, ...]
    average_length: float
    edge: float
    """The likeness of the last row that was near enough to be a candidate."""


@dataclass(frozen=True, slots=True)
class Ranked:
    """A file with its score, what made it, and a score for each of its rows."""

    place: FileAt
    index: int
    path_key: str
    score: float
    values: Mapping[str, float] = field(repr=False)
    rows: Array = field(repr=False)


def rank(
    query: Query,
    evidence: Evidence,
    statistics: Statistics,
    symbols: Mapping[FileAt, Sequence[SymbolRow]],
    weights: Mapping[str, float] = WEIGHTS,
) -> list[Ranked]:
    """Files in order: by score, then path_key."""
    if not evidence.files:
        return []
    lexical, likeness = row_scores(query, evidence, statistics)
    values = file_signals(query, evidence, lexical, likeness, statistics, symbols)
    total = np.zeros(len(evidence.files))
    for name, weight in weights.items():
        total += weight * values[name]
    total = np.round(total, 9)
    rows = signals.scaled(lexical) + 0.5 * likeness
    parts = np.split(rows, evidence.starts[1:])
    answers = np.maximum.reduceat(lexical, evidence.starts) > 0
    answers |= np.maximum.reduceat(evidence.likeness, evidence.starts) >= LEAST_LIKENESS
    found = [
        Ranked(
            place,
            index,
            file.path_key,
            float(total[index]),
            {name: float(values[name][index]) for name in weights},
            parts[index],
        )
        for index, (place, file) in enumerate(zip(evidence.places, evidence.files, strict=True))
        if answers[index] or place in symbols
    ]
    found.sort(key=lambda item: (-item.score, item.path_key))
    return found


def row_scores(query: Query, evidence: Evidence, statistics: Statistics) -> tuple[Array, Array]:
    """(BM25, likeness between floor and top) of every row."""
    counts = [file.chunks for file in evidence.files]
    in_stem = np.zeros((len(counts), len(query.terms)))
    in_folders = np.zeros((len(counts), len(query.terms)))
    for index, file in enumerate(evidence.files):
        stem, folders = signals.path_terms(file.path_key)
        for column, term in enumerate(query.terms):
            in_stem[index, column] = term in stem
            in_folders[index, column] = term in folders
    frequencies = evidence.text + signals.SYMBOL_WEIGHT * evidence.symbols
    frequencies += np.repeat(signals.STEM_WEIGHT * in_stem + signals.FOLDER_WEIGHT * in_folders, counts, axis=0)
    lexical = signals.bm25(frequencies, evidence.lengths, np.array(statistics.weights), statistics.average_length)
    top = float(evidence.likeness.max(initial=statistics.edge))
    floor = round(top - _REACH * (top - statistics.edge), 4)
    return lexical, np.clip(signals.spread(evidence.likeness, floor), 0.0, None)


def file_signals(
    query: Query,
    evidence: Evidence,
    lexical: Array,
    likeness: Array,
    statistics: Statistics,
    symbols: Mapping[FileAt, Sequence[SymbolRow]],
) -> dict[str, Array]:
    """Every signal of every file."""
    files = evidence.files
    best = np.maximum.reduceat(lexical, evidence.starts)
    kinds = [kinds_of(file.path_key, file.language) | _by_content(file) for file in files]
    # Much text makes a document or a test no better an answer.
    side = np.array([bool((each - query.asks_for) & _SIDE) for each in kinds])
    size = signals.size_share([file.lines for file in files]) * np.where(side, 0.5, 1.0)
    broad = np.array([_broad(part) for part in np.split(lexical, evidence.starts[1:])])
    named = np.array([signals.definition(query, symbols.get(place, ())) for place in evidence.places])
    values = {
        "lexical": signals.scaled(best),
        "dense": np.maximum.reduceat(likeness, evidence.starts),
        "stem": np.array([signals.stem_match(query.terms, statistics.weights, file.path_key) for file in files]),
        "joined_stem": np.array([signals.joined_stem(query.words, file.path_key) for file in files]),
        "lexical_size": size * signals.scaled(best),
        "breadth": size * signals.scaled(broad),
        "definition": named if query.is_symbol else np.zeros(len(files)),
        "named_definition": np.zeros(len(files)) if query.is_symbol else named,
        "depth": signals.depth_beyond([file.path_key for file in files]),
    }
    for kind in PENALISED:
        wanted = kind in query.asks_for
        values[kind] = np.array([0.0 if wanted else float(kind in each) for each in kinds])
    return values


def _by_content(file: FileRow) -> frozenset[str]:
    """A file of endless lines was written by a program."""
    return _GENERATED if file.size > _ENDLESS * max(file.lines, 1) else frozenset()


def _broad(scores: Array) -> float:
    top = np.sort(scores)[::-1][: len(_TOP_CHUNKS)]
    return float((top * np.array(_TOP_CHUNKS[: len(top)])).sum())
