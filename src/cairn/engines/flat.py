"""The default engine: one memory-mapped matrix a segment, searched exactly.

Its numbers are halves (float16) where that loses nothing, as with the vectors that an index makes; else float32.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from tokenize import TokenError
from typing import TYPE_CHECKING, Any

from cairn.base import lazy
from cairn.base.errors import CorruptStoreError
from cairn.base.shortage import shortage_of
from cairn.engines.order import ROUNDING, best, nothing, scores_of
from cairn.engines.protocol import Mask, Numbers, Scores, VectorReader, Vectors
from cairn.kernel.halves import half_products

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
else:
    np = lazy.module("numpy")

_FILE = "vectors.npy"
_ROWS_AT_ONCE = 8192
_THREADS = "OPENBLAS_NUM_THREADS"
# NumPy evaluates the header as a Python literal, so a damaged one fails in many ways.
_DAMAGE = (
    OSError,
    ValueError,
    EOFError,
    SyntaxError,
    TokenError,
    TypeError,
    OverflowError,
    RecursionError,
    MemoryError,
)


class FlatEngine:
    """`vectors.npy`, row by row in the order of row numbers."""

    name = "flat"

    def write(self, folder: str, vectors: Vectors) -> None:
        with open(os.path.join(folder, _FILE), "xb") as file:
            np.lib.format.write_array(file, np.ascontiguousarray(shortest(vectors)), allow_pickle=False)
            file.flush()
            os.fsync(file.fileno())

    def open(self, folder: str, count: int, dimension: int) -> VectorReader:
        return mapped(os.path.join(folder, _FILE), count, dimension)


def mapped(path: str, count: int, dimension: int) -> FlatReader:
    """The matrix in a file; CorruptStoreError where it has another shape, or is none."""
    try:
        shape, dtype, offset = _header(path)
        if dtype not in (np.float16, np.float32) or shape != (count, dimension):
            raise CorruptStoreError(f"{path} holds {shape} {dtype}, not {(count, dimension)} float16 or float32.")
        if not count:
            # An empty matrix can't be mapped.
            return FlatReader(np.empty((0, dimension), dtype=np.float32))
        # A plain array over the map: slices of a memmap cost ten times as much.
        matrix = np.memmap(path, dtype=dtype, mode="r", offset=offset, shape=(count, dimension)).view(np.ndarray)
    except _DAMAGE as error:
        raise shortage_of(error) or CorruptStoreError(f"{path} can't be read as vectors: {error}.") from error
    return FlatReader(matrix)


def shortest(vectors: Vectors) -> npt.NDArray[np.floating[Any]]:
    """The same numbers in as few bytes as hold them."""
    if vectors.dtype == np.float16:
        return vectors
    with np.errstate(over="ignore"):
        halves = vectors.astype(np.float16)
    is_same = np.array_equal(halves.astype(np.float32).view(np.uint32), vectors.view(np.uint32))
    return halves if is_same else vectors.astype(np.float32)


def _header(path: str) -> tuple[tuple[int, ...], np.dtype[Any], int]:
    """Shape, type and place of the data of a `.npy` file."""
    with open(path, "rb") as file:
        version = np.lib.format.read_magic(file)
        if version != (1, 0):
            raise ValueError(f"format version {version}")
        shape, fortran_order, dtype = np.lib.format.read_array_header_1_0(file)
        if fortran_order:
            raise ValueError("columns come first")
        return shape, dtype, file.tell()


class FlatReader:
    """A mapped matrix that is searched whole, so that results are exact."""

    def __init__(self, matrix: npt.NDArray[Any]) -> None:
        self._matrix = matrix

    def nearest(self, query: Vectors, limit: int, live: Mask | None) -> tuple[Numbers, Scores]:
        if limit <= 0:
            return nothing()
        scores = self._scores(query)
        if live is not None:
            scores[~live] = -np.inf
        count = len(scores) if live is None else int(np.count_nonzero(live))
        if limit < count:
            # Keep everything that may tie with the last place, so that the order below decides alone.
            edge = np.partition(scores, len(scores) - limit)[len(scores) - limit] - ROUNDING
            numbers = np.flatnonzero(scores >= edge)
        else:
            numbers = np.arange(len(scores), dtype=np.int64) if live is None else np.flatnonzero(live)
        return best(numbers, scores_of(self.take(numbers), query), limit)

    def take(self, numbers: Numbers) -> Vectors:
        return np.asarray(self._matrix[numbers], dtype=np.float32)

    def parts(self) -> Iterator[Vectors]:
        """All vectors in order, some at a time."""
        for start in range(0, len(self._matrix), _ROWS_AT_ONCE):
            yield np.asarray(self._matrix[start : start + _ROWS_AT_ONCE], dtype=np.float32)

    def _scores(self, query: Vectors) -> Vectors:
        """The scores of all rows; the last bits may differ, which the margin around the last place allows for."""
        if self._matrix.dtype == np.float16:
            return half_products(self._matrix, query)
        # A matrix product is the fastest, but where BLAS has threads it would wake them, which cost more than they save
        # beside other work.
        alone = os.environ.get(_THREADS) == "1"
        scores: Vectors = self._matrix @ query if alone else np.einsum("ij,j->i", self._matrix, query)
        return scores
