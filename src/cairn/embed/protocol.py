"""What an embedder is."""

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from cairn.engines import Vectors


class Embedder(Protocol):
    """Turns texts into unit vectors; equal identities give equal vectors."""

    identity: str
    dimension: int

    def embed(self, texts: Sequence[str]) -> Vectors: ...


@runtime_checkable
class Inheritable(Embedder, Protocol):
    """An embedder that forked children may use at once: nothing but memory, no connection, thread or lock."""

    def load(self) -> None:
        """Have everything in memory, so that children share it."""
