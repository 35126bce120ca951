"""What a process of the user is asked and passes on: commands of the command line, and questions of MCP clients.

An answer is a stream of frames, [kind, value]. The last is `exit` or `answer`; or `here`, for the client to do it
itself: whatever fails in this process may not fail in theirs, and is no answer to what they asked.
"""

import asyncio
import json
import os
from collections.abc import AsyncIterator, Callable
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from cairn import __version__
from cairn.base.deadline import WorkBounds
from cairn.base.errors import UsageError
from cairn.config.user import cairn_home
from cairn.daemon.client import BEAT, BEAT_S, FRAMES, OTHER, ElsewhereError, settings
from cairn.daemon.desk import RequestDesk, as_cairn_error
from cairn.daemon.syncs import DaemonState
from cairn.program.remote import Client, Terminal, run
from cairn.surfaces.cli.through import is_for_a_daemon
from cairn.surfaces.http.answers import HEADERS, Streamed
from cairn.surfaces.mcp.access import access_to
from cairn.surfaces.mcp.service import Service, ToolCall
from cairn.surfaces.mcp.through import is_question
from cairn.surfaces.mcp.tools import BY_NAME

MOST_BODY_BYTES = 1 << 20
_MOST_COLUMNS = 100_000
_MOST_FRESH_S = 3_600.0
_END = ("end", "")
"""No frame: nothing comes after it."""
Send = Callable[[str, object], None]


async def relay(house: DaemonState, desk: RequestDesk, request: Request) -> Response:
    """Run a command."""
    document = await _document(request)
    if _is_of_another_version(document):
        return _left(f"the daemon is of version {__version__}")
    arguments, client = _read(document)

    def work(send: Send, _: WorkBounds) -> None:
        code = run(house, arguments, client, send, leaves=True)
        house.commands["run"] += 1
        send("exit", code)

    return _streamed(house, desk, request, document, work)


async def answer(service: Service, house: DaemonState, desk: RequestDesk, request: Request) -> Response:
    """Answer a question of an MCP client, which may see the folders that its own server names."""
    document = await _document(request)
    if _is_of_another_version(document):
        return _left(f"the daemon is of version {__version__}")
    name, given, folders, fresh_for_s = _asked(document)

    def work(send: Send, bounds: WorkBounds) -> None:
        call = ToolCall(access_to(folders), cancelled=bounds.cancelled, fresh_for_s=fresh_for_s)
        found = BY_NAME[name].call(service, call, given)
        if found["status"] == "error":
            raise ElsewhereError(found["message"])
        house.commands["run"] += 1
        send("answer", found)

    return _streamed(house, desk, request, document, work)


def _streamed(
    house: DaemonState,
    desk: RequestDesk,
    request: Request,
    document: dict[str, Any],
    work: Callable[[Send, WorkBounds], None],
) -> Response:
    """The frames of some work, for a client that is like us."""
    if document.get("version") != __version__ or document.get("settings") != settings(os.environ, cairn_home()):
        return _left(OTHER)
    loop = asyncio.get_running_loop()
    queue: asyncio.Queue[tuple[str, object]] = asyncio.Queue()
    bounds = WorkBounds()

    def send(kind: str, value: object) -> None:
        loop.call_soon_threadsafe(queue.put_nowait, (kind, value))

    def whole() -> None:
        try:
            work(send, bounds)
        except ElsewhereError as reason:
            house.commands["left"] += 1
            send("here", f"the daemon left it to this process: {reason}")
        except Exception as error:  # noqa: BLE001 - the client does it then, and says what it finds
            send("here", f"the daemon failed: {as_cairn_error(error).message}")
        finally:
            send(*_END)

    desk.begin(request, whole, bounds)

    async def frames() -> AsyncIterator[bytes]:
        while (frame := await _next(queue)) != _END:
            yield json.dumps(frame).encode() + b"\n"

    return Streamed(frames(), FRAMES, bounds.cancelled.set)


async def _next(queue: "asyncio.Queue[tuple[str, object]]") -> tuple[str, object]:
    """What is to be said next: at least, and every so often, that the work goes on."""
    try:
        return await asyncio.wait_for(queue.get(), BEAT_S)
    except TimeoutError:
        return (BEAT, "")


def _is_of_another_version(document: dict[str, Any]) -> bool:
    """Before anything else of it is looked at, which another version may mean otherwise."""
    version = document.get("version")
    return isinstance(version, str) and version != __version__


def _left(why: str) -> Response:
    return Response(json.dumps(("here", why)) + "\n", headers=HEADERS, media_type=FRAMES)


async def _document(request: Request) -> dict[str, Any]:
    data = b""
    async for part in request.stream():
        data += part
        if len(data) > MOST_BODY_BYTES:
            raise UsageError(f"The request has more than {MOST_BODY_BYTES} bytes.", hint="Ask for less.")
    try:
        found = json.loads(data)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise UsageError("The request is no JSON object.", hint="Use the `cairn` command.")
    return found


def _read(document: dict[str, Any]) -> tuple[list[str], Client]:
    arguments, folder, columns = document.get("arguments"), document.get("folder"), document.get("columns")
    variables, begun = document.get("variables"), document.get("begun")
    fine = (
        isinstance(arguments, list)
        and all(isinstance(each, str) and "\0" not in each for each in arguments)
        and is_for_a_daemon(arguments)
        and isinstance(folder, str)
        and folder.startswith("/")
        and "\0" not in folder
        and (columns is None or (type(columns) is int and 0 < columns < _MOST_COLUMNS))
        and isinstance(begun, float)
        and isinstance(variables, dict)
        and all(isinstance(value, str) for value in variables.values())
    )
    if not fine:
        raise UsageError("The request is not one of the command line.", hint="Use the `cairn` command.")
    out, err = _terminal(document.get("out")), _terminal(document.get("err"))
    return list(arguments or ()), Client(str(folder), out, err, columns, variables, float(begun or 0))


def _asked(document: dict[str, Any]) -> tuple[str, dict[str, Any], list[str], float]:
    name, given = document.get("tool"), document.get("arguments")
    folders, fresh_for_s = document.get("folders"), document.get("fresh_for_s")
    if (
        isinstance(name, str)
        and isinstance(given, dict)
        and is_question(name, given)
        and isinstance(folders, list)
        and all(isinstance(each, str) and each.startswith("/") for each in folders)
        and isinstance(fresh_for_s, int | float)
        and 0 <= fresh_for_s <= _MOST_FRESH_S
    ):
        return name, given, folders, float(fresh_for_s)
    raise UsageError("The request is not one of `cairn mcp`.", hint="Use /mcp, or `cairn mcp`.")


def _terminal(given: object) -> Terminal | None:
    if not isinstance(given, dict):
        return None
    encoding = str(given.get("encoding"))
    try:
        "".encode(encoding)
    except (LookupError, ValueError):
        raise UsageError("The request names an unknown encoding.", hint="Use the `cairn` command.") from None
    return Terminal(encoding, given.get("terminal") is True)
