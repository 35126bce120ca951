"""The garbage collector, out of the way of work that makes many objects and drops few."""

import contextlib
import gc
import threading
import time
from collections.abc import Iterator

_MOST = 1_000
"""Pieces of work after which everything is looked at once, for what they may have dropped in circles."""

_REST_S = 30.0
"""How long what was dropped may wait where much is dropped again and again, as while somebody types."""
_FEW = 10
"""Of such drops, so many are not waited for."""

_lock = threading.Lock()
_within = 0
_since = 0
"""Pieces of work since everything was looked at."""
_looked = -_REST_S
"""When that was asked for last."""


@contextlib.contextmanager
def without_collections(*, for_good: bool = False) -> Iterator[None]:
    """Switch the garbage collector off: it would look again and again at what all lives on.

    Threads are counted, so that it runs again once the last of them is through, whoever came first. What is made
    `for_good` is set aside then: to look at it took a fifth of a question about a common name.
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
                    if for_good:
                        _set_aside()
                    gc.enable()


def _set_aside() -> None:
    global _since
    _since += 1
    if _since > _MOST:
        _since = 0
        gc.unfreeze()
        gc.collect()
    gc.freeze()


def much_was_dropped() -> None:
    """Have everything looked at behind the next piece of work: what was set aside would stay for long."""
    global _looked, _since
    with _lock:
        now = time.monotonic()
        if now - _looked < _REST_S:
            _since += _MOST // _FEW
            return
        _looked, _since = now, _MOST
