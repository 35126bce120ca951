"""Ranking signals: small pure functions from what is known of a file to one number each.

A signal is about 0 to 1 (penalties too: their weights are negative), so that weights compare.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from cairn.kernel.tokens import tokens
from cairn.search.pathfacts import HEAD_CHARS, path_facts
from cairn.search.query import Query
from cairn.store import SymbolRow

Array = npt.NDArray[np.float64]
Places = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

K1 = 1.5
B = 0.5
SYMBOL_WEIGHT = 2.0
STEM_WEIGHT = 5.0
FOLDER_WEIGHT = 2.5
_NO_SPAN = 1e-9
_PREFIX_SHARE = 0.7
_PREFIX_LEAST = HEAD_CHARS
_SHORT_NAME = 4
_RANK_OFFSET = 5
_OTHER_CASE = 0.4
_KIND_SHARE: Mapping[str, float] = {
    "class": 1.0,
    "struct": 1.0,
    "interface": 1.0,
    "trait": 1.0,
    "enum": 1.0,
    "type": 0.9,
    "module": 0.9,
    "function": 1.0,
    "method": 0.85,
    "constructor": 0.7,
    "macro": 0.9,
    "constant": 0.7,
    "variable": 0.6,
    "property": 0.6,
    "field": 0.5,
    "table": 0.9,
}


def inverse_frequency(frequency: int, total: int) -> float:
    """BM25's weight of a term that occurs in so many of all chunks."""
    return math.log1p((total - frequency + 0.5) / (frequency + 0.5)) if frequency else 0.0


def bm25(frequencies: Array, lengths: Array, weights: Array, average: float) -> Array:
    """The score of each row: frequencies are rows x terms, weights the terms' inverse frequencies."""
    norm = K1 * (1 - B + B * lengths / max(average, 1.0))
    shares = frequencies * (K1 + 1) / (frequencies + norm[:, None])
    found: Array = (weights * shares).sum(axis=1)
    return found


def scaled(values: Array) -> Array:
    """Values over their maximum."""
    top = float(values.max(initial=0.0))
    return values / top if top > 0 else np.zeros_like(values)


def spread(values: Array, floor: float) -> Array:
    """Values between a floor and their maximum, as 0 to 1; below the floor it goes on downwards."""
    top = float(values.max(initial=floor))
    return (values - floor) / (top - floor) if top - floor > _NO_SPAN else np.zeros_like(values)


def stem_matches(query_terms: Sequence[str], weights: Sequence[float], path_keys: Sequence[str]) -> Array:
    """`stem_match` of many files."""
    heads = {term[:_PREFIX_LEAST] for term in query_terms}
    # A match always begins with the same letters.
    return np.array(
        [
            0.0 if path_facts(path).heads.isdisjoint(heads) else stem_match(query_terms, weights, path)
            for path in path_keys
        ]
    )


def stem_match(query_terms: Sequence[str], weights: Sequence[float], path_key: str) -> float:
    """How well a file's name and the query cover each other; the folder stands in for `index` and its kind."""
    names = path_facts(path_key).names
    total = sum(weights)
    if not names or not total:
        return 0.0
    found = 0.0
    used: set[str] = set()
    for term, weight in zip(query_terms, weights, strict=True):
        share, name = _matched(term, names)
        if share:
            found += share * weight
            used.add(name)
    # The whole name stands beside its parts: count what a reader sees as words.
    parts_only = names[1:] if len(names) > 1 else names
    covered = len([name for name in parts_only if name in used]) / len(parts_only) if names[0] not in used else 1.0
    return min(found / total, 1.0) * covered


def joined_stems(words: Sequence[str], path_keys: Sequence[str]) -> Array:
    """1 for each file whose name is two neighbouring words of the query written as one."""
    joined = {(left + right).replace("_", "") for left, right in pairwise(words)}
    return np.array(
        [float(len(name) > _SHORT_NAME and name in joined) for name in (path_facts(path).joined for path in path_keys)]
    )


def definition(query: Query, symbols: Iterable[SymbolRow]) -> float:
    """How surely a file defines what the query names."""
    best = 0.0
    folded = {name.casefold() for name in query.names}
    for symbol in symbols:
        if symbol.name in query.names:
            share = 1.0
        elif symbol.name.casefold() in folded:
            share = _OTHER_CASE
        else:
            continue
        share *= _KIND_SHARE.get(symbol.kind, 0.5)
        if query.owners:
            inside = symbol.container.rpartition(".")[2]
            if inside not in query.owners:
                share *= 0.9 if inside.casefold() in {owner.casefold() for owner in query.owners} else 0.6
        span = symbol.end_line - symbol.start_line
        share *= 0.8 + 0.2 * min(span / 20.0, 1.0)
        best = max(best, share)
    return best


def name_match(worth: Mapping[str, float], names: Iterable[str]) -> float:
    """How well the query, as what each of its terms is worth, and the best single name of a place cover each other."""
    total = 0.0
    best = 0.0
    for name in names:
        own, parts = _name_terms(name)
        # Most names share nothing with the query.
        if own.isdisjoint(worth):
            continue
        found = worth.keys() & own
        if parts:
            total = total or sum(worth.values())
            if not total:
                return best
            covered = sum(part in found for part in parts) / len(parts)
            best = max(best, math.sqrt(sum(worth[term] for term in found) / total) * covered)
    return best


def best_of(scores: Array, starts: Places, shares: Sequence[float]) -> Array:
    """For each file the sum of its best rows' scores, each at a share."""
    files = np.repeat(np.arange(len(starts)), np.diff(starts, append=len(scores)))
    left = scores.copy()
    found: Array = np.zeros(len(starts))
    for share in shares:
        # The best that is left of each file, of which the first is then taken out.
        best = np.maximum.reduceat(left, starts)
        found += share * np.maximum(best, 0.0)
        at = np.flatnonzero(left == best[files])
        left[at[np.searchsorted(files[at], np.arange(len(starts)))]] = -np.inf
    return found


def coherence(scores: Array, starts: Places) -> Array:
    """How many of the best rows a file has: reciprocal ranks of its rows, summed, over the largest sum."""
    rounded = np.round(scores, 6)
    # The rank is the number of better rows, so that equal rows share one and their order means nothing.
    order = np.argsort(-rounded)
    ordered = rounded[order]
    ranks = np.arange(len(order))
    ranks[1:][ordered[1:] == ordered[:-1]] = 0
    shares: Array = np.empty(len(order))
    shares[order] = 1.0 / (_RANK_OFFSET + np.maximum.accumulate(ranks).astype(np.float64))
    sums: Array = np.add.reduceat(shares, starts)
    return scaled(np.round(sums, 9))


@lru_cache(maxsize=50_000)
def _name_terms(name: str) -> tuple[frozenset[str], tuple[str, ...]]:
    """(all tokens of a name without its qualifiers, those of its parts)"""
    own = tokens(name.rpartition(".")[2])
    return frozenset(own), tuple(own[1:] or own)


def size_share(lines: Sequence[int]) -> Array:
    """log of the lines over the largest."""
    return scaled(np.log1p(np.array(lines, dtype=np.float64)))


def depth_beyond(path_keys: Sequence[str]) -> Array:
    """How much deeper than most of the others a file lies, 0 to 1."""
    depths = np.array([path_facts(path).depth for path in path_keys], dtype=np.float64)
    if not len(depths):
        return depths
    # Not numpy's median: that loads all of its masked arrays.
    ordered = np.sort(depths)
    middle = float(ordered[(len(ordered) - 1) // 2] + ordered[len(ordered) // 2]) / 2
    beyond: Array = np.clip(depths - middle, 0.0, 5.0) / 5.0
    return beyond


@lru_cache(maxsize=20_000)
def _matched(term: str, names: tuple[str, ...]) -> tuple[float, str]:
    if term in names:
        return 1.0, term
    for name in names:
        if min(len(term), len(name)) >= _PREFIX_LEAST and (name.startswith(term) or term.startswith(name)):
            return _PREFIX_SHARE, name
    return 0.0, ""


__all__ = [
    "best_of",
    "bm25",
    "coherence",
    "definition",
    "depth_beyond",
    "inverse_frequency",
    "joined_stems",
    "scaled",
    "size_share",
    "spread",
    "stem_match",
    "stem_matches",
]
