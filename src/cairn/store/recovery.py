"""Finding the snapshot that counts, also when the pointer is gone or damaged."""

import os
import time
from collections.abc import Iterator

from cairn.base.errors import CorruptStoreError, NotIndexedError
from cairn.base.ownfile import StrangeFileError, folder_fault
from cairn.base.ulid import is_ulid
from cairn.base.values import dataclass
from cairn.store.integrity import Verifier
from cairn.store.layout import Layout
from cairn.store.lease import read_lease
from cairn.store.manifest import Manifest, decode


@dataclass(frozen=True, slots=True)
class Active:
    """The snapshot to read."""

    manifest: Manifest
    recovered: str = ""
    """Why the pointer was not used; empty when it was."""


def read_pointer(layout: Layout) -> str | None:
    """The id in ACTIVE_SNAPSHOT; None when there is none or it is no id."""
    try:
        text = layout.read_file(layout.pointer)[:64].decode("ascii", "replace")
    except (FileNotFoundError, StrangeFileError):
        return None
    snapshot_id = text.removesuffix("\n")
    return snapshot_id if is_ulid(snapshot_id) else None


def read_manifest(layout: Layout, snapshot_id: str, *, older_rows: bool = False) -> Manifest:
    """The manifest of a snapshot; CorruptStoreError for one that describes another."""
    place = f"snapshots/{snapshot_id}/manifest.json"
    said = folder_fault(layout.snapshot(snapshot_id)) or folder_fault(layout.snapshots)
    if said:
        raise CorruptStoreError(f"The folder of {place} {said}.")
    try:
        manifest = decode(layout.read_file(layout.manifest(snapshot_id)), place, older_rows=older_rows)
    except StrangeFileError as error:
        raise CorruptStoreError(f"{place} {error.strerror}.") from error
    if manifest.snapshot_id != snapshot_id:
        raise CorruptStoreError(f"{place} describes {manifest.snapshot_id}.")
    return manifest


def find_active(layout: Layout, verifier: Verifier) -> Active:
    """The published snapshot; without a usable pointer, the newest one that is whole."""
    pointer = read_pointer(layout)
    if pointer is not None:
        try:
            return Active(read_manifest(layout, pointer))
        except FileNotFoundError:
            why = f"ACTIVE_SNAPSHOT names {pointer}, which has no manifest"
    elif os.path.lexists(layout.pointer):
        why = "ACTIVE_SNAPSHOT is damaged"
    elif _first_publish(layout):
        raise NotIndexedError("This store holds no snapshot yet: the first one is being made.")
    else:
        why = "ACTIVE_SNAPSHOT is missing"
    for manifest in newest_first(layout):
        try:
            verifier.verify(manifest)
        except CorruptStoreError:
            continue
        return Active(manifest, why)
    names = os.listdir(layout.snapshots)
    if not os.path.lexists(layout.pointer) and not any(os.path.exists(layout.manifest(name)) for name in names):
        raise NotIndexedError("This store holds no snapshot yet.")
    raise CorruptStoreError(f"The store is corrupt: {why}, and no snapshot in it is whole.")


def _first_publish(layout: Layout) -> bool:
    """Nothing was ever published here and a writer is at work: what lies here is not yet a snapshot."""
    lease = read_lease(layout)
    return not os.path.exists(layout.index_state) and lease is not None and not lease.is_free(time.time_ns())


def newest_first(layout: Layout, *, older_rows: bool = False) -> Iterator[Manifest]:
    """Every whole manifest, by (lease_epoch, id), newest first; one of a newer format is refused."""
    found = []
    for name in os.listdir(layout.snapshots):
        if is_ulid(name):
            try:
                found.append(read_manifest(layout, name, older_rows=older_rows))
            except (OSError, CorruptStoreError):
                continue
    yield from sorted(found, key=lambda manifest: manifest.order, reverse=True)
