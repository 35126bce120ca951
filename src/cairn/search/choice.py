"""Which row of a file answers a query, and what that place is called."""

from collections.abc import Mapping, Sequence

import numpy as np

from cairn.base import lazy
from cairn.search import signals
from cairn.search.place import meant
from cairn.search.query import Query
from cairn.search.signals import Array
from cairn.store import ChunkRow, RowHead, SymbolRow

_LOOKED_AT = 6
_NAME_SHARE = 0.3
_TEST_SHARE = 0.4
_AS_GOOD = 0.75
"""The share of the best row's worth from which on a further row of a file is worth a line."""
IN_TEST = lazy.expression(r"(?:.*\.)?[Tt]ests?(?:\.|_|$)")


def best_row(
    heads: Mapping[int, RowHead], scores: Array, symbols: Sequence[SymbolRow], query: Query, weights: Sequence[float]
) -> int:
    """The row that defines what the query names, else the one that matches best, by its text and its names."""
    texts = [ordinal for ordinal, head in heads.items() if head.kind != "anchor"] or [0]
    defining = _defining(heads, texts, symbols, query)
    choice = sorted(
        defining or texts, key=lambda ordinal: (-defining.get(ordinal, 0.0), -float(scores[ordinal]), ordinal)
    )
    best = defining.get(choice[0], 0.0)
    worth = dict(zip(query.terms, weights, strict=True))
    near = [ordinal for ordinal in choice[:_LOOKED_AT] if defining.get(ordinal, 0.0) == best]

    def worth_of(ordinal: int) -> float:
        names = heads[ordinal].symbols.split("\n") if heads[ordinal].symbols else []
        score = float(scores[ordinal]) + _NAME_SHARE * signals.name_match(worth, names)
        in_test = bool(names) and all(IN_TEST.match(name) for name in names)
        return score - _TEST_SHARE if in_test and "test" not in query.asks_for else score

    return max(near, key=lambda ordinal: (worth_of(ordinal), -ordinal))


def other_rows(heads: Mapping[int, RowHead], scores: Array, best: int, most: int) -> list[int]:
    """Further rows of a file that answer nearly as well as the best and define something else, in their order."""
    least = _AS_GOOD * float(scores[best])
    names = set(heads[best].symbols.split("\n"))
    found: list[int] = []
    for ordinal in sorted(heads, key=lambda each: (-float(scores[each]), each)):
        head = heads[ordinal]
        own = set(head.symbols.split("\n")) - {""}
        if ordinal != best and head.kind != "anchor" and float(scores[ordinal]) >= least > 0 and own - names:
            found.append(ordinal)
            names |= own
    return found[:most]


def looked_at(scores: Array, symbols: Sequence[SymbolRow]) -> list[int]:
    """The rows of a file that `best_row` needs to see, in order."""
    if symbols or len(scores) <= _LOOKED_AT + 1:
        return list(range(len(scores)))
    # At most one row of a file is its anchor.
    return sorted(np.argsort(-scores, kind="stable")[: _LOOKED_AT + 1].tolist())


def symbol_of(row: ChunkRow, symbols: Sequence[SymbolRow], query: Query, weights: Sequence[float]) -> str:
    """The name of a place: the one that the query names, else the one that shares most with the query."""
    named = [symbol for symbol in symbols if row.start_line <= symbol.name_line <= row.end_line]
    if named and query.names:
        return max(named, key=lambda symbol: (signals.definition(query, [symbol]), -symbol.name_line)).qualified_name
    names = [symbol.qualified_name for symbol in named] if query.filters.kinds else []
    return meant(row.text, names or row.symbols.split("\n"), dict(zip(query.terms, weights, strict=True)))


def _defining(
    heads: Mapping[int, RowHead], texts: Sequence[int], symbols: Sequence[SymbolRow], query: Query
) -> Mapping[int, float]:
    """How surely each row defines what the query names; rows that define none of it are left out."""
    found: dict[int, float] = {}
    for symbol in symbols:
        for ordinal in texts:
            if heads[ordinal].start_line <= symbol.name_line <= heads[ordinal].end_line:
                worth = signals.definition(query, [symbol]) if query.names else 0.0
                found[ordinal] = max(worth, found.get(ordinal, 0.0))
    return found
