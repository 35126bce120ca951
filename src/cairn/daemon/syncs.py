"""Syncs have threads of their own: at most one a codebase at a time, each shared by all who wait for it.

Whoever asks must see every edit that was made before the question, so a sync is shared only by those
who came before it began to look at the tree. One that is under way is waited for by starting the next
after it. A sync goes on when those who wait for it go away: others may need it, and nothing is lost.
"""

import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor

from cairn.base import deadline
from cairn.base.deadline import WorkBounds
from cairn.base.errors import BusyError, CancelledError
from cairn.base.values import dataclass
from cairn.lifecycle.runs import failure_of
from cairn.lifecycle.tracked import Failure

PERMITS = 2
Brought = tuple[bool, list[str]]
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
        """Take part in the next sync of a codebase; `work` is run if there is none to take part in."""
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
        """Why the last sync of a codebase came to nothing, by roots; those that went well since are not among them."""
        with self._guard:
            return dict(self._failures)

    def call_off(self) -> None:
        """Those that wait, and those that are under way at their next step: nothing of them is published."""
        self._ending.set()
        with self._guard:
            self._closed = True
            waiting = [turn.next for turn in self._turns.values() if turn.next is not None]
            for turn in self._turns.values():
                turn.next = None
        for _, told in waiting:
            told.set_exception(_ends())

    def close(self) -> None:
        self.call_off()
        self._threads.shutdown(wait=True)

    def _run(self, root: str, turn: _Turn) -> None:
        with self._guard:
            # From here on the tree may be looked at: who comes now shares the next one.
            begun = turn.take()
        if begun is not None:
            work, told = begun
            try:
                with deadline.within(WorkBounds(cancelled=self._ending)):
                    brought = work()
                self._note(root, None if brought[0] else self._failures.get(root))
                told.set_result(brought)
            except BaseException as error:  # noqa: BLE001 - it belongs to those who wait
                if not isinstance(error, (BusyError, CancelledError)):
                    self._note(root, failure_of(error))
                called_off = isinstance(error, CancelledError) and self._ending.is_set()
                told.set_exception(_ends() if called_off else error)
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
