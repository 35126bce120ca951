"""`locks/readers.lock`: readers hold it together, a collector holds it alone."""

import contextlib
import fcntl
import os
import stat
import time
from collections.abc import Iterator

from cairn.base.errors import BusyError
from cairn.store.layout import Layout

_WAIT_S = 10.0
_PAUSE_S = 0.005


def lock_shared(layout: Layout) -> int:
    """Take the lock beside other readers; the caller closes what it gets."""
    fd = layout.open_held(layout.readers)
    deadline = time.monotonic() + _WAIT_S
    while True:
        try:
            fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
            held = os.fstat(fd)
            if stat.S_ISDIR(held.st_mode) or held.st_ino == os.stat(layout.readers).st_ino:
                return fd
            # The store was removed and made anew since: this is the lock of the former one.
            os.close(fd)
            fd = layout.open_held(layout.readers)
        except FileNotFoundError:
            os.close(fd)
            raise
        except BlockingIOError:
            if time.monotonic() >= deadline:
                os.close(fd)
                raise BusyError("A collection holds this store and doesn't let go.", retry_after_ms=1000) from None
        time.sleep(_PAUSE_S)


@contextlib.contextmanager
def reading(layout: Layout) -> Iterator[None]:
    """Keep collectors away for a moment."""
    fd = lock_shared(layout)
    try:
        yield
    finally:
        os.close(fd)


@contextlib.contextmanager
def exclusive_readers(layout: Layout) -> Iterator[None]:
    """Shut readers out without waiting for them: BusyError while one is at work."""
    fd = layout.open_lock(layout.readers)
    try:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise BusyError("A query is reading this store, so nothing was deleted.", retry_after_ms=1000) from error
        yield
    finally:
        os.close(fd)
