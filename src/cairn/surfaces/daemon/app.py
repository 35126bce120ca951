"""The app: every route, its parameters and its errors; the same for the socket and for browsers."""

import asyncio
import contextlib
import json
import os
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from functools import partial
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from cairn import __version__
from cairn.errors import CairnError, NotIndexedError, UsageError
from cairn.surfaces.cli.through import PATH as COMMAND_PATH
from cairn.surfaces.daemon import looks
from cairn.surfaces.daemon.answers import HEADERS, envelope_answer, error_answer, json_answer, text_answer
from cairn.surfaces.daemon.commands import Client, House, jobs, run
from cairn.surfaces.daemon.desk import Desk, told
from cairn.surfaces.daemon.endpoints import ENDPOINTS, ROOT, TIMEOUT, Endpoint
from cairn.surfaces.daemon.events import stream
from cairn.surfaces.daemon.metrics import Metrics, resident_bytes
from cairn.surfaces.daemon.openapi import describe
from cairn.surfaces.daemon.parameters import Parameter, arguments, read
from cairn.surfaces.daemon.relay import answer as answer_tool
from cairn.surfaces.daemon.relay import relay
from cairn.surfaces.mcp.service import Service
from cairn.surfaces.mcp.through import PATH as TOOL_PATH
from cairn.surfaces.pool import open_handles
from cairn.values import dataclass, field

MOST_BODY_BYTES = 1 << 20
Values = dict[str, Any]
_FILE = Parameter("file", "string", "a file of the codebase, from its root on", None, required=True)
_KEPT = Parameter("limit", "integer", "how many", None, least=1, most=1_000, default=100)
_SOME_ROOT = Parameter("root", "string", "only this codebase", None)


@dataclass(slots=True)
class Daemon:
    """What the routes work with."""

    house: House
    desk: Desk
    watched: Callable[[], frozenset[str]] = frozenset
    stop: Callable[[], None] = lambda: None
    ending: asyncio.Event = field(default_factory=asyncio.Event)
    metrics: Metrics = field(default_factory=Metrics)

    def codebases(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = looks.codebases(self.house, self.watched())["codebases"]
        return found


@dataclass(frozen=True, slots=True)
class _Look:
    """A question that is no command."""

    path: str
    text: str
    parameters: tuple[Parameter, ...]
    answer: Callable[[Daemon, Values], dict[str, Any]]

    @property
    def taken(self) -> tuple[Parameter, ...]:
        return (*self.parameters, TIMEOUT)


_LOOKS = (
    _Look("/v1/codebases", "Every codebase and its state.", (), lambda d, _: {"codebases": d.codebases()}),
    _Look(
        "/v1/file",
        "A file's text as it is now, and whether the snapshot knows it so.",
        (_FILE, ROOT),
        lambda d, given: looks.file(d.house, given["root"], given["file"]),
    ),
    _Look(
        "/v1/snapshots",
        "Snapshots that are kept, the newest first.",
        (ROOT, _KEPT),
        lambda d, given: looks.snapshots(d.house, given["root"], given.get("limit", 100)),
    ),
    _Look(
        "/v1/reads", "What cached reads have saved.", (_SOME_ROOT,), lambda d, g: looks.reads(d.house, g.get("root"))
    ),
    _Look("/v1/jobs", "Refresh jobs of the semantic layer.", (ROOT,), lambda d, given: jobs(d.house, given["root"])),
)


def build(daemon: Daemon, service: Service, mcp: ASGIApp | None = None, page: tuple[BaseRoute, ...] = ()) -> Starlette:
    """The app; `page` adds the routes of the web page."""
    routes: list[BaseRoute] = [
        *(Route(each.path, _asked(daemon, each), methods=["GET"]) for each in ENDPOINTS),
        *(Route(each.path, _looked(daemon, each), methods=["GET"]) for each in _LOOKS),
        Route(COMMAND_PATH, partial(relay, daemon.house, daemon.desk), methods=["POST"]),
        Route(TOOL_PATH, partial(answer_tool, service, daemon.house, daemon.desk), methods=["POST"]),
        Route("/v1/ping", _ping, methods=["GET"]),
        Route("/v1/stop", partial(_stop, daemon), methods=["POST"]),
        Route("/v1/events", partial(_events, daemon), methods=["GET"]),
        Route("/openapi.json", _openapi, methods=["GET"]),
        Route("/metrics", partial(_metrics, daemon), methods=["GET"]),
        *page,
    ]
    if mcp is not None:
        routes.append(Route("/mcp", Admitted(daemon.desk, mcp)))
    app = Starlette(
        routes=routes,
        exception_handlers={CairnError: _failed, HTTPException: _no_route, Exception: _failed},
    )
    app.router.redirect_slashes = False
    app.add_middleware(Counted, daemon=daemon)
    return app


class Admitted:
    """Calls of another app, within the bounds of all requests: as many at once, and as many of one client."""

    def __init__(self, desk: Desk, app: ASGIApp) -> None:
        self._desk = desk
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        # A stream that is only listened to keeps nobody from working.
        if scope["method"] != "POST":
            await self._app(scope, receive, send)
            return
        with self._desk.counted(Request(scope)):
            await self._app(scope, receive, send)


class Counted:
    """Counts every request, how it ended and how long it took."""

    def __init__(self, app: ASGIApp, daemon: Daemon) -> None:
        self._app = app
        self._daemon = daemon

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
            path = scope["path"] if scope["path"] in _KNOWN else "other"
            self._daemon.metrics.count(path, status, time.perf_counter() - begun)


def _asked(daemon: Daemon, endpoint: Endpoint) -> Callable[[Request], Awaitable[Response]]:
    async def answer(request: Request) -> Response:
        values = read(endpoint.taken, request.query_params.multi_items())
        command, folder = _command(endpoint, values)
        said: list[str] = []

        def send(kind: str, text: str) -> None:
            if kind == "out":
                said.append(text)

        work = partial(run, daemon.house, command, Client(folder), send)
        code = await daemon.desk.answer(request, work, values.get(TIMEOUT.name))
        text = "".join(said)
        if code and (document := json.loads(text)).get("error"):
            return envelope_answer(document, code)
        return text_answer(text)

    return answer


def _command(endpoint: Endpoint, values: Values) -> tuple[list[str], str]:
    """The command line that a request means, and the folder that its paths start from."""
    root = values.get("root")
    several = bool(values.get("roots") or values.get("all"))
    names = {parameter.name for parameter in endpoint.parameters}
    if "root" in names and "roots" in names and (root is not None) == several:
        raise UsageError("Name one codebase with root, or several with roots or all.")
    command = endpoint.command
    if endpoint.command == "callers":
        command = "callees" if values.get("direction") == "callees" else "callers"
    found = arguments(command, endpoint.parameters, values)
    if values.get("direction") == "both":
        found.insert(1, "--both")
    if endpoint.syncs and not values.get("sync"):
        found.insert(1, "--no-sync")
    for each in (root, *values.get("roots", ())):
        if each is not None:
            looks.require_absolute(each)
    for each in (values.get("file"), values.get("place"), *values.get("files", ())):
        if each is not None:
            looks.require_beneath(str(root), each)
    return found, "/" if root is None else root


def _looked(daemon: Daemon, look: _Look) -> Callable[[Request], Awaitable[Response]]:
    async def answer(request: Request) -> Response:
        values = read(look.taken, request.query_params.multi_items())
        if values.get("root") is not None:
            looks.require_absolute(values["root"])
        document = await daemon.desk.answer(request, partial(look.answer, daemon, values), values.get(TIMEOUT.name))
        return json_answer(document)

    return answer


async def _ping(_: Request) -> Response:
    return json_answer({"version": __version__, "pid": os.getpid()})


async def _stop(daemon: Daemon, _: Request) -> Response:
    daemon.stop()
    return json_answer({"stopping": True})


async def _events(daemon: Daemon, request: Request) -> Response:
    leave = daemon.desk.admission.enter(f"{request.headers.get('cairn-client', '')}events")

    async def body() -> AsyncIterator[bytes]:
        try:
            async with contextlib.aclosing(stream(daemon.codebases, daemon.ending)) as told_events:
                async for each in told_events:
                    yield each
        finally:
            leave()

    return StreamingResponse(body(), headers=HEADERS, media_type="text/event-stream")


async def _openapi(_: Request) -> Response:
    return json_answer(DESCRIPTION)


async def _metrics(daemon: Daemon, _: Request) -> Response:
    house = daemon.house
    gauges = {
        "inside": house.admission.inside,
        "idle_codebases": house.pool.idle(),
        "watched_codebases": len(daemon.watched()),
        "open_handles": open_handles(),
        "resident_bytes": resident_bytes(),
        "started_seconds": daemon.metrics.started,
    }
    counters = {
        "refused_total": house.admission.refused,
        "syncs_total": house.syncs.done,
        "commands_run_total": house.commands["run"],
        "commands_left_total": house.commands["left"],
    }
    return PlainTextResponse(daemon.metrics.text(gauges, counters), headers=HEADERS)


async def _failed(_: Request, error: Exception) -> Response:
    if isinstance(error, ClientDisconnect):
        return Response(status_code=499)
    return error_answer(told(error))


async def _no_route(request: Request, error: Exception) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else 500
    if status == 405:
        allowed = (error.headers or {}) if isinstance(error, HTTPException) else {}
        found = UsageError(f"{request.method} is not allowed here.", hint="See /openapi.json.")
        return json_answer(found.envelope(), status, dict(allowed))
    return error_answer(NotIndexedError("There is nothing at this address.", hint="See /openapi.json."), status)


DESCRIPTION = describe(
    (each.path, each.path.rpartition("/")[2], each.text, each.taken) for each in (*ENDPOINTS, *_LOOKS)
)
_KNOWN = frozenset(
    (
        *(each.path for each in (*ENDPOINTS, *_LOOKS)),
        COMMAND_PATH,
        TOOL_PATH,
        "/v1/ping",
        "/v1/events",
        "/openapi.json",
        "/metrics",
    )
)
