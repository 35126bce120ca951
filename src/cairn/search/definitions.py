"""The definitions of a file that a long text means: several of them can be answers.

A phrase asks for a place, and its file shows one. An issue is mended in several functions, so that each definition
is weighed: by its own words and the rows that hold it, by whether the text names it and what it is in, and by the
words of its name.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from cairn.kernel.terms import count_terms
from cairn.search import signals
from cairn.search.choice import IN_TEST
from cairn.search.report import Report
from cairn.search.signals import Array, name_match
from cairn.store import RowHead, SymbolRow

PLACE_WEIGHTS: Mapping[str, float] = {
    "own": 1.0,
    "text": 0.3,
    "named": 0.8,
    "within_named": 0.3,
    "name": 0.6,
    "type": -0.6,
    "in_test": -0.6,
}
"""What speaks for a definition within its file, and how much each counts: `own` is what its own words are worth,
`text` the best of the rows that hold it, which it may share with others."""
_BODIES = frozenset({"function", "method", "constructor", "macro", "rule"})
_TYPES = frozenset({"class", "struct", "interface", "enum", "trait", "table"})
MOST_MEANT = 3
"""How many definitions of a file can be answers, where no more are asked for."""
_BEST_ROWS = 50
"""How many rows of a file are looked at for definitions that the text doesn't name."""
_OF_ITS_OWN = ("own", "named", "within_named", "name")


class MeantDefinition(NamedTuple):
    """A definition, the row that its name stands in, and what speaks for it."""

    symbol: SymbolRow
    ordinal: int
    score: float
    signals: Mapping[str, float]


class _Weighed(NamedTuple):
    """A definition, the row that its name stands in, the worth of the best row that holds it, and its last own line."""

    symbol: SymbolRow
    ordinal: int
    worth: float
    end: int


def definitions_meant(
    report: Report,
    worth: Mapping[str, float],
    average: float,
    heads: Mapping[int, RowHead],
    scores: Array,
    symbols: Sequence[SymbolRow],
    text: bytes,
) -> list[MeantDefinition]:
    """The definitions of a file, of this whole text, the likeliest first; `average` is the length of a row in words.

    Of a large file are weighed those that its best rows hold or that the text names. Of several in one row, those
    stand beside the first for which something of their own speaks.
    """
    weighed = [*_weighed(report, heads, scores, symbols)]
    most = max(report.names.values(), default=1.0) ** 0.5
    found = []
    for each, own in zip(weighed, _own_words(weighed, worth, average, text), strict=True):
        symbol = each.symbol
        within = symbol.container.rpartition(".")[2]
        said = {
            "own": own,
            "text": each.worth,
            "named": report.names.get(symbol.name, 0.0) ** 0.5 / most,
            "within_named": report.names.get(within, 0.0) ** 0.5 / most,
            "name": name_match(worth, [symbol.name]),
            "type": float(symbol.kind in _TYPES),
            "in_test": float(IN_TEST.match(symbol.qualified_name) is not None),
        }
        score = sum(PLACE_WEIGHTS[name] * value for name, value in said.items())
        found.append(MeantDefinition(symbol, each.ordinal, round(score, 9), said))
    found.sort(key=lambda each: (-each.score, each.symbol.start_line, each.symbol.qualified_name))
    first_of: dict[int, MeantDefinition] = {}
    return [
        each
        for each in found
        if first_of.setdefault(each.ordinal, each) is each or any(each.signals[name] for name in _OF_ITS_OWN)
    ]


def _weighed(
    report: Report, heads: Mapping[int, RowHead], scores: Array, symbols: Sequence[SymbolRow]
) -> Iterator[_Weighed]:
    rows = sorted((head.start_line, ordinal) for ordinal, head in heads.items() if head.kind == "text")
    if not rows:
        return
    bodies = [symbol for symbol in symbols if symbol.kind in _BODIES or symbol.kind in _TYPES]
    starts = np.array([start for start, _ in rows])
    ends = np.maximum.accumulate([heads[ordinal].end_line for _, ordinal in rows])
    worths = np.array([float(scores[ordinal]) for _, ordinal in rows])
    good = np.zeros(len(rows) + 1, dtype=np.int64)
    good[1:][np.argsort(-worths, kind="stable")[:_BEST_ROWS]] = 1
    before = np.cumsum(good)
    ats = np.searchsorted(starts, [symbol.name_line for symbol in bodies], "right") - 1
    firsts = np.searchsorted(ends, [symbol.start_line for symbol in bodies])
    lasts = np.searchsorted(starts, [symbol.end_line for symbol in bodies], "right") - 1
    heads_of = np.array(sorted(symbol.start_line for symbol in bodies))
    nexts = np.searchsorted(heads_of, [symbol.start_line for symbol in bodies], "right")
    for symbol, at, first, last, behind in zip(
        bodies, ats.tolist(), firsts.tolist(), lasts.tolist(), nexts.tolist(), strict=True
    ):
        if at < first or ends[at] < symbol.name_line:
            continue
        # A type is what stands at its head: its members are definitions of their own.
        is_type = symbol.kind in _TYPES
        end = (at if is_type else last) + 1
        if before[end] == before[first] and symbol.name not in report.names:
            continue
        head_end = int(heads_of[behind]) - 1 if is_type and behind < len(heads_of) else symbol.end_line
        yield _Weighed(symbol, rows[at][1], float(worths[first:end].max()), min(head_end, symbol.end_line))


def _own_words(weighed: Sequence[_Weighed], worth: Mapping[str, float], average: float, text: bytes) -> list[float]:
    """What the words of each definition are worth beside those of the best: several may share a row."""
    lines = text.split(b"\n")
    texts = [b"\n".join(lines[each.symbol.start_line - 1 : each.end]).decode("utf-8", "replace") for each in weighed]
    counted = count_terms(texts, [""] * len(texts))
    frequencies = np.zeros((len(counted), len(worth)))
    columns = {term: column for column, term in enumerate(worth)}
    for row, found in enumerate(counted):
        for term, count in zip(found.body.split(), found.text_counts, strict=True):
            if term in columns:
                frequencies[row, columns[term]] = count
    lengths = np.array([float(found.length) for found in counted])
    worths = signals.bm25(frequencies, lengths, np.array([*worth.values()]), average)
    own: list[float] = np.round(signals.scaled(worths), 9).tolist()
    return own


def in_turn(
    files: Sequence[float], meant: Sequence[Sequence[MeantDefinition]], weight: float, most: int = MOST_MEANT
) -> list[tuple[int, MeantDefinition | None, float]]:
    """(number of the file, definition, what that adds to the file's score) of all places, in their order.

    `files` are the scores of files in their order, each with its definitions, `most` of which are places; one without
    any is a place itself. The `weight` is that of a definition's distance to the best of its file.
    """
    found: list[tuple[int, MeantDefinition | None, float]] = []
    for at, own in enumerate(meant):
        best = own[0].score if own else 0.0
        found += [(at, each, round(weight * (best - each.score), 6)) for each in own[:most]] or [(at, None, 0.0)]

    def order(item: tuple[int, MeantDefinition | None, float]) -> tuple[float, int, int]:
        at, each, added = item
        return -round(files[at] + added, 6), at, each.symbol.name_line if each else 0

    return sorted(found, key=order)
