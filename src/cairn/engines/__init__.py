"""Where vectors live."""

from typing import TYPE_CHECKING

from cairn import later
from cairn.engines.protocol import Mask, Numbers, VectorEngine, VectorReader, Vectors
from cairn.errors import UsageError

if TYPE_CHECKING:
    from cairn.engines.flat import FlatEngine
else:
    __getattr__ = later.exports(__name__, {"flat": "FlatEngine"})

__all__ = ["FlatEngine", "Mask", "Numbers", "VectorEngine", "VectorReader", "Vectors", "engine_named"]


def engine_named(name: str) -> VectorEngine:
    """The engine that a setting or a manifest names."""
    from cairn.engines.flat import FlatEngine

    if name == FlatEngine.name:
        return FlatEngine()
    raise UsageError(f"There is no vector engine called {name!r}.", hint='Use engine = "flat".')
