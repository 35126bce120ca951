"""Connections: so many at once, so long to ask, and so long to take an answer.

Whoever connects may say nothing, half of a request, or never read what it is told. None of it costs
more than one of a limited number of connections for a limited time.
"""

import asyncio
import math
from collections.abc import Callable
from http import HTTPStatus
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

from cairn.base.errors import BusyError, CairnError, DeadlineError, UsageError
from cairn.base.text import json_text
from cairn.base.values import dataclass
from cairn.daemon.logbook import note
from cairn.surfaces.http.answers import HEADERS, request, status_of

_RETRY_MS = 1_000
_LINGER_S = 1.0
_LINGERING = 64
"""Connections beyond the most, which are only told so."""
_ASKING = (h11.IDLE, h11.SEND_BODY)
"""Where the other side is while its request is not whole."""


@dataclass(frozen=True, slots=True)
class Patience:
    """How many connections there may be, and how long each may keep us waiting."""

    most: int = 512
    ask_s: float = 10.0
    """From the connection, or the last answer, until a request is whole."""
    read_s: float = 60.0
    """How long an answer may lie unread."""


class Connections:
    """All connections of a daemon."""

    def __init__(self, patience: Patience) -> None:
        self.patience = patience
        self.open: dict[Connection, None] = {}
        """The oldest comes first."""
        self.refused = 0

    def protocol(self) -> Callable[..., "Connection"]:
        """What makes the protocol of a connection."""

        def made(*given: Any, **named: Any) -> Connection:
            return Connection(self, *given, **named)

        return made

    def enter(self, connection: "Connection") -> bool:
        """Take a connection in, if need be in the place of one that has not asked yet."""
        self.open[connection] = None
        if len(self.open) <= self.patience.most:
            return True
        silent = next((each for each in self.open if each.is_silent and each is not connection), None)
        if silent is not None:
            silent.drop()
            return True
        self.refused += 1
        note("connections", f"more than {self.patience.most} connections at once: the rest is told to come back")
        return False

    def leave(self, connection: "Connection") -> None:
        """A connection has ended."""
        self.open.pop(connection, None)


class Connection(H11Protocol):
    """One connection."""

    def __init__(self, connections: Connections, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self._connections = connections
        self._asks_by = _Timer(self.loop, connections.patience.ask_s, self._too_late)
        self._reads_by = _Timer(self.loop, connections.patience.read_s, self.drop)
        self._over = False
        """Whether nothing that is said counts any more."""
        self._unread = False
        """Whether some of an answer is still to be read, though all of it may have been given."""

    @property
    def is_silent(self) -> bool:
        """Whether there is no request that is whole, or being answered, and no answer that is being read."""
        return not self._over and not self._unread and self.conn.their_state in _ASKING and self._is_unanswered

    @property
    def _asked(self) -> RequestResponseCycle | None:
        """The request that is under way, or was last."""
        return self.cycle

    @property
    def _is_unanswered(self) -> bool:
        asked = self._asked
        return asked is None or asked.response_complete or not asked.response_started

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Take the connection on, or refuse it where there are too many."""
        super().connection_made(transport)
        # What is not in the hands of the system yet is unread, however little it is.
        transport.set_write_buffer_limits(high=0)
        if self._connections.enter(self):
            self._mind()
        elif len(self._connections.open) > self._connections.patience.most + _LINGERING:
            self.drop()
        else:
            self._end_with(BusyError("The daemon has too many connections.", retry_after_ms=_RETRY_MS))

    def connection_lost(self, exc: Exception | None) -> None:
        """Leave the count, and stop the timers."""
        self._over = True
        self._connections.leave(self)
        self._asks_by.stop()
        self._reads_by.stop()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Parse what came, unless the connection is being ended."""
        if not self._over:
            super().data_received(data)
            self._mind()

    def on_response_complete(self) -> None:
        """Wait for the next request from now on."""
        super().on_response_complete()
        self._mind()

    def shutdown(self) -> None:
        """The daemon ends: what is being answered is answered, and what is not even asked is not waited for."""
        asked = self._asked
        if self.is_silent and asked is not None and not asked.response_complete:
            self._end_with(BusyError("The daemon is about to end.", retry_after_ms=_RETRY_MS))
        elif not self._over:
            super().shutdown()

    def pause_writing(self) -> None:
        """The client doesn't read: it has a limited time to go on."""
        super().pause_writing()
        self._unread = True
        self._reads_by.start()
        self._mind()

    def resume_writing(self) -> None:
        """The client reads again."""
        self._unread = False
        self._reads_by.stop()
        self._mind()
        super().resume_writing()

    def send_400_response(self, msg: str) -> None:
        """Answer what is no HTTP with an error of Cairn, and end the connection."""
        self._end_with(UsageError("This is no HTTP request.", hint="See /openapi.json."))

    def _unsupported_upgrade_warning(self) -> None:
        """Whoever asks for another protocol is answered in this one; the library would tell users what to install."""

    def drop(self) -> None:
        """Close without a word; what was to be answered is called off."""
        self._over = True
        self._connections.leave(self)
        self.transport.abort()

    def _mind(self) -> None:
        """See to it that a request becomes whole in time; whoever reads an answer need not ask meanwhile."""
        if self._over or self._unread or self.conn.their_state not in _ASKING:
            self._asks_by.stop()
        else:
            self._asks_by.start()

    def _too_late(self) -> None:
        begun = self.conn.trailing_data[0] or self.conn.their_state is h11.SEND_BODY
        if begun and self._is_unanswered:
            late = DeadlineError("The request was not whole in time.", retry_after_ms=_RETRY_MS)
            self._end_with(late, HTTPStatus.REQUEST_TIMEOUT)
        else:
            self.drop()

    def _end_with(self, error: CairnError, status: int | None = None) -> None:
        """Answer here and now, and listen no more: whoever waits for the rest of the request hears that it is over."""
        self._over = True
        self._mind()
        self._unset_keepalive_if_required()
        asked = self._asked
        if asked is not None:
            asked.disconnected = True
            asked.message_event.set()
        body = json_text(error.envelope(request)).encode("utf-8", "backslashreplace")
        pause = error.retry_after_ms
        headers = [
            *HEADERS.items(),
            *([("Retry-After", str(math.ceil(pause / 1000)))] if pause is not None else []),
            ("Content-Type", "application/json"),
            ("Content-Length", str(len(body))),
            ("Connection", "close"),
        ]
        chosen = HTTPStatus(status or status_of(error.envelope(), error.exit_code))
        head = "".join(f"{name}: {value}\r\n" for name, value in headers)
        self.transport.write(f"HTTP/1.1 {chosen.value} {chosen.phrase}\r\n{head}\r\n".encode("ascii") + body)
        # What is still on its way here would turn the answer into an error if the connection were closed at once.
        if self.transport.can_write_eof():
            self.transport.write_eof()
        self.loop.call_later(_LINGER_S, self.transport.abort)


class _Timer:
    """Calls once, so long after it was first started; starting it again doesn't put it off."""

    def __init__(self, loop: asyncio.AbstractEventLoop, after_s: float, due: Callable[[], None]) -> None:
        self._loop = loop
        self._after_s = after_s
        self._due = due
        self._handle: asyncio.TimerHandle | None = None

    def start(self) -> None:
        if self._handle is None:
            self._handle = self._loop.call_later(self._after_s, self._due)

    def stop(self) -> None:
        if self._handle is not None:
            self._handle.cancel()
            self._handle = None
