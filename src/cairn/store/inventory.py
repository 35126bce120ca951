"""All stores under a home: what they are of, when they were used, how large they are."""

import contextlib
import os
import shutil

from cairn.base.errors import CairnError, CorruptStoreError, IncompatibleError
from cairn.base.notes import Note
from cairn.base.values import dataclass
from cairn.engines import left_elsewhere, outside_engines, whereabouts
from cairn.store.freeing import removal_lease
from cairn.store.integrity import ARRIVALS, COMMITS
from cairn.store.layout import TRASH, Layout, StoreKind, open_layout
from cairn.store.lease import WriterLease
from cairn.store.readers import exclusive_readers
from cairn.store.recovery import newest_first, read_manifest, read_pointer
from cairn.store.room import size_of
from cairn.store.staging import remove_abandoned
from cairn.store.state import read_state
from cairn.store.store import DATA_FOLDER
from cairn.store.used import USED_FILE

UNUSED_DAYS = 30


@dataclass(frozen=True, slots=True)
class StoreInfo:
    """A store as a listing of all stores shows it."""

    store_id: str
    canonical_root: str
    config_fingerprint: str
    created_at: float
    last_used_at: float
    size_bytes: int
    active_snapshot_id: str | None
    engine: str = ""
    address: str = ""
    """Where the vectors are, without credentials; empty where they lie in the store."""
    is_empty: bool = False
    """Whether nothing was ever published in it: a first index is at work, or was interrupted."""
    is_outdated: bool = False
    """Whether its rows are of a former format, which this version of Cairn can't read."""

    @property
    def root_is_gone(self) -> bool:
        """Whether its root is known and no longer there."""
        return bool(self.canonical_root) and not os.path.isdir(self.canonical_root)


def list_stores(home: str) -> list[StoreInfo]:
    """One level of folders; a store that can't be read is listed with what its name tells."""
    data = os.path.join(home, DATA_FOLDER)
    try:
        names = sorted(os.listdir(data))
    except FileNotFoundError:
        return []
    found = []
    for name in names:
        # A store that is removed while we look is no longer one.
        with contextlib.suppress(FileNotFoundError):
            if (info := _info(os.path.join(data, name), name)) is not None:
                found.append(info)
    return found


def unused(stores: list[StoreInfo], current_root: str, now: float, *, force: bool) -> list[StoreInfo]:
    """Those that a collection may remove: long unused, and never the current root's unless forced."""
    limit = now - UNUSED_DAYS * 86_400
    # A store whose root can't be told may be the current one's.
    kept = () if force else ("", current_root)
    return [store for store in stores if store.last_used_at < limit and store.canonical_root not in kept]


def remove_store(home: str, store_id: str) -> bool:
    """Delete a whole store under its lease; False when there is none."""
    removed = remove_store_at(os.path.join(home, DATA_FOLDER, store_id), home)
    if removed:
        beside = os.path.join(home, COMMITS, store_id)
        for path in stores_in(beside):
            with contextlib.suppress(CairnError, OSError):
                remove_store_at(path, home)
        if not stores_in(beside):
            shutil.rmtree(beside, ignore_errors=True)
    return removed


def stores_in(folder: str) -> list[str]:
    """The folders in a folder, the one that was used last first."""
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        return sorted(
            (each.path for each in entries if each.is_dir(follow_symlinks=False)), key=last_used, reverse=True
        )
    return []


def remove_store_at(path: str, trash_folder: str) -> bool:
    """Delete the store at a path; `trash_folder` must lie on the same file system."""
    layout = open_layout(path)
    if layout is None:
        return False
    lease = removal_lease(layout, lambda: WriterLease.acquire(layout))
    try:
        with exclusive_readers(layout):
            names = {ref.engine for manifest in newest_first(layout, older_rows=True) for ref in manifest.segments}
            for outside in outside_engines(path, names):
                outside.remove_all()
            # Out of sight first: a crash leaves garbage, never half a store.
            trash = os.path.join(trash_folder, f"{TRASH}{os.path.basename(path)}-{lease.owner_id}")
            os.rename(path, trash)
    except BaseException:
        lease.release()
        raise
    lease.forget()
    shutil.rmtree(trash, ignore_errors=True)
    return True


def left_behind(path: str) -> tuple[Note, ...]:
    """What the removal of a store leaves at addresses that the settings don't name, to be told."""
    try:
        left = left_elsewhere(path)
    except CorruptStoreError:
        return ()
    return tuple(Note("vectors_left", {"address": each}) for each in left)


def remove_trash(home: str) -> int:
    """What an interrupted removal, or a process that took a snapshot in and died, left behind."""
    names = trash_in(home)
    for name in names:
        shutil.rmtree(os.path.join(home, name), ignore_errors=True)
    arrivals = Layout(os.path.join(home, ARRIVALS), StoreKind.PRIVATE)
    left = remove_abandoned(arrivals, leased_txn="") if os.path.isdir(arrivals.staging) else []
    return len(names) + len(left)


def engine_at(path: str) -> str:
    """The engine that holds the vectors of the store at a path; empty where that can't be told."""
    with contextlib.suppress(OSError, CairnError):
        layout = open_layout(path)
        return _engine(layout, read_pointer(layout))[0] if layout is not None else ""
    return ""


def trash_in(home: str) -> list[str]:
    """The names of what interrupted removals left behind."""
    with contextlib.suppress(OSError):
        return [name for name in os.listdir(home) if name.startswith(TRASH)]
    return []


def trash_beside(layout: Layout) -> list[str]:
    """The same of the home of a store, or of the folder that a shared one lies in."""
    folder = os.path.dirname(layout.path)
    return trash_in(folder if layout.kind is StoreKind.SHARED else os.path.dirname(folder))


def _info(path: str, name: str) -> StoreInfo | None:
    engine = address = ""
    is_empty = is_outdated = False
    try:
        layout = open_layout(path)
        if layout is None:
            return None
        state = read_state(layout)
        if state is None:
            newest = next(newest_first(layout), None)
            root = newest.canonical_root if newest is not None else ""
            fingerprint = newest.config_fingerprint if newest is not None else ""
            is_empty = newest is None and not os.listdir(layout.snapshots)
        else:
            root, fingerprint = str(state["canonical_root"]), str(state["config_fingerprint"])
        active = read_pointer(layout)
        engine, address = _engine(layout, active)
        is_outdated = _is_outdated(layout, active, name, root)
    except (OSError, CairnError, KeyError):
        root, fingerprint, active = "", "", None
    times = _created(path), last_used(path)
    return StoreInfo(name, root, fingerprint, *times, size_of(path), active, engine, address, is_empty, is_outdated)


def _is_outdated(layout: Layout, active: str | None, name: str, root: str) -> bool:
    """Whether the store is of a former format, and proves by its manifest that it is this root's."""
    if active is None:
        return False
    with contextlib.suppress(OSError, CorruptStoreError):
        try:
            read_manifest(layout, active)
        except IncompatibleError:
            with contextlib.suppress(IncompatibleError):
                manifest = read_manifest(layout, active, older_rows=True)
                return (manifest.store_id, manifest.canonical_root) == (name, root)
    return False


def _engine(layout: Layout, active: str | None) -> tuple[str, str]:
    """The engine and the address of a store's vectors; empty where neither can be told."""
    with contextlib.suppress(OSError, CairnError):
        engine = read_manifest(layout, active).segments[-1].engine if active is not None else ""
        return engine, whereabouts(engine, layout.path)
    return "", ""


def _created(path: str) -> float:
    """When the store was made: its oldest log, lease or snapshot; ids begin with their time."""
    times = [os.stat(path).st_mtime]
    for name in ("lease_guard.lock.mutex", "readers.lock"):
        with contextlib.suppress(OSError):
            times.append(os.stat(os.path.join(path, "locks", name)).st_mtime)
    return min(times)


def last_used(path: str) -> float:
    """When the store at a path was last used."""
    times = [os.stat(path).st_mtime]
    for name in ("ACTIVE_SNAPSHOT", os.path.join("cache", USED_FILE)):
        with contextlib.suppress(OSError):
            times.append(os.stat(os.path.join(path, name)).st_mtime)
    return max(times)
