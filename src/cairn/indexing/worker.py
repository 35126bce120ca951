"""What a worker process does: batches of files in, prepared files out, until its socket closes."""

import pickle
import socket
from functools import partial
from typing import NoReturn

from cairn import children
from cairn.embed import CachedEmbedder, Inheritable
from cairn.errors import IncompatibleError
from cairn.indexing import wire
from cairn.indexing.channel import read_message, write_message
from cairn.indexing.prepare import Limits, Source, prepare
from cairn.indexing.vectors import with_vectors


def main(fd: int, embedder: Inheritable | None = None) -> NoReturn:
    cached = CachedEmbedder(embedder) if embedder is not None else None
    children.serve(fd, partial(_serve, embedder=cached))


def request(limits: Limits, sources: list[Source]) -> bytes:
    return pickle.dumps((limits, sources), pickle.HIGHEST_PROTOCOL)


def _serve(end: socket.socket, embedder: CachedEmbedder | None) -> None:
    while True:
        limits, sources = pickle.loads(read_message(end))  # noqa: S301 - the parent wrote it
        try:
            files = [prepare(source, limits) for source in sources]
            write_message(end, wire.answer(files if embedder is None else with_vectors(files, embedder)))
        except IncompatibleError as error:
            write_message(end, wire.refusal(error))
