"""The server itself: tools over the `mcp` package, one thread a call, progress and cancellation."""

import contextlib
import json
import sys
import threading
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from concurrent import futures
from functools import partial
from typing import Any, cast

import anyio
import anyio.from_thread
import anyio.to_thread
import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError
from mcp.shared.message import SessionMessage

from cairn import __version__
from cairn.base import deadline
from cairn.base.deadline import WorkBounds
from cairn.base.errors import CairnError, DeadlineError
from cairn.base.shortage import shortage_of
from cairn.config.user import cairn_home
from cairn.daemon.client import read_directly
from cairn.lifecycle.tracked import Tracked
from cairn.readcache.cache import ReadCache
from cairn.surfaces.mcp.access import working_folder
from cairn.surfaces.mcp.arguments import FORMAT
from cairn.surfaces.mcp.lines import CheckedLines
from cairn.surfaces.mcp.roots import ClientRoots
from cairn.surfaces.mcp.service import Answer, Service, ToolCall, error_answer
from cairn.surfaces.mcp.size import BODY, text_of
from cairn.surfaces.mcp.through import Here, Through
from cairn.surfaces.mcp.tools import BY_NAME, TOOLS, Tool

INSTRUCTIONS = (
    "Cairn is an index of code that never lies: every answer comes from one snapshot and says whether the tree has "
    "moved since. Use it in place of grep and of reading whole files: search_codebase finds places by words and every "
    "line with a text, read_file gives lines or the code of a symbol, find_references and call_graph what uses what, "
    "file_outline and repo_map what there is, and with show what a change reaches. rename_symbol renames across files "
    "only what is proven or decided by the user. Answers end with what was left out and how to get it. "
    "status=not_indexed: call manage_index with action=create. status=not_ready: it is being indexed, ask "
    "action=status. status=requires_reindex: settings changed, call action=reindex."
)
SESSIONS = (
    " Name the session that your host gave you (or one that session_open gave; session_event says what became of it) "
    "and read_file says 'unchanged' or gives a diff; read_refresh has it give the content."
)
_GONE = (MCPError, RuntimeError, anyio.ClosedResourceError, anyio.BrokenResourceError, futures.CancelledError)
"""What telling somebody raises who has gone, or a loop that has ended."""
_GRACE_S = 0.2
_RETRY_MS = 1_000
_ERRORS = frozenset(("error", "invalid_arguments", "refused"))
_READ_ONLY = types.ToolAnnotations(read_only_hint=True)
_WRITES = types.ToolAnnotations(read_only_hint=False, destructive_hint=True)
OUTPUT = {"type": "object", "properties": {"status": {"type": "string"}}, "required": ["status"]}


def build(
    service: Service,
    folders: Callable[[], Sequence[str]] = tuple,
    bounds: Callable[[ServerRequestContext[Any]], WorkBounds | None] = lambda _: None,
    way: Here | None = None,
    roots: ClientRoots | None = None,
    *,
    structured: bool = False,
    sessions: bool = False,
) -> Server[Any]:
    """The app, for any transport; `folders` are what a client may see that names no roots of its own.

    `bounds` says how long a call may take, where the transport knows. A program that reads answers asks for
    `structured` content; a model would pay for it twice. What belongs to `sessions` is listed for hosts that tell
    what becomes of a conversation.
    """
    taken, seen = way or Here(service), roots or ClientRoots()
    result = partial(_result, structured=structured)

    async def list_tools(
        _: ServerRequestContext[Any], __: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        return types.ListToolsResult(tools=listed(structured=structured, sessions=sessions))

    async def call_tool(
        context: ServerRequestContext[Any], params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        tool = BY_NAME.get(params.name)
        if tool is None:
            message, hint = f"There is no tool {params.name!r}.", f"Tools are: {', '.join(BY_NAME)}."
            return result({"status": "invalid_arguments", "message": message, "hint": hint})
        given = _asked_for(tool, params.arguments or {}, structured)
        cancelled, limit = threading.Event(), bounds(context)
        try:
            call = ToolCall(
                await seen.access(context, folders()), report=partial(_report, context), cancelled=cancelled
            )
            work = partial(_within, limit, partial(taken.answer, tool, call, given))
            with anyio.move_on_after(_left(limit)):
                return result(await anyio.to_thread.run_sync(work, abandon_on_cancel=True))
            # Its thread does not look at the time just now, and stops when it does. A run that it waits for goes on.
            if (session := (params.arguments or {}).get("session")) is not None and tool.name == "read_file":
                cancelled.set()
                _distrust(service, session)
            return result(error_answer(DeadlineError("The time that was given is over.", retry_after_ms=_RETRY_MS)))
        except anyio.get_cancelled_exc_class():
            cancelled.set()
            if (session := (params.arguments or {}).get("session")) is not None and tool.name == "read_file":
                # It may be in the log already and never arrives. The flag is up: what is logged later is taken back.
                _distrust(service, session)
            raise
        except Exception as error:  # noqa: BLE001 - nothing may pass it
            # A defect too is told in an envelope: a failure of the protocol would be tried again for nothing.
            if (short := shortage_of(error)) is not None:
                return result(error_answer(short))
            traceback.print_exc(file=sys.stderr)
            return result(error_answer(CairnError(f"Unexpected {type(error).__name__}: {error}")))

    return Server(
        "cairn",
        version=__version__,
        title="Cairn",
        instructions=INSTRUCTIONS + SESSIONS * sessions,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


def listed(*, structured: bool = False, sessions: bool = False) -> list[types.Tool]:
    """What a client sees: a model pays for all of it in every conversation."""
    return [
        types.Tool(
            name=tool.name,
            description=tool.text,
            input_schema=tool.listed(programs=structured, sessions=sessions),
            output_schema=OUTPUT if structured else None,
            annotations=_READ_ONLY if tool.read_only else _WRITES,
        )
        for tool in TOOLS
        if sessions or not tool.for_sessions
    ]


def serve_stdio(
    folders: Sequence[str],
    *,
    fresh_for_s: float = 0.0,
    offline: bool = False,
    structured: bool = False,
    sessions: bool = False,
) -> None:
    """Serve until the client closes its end; `offline` asks no daemon."""
    why = "as --offline asks for" if offline else ""
    service = Service(cairn_home(), fresh_for_s=fresh_for_s, read_mode=read_directly(why))

    async def run() -> None:
        way = Here(service) if offline else Through(service)
        server = build(
            service, lambda: folders or (working_folder(),), way=way, structured=structured, sessions=sessions
        )
        answers: list[Any] = []

        async def refuse(error: types.JSONRPCError) -> None:
            await answers[0].send(SessionMessage(error))

        lines = CheckedLines(sys.stdin.buffer, refuse)
        async with stdio_server(stdin=cast("anyio.AsyncFile[str]", lines)) as (reading, writing):
            answers.append(writing)
            await server.run(reading, writing, server.create_initialization_options())

    try:
        anyio.run(run)
    finally:
        service.close()


def _within(limit: WorkBounds | None, work: Callable[[], Answer]) -> Answer:
    with deadline.within(limit):
        return work()


def _left(limit: WorkBounds | None) -> float | None:
    """Seconds until nobody waits any more: a little longer than the work has, which then says so itself."""
    if limit is None or limit.deadline is None:
        return None
    return max(0.0, limit.deadline - time.monotonic()) + _GRACE_S


def _distrust(service: Service, session: object) -> None:
    with contextlib.suppress(CairnError, OSError):
        ReadCache(service.home).distrust(str(session))


def _report(context: ServerRequestContext[Any], row: Tracked) -> None:
    """How far a run is, told to the client from the thread that waits for it."""
    if row.progress is None:
        return
    # A client that doesn't listen any more is no reason to let go of the run: whether it goes on is asked elsewhere.
    with contextlib.suppress(*_GONE):
        anyio.from_thread.run(partial(context.session.report_progress, row.progress, 100.0, row.phase))


def _asked_for(tool: Tool, given: Mapping[str, Any], structured: bool) -> Mapping[str, Any]:
    """The arguments, in the form that the program behind a structured server reads."""
    takes = structured and any(each.name == FORMAT.name for each in tool.arguments)
    return {FORMAT.name: "compact", **given} if takes else given


def _result(answer: Answer, *, structured: bool) -> types.CallToolResult:
    text = text_of(answer)
    is_json = structured and BODY not in answer
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=text)],
        structured_content=json.loads(text) if is_json else None,
        is_error=answer.get("status") in _ERRORS,
    )
