"""`/mcp`: the tools over streamable HTTP, by the very server that serves standard input and output."""

import contextlib
from collections import deque
from collections.abc import AsyncIterator, Sequence
from functools import partial
from http import HTTPStatus
from typing import Any

from mcp.server.context import ServerRequestContext
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from cairn.base import deadline
from cairn.base.deadline import WorkBounds
from cairn.base.errors import BusyError, CairnError
from cairn.daemon.desk import DEADLINE_AT
from cairn.daemon.host import READ_MODE
from cairn.daemon.syncs import Brought, DaemonState
from cairn.indexing.options import SyncOptions
from cairn.surfaces.mcp.access import BY_INDEXING
from cairn.surfaces.mcp.lines import refusal_of
from cairn.surfaces.mcp.notes import sentences
from cairn.surfaces.mcp.roots import ClientRoots
from cairn.surfaces.mcp.server import build
from cairn.surfaces.mcp.service import Service

_MOST_SESSIONS = 256
_PATIENCE_S = 1.0


def _sync(house: DaemonState, root: str) -> Brought:
    with house.pool.using(root, syncs=True) as codebase:
        codebase.index(SyncOptions(wait_s=_PATIENCE_S, spares=True), create=False)
        return True, list(codebase.notes)


class _App:
    """An object, since a route takes a function for a handler of requests."""

    def __init__(self, manager: StreamableHTTPSessionManager) -> None:
        self._manager = manager

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["method"] == "POST":
            heard = await _heard(receive, self._manager.max_request_body_size)
            # The SDK takes a request whose id is none for a notification, which nobody answers.
            if (
                heard[-1]["type"] == "http.request"
                and not heard[-1].get("more_body")
                and (refusal := refusal_of(_body(heard)))
            ):
                said = refusal.model_dump(by_alias=True, exclude_unset=True)
                await JSONResponse(said, HTTPStatus.BAD_REQUEST)(scope, receive, send)
                return
            receive = _again(heard, receive)
        await self._manager.handle_request(scope, receive, send)


async def _heard(receive: Receive, most: int) -> list[Message]:
    """What a request has brought: all of it, or a little more than is taken, which is then refused."""
    heard: list[Message] = []
    size = 0
    while not heard or (heard[-1].get("more_body") and size <= most):
        heard.append(await receive())
        size += len(heard[-1].get("body", b""))
    return heard


def _body(heard: Sequence[Message]) -> bytes:
    return b"".join(message.get("body", b"") for message in heard)


def _again(heard: Sequence[Message], receive: Receive) -> Receive:
    """The same once more for whoever reads next, and then what comes after it."""
    waiting = deque(heard)

    async def once_more() -> Message:
        return waiting.popleft() if waiting else await receive()

    return once_more


def _bounds(context: ServerRequestContext[Any]) -> WorkBounds:
    """Until when the request that brought a call may take."""
    scope = context.request.scope if isinstance(context.request, Request) else {}
    return WorkBounds(scope.get(DEADLINE_AT))


def service_of(home: str, house: DaemonState) -> Service:
    """The tools, with the codebases and syncs that all share."""

    def bring(root: str) -> bool:
        before = house.registry.get(root)
        joined = house.syncs.join(root, partial(_sync, house, root))
        with house.admission.resting():
            synced, notes = deadline.current().result_of(joined)
        if not synced:
            raise BusyError(" ".join(sentences(notes)) or "The codebase could not be brought up to date.")
        return house.registry.get(root) != before

    return Service(home, pool=house.pool, bring=bring, read_mode=READ_MODE)


@contextlib.asynccontextmanager
async def mounted(service: Service, house: DaemonState) -> AsyncIterator[ASGIApp]:
    """The app; a client that names no roots may see the codebases that are indexed."""

    def indexed() -> list[str]:
        try:
            return [row.root for row in house.registry.all()]
        except CairnError:
            return []

    manager = StreamableHTTPSessionManager(
        build(service, indexed, _bounds, roots=ClientRoots(more=BY_INDEXING)), max_sessions=_MOST_SESSIONS
    )
    async with manager.run():
        yield _App(manager)
