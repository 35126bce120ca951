"""One round trip with our own MCP server, over stdio as an agent does it.

The lines are written by hand: the client of the `mcp` package takes a second to load, which is half of what `cairn
doctor` may take.
"""

import json
import subprocess
import tempfile
import threading
from collections.abc import Sequence
from typing import Any, TextIO

from cairn.base.environment import child_environment
from cairn.surfaces.agents.checks import DoctorCheck, failed, ok

DEADLINE_S = 30.0
TOOL = "list_codebases"
_CODE = "mcp"
_VERSION = "2025-06-18"
"""The version of the protocol that is spoken: one that servers go on to understand."""
_PATIENCE_S = 2.0
"""How long a server that has nothing more to read may take to end."""


def check_round_trip(command: Sequence[str], deadline_s: float = DEADLINE_S) -> DoctorCheck:
    """Start the server, list its tools, call one; the server is always ended."""
    by_hand = f"Run `{' '.join(command)}` by hand to see what it says."
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as spoken:
        try:
            tools = _ask(command, spoken, deadline_s)
        except (_RefusedError, OSError, EOFError, ValueError, LookupError, TypeError, AttributeError) as error:
            return failed(_CODE, f"The server {_why(error, deadline_s)}.{_last_words(spoken)}", by_hand)
    if TOOL not in tools:
        return failed(_CODE, f"The server has no tool {TOOL}: {', '.join(tools) or 'none at all'}.", by_hand)
    return ok(_CODE, f"`{' '.join(command)}` answers {TOOL}; it has {len(tools)} tools: {', '.join(tools)}")


class _RefusedError(Exception):
    """The server answered, and the answer was an error."""


def _ask(command: Sequence[str], spoken: TextIO, deadline_s: float) -> list[str]:
    with subprocess.Popen(
        tuple(command),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=spoken,
        env=child_environment((), ours=True),
        text=True,
        encoding="utf-8",
    ) as server:
        late = threading.Event()

        def stop() -> None:
            late.set()
            server.kill()

        deadline = threading.Timer(deadline_s, stop)
        deadline.start()
        try:
            return _names(server)
        except (OSError, EOFError, ValueError) as error:
            if late.is_set():
                raise TimeoutError from error
            raise
        finally:
            deadline.cancel()
            _end(server)


def _names(server: "subprocess.Popen[str]") -> list[str]:
    who = {"name": "cairn doctor", "version": "1"}
    _answer(server, 1, "initialize", {"protocolVersion": _VERSION, "capabilities": {}, "clientInfo": who})
    _send(server, {"method": "notifications/initialized"})
    names = [str(tool["name"]) for tool in _answer(server, 2, "tools/list", {})["tools"]]
    if TOOL in names:
        answer = _answer(server, 3, "tools/call", {"name": TOOL, "arguments": {}})
        if answer.get("isError"):
            raise _RefusedError("".join(part.get("text", "") for part in answer["content"]))
    return names


def _answer(server: "subprocess.Popen[str]", number: int, method: str, values: dict[str, Any]) -> dict[str, Any]:
    """The result of a request; what the server tells besides is passed over."""
    _send(server, {"id": number, "method": method, "params": values})
    assert server.stdout is not None
    for line in server.stdout:
        said = json.loads(line)
        if said.get("id") == number and "method" not in said:
            if "error" in said:
                raise _RefusedError(str(said["error"].get("message", "")))
            result: dict[str, Any] = said["result"]
            return result
    raise EOFError("no more lines")


def _send(server: "subprocess.Popen[str]", message: dict[str, Any]) -> None:
    assert server.stdin is not None
    server.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    server.stdin.flush()


def _end(server: "subprocess.Popen[str]") -> None:
    """A server ends when nobody writes to it any more; one that doesn't is stopped."""
    try:
        server.communicate(timeout=_PATIENCE_S)
    except (subprocess.TimeoutExpired, OSError, ValueError):
        server.kill()


def _why(error: Exception, deadline_s: float) -> str:
    if isinstance(error, TimeoutError):
        return f"didn't answer within {deadline_s:g} s and was stopped"
    if isinstance(error, FileNotFoundError | PermissionError):
        return f"can't be started: {error.strerror}"
    if isinstance(error, _RefusedError):
        return f"refused {TOOL}: {str(error)[:300]}"
    return f"ended before it answered ({type(error).__name__}: {str(error)[:200]})"


def _last_words(spoken: TextIO) -> str:
    spoken.seek(0)
    lines = [line.strip() for line in spoken.read()[-4000:].splitlines() if line.strip()]
    return f" It said: {' '.join(lines[-2:])[:300]}" if lines else ""
