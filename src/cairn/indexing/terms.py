"""The terms by which rows are found."""

from collections.abc import Sequence
from functools import lru_cache

from cairn.kernel.terms import count_terms
from cairn.kernel.tokens import each_token
from cairn.store import ChunkRow, Terms


def terms_of(row: ChunkRow) -> Terms:
    """The terms of a row, from the row alone: compaction makes them anew."""
    return terms_of_all((row,))[0]


def terms_of_all(rows: Sequence[ChunkRow]) -> list[Terms]:
    """The terms of each row: the same as of one alone, at a fraction of its cost."""
    counted = count_terms([row.text for row in rows], [row.symbols for row in rows])
    return [
        Terms(body, _path_terms(row.path_key), hashes, text_counts, symbol_counts, length)
        for row, (body, hashes, text_counts, symbol_counts, length) in zip(rows, counted, strict=True)
    ]


@lru_cache(maxsize=256)
def _path_terms(path_key: str) -> str:
    return " ".join(dict.fromkeys(each_token(path_key)))
