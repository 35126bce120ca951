"""Who a process is, and whether it is proven dead.

A pid alone proves nothing: it is reused, and means something else in another container or after a
reboot. Only the same boot and the same pid namespace let a missing process, or another start
time, prove that the owner is gone.
"""

import os
from typing import Any

from cairn.base import system
from cairn.base.values import dataclass


@dataclass(frozen=True, slots=True)
class Owner:
    """The identity of a process on this machine."""

    pid: int
    started: str
    """Start time in clock ticks since boot, as the system tells it."""
    boot_id: str
    pid_namespace: str
    hostname: str

    def document(self) -> dict[str, Any]:
        """The owner as it is written into a lease."""
        return {
            "pid": self.pid,
            "process_started": self.started,
            "boot_id": self.boot_id,
            "pid_namespace": self.pid_namespace,
            "hostname": self.hostname,
        }


def this_process() -> Owner:
    """This process as an owner."""
    pid = os.getpid()
    return Owner(pid, _started(pid) or _UNKNOWN, _boot_id(), _pid_namespace(), os.uname().nodename)


def owner_from(document: dict[str, Any]) -> Owner | None:
    """The owner that a lock or lease file names; None when it names none."""
    try:
        return Owner(
            int(document["pid"]),
            str(document["process_started"]),
            str(document["boot_id"]),
            str(document["pid_namespace"]),
            str(document["hostname"]),
        )
    except (KeyError, TypeError, ValueError):
        return None


def is_proven_dead(owner: Owner | None) -> bool:
    """Whether the process can't act any more; False while there is any doubt."""
    if owner is None or not owner.boot_id or not owner.pid_namespace or owner.started in ("", _UNKNOWN):
        return False
    if owner.boot_id != _boot_id() or owner.pid_namespace != _pid_namespace():
        return False
    return _started(owner.pid) not in (owner.started, _UNKNOWN)


def is_proven_alive(owner: Owner | None) -> bool:
    """Whether the very process is still there; False while there is any doubt."""
    return (
        owner is not None
        and owner.started not in ("", _UNKNOWN)
        and (owner.boot_id, owner.pid_namespace) == (_boot_id(), _pid_namespace())
        and _started(owner.pid) == owner.started
    )


_UNKNOWN = "unknown"


def _started(pid: int) -> str | None:
    """A living process's start time; None for one that is gone or only waits to be reaped."""
    try:
        text = system.proc(f"{pid}/stat").decode("utf-8", "replace")
    except (FileNotFoundError, ProcessLookupError):
        # Where the system hides the processes of others, a missing entry proves nothing.
        return None if _may_see(pid) else _UNKNOWN
    except OSError:
        return _UNKNOWN
    # The command's name stands in parentheses and may hold anything.
    fields = text.rpartition(")")[2].split()
    return None if fields[0] in ("Z", "X") else fields[19]


def _may_see(pid: int) -> bool:
    """Whether the process is really gone: a signal that is not sent asks the kernel itself."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    except (PermissionError, OverflowError, OSError):
        return False
    return False


def _boot_id() -> str:
    try:
        return system.proc("sys/kernel/random/boot_id").decode("ascii").strip()
    except OSError:
        return ""


def _pid_namespace() -> str:
    try:
        return system.proc_link("self/ns/pid")
    except OSError:
        return ""
