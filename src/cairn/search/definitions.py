"""The definitions of a file that a long text means: several of them can be answers.

A phrase asks for a place, and its file shows one. An issue is mended in several functions, so that each definition
is weighed: by its own words and the rows that hold it, by whether the text names it and what it is in, by the words
of its name, and by the messages that it holds.
"""

import bisect
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from cairn.kernel.terms import count_terms
from cairn.search import signals
from cairn.search.choice import IN_TEST
from cairn.search.report import Report
from cairn.search.signals import Array, Places, name_match
from cairn.store import RowHead, SymbolRow

PLACE_WEIGHTS: Mapping[str, float] = {
    "own": 1.0,
    "text": 0.3,
    "said": 0.3,
    "named": 0.8,
    "within_named": 0.3,
    "name": 0.6,
    "type": -0.6,
    "in_test": -0.6,
}
"""What speaks for a definition within its file, and how much each counts: `own` is what its own words are worth,
`text` the best of the rows that hold it, which it may share with others, and `said` that it holds a message."""
BODIES = frozenset({"function", "method", "constructor", "macro", "rule"})
"""Kinds of definitions that are what they do: all of their lines."""
TYPES = frozenset({"class", "struct", "interface", "enum", "trait", "table"})
"""Kinds of definitions whose members are definitions of their own."""
MOST_MEANT = 3
"""How many definitions of a file can be answers, where no more are asked for."""
_BEST_ROWS = 50
"""How many rows of a file are looked at for definitions that the text doesn't name."""
_OF_ITS_OWN = ("own", "said", "named", "within_named", "name")


class MeantDefinition(NamedTuple):
    """A definition, the row that its name stands in, and what speaks for it."""

    symbol: SymbolRow
    ordinal: int
    score: float
    signals: Mapping[str, float]

    @property
    def parts(self) -> dict[str, float]:
        """What each signal adds to the score."""
        said = ((name, PLACE_WEIGHTS[name] * value) for name, value in self.signals.items())
        return {name: round(value, 6) for name, value in said if value}


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
    wanted: Collection[SymbolRow] | None = None,
) -> list[MeantDefinition]:
    """The definitions of a file, of this whole text, the likeliest first; `average` is the length of a row in words.

    They are chosen from the `wanted` ones, else from all with a body or members. Of a large file are weighed those that
    the best rows hold or that the text names, and those with a message. Of several in one row, those stand beside the
    first for which something of their own speaks.
    """
    laid_out = [symbol for symbol in symbols if symbol.kind in BODIES or symbol.kind in TYPES]
    if wanted is None:
        wanted = laid_out
    said_at = _lines_saying(report.messages, text) if wanted else []
    weighed = [*_weighed(report, heads, scores, laid_out, wanted, [line for lines in said_at for line in lines])]
    most = max(report.names.values(), default=1.0) ** 0.5
    found = []
    for each, own in zip(weighed, _own_words(weighed, worth, average, text), strict=True):
        symbol = each.symbol
        within = symbol.container.rpartition(".")[2]
        said = {
            "own": own,
            "text": each.worth,
            "said": float(any(_is_within(lines, symbol.start_line, each.end) for lines in said_at)),
            "named": report.names.get(symbol.name, 0.0) ** 0.5 / most,
            "within_named": report.names.get(within, 0.0) ** 0.5 / most,
            "name": name_match(worth, [symbol.name]),
            "type": float(symbol.kind in TYPES),
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


def _lines_saying(messages: Collection[str], text: bytes) -> list[list[int]]:
    """For each message that a text holds word for word, the lines where it begins, in their order."""
    found = []
    for message in (each.encode() for each in messages):
        ats = [*_places_of(message, text)]
        if ats:
            breaks = [0, *ats]
            lines, line = [], 1
            for before, at in pairwise(breaks):
                line += text.count(b"\n", before, at)
                lines.append(line)
            found.append(lines)
    return found


def _places_of(part: bytes, text: bytes) -> Iterator[int]:
    at = text.find(part)
    while at >= 0:
        yield at
        at = text.find(part, at + len(part))


def _is_within(lines: Sequence[int], start: int, end: int) -> bool:
    """Whether one of some lines, which are in order, is from `start` to `end`."""
    at = bisect.bisect_left(lines, start)
    return at < len(lines) and lines[at] <= end


def _weighed(
    report: Report,
    heads: Mapping[int, RowHead],
    scores: Array,
    laid_out: Sequence[SymbolRow],
    wanted: Collection[SymbolRow],
    said_at: Sequence[int],
) -> Iterator[_Weighed]:
    rows = sorted((head.start_line, ordinal) for ordinal, head in heads.items() if head.kind == "text")
    if not rows or not wanted:
        return
    starts = np.array([start for start, _ in rows])
    ends = np.maximum.accumulate([heads[ordinal].end_line for _, ordinal in rows])
    worths = np.array([float(scores[ordinal]) for _, ordinal in rows])
    ats = np.searchsorted(starts, [symbol.name_line for symbol in wanted], "right") - 1
    firsts = np.searchsorted(ends, [symbol.start_line for symbol in wanted])
    # A type is what stands at its head: its members are definitions of their own.
    is_type = np.array([symbol.kind in TYPES for symbol in wanted])
    lasts = np.where(is_type, ats, np.searchsorted(starts, [symbol.end_line for symbol in wanted], "right") - 1) + 1
    good = np.zeros(len(rows) + 1, dtype=np.int64)
    good[1:][_best_held(worths, firsts, lasts)] = 1
    good[np.searchsorted(starts, said_at, "right")] = 1
    before = np.cumsum(good)
    heads_of = np.array(sorted(symbol.start_line for symbol in laid_out))
    nexts = np.searchsorted(heads_of, [symbol.start_line for symbol in wanted], "right")
    for symbol, at, first, end, behind in zip(
        wanted, ats.tolist(), firsts.tolist(), lasts.tolist(), nexts.tolist(), strict=True
    ):
        if at < first or ends[at] < symbol.name_line:
            continue
        if before[end] == before[first] and symbol.name not in report.names:
            continue
        head_end = int(heads_of[behind]) - 1 if symbol.kind in TYPES and behind < len(heads_of) else symbol.end_line
        yield _Weighed(symbol, rows[at][1], float(worths[first:end].max()), min(head_end, symbol.end_line))


def _best_held(worths: Array, firsts: Places, lasts: Places) -> Places:
    """The best of the rows that a definition is in."""
    edges = np.zeros(len(worths) + 1, dtype=np.int64)
    np.add.at(edges, firsts, firsts < lasts)
    np.add.at(edges, lasts, -(firsts < lasts).astype(np.int64))
    held = np.flatnonzero(np.cumsum(edges)[:-1])
    best: Places = held[np.argsort(-worths[held], kind="stable")[:_BEST_ROWS]]
    return best


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
    files: Sequence[float], meant: Sequence[Sequence[MeantDefinition]], weight: float, most: int
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
