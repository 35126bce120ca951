"""All stores of a home, whatever codebases they are of: who writes, what is unused, and what is removed."""

import contextlib
import time
from collections.abc import Iterator

from cairn.base.errors import BusyError, CairnError
from cairn.base.notes import Note
from cairn.base.owner import is_proven_dead
from cairn.base.values import dataclass
from cairn.engines import lies_outside
from cairn.lifecycle.prune import prune
from cairn.lifecycle.registry import Registry
from cairn.store.inventory import (
    UNUSED_DAYS,
    StoreInfo,
    left_behind,
    list_stores,
    remove_store,
    remove_trash,
    unused,
)
from cairn.store.layout import Layout, open_layout
from cairn.store.lease import read_lease
from cairn.store.recovery import newest_first
from cairn.store.store import store_path

__all__ = [
    "UNUSED_DAYS",
    "CollectedStores",
    "StoreInfo",
    "StoreWriters",
    "ask_vectors",
    "collect_unused",
    "files_live",
    "list_stores",
    "remove_one",
    "writers",
]


@dataclass(frozen=True, slots=True)
class StoreWriters:
    """Whose leases are held, and whose were left by a process that is proven dead."""

    held: int
    dead: tuple[str, ...]
    """The roots, or the ids of stores that don't tell theirs."""


@dataclass(frozen=True, slots=True)
class CollectedStores:
    """What became of the stores that nobody used any more."""

    removed: tuple[str, ...]
    busy: tuple[str, ...]
    failed: tuple[tuple[str, CairnError], ...]
    left: tuple[Note, ...]
    """What could not be removed from here."""
    forgotten: tuple[str, ...]
    """The roots that the registry no longer lists."""


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


def remove_one(home: str, store_id: str) -> tuple[bool, tuple[Note, ...]]:
    """Delete a store; whether there was one, and what its removal leaves elsewhere."""
    left = left_behind(store_path(home, store_id))
    return remove_store(home, store_id), left


def collect_unused(home: str, current_root: str, *, force: bool) -> CollectedStores:
    """Remove the stores that were long unused, and forget the codebases whose stores are gone."""
    removed, busy = [], []
    left: list[Note] = []
    failed: list[tuple[str, CairnError]] = []
    for store in unused(list_stores(home), current_root, time.time(), force=force):
        try:
            was_there, behind = remove_one(home, store.store_id)
            if was_there:
                removed.append(store.store_id)
                left += behind
        except BusyError:
            busy.append(store.store_id)
        except CairnError as error:
            # A server that is away is that of some stores, and no reason to keep the others.
            failed.append((store.store_id, error))
    remove_trash(home)
    # Nothing is left to be found of a codebase whose store is gone.
    forgotten = prune(Registry(home), lambda row: _is_certainly_gone(store_path(home, row.store_id)))
    return CollectedStores(tuple(removed), tuple(busy), tuple(failed), tuple(left), forgotten)


def _layouts(home: str) -> Iterator[tuple[StoreInfo, Layout]]:
    for store in list_stores(home):
        with contextlib.suppress(CairnError, OSError):
            layout = open_layout(store_path(home, store.store_id))
            if layout is not None:
                yield store, layout


def _is_certainly_gone(path: str) -> bool:
    """A store that can't be looked at is still one."""
    try:
        return open_layout(path) is None
    except (CairnError, OSError):
        return False
