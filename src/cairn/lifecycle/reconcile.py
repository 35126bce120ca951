"""Mend the registry from what stores can prove; it adds and repairs, and never takes away."""

from collections.abc import Iterable, Mapping

from cairn.base.values import dataclass
from cairn.lifecycle.proof import Proof
from cairn.lifecycle.registry import Registry
from cairn.lifecycle.states import State
from cairn.lifecycle.tracked import Tracked, is_dead
from cairn.store.identity import Identity


@dataclass(frozen=True, slots=True)
class StoreCandidate:
    """A store, and what its marker proves."""

    identity: Identity
    proof: Proof
    parts: Mapping[str, str]


def reconcile(registry: Registry, candidates: Iterable[StoreCandidate], now: float) -> tuple[str, ...]:
    """Track what is proven and isn't tracked, and complete the runs that died after they had published."""
    mended = []
    for candidate in candidates:
        if not candidate.proof.is_valid:
            continue
        root = candidate.identity.canonical_root
        row = registry.get(root)
        if row is None:
            if registry.adopt(candidate.identity, candidate.parts, candidate.proof):
                mended.append(root)
        # What this store has published since the run began can only be the run's own: nobody else writes meanwhile.
        elif _died_after_it_published(row, candidate, now) and registry.complete(root, row.run_id, candidate.proof):
            mended.append(root)
    return tuple(mended)


def _died_after_it_published(row: Tracked, candidate: StoreCandidate, now: float) -> bool:
    return (
        row.state is State.INDEXING
        and is_dead(row, now)
        and row.store_id == candidate.identity.store_id
        and row.snapshot_id != candidate.proof.snapshot_id
    )
