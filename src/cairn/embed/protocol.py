"""The interface of an embedder."""

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from cairn.engines import Vectors


class Embedder(Protocol):
    """Turns texts into unit vectors; equal identities give equal vectors."""

    identity: str
    dimension: int

    def embed(self, texts: Sequence[str]) -> Vectors:
        """One unit vector a text, in the order of the texts; the zero vector for an empty text."""


@runtime_checkable
class Inheritable(Embedder, Protocol):
    """An embedder that forked children can use at once: it is nothing but memory, without connections or threads."""

    def load(self) -> None:
        """Load everything into memory, so that children share it."""
