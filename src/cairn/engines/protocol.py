"""Where the vectors of a segment live.

An engine writes a segment's vectors once, behind a durability barrier of its own, and reads them
back for ever unchanged. Rows are addressed by their number within the segment, and a segment by
its folder, whose last name is the segment's own wherever the folder stands.
"""

from collections.abc import Collection, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Vectors = npt.NDArray[np.float32]
    Numbers = npt.NDArray[np.int64]
    Mask = npt.NDArray[np.bool_]
else:
    Vectors = Numbers = Mask = Any


LITE_FOLDER = "milvus.db"
"""Where Milvus Lite keeps a store's vectors, in the store."""


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


@runtime_checkable
class OutsideEngine(VectorEngine, Protocol):
    """An engine that keeps vectors elsewhere: the folder holds only what they must be.

    What it holds goes with collections of garbage and with the store, and in no other way.
    """

    def verify(self, folder: str, count: int, dimension: int) -> None:
        """Read every vector of a segment and hold it against the digest; CorruptStoreError where it differs."""
        ...

    def held(self) -> frozenset[str]:
        """The segments of which anything is held for this store, whole or not; asked for even where it has none."""
        ...

    def remove(self, segments: Collection[str]) -> None:
        """Forget segments of this store; none when they are not there."""
        ...

    def remove_all(self) -> None:
        """Forget the store."""
        ...

    def settle(self) -> None:
        """Write what comes to the address of the settings, whatever lies elsewhere: nothing of that is kept."""
        ...

    def require_here(self, folder: str) -> None:
        """EngineMovedError where a segment's vectors lie at another address than that of the settings."""
        ...


class ChunkVectors(Protocol):
    """Vectors of chunks by their hashes, shared by machines that embed alike."""

    def get_many(self, hashes: Iterable[str]) -> dict[str, Vectors]: ...

    def put_many(self, vectors: Mapping[str, Vectors]) -> None: ...
