"""The lexical index of a segment with few rows: its terms alone, without one of Tantivy's.

A sync of one file makes such a segment. To make an index with threads, a dozen files and as many waits for the disk
takes longer than all else that is written of it, and to ask one takes longer than to add some weights.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from cairn.base import lazy
from cairn.base.terms import term_hash
from cairn.engines import Mask
from cairn.store._matched import DIGITS, Matched
from cairn.store._terms import TermsReader, path_hash

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
else:
    np = lazy.module("numpy")

MOST_ROWS = 256
_HASHES = {"body": term_hash, "path": path_hash}


class FewRows:
    """The postings of one segment, without its dead rows."""

    def __init__(self, terms: TermsReader, rows: int, live: Mask | None) -> None:
        self._terms = terms
        self._rows = rows
        self._live = live

    def document_frequency(self, field: str, token: str) -> int:
        """How many live rows hold a token."""
        found = self._holding(field, token)
        return len(found) if self._live is None else int(np.count_nonzero(self._live[found]))

    def numbers(self, weights: Mapping[tuple[str, str], float], limit: int, most: int) -> Matched:
        """All live rows that hold any of the (field, token) pairs; the score is the sum of the weights of these."""
        scores = np.zeros(self._rows, dtype=np.float32)
        for (field, token), weight in weights.items():
            if weight > 0:
                scores[self._holding(field, token)] += np.float32(weight)
        held = scores > 0 if self._live is None else (scores > 0) & self._live
        numbers = np.flatnonzero(held)
        said = scores[numbers].astype(np.float64).round(DIGITS)
        order = np.argsort(-said, kind="stable")
        return Matched(numbers[order], said[order])

    def _holding(self, field: str, token: str) -> npt.NDArray[np.int64]:
        return self._terms.rows_with(_HASHES[field](token))
