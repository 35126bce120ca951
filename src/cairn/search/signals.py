"""Ranking signals: small pure functions from what is known of a file to one number each.

A signal is about 0 to 1 (penalties too: their weights are negative), so that weights compare.
"""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from cairn.search.query import Query
from cairn.store import SymbolRow
from cairn.syntax.tokens import tokens

Array = npt.NDArray[np.float64]

K1 = 1.5
B = 0.5
SYMBOL_WEIGHT = 2.0
STEM_WEIGHT = 5.0
FOLDER_WEIGHT = 2.5
_NO_SPAN = 1e-9
_PREFIX_SHARE = 0.7
_PREFIX_LEAST = 3
_INDEX_STEMS = frozenset({"index", "mod", "lib", "main", "__init__", "init", "package", "package-info"})
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


def path_terms(path_key: str) -> tuple[frozenset[str], frozenset[str]]:
    """(terms of the file's name, terms of its folders)"""
    folders, _, name = path_key.rpartition("/")
    return frozenset(tokens(_stem_of(name))), frozenset(tokens(folders))


def stem_match(query_terms: Sequence[str], weights: Sequence[float], path_key: str) -> float:
    """How well a file's name and the query cover each other; the folder stands in for `index` and its kind."""
    parts = path_key.split("/")
    stem = _stem_of(parts[-1])
    if stem.lower() in _INDEX_STEMS and len(parts) > 1:
        stem = parts[-2]
    names = [term for term in tokens(re.sub(r"\W+", "_", stem)) if len(term) > 1]
    total = sum(weights)
    if not names or not total:
        return 0.0
    found = 0.0
    used: set[str] = set()
    for term, weight in zip(query_terms, weights, strict=True):
        share, name = _best_match(term, names)
        if share:
            found += share * weight
            used.add(name)
    # The whole name stands beside its parts: count what a reader sees as words.
    parts_only = names[1:] if len(names) > 1 else names
    covered = len([name for name in parts_only if name in used]) / len(parts_only) if names[0] not in used else 1.0
    return math.sqrt(min(found / total, 1.0) * covered)


def joined_stem(words: Sequence[str], path_key: str) -> float:
    """1 when a file's name is two neighbouring words of the query written as one."""
    name = re.sub(r"[^a-z0-9]", "", _stem_of(path_key.rpartition("/")[2]).lower())
    pairs = (left + right for left, right in pairwise(words))
    return 1.0 if len(name) > 4 and name in {pair.replace("_", "") for pair in pairs} else 0.0


def definition(query: Query, symbols: Iterable[SymbolRow]) -> float:
    """How surely a file defines what the query names."""
    best = 0.0
    folded = {name.casefold() for name in query.names}
    for symbol in symbols:
        if symbol.name in query.names:
            share = 1.0
        elif symbol.name.casefold() in folded:
            share = 0.6
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


def name_match(terms: Sequence[str], weights: Sequence[float], names: Iterable[str]) -> float:
    """How well the query and the best single name of a place cover each other."""
    worth = dict(zip(terms, weights, strict=True))
    total = sum(worth.values())
    best = 0.0
    if not total:
        return best
    for name in names:
        own = tokens(name.rpartition(".")[2])
        parts = own[1:] or own
        found = worth.keys() & set(own)
        if parts and found:
            covered = sum(part in found for part in parts) / len(parts)
            best = max(best, math.sqrt(sum(worth[term] for term in found) / total) * covered)
    return best


def size_share(lines: Sequence[int]) -> Array:
    """log of the lines over the largest."""
    return scaled(np.log1p(np.array(lines, dtype=np.float64)))


def depth_beyond(path_keys: Sequence[str]) -> Array:
    """How much deeper than most of the others a file lies, 0 to 1."""
    depths = np.array([path.count("/") for path in path_keys], dtype=np.float64)
    if not len(depths):
        return depths
    return np.clip(depths - float(np.median(depths)), 0.0, 5.0) / 5.0


def _best_match(term: str, names: Sequence[str]) -> tuple[float, str]:
    if term in names:
        return 1.0, term
    for name in names:
        if min(len(term), len(name)) >= _PREFIX_LEAST and (name.startswith(term) or term.startswith(name)):
            return _PREFIX_SHARE, name
    return 0.0, ""


def _stem_of(name: str) -> str:
    return name.lstrip(".").partition(".")[0] or name


__all__ = [
    "bm25",
    "definition",
    "depth_beyond",
    "inverse_frequency",
    "joined_stem",
    "path_terms",
    "scaled",
    "size_share",
    "spread",
    "stem_match",
]
