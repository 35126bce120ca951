"""Forked children that do one kind of work through a pipe, and can be killed when they don't come back.

A fork has everything loaded already. Threads of the parent don't exist in the child, and locks they
held are never asked for there: it reads and writes its pipe and works, no more.
"""

import contextlib
import ctypes
import gc
import os
import signal
import socket
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import NoReturn, Self

_MANY = 1 << 20
_PDEATHSIG = 1


@dataclass(slots=True)
class Child:
    pid: int
    end: socket.socket
    """The parent's end of the pipe."""

    @classmethod
    def fork(cls, main: Callable[[int], NoReturn]) -> Self:
        """Start a child that runs `main` with the descriptor of its end of the pipe."""
        ours, theirs = socket.socketpair()
        with ours, theirs:
            with warnings.catch_warnings():
                # Later versions of Python warn of any fork beside threads; see above.
                warnings.simplefilter("ignore", DeprecationWarning)
                before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
                try:
                    pid = os.fork()
                    if pid == 0:
                        _be(main, theirs.detach())
                finally:
                    # A fork that fails must not leave its process deaf to Ctrl-C.
                    signal.pthread_sigmask(signal.SIG_SETMASK, before)
            return cls(pid, socket.socket(fileno=ours.detach()))

    def stop(self) -> None:
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
    """Be a child: work until the pipe closes.

    Never returns: what the parent would do next is not a child's business.
    """
    try:
        # Ctrl-C reaches the whole group; the parent decides what becomes of it.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT, signal.SIGTERM})
        _close_all_but(fd)
        # A parent that is killed takes its children along.
        ctypes.CDLL(None).prctl(_PDEATHSIG, signal.SIGKILL)
        # What is there came with the fork; looking through it would only copy its pages.
        gc.disable()
        with contextlib.suppress(EOFError, OSError):
            work(socket.socket(fileno=fd))
    finally:
        os._exit(0)


def _close_all_but(fd: int) -> None:
    """A lock that the parent holds must not live on in a child that outlives it by a moment."""
    null = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(null, stream)
    os.closerange(3, fd)
    os.closerange(fd + 1, min(os.sysconf("SC_OPEN_MAX"), _MANY))
