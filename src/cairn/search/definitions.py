"""The definitions of a file that a long text means: several of them can be answers.

A phrase asks for a place, and its file shows one. An issue is mended in several functions, so that each definition
is weighed: by the rows that hold it, by whether the text names it and what it is in, and by the words of its name.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from cairn.base import lazy
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
_IN_TEST = lazy.expression(r"(?:.*\.)?[Tt]ests?(?:\.|_|$)")
_MOST = 3
"""How many definitions of a file can be answers."""
_BEHIND = 5.0
"""What a definition's distance to the best of its file counts beside the distances between files."""


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
    """The definitions of a file, the likeliest first."""
    rows = sorted((head.start_line, ordinal) for ordinal, head in heads.items() if head.kind == "text")
    starts = np.array([start for start, _ in rows])
    ends = np.maximum.accumulate([heads[ordinal].end_line for _, ordinal in rows]) if rows else starts
    best = np.array([float(scores[ordinal]) for _, ordinal in rows])
    most = max(report.names.values(), default=1.0) ** 0.5
    found = []
    for symbol in symbols:
        if symbol.kind not in _BODIES and symbol.kind not in _TYPES:
            continue
        at = int(np.searchsorted(starts, symbol.name_line, "right")) - 1
        first = int(np.searchsorted(ends, symbol.start_line))
        if at < first or ends[at] < symbol.name_line:
            continue
        # A type is what stands at its head: its members are definitions of their own.
        last = at if symbol.kind in _TYPES else int(np.searchsorted(starts, symbol.end_line, "right")) - 1
        within = symbol.container.rpartition(".")[2]
        signals = {
            "text": float(best[first : last + 1].max()),
            "named": report.names.get(symbol.name, 0.0) ** 0.5 / most,
            "within_named": report.names.get(within, 0.0) ** 0.5 / most if within else 0.0,
            "name": name_match(worth, [symbol.name]),
            "type": float(symbol.kind in _TYPES),
            "in_test": float(_IN_TEST.match(symbol.qualified_name) is not None),
        }
        score = sum(PLACE_WEIGHTS[name] * value for name, value in signals.items())
        found.append(MeantDefinition(symbol, rows[at][1], round(score, 9), signals))
    return sorted(found, key=lambda each: (-each.score, each.symbol.start_line, each.symbol.qualified_name))


def in_turn(
    files: Sequence[float], meant: Sequence[Sequence[MeantDefinition]]
) -> list[tuple[int, MeantDefinition | None, float]]:
    """(number of the file, definition, how far it stands behind the file's best) of all places, in their order.

    `files` are the scores of files in their order, each with its definitions; one without any is a place itself.
    """
    found: list[tuple[int, MeantDefinition | None, float]] = []
    for at, own in enumerate(meant):
        best = own[0].score if own else 0.0
        found += [(at, each, round(_BEHIND * (best - each.score), 6)) for each in own[:_MOST]] or [(at, None, 0.0)]
    return sorted(found, key=lambda place: (place[2] - files[place[0]], place[0]))
