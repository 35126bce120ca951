"""What a worker process does: batches of files in, prepared files out, until its socket closes."""

import ctypes
import gc
import os
import pickle
import signal
import socket
from typing import NoReturn

from cairn.embed import CachedEmbedder, Inheritable
from cairn.errors import IncompatibleError
from cairn.indexing import wire
from cairn.indexing.channel import read_message, write_message
from cairn.indexing.prepare import Limits, Source, prepare
from cairn.indexing.vectors import with_vectors

_MANY = 1 << 20
_PDEATHSIG = 1


def main(fd: int, embedder: Inheritable | None = None) -> NoReturn:
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
        _serve(socket.socket(fileno=fd), CachedEmbedder(embedder) if embedder is not None else None)
    finally:
        os._exit(0)


def request(limits: Limits, sources: list[Source]) -> bytes:
    return pickle.dumps((limits, sources), pickle.HIGHEST_PROTOCOL)


def _serve(end: socket.socket, embedder: CachedEmbedder | None) -> None:
    while True:
        try:
            limits, sources = pickle.loads(read_message(end))  # noqa: S301 - the parent wrote it
            files = [prepare(source, limits) for source in sources]
            write_message(end, wire.answer(files if embedder is None else with_vectors(files, embedder)))
        except IncompatibleError as error:
            write_message(end, wire.refusal(error))
        except (EOFError, OSError):
            return


def _close_all_but(fd: int) -> None:
    """A lock that the parent holds must not live on in a child that outlives it by a moment."""
    null = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(null, stream)
    os.closerange(3, fd)
    os.closerange(fd + 1, min(os.sysconf("SC_OPEN_MAX"), _MANY))
