"""The desk for requests: each is let in, given a thread and a deadline, and cancelled if its client goes away."""

import asyncio
import contextlib
import errno
import re
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from starlette.requests import ClientDisconnect, Request

from cairn.base import deadline
from cairn.base.deadline import WorkBounds
from cairn.base.errors import CairnError, DeadlineError, UsageError
from cairn.base.shortage import cause_of, shortage_of
from cairn.daemon.admission import Admission, scarce
from cairn.daemon.logbook import defect

T = TypeVar("T")
CLIENT = "cairn-client"
DEADLINE = "cairn-deadline-ms"
DEADLINE_AT = "cairn.deadline_at"
"""The key of the deadline in a request's ASGI scope, for mounted apps."""
OUT_OF_HANDLES = (errno.EMFILE, errno.ENFILE)
_MORE_TIME = "Ask with a larger timeout_ms, or again when the machine is less busy."
_GRACE_S = 0.05
_RETRY_MS = 1_000
_CLIENT = re.compile(r"[A-Za-z0-9._:-]{1,64}")


class RequestDesk:
    """Accepts requests, runs each in a thread with a deadline, and cancels those whose client has gone."""

    def __init__(self, admission: Admission) -> None:
        self.admission = admission
        self.busy_at = time.monotonic()
        """When the last request came."""
        self._threads = ThreadPoolExecutor(admission.limits.inside, thread_name_prefix="request")

    def begin(self, request: Request, work: Callable[[], T], bounds: WorkBounds) -> "asyncio.Future[T]":
        """Let a request in and start it; BusyError when there is no room."""
        self.busy_at = time.monotonic()
        leave = self.admission.enter(client_of(request))
        try:
            begun = asyncio.get_running_loop().run_in_executor(self._threads, self._work, work, bounds)
        except BaseException:
            leave()
            raise
        # A thread may still work for a client that already got DeadlineError.
        begun.add_done_callback(lambda _: self._left(leave))
        begun.add_done_callback(_heard)
        return begun

    @contextlib.contextmanager
    def counted(self, request: Request) -> Iterator[None]:
        """Count a request that another app answers; BusyError if there is no room."""
        self.busy_at = time.monotonic()
        leave = self.admission.enter(client_of(request))
        try:
            yield
        finally:
            self._left(leave)

    def listen(self, request: Request) -> Callable[[], None]:
        """Count a stream until the returned function is called; BusyError if there is no room."""
        self.busy_at = time.monotonic()
        leave = self.admission.streams.enter(client_of(request))
        return lambda: self._left(leave)

    def idle_s(self) -> float:
        """For how many seconds there has been no request and no stream."""
        if self.admission.inside or self.admission.streams.taken:
            return 0.0
        return time.monotonic() - self.busy_at

    async def answer(self, request: Request, work: Callable[[], T], given_ms: int | None = None) -> T:
        """The result of some work; DeadlineError if it takes too long."""
        bounds = WorkBounds(time.monotonic() + deadline_of(request, self.admission, given_ms), hint=_MORE_TIME)
        begun = self.begin(request, work, bounds)
        gone = asyncio.ensure_future(goes_away(request))
        try:
            left = (bounds.deadline or 0.0) - time.monotonic() + _GRACE_S
            either: set[asyncio.Future[Any]] = {begun, gone}
            await asyncio.wait(either, timeout=left, return_when=asyncio.FIRST_COMPLETED)
            if begun.done():
                return begun.result()
            if gone.done():
                raise ClientDisconnect
            raise DeadlineError("The time that was given is over.", hint=bounds.hint, retry_after_ms=_RETRY_MS)
        finally:
            bounds.cancelled.set()
            gone.cancel()

    def close(self) -> None:
        """Drop the requests that have not begun; nobody waits for the others."""
        self._threads.shutdown(wait=False, cancel_futures=True)

    def _work(self, work: Callable[[], T], bounds: WorkBounds) -> T:
        with deadline.within(bounds), self.admission.working(bounds):
            return work()

    def _left(self, leave: Callable[[], None]) -> None:
        self.busy_at = time.monotonic()
        leave()


def client_of(request: Request) -> str:
    """The client's name: as it calls itself, else by its address."""
    named = request.headers.get(CLIENT, "")
    if _CLIENT.fullmatch(named):
        return named
    return request.client.host if request.client is not None else "socket"


def deadline_of(request: Request, admission: Admission, given_ms: int | None) -> float:
    """Seconds that the work may take: by parameter or header, else the usual."""
    header = request.headers.get(DEADLINE)
    if given_ms is None and header is not None:
        if not (header.isascii() and header.isdigit() and len(header) < 9 and int(header) > 0):
            raise UsageError(f"The header {DEADLINE} is no number of milliseconds.", hint="Leave it away, or mend it.")
        given_ms = int(header)
    limits = admission.limits
    return limits.deadline_s if given_ms is None else min(given_ms / 1000, limits.most_deadline_s)


def as_cairn_error(error: BaseException) -> CairnError:
    """An error that can be shown; a defect is also written to the log."""
    if isinstance(error, OSError) and error.errno in OUT_OF_HANDLES:
        return scarce()
    if isinstance(error, CairnError | OSError):
        return cause_of(error)
    if (short := shortage_of(error)) is not None:
        return short
    defect(error)
    return CairnError(f"Unexpected {type(error).__name__}: {error}.")


async def goes_away(request: Request) -> None:
    """Wait until nobody hears the answer any more."""
    with contextlib.suppress(RuntimeError):
        while (await request.receive())["type"] != "http.disconnect":
            pass


def _heard(begun: "asyncio.Future[T]") -> None:
    """Retrieve the exception of work that nobody waits for, so that asyncio doesn't warn about it."""
    if not begun.cancelled():
        begun.exception()
