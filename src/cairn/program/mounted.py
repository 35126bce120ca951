"""`/mcp`: the tools over streamable HTTP, by the very server that serves standard input and output."""

import contextlib
from collections.abc import AsyncIterator
from functools import partial
from typing import Any

from mcp.server.context import ServerRequestContext
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from cairn.base import deadline
from cairn.base.deadline import WorkBounds
from cairn.base.errors import BusyError, CairnError
from cairn.daemon.desk import DEADLINE_AT
from cairn.daemon.host import READ_MODE
from cairn.daemon.state import DaemonState
from cairn.daemon.syncs import Brought
from cairn.indexing import SyncOptions
from cairn.surfaces.mcp.notes import sentences
from cairn.surfaces.mcp.server import build
from cairn.surfaces.mcp.service import Service

_MOST_SESSIONS = 256
_PATIENCE_S = 1.0


def _sync(house: DaemonState, root: str) -> Brought:
    with house.pool.using(root, syncs=True) as codebase:
        codebase.index(SyncOptions(wait_s=_PATIENCE_S), create=False)
        return True, list(codebase.notes)


class _App:
    """An object, since a route takes a function for a handler of requests."""

    def __init__(self, manager: StreamableHTTPSessionManager) -> None:
        self._manager = manager

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._manager.handle_request(scope, receive, send)


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

    manager = StreamableHTTPSessionManager(build(service, indexed, _bounds), max_sessions=_MOST_SESSIONS)
    async with manager.run():
        yield _App(manager)
