"""How much each signal counts: `make weights` fits these anew."""

from collections.abc import Mapping

WEIGHTS: Mapping[str, float] = {
    "lexical": 1.61,
    "dense": 3.13,
    "stem": 3.6,
    "joined_stem": 1.0,
    "lexical_size": 1.02,
    "breadth": 1.13,
    "coherence": 0.84,
    "definition": 8.0,
    "named_definition": 0.6,
    "imported": 0.33,
    "history": 1.0,
    "mentioned": 2.0,
    "said": 2.0,
    "test": -2.35,
    "example": -1.35,
    "vendored": -1.21,
    "bench": -1.15,
    "docs": -2.25,
    "generated": -0.85,
    "declaration": -1.24,
    "config": -1.01,
    "legacy": -0.82,
    "platform": -2.0,
    "version": -1.5,
    "depth": -0.9,
    "place": -3.0,
}
"""Penalties are signals, too: their weights are negative."""
