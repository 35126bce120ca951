"""Messages between the parent and its workers: each is its length, then its bytes.

A parent that waited for a worker to read while that worker waits for the parent would wait for
ever, so the parent's end never waits: it moves what can be moved and comes back later.
"""

import select
import socket
import struct
from collections import deque
from collections.abc import Sequence

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
