"""The deadline and the cancellation of a thread's work.

The code that accepts a request sets both for its thread; code that reads a lot calls `check` now and then.
If nobody set anything, the work may take as long as it needs.
"""

import contextlib
import contextvars
import threading
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, TypeVar

from cairn.base.errors import CancelledError, DeadlineError
from cairn.base.values import dataclass, field

if TYPE_CHECKING:
    from concurrent.futures import Future

T = TypeVar("T")
_RETRY_MS = 1_000
_LOOK_S = 0.1


@dataclass(frozen=True, slots=True)
class WorkBounds:
    """The deadline and the cancellation of one piece of work."""

    deadline: float | None = None
    """On the monotonic clock."""
    cancelled: threading.Event = field(default_factory=threading.Event)
    hint: str | None = None
    """What gives the work more time, in the words of whoever set the deadline."""

    def check(self) -> None:
        """Raise DeadlineError or CancelledError if the work should stop."""
        if self.cancelled.is_set():
            raise CancelledError("Whoever asked has gone away.")
        if self.is_over():
            raise DeadlineError("The time that was given is over.", hint=self.hint, retry_after_ms=_RETRY_MS)

    def is_over(self) -> bool:
        """Whether the deadline has passed."""
        return self.deadline is not None and time.monotonic() >= self.deadline

    def result_of(self, future: "Future[T]") -> T:
        """Wait for the result of another thread, but no longer than these bounds allow."""
        while True:
            self.check()
            with contextlib.suppress(TimeoutError):
                return future.result(_LOOK_S)
            if future.done():
                return future.result()


_CURRENT: contextvars.ContextVar[WorkBounds | None] = contextvars.ContextVar("until", default=None)


def check() -> None:
    """Raise DeadlineError or CancelledError if this thread's work should stop."""
    bounds = _CURRENT.get()
    if bounds is not None:
        bounds.check()


def current() -> WorkBounds:
    """The bounds of this thread's work; without limits if nobody set any."""
    return _CURRENT.get() or WorkBounds()


@contextlib.contextmanager
def within(bounds: WorkBounds | None) -> Iterator[None]:
    """Set the bounds of this thread's work; None removes those that are set."""
    token = _CURRENT.set(bounds)
    try:
        yield
    finally:
        _CURRENT.reset(token)
