"""A circuit breaker before the server of a store's vectors: one that gave no answer isn't waited for again soon.

Without it each question of an outage waits for the whole deadline before it is answered by words. It is control state,
one small file a store, and a hint alone: whoever can't read or write it asks the server.
"""

from __future__ import annotations

import contextlib
import json
import os
import time
from collections.abc import Iterator

from cairn.base.errors import EngineDeniedError, IncompatibleError, ProbeFailedError, VectorsLostError
from cairn.base.ownfile import read_own
from cairn.store.layout import Layout

PAUSE_S = 30.0
"""How long nobody asks; then one does, and the others go on without an answer until it has one."""
_FILE = "unanswered.json"
_ANSWERS = (EngineDeniedError, VectorsLostError, IncompatibleError)
"""A server that refuses us or has lost something has answered, too."""
_SOONER = ", or at once by an index or a repair"


@contextlib.contextmanager
def asking(layout: Layout, sooner: str = _SOONER, hint: str | None = None, *, at_once: bool = False) -> Iterator[None]:
    """Around whatever asks a store's vectors; ProbeFailedError at once where they gave no answer a moment ago.

    `sooner` says who asks without waiting, and `hint` what else there is to do. Whoever wants the server asked
    `at_once` does so. Only an answer takes the note of a failure back: who is cancelled on the way knows nothing.
    """
    path = os.path.join(layout.cache, _FILE)
    failed = _last_failure(path)
    if failed is not None:
        if not at_once:
            _require_old(failed, sooner, hint)
        _note(layout, failed[1])
    answered = True
    try:
        yield
    except ProbeFailedError as error:
        answered = False
        _note(layout, error.message)
        raise
    except _ANSWERS:
        raise
    except BaseException:
        answered = False
        raise
    finally:
        if answered and failed is not None:
            ask_again(layout)


def require_answering(layout: Layout) -> None:
    """ProbeFailedError if a store's server gave no answer a moment ago; nothing is asked."""
    failed = _last_failure(os.path.join(layout.cache, _FILE))
    if failed is not None:
        _require_old(failed)


def _require_old(failed: tuple[float, str], sooner: str = _SOONER, hint: str | None = None) -> None:
    since, message = failed
    if since < PAUSE_S:
        raise ProbeFailedError(
            f"{message} That was {since:.0f} s ago; it is asked again in {PAUSE_S - since:.0f} s{sooner}.",
            hint=hint,
        )


def ask_again(layout: Layout) -> None:
    """Ask with the next question, whatever happened before."""
    with contextlib.suppress(OSError):
        os.unlink(os.path.join(layout.cache, _FILE))


def _last_failure(path: str) -> tuple[float, str] | None:
    """How long ago nobody answered, and what was said of it; a time to come is that of another clock, and no reason."""
    try:
        document = json.loads(read_own(path))
        since, message = time.time() - float(document["at"]), document["message"]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return (since, message) if since >= 0 and isinstance(message, str) else None


def _note(layout: Layout, message: str) -> None:
    said = {"at": time.time(), "message": message}
    with contextlib.suppress(OSError):
        layout.write_cache(os.path.join(layout.cache, _FILE), json.dumps(said).encode())
