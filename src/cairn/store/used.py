"""When a store was last used: what the removal of unused ones goes by."""

import contextlib
import os
import time

from cairn.store.layout import Layout

USED_FILE = "last_used"
_USED_EVERY_S = 3600


def touch_last_used(layout: Layout) -> None:
    """Note that a store was used; at most one write an hour."""
    path = os.path.join(layout.cache, USED_FILE)
    with contextlib.suppress(OSError):
        try:
            if time.time() - os.stat(path).st_mtime < _USED_EVERY_S:
                return
        except FileNotFoundError:
            os.close(layout.open_lock(path))
        os.utime(path)
