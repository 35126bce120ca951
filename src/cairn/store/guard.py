"""The lease guard: a short exclusive section around every change of the lease and the pointer.

Whoever creates `lease_guard.lock` with O_EXCL holds it. A holder that died is recognised by its
identity, one that hangs by the age of the file. Making, removing and taking away the file happen
under a kernel lock that lasts for microseconds and dies with its process, so a rescuer never
removes a guard that was made after it looked. Holders keep the file open, so that its inode tells it from a later one.

On a disk without a free byte the file stays empty: then only its age tells that its holder is gone.
"""

import contextlib
import fcntl
import json
import os
import time
from collections.abc import Iterator

from cairn.base.errors import BusyError
from cairn.base.owner import is_proven_dead, owner_from, this_process
from cairn.store import faults
from cairn.store.layout import NO_ROOM, Layout

GUARD_TTL_S = 10.0
_WAIT_S = 30.0
_PAUSE_S = 0.005
_MUTEX_WAIT_S = 2.0


@contextlib.contextmanager
def guard(layout: Layout) -> Iterator[int]:
    """Hold the guard, waiting for others within bounds; yields its open file."""
    fd = _acquire(layout)
    try:
        yield fd
    finally:
        _release(layout, fd)


def prolong(layout: Layout, fd: int) -> bool:
    """Hold the guard for a while more; False where another has taken it away."""
    os.utime(fd)
    return _is_ours(layout, fd)


def _acquire(layout: Layout) -> int:
    data = json.dumps({"created_at_ns": time.time_ns(), **this_process().document()}).encode()
    deadline = time.monotonic() + _WAIT_S
    while True:
        with _mutex(layout):
            _remove_if_abandoned(layout)
            try:
                fd = _create(layout, data)
                faults.reach("lease.guard_created")
                return fd
            except FileExistsError:
                pass
        if time.monotonic() >= deadline:
            raise BusyError(
                "Another process holds the lease guard of this store and doesn't let go.", retry_after_ms=1000
            )
        time.sleep(_PAUSE_S)


def _create(layout: Layout, data: bytes) -> int:
    # The guard means something only to living processes: it need not survive a crash.
    fd = os.open(layout.guard, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, layout.kind.file_mode)
    try:
        os.fchmod(fd, layout.kind.file_mode)
        os.write(fd, data)
    except OSError as error:
        if error.errno not in NO_ROOM:
            os.close(fd)
            os.unlink(layout.guard)
            raise
    return fd


def _release(layout: Layout, fd: int) -> None:
    """Remove the guard if it is still ours: a slow holder may have lost it."""
    try:
        with _mutex(layout):
            if _is_ours(layout, fd):
                os.unlink(layout.guard)
    finally:
        os.close(fd)
    faults.reach("lease.guard_removed")


def _is_ours(layout: Layout, fd: int) -> bool:
    with contextlib.suppress(FileNotFoundError):
        return os.path.samestat(os.fstat(fd), os.lstat(layout.guard))
    return False


def _remove_if_abandoned(layout: Layout) -> None:
    try:
        age = time.time() - os.stat(layout.guard).st_mtime
    except FileNotFoundError:
        return
    held = _read(layout)
    if age > GUARD_TTL_S or (held is not None and is_proven_dead(owner_from(held))):
        with contextlib.suppress(FileNotFoundError):
            os.unlink(layout.guard)


def _read(layout: Layout) -> dict[str, object] | None:
    try:
        found = json.loads(layout.read_file(layout.guard))
    except (OSError, ValueError):
        return None
    return found if isinstance(found, dict) else None


@contextlib.contextmanager
def _mutex(layout: Layout) -> Iterator[None]:
    fd = layout.open_lock(layout.guard + ".mutex")
    try:
        _lock_within_bounds(fd)
        yield
    finally:
        os.close(fd)


def _lock_within_bounds(fd: int) -> None:
    """Wait for the mutex, but not for a process that was stopped inside of it.

    Two holders of the guard are no disaster: what counts is fenced by the staged files, which a
    new owner of the lease takes away from the former one.
    """
    deadline = time.monotonic() + _MUTEX_WAIT_S
    while True:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except BlockingIOError:
            if time.monotonic() >= deadline:
                return
        time.sleep(_PAUSE_S / 5)
