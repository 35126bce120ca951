"""What a worker process does: batches of files in, prepared files out, until its socket closes."""

import pickle
import socket
from functools import partial
from typing import NoReturn

from cairn.base import children
from cairn.base.errors import IncompatibleError
from cairn.embed import Heritage
from cairn.indexing import wire
from cairn.indexing.channel import read_message, write_message
from cairn.indexing.prepare import ChunkLimits, FileSource, prepare_all
from cairn.indexing.vectors import with_vectors


def main(fd: int, heritage: Heritage | None = None) -> NoReturn:
    """Prepare the files that come in, until the other end closes."""
    children.serve(fd, partial(_serve, heritage=heritage))


def request(limits: ChunkLimits, sources: list[FileSource]) -> bytes:
    """The message that asks a worker to prepare some files."""
    return pickle.dumps((limits, sources), pickle.HIGHEST_PROTOCOL)


def _serve(end: socket.socket, heritage: Heritage | None) -> None:
    embedder = heritage.opened() if heritage is not None else None
    while True:
        limits, sources = pickle.loads(read_message(end))  # noqa: S301 - the parent wrote it
        try:
            files = prepare_all(sources, limits)
            if embedder is not None:
                files = with_vectors(files, embedder)
            write_message(end, wire.answer(files, embedder.take_notes() if embedder is not None else ()))
        except IncompatibleError as error:
            write_message(end, wire.refusal(error))
