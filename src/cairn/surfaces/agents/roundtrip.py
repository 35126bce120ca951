"""One round trip with our own MCP server, by the client of the `mcp` package, over stdio as an agent does it."""

import tempfile
from collections.abc import Sequence
from typing import TextIO

from cairn.base.environment import child_environment
from cairn.surfaces.agents.checks import DoctorCheck, failed, ok

DEADLINE_S = 30.0
TOOL = "list_codebases"
_CODE = "mcp"


def check_round_trip(command: Sequence[str], deadline_s: float = DEADLINE_S) -> DoctorCheck:
    """Start the server, list its tools, call one; the server is always ended."""
    by_hand = f"Run `{' '.join(command)}` by hand to see what it says."
    try:
        import anyio
    except ImportError as error:
        return failed(_CODE, f"The package mcp can't be loaded: {error}.", 'Run `pip install "mcp>=2,<3"`.')
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as spoken:
        try:
            tools = anyio.run(_ask, tuple(command), spoken, deadline_s)
        except ImportError as error:
            return failed(_CODE, f"The package mcp can't be loaded: {error}.", 'Run `pip install "mcp>=2,<3"`.')
        except BaseException as error:  # a group of tasks wraps what went wrong, cancellation included
            if isinstance(error, KeyboardInterrupt | SystemExit):
                raise
            return failed(_CODE, f"The server {_why(error, deadline_s)}.{_last_words(spoken)}", by_hand)
    if TOOL not in tools:
        return failed(_CODE, f"The server has no tool {TOOL}: {', '.join(tools) or 'none at all'}.", by_hand)
    return ok(_CODE, f"{command[0]} answers {TOOL}; it has {len(tools)} tools: {', '.join(tools)}")


class _RefusedError(Exception):
    """The server answered, and the answer was an error."""


async def _ask(command: tuple[str, ...], spoken: TextIO, deadline_s: float) -> list[str]:
    import anyio
    from mcp import Client, StdioServerParameters, stdio_client

    # The client's default is a bare environment, in which the server would look for another CAIRN_HOME.
    parameters = StdioServerParameters(command=command[0], args=list(command[1:]), env=child_environment((), ours=True))
    with anyio.fail_after(deadline_s):
        async with Client(stdio_client(parameters, errlog=spoken)) as client:
            names = [tool.name for tool in (await client.list_tools()).tools]
            if TOOL in names:
                answer = await client.call_tool(TOOL, {})
                if answer.is_error:
                    raise _RefusedError("".join(getattr(part, "text", "") for part in answer.content))
            return names


def _why(error: BaseException, deadline_s: float) -> str:
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
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
