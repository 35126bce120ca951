"""All stores of a home, whatever codebases they are of: who writes, and what is removed."""

import contextlib
import os
from collections.abc import Iterator

from cairn.base.errors import CairnError, VectorsLostError
from cairn.base.notes import Note
from cairn.base.owner import is_proven_dead
from cairn.base.values import dataclass, replace
from cairn.engines import OutsideEngine, engine_named, lies_outside
from cairn.lifecycle.registry import Registry
from cairn.store.inventory import (
    UNUSED_DAYS,
    StoreInfo,
    left_behind,
    list_stores,
    remove_store,
    remove_trash,
)
from cairn.store.layout import Layout, open_layout
from cairn.store.lease import read_lease
from cairn.store.recovery import newest_first
from cairn.store.scratch import Scratch
from cairn.store.store import store_path

__all__ = [
    "UNUSED_DAYS",
    "StoreInfo",
    "StoreWriters",
    "ask_vectors",
    "files_live",
    "known_stores",
    "list_stores",
    "outdated_of",
    "prove_vectors",
    "remove_one",
    "remove_trash",
    "writers",
]

_PROOF_ROWS = 8


@dataclass(frozen=True, slots=True)
class StoreWriters:
    """Whose leases are held, and whose were left by a process that is proven dead."""

    held: int
    dead: tuple[str, ...]
    """The roots, or the ids of stores that don't tell theirs."""


def writers(home: str) -> StoreWriters:
    """The leases of all stores that can be looked at."""
    dead, held = [], 0
    for store, layout in _layouts(home):
        with contextlib.suppress(CairnError, OSError):
            lease = read_lease(layout)
            if lease is None or lease.released:
                continue
            if is_proven_dead(lease.owner):
                dead.append(store.canonical_root or store.store_id)
            else:
                held += 1
    return StoreWriters(held, tuple(dead))


def files_live(home: str) -> int:
    """How many files the newest snapshots of all stores hold."""
    total = 0
    for _, layout in _layouts(home):
        with contextlib.suppress(CairnError, OSError):
            newest = next(newest_first(layout), None)
            total += newest.counts.files_live if newest is not None else 0
    return total


def ask_vectors(home: str, store: StoreInfo) -> None:
    """Ask the server that holds a store's vectors. Lite is left out: another process may have it open."""
    if store.address:
        outside = lies_outside(store.engine, store_path(home, store.store_id))
        if outside is not None:
            outside.held()


def prove_vectors(engine: str) -> None:
    """Write a few vectors, find one, and remove all of them; the error of the step that fails."""
    import numpy as np

    scratch = Scratch("cairn-doctor-")
    try:
        folder = os.path.join(scratch.path, "segment")
        os.mkdir(folder)
        made = engine_named(engine, scratch.path)
        vectors = np.eye(_PROOF_ROWS, dtype=np.float32)
        try:
            made.write(folder, vectors)
            numbers, _ = made.open(folder, _PROOF_ROWS, _PROOF_ROWS).nearest(vectors[1], 1, None)
        finally:
            if isinstance(made, OutsideEngine):
                made.remove_all()
        if numbers[:1].tolist() != [1]:
            raise VectorsLostError(f"The engine {engine} doesn't find a vector that was just written.")
    finally:
        scratch.remove()


def known_stores(home: str) -> list[StoreInfo]:
    """All stores; one in which nothing was published yet has the root that the registry knows."""
    roots: dict[str, str] = {}
    with contextlib.suppress(CairnError):
        roots = {row.store_id: row.root for row in Registry(home).all()}
    return [
        replace(store, canonical_root=store.canonical_root or roots.get(store.store_id, ""))
        for store in list_stores(home)
    ]


def outdated_of(home: str, root: str) -> list[StoreInfo]:
    """The stores of a root that are of a former format."""
    return [store for store in list_stores(home) if store.is_outdated and store.canonical_root == root]


def remove_one(home: str, store_id: str) -> tuple[bool, tuple[Note, ...]]:
    """Delete a store; whether there was one, and what its removal leaves elsewhere."""
    left = left_behind(store_path(home, store_id))
    return remove_store(home, store_id), left


def _layouts(home: str) -> Iterator[tuple[StoreInfo, Layout]]:
    for store in list_stores(home):
        with contextlib.suppress(CairnError, OSError):
            layout = open_layout(store_path(home, store.store_id))
            if layout is not None:
                yield store, layout
