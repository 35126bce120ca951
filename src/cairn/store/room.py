"""Room on the disk: some of it stays free, and all stores of a home keep a budget where the user sets one.

A publish that would break either is refused, and the last good snapshot stays.
"""

import contextlib
import errno
import os
import shutil
from collections.abc import Callable
from typing import TypeVar

from cairn.base.text import human_bytes
from cairn.store.layout import Layout

Written = TypeVar("Written")
RESERVE_BYTES = 64 * 1024 * 1024
"""What a publish leaves free for everybody else; of a small disk, a share of it."""
_SHARE = 20
BUDGET = "CAIRN_DISK_BUDGET_MB"
_MB = 1024 * 1024


def room_fault(free: int, used: int | None, budget: int | None, reserve: int = RESERVE_BYTES) -> str:
    """Why there is no room for another snapshot; empty when there is."""
    if free < reserve:
        return f"only {human_bytes(free)} are free on the disk, at least {human_bytes(reserve)} must stay so"
    if used is not None and budget is not None and used > budget:
        return f"the stores take {used // _MB} MB, {BUDGET} allows {budget // _MB}"
    return ""


def room_fault_at(store: str) -> str:
    """The same for the store at a path, beside which the other stores of its home lie."""
    disk = shutil.disk_usage(store)
    reserve = min(RESERVE_BYTES, disk.total // _SHARE)
    budget = _budget()
    # To count is to look at every file, so it is done only for those who want it.
    return room_fault(disk.free, None if budget is None else size_of(os.path.dirname(store)), budget, reserve)


def size_of(path: str) -> int:
    """The bytes of all files beneath a path."""
    total = 0
    for folder, _, names in os.walk(path):
        for name in names:
            with contextlib.suppress(OSError):
                total += os.lstat(os.path.join(folder, name)).st_size
    return total


def with_room(layout: Layout, write: Callable[[], Written]) -> Written:
    """Write something small that frees room later; on a full disk, after what may be lost at any time was removed."""
    try:
        return write()
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT):
            raise
    for folder in (layout.cache, layout.logs):
        for name in os.listdir(folder):
            with contextlib.suppress(OSError):
                os.unlink(os.path.join(folder, name))
    return write()


def _budget() -> int | None:
    given = os.environ.get(BUDGET, "")
    return int(given) * _MB if given.isascii() and given.isdigit() and len(given) < 12 else None
