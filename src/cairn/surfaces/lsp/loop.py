"""The loop of a server: every message is handled or refused with an answer, until the editor is gone.

Memory is not taken on the word of a head, and it is looked whether the editor still lives.
"""

import asyncio
import json
import os
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, BinaryIO

from cairn.surfaces.lsp.frames import TooLongError, next_frame
from cairn.surfaces.lsp.peer import Number, Peer
from cairn.surfaces.lsp.types import ErrorCode, said

_LOOK_S = 2.0
"""How often it is looked whether the editor's process still lives."""


class Conversation:
    """What is said by one editor, and where in it we are."""

    def __init__(self, peer: Peer) -> None:
        self._peer = peer
        self._editor = 0
        """Its process, where it is one that can be watched."""
        self._stage = ""
        """The last of `initialize` and `shutdown` that was said."""

    def take(self, body: bytes) -> None:
        """Handle one message; whatever is wrong with it is answered."""
        try:
            message = json.loads(body)
        except (ValueError, RecursionError):
            self._peer.refuse(None, ErrorCode.PARSE, "This is no JSON.")
            return
        number = message.get("id") if isinstance(message, dict) else None
        if isinstance(number, bool) or not isinstance(number, int | str):
            number = None
        fault = _fault(message)
        if fault or (number is None and "id" in message):
            why = fault or "The id is neither a number nor a text."
            self._peer.refuse(number, ErrorCode.INVALID_REQUEST, why)
        elif "method" not in message:
            self._peer.answered(number, message)
        elif fault := self._out_of_turn(message["method"]):
            if number is not None:
                code = ErrorCode.INVALID_REQUEST if self._stage else ErrorCode.NOT_INITIALIZED
                self._peer.refuse(number, code, fault)
        else:
            self._handle(message["method"], message.get("params"), number)

    def editor_is_gone(self) -> bool:
        """Whether the editor's process has ended without a word."""
        return self._editor > 0 and not _lives(self._editor)

    def _out_of_turn(self, method: str) -> str:
        if self._stage == "shutdown":
            return "" if method == "exit" else "The server was shut down."
        if not self._stage:
            return "" if method in ("initialize", "exit") else "The server was not initialized."
        return "The server was initialized already." if method == "initialize" else ""

    def _handle(self, method: str, params: Any, number: Number) -> None:
        if method == "exit":
            raise SystemExit(0 if self._stage == "shutdown" else 1)
        if method == "shutdown":
            self._stage = method
            self._peer.cancel_all()
        # Looked for before it is answered, after which it may die at once; one in another container is never seen.
        process = said(params, "processId") if method == "initialize" else None
        editor = process if isinstance(process, int) and _lives(process) else 0
        if self._peer.take(method, params, number) and method == "initialize":
            self._stage = method
            self._editor = editor


def _fault(message: object) -> str:
    """What makes a message none."""
    if not isinstance(message, Mapping) or message.get("jsonrpc") != "2.0":
        return "This is no message of JSON-RPC 2.0."
    if not isinstance(message.get("method", ""), str):
        return "The method is no text."
    return "" if "method" in message or "id" in message else "This is neither a request nor an answer."


def _lives(process: int) -> bool:
    try:
        os.kill(process, 0)
    except PermissionError:
        return True
    except (OSError, OverflowError):
        return False
    return True


def run(peer: Peer, source: BinaryIO, target: BinaryIO) -> int:
    """Serve the editor at the two ends of a stream until it hangs up or ends; the exit code."""
    peer.write_to(target)
    try:
        asyncio.run(_serve(peer, source))
    except SystemExit as end:
        return int(end.code or 0)
    except (BrokenPipeError, KeyboardInterrupt):
        pass
    return 1


async def _serve(peer: Peer, source: BinaryIO) -> None:
    loop, talk = asyncio.get_running_loop(), Conversation(peer)
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
                peer.refuse(None, ErrorCode.INVALID_REQUEST, str(error))
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
