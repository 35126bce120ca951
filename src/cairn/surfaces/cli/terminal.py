"""The terminal of this process, asked with little: a client of the daemon loads this before anything else."""

import os
import sys


def columns() -> int | None:
    """The width of the terminal, as `shutil.get_terminal_size` finds it; None or 0 where there is none."""
    return _given("COLUMNS") or _size()[0]


def rows() -> int | None:
    """The height of the terminal; None or 0 where there is none."""
    return _given("LINES") or _size()[1]


def _given(name: str) -> int:
    given = os.environ.get(name, "")
    return int(given) if given.isdecimal() else 0


def _size() -> "tuple[int | None, int | None]":
    try:
        found = os.get_terminal_size(sys.__stdout__.fileno()) if sys.__stdout__ is not None else None
    except (OSError, ValueError, AttributeError):
        found = None
    return (None, None) if found is None else (found.columns, found.lines)
