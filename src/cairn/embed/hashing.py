"""An embedder without a model: words are hashed to places and signs.

It is deterministic, and texts that share words are near each other. That is enough for tests, and for
machines that can't run a model.
"""

import hashlib
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from cairn.engines import Vectors
from cairn.kernel.tokens import tokens


class HashingEmbedder:
    """Vectors from hashed words: deterministic, without a model, for tests and small machines."""

    identity = "hashing-1"

    def __init__(self, dimension: int = 128) -> None:
        self.dimension = dimension

    def embed(self, texts: Sequence[str]) -> Vectors:
        vectors = np.zeros((len(texts), self.dimension), dtype=np.float32)
        for row, text in enumerate(texts):
            for token, count in Counter(tokens(text)).items():
                place, sign = _slot(token)
                vectors[row, place % self.dimension] += sign * np.float32(np.sqrt(count))
        norms = np.linalg.norm(vectors, axis=1, keepdims=True)
        np.divide(vectors, norms, out=vectors, where=norms > 0)
        return vectors


@lru_cache(maxsize=100_000)
def _slot(token: str) -> tuple[int, int]:
    digest = hashlib.blake2b(token.encode(), digest_size=8).digest()
    value = int.from_bytes(digest, "big")
    return value >> 1, 1 if value & 1 else -1
