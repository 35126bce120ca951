"""What a worker process does: batches of files in, prepared files out, until the pipe closes."""

from multiprocessing.connection import Connection
from typing import NoReturn

from cairn import children
from cairn.errors import IncompatibleError
from cairn.indexing.prepare import prepare


def main(fd: int) -> NoReturn:
    children.serve(fd, _serve)


def _serve(pipe: Connection) -> None:
    while True:
        limits, sources = pipe.recv()
        try:
            pipe.send([prepare(source, limits) for source in sources])
        except IncompatibleError as error:
            pipe.send((error.message, error.hint))
