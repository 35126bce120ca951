"""Rows that match words, as each kind of lexical index finds them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Protocol

from cairn.base.values import dataclass

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from cairn.engines import Numbers

LEXICAL_FOLDER = "lexical"
DIGITS = 3
"""Of a score; the last digits of a sum depend on its order, which isn't the same everywhere."""


@dataclass(frozen=True, slots=True)
class Matched:
    """Rows that matched, the best first."""

    numbers: Numbers
    scores: npt.NDArray[np.float64]
    all_seen: bool = True
    """Whether none was left out that ties with the last."""


class Lexical(Protocol):
    """The words of one segment's live rows."""

    def document_frequency(self, field: str, token: str) -> int:
        """How many live rows hold a token."""

    def numbers(self, weights: Mapping[tuple[str, str], float], limit: int, most: int) -> Matched:
        """The best live rows that hold any of the (field, token) pairs, with all that tie with the last."""
