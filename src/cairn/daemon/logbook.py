"""The daemon's log: a line for each event, and one line a minute for an event that repeats.

A client that can cause an error can cause it a thousand times a second, so repeated events must not
fill the log.
"""

import asyncio
import logging
import sys
import threading
import time
import traceback
from typing import Any

from cairn.base.text import printable

_EVERY_S = 60.0
_MOST_KINDS = 256


class Repeats:
    """Recent events, and how often each has repeated since it was logged."""

    def __init__(self, every_s: float = _EVERY_S) -> None:
        self._every_s = every_s
        self._guard = threading.Lock()
        self._logged: dict[str, tuple[float, int]] = {}

    def due(self, kind: str, now: float) -> int | None:
        """How often an event was suppressed since it was last logged; None if it is too early to log it again."""
        with self._guard:
            logged = self._logged.get(kind)
            if logged is not None and now - logged[0] < self._every_s:
                self._logged[kind] = (logged[0], logged[1] + 1)
                return None
            if logged is None and len(self._logged) >= _MOST_KINDS:
                self._logged.clear()
            self._logged[kind] = (now, 0)
            return logged[1] if logged is not None else 0


_REPEATS = Repeats()


def log(text: str) -> None:
    """Write a line to the log."""
    stamp = time.strftime("%Y-%m-%dT%H:%M:%S%z")
    print(f"{stamp} {printable(text)}", file=sys.stderr, flush=True)


def note(kind: str, text: str) -> None:
    """Log an event that may repeat; repetitions within a minute are counted, not logged."""
    again = _REPEATS.due(kind, time.monotonic())
    if again is not None:
        log(f"{text} (and {again} times more since the last such line)" if again else text)


def defect(error: BaseException) -> None:
    """Log a defect with its traceback."""
    frames = traceback.extract_tb(error.__traceback__)
    place = f"{frames[-1].filename}:{frames[-1].lineno}" if frames else ""
    again = _REPEATS.due(f"defect {type(error).__name__} {place}", time.monotonic())
    if again is not None:
        log(f"a defect: {type(error).__name__}: {error}")
        traceback.print_exception(error)


class LibraryLogHandler(logging.Handler):
    """Writes what libraries log, one line a record."""

    def emit(self, record: logging.LogRecord) -> None:
        """Write one record; `logging` calls this."""
        try:
            text = record.getMessage().strip()
        except (TypeError, ValueError):
            text = str(record.msg)
        error = record.exc_info[1] if record.exc_info else None
        cause = f": {type(error).__name__}: {error}" if error is not None else ""
        note(f"{record.name} {record.msg}", f"{text}{cause}")


def loop_failed(_: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Log errors that the event loop can't raise, such as a lack of descriptors for new connections."""
    error, message = context.get("exception"), str(context.get("message"))
    cause = f": {error}" if error is not None else ""
    note(message, f"{message}{cause}")
