"""Memory of a long-lived process: few arenas, and free memory goes back to the system.

The C library keeps an arena for every few threads and gives back little by itself. A sync takes tens
of megabytes for a moment, each time in another thread.
"""

import contextlib
import ctypes
import gc

_ARENA_MAX = -8
_ARENAS = 2
_COLLECTIONS = (5_000, 10, 10)


def settle() -> None:
    """Limit the arenas; call it once, before there are threads. It does nothing without glibc."""
    with contextlib.suppress(AttributeError, OSError):
        ctypes.CDLL(None).mallopt(_ARENA_MAX, _ARENAS)
    # A command hardly ever collects garbage; a daemon must. What is loaded by now will never be garbage.
    gc.set_threshold(*_COLLECTIONS)
    gc.freeze()


def give_back() -> None:
    """Give free memory back to the system; call it after work that needed much."""
    with contextlib.suppress(AttributeError, OSError):
        ctypes.CDLL(None).malloc_trim(0)
