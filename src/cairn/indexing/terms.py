"""The terms by which rows are found."""

from collections.abc import Iterable
from functools import lru_cache

from cairn.kernel.terms import count_terms
from cairn.kernel.tokens import each_token
from cairn.store import ChunkRow, Terms


def terms_of(row: ChunkRow) -> Terms:
    """The terms of a row, from the row alone: compaction makes them anew."""
    return terms_of_all([row.path_key], [row.text], [row.symbols])[0]


def terms_of_all(paths: Iterable[str], texts: list[str], symbols: list[str]) -> list[Terms]:
    """The terms of each row, by its path, text and symbols: the same as of one alone, at a fraction of its cost."""
    return [
        Terms(body, _path_terms(path_key), hashes, text_counts, symbol_counts, length)
        for path_key, (body, hashes, text_counts, symbol_counts, length) in zip(
            paths, count_terms(texts, symbols), strict=True
        )
    ]


@lru_cache(maxsize=256)
def _path_terms(path_key: str) -> str:
    return " ".join(dict.fromkeys(each_token(path_key)))
