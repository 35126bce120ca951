"""The lines that a client writes: one message each, looked at before the SDK does.

The SDK drops a line that it can't read, and a client would wait for ever. Such a line is answered with the error of
JSON-RPC, and the next one is read.
"""

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from functools import partial
from typing import Any, BinaryIO

import anyio.to_thread
import mcp_types as types
from mcp_types import INVALID_REQUEST, PARSE_ERROR, JSONRPCError

MOST_BYTES = 16 << 20
"""Of one line: more than any tool takes."""

Refuse = Callable[[JSONRPCError], Awaitable[None]]


class CheckedLines:
    """The lines of a client that are messages; all others are refused."""

    def __init__(self, lines: BinaryIO, refuse: Refuse, most: int = MOST_BYTES) -> None:
        self._lines = lines
        self._refuse = refuse
        self._most = most

    async def __aiter__(self) -> AsyncIterator[str]:
        while line := await self._read(self._most + 1):
            if len(line) > self._most and not line.endswith(b"\n"):
                while (rest := await self._read(self._most)) and not rest.endswith(b"\n"):
                    pass
                await self._refuse(_error(INVALID_REQUEST, f"A message has {self._most >> 20} MiB at most.", None))
            elif line.strip():
                refusal = refusal_of(line)
                if refusal is None:
                    yield line.decode()
                else:
                    await self._refuse(refusal)

    async def _read(self, most: int) -> bytes:
        return await anyio.to_thread.run_sync(partial(self._lines.readline, most))


def refusal_of(line: bytes) -> JSONRPCError | None:
    """Why a line is no message, as the answer to it; None for a message."""
    try:
        message = types.jsonrpc_message_adapter.validate_json(line, by_name=False)
    except ValueError:
        return _reason(line)
    # With an id that none can be, the SDK takes a request for a notification, which nobody answers.
    if isinstance(message, types.JSONRPCNotification) and "id" in json.loads(line):
        return _error(INVALID_REQUEST, "The id of a request is a whole number or a text.", None)
    return None


def _reason(line: bytes) -> JSONRPCError:
    try:
        found = json.loads(line.decode())
    except UnicodeDecodeError:
        return _error(PARSE_ERROR, "The line is not in UTF-8.", None)
    except RecursionError:
        return _error(PARSE_ERROR, "The message is nested too deeply.", None)
    except ValueError as error:
        return _error(PARSE_ERROR, f"The line is no JSON: {error}.", None)
    if isinstance(found, list):
        return _error(INVALID_REQUEST, "A batch is not taken: send each message on a line of its own.", None)
    number = found.get("id") if isinstance(found, dict) else None
    if not isinstance(number, int | str) or isinstance(number, bool) or not _is_text(number):
        number = None
    if not _is_text(found):
        return _error(INVALID_REQUEST, "A text of the message has a lone surrogate, which is no character.", number)
    return _error(INVALID_REQUEST, "The line is no message of JSON-RPC 2.0.", number)


def _is_text(value: Any) -> bool:
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True


def _error(code: int, message: str, number: int | str | None) -> JSONRPCError:
    return JSONRPCError(jsonrpc="2.0", id=number, error=types.ErrorData(code=code, message=message))
