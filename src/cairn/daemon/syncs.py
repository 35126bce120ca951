"""Syncs in threads of their own: at most one a codebase at a time, shared by all requests that wait for it.

A request must see every edit that was made before it, so it can only share a sync that has not begun to
look at the tree. If one is under way, the request waits for the next. A sync goes on when the requests that
wait for it are cancelled: others may need it, and nothing is lost.
"""

import os
import threading
from collections import Counter
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor

from cairn.base import deadline
from cairn.base.deadline import WorkBounds
from cairn.base.errors import BusyError, CairnError, CancelledError
from cairn.base.notes import Note
from cairn.base.values import dataclass, field
from cairn.codebase.pool import Pool
from cairn.daemon.admission import Admission
from cairn.lifecycle.registry import Registry
from cairn.lifecycle.runs import failure_of
from cairn.lifecycle.states import SEARCHABLE
from cairn.lifecycle.tracked import Failure

PERMITS = 2
Brought = tuple[bool, list[Note]]
"""Whether a codebase was brought up to date, and what to say of it."""
Work = Callable[[], Brought]


@dataclass(slots=True)
class _Turn:
    """The syncs of one codebase: one that is under way, and the next."""

    next: tuple[Work, "Future[Brought]"] | None = None
    running: bool = False

    def take(self) -> tuple[Work, "Future[Brought]"] | None:
        found, self.next = self.next, None
        self.running = found is not None
        return found


class Syncs:
    """The syncs of all codebases, at most `permits` of them at a time."""

    def __init__(self, permits: int = PERMITS, *, ended: Callable[[str], None] = lambda _root: None) -> None:
        self._threads = ThreadPoolExecutor(permits, thread_name_prefix="sync")
        self._guard = threading.Lock()
        self._turns: dict[str, _Turn] = {}
        self._ended = ended
        self._closed = False
        self._ending = threading.Event()
        self.done = 0
        self._failures: dict[str, Failure] = {}

    def join(self, root: str, work: Work) -> "Future[Brought]":
        """Share the next sync of a codebase; if none waits, `work` becomes it."""
        with self._guard:
            if self._closed:
                raise _ends()
            turn = self._turns.get(root)
            if turn is None:
                turn = self._turns[root] = _Turn()
                self._threads.submit(self._run, root, turn)
            if turn.next is None:
                turn.next = (work, Future())
            return turn.next[1]

    def running(self) -> frozenset[str]:
        """Roots that are being synced now."""
        with self._guard:
            return frozenset(root for root, turn in self._turns.items() if turn.running)

    def failures(self) -> dict[str, Failure]:
        """Why the last sync of a codebase failed, by root; codebases whose last sync succeeded are not listed."""
        with self._guard:
            return dict(self._failures)

    def call_off(self) -> None:
        """Cancel all syncs: those that wait at once, those under way at their next step. They publish nothing."""
        self._ending.set()
        with self._guard:
            self._closed = True
            waiting = [turn.next for turn in self._turns.values() if turn.next is not None]
            for turn in self._turns.values():
                turn.next = None
        for _, said in waiting:
            said.set_exception(_ends())

    def close(self) -> None:
        """Cancel all syncs and wait until their threads have ended."""
        self.call_off()
        self._threads.shutdown(wait=True)

    def _run(self, root: str, turn: _Turn) -> None:
        with self._guard:
            # From here on the sync looks at the tree, so a new request has to share the next one.
            begun = turn.take()
        if begun is not None:
            work, said = begun
            try:
                with deadline.within(WorkBounds(cancelled=self._ending)):
                    brought = work()
                self._note(root, None if brought[0] else self._failures.get(root))
                said.set_result(brought)
            except BaseException as error:  # noqa: BLE001 - it belongs to those who wait
                if not isinstance(error, (BusyError, CancelledError)):
                    self._note(root, failure_of(error))
                called_off = isinstance(error, CancelledError) and self._ending.is_set()
                said.set_exception(_ends() if called_off else error)
            self.done += 1
            self._ended(root)
        with self._guard:
            turn.running = False
            if turn.next is not None:
                self._threads.submit(self._run, root, turn)
            else:
                del self._turns[root]

    def _note(self, root: str, failure: Failure | None) -> None:
        with self._guard:
            self._failures.pop(root, None)
            if failure is not None:
                self._failures[root] = failure


def _ends() -> BusyError:
    return BusyError("The daemon is about to end.", retry_after_ms=1_000)


@dataclass(frozen=True, slots=True)
class DaemonState:
    """What all requests share."""

    registry: Registry
    pool: Pool
    syncs: Syncs
    admission: Admission
    commands: Counter[str] = field(default_factory=Counter)
    """How many commands were run here, and how many were handed back to the client."""

    def is_searchable(self, root: str) -> bool:
        """Whether a codebase can be searched after a mere sync."""
        try:
            row = self.registry.get(root)
        except CairnError:
            return False
        return row is not None and row.state in SEARCHABLE and os.path.isdir(root)
