"""Inner products with rows that are told by codes: a byte for each piece of a row."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cairn.base import lazy
from cairn.kernel.core import core

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
else:
    np = lazy.module("numpy")


def code_products(codes: npt.NDArray[np.uint8], tables: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """The product of each row: of every piece in turn, what its table of 256 has for the row's code."""
    native = core()
    if native is None:
        return code_products_by_reference(codes, tables)
    found = native.code_products(np.ascontiguousarray(codes), tables.astype(np.float32).ravel().tolist())
    return np.frombuffer(found, "<f4")


def code_products_by_reference(
    codes: npt.NDArray[np.uint8], tables: npt.NDArray[np.float32]
) -> npt.NDArray[np.float32]:
    """The same by the reference."""
    found = np.zeros(codes.shape[1], dtype=np.float32)
    for table, own in zip(tables, codes, strict=True):
        found += table[own]
    return found
