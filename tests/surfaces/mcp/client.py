"""A real MCP client over stdio, for tests that are not asynchronous, and one that speaks by hand."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import jsonschema
import mcp_types as types
from anyio.from_thread import BlockingPortal, start_blocking_portal
from mcp import StdioServerParameters
from mcp.client.client import Client
from mcp.client.session import ClientRequestContext, ListRootsFnT
from mcp.client.stdio import stdio_client

from cairn.lifecycle.registry import Registry
from cairn.lifecycle.states import State
from cairn.lifecycle.tracked import Tracked
from tests.trees import Repo

PATIENCE_S = 60.0
Answer = dict[str, Any]
Progress = list[tuple[float, str | None]]


def text_of(result: types.CallToolResult) -> str:
    """The one text of an answer."""
    (content,) = result.content
    assert isinstance(content, types.TextContent)
    return content.text


class Session:
    """A connected client; every answer is held against what all answers must be."""

    def __init__(self, client: Client, portal: BlockingPortal) -> None:
        self.client = client
        self.portal = portal
        self._tools: dict[str, types.Tool] = {}

    def tools(self) -> dict[str, types.Tool]:
        if not self._tools:
            self._tools = {tool.name: tool for tool in self.portal.call(self.client.list_tools).tools}
        return self._tools

    def result(self, name: str, arguments: Mapping[str, Any], heard: Progress | None = None) -> types.CallToolResult:
        async def listen(progress: float, total: float | None, message: str | None) -> None:
            assert total == 100
            assert heard is not None
            heard.append((progress, message))

        call = partial(
            self.client.call_tool,
            name,
            dict(arguments),
            PATIENCE_S,
            progress_callback=None if heard is None else listen,
        )
        found: types.CallToolResult = self.portal.call(call)
        return found

    def call(self, name: str, /, **arguments: Any) -> Answer:
        return self.checked(name, self.result(name, arguments))

    def checked(self, name: str, result: types.CallToolResult) -> Answer:
        """The answer: one text that is JSON and equals the structured content, valid against the tool's schema."""
        text = text_of(result)
        answer = json.loads(text)
        assert answer == result.structured_content
        text.encode()
        if name in self.tools():
            schema = self.tools()[name].output_schema
            assert schema is not None
            jsonschema.Draft202012Validator(schema).validate(answer)
        assert result.is_error is (answer["status"] in ("error", "invalid_arguments", "refused"))
        if "reason" in answer and answer["status"] != "ok":
            assert (answer["status"], answer["reason"]) in GATES
        found: Answer = answer
        return found

    def create(self, path: Path) -> Answer:
        answer = self.call("manage_index", action="create", path=str(path), wait=True)
        assert answer["status"] == "ok", answer
        return answer

    def when(self, path: Path, is_so: Callable[[Answer], bool]) -> Answer:
        """The first status for which something is so."""
        found: Answer = until(lambda: self.call("manage_index", action="status", path=str(path)), is_so)
        return found


GATES = {("not_ready", "indexing"), ("requires_reindex", "requires_reindex"), ("not_indexed", "not_indexed")}


def until(look: Callable[[], Any], is_so: Callable[[Any], bool] = bool) -> Any:
    """Look again until it is so; a deadline makes a defect a failure."""
    deadline = time.monotonic() + PATIENCE_S
    while not is_so(found := look()):
        assert time.monotonic() < deadline, found
        time.sleep(0.01)
    return found


def environment(home: Path, **more: str) -> dict[str, str]:
    """A server's: nothing of the user's but the way to Python and git."""
    kept = {name: os.environ[name] for name in ("PATH", "PYTHONPATH", "LANG", "LC_ALL") if name in os.environ}
    return {**kept, "HOME": str(home), "CAIRN_HOME": str(home / ".cairn"), "GIT_CONFIG_NOSYSTEM": "1", **more}


@contextlib.contextmanager
def connected(
    home: Path,
    *roots: Path,
    cwd: Path | None = None,
    client_roots: Sequence[str] | None = None,
    mode: str = "auto",
    env: Mapping[str, str] | None = None,
    options: Sequence[str] = (),
    structured: bool = True,
) -> Iterator[Session]:
    """A server in a process of its own, and a client of it."""
    named = [part for root in roots for part in ("--root", str(root))]
    server = StdioServerParameters(
        command=sys.executable,
        args=["-m", "cairn", "mcp", *["--structured", "--sessions"] * structured, *named, *options],
        env=environment(home, **(env or {})),
        cwd=str(cwd or home),
    )
    with start_blocking_portal() as portal:
        client = Client(stdio_client(server), mode=mode, list_roots_callback=_roots(client_roots))
        with portal.wrap_async_context_manager(client) as session:
            yield Session(session, portal)


def _roots(named: Sequence[str] | None) -> ListRootsFnT | None:
    if named is None:
        return None

    async def listed(context: ClientRequestContext) -> types.ListRootsResult:
        return types.ListRootsResult(roots=[types.Root(uri=uri) for uri in named])  # type: ignore[arg-type]

    return listed


class Raw:
    """A server that is spoken to by hand, line by line, and whose process can be seen."""

    def __init__(self, home: Path, *roots: Path, env: Mapping[str, str] | None = None) -> None:
        named = [part for root in roots for part in ("--root", str(root))]
        self.process = subprocess.Popen(
            (sys.executable, "-m", "cairn", "mcp", "--structured", *named),
            cwd=home,
            env=environment(home, **(env or {})),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self._number = 0
        self.heard: list[dict[str, Any]] = []
        """What came before or beside the answers that were waited for."""

    def __enter__(self) -> "Raw":
        hello = {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "by hand", "version": "1"},
        }
        assert self.ask("initialize", hello)["result"]["serverInfo"]["name"] == "cairn"
        self.say({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return self

    def __exit__(self, *_: object) -> None:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.close()
        try:
            self.process.wait(PATIENCE_S)
        finally:
            self.process.kill()
            self.process.stdout.close()

    def write(self, line: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()

    def say(self, message: Mapping[str, Any]) -> None:
        self.write(json.dumps(message).encode())

    def begin(self, method: str, params: Any) -> int:
        self._number += 1
        self.say({"jsonrpc": "2.0", "id": self._number, "method": method, "params": params})
        return self._number

    def ask(self, method: str, params: Any) -> dict[str, Any]:
        return self.answer_to(self.begin(method, params))

    def answer_to(self, number: int) -> dict[str, Any]:
        while (message := self.message()).get("id") != number:
            self.heard.append(message)
        return message

    def message(self) -> dict[str, Any]:
        """The next message of the server."""
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line, "the server has ended"
        found: dict[str, Any] = json.loads(line)
        return found

    def call(self, name: str, **arguments: Any) -> Answer:
        answer: Answer = self.ask("tools/call", {"name": name, "arguments": arguments})["result"]["structuredContent"]
        return answer


def row_of(home: Path, root: Path) -> Tracked | None:
    return Registry(str(home / ".cairn")).get(str(root))


_STOPPED: list[int] = []


def stopped_indexer(home: Path, root: Path) -> int:
    """The pid of the run of a root, once it has stopped itself at the point that the server's environment names."""

    def pid() -> int | None:
        row = row_of(home, root)
        if row is None or row.state is not State.INDEXING or row.owner is None:
            return None
        state = Path(f"/proc/{row.owner.pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]
        return row.owner.pid if state == "T" else None

    found: int = until(pid)
    _STOPPED.append(found)
    return found


def end_stopped() -> None:
    """No test leaves a run behind that it stopped and, having failed, did not let go on."""
    while _STOPPED:
        pid = _STOPPED.pop()
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            if Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0] == "T":
                os.kill(pid, signal.SIGKILL)


def go_on(pid: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGCONT)


def small_tree(path: Path, *, files: int = 6) -> Path:
    """A repository with something to find, to outline, to call and to read."""
    repo = Repo.create(path)
    repo.write(
        "src/lease.py",
        '"""Leases."""\n\n\ndef take_over(lease: str) -> str:\n    """Take over a stale lease."""\n'
        "    return release(lease)\n\n\ndef release(lease: str) -> str:\n    return lease.strip()\n",
    )
    repo.write(
        "src/writer.py",
        "from src.lease import take_over\n\n\nclass Writer:\n    def begin(self) -> str:\n"
        '        return take_over("mine")\n\n    def end(self) -> None:\n        pass\n',
    )
    for number in range(files):
        repo.write(
            f"lib/part{number}.py",
            f'def part_{number}() -> str:\n    """A lease of part {number}."""\n    return "{number}"\n',
        )
    repo.write("docs/guide.md", "# Guide\n\nHow a stale lease is taken over.\n")
    repo.commit()
    return repo.path
