"""Vectors for text."""

from typing import TYPE_CHECKING

from cairn.base import lazy

if TYPE_CHECKING:
    from cairn.embed.cache import EmbeddingCache
    from cairn.embed.cached import CachedEmbedder, Heritage
    from cairn.embed.hashing import HashingEmbedder
    from cairn.embed.protocol import Embedder, Inheritable
    from cairn.embed.settings import EmbedSettings, embed_config_fingerprint, embedder_from, load_settings
else:
    __getattr__ = lazy.exports(
        __name__,
        {
            "cache": "EmbeddingCache",
            "cached": "CachedEmbedder Heritage",
            "hashing": "HashingEmbedder",
            "protocol": "Embedder Inheritable",
            "settings": "EmbedSettings embed_config_fingerprint embedder_from load_settings",
        },
    )

__all__ = [
    "CachedEmbedder",
    "EmbedSettings",
    "Embedder",
    "EmbeddingCache",
    "HashingEmbedder",
    "Heritage",
    "Inheritable",
    "embed_config_fingerprint",
    "embedder_from",
    "load_settings",
]
