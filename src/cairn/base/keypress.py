"""When the user pressed the key: a command counts its time from there, so that starting Python counts too."""

import os
import time

from cairn.base import system

_CLOCK = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)
"""The clock that the system tells the start of a process by; it is one for all processes of a machine."""
_MOST_S = 60.0
"""Nobody's interpreter takes longer to start: what says so means another clock."""
_pressed: list[float] = []


def now() -> float:
    """This moment, in seconds, for any process of this machine."""
    return time.clock_gettime(_CLOCK)


def pressed(at: float | None = None) -> None:
    """Remember when the command began: at the start of this process unless another moment is given."""
    _pressed[:] = [_started() if at is None else at]


def moment() -> float:
    """When the command began that runs in this process."""
    if not _pressed:
        pressed(now())
    return _pressed[0]


def elapsed_ms(since: float | None = None) -> float:
    """Milliseconds since a moment: since the key press if none is given."""
    return max(0.0, now() - (moment() if since is None else since)) * 1000


def _started() -> float:
    """The start of this process; now where the system doesn't tell."""
    current = now()
    try:
        # The command's name stands in parentheses and may hold anything.
        ticks = int(system.proc("self/stat").rpartition(b")")[2].split()[19])
        begun = ticks / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError, IndexError):
        return current
    return begun if 0 <= current - begun <= _MOST_S else current
