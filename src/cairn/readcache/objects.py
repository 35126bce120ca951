"""Contents that were given, by their hash: what a diff is made against.

Only a cache: whatever is wrong with an object, or missing, gives plain content. An object is hashed
again whenever it is loaded, so a damaged one is never built on.
"""

import contextlib
import hashlib
import os
import time
from collections.abc import Callable

from cairn.base.durable import make_private_folders, write_new_file
from cairn.base.ownfile import StrangeFileError, kind_fault, read_own, set_aside
from cairn.readcache.meta import is_hash

FOLDER = "objects"
MAX_BYTES = 256 * 1024 * 1024
MAX_AGE_S = 14 * 86_400
_PRUNE_EVERY = 64
_KEPT_SHARE = 0.9


class Objects:
    """The contents of one home."""

    def __init__(
        self,
        home: str,
        *,
        max_bytes: int = MAX_BYTES,
        max_age_s: float = MAX_AGE_S,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.folder = os.path.join(home, FOLDER)
        self._max_bytes = max_bytes
        self._max_age_s = max_age_s
        self._clock = clock
        self._puts = 0

    def put(self, data: bytes) -> str:
        """Keep a content and return its hash; where it can't be kept, a later diff is plain content instead."""
        name = hashlib.sha256(data).hexdigest()
        path = self._path(name)
        with contextlib.suppress(OSError):
            if not self._touch(path):
                make_private_folders(os.path.dirname(path))
                temporary = f"{path}.tmp-{os.urandom(8).hex()}"
                write_new_file(temporary, data, 0o600)
                # Two that write the same content at once write the same file.
                os.rename(temporary, path)
                self._touch(path)
            self._puts += 1
            if self._puts % _PRUNE_EVERY == 1:
                self.prune()
        return name

    def get(self, name: str) -> bytes | None:
        """A content that is still what its name says; None otherwise."""
        if not is_hash(name):
            return None
        path = self._path(name)
        try:
            data = read_own(path)
        except StrangeFileError:
            with contextlib.suppress(OSError):
                set_aside(path)
            return None
        except OSError:
            return None
        if hashlib.sha256(data).hexdigest() != name:
            with contextlib.suppress(OSError):
                os.unlink(path)
            return None
        self._touch(path)
        return data

    def prune(self) -> int:
        """Remove what is too old, and the least used beyond the bound; how many."""
        found = []
        for folder, _, names in os.walk(self.folder):
            for name in names:
                path = os.path.join(folder, name)
                with contextlib.suppress(OSError):
                    stat = os.lstat(path)
                    found.append((stat.st_mtime, stat.st_size, path))
        found.sort()
        total = sum(size for _, size, _ in found)
        oldest, removed = self._clock() - self._max_age_s, 0
        # Somewhat below the bound, so that not every content is followed by a sweep.
        room = self._max_bytes if total <= self._max_bytes else self._max_bytes * _KEPT_SHARE
        for used, size, path in found:
            if used >= oldest and total <= room:
                break
            with contextlib.suppress(OSError):
                os.unlink(path)
                removed += 1
            total -= size
        return removed

    def _path(self, name: str) -> str:
        return os.path.join(self.folder, name[:2], name[2:])

    def _touch(self, path: str) -> bool:
        """Note a use; whether the object is there."""
        try:
            if kind_fault(os.lstat(path)):
                return False
            now = self._clock()
            os.utime(path, (now, now), follow_symlinks=False)
        except OSError:
            return False
        return True
