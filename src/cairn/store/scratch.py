"""A folder of this process alone, which goes with it.

Whoever holds the lock of such a folder is alive. One whose owner was killed is removed by the next who makes one.
"""

import contextlib
import fcntl
import os
import shutil
import tempfile

_OWNER = "owner.lock"


class Scratch:
    """A folder for what nobody else is to see and nobody needs later."""

    def __init__(self, prefix: str) -> None:
        """Folders that begin alike and have no owner any more are removed."""
        _sweep(prefix)
        self.path = tempfile.mkdtemp(prefix=prefix)
        self._lock = os.open(os.path.join(self.path, _OWNER), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        fcntl.flock(self._lock, fcntl.LOCK_EX)

    def remove(self) -> None:
        """Leave nothing of it."""
        if self._lock >= 0:
            shutil.rmtree(self.path, ignore_errors=True)
            os.close(self._lock)
            self._lock = -1


def _sweep(prefix: str) -> None:
    place = tempfile.gettempdir()
    with contextlib.suppress(OSError):
        for name in os.listdir(place):
            if name.startswith(prefix):
                _remove_abandoned(os.path.join(place, name))


def _remove_abandoned(folder: str) -> None:
    with contextlib.suppress(OSError):
        if os.lstat(folder).st_uid != os.getuid():
            return
        lock = os.open(os.path.join(folder, _OWNER), os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(folder, ignore_errors=True)
        finally:
            os.close(lock)
