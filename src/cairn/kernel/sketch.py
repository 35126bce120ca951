"""Which rows of a matrix may be among the nearest to a vector: told by a coarse copy, at a fraction of the reading.

Without the native core there is none, and the matrix itself is read.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from cairn.base import lazy
from cairn.kernel.core import core

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
else:
    np = lazy.module("numpy")

_MOST_BYTES = 256 << 20


class Sketch:
    """Rows of float32 as small whole numbers, each with how far that is from the row at most."""

    def __init__(self, native: Any) -> None:
        self._native = native

    def near(
        self, query: npt.NDArray[np.float32], limit: int, rounding: float, live: npt.NDArray[np.bool_] | None
    ) -> npt.NDArray[np.int64]:
        """Every row whose score, be it off by the rounding, may be among the `limit` best, in order; more may come."""
        mask = None if live is None else live.tobytes()
        found = self._native.near(query.astype("<f4").tobytes(), limit, rounding, mask)
        return np.frombuffer(found, dtype="<i8").astype(np.int64, copy=False)


def sketch_of(rows: int, dimension: int, blocks: Iterable[npt.NDArray[np.float32]]) -> Sketch | None:
    """The coarse copy of a matrix; None without the native core, and for one that is too large to be held."""
    native = core()
    if native is None or not 0 < rows * dimension <= _MOST_BYTES:
        return None
    made = native.Sketch(dimension)
    for block in blocks:
        made.add(block.astype("<f4", copy=False).tobytes())
    return Sketch(made)
