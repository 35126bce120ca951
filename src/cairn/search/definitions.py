"""The definitions of a file that a long text means: several of them can be answers.

A phrase asks for a place, and its file shows one. An issue is mended in several functions, so that each definition
is weighed: by the rows that hold it, by whether the text names it and what it is in, and by the words of its name.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from cairn.search.choice import IN_TEST
from cairn.search.report import Report
from cairn.search.signals import Array, name_match
from cairn.store import RowHead, SymbolRow

PLACE_WEIGHTS: Mapping[str, float] = {
    "text": 1.0,
    "named": 0.8,
    "within_named": 0.3,
    "name": 0.6,
    "type": -0.6,
    "in_test": -0.6,
}
"""What speaks for a definition within its file, and how much each counts."""
_BODIES = frozenset({"function", "method", "constructor", "macro", "rule"})
_TYPES = frozenset({"class", "struct", "interface", "enum", "trait", "table"})
MOST_MEANT = 3
"""How many definitions of a file can be answers, where no more are asked for."""
_BEST_ROWS = 50
"""How many rows of a file are looked at for definitions that the text doesn't name."""
_OWN = ("named", "within_named", "name")


class MeantDefinition(NamedTuple):
    """A definition, the row that its name stands in, and what speaks for it."""

    symbol: SymbolRow
    ordinal: int
    score: float
    signals: Mapping[str, float]


def definitions_meant(
    report: Report,
    worth: Mapping[str, float],
    heads: Mapping[int, RowHead],
    scores: Array,
    symbols: Sequence[SymbolRow],
) -> list[MeantDefinition]:
    """The definitions of a file, the likeliest first.

    Of a large file are weighed those that its best rows hold or that the text names. Several in one row have its worth
    in common: beside the first of them stand those for which a name speaks, their own or that of what they are in.
    """
    rows = sorted((head.start_line, ordinal) for ordinal, head in heads.items() if head.kind == "text")
    if not rows:
        return []
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
    most = max(report.names.values(), default=1.0) ** 0.5
    found = []
    for symbol, at, first, last in zip(bodies, ats.tolist(), firsts.tolist(), lasts.tolist(), strict=True):
        if at < first or ends[at] < symbol.name_line:
            continue
        # A type is what stands at its head: its members are definitions of their own.
        end = (at if symbol.kind in _TYPES else last) + 1
        if before[end] == before[first] and symbol.name not in report.names:
            continue
        within = symbol.container.rpartition(".")[2]
        signals = {
            "text": float(worths[first:end].max()),
            "named": report.names.get(symbol.name, 0.0) ** 0.5 / most,
            "within_named": report.names.get(within, 0.0) ** 0.5 / most,
            "name": name_match(worth, [symbol.name]),
            "type": float(symbol.kind in _TYPES),
            "in_test": float(IN_TEST.match(symbol.qualified_name) is not None),
        }
        score = sum(PLACE_WEIGHTS[name] * value for name, value in signals.items())
        found.append(MeantDefinition(symbol, rows[at][1], round(score, 9), signals))
    found.sort(key=lambda each: (-each.score, each.symbol.start_line, each.symbol.qualified_name))
    first_of: dict[int, MeantDefinition] = {}
    return [
        each
        for each in found
        if first_of.setdefault(each.ordinal, each) is each or any(each.signals[name] for name in _OWN)
    ]


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
