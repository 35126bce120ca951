"""Where the vectors of a segment live.

An engine writes a segment's vectors once, behind a durability barrier of its own, and reads them
back for ever unchanged. Rows are addressed by their number within the segment.
"""

from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Vectors = npt.NDArray[np.float32]
    Numbers = npt.NDArray[np.int64]
    Mask = npt.NDArray[np.bool_]
else:
    Vectors = Numbers = Mask = Any


class VectorReader(Protocol):
    """The vectors of one published segment."""

    def nearest(self, query: Vectors, limit: int, live: Mask | None) -> tuple[Numbers, Vectors]:
        """Row numbers and inner products, best first, ties by number; `live` hides rows.

        Rows that tie with the last place come along.
        """
        ...

    def take(self, numbers: Numbers) -> Vectors:
        """The vectors of given rows, in that order."""
        ...


@runtime_checkable
class VectorEngine(Protocol):
    """A way to keep vectors."""

    name: str

    def write(self, folder: str, vectors: Vectors) -> None:
        """Store the vectors of a segment in its folder; flushed when this returns."""
        ...

    def open(self, folder: str, count: int, dimension: int) -> VectorReader:
        """Read the vectors of a segment; CorruptStoreError when they are not what was written."""
        ...
