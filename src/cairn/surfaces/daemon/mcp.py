"""`/mcp`: the tools over streamable HTTP, by the very server that serves standard input and output."""

import contextlib
from collections.abc import AsyncIterator

from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.types import ASGIApp, Receive, Scope, Send

from cairn.errors import CairnError
from cairn.surfaces.daemon.commands import House
from cairn.surfaces.mcp.server import build
from cairn.surfaces.mcp.service import Service

_MOST_SESSIONS = 256


class _App:
    """An object, since a route takes a function for a handler of requests."""

    def __init__(self, manager: StreamableHTTPSessionManager) -> None:
        self._manager = manager

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._manager.handle_request(scope, receive, send)


@contextlib.asynccontextmanager
async def mounted(home: str, house: House) -> AsyncIterator[ASGIApp]:
    """The app; a client that names no roots may see the codebases that are indexed."""

    def indexed() -> list[str]:
        try:
            return [row.root for row in house.registry.all()]
        except CairnError:
            return []

    service = Service(home)
    manager = StreamableHTTPSessionManager(build(service, indexed), max_sessions=_MOST_SESSIONS)

    try:
        async with manager.run():
            yield _App(manager)
    finally:
        service.close()
