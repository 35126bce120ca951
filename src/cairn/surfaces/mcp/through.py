"""The way that a question takes: through the daemon of this home while one listens, else right here.

The daemon answers with the tools of this very server, for the folders that this server's client may see. What changes
an index, a tree or the log of a conversation is done here, once. A question may be asked again: when the daemon
goes away in the middle of one it is answered here, and the next one looks for a daemon again.
"""

import json
import os
import threading
import time
from collections.abc import Mapping
from typing import Any

from cairn import __version__
from cairn.base.errors import CancelledError
from cairn.daemon.client import (
    NO_ANSWER,
    NOBODY,
    SILENCE_WARNING,
    SILENT,
    SOCKET,
    TOOL_PATH,
    GoneError,
    SilentError,
    StaysBusyError,
    asked,
    read_directly,
    settings,
    since,
)
from cairn.surfaces.mcp.service import Answer, Service, ToolCall
from cairn.surfaces.mcp.tools import Tool

_QUESTIONS = frozenset(
    "list_codebases search_codebase file_outline call_graph find_references repo_map read_file".split()
)
_RUN = "a run that was started here is under way"
_REST_S = 30.0
"""How long a daemon that said nothing is left alone."""


def is_question(name: str, given: Mapping[str, Any]) -> bool:
    """Whether a call only asks; a read within a session writes down what the conversation has seen."""
    if name == "manage_index":
        return given.get("action") == "status"
    return name in _QUESTIONS and given.get("session") is None


class Here:
    """Every call is done in this process."""

    def __init__(self, service: Service) -> None:
        self._service = service

    def answer(self, tool: Tool, call: ToolCall, given: Mapping[str, Any]) -> Answer:
        """Answer in this process."""
        return tool.call(self._service, call, given)


class Through(Here):
    """Questions are passed on while a daemon listens."""

    def __init__(self, service: Service) -> None:
        super().__init__(service)
        self._path = os.path.join(service.home, SOCKET)
        self._guard = threading.Lock()
        self._asked_again_at = 0.0
        self._silent: tuple[int, int] | None = None
        """The socket that said nothing: another daemon has another one."""

    def answer(self, tool: Tool, call: ToolCall, given: Mapping[str, Any]) -> Answer:
        """Let the server answer a question where one runs; everything else is done in this process."""
        if not is_question(tool.name, given) or not os.path.exists(self._path):
            return super().answer(tool, call, given)
        try:
            # Of a run that was started here, and of why one failed, only this process knows everything.
            found = _RUN if self._service.jobs.any() else self._passed_on(tool, call, given)
        except SilentError:
            with self._guard:
                self._asked_again_at = time.monotonic() + _REST_S
                self._silent = self._socket()
            return _warned(_said(super().answer(tool, call, given), SILENT))
        return _said(super().answer(tool, call, given), found) if isinstance(found, str) else found

    def _socket(self) -> tuple[int, int] | None:
        try:
            found = os.stat(self._path)
        except OSError:
            return None
        return found.st_ino, found.st_ctime_ns

    def _passed_on(self, tool: Tool, call: ToolCall, given: Mapping[str, Any]) -> Answer | str:
        """The daemon's answer; or why there is none, empty where there is no daemon."""
        with self._guard:
            if time.monotonic() < self._asked_again_at and self._silent == self._socket():
                return f"{SILENT} and is left alone for {_REST_S:.0f} s"
        home = self._service.home
        request = {
            "version": __version__,
            "settings": settings(os.environ, home),
            "tool": tool.name,
            "arguments": given,
            "folders": call.access.folders,
            "fresh_for_s": self._service.fresh_for_s,
        }
        try:
            for kind, value in asked(
                self._path, TOOL_PATH, json.dumps(request).encode(), lambda: not call.cancelled.is_set()
            ):
                return value if kind == "answer" else str(value)
        except GoneError:
            raise CancelledError("The call was cancelled.") from None
        except StaysBusyError as crowded:
            said = crowded.envelope
            return {
                "status": "error",
                "code": said["code"],
                "message": said["message"],
                "hint": said["hint"],
                "retryAfterMs": said["retry_after_ms"],
            }
        except SilentError:
            raise
        except NOBODY:
            return ""
        except (OSError, ValueError):
            # It ended in the middle, or isn't what it should be.
            return NO_ANSWER
        return NO_ANSWER


def _said(answer: Answer, why: str) -> Answer:
    """An answer of this process that tells how it was read tells also why the daemon was passed over."""
    return {**answer, "readMode": read_directly(since(why))} if "readMode" in answer else answer


def _warned(answer: Answer) -> Answer:
    return {**answer, "warnings": [*answer.get("warnings", ()), SILENCE_WARNING]}
