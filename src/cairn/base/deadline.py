"""How long the work at hand may go on: a deadline and a cancellation that the deep parts look at.

Whoever takes a request sets both for its thread; whoever reads much asks `check` in between. Where
nobody set anything, work goes on for as long as it takes.
"""

import contextlib
import contextvars
import threading
import time
from collections.abc import Iterator
from concurrent import futures
from typing import TypeVar

from cairn.base.errors import CancelledError, DeadlineError
from cairn.base.values import dataclass, field

T = TypeVar("T")
_RETRY_MS = 1_000
_LOOK_S = 0.1


@dataclass(frozen=True, slots=True)
class WorkBounds:
    """The bounds of one piece of work."""

    deadline: float | None = None
    """On the monotonic clock."""
    cancelled: threading.Event = field(default_factory=threading.Event)

    def check(self) -> None:
        """DeadlineError or CancelledError once the work is not wanted any more."""
        if self.cancelled.is_set():
            raise CancelledError("Whoever asked has gone away.")
        if self.is_over():
            raise DeadlineError("The time that was given is over.", retry_after_ms=_RETRY_MS)

    def is_over(self) -> bool:
        """Whether the deadline has passed."""
        return self.deadline is not None and time.monotonic() >= self.deadline

    def result_of(self, future: "futures.Future[T]") -> T:
        """What others are at work on, for as long as it may be waited for."""
        while True:
            self.check()
            with contextlib.suppress(futures.TimeoutError):
                return future.result(_LOOK_S)
            if future.done():
                return future.result()


_CURRENT: contextvars.ContextVar[WorkBounds | None] = contextvars.ContextVar("until", default=None)


def check() -> None:
    bounds = _CURRENT.get()
    if bounds is not None:
        bounds.check()


def current() -> WorkBounds:
    return _CURRENT.get() or WorkBounds()


@contextlib.contextmanager
def within(bounds: WorkBounds | None) -> Iterator[None]:
    """Work of this thread within bounds; None takes off those that are set."""
    token = _CURRENT.set(bounds)
    try:
        yield
    finally:
        _CURRENT.reset(token)
