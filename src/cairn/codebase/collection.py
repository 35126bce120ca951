"""Stores that nobody uses any more are removed, and their codebases forgotten: by `cairn gc` and `clear` alone.

Apart from everything else, since whatever answers a question must not be able to forget a codebase.
"""

import contextlib
import os
import time
from collections.abc import Sequence

from cairn.base.errors import (
    BusyError,
    CairnError,
    RefusedError,
    RegistryDamagedError,
    RootNotFoundError,
    UsageError,
)
from cairn.base.notes import Note
from cairn.base.steps import Advice, NextStep
from cairn.base.values import dataclass
from cairn.codebase.homestores import known_stores, list_stores, remove_one
from cairn.engines import tend_server
from cairn.lifecycle.prune import prune
from cairn.lifecycle.registry import Registry
from cairn.store.inventory import StoreInfo, remove_trash, unused
from cairn.store.layout import open_layout
from cairn.store.store import store_path
from cairn.workspace.pathkey import quoted

_UNASKED_S = 86_400


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
    leftovers: int
    """How many stores an earlier removal had left in part."""


def collect_unused(home: str, current_root: str, *, force: bool) -> CollectedStores:
    """Remove the stores that were long unused or replaced, and forget the codebases whose stores are gone."""
    stores = list_stores(home)
    gone = unused(stores, current_root, time.time(), force=force)
    return _collected(home, [*gone, *(store for store in _replaced(home, stores) if store not in gone)])


def _replaced(home: str, stores: Sequence[StoreInfo]) -> list[StoreInfo]:
    """Those of a former format whose root has an index in another store by now."""
    with contextlib.suppress(RegistryDamagedError):
        now = {row.root: row.store_id for row in Registry(home).all() if row.snapshot_id}
        return [
            each for each in stores if each.is_outdated and now.get(each.canonical_root, "") not in ("", each.store_id)
        ]
    return []


def collect_gone(home: str) -> CollectedStores:
    """Remove the stores of roots that are gone, however young they are."""
    return _collected(home, [store for store in known_stores(home) if store.root_is_gone])


@dataclass(frozen=True, slots=True)
class TendedServer:
    """What a collection of garbage did on the Milvus server that the settings name."""

    let_go: int = 0
    """Collections that it no longer holds in memory, since nobody asked them for a day."""
    removed: int = 0
    """Shared vectors of chunks that nobody took for long."""
    failed: CairnError | None = None


def tend(home: str) -> TendedServer | None:
    """See to the Milvus server of this home's stores; None without one. What fails is told, and done the next time."""
    stores = [store for store in list_stores(home) if store.engine == "milvus" and store.address]
    if not stores:
        return None
    limit = time.time() - _UNASKED_S
    unasked = [store_path(home, store.store_id) for store in stores if store.last_used_at < limit]
    try:
        return TendedServer(*tend_server(unasked))
    except CairnError as error:
        return TendedServer(failed=error)


def stores_of(home: str, root: str) -> list[StoreInfo]:
    """All stores of a root, the last used first."""
    found = [store for store in known_stores(home) if store.canonical_root == root]
    return sorted(found, key=lambda store: store.last_used_at, reverse=True)


def drop_former(home: str, root: str, answering: str, name: str) -> CollectedStores:
    """Remove the stores of a root with an engine, or the one of an id, at once; never the store that answers."""
    stores = stores_of(home, root)
    meant = [store for store in stores if name in (store.store_id, store.engine)]
    former = [store for store in meant if store.store_id != answering]
    if not former:
        if meant:
            raise RefusedError(
                f"The index in {meant[0].engine} is the one that answers.",
                hint=Advice(NextStep("clear"), " to remove it; to answer from another engine, migrate first."),
            )
        listed = ", ".join(sorted({store.engine for store in stores if store.engine})) or "none"
        raise UsageError(
            f"{quoted(root)} has no index in {quoted(name)}.",
            hint=f"Its indexes lie in: {listed}.",
        )
    found = _collected(home, former)
    for store_id in found.busy:
        raise BusyError(f"The store {store_id} is in use.")
    for _, error in found.failed:
        raise error
    return found


def stores_named(home: str, name: str) -> list[StoreInfo]:
    """The stores of a root that is gone, by its path, or the one of an id; none where a folder has that name.

    RootNotFoundError for what is neither a folder nor a root or an id.
    """
    if not name or "\0" in name or os.path.lexists(name):
        return []
    path = os.path.abspath(name)
    found = [store for store in known_stores(home) if name == store.store_id or store.canonical_root == path]
    if not found:
        raise RootNotFoundError(
            f"The path {quoted(name)} doesn't exist, and no store has that root or id.",
            hint=Advice(NextStep("stores"), " to see the roots and ids of all."),
        )
    return found


def remove_named(home: str, stores: Sequence[StoreInfo]) -> tuple[bool, tuple[Note, ...]]:
    """Remove some stores and forget the codebases that answered from them; whether there was any, what is left."""
    removed = False
    left: list[Note] = []
    for store in stores:
        was_there, behind = remove_one(home, store.store_id)
        removed |= was_there
        left += behind
    _forget_gone(home)
    return removed, tuple(left)


def _collected(home: str, stores: Sequence[StoreInfo]) -> CollectedStores:
    removed, busy = [], []
    left: list[Note] = []
    failed: list[tuple[str, CairnError]] = []
    # First, since it may make the room that the rest needs.
    leftovers = remove_trash(home)
    for store in stores:
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
    return CollectedStores(tuple(removed), tuple(busy), tuple(failed), tuple(left), _forget_gone(home), leftovers)


def _forget_gone(home: str) -> tuple[str, ...]:
    """Nothing is left to be found of a codebase whose store is gone."""
    with contextlib.suppress(RegistryDamagedError):  # the next index mends it, from the stores that are left
        return prune(Registry(home), lambda row: _is_certainly_gone(store_path(home, row.store_id)))
    return ()


def _is_certainly_gone(path: str) -> bool:
    """A store that can't be looked at is still one."""
    try:
        return open_layout(path) is None
    except (CairnError, OSError):
        return False
