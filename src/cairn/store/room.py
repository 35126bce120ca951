"""Room on the disk: some of it stays free, and all stores of a home keep a budget where the user sets one.

A publish that would break either is refused, and the last good snapshot stays.
"""

import contextlib
import os
import shutil

RESERVE_BYTES = 64 * 1024 * 1024
"""What a publish leaves free for everybody else."""
BUDGET = "CAIRN_DISK_BUDGET_MB"
_MB = 1024 * 1024


def room_fault(free: int, used: int | None, budget: int | None) -> str:
    """Why there is no room for another snapshot; empty when there is."""
    if free < RESERVE_BYTES:
        return f"only {free // _MB} MB are free on the disk, at least {RESERVE_BYTES // _MB} must stay so"
    if used is not None and budget is not None and used > budget:
        return f"the stores take {used // _MB} MB, {BUDGET} allows {budget // _MB}"
    return ""


def room_fault_at(store: str) -> str:
    """The same for the store at a path, beside which the other stores of its home lie."""
    free = shutil.disk_usage(store).free
    budget = _budget()
    # To count is to look at every file, so it is done only for those who want it.
    return room_fault(free, None if budget is None else size_of(os.path.dirname(store)), budget)


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
