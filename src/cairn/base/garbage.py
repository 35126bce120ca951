"""The garbage collector, out of the way of work that makes many objects and drops few."""

import contextlib
import gc
import threading
from collections.abc import Iterator

_lock = threading.Lock()
_within = 0


@contextlib.contextmanager
def without_collections() -> Iterator[None]:
    """Switch the garbage collector off: it would look again and again at what all lives on.

    Threads are counted, so that it runs again once the last of them is through, whoever came first.
    """
    global _within
    with _lock:
        if _within == 0 and not gc.isenabled():
            # Whoever had switched it off keeps it so.
            was_off = True
        else:
            was_off = False
            _within += 1
            gc.disable()
    try:
        yield
    finally:
        with _lock:
            if not was_off:
                _within -= 1
                if _within == 0:
                    gc.enable()
