"""Lexical search over a view: Tantivy finds candidates, one formula puts them in order.

Tantivy's own score depends on how rows are spread over segments. The order here doesn't: document
frequencies and lengths are those of the live rows of the whole view, so compaction changes no
answer.
"""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from cairn.store import ChunkRow, Hit, SnapshotView
from cairn.syntax.tokens import tokens

CANDIDATES = 200
K1 = 1.5
B = 0.5
MAX_QUERY_TOKENS = 64
_FIELD_WEIGHTS = {"body": 1.0, "path": 2.0}
_TYPICAL_LENGTH = 200.0


@dataclass(frozen=True, slots=True)
class Found:
    row: ChunkRow
    score: float


def search_lexical(view: SnapshotView, query: str, limit: int) -> list[Found]:
    """The best rows, by score, then path_key, start line and row id."""
    wanted = list(dict.fromkeys(tokens(query)))[:MAX_QUERY_TOKENS]
    if not wanted:
        return []
    total = view.manifest.counts.chunks_live
    weights = {
        (field, token): weight * inverse_frequency(view.document_frequency(field, token), total)
        for field, weight in _FIELD_WEIGHTS.items()
        for token in wanted
    }
    hits = view.matches(weights, CANDIDATES)
    return ranked(hits, weights, limit)


def ranked(hits: Sequence[Hit], weights: Mapping[tuple[str, str], float], limit: int) -> list[Found]:
    found = [Found(hit.row, score(hit.row, weights)) for hit in hits]
    found.sort(key=lambda item: (-item.score, item.row.path_key, item.row.start_line, item.row.row_id))
    return found[:limit]


def score(row: ChunkRow, weights: Mapping[tuple[str, str], float]) -> float:
    """BM25 over body and path, from the row alone."""
    body = tokens(row.text)
    counts = {"body": Counter(body), "path": Counter(tokens(row.path_key))}
    norm = K1 * (1 - B + B * len(body) / _TYPICAL_LENGTH)
    total = 0.0
    for (field, token), weight in weights.items():
        count = counts[field][token]
        if count:
            total += weight * count * (K1 + 1) / (count + (norm if field == "body" else K1))
    return total


def inverse_frequency(frequency: int, total: int) -> float:
    return math.log1p((total - frequency + 0.5) / (frequency + 0.5)) if frequency else 0.0
