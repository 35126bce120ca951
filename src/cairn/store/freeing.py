"""The right to remove things from a store, also on a disk without a free byte.

A lease is written down, and where that can't be done the guard stands for it: nobody takes a lease without the guard,
so whoever holds it while the lease is free is alone. It is held for as long as the removal takes.
"""

import contextlib
import time
from collections.abc import Callable
from typing import Protocol

from cairn.base.errors import BusyError, LeaseLostError
from cairn.base.ulid import new_ulid
from cairn.store.guard import guard, prolong
from cairn.store.layout import NO_ROOM, Layout
from cairn.store.lease import WriterLease, read_lease, revoke_staged


class RemovalLease(Protocol):
    """What whoever removes things holds."""

    owner_id: str
    txn_id: str

    def check(self) -> None:
        """LeaseLostError if another has taken over."""
        ...

    def guarded(self) -> contextlib.AbstractContextManager[object]:
        """A section in which nobody replaces the lease."""
        ...

    def release(self) -> None:
        """Let others write."""
        ...

    def forget(self) -> None:
        """Let go without a word: the store itself is gone."""
        ...


def removal_lease(layout: Layout, acquire: Callable[[], WriterLease]) -> RemovalLease:
    """The writer lease, or the guard where there is no room for it."""
    try:
        return acquire()
    except OSError as error:
        if error.errno not in NO_ROOM:
            raise
    return _GuardLease(layout)


class _GuardLease:
    def __init__(self, layout: Layout) -> None:
        self.owner_id = new_ulid()
        self.txn_id = ""
        self._layout = layout
        with contextlib.ExitStack() as stack:
            self._fd = stack.enter_context(guard(layout))
            current = read_lease(layout)
            if current is not None and not current.is_free(time.time_ns()):
                raise BusyError("Another writer is at work on this store.", retry_after_ms=1000)
            revoke_staged(layout)
            self._held = stack.pop_all()

    def check(self) -> None:
        if not prolong(self._layout, self._fd):
            raise LeaseLostError("The guard of this store was taken over by another process.")

    def guarded(self) -> contextlib.AbstractContextManager[object]:
        return contextlib.nullcontext()

    def release(self) -> None:
        self._held.close()

    def forget(self) -> None:
        # The guard went with the store.
        with contextlib.suppress(FileNotFoundError):
            self._held.close()
