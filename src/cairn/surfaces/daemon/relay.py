"""Commands of the command line, run for the process that was started by the user: a stream of what they print."""

import asyncio
import json
import os
from collections.abc import AsyncIterator
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from cairn import __version__
from cairn.errors import UsageError
from cairn.surfaces.cli.console import ElsewhereError
from cairn.surfaces.cli.through import COMMANDS, settings
from cairn.surfaces.daemon.answers import HEADERS, Streamed
from cairn.surfaces.daemon.commands import Client, House, Terminal, run
from cairn.surfaces.daemon.desk import Desk, told
from cairn.until import Until

MOST_BODY_BYTES = 1 << 20
FRAMES = "application/x-ndjson"
_MOST_COLUMNS = 100_000
_END = ("end", "")
"""No frame: nothing comes after it."""


async def relay(house: House, desk: Desk, request: Request) -> Response:
    """Run a command; frames of [kind, value], the last of which is `exit`, or `here` for the client to run it."""

    document = await _document(request)
    arguments, client = _read(document)
    if document.get("version") != __version__ or document.get("settings") != settings(os.environ):
        return _frames([("here", "the daemon runs with other settings")])
    loop = asyncio.get_running_loop()
    queue: asyncio.Queue[tuple[str, object]] = asyncio.Queue()
    bounds = Until()

    def send(kind: str, value: object) -> None:
        loop.call_soon_threadsafe(queue.put_nowait, (kind, value))

    def work() -> None:
        try:
            code = run(house, arguments, client, send, leaves=True)
            house.commands["run"] += 1
            send("exit", code)
        except ElsewhereError as reason:
            house.commands["left"] += 1
            send("here", str(reason))
        except Exception as error:  # noqa: BLE001 - the client runs it then, and says what it finds
            send("here", told(error).message)
        finally:
            send(*_END)

    desk.begin(request, work, bounds)

    async def frames() -> AsyncIterator[bytes]:
        while (frame := await queue.get()) != _END:
            yield json.dumps(frame).encode() + b"\n"

    return Streamed(frames(), FRAMES, bounds.cancelled.set)


def _frames(frames: list[tuple[str, object]]) -> Response:
    return Response("".join(json.dumps(frame) + "\n" for frame in frames), headers=HEADERS, media_type=FRAMES)


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
    variables = document.get("variables")
    fine = (
        isinstance(arguments, list)
        and all(isinstance(each, str) and "\0" not in each for each in arguments)
        and arguments[:1]
        and arguments[0] in COMMANDS
        and isinstance(folder, str)
        and folder.startswith("/")
        and "\0" not in folder
        and (columns is None or (type(columns) is int and 0 < columns < _MOST_COLUMNS))
        and isinstance(variables, dict)
        and all(isinstance(value, str) for value in variables.values())
    )
    if not fine:
        raise UsageError("The request is not one of the command line.", hint="Use the `cairn` command.")
    out, err = _terminal(document.get("out")), _terminal(document.get("err"))
    return list(arguments or ()), Client(str(folder), out, err, columns, variables)


def _terminal(given: object) -> Terminal | None:
    if not isinstance(given, dict):
        return None
    encoding = str(given.get("encoding"))
    try:
        "".encode(encoding)
    except (LookupError, ValueError):
        raise UsageError("The request names an unknown encoding.", hint="Use the `cairn` command.") from None
    return Terminal(encoding, given.get("terminal") is True)
