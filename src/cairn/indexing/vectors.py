"""The vector of a chunk: what it says, leaning towards where it stands and what it defines.

A chunk seldom repeats the name of its file or folder, though people ask by them. Each part is
embedded for itself, so a rename computes no chunk anew.
"""

import re
from collections.abc import Iterable, Sequence

import numpy as np

from cairn.base.values import replace
from cairn.embed.cached import CachedEmbedder
from cairn.engines import Vectors
from cairn.indexing.prepare import Prepared
from cairn.store import chunk_hash_of

PATH_SHARE = 0.5
SYMBOLS_SHARE = 0.25
STEM_SHARE = 0.2

_SEPARATORS = re.compile(r"[/._\-\s]+")


def vectors_of(files: Sequence[Prepared], embedder: CachedEmbedder) -> list[Vectors]:
    """The vectors of each file's rows, all embedded together."""
    texts = [text for file in files for text in file.texts]
    if not texts:
        return [np.empty((0, embedder.dimension), dtype=np.float32) for _ in files]
    total = embedder.embed(texts, [*map(chunk_hash_of, texts)]).astype(np.float64)
    sizes = [len(file.texts) for file in files]
    paths = [file.file.path_key for file in files]
    total += PATH_SHARE * np.repeat(_context(embedder, map(_path_text, paths)), sizes, axis=0)
    total += SYMBOLS_SHARE * _context(embedder, [_symbols_text(text) for file in files for text in file.symbols])
    total += STEM_SHARE * np.repeat(_context(embedder, map(_stem_text, paths)), sizes, axis=0)
    norms = np.linalg.norm(total, axis=1, keepdims=True)
    np.divide(total, norms, out=total, where=norms > 0)
    # Sixteen bits a number tell rows apart as well as thirty-two do, and take half the room.
    return list(_split(total.astype(np.float16).astype(np.float32), sizes))


def with_vectors(files: Sequence[Prepared], embedder: CachedEmbedder) -> list[Prepared]:
    """The same files with their vectors."""
    before = embedder.misses
    found = [
        replace(file, vectors=vectors.astype(np.float16).tobytes(), texts=(), symbols=())
        for file, vectors in zip(files, vectors_of(files, embedder), strict=True)
    ]
    # They are embedded together, so the first stands for all.
    return [replace(file, embedded=0 if number else embedder.misses - before) for number, file in enumerate(found)]


def vectors_in(file: Prepared, dimension: int) -> Vectors:
    """The vectors that a prepared file carries."""
    return np.frombuffer(file.vectors, dtype=np.float16).reshape(file.file.chunks, dimension).astype(np.float32)


def _context(embedder: CachedEmbedder, each: Iterable[str]) -> Vectors:
    """Vectors of short texts, many of which are the same; an empty one weighs nothing."""
    texts = list(each)
    different = list(dict.fromkeys(("", *texts)))
    found = embedder.embed_context(different[1:])
    table = np.vstack((np.zeros((1, embedder.dimension), dtype=np.float32), found))
    places = {text: place for place, text in enumerate(different)}
    return table[[places[text] for text in texts]]


def _path_text(path_key: str) -> str:
    return _SEPARATORS.sub(" ", path_key.rpartition(".")[0] or path_key).strip()


def _stem_text(path_key: str) -> str:
    name = path_key.rpartition("/")[2]
    return _SEPARATORS.sub(" ", name.partition(".")[0] or name).strip()


def _symbols_text(symbols: str) -> str:
    return " ".join(dict.fromkeys(name.rpartition(".")[2] for name in symbols.split("\n")))


def _split(vectors: Vectors, lengths: Iterable[int]) -> Iterable[Vectors]:
    at = 0
    for length in lengths:
        yield np.ascontiguousarray(vectors[at : at + length])
        at += length
