"""Where vectors live."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from cairn.base import lazy
from cairn.base.errors import EngineMissingError, UsageError
from cairn.engines.order import nearest_in
from cairn.engines.places import places_of
from cairn.engines.protocol import (
    LITE_FOLDER,
    ChunkVectors,
    Mask,
    Numbers,
    OutsideEngine,
    Scores,
    VectorEngine,
    VectorReader,
    Vectors,
)

if TYPE_CHECKING:
    from cairn.engines.flat import FlatEngine
else:
    __getattr__ = lazy.exports(__name__, {"flat": "FlatEngine"})

__all__ = [
    "LITE_FOLDER",
    "ChunkVectors",
    "FlatEngine",
    "Mask",
    "Numbers",
    "OutsideEngine",
    "Scores",
    "VectorEngine",
    "VectorReader",
    "Vectors",
    "chunk_vectors",
    "engine_named",
    "left_elsewhere",
    "lies_outside",
    "nearest_in",
    "outside_engines",
    "require_here",
    "require_installed",
    "require_usable",
    "settle",
    "tend_server",
    "whereabouts",
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

            return RemoteLanceEngine(store, settings)
        from cairn.engines.lance import LanceEngine

        return LanceEngine(store, exact=settings.exact)
    from cairn.engines.milvus import MilvusEngine
    from cairn.engines.settings import milvus_settings

    return MilvusEngine(store, milvus_settings())


def lies_outside(name: str, store: str) -> OutsideEngine | None:
    """The store's engine if it keeps vectors outside of the segments; None if the segments hold them."""
    if name == "flat":
        return None
    engine = engine_named(name, store)
    if isinstance(engine, OutsideEngine):
        return engine
    if all(place.engine != name for place in places_of(store)):
        return None
    # The tables are at an address that the settings no longer name: this engine explains that in its errors.
    from cairn.engines.lance_remote import RemoteLanceEngine
    from cairn.engines.settings import lance_settings

    return RemoteLanceEngine(store, lance_settings())


def require_here(name: str, store: str, folders: Iterable[str]) -> None:
    """Raise EngineMovedError if vectors of these segments are at another address than the settings say."""
    outside = lies_outside(name, store)
    if outside is not None:
        for folder in folders:
            outside.require_here(folder)


def settle(name: str, store: str) -> None:
    """Write new segments to the address of the settings; for a caller who keeps none of the old segments."""
    outside = lies_outside(name, store)
    if outside is not None:
        outside.settle()


def outside_engines(store: str, named: Iterable[str] = ()) -> list[OutsideEngine]:
    """Every engine that may hold anything for a store: those it has written to, and those that its manifests name."""
    names = {*named, *(place.engine for place in places_of(store) if place.engine)}
    return [engine for name in sorted(names) if (engine := lies_outside(name, store)) is not None]


def left_elsewhere(store: str) -> tuple[str, ...]:
    """Places at addresses that the settings don't name, which therefore can't be removed from here.

    What lies in the store itself goes with it, whatever the settings say.
    """
    from cairn.engines.settings import address_of

    return tuple(
        place.shown
        for place in places_of(store)
        if place.engine and place.address != "" and not place.is_at(place.engine, address_of(place.engine))
    )


def whereabouts(name: str, store: str) -> str:
    """The address of a store's vectors, without credentials; empty if they lie in the store."""
    places = [place for place in places_of(store) if place.engine in ("", name)]
    if places and places[-1].address is not None:
        return places[-1].address
    from cairn.engines.settings import address_of

    return address_of(name) if places else ""


def chunk_vectors(name: str, fingerprint: str, dimension: int) -> ChunkVectors | None:
    """The chunk vectors that machines with the same embedder share; None if the engine has no server."""
    if name != "milvus":
        return None
    from cairn.engines.settings import milvus_settings

    settings = milvus_settings()
    if not settings.uri:
        return None
    require_installed(name)
    from cairn.engines.milvus_chunks import MilvusChunks

    return MilvusChunks(settings, fingerprint, dimension)


def tend_server(unasked: Iterable[str]) -> tuple[int, int]:
    """See to what only a server knows the use of: (collections that it need not hold in memory, vectors removed).

    It lets go of what these stores have there, and removes shared vectors of chunks that nobody takes any more.
    """
    from cairn.engines.settings import milvus_settings

    settings = milvus_settings()
    if not settings.uri:
        return 0, 0
    require_installed("milvus")
    from cairn.engines.milvus import MilvusEngine
    from cairn.engines.milvus_chunks import expire_chunks

    return sum(MilvusEngine(store, settings).let_go() for store in unasked), expire_chunks(settings)


def require_usable(name: str, *, is_shared: bool = False) -> None:
    """Raise the error that an engine would fail with under these settings, before anything is made or asked."""
    require_installed(name)
    from cairn.engines.settings import address_of

    if not address_of(name) and name == "milvus":
        from cairn.engines.milvus_link import require_lite

        require_lite(is_shared=is_shared)


def require_installed(name: str) -> None:
    """Raise EngineMissingError, with the command that helps, if an engine's package is not installed."""
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
