"""From evidence to an order of files: named signals, weights, and what each contributed."""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from cairn.base.errors import ConfigError
from cairn.base.values import dataclass
from cairn.search import reported, siblings, signals
from cairn.search.pathfacts import path_facts
from cairn.search.query import Query
from cairn.search.signals import Array
from cairn.search.weights import WEIGHTS
from cairn.store import Evidence, FileAt, FileRow, SymbolRow
from cairn.syntax.filekind import kinds_of

LEAST_LIKENESS = 0.25
"""A file without a word of the query must at least be this near to it; less is no answer."""
PENALISED = ("test", "example", "vendored", "bench", "docs", "generated", "declaration", "config", "legacy")
REPORTED: Mapping[str, float] = {
    "dense": 2.2,
    "stem": 1.5,
    "coherence": 0.0,
    "named_definition": 2.0,
    **dict.fromkeys(("test", "example", "bench", "docs", "generated", "config"), -3.0),
}
"""What counts otherwise where a long text asks: its names say more, and tests and documents repeat what it says."""
NAMED: Mapping[str, float] = {"stem": 2.2}
"""What counts otherwise where a name asks: what it is defined in comes before a file that bears it."""

_TOP_CHUNKS = (1.0, 0.5, 0.25)
_DENSE_SHARE = 2.0
_IMPORTERS = 5
_SIDE = frozenset({"docs", "config", "test", "generated"})
_GENERATED = frozenset({"generated"})
_ENDLESS = 250
"""An average length of lines that only a program writes."""
_REACH = 1.6
"""How far below the last candidate the floor of likeness lies, in spans from it to the best."""

ImportsOf = Callable[[Sequence[FileAt]], Sequence[Sequence[str]]]
"""What some files import, as written."""


def weights_for(query: Query, off: Collection[str] = ()) -> dict[str, float]:
    """What each signal counts for a query, with some switched off."""
    others = REPORTED if query.report is not None else NAMED if query.is_symbol else {}
    return {name: weight and others.get(name, weight) for name, weight in weights_without(off).items()}


def weights_without(names: Collection[str]) -> dict[str, float]:
    """The weights with some signals switched off."""
    unknown = sorted(set(names) - set(WEIGHTS))
    if unknown:
        raise ConfigError(
            f".cairn.toml: query.signals_off names {unknown[0]!r}, which is no signal.",
            hint="Signals are " + ", ".join(WEIGHTS) + ".",
        )
    return {name: 0.0 if name in names else weight for name, weight in WEIGHTS.items()}


@dataclass(frozen=True, slots=True)
class Statistics:
    """What the whole live view says about a query's terms."""

    weights: tuple[float, ...]
    average_length: float
    edge: float
    """The likeness of the last row that was near enough to be a candidate."""


class Ranked(NamedTuple):
    """A file's place in the order, with its score."""

    place: FileAt
    index: int  # type: ignore[assignment]
    path_key: str
    score: float


@dataclass(frozen=True, slots=True)
class Ranking:
    """Files in order, what each signal says of them, and a score for each of their rows."""

    order: tuple[Ranked, ...] = ()
    values: Mapping[str, Array] | None = None
    scores: Array | None = None
    ends: tuple[int, ...] = ()

    def rows_of(self, item: Ranked) -> Array:
        """The scores of a file's rows."""
        start = self.ends[item.index - 1] if item.index else 0
        return np.zeros(0) if self.scores is None else self.scores[start : self.ends[item.index]]

    def contributions(self, item: Ranked, weights: Mapping[str, float]) -> dict[str, float]:
        """What each signal added to a file's score."""
        if self.values is None:
            return {}
        said = ((name, weight, self.values[name].item(item.index)) for name, weight in weights.items())
        return {name: round(weight * value, 6) for name, weight, value in said if weight * value}


def rank(
    query: Query,
    evidence: Evidence,
    statistics: Statistics,
    symbols: Mapping[FileAt, Sequence[SymbolRow]],
    weights: Mapping[str, float] = WEIGHTS,
    imports_of: ImportsOf | None = None,
    said: Mapping[FileAt, float] | None = None,
    history: Array | None = None,
) -> Ranking:
    """Files in order: by score, then path_key; `said` are those that hold messages of a long text.

    `history` is what the last commits say of each.
    """
    if not evidence.files:
        return Ranking()
    lexical, likeness = row_scores(query, evidence, statistics)
    values = file_signals(query, evidence, lexical, likeness, statistics, symbols)
    values["said"] = np.array([(said or {}).get(at, 0.0) for at in evidence.places])
    values["history"] = np.zeros(len(evidence.places)) if history is None else history
    total = np.round(sum(weights[name] * value for name, value in values.items()), 9)
    values["imported"] = _imported(evidence, total, imports_of)
    total = np.round(total + weights["imported"] * values["imported"], 9)
    rows = signals.scaled(lexical) + 0.5 * likeness
    answers = np.maximum.reduceat(lexical, evidence.starts) > 0
    answers |= np.maximum.reduceat(evidence.likeness, evidence.starts) >= LEAST_LIKENESS
    answers |= values["mentioned"] > 0
    scored = zip(evidence.places, evidence.files, total.tolist(), answers.tolist(), strict=True)
    found = [
        Ranked(place, index, file.path_key, score)
        for index, (place, file, score, is_answer) in enumerate(scored)
        if is_answer or place in symbols
    ]
    found.sort(key=lambda item: (-item.score, item.path_key))
    return Ranking(tuple(found), values, rows, (*evidence.starts.tolist()[1:], len(rows)))


def row_scores(query: Query, evidence: Evidence, statistics: Statistics) -> tuple[Array, Array]:
    """(BM25, likeness between floor and top) of every row."""
    counts = [file.chunks for file in evidence.files]
    in_path = np.zeros((len(counts), len(query.terms)))
    asked = frozenset(query.terms)
    for index, file in enumerate(evidence.files):
        facts = path_facts(file.path_key)
        # Most paths hold no word of the query.
        if asked.isdisjoint(facts.stem_terms) and asked.isdisjoint(facts.folder_terms):
            continue
        for column, term in enumerate(query.terms):
            if term in facts.stem_terms:
                in_path[index, column] += signals.STEM_WEIGHT
            if term in facts.folder_terms:
                in_path[index, column] += signals.FOLDER_WEIGHT
    frequencies = evidence.text + signals.SYMBOL_WEIGHT * evidence.symbols + np.repeat(in_path, counts, axis=0)
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
    """All signals of all files, except those that depend on the order of the other files."""
    files = evidence.files
    paths = [file.path_key for file in files]
    best = signals.scaled(np.maximum.reduceat(lexical, evidence.starts))
    asked = query.asks_for
    kinds = [_kinds_of(file) - asked for file in files] if asked else [*map(_kinds_of, files)]
    # A document or a test is no better for being long.
    side = np.array([not each.isdisjoint(_SIDE) for each in kinds])
    size = signals.size_share([file.lines for file in files]) * np.where(side, 0.5, 1.0)
    broad = signals.best_of(lexical, evidence.starts, _TOP_CHUNKS)
    nothing = np.zeros(len(files))
    named = np.zeros(len(files))
    if query.report is not None:
        named = reported.defining(query.report, evidence.places, symbols)
    elif symbols:
        for index, place in enumerate(evidence.places):
            if place in symbols:
                named[index] = signals.definition(query, symbols[place])
    values = {
        "lexical": best,
        "dense": np.maximum.reduceat(likeness, evidence.starts),
        "stem": signals.stem_matches(query.terms, statistics.weights, paths),
        "joined_stem": signals.joined_stems(query.words, paths),
        "lexical_size": size * best,
        "breadth": size * signals.scaled(broad),
        "coherence": signals.coherence(signals.scaled(lexical) + _DENSE_SHARE * likeness, evidence.starts),
        "definition": named if query.is_symbol else nothing,
        "named_definition": nothing if query.is_symbol else named,
        "mentioned": nothing if query.report is None else reported.mentioned(query.report, paths),
        "platform": nothing if "platform" in query.asks_for else siblings.platform_twins(paths),
        "version": nothing if "version" in query.asks_for else siblings.older_versions(paths),
        "depth": signals.depth_beyond(paths),
        # A file's best place is where the file is; of a long text's others it is told how far they are behind.
        "place": nothing,
    }
    penalised = {kind: np.zeros(len(files)) for kind in PENALISED}
    for index, each in enumerate(kinds):
        # Most files are of no kind at all.
        for kind in each:
            if kind in penalised:
                penalised[kind][index] = 1.0
    return values | penalised


def _imported(evidence: Evidence, scores: Array, imports_of: ImportsOf | None) -> Array:
    """A signal for files that the best files import: they are likely part of the answer."""
    if imports_of is None:
        return np.zeros(len(scores))
    paths = [file.path_key for file in evidence.files]
    said = scores.tolist()
    best = sorted(range(len(paths)), key=lambda index: (-said[index], paths[index]))[:_IMPORTERS]
    targets = imports_of([evidence.places[index] for index in best])
    return siblings.imported_by(paths, scores, zip(best, targets, strict=True))


def _kinds_of(file: FileRow) -> frozenset[str]:
    """The kinds of a file by its name and its content: very long lines mark generated code."""
    named = kinds_of(file.path_key, file.language)
    return named | _GENERATED if file.size > _ENDLESS * max(file.lines, 1) else named
