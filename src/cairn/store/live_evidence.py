"""Rows of chosen files, held against the terms and the vector of a query."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from cairn.base import lazy
from cairn.base.values import dataclass
from cairn.engines import Vectors
from cairn.store._candidates import FileAt
from cairn.store._segment import SegmentReader
from cairn.store._terms import Hashes, TermMatrix, numbers_in
from cairn.store.rows import FileRow

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
else:
    np = lazy.module("numpy")


@dataclass(frozen=True, slots=True)
class Evidence:
    """All rows of some files (down) held against a query's terms (across) and its vector."""

    places: tuple[FileAt, ...]
    files: tuple[FileRow, ...]
    starts: npt.NDArray[np.int64]
    """Where the rows of each file begin; a file has one row at least."""
    text: npt.NDArray[np.float64]
    symbols: npt.NDArray[np.float64]
    lengths: npt.NDArray[np.float64]
    likeness: npt.NDArray[np.float64]


def evidence_of(
    segments: Sequence[SegmentReader], files: Collection[FileAt], hashes: Hashes, query: Vectors | None
) -> Evidence:
    """All rows of some files held against a query; dead files and files without rows are left out."""
    places: list[FileAt] = []
    said: list[FileRow] = []
    matrices: list[TermMatrix] = []
    likeness: list[npt.NDArray[np.float64]] = []
    for index, segment in enumerate(segments):
        numbered = segment.rows.numbered_files(sorted(number for owner, number in files if owner == index))
        alive = [
            (number, file, first)
            for number, (file, first) in sorted(numbered.items())
            if file.chunks and file.path_key not in segment.dead
        ]
        if not alive:
            continue
        places += [(index, number) for number, _, _ in alive]
        said += [file for _, file, _ in alive]
        spans = [(first, file.chunks) for _, file, first in alive]
        matrices.append(segment.terms.matrix(spans, hashes))
        if query is not None:
            # Not a matrix product: its last bits depend on where a row stands.
            likeness.append((segment.vectors.take(numbers_in(spans)) * query).sum(axis=1, dtype=np.float64))
    ends = np.cumsum([file.chunks for file in said], dtype=np.int64)
    nothing = np.zeros((0, len(hashes)))
    rows = int(ends[-1]) if len(ends) else 0
    return Evidence(
        tuple(places),
        tuple(said),
        np.concatenate(([0], ends[:-1])).astype(np.int64) if len(ends) else ends,
        np.concatenate([matrix.text for matrix in matrices]) if matrices else nothing,
        np.concatenate([matrix.symbols for matrix in matrices]) if matrices else nothing,
        np.concatenate([matrix.lengths for matrix in matrices]) if matrices else np.zeros(0),
        np.concatenate(likeness) if likeness else np.zeros(rows),
    )
