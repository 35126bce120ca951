"""Processes take turns at embedding, because a heavy model loads the whole machine.

A turn is a lock on one of a few files, for one batch. The kernel frees the lock of a process that
ends; nobody waits for ever for a process that was stopped in the middle of its turn.
"""

import contextlib
import fcntl
import os
import time
from collections.abc import Iterator

from cairn.base import deadline
from cairn.base.durable import make_private_folders

MOST = max(1, (os.cpu_count() or 1) // 2)
_FOLDER = "turns"
_PAUSE_S = 0.02
_PATIENCE_S = 60.0


class Turns:
    """A few locks under CAIRN_HOME that limit how many processes embed at once."""

    def __init__(self, home: str, most: int = MOST, *, patience_s: float = _PATIENCE_S) -> None:
        self._folder = os.path.join(home, _FOLDER)
        self._most = most
        self._patience_s = patience_s

    @contextlib.contextmanager
    def turn(self) -> Iterator[None]:
        """Wait for a turn, and hold it inside the `with` block."""
        fd = self._taken()
        try:
            yield
        finally:
            if fd is not None:
                os.close(fd)

    def _taken(self) -> int | None:
        """The descriptor of a lock; None if none came free in time, since embedding late is better than never."""
        last = time.monotonic() + self._patience_s
        try:
            make_private_folders(self._folder)
            while time.monotonic() < last:
                for number in range(self._most):
                    fd = self._tried(number)
                    if fd is not None:
                        return fd
                deadline.check()
                time.sleep(_PAUSE_S)
        except OSError:
            return None
        return None

    def _tried(self, number: int) -> int | None:
        fd = os.open(os.path.join(self._folder, str(number)), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(fd)
            return None
        return fd
