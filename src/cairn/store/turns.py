"""`cache/turn`: whose turn it is to look at the tree, and when the last look began.

Processes that serve one codebase need one look at its tree, not one each. Whoever looks holds the lock alone, and
writes into it when it began once a snapshot tells what it found. Whoever asked before that moment sees every edit that
it must see in that snapshot, and needs no look of its own. The moment is one of the machine's own clock, which says
nothing after another boot or in another namespace of time: there nothing is shared.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import time
import zlib
from typing import TYPE_CHECKING

from cairn.base import deadline, system
from cairn.base.errors import BusyError
from cairn.base.owner import this_process
from cairn.base.values import dataclass
from cairn.store.layout import UNWRITABLE
from cairn.store.lease import read_lease
from cairn.store.recovery import read_pointer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from cairn.store.layout import Layout
    from cairn.store.view import SnapshotView

_PAUSE_S = 0.01
_PATIENCE_S = 1.0
"""For so long a look is waited for that may never come to an end."""
_MOST_BYTES = 4096
_COMPANY_NS = 60 * 10**9
"""Who has not looked for as long need not be thought of."""


@dataclass(frozen=True, slots=True)
class LastTurn:
    """The last look that a snapshot tells of."""

    clock: str
    began_ns: int
    who: str
    other_ns: int
    """When somebody else than that one last looked."""


@dataclass(slots=True)
class Turn:
    """A turn that was had, or one of another that serves as well."""

    began_ns: int
    view: SnapshotView | None = None
    """What the caller had open, while it is of the active snapshot; closed otherwise."""
    is_shared: bool = False
    """Whether another has looked since this one asked: the active snapshot tells the truth already."""
    has_company: bool = False
    """Whether somebody else looks at this tree too."""
    is_finished: bool = False
    """Set by whoever has the turn, once the active snapshot tells what it found."""


@contextlib.contextmanager
def turn(layout: Layout, who: str, wait_s: float, *, shares: bool, view: SnapshotView | None = None) -> Iterator[Turn]:
    """Wait for the turn to look; with `shares`, a look that another began meanwhile does as well.

    BusyError after `wait_s`. A turn only saves work, and the lease is what guards the store: whoever has the turn and
    was stopped keeps nobody from looking once no living writer is at work. What is left of a look that is under way
    when one asks is the only one that is waited for in vain: the next one serves all who wait.
    """
    asked_ns, end = time.monotonic_ns(), time.monotonic() + wait_s
    patient_until = min(end, time.monotonic() + _PATIENCE_S)
    try:
        fd = layout.open_lock(os.path.join(layout.cache, "turn"))
    except OSError as error:
        if error.errno not in UNWRITABLE:
            raise
        # Nobody writes here, and a tree that has not changed is told of all the same.
        yield Turn(asked_ns, view)
        return
    try:
        while not (had := _locked(fd)):
            if view is not None:
                # Who waits keeps no collector out.
                view.close()
            deadline.check()
            if shares and _serves(last_turn(fd), asked_ns):
                break
            if time.monotonic() >= patient_until and _is_unwritten(layout):
                yield Turn(asked_ns, _if_active(layout, view))
                return
            if time.monotonic() >= end:
                raise BusyError("Another process is bringing this index up to date.", retry_after_ms=1000)
            time.sleep(_PAUSE_S)
        last = last_turn(fd)
        if shares and _serves(last, asked_ns):
            yield Turn(asked_ns, is_shared=True)
        elif had:
            began_ns = time.monotonic_ns()
            other_ns = 0 if last is None else last.began_ns if last.who != who else last.other_ns
            mine = Turn(began_ns, _if_active(layout, view))
            mine.has_company = other_ns > 0 and began_ns - other_ns < _COMPANY_NS
            yield mine
            if mine.is_finished:
                write_turn(fd, LastTurn(_clock(), began_ns, who, other_ns))
    finally:
        # Workers that were forked meanwhile have the file open too: closing it would leave the lock to them.
        fcntl.flock(fd, fcntl.LOCK_UN)
        os.close(fd)


def _is_unwritten(layout: Layout) -> bool:
    lease = read_lease(layout)
    return lease is None or lease.is_free(time.time_ns())


def _if_active(layout: Layout, view: SnapshotView | None) -> SnapshotView | None:
    """The view, unless another has published since it was opened: the tree is to be held against what is active."""
    if view is None or (view.is_open and view.snapshot_id == read_pointer(layout)):
        return view
    view.close()
    return None


def write_turn(fd: int, last: LastTurn) -> None:
    """Leave in the lock when a look began that a snapshot tells of."""
    row = json.dumps([last.clock, last.began_ns, last.who, last.other_ns])
    os.pwrite(fd, f"{zlib.crc32(row.encode()):08x} {row}\n".encode(), 0)


def last_turn(fd: int) -> LastTurn | None:
    """What the last look left in the lock; None where that is nothing, or is being written."""
    try:
        checksum, _, row = os.pread(fd, _MOST_BYTES, 0).partition(b"\n")[0].decode("ascii").partition(" ")
        if checksum != f"{zlib.crc32(row.encode()):08x}":
            return None
        clock, began_ns, who, other_ns = json.loads(row)
        return LastTurn(str(clock), int(began_ns), str(who), int(other_ns))
    except (OSError, ValueError, TypeError):
        return None


def _serves(last: LastTurn | None, asked_ns: int) -> bool:
    return last is not None and last.began_ns >= asked_ns and bool(last.clock) and last.clock == _clock()


def _locked(fd: int) -> bool:
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _clock() -> str:
    """Which clock this process reads; nothing where that can't be told."""
    boot = this_process().boot_id
    try:
        return f"{boot} {system.proc_link('self/ns/time')}" if boot else ""
    except OSError:
        return boot  # a kernel without namespaces of time
