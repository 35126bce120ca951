"""A worker process: batches of files in, prepared files out, until its socket closes.

Each message is its length, then its bytes. A parent that waited for a worker to read while that worker waits for the
parent would wait for ever, so the parent's end never waits: it moves what can be moved and comes back later.
"""

import marshal
import pickle
import select
import socket
import struct
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from operator import attrgetter
from typing import Any, NoReturn

from cairn.base import children
from cairn.base.errors import IncompatibleError
from cairn.base.notes import Note, note_from
from cairn.embed import Heritage
from cairn.indexing.memory import data_bytes, keep_within
from cairn.indexing.prepare import ChunkLimits, FileSource, Prepared, prepare_all
from cairn.indexing.vectors import with_vectors
from cairn.store import EdgeRow, FileRow, PackedFile, Terms

_LENGTH = struct.Struct("!Q")


class Channel:
    """The parent's end of a worker's socket."""

    def __init__(self, end: socket.socket) -> None:
        end.setblocking(False)
        self._socket = end
        self._out: deque[memoryview] = deque()
        self._in = _Incoming()

    def fileno(self) -> int:
        """The descriptor of the socket, for whoever waits on several channels."""
        return self._socket.fileno()

    def send(self, message: bytes) -> None:
        """Take a message on its way; what the worker has no room for yet goes with a later `move`."""
        self._out += (memoryview(_LENGTH.pack(len(message))), memoryview(message))
        self._flush()

    @property
    def unsent(self) -> bool:
        """Whether something is still to be sent."""
        return bool(self._out)

    def move(self) -> tuple[list[memoryview], bool]:
        """Write and read what can be; the messages that came, and whether the worker is still there."""
        try:
            self._flush()
            alive = True
        except OSError:
            alive = False  # what it has said before it went is still to be read
        came: list[memoryview] = []
        try:
            while (size := self._socket.recv_into(self._in.room)) > 0:
                message = self._in.filled(size)
                if message is not None:
                    came.append(message)
            return came, False
        except BlockingIOError:
            return came, alive
        except OSError:
            return came, False

    def close(self) -> None:
        """Close this end of the channel."""
        self._socket.close()

    def _flush(self) -> None:
        while self._out:
            try:
                size = self._socket.send(self._out[0])
            except BlockingIOError:
                return
            if size < len(self._out[0]):
                self._out[0] = self._out[0][size:]
            else:
                self._out.popleft()


class _Incoming:
    """A message in the making: first the bytes of its length, then its own."""

    def __init__(self) -> None:
        self._expect(_LENGTH.size, is_length=True)

    @property
    def room(self) -> memoryview:
        return self._buffer[self._filled :]

    def filled(self, size: int) -> memoryview | None:
        """Count bytes that were put into `room`; the message, when it is whole."""
        self._filled += size
        if self._filled < len(self._buffer):
            return None
        whole = self._buffer
        if self._is_length:
            (length,) = _LENGTH.unpack(whole)
            if length:
                self._expect(length, is_length=False)
                return None
            # There is nothing to wait for, and reading nothing looks like the end.
            whole = whole[:0]
        self._expect(_LENGTH.size, is_length=True)
        return whole

    def _expect(self, size: int, *, is_length: bool) -> None:
        self._buffer = memoryview(bytearray(size))
        self._filled = 0
        self._is_length = is_length


def wait(channels: Sequence[Channel], timeout_s: float) -> frozenset[int]:
    """The descriptors of channels that have something to move, after at most some seconds."""
    poll = select.poll()
    for channel in channels:
        poll.register(channel.fileno(), select.POLLIN | (select.POLLOUT if channel.unsent else 0))
    # Rounded up: a wait that ends a moment too early would be repeated without a pause.
    return frozenset(fd for fd, _ in poll.poll(int(timeout_s * 1000) + (timeout_s > 0)))


def read_message(end: socket.socket) -> memoryview:
    """The worker's side: wait for the next message; EOFError when the parent has closed."""
    (length,) = _LENGTH.unpack(_read(end, _LENGTH.size))
    return _read(end, length)


def write_message(end: socket.socket, message: bytes) -> None:
    """Send one whole message, with its length before it."""
    end.sendall(_LENGTH.pack(len(message)))
    end.sendall(message)


def _read(end: socket.socket, size: int) -> memoryview:
    whole = memoryview(bytearray(size))
    at = 0
    while at < size:
        got = end.recv_into(whole[at:])
        if not got:
            raise EOFError
        at += got
    return whole


# Prepared files go to the parent as plain tuples, which `marshal` moves fastest. Both ends are one program, the worker
# a fork of the parent, so the format has no versions.
def _rebuilt(kind: Any, part: Sequence[tuple[Any, ...]]) -> tuple[Any, ...]:
    # What a named tuple's own `_make` does, without a step of Python for each.
    return tuple(map(partial(tuple.__new__, kind), part))


def _packed(file: tuple[Any, ...], edges: Sequence[tuple[Any, ...]], *blocks: Any) -> PackedFile:
    return PackedFile(FileRow(*file), edges=_rebuilt(EdgeRow, edges), **dict(zip(_BLOCKS, blocks, strict=True)))


_BLOCKS = tuple(name for name in PackedFile.__match_args__ if name not in ("file", "edges"))
_blocks = attrgetter(*_BLOCKS)
_PARTS = Prepared.__match_args__
# A part that isn't named here is plain already.
_FLATTEN: Mapping[str, Callable[[Any], Any]] = {
    "packed": lambda packed: (tuple(packed.file), [*map(tuple, packed.edges)], *_blocks(packed)),
    "terms": lambda terms: [*map(tuple, terms)],
}
_BUILD: Mapping[str, Callable[[Any], Any]] = {
    "packed": lambda values: _packed(*values),
    "terms": partial(_rebuilt, Terms),
}


def answer(files: Sequence[Prepared], notes: Sequence[Note] = ()) -> bytes:
    """The message that brings prepared files back."""
    return marshal.dumps((None, [_flat(file) for file in files], [note.document() for note in notes]))


def refusal(error: IncompatibleError) -> bytes:
    """The message that says why files can't be prepared here."""
    return marshal.dumps(((error.message, str(error.hint)), [], ()))


def accept(message: bytes | memoryview) -> tuple[list[Prepared], list[Note]]:
    """What a worker answered and what it has to say, or the error that it met."""
    refused, files, notes = marshal.loads(message)  # noqa: S302 - a fork of this very process wrote it
    if refused is not None:
        raise IncompatibleError(refused[0], hint=refused[1])
    return [_built(values) for values in files], [*map(note_from, notes)]


def _flat(file: Prepared) -> tuple[Any, ...]:
    return tuple(_FLATTEN[name](value) if name in _FLATTEN else value for name, value in _parts(file))


def _parts(file: Prepared) -> list[tuple[str, Any]]:
    return [(name, getattr(file, name)) for name in _PARTS]


def _built(values: Sequence[Any]) -> Prepared:
    return Prepared(
        *(_BUILD[name](value) if name in _BUILD else value for name, value in zip(_PARTS, values, strict=True))
    )


def main(fd: int, heritage: Heritage | None = None) -> NoReturn:
    """Prepare the files that come in, until the other end closes."""
    children.serve(fd, partial(_serve, heritage=heritage))


def request(limits: ChunkLimits, sources: list[FileSource], memory: int) -> bytes:
    """The message that asks a worker to prepare some files with so many bytes of memory."""
    return pickle.dumps((limits, sources, memory), pickle.HIGHEST_PROTOCOL)


def _serve(end: socket.socket, heritage: Heritage | None) -> None:
    inherited = data_bytes()
    embedder = heritage.opened() if heritage is not None else None
    while True:
        limits, sources, memory = pickle.loads(read_message(end))  # noqa: S301 - the parent wrote it
        keep_within(inherited + memory)
        try:
            files = prepare_all(sources, limits)
            if embedder is not None:
                files = with_vectors(files, embedder)
            write_message(end, answer(files, embedder.take_notes() if embedder is not None else ()))
        except IncompatibleError as error:
            write_message(end, refusal(error))
