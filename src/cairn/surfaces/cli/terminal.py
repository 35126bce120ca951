"""The terminal of this process, asked with little: a client of the daemon loads this before anything else."""

import os
import sys


def columns() -> int | None:
    """The width of the terminal, as `shutil.get_terminal_size` finds it; None or 0 where there is none."""
    given = os.environ.get("COLUMNS", "")
    if given.isdigit() and int(given) > 0:
        return int(given)
    try:
        return os.get_terminal_size(sys.__stdout__.fileno()).columns if sys.__stdout__ is not None else None
    except (OSError, ValueError, AttributeError):
        return None
