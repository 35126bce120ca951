"""What an embedder is."""

from collections.abc import Sequence
from typing import Protocol

from cairn.engines import Vectors


class Embedder(Protocol):
    """Turns texts into unit vectors; equal identities give equal vectors."""

    identity: str
    dimension: int

    def embed(self, texts: Sequence[str]) -> Vectors: ...
