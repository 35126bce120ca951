"""An embedder with a cache: it only embeds texts whose hash the cache doesn't know."""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from cairn.base import lazy
from cairn.base.errors import CairnError
from cairn.base.notes import Note
from cairn.base.values import dataclass
from cairn.embed.cache import LIGHT_BYTES, MAX_BYTES, EmbeddingCache
from cairn.embed.protocol import Embedder, Inheritable
from cairn.embed.settings import embed_config_fingerprint
from cairn.embed.turns import Turns
from cairn.engines import ChunkVectors, Vectors, chunk_vectors

if TYPE_CHECKING:
    import numpy as np
else:
    np = lazy.module("numpy")


class CachedEmbedder:
    """Embeds what the cache lacks and keeps it at once, so that an interrupted run loses little work."""

    def __init__(
        self,
        embedder: Embedder,
        cache: EmbeddingCache | None = None,
        *,
        keeps_context: bool = True,
        shared: ChunkVectors | None = None,
        turns: Turns | None = None,
        alone: bool = True,
    ) -> None:
        """Without a cache everything is missing.

        What others have `shared` is asked for before it is embedded; with `turns`, batches wait for those of other
        processes. `alone`: whether no other thread of this process uses SQLite.
        """
        self._embedder = embedder
        self._cache = cache
        self._keeps_context = keeps_context
        self._shared = shared
        self._turns = turns
        self._alone = alone
        self._pending_notes: list[Note] = []
        self.identity = embedder.identity
        self.dimension = embedder.dimension
        self.hits = 0
        """Texts with a hash whose vector was known, or the same as another of their batch."""
        self.misses = 0
        """Texts with a hash that were embedded."""

    def embed(self, texts: Sequence[str], hashes: Sequence[str] | None = None) -> Vectors:
        """The vectors of texts; without hashes, as for a query, the cache is not used."""
        if hashes is None:
            return self._embedder.embed(texts)
        vectors, missing = self._remembered(texts, hashes)
        self.misses += missing
        self.hits += len(texts) - missing
        return vectors

    def embed_context(self, texts: Sequence[str]) -> Vectors:
        """The vectors of texts that many chunks share, such as a path: cached too, but not counted."""
        if self._cache is None or not self._keeps_context:
            return _as_kept(self._embedder.embed(texts))
        hashes = [f"context:{hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()}" for text in texts]
        return self._remembered(texts, hashes)[0]

    @property
    def at_hand(self) -> Embedder | None:
        """What embeds in this process without asking anybody; None where that is a server, or takes a while."""
        return self._embedder if isinstance(self._embedder, Inheritable) else None

    @property
    def heritage(self) -> Heritage | None:
        """What forked workers embed with; None if the embedder can't be inherited, such as one with a connection."""
        if self._shared is not None or not isinstance(self._embedder, Inheritable):
            return None
        # If another thread holds one of SQLite's locks now, it stays locked in the fork for ever.
        return Heritage(self._embedder, self._cache if self._alone else None)

    def hear(self, embedded: int, notes: Iterable[Note]) -> None:
        """Take note of what a worker has done."""
        self.misses += embedded
        self._pending_notes += notes

    def close(self) -> None:
        """Close the cache; it opens again with its next use."""
        if self._cache is not None:
            self._cache.close()

    def take_notes(self) -> tuple[Note, ...]:
        """What the cache, here and in workers, has to say since the last call."""
        own = self._cache.take_notes() if self._cache is not None else ()
        found = (*own, *self._pending_notes)
        taken = tuple(note for at, note in enumerate(found) if note not in found[:at])
        self._pending_notes.clear()
        return taken

    def _remembered(self, texts: Sequence[str], hashes: Sequence[str]) -> tuple[Vectors, int]:
        """The vectors, and how many texts had to be embedded for them."""
        known = self._cache.get_many(hashes) if self._cache is not None else {}
        known.update(self._from_others([key for key in hashes if key not in known]))
        missing = {key: text for key, text in zip(hashes, texts, strict=True) if key not in known}
        if missing:
            with contextlib.nullcontext() if self._turns is None else self._turns.turn():
                fresh = dict(zip(missing, self._embedder.embed(list(missing.values())), strict=True))
            self._keep(fresh)
            self._share(fresh)
            known.update(fresh)
        vectors = np.empty((len(texts), self.dimension), dtype=np.float32)
        for row, key in enumerate(hashes):
            vectors[row] = known[key]
        return _as_kept(vectors), len(missing)

    def _keep(self, vectors: Mapping[str, Vectors]) -> None:
        if self._cache is not None and vectors:
            self._cache.put_many(vectors)

    def _from_others(self, hashes: Sequence[str]) -> dict[str, Vectors]:
        if self._shared is None or not hashes:
            return {}
        try:
            found = self._shared.get_many(hashes)
        except CairnError as error:
            self._do_without(error)
            return {}
        self._keep(found)
        return found

    def _share(self, vectors: Mapping[str, Vectors]) -> None:
        if self._shared is not None:
            try:
                self._shared.put_many(vectors)
            except CairnError as error:
                self._do_without(error)

    def _do_without(self, error: CairnError) -> None:
        """Stop asking a server that failed once: each further batch would wait for its deadline."""
        self._shared = None
        self._pending_notes.append(Note("vectors_unshared", {"message": str(error)}))


@dataclass(frozen=True, slots=True)
class Heritage:
    """What a forked child inherits: a model in memory, and the cache to open."""

    embedder: Inheritable
    cache: EmbeddingCache | None

    def opened(self) -> CachedEmbedder:
        """The child's own embedder. Shared texts such as paths are embedded anew, which is cheaper than a lookup."""
        cache = self.cache.reopened() if self.cache is not None else None
        return CachedEmbedder(self.embedder, cache, keeps_context=False)


def _as_kept(vectors: Vectors) -> Vectors:
    """Vectors with as many bits as the cache keeps: whether one comes from there must not be seen."""
    return vectors.astype(np.float16).astype(np.float32)


def with_cache(embedder: Embedder, home: str, engine: str, *, alone: bool) -> CachedEmbedder:
    """An embedder with the cache of a home, and with what other machines share by the same engine."""
    fingerprint = embed_config_fingerprint(embedder)
    is_light = isinstance(embedder, Inheritable)
    return CachedEmbedder(
        embedder,
        EmbeddingCache(home, fingerprint, embedder.dimension, max_bytes=LIGHT_BYTES if is_light else MAX_BYTES),
        shared=chunk_vectors(engine, fingerprint, embedder.dimension),
        # The bundled model is light, and its workers are as many as the machine has cores.
        turns=None if is_light else Turns(home),
        alone=alone,
    )
