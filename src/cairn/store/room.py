"""Room on the disk: some of it stays free, and all stores of a home keep a budget where the user sets one.

A publish that would break either is refused, and the last good snapshot stays.
"""

import contextlib
import os
import shutil

from cairn.base.errors import DiskFullError
from cairn.base.text import human_bytes

RESERVE_BYTES = 64 * 1024 * 1024
"""What a publish leaves free for everybody else; of a small disk, a share of it."""
_SHARE = 20
BUDGET = "CAIRN_DISK_BUDGET_MB"
_MB = 1024 * 1024


def require_free(store: str, free: int, total: int) -> None:
    """DiskFullError where less is free on the disk of a store than must stay free."""
    reserve = min(RESERVE_BYTES, total // _SHARE)
    if free < reserve:
        raise DiskFullError(
            f"The snapshot was not published: {human_bytes(free)} are free on the disk of {store}, "
            f"and {human_bytes(reserve)} must stay free."
        )


def require_room(store: str) -> None:
    """The same for the disk as it is now."""
    disk = shutil.disk_usage(store)
    require_free(store, disk.free, disk.total)


def budget_fault(store: str) -> str:
    """How the stores of a home, beside the one at a path, exceed the budget; empty where they don't."""
    budget = _budget()
    if budget is None:
        # To count is to look at every file, so it is done only for those who want it.
        return ""
    used = size_of(os.path.dirname(store))
    return f"the stores take {human_bytes(used)}, {BUDGET} allows {human_bytes(budget)}" if used > budget else ""


def size_of(path: str) -> int:
    """The bytes of all files beneath a path."""
    total = 0
    for folder, _, names in os.walk(path):
        for name in names:
            with contextlib.suppress(OSError):
                total += os.lstat(os.path.join(folder, name)).st_size
    return total


def _budget() -> int | None:
    given = os.environ.get(BUDGET, "")
    return int(given) * _MB if given.isascii() and given.isdigit() and len(given) < 12 else None
