"""Where the vectors of a segment live.

An engine writes a segment's vectors once, behind a durability barrier of its own, and reads them
back for ever unchanged. Rows are addressed by their number within the segment, and a segment by
its folder, whose last name is the segment's own wherever the folder stands.
"""

from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Vectors = npt.NDArray[np.float32]
    Scores = npt.NDArray[np.float64]
    Numbers = npt.NDArray[np.int64]
    Mask = npt.NDArray[np.bool_]
else:
    Vectors = Scores = Numbers = Mask = Any


LITE_FOLDER = "milvus.db"
"""Where Milvus Lite keeps a store's vectors, in the store."""


class VectorReader(Protocol):
    """The vectors of one published segment."""

    def nearest(self, query: Vectors, limit: int, live: Mask | None) -> tuple[Numbers, Scores]:
        """Row numbers and inner products, best first, ties by number; `live` hides rows.

        Rows that tie with the last place come along.
        """
        ...

    def take(self, numbers: Numbers) -> Vectors:
        """The vectors of given rows, in that order."""
        ...


@runtime_checkable
class JointReader(VectorReader, Protocol):
    """A reader that is asked together with those of other segments."""

    @property
    def group(self) -> Hashable:
        """Readers of one group can be asked together."""
        ...

    def nearest_of_all(
        self, readers: Sequence["JointReader"], query: Vectors, limit: int, lives: Sequence[Mask | None]
    ) -> list[tuple[Numbers, Scores]]:
        """What `nearest` finds of each of some readers of the group, or more than that."""
        ...


@runtime_checkable
class VectorEngine(Protocol):
    """A way to keep vectors."""

    name: str

    def write(self, folder: str, vectors: Vectors) -> None:
        """Store the vectors of a segment, float32 or the same as float16, in its folder; flushed when this returns."""
        ...

    def open(self, folder: str, count: int, dimension: int) -> VectorReader:
        """Read the vectors of a segment; CorruptStoreError when they are not what was written."""
        ...


@runtime_checkable
class OutsideEngine(VectorEngine, Protocol):
    """An engine that keeps vectors outside of the store; a segment's folder holds only their digest.

    Vectors are removed by garbage collection and with the store, and in no other way.
    """

    def verify(self, folder: str, count: int, dimension: int) -> None:
        """Read every vector of a segment and hold it against the digest; CorruptStoreError where it differs."""
        ...

    def look(self, folder: str, count: int, dimension: int) -> None:
        """Whether the data of a segment that is held are there too, by a few rows; CorruptStoreError where not."""
        ...

    def held(self) -> frozenset[str]:
        """The segments of this store that anything is held of; the server is asked even if none are expected."""
        ...

    def remove(self, segments: Collection[str]) -> None:
        """Remove segments of this store; those that are not there are passed over."""
        ...

    def remove_all(self) -> None:
        """Remove everything that belongs to this store."""
        ...

    def settle(self) -> None:
        """Write new segments to the address of the settings; old segments elsewhere are given up."""
        ...

    def require_here(self, folder: str) -> None:
        """Raise EngineMovedError if a segment's vectors are at another address than the settings say."""
        ...


class ChunkVectors(Protocol):
    """Vectors of chunks by their hashes, shared by machines that embed alike."""

    def get_many(self, hashes: Iterable[str]) -> dict[str, Vectors]:
        """The vectors that are known, by hash."""

    def put_many(self, vectors: Mapping[str, Vectors]) -> None:
        """Share vectors with the other machines."""
