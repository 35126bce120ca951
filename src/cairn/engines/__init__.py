"""Where vectors live."""

from typing import TYPE_CHECKING

from cairn import later
from cairn.engines.protocol import (
    LITE_FOLDER,
    ChunkVectors,
    Mask,
    Numbers,
    OutsideEngine,
    VectorEngine,
    VectorReader,
    Vectors,
)
from cairn.errors import EngineMissingError, UsageError

if TYPE_CHECKING:
    from cairn.engines.flat import FlatEngine
else:
    __getattr__ = later.exports(__name__, {"flat": "FlatEngine"})

__all__ = [
    "LITE_FOLDER",
    "ChunkVectors",
    "FlatEngine",
    "Mask",
    "Numbers",
    "OutsideEngine",
    "VectorEngine",
    "VectorReader",
    "Vectors",
    "chunk_vectors",
    "engine_named",
    "lies_outside",
    "require_installed",
]

_PACKAGES = {"lancedb": ("lancedb",), "milvus": ("pymilvus",)}


def engine_named(name: str, store: str) -> VectorEngine:
    """The engine that a setting or a manifest names, for the store in a folder; only its own module is loaded."""
    if name == "flat":
        from cairn.engines.flat import FlatEngine

        return FlatEngine()
    require_installed(name)
    if name == "lancedb":
        from cairn.engines.settings import lance_settings

        settings = lance_settings()
        if settings.uri:
            from cairn.engines.lance_remote import RemoteLanceEngine

            return RemoteLanceEngine(store, settings.uri, exact=settings.exact)
        from cairn.engines.lance import LanceEngine

        return LanceEngine(exact=settings.exact)
    from cairn.engines.milvus import MilvusEngine
    from cairn.engines.settings import milvus_settings

    return MilvusEngine(store, milvus_settings())


def lies_outside(name: str, store: str) -> OutsideEngine | None:
    """The engine of a store where it keeps vectors elsewhere; None where segments hold all there is."""
    if name == "flat":
        return None
    engine = engine_named(name, store)
    return engine if isinstance(engine, OutsideEngine) else None


def chunk_vectors(name: str, fingerprint: str, dimension: int) -> ChunkVectors | None:
    """Where machines that embed alike share the vectors of chunks; None where the engine has no server."""
    if name != "milvus":
        return None
    from cairn.engines.settings import milvus_settings

    settings = milvus_settings()
    if not settings.uri:
        return None
    require_installed(name)
    from cairn.engines.milvus_chunks import MilvusChunks

    return MilvusChunks(settings, fingerprint, dimension)


def require_installed(name: str) -> None:
    """EngineMissingError, with the command that mends it, for an engine whose package is not there."""
    if name == "flat":
        return
    if name not in _PACKAGES:
        raise UsageError(
            f"There is no vector engine called {name!r}.", hint='Use engine = "flat", "lancedb" or "milvus".'
        )
    from importlib.util import find_spec

    if any(find_spec(package) is None for package in _PACKAGES[name]):
        raise EngineMissingError(
            f"The vector engine {name} is not installed.", hint=f"Run `pip install 'cairn-index[{name}]'`."
        )
