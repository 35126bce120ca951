"""The two ends of a conversation in JSON-RPC: what the editor asks, and what it is asked."""

import asyncio
import json
import threading
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, BinaryIO

from cairn.surfaces.lsp.shapes import ShapeError, plain, shaped
from cairn.surfaces.lsp.types import PARAMETERS, ErrorCode, RpcError

Number = int | str | None
Handler = Callable[[Any], Any]
"""What a message does, given its parameters; an awaitable where it takes time."""


class Peer:
    """Whom messages go to and come from; `send` and what uses it may be called from any thread."""

    def __init__(self, handlers: dict[str, Handler], log: Callable[[str], None]) -> None:
        self._handlers = handlers
        self._log = log
        self._target: BinaryIO | None = None
        self._writing = threading.Lock()
        self._last = 0
        self._asked: dict[Number, asyncio.Future[Any]] = {}
        """Our requests that wait for an answer."""
        self._running: dict[Number, asyncio.Task[Any]] = {}
        """The editor's requests that are worked at."""

    def write_to(self, target: BinaryIO) -> None:
        """Messages go there from now on."""
        self._target = target

    def send(self, **message: Any) -> None:
        """Send one message."""
        body = json.dumps({"jsonrpc": "2.0", **message}, separators=(",", ":")).encode()
        if self._target is not None:
            with self._writing:
                self._target.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
                self._target.flush()

    def notify(self, method: str, params: Any) -> None:
        """Tell something."""
        self.send(method=method, params=plain(params))

    def refuse(self, number: Number, code: int, why: str) -> None:
        """Answer a request, or what should have been one, with an error."""
        self.send(id=number, error={"code": code, "message": why})

    async def ask(self, method: str, params: Any) -> Any:
        """What the editor answers, as JSON has it; RpcError where it refuses. On the loop alone."""
        self._last += 1
        number = self._last
        answer = self._asked[number] = asyncio.get_running_loop().create_future()
        try:
            self.send(id=number, method=method, params=plain(params))
            return await answer
        finally:
            self._asked.pop(number, None)

    def answered(self, number: Number, message: dict[str, Any]) -> None:
        """The editor has answered something that it was asked."""
        answer = self._asked.get(number)
        if answer is None or answer.done():
            return
        if "error" not in message:
            answer.set_result(message.get("result"))
            return
        error = message["error"] if isinstance(message["error"], dict) else {}
        code = error.get("code")
        answer.set_exception(
            RpcError(str(error.get("message") or "it gives no reason"), code if isinstance(code, int) else None)
        )

    def take(self, method: str, params: Any, number: Number) -> bool:
        """Do what a message says, and answer it where it has a number; whether it could be done or begun."""
        if method == "$/cancelRequest":
            self._cancel(params)
            return True
        handler = self._handlers.get(method)
        if handler is None:
            if number is not None:
                self.refuse(number, ErrorCode.METHOD_NOT_FOUND, f"There is no method {method}.")
            return False
        try:
            kind = PARAMETERS.get(method)
            found = handler(params if kind is None else shaped(kind, params))
        except ShapeError as error:
            if number is not None:
                said = f"The parameters of {method} are not what the protocol says: {error}."
                self.refuse(number, ErrorCode.INVALID_PARAMS, said)
        except RpcError as error:
            self._failed(number, method, error)
        except (BrokenPipeError, SystemExit):
            raise
        except Exception as error:  # noqa: BLE001 - one wrong message ends no conversation
            self._failed(number, method, error)
        else:
            if isinstance(found, Awaitable):
                self._wait_for(found, method, number)
            elif number is not None:
                self.send(id=number, result=plain(found))
            return True
        return False

    def cancel_all(self) -> None:
        """Whoever asked waits for nothing any more."""
        for task in tuple(self._running.values()):
            task.cancel()

    def _wait_for(self, found: Awaitable[Any], method: str, number: Number) -> None:
        task = asyncio.ensure_future(found)
        key = number if number is not None else f"{method} {id(task)}"
        self._running[key] = task
        task.add_done_callback(partial(self._done, key, method, number))

    def _done(self, key: Number, method: str, number: Number, task: "asyncio.Task[Any]") -> None:
        if self._running.get(key) is task:
            del self._running[key]
        try:
            if task.cancelled():
                if number is not None:
                    self.refuse(number, ErrorCode.CANCELLED, "The request was cancelled.")
            elif (error := task.exception()) is not None:
                self._failed(number, method, error)
            elif number is not None:
                self.send(id=number, result=plain(task.result()))
        except BrokenPipeError:
            self._target = None  # the end of what the editor sends ends all

    def _failed(self, number: Number, method: str, error: BaseException) -> None:
        if isinstance(error, RpcError):
            code, why = error.code, error.message
        else:
            code, why = ErrorCode.INTERNAL, f"{type(error).__name__}: {error}"
        if number is not None:
            self.refuse(number, code, why)
        else:
            self._log(f"{method}: {why}")

    def _cancel(self, params: Any) -> None:
        number = params.get("id") if isinstance(params, dict) else None
        if isinstance(number, int | str) and (task := self._running.get(number)) is not None:
            task.cancel()
