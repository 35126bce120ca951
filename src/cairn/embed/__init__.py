"""Vectors for text."""

from cairn.embed.hashing import HashingEmbedder
from cairn.embed.protocol import Embedder

__all__ = ["Embedder", "HashingEmbedder"]
