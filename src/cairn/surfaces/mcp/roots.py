"""The folders that a client says it works in, asked for with each call."""

import os
import urllib.parse
import warnings
from collections.abc import Sequence
from typing import Any
from weakref import WeakValueDictionary

import anyio
import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp.shared.message import ServerMessageMetadata
from pydantic import Field

from cairn.surfaces.mcp.access import BY_ROOTS, Access, access_to
from cairn.workspace.permission import DOOR, Door

_PATIENCE_S = 10.0
"""How long a client may take to name its roots."""


class _Roots(types.Result):
    """What a client may see, as it says it: of what are no files it may name anything."""

    roots: list[dict[str, Any]] = Field(default_factory=list)


class ClientRoots:
    """Asks clients for their roots; one that says it has some and then stays silent is asked once in its session."""

    def __init__(self, patience_s: float = _PATIENCE_S, more: str = BY_ROOTS) -> None:
        self._patience_s = patience_s
        self._more = more
        self._silent: WeakValueDictionary[int, types.ClientCapabilities] = WeakValueDictionary()
        """By identity: a session has one value of what its client can do, which goes with it."""

    async def access(self, context: ServerRequestContext[Any], folders: Sequence[str]) -> Access:
        """What a client may see: its roots, else what the server was given; over TCP no roots beyond those."""
        door = getattr(context.request, "scope", {}).get(DOOR, Door.PROGRAM)
        return access_to(await self._named(context), folders, door, self._more)

    async def _named(self, context: ServerRequestContext[Any]) -> list[str]:
        able = context.session.client_capabilities
        if able is None or able.roots is None or not context.session.can_send_request or id(able) in self._silent:
            return []
        # The answer to this very call carries the question: not every client listens to a stream beside it.
        beside = ServerMessageMetadata(related_request_id=context.request_id)
        try:
            with warnings.catch_warnings():
                # Deprecated in newer protocols; where a client has roots they still are what it may see.
                warnings.simplefilter("ignore")
                with anyio.fail_after(self._patience_s):
                    listed = await context.session.send_request(types.ListRootsRequest(), _Roots, metadata=beside)
        except TimeoutError:
            self._silent[id(able)] = able
            return []
        except (MCPError, ValueError):
            return []
        return [path for root in listed.roots if (path := path_of(str(root.get("uri"))))]


def path_of(uri: str) -> str | None:
    """The folder that a `file:` URI names on this machine."""
    parts = urllib.parse.urlsplit(uri)
    if parts.scheme != "file" or parts.netloc not in ("", "localhost"):
        return None
    path = urllib.parse.unquote(parts.path, errors="surrogateescape")
    return path if os.path.isabs(path) and "\0" not in path else None
