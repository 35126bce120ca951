"""What a worker process does: batches of files in, prepared files out, until the pipe closes."""

import ctypes
import gc
import os
import signal
from multiprocessing.connection import Connection
from typing import NoReturn

from cairn.errors import IncompatibleError
from cairn.indexing.prepare import prepare

_MANY = 1 << 20
_PDEATHSIG = 1


def main(fd: int) -> NoReturn:
    """Never returns: what the parent would do next is not a child's business."""
    try:
        # Ctrl-C reaches the whole group; the parent decides what becomes of it.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT, signal.SIGTERM})
        _close_all_but(fd)
        # A parent that is killed takes its workers along.
        ctypes.CDLL(None).prctl(_PDEATHSIG, signal.SIGKILL)
        # What is there came with the fork; looking through it would only copy its pages.
        gc.disable()
        _serve(Connection(fd))
    finally:
        os._exit(0)


def _serve(pipe: Connection) -> None:
    while True:
        try:
            limits, sources = pipe.recv()
            pipe.send([prepare(source, limits) for source in sources])
        except IncompatibleError as error:
            pipe.send((error.message, error.hint))
        except (EOFError, OSError):
            return


def _close_all_but(fd: int) -> None:
    """A lock that the parent holds must not live on in a child that outlives it by a moment."""
    null = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(null, stream)
    os.closerange(3, fd)
    os.closerange(fd + 1, min(os.sysconf("SC_OPEN_MAX"), _MANY))
