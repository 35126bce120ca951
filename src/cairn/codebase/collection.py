"""Stores that nobody uses any more are removed, and their codebases forgotten: by `cairn gc --stores` alone.

Apart from everything else, since whatever answers a question must not be able to forget a codebase.
"""

import contextlib
import time

from cairn.base.errors import BusyError, CairnError, RegistryDamagedError
from cairn.base.notes import Note
from cairn.base.values import dataclass
from cairn.codebase.homestores import list_stores, remove_one
from cairn.lifecycle.prune import prune
from cairn.lifecycle.registry import Registry
from cairn.store.inventory import remove_trash, unused
from cairn.store.layout import open_layout
from cairn.store.store import store_path


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
    forgotten: tuple[str, ...] = ()
    with contextlib.suppress(RegistryDamagedError):  # the next index mends it, from the stores that are left
        forgotten = prune(Registry(home), lambda row: _is_certainly_gone(store_path(home, row.store_id)))
    return CollectedStores(tuple(removed), tuple(busy), tuple(failed), tuple(left), forgotten)


def _is_certainly_gone(path: str) -> bool:
    """A store that can't be looked at is still one."""
    try:
        return open_layout(path) is None
    except (CairnError, OSError):
        return False
