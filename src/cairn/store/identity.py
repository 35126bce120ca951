"""Whose store it is."""

from cairn.base.values import dataclass


@dataclass(frozen=True, slots=True)
class Identity:
    """What a store is of; the same for all of its snapshots."""

    canonical_root: str
    store_id: str
    config_fingerprint: str
    engine: str
    dimension: int
