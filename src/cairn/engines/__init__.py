"""Where vectors live."""

from cairn.engines.flat import FlatEngine
from cairn.engines.protocol import Mask, Numbers, VectorEngine, VectorReader, Vectors
from cairn.errors import UsageError

__all__ = ["FlatEngine", "Mask", "Numbers", "VectorEngine", "VectorReader", "Vectors", "engine_named"]


def engine_named(name: str) -> VectorEngine:
    """The engine that a setting or a manifest names."""
    if name == FlatEngine.name:
        return FlatEngine()
    raise UsageError(f"There is no vector engine called {name!r}.", hint='Use engine = "flat".')
