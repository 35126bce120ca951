"""Admission: how many requests may work at once, how many may wait, and how many one client may have.

A request that is let in has a thread, and works once it has a permit. While it waits for a sync it
returns its permit, so that others can go on reading. Streams of events have slots of their own: they last
for hours and would leave none for queries.
"""

import contextlib
import os
import threading
from collections import Counter
from collections.abc import Callable, Iterator

from cairn.base.deadline import WorkBounds
from cairn.base.errors import BusyError, CrowdedError, OutOfResourcesError
from cairn.base.values import dataclass
from cairn.codebase.pool import handles_are_scarce

_LOOK_S = 0.1
_RETRY_MS = 250


def scarce() -> OutOfResourcesError:
    """What a daemon says that can open no more files."""
    return OutOfResourcesError(
        "The daemon has no file descriptors left.",
        hint="Try again in a moment; if it stays so, start the daemon with a higher limit (`ulimit -n 4096`).",
        retry_after_ms=_RETRY_MS,
    )


@dataclass(frozen=True, slots=True)
class AdmissionLimits:
    """How many requests are accepted at once; the others wait or are told to come back."""

    working: int = max(2, min(8, os.cpu_count() or 2))
    waiting: int = 64
    per_client: int = 16
    deadline_s: float = 30.0
    """The deadline of a request that names none."""
    most_deadline_s: float = 600.0
    streams: int = 64
    streams_per_client: int = 16

    @property
    def inside(self) -> int:
        """How many requests may be in the daemon at once, working or waiting."""
        return self.working + self.waiting


class ClientSlots:
    """A limited number of slots, of which one client may take only some."""

    def __init__(self, most: int, per_client: int, named: str) -> None:
        self._most = most
        self._per_client = per_client
        self._named = named
        self._guard = threading.Lock()
        self._clients: Counter[str] = Counter()
        self.refused = 0

    @property
    def taken(self) -> int:
        """How many slots are taken now."""
        with self._guard:
            return self._clients.total()

    def enter(self, client: str) -> Callable[[], None]:
        """Take a slot until the returned function is called; BusyError or CrowdedError if there is none."""
        with self._guard:
            if self._clients[client] >= self._per_client:
                self.refused += 1
                raise CrowdedError(
                    f"This client has {self._per_client} {self._named} under way already.", retry_after_ms=_RETRY_MS
                )
            if self._clients.total() >= self._most:
                self.refused += 1
                raise BusyError(f"The daemon has too many {self._named} right now.", retry_after_ms=_RETRY_MS)
            self._clients[client] += 1
        left = False

        def leave() -> None:
            nonlocal left
            with self._guard:
                if left:
                    return
                left = True
                self._clients[client] -= 1
                if not self._clients[client]:
                    del self._clients[client]

        return leave


class Admission:
    """Decides which requests and streams are let in, and hands out permits to work."""

    def __init__(self, limits: AdmissionLimits) -> None:
        self.limits = limits
        self._permits = threading.Semaphore(limits.working)
        self._held = threading.local()
        self.questions = ClientSlots(limits.inside, limits.per_client, "requests")
        self.streams = ClientSlots(limits.streams, limits.streams_per_client, "streams")

    @property
    def inside(self) -> int:
        """How many requests are in the daemon now."""
        return self.questions.taken

    @property
    def refused(self) -> int:
        """How many requests and streams were turned away so far."""
        return self.questions.refused + self.streams.refused

    def enter(self, client: str) -> Callable[[], None]:
        """Take a slot for a request until the returned function is called."""
        if handles_are_scarce():
            raise scarce()
        return self.questions.enter(client)

    @contextlib.contextmanager
    def working(self, bounds: WorkBounds) -> Iterator[None]:
        """Wait for a permit, and hold it inside the `with` block."""
        self._acquire(bounds)
        self._held.permit = True
        try:
            yield
        finally:
            self._held.permit = False
            self._permits.release()

    @contextlib.contextmanager
    def resting(self) -> Iterator[None]:
        """Return this thread's permit, if it has one, for the time of the `with` block."""
        if not getattr(self._held, "permit", False):
            yield
            return
        self._permits.release()
        try:
            yield
        finally:
            # The caller will release its permit later, so it must get one back even if its time is over.
            self._permits.acquire()

    def _acquire(self, bounds: WorkBounds) -> None:
        while not self._permits.acquire(timeout=_LOOK_S):
            bounds.check()
        try:
            bounds.check()
        except BaseException:
            self._permits.release()
            raise
