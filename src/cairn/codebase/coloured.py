"""Colours of texts, made by a process of their own: a grammar is foreign code fed with foreign text.

It may crash, never come back, or want all the memory there is. Then its process is ended, the text stays plain, and
nobody else waits for longer than that took. What was found is kept for a while: the same text is looked at often.
"""

import contextlib
import dataclasses
import marshal
import socket
import threading
import time
from collections import OrderedDict
from functools import partial
from typing import NoReturn

from cairn.base import children
from cairn.base.children import Child
from cairn.base.errors import IncompatibleError
from cairn.base.values import dataclass
from cairn.indexing.memory import data_bytes, keep_within, memory_limit, need_of, workers_room
from cairn.indexing.worker import Channel, read_message, wait, write_message
from cairn.syntax.colours import colours_of

PATIENCE_S = 15.0
_LIVES = 2
"""Somebody else may have killed the first process."""
_MOST_KNOWN = 2_000_000
"""How many numbers are kept in all."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """Some lines of a text, or all of it: whatever stands in the text itself is what is coloured."""

    path: str
    language: str
    data: bytes
    file_hash: str
    first: int = 1
    last: int | None = None


class Colourist:
    """The process, started with the first text and again after each that it could not bear; for any thread."""

    def __init__(self, patience_s: float = PATIENCE_S) -> None:
        self._patience_s = patience_s
        self._guard = threading.Lock()
        self._process: _Process | None = None
        self._known: OrderedDict[object, list[int]] = OrderedDict()
        self._numbers = 0

    def colours(self, stretch: Stretch) -> list[int]:
        """The pieces of a stretch as `colours_of` gives them; none for what no grammar could bear."""
        if not stretch.data:
            return []
        key = (stretch.path, stretch.language, stretch.file_hash, stretch.first, stretch.last)
        with self._guard:
            known = self._known.get(key)
            if known is None:
                known = self._made(stretch)
                self._keep(key, known)
            self._known.move_to_end(key)
            return known

    def close(self) -> None:
        """End the process."""
        with self._guard:
            self._end()

    def _keep(self, key: object, found: list[int]) -> None:
        self._known[key] = found
        self._numbers += len(found)
        while self._numbers > _MOST_KNOWN and len(self._known) > 1:
            self._numbers -= len(self._known.popitem(last=False)[1])

    def _made(self, stretch: Stretch) -> list[int]:
        for _ in range(_LIVES):
            begun = time.monotonic()
            self._process = self._process or _Process.fork(_main)
            found = self._process.asked(stretch, begun + self._patience_s)
            if found is not None:
                return found
            self._end()
            if time.monotonic() - begun >= self._patience_s:
                break
        return []

    def _end(self) -> None:
        if self._process is not None:
            self._process.stop()
            self._process = None


@dataclasses.dataclass(slots=True)
class _Process(Child):
    channel: Channel = dataclasses.field(init=False)

    def __post_init__(self) -> None:
        self.channel = Channel(self.end)

    def asked(self, stretch: Stretch, deadline: float) -> list[int] | None:
        """The answer of the process; None where it died, or has none by then."""
        channel = self.channel
        memory = need_of(len(stretch.data), workers_room(memory_limit()))
        try:
            channel.send(
                marshal.dumps((stretch.path, stretch.language, stretch.data, stretch.first, stretch.last, memory))
            )
        except OSError:
            return None
        while (left := deadline - time.monotonic()) > 0:
            if wait([channel], left):
                came, alive = channel.move()
                if came:
                    found: list[int] = marshal.loads(came[0])  # noqa: S302 - a fork of this very process wrote it
                    return found
                if not alive:
                    return None
        return None


def _main(fd: int) -> NoReturn:
    children.serve(fd, partial(_serve, inherited=data_bytes()))


def _serve(end: socket.socket, inherited: int) -> None:
    while True:
        path, language, data, first, last, memory = marshal.loads(read_message(end))  # noqa: S302 - the parent wrote it
        keep_within(inherited + memory)
        found: list[int] = []
        # A grammar that isn't there in its version is no reason to end; `doctor` tells of it.
        with contextlib.suppress(IncompatibleError):
            found = colours_of(path, language, data, first, last)
        write_message(end, marshal.dumps(found))
