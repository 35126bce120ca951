"""All stores of a home, whatever codebases they are of: who writes, and what is removed."""

import contextlib
from collections.abc import Iterator

from cairn.base.errors import CairnError
from cairn.base.notes import Note
from cairn.base.owner import is_proven_dead
from cairn.base.values import dataclass, replace
from cairn.engines import lies_outside
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
    "remove_one",
    "remove_trash",
    "writers",
]


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
