"""What goes around apps: the bounds of requests for those that others wrote, and the counting of all."""

import asyncio
import contextlib
import time
from collections.abc import Collection

from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from cairn.base.errors import DeadlineError
from cairn.daemon.desk import DEADLINE_AT, RequestDesk, deadline_of
from cairn.daemon.metrics import Metrics

_GRACE_S = 0.5
"""A call that knows its deadline says by itself that it has passed."""


class Admitted:
    """Calls of another app, within the bounds of all requests: so many at once, so many of one client, and in time."""

    def __init__(self, desk: RequestDesk, app: ASGIApp, ending: asyncio.Event | None = None) -> None:
        self._desk = desk
        self._app = app
        self._ending = ending or asyncio.Event()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope)
        if scope["method"] == "GET":
            # A stream that is only listened to keeps nobody from working, and ends with the daemon.
            leave = self._desk.listen(request)
            try:
                await self._until_it_ends(scope, receive, send)
            finally:
                leave()
            return
        limit = deadline_of(request, self._desk.admission, None)
        scope[DEADLINE_AT] = time.monotonic() + limit
        started = False

        async def sent(message: Message) -> None:
            nonlocal started
            started = True
            await send(message)

        with self._desk.counted(request):
            try:
                await asyncio.wait_for(self._app(scope, receive, sent), limit + _GRACE_S)
            except TimeoutError:
                if not started:
                    raise DeadlineError("The time that was given is over.", retry_after_ms=1_000) from None

    async def _until_it_ends(self, scope: Scope, receive: Receive, send: Send) -> None:
        stream = asyncio.ensure_future(self._app(scope, receive, send))
        ending = asyncio.ensure_future(self._ending.wait())
        try:
            await asyncio.wait((stream, ending), return_when=asyncio.FIRST_COMPLETED)
        finally:
            ending.cancel()
            stream.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await stream


class Counted:
    """Counts every request, how it ended and how long it took."""

    def __init__(self, app: ASGIApp, metrics: Metrics, known: Collection[str]) -> None:
        self._app = app
        self._metrics = metrics
        self._known = known

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        begun, status = time.perf_counter(), 0

        async def sent(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self._app(scope, receive, sent)
        finally:
            # A path that nobody serves is not remembered: anybody can make up any number of them.
            path = scope["path"] if scope["path"] in self._known else "other"
            self._metrics.count(path, status, time.perf_counter() - begun)
