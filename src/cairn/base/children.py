"""Forked children that do one kind of work through a pipe, and can be killed when they don't come back.

A fork has every module loaded already. The parent's threads don't exist in the child, so a lock that one of them
held stays locked there: the child only works and uses its pipe, and never takes such a lock.
"""

import contextlib
import gc
import os
import signal
import socket
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import NoReturn, Self

from cairn.base import system

_MANY = 1 << 20


@dataclass(slots=True)
class Child:
    """A forked process, and the parent's end of the pipe to it."""

    pid: int
    end: socket.socket
    """The parent's end of the pipe."""

    @classmethod
    def fork(cls, main: Callable[[int], NoReturn]) -> Self:
        """Start a child that runs `main` with the descriptor of its end of the pipe."""
        ours, theirs = socket.socketpair()
        with ours, theirs:
            with warnings.catch_warnings():
                # Later versions of Python warn about a fork beside threads; the module's docstring says why it is safe.
                warnings.simplefilter("ignore", DeprecationWarning)
                # LanceDB does in each child of a process that has loaded it; no child of ours ever uses it.
                warnings.filterwarnings("ignore", "lancedb fork support", RuntimeWarning)
                before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
                try:
                    pid = os.fork()
                    if pid == 0:
                        _be(main, theirs.detach())
                finally:
                    # If the fork fails, this process must still react to Ctrl-C.
                    signal.pthread_sigmask(signal.SIG_SETMASK, before)
            return cls(pid, socket.socket(fileno=ours.detach()))

    def stop(self) -> None:
        """Kill the process and wait until it is gone."""
        self.end.close()
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)
        with contextlib.suppress(ChildProcessError):
            os.waitpid(self.pid, 0)

    def died_of(self) -> int:
        """The signal that ended a process whose pipe is closed; 0 when it ended by itself."""
        self.end.close()
        with contextlib.suppress(ChildProcessError):
            _, status = os.waitpid(self.pid, 0)
            return os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
        return 0


def _be(main: Callable[[int], NoReturn], fd: int) -> NoReturn:
    try:
        main(fd)
    finally:
        os._exit(1)


def serve(fd: int, work: Callable[[socket.socket], None]) -> NoReturn:
    """Work as a child until the pipe closes, then exit.

    It never returns, because the code that follows the fork is meant for the parent.
    """
    try:
        # Ctrl-C reaches the whole process group; the parent decides what to do about it.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT, signal.SIGTERM})
        _close_all_but(fd)
        # If the parent is killed, the child is killed too.
        system.die_with_parent(signal.SIGKILL)
        # All objects came with the fork; a collection would only copy their memory pages.
        gc.disable()
        with contextlib.suppress(EOFError, OSError):
            work(socket.socket(fileno=fd))
    finally:
        os._exit(0)


def _close_all_but(fd: int) -> None:
    """Close inherited files, so that a lock of the parent ends with the parent."""
    null = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(null, stream)
    os.closerange(3, fd)
    os.closerange(fd + 1, min(os.sysconf("SC_OPEN_MAX"), _MANY))
