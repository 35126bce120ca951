"""Inner products with rows of sixteen bit numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cairn.base import lazy
from cairn.kernel.core import core

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
else:
    np = lazy.module("numpy")

_BLOCK_ROWS = 4096
"""Rows that the reference looks at in one go: few enough to stay in a processor's caches."""


def half_products(rows: npt.NDArray[np.float16], query: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """The product of each row with a query, whose last bits depend on the order of addition."""
    native = core()
    if native is None:
        return half_products_by_reference(rows, query)
    return np.frombuffer(native.half_products(rows.view(np.uint16), query.tolist()), "<f4")


def half_products_by_reference(
    rows: npt.NDArray[np.float16], query: npt.NDArray[np.float32]
) -> npt.NDArray[np.float32]:
    """The same by the reference."""
    found = np.empty(len(rows), dtype=np.float32)
    for start in range(0, len(rows), _BLOCK_ROWS):
        block = rows[start : start + _BLOCK_ROWS].astype(np.float32)
        np.einsum("ij,j->i", block, query, out=found[start : start + len(block)])
    return found
