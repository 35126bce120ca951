"""The app: every route, its parameters and its errors; the same for the socket and for browsers."""

import asyncio
import os
from collections.abc import Awaitable, Callable
from functools import partial
from typing import TypedDict

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp

from cairn import __version__
from cairn.base.errors import CairnError, UnknownAddressError, UsageError
from cairn.base.tally import tallied
from cairn.base.text import json_text
from cairn.codebase.ledger import record_later
from cairn.codebase.pool import open_handles
from cairn.config.user import cairn_home
from cairn.daemon.client import COMMAND_PATH, FRAMES, TOOL_PATH
from cairn.daemon.desk import as_cairn_error
from cairn.daemon.host import HouseHost, scarcity_reported
from cairn.daemon.metrics import METRICS, resident_bytes
from cairn.questions.asking import ask
from cairn.questions.fields import schema_of
from cairn.questions.question import Body, Document
from cairn.surfaces.http import about, files, looks, uses
from cairn.surfaces.http.answers import CANCELLED, HEADERS, Streamed, error_answer, json_answer, raw_answer, spelling
from cairn.surfaces.http.answers import request as as_request
from cairn.surfaces.http.editing import EDITS, edit
from cairn.surfaces.http.endpoints import ENDPOINTS, ROOT, TIMEOUT, Endpoint, read
from cairn.surfaces.http.events import EVENTS, Sight, stream
from cairn.surfaces.http.following import SHOWN, FileSight, shown_files, state_of
from cairn.surfaces.http.lookups import FILE, LOOKS
from cairn.surfaces.http.openapi import NOTHING, Operation, describe
from cairn.surfaces.http.served import Daemon, Look, Values
from cairn.surfaces.http.session import SESSION_PATH, start_session
from cairn.surfaces.http.wrappers import Admitted, Counted
from cairn.workspace.permission import DOOR, Door, require_put_up


class _Ping(TypedDict):
    version: str
    pid: int


class _Stopping(TypedDict):
    stopping: bool


_OTHERS = (
    *(Operation(each.path, each.text, each.taken, each.answer) for each in about.ENDPOINTS),
    Operation(uses.ENDPOINT.path, uses.ENDPOINT.text, uses.ENDPOINT.taken, media_type=FRAMES),
    *(
        Operation(path, text, (*taken, TIMEOUT), answer={"type": "object"}, method="post")
        for path, (text, taken) in EDITS.items()
    ),
    Operation("/v1/raw", "A file as it is now, as plain text.", (FILE, ROOT, TIMEOUT), media_type="text/plain"),
    Operation("/v1/ping", "Whether the daemon is there.", answer=schema_of(_Ping)),
    Operation(
        "/v1/stop", "End the daemon; what is being answered is answered.", answer=schema_of(_Stopping), method="post"
    ),
    Operation(
        SESSION_PATH,
        "Exchange the token for the cookie of the page; only over TCP, since the socket needs neither.",
        media_type=NOTHING,
        method="post",
    ),
    Operation(
        "/v1/events",
        "Server-sent events: `hello` with all roots, `codebase` with its state whenever that changes, `gone` with the "
        "root of one that is not tracked any more, and `file` with the version of a file that is named whenever its "
        "content is another.",
        SHOWN,
        media_type=EVENTS,
    ),
    Operation(
        COMMAND_PATH,
        "A command of the command line, run for the process of the user: lines of [kind, value].",
        media_type=FRAMES,
        method="post",
        body={"type": "object"},
    ),
    Operation(
        TOOL_PATH,
        "A question of an MCP client, answered for its server on this machine: lines of [kind, value].",
        media_type=FRAMES,
        method="post",
        body={"type": "object"},
    ),
    Operation("/mcp", "The MCP tools over streamable HTTP.", method="post", body={"type": "object"}, foreign=True),
    Operation("/metrics", "Counts for Prometheus.", media_type=METRICS),
    Operation("/openapi.json", "This description.", answer={"type": "object"}),
)


def build(
    daemon: Daemon,
    others: tuple[BaseRoute, ...] = (),
    mcp: ASGIApp | None = None,
    endpoints: tuple[Endpoint, ...] = ENDPOINTS,
) -> Starlette:
    """The app; `others` are the routes of the web page and of what other surfaces pass on."""
    sight, files = Sight(daemon.codebases), FileSight(partial(state_of, daemon.house))
    routes: list[BaseRoute] = [
        *(Route(each.path, _asked(daemon, each), methods=["GET"]) for each in (*endpoints, *about.ENDPOINTS)),
        *(Route(each.path, _looked(daemon, each), methods=["GET"]) for each in LOOKS),
        Route(uses.ENDPOINT.path, partial(_uses, daemon), methods=["GET"]),
        Route("/v1/raw", partial(_raw, daemon), methods=["GET"]),
        Route("/v1/ping", _ping, methods=["GET"]),
        *(Route(path, partial(_edit, daemon), methods=["POST"]) for path in EDITS),
        Route(SESSION_PATH, start_session, methods=["POST"]),
        Route("/v1/stop", partial(_stop, daemon), methods=["POST"]),
        Route("/v1/events", partial(_events, daemon, sight, files), methods=["GET"]),
        Route("/openapi.json", _openapi, methods=["GET"]),
        Route("/metrics", partial(_metrics, daemon), methods=["GET"]),
        *others,
    ]
    if mcp is not None:
        routes.append(Route("/mcp", Admitted(daemon.desk, mcp, daemon.ending)))
    app = Starlette(
        routes=routes,
        exception_handlers={CairnError: _failed, ClientDisconnect: _left, HTTPException: _no_route, Exception: _failed},
    )
    app.router.redirect_slashes = False
    app.add_middleware(Counted, metrics=daemon.metrics, known=_KNOWN)
    return app


def _asked(daemon: Daemon, endpoint: Endpoint) -> Callable[[Request], Awaitable[Response]]:
    async def answer(request: Request) -> Response:
        given = read(endpoint.taken, request.query_params.multi_items())
        values = endpoint.values(given)
        where = endpoint.where(given, values)
        host, words = HouseHost(daemon.house, where.path), spelling(endpoint.question)

        def work() -> Document:
            with scarcity_reported():
                _require_put_up(daemon, request, given)
                with tallied() as tally:
                    answered = ask(endpoint.question, values, host, where, sync=bool(given.get("sync")))
                document = answered.document(words)
                record_later(cairn_home(), tally, "http", lambda: json_text(document))
                return document

        return json_answer(await daemon.desk.answer(request, work, given.get(TIMEOUT.name)))

    return answer


def _looked(daemon: Daemon, look: Look) -> Callable[[Request], Awaitable[Response]]:
    async def answer(request: Request) -> Response:
        values = read(look.taken, request.query_params.multi_items())
        if values.get("root") is not None:
            looks.require_absolute(values["root"])

        def work() -> Body:
            _require_put_up(daemon, request, values)
            return look.look(daemon, values)

        return json_answer(await daemon.desk.answer(request, work, values.get(TIMEOUT.name)))

    return answer


async def _raw(daemon: Daemon, request: Request) -> Response:
    given = read((FILE, ROOT, TIMEOUT), request.query_params.multi_items())
    looks.require_absolute(given["root"])

    def work() -> tuple[str, bytes]:
        _require_put_up(daemon, request, given)
        return files.raw(daemon.house, given["root"], given["file"])

    path, data = await daemon.desk.answer(request, work, given.get(TIMEOUT.name))
    return raw_answer(path, data)


async def _uses(daemon: Daemon, request: Request) -> Response:
    given = read(uses.ENDPOINT.taken, request.query_params.multi_items())
    allowed = partial(_require_put_up, daemon, request, given)
    return await uses.stream(daemon.house, daemon.desk, request, given, allowed)


async def _edit(daemon: Daemon, request: Request) -> Response:
    address = request.url.path
    if request.headers.get("content-length", "0") != "0" or "transfer-encoding" in request.headers:
        said = f"Its parameters go into the query: POST {address}?action=plan&path=... without a body."
        raise UsageError(f"{address} takes no body.", hint=said)
    given = read((*EDITS[address][1], TIMEOUT), request.query_params.multi_items())
    looks.require_absolute(given["root"])

    def work() -> Document:
        _require_put_up(daemon, request, given)
        return edit(daemon.house, address, given)

    return json_answer(await daemon.desk.answer(request, work, given.get(TIMEOUT.name)))


def _require_put_up(daemon: Daemon, request: Request, given: Values) -> None:
    """Refuse a codebase that whoever asks may not see."""
    door = request.scope.get(DOOR, Door.PROGRAM)
    named = [each for each in (given.get("root"), *(given.get("roots") or ())) if each is not None]
    put_up = [row.root for row in daemon.house.registry.all()] if named and door is Door.TCP else []
    for each in named:
        require_put_up(door, put_up, each)


async def _ping(_: Request) -> Response:
    return json_answer({"version": __version__, "pid": os.getpid()})


async def _stop(daemon: Daemon, _: Request) -> Response:
    daemon.stop()
    return json_answer({"stopping": True})


async def _events(daemon: Daemon, sight: Sight, files: FileSight, request: Request) -> Response:
    given = read(SHOWN, request.query_params.multi_items())
    shown = shown_files(given.get("roots", ()), given.get("files", ()))
    for root, _ in shown:
        looks.require_absolute(root)
    await asyncio.to_thread(_require_put_up, daemon, request, {"roots": [root for root, _ in shown]})
    return Streamed(stream(sight, daemon.ending, files, shown), EVENTS, daemon.desk.listen(request))


async def _openapi(_: Request) -> Response:
    return json_answer(DESCRIPTION)


async def _metrics(daemon: Daemon, _: Request) -> Response:
    house = daemon.house
    gauges = {
        "inside": house.admission.inside,
        "streams": house.admission.streams.taken,
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
    return Response(daemon.metrics.text(gauges, counters), headers=HEADERS, media_type=METRICS)


async def _failed(_: Request, error: Exception) -> Response:
    return error_answer(as_cairn_error(error))


async def _left(_: Request, __: Exception) -> Response:
    """Nobody hears it; it is counted."""
    return Response(status_code=CANCELLED)


async def _no_route(request: Request, error: Exception) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else 500
    if status == 405:
        allowed = (error.headers or {}) if isinstance(error, HTTPException) else {}
        found = UsageError(f"{request.method} is not allowed here.", hint="See /openapi.json.")
        return json_answer(found.envelope(as_request), status, dict(allowed))
    return error_answer(UnknownAddressError("There is nothing at this address."), status)


_OPERATIONS = (
    *(Operation(each.path, each.text, each.taken, each.answer) for each in ENDPOINTS),
    *(Operation(each.path, each.text, each.taken, each.answer) for each in LOOKS),
    *_OTHERS,
)
DESCRIPTION = describe(_OPERATIONS)
_KNOWN = frozenset(each.path for each in _OPERATIONS)
