"""Stores that several users of one machine share: opt-in, and only where the file system holds its word."""

import os
import re
import secrets

from cairn.base import system
from cairn.base.errors import BusyError, StoreRefusedError
from cairn.store.identity import Identity
from cairn.store.layout import Layout, StoreKind, create_layout
from cairn.store.recovery import newest_first
from cairn.store.state import read_state

NETWORK_FILE_SYSTEMS = frozenset(
    "nfs nfs4 cifs smb smb3 smbfs ncpfs afs ceph glusterfs lustre beegfs 9p fuse.sshfs fuse.glusterfs davfs".split()
)


def open_shared(path: str, identity: Identity) -> Layout:
    """Make or open a shared store at a path, after a look at what lies under it."""
    parent = os.path.dirname(os.path.abspath(path))
    if not os.path.isdir(parent):
        raise StoreRefusedError(
            f"{parent} is not a folder, so no shared store can be made in it.",
            hint="Make the folder and give it to the group that shares the store.",
        )
    kind = file_system_of(parent)
    if kind in NETWORK_FILE_SYSTEMS:
        raise StoreRefusedError(
            f"{path} lies on a network file system ({kind}), where locks and renames can't be relied on.",
            hint="Use a local folder, or a store of your own.",
        )
    layout = create_layout(os.path.abspath(path), StoreKind.SHARED)
    require_capable(layout)
    require_same_settings(layout, identity)
    return layout


def require_same_settings(layout: Layout, identity: Identity) -> None:
    """StoreRefusedError for a shared store that was made with other settings."""
    made_with = _fingerprint(layout)
    if made_with is not None and made_with != identity.config_fingerprint:
        raise StoreRefusedError(
            f"The shared store {layout.path} was made with other index settings.",
            hint="Use the settings of its owners, or a store of your own.",
        )


def _fingerprint(layout: Layout) -> str | None:
    """The settings that a store was made with, from its summary or, if that is lost, its manifests."""
    state = read_state(layout)
    if state is not None and isinstance(state.get("config_fingerprint"), str):
        return str(state["config_fingerprint"])
    newest = next(newest_first(layout), None)
    return newest.config_fingerprint if newest is not None else None


def require_capable(layout: Layout) -> None:
    """Exclusive creation, fsync and read-back, and an atomic rename: tried, not assumed."""
    probe = os.path.join(layout.cache, f"probe-{secrets.token_hex(8)}")
    renamed = f"{probe}-renamed"
    try:
        token = secrets.token_bytes(64)
        fd = os.open(probe, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, layout.kind.file_mode)
        try:
            os.write(fd, token)
            os.fsync(fd)
        finally:
            os.close(fd)
        try:
            os.close(os.open(probe, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC))
        except FileExistsError:
            pass
        else:
            raise StoreRefusedError(f"{layout.path}: exclusive creation is not exclusive here.")
        os.rename(probe, renamed)
        with open(renamed, "rb") as file:
            if file.read() != token or os.path.exists(probe):
                raise StoreRefusedError(f"{layout.path}: what was written can't be read back here.")
    except FileNotFoundError as error:
        raise BusyError(f"The store {layout.path} was removed by another process meanwhile.") from error
    except OSError as error:
        raise StoreRefusedError(f"{layout.path} can't hold a shared store: {error.strerror}.") from error
    finally:
        for leftover in (probe, renamed):
            if os.path.exists(leftover):
                os.unlink(leftover)


def file_system_of(path: str, mounts: str = system.MOUNTS) -> str:
    """The kind of file system under a path: that of the longest mount point that holds it."""
    real = os.path.realpath(path)
    best, kind = "", ""
    with open(mounts, encoding="utf-8", errors="surrogateescape") as file:
        for line in file:
            left, _, right = line.partition(" - ")
            # The kernel writes spaces and such as octal escapes and everything else as it is.
            point = re.sub(r"\\([0-7]{3})", lambda match: chr(int(match[1], 8)), left.split(" ")[4])
            holds = point == "/" or real == point or real.startswith(point + "/")
            if holds and len(point) >= len(best):
                best, kind = point, right.split()[0]
    return kind
