"""Memory of a process that lives long: few arenas, and what is free goes back to the system.

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
    """Once, before there are threads; where the C library is another one, nothing happens."""
    with contextlib.suppress(AttributeError, OSError):
        ctypes.CDLL(None).mallopt(_ARENA_MAX, _ARENAS)
    # A command hardly ever looks for garbage; what lives long must. What is loaded by now is none.
    gc.set_threshold(*_COLLECTIONS)
    gc.freeze()


def give_back() -> None:
    """After much was taken and let go of."""
    with contextlib.suppress(AttributeError, OSError):
        ctypes.CDLL(None).malloc_trim(0)
