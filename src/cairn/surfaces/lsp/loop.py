"""The loop of a server: every message is handled or refused with an answer, until the editor is gone.

pygls has a loop of its own. It answers nothing to a request whose parameters are wrong, nor after a shutdown, so that
an editor waits for ever; it takes as much memory as a head asks for; and it never looks whether the editor still lives.
"""

import asyncio
import json
import os
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, BinaryIO

from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.io_ import StdoutWriter
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol

from cairn.surfaces.lsp.frames import TooLongError, next_frame

_LOOK_S = 2.0
"""How often it is looked whether the editor's process still lives."""
_BEFORE = (types.INITIALIZE, types.EXIT)
_Codes = types.ErrorCodes


class Conversation:
    """What is said by one editor, and where in it we are."""

    def __init__(self, server: LanguageServer) -> None:
        self._protocol: LanguageServerProtocol = server.protocol
        self._editor = 0
        """Its process, where it is one that can be watched."""
        self._stage = ""
        """The last of `initialize` and `shutdown` that was said."""

    def take(self, body: bytes) -> None:
        """Handle one message; whatever is wrong with it is answered."""
        try:
            said = json.loads(body)
        except (ValueError, RecursionError):
            self._refuse(None, _Codes.ParseError, "This is no JSON.")
            return
        number = said.get("id") if isinstance(said, dict) else None
        if isinstance(number, bool) or not isinstance(number, int | str):
            number = None
        fault = _fault(said)
        if fault or (number is None and "id" in said):
            self._refuse(number, _Codes.InvalidRequest, fault or "The id is neither a number nor a text.")
        elif "method" not in said:
            self._answered(said)
        elif fault := self._out_of_turn(said["method"]):
            code = _Codes.InvalidRequest if self._stage else _Codes.ServerNotInitialized
            if number is not None:
                self._refuse(number, code, fault)
        else:
            self._handle(said, number)

    def editor_is_gone(self) -> bool:
        """Whether the editor's process has ended without a word."""
        return self._editor > 0 and not _lives(self._editor)

    def _out_of_turn(self, method: str) -> str:
        if self._stage == types.SHUTDOWN:
            return "" if method == types.EXIT else "The server was shut down."
        if not self._stage:
            return "" if method in _BEFORE else "The server was not initialized."
        return "The server was initialized already." if method == types.INITIALIZE else ""

    def _handle(self, said: dict[str, Any], number: int | str | None) -> None:
        method = said["method"]
        if self._protocol.get_message_type(method) is None:
            said.setdefault("params", None)
        try:
            message = self._protocol.structure_message(said)
        except JsonRpcException:
            if number is not None:
                self._refuse(
                    number, _Codes.InvalidParams, f"The parameters of {method} are not what the protocol says."
                )
            return
        if method in (types.INITIALIZE, types.SHUTDOWN):
            self._stage = method
        if method == types.INITIALIZE and (process := message.params.process_id) and _lives(process):
            self._editor = process
        self._hand_on(message, number)

    def _answered(self, said: dict[str, Any]) -> None:
        """The editor answers something that it was asked; whoever waits for it must not wait for ever."""
        if "error" not in said:
            said.setdefault("result", None)
        try:
            message = self._protocol.structure_message(said)
        except JsonRpcException as error:
            if "id" in said:
                self._protocol._handle_response(said["id"], error=error.to_response_error())
            return
        self._hand_on(message, None)

    def _hand_on(self, message: Any, number: int | str | None) -> None:
        """Whatever a message does to who takes it, the next one is read."""
        try:
            self._protocol.handle_message(message)
        except BrokenPipeError:
            raise
        except Exception as error:  # noqa: BLE001 - one wrong message ends no conversation
            if number is not None:
                self._refuse(number, _Codes.InternalError, f"{type(error).__name__}: {error}")

    def _refuse(self, number: int | str | None, code: types.ErrorCodes, why: str) -> None:
        error = types.ResponseErrorMessage(id=number, error=types.ResponseError(code, why))
        self._protocol._send_data(error)


def _fault(said: object) -> str:
    """What makes a message none."""
    if not isinstance(said, Mapping) or said.get("jsonrpc") != "2.0":
        return "This is no message of JSON-RPC 2.0."
    if not isinstance(said.get("method", ""), str):
        return "The method is no text."
    return "" if "method" in said or "id" in said else "This is neither a request nor an answer."


def _lives(process: int) -> bool:
    try:
        os.kill(process, 0)
    except PermissionError:
        return True
    except (OSError, OverflowError):
        return False
    return True


def run(server: LanguageServer, source: BinaryIO, target: BinaryIO) -> int:
    """Serve the editor at the two ends of a stream until it hangs up or ends; the exit code."""
    server.protocol.set_writer(StdoutWriter(target))
    try:
        asyncio.run(_serve(server, source))
    except SystemExit as end:
        return int(end.code or 0)
    except (BrokenPipeError, KeyboardInterrupt):
        pass
    return 1


async def _serve(server: LanguageServer, source: BinaryIO) -> None:
    loop, talk = asyncio.get_running_loop(), Conversation(server)
    reader = ThreadPoolExecutor(1, thread_name_prefix="messages")
    try:
        while True:
            reading = loop.run_in_executor(reader, next_frame, source)
            while not (await asyncio.wait((reading,), timeout=_LOOK_S))[0]:
                if talk.editor_is_gone():
                    return
            try:
                body = reading.result()
            except TooLongError as error:
                talk._refuse(None, _Codes.InvalidRequest, str(error))
                return
            if body is None:
                return
            talk.take(body)
    finally:
        reader.shutdown(wait=False)


def own_streams() -> tuple[BinaryIO, BinaryIO]:
    """Standard input and output for messages alone: what else would read or write there gets nothing and the log.

    They are open until the process ends: to close one that a thread still reads would wait for that thread.
    """
    source, target = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return open(source, "rb"), open(target, "wb")
