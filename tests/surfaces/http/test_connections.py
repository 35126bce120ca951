"""Connections: so many, so long to ask and so long to take an answer; and what whoever connects sees of it."""

import asyncio
import contextlib
import json
import logging
import resource
import socket
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import pytest

from cairn.program.server import _patience, _server
from cairn.surfaces.http.connections import Connections, Patience
from tests.surfaces.http.running import PATIENCE_S, Daemon, serving, until
from tests.trees import Repo, cairn

Connect = Callable[[], Awaitable[tuple[asyncio.StreamReader, asyncio.StreamWriter]]]
_WHOLE = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"


class App:
    """Reads a request to its end and says how large it was; what it is told to wait for keeps it."""

    def __init__(self) -> None:
        self.go = asyncio.Event()
        self.go.set()
        self.asked = 0
        self.ended: list[str] = []
        self.size = 2

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        self.asked += 1
        more = True
        while more:
            message = await receive()
            if message["type"] == "http.disconnect":
                self.ended.append("disconnect")
                return
            more = message["more_body"]
        await self.go.wait()
        await send(
            {"type": "http.response.start", "status": 200, "headers": [(b"content-length", str(self.size).encode())]}
        )
        await send({"type": "http.response.body", "body": b"x" * self.size})
        self.ended.append("answered")


@contextlib.asynccontextmanager
async def listening(app: Any, patience: Patience) -> AsyncIterator[tuple[Connect, Connections, Any]]:
    with socket.create_server(("127.0.0.1", 0)) as line:
        host, port = line.getsockname()
        connections = Connections(patience)
        server = _server(app, connections)
        task = asyncio.ensure_future(server.serve([line]))
        while not server.started:
            await asyncio.sleep(0)
        try:
            yield lambda: asyncio.open_connection(host, port), connections, server
        finally:
            server.should_exit = True
            await task


def run(test: Callable[[App, Connect, Connections, Any], Awaitable[None]], patience: Patience) -> None:
    async def inside() -> None:
        app = App()
        async with listening(app, patience) as (connect, connections, server):
            await asyncio.wait_for(test(app, connect, connections, server), PATIENCE_S)
            app.go.set()

    asyncio.run(inside())


async def rest(reader: asyncio.StreamReader) -> tuple[int, dict[str, Any]]:
    """The status of an answer that ends with its connection, and its document."""
    data = await reader.read()
    head, _, body = data.partition(b"\r\n\r\n")
    assert b"connection: close" in head.lower()
    return int(head.split()[1]), json.loads(body)["error"]


@pytest.mark.slow
@pytest.mark.requirement("DMN.1")
@pytest.mark.parametrize(
    "part",
    [b"G", b"GET / HTTP/1.1\r\nHost: x\r\nX: ", b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nhalf"],
)
def test_a_request_that_does_not_become_whole_is_given_up(part: bytes) -> None:
    async def test(app: App, connect: Connect, connections: Connections, _: Any) -> None:
        reader, writer = await connect()
        writer.write(part)
        status, error = await rest(reader)
        assert (status, error["code"]) == (408, "timeout")
        assert error["retry_after_ms"] > 0
        writer.close()
        # Whoever waited for the rest of it hears that there is none.
        while connections.open or (b"POST" in part and app.ended != ["disconnect"]):
            await asyncio.sleep(0.01)

    run(test, Patience(ask_s=0.1))


@pytest.mark.slow
@pytest.mark.requirement("DMN.1")
def test_a_trickle_is_no_way_around_it() -> None:
    async def test(app: App, connect: Connect, connections: Connections, _: Any) -> None:
        reader, writer = await connect()
        answer = asyncio.ensure_future(rest(reader))
        while not answer.done():
            writer.write(b"G")
            await asyncio.sleep(0.01)
        assert (await answer)[0] == 408
        writer.close()

    run(test, Patience(ask_s=0.2))


@pytest.mark.slow
@pytest.mark.requirement("DMN.1")
def test_who_says_nothing_is_let_go_of_without_a_word() -> None:
    async def test(app: App, connect: Connect, connections: Connections, _: Any) -> None:
        reader, writer = await connect()
        with contextlib.suppress(ConnectionResetError):
            assert await reader.read() == b""
        assert not connections.open
        writer.close()

    run(test, Patience(ask_s=0.1))


@pytest.mark.slow
def test_who_is_answered_for_long_is_not_hurried_and_may_ask_again() -> None:
    async def test(app: App, connect: Connect, connections: Connections, _: Any) -> None:
        reader, writer = await connect()
        for _round in range(3):
            app.go.clear()
            writer.write(_WHOLE)
            await asyncio.sleep(0.3)
            app.go.set()
            assert (await reader.readuntil(b"xx")).startswith(b"HTTP/1.1 200 ")
        writer.close()
        assert app.ended == ["answered"] * 3

    run(test, Patience(ask_s=0.2))


def test_another_protocol_is_not_spoken_and_nobody_is_told_what_to_install(caplog: pytest.LogCaptureFixture) -> None:
    async def test(app: App, connect: Connect, connections: Connections, _: Any) -> None:
        reader, writer = await connect()
        wanted = b"Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: eA==\r\n"
        writer.write(_WHOLE[:-2] + wanted + b"\r\n")
        assert (await reader.readuntil(b"xx")).startswith(b"HTTP/1.1 200 ")
        writer.close()

    with caplog.at_level(logging.WARNING):
        run(test, Patience())
    assert caplog.messages == []


@pytest.mark.slow
@pytest.mark.requirement("DMN.1")
def test_an_answer_that_nobody_reads_is_given_up() -> None:
    async def test(app: App, connect: Connect, connections: Connections, _: Any) -> None:
        app.size = 64 << 20
        _, writer = await connect()
        writer.transport.pause_reading()  # type: ignore[attr-defined]
        writer.write(_WHOLE)
        while not app.ended:
            await asyncio.sleep(0.01)
        while connections.open:
            await asyncio.sleep(0.01)
        writer.close()

    run(test, Patience(read_s=0.2, ask_s=600.0))


@pytest.mark.slow
def test_who_reads_an_answer_is_not_hurried_to_ask_again_and_not_put_out() -> None:
    async def test(app: App, connect: Connect, connections: Connections, _: Any) -> None:
        app.size = 64 << 20
        reader, writer = await connect()
        writer.transport.pause_reading()  # type: ignore[attr-defined]
        writer.write(_WHOLE)
        while not app.ended:
            await asyncio.sleep(0.01)
        late = await connect()
        late[1].write(_WHOLE)
        assert (await rest(late[0]))[0] == 503
        await asyncio.sleep(0.3)
        writer.transport.resume_reading()  # type: ignore[attr-defined]
        await reader.readuntil(b"\r\n\r\n")
        assert await reader.readexactly(app.size) == b"x" * app.size
        late[1].close()
        # Then it is: who says nothing more is let go of.
        with contextlib.suppress(ConnectionResetError):
            assert await reader.read() == b""
        writer.close()

    run(test, Patience(most=1, ask_s=0.1))


@pytest.mark.requirement("DMN.1")
def test_there_are_so_many_and_the_rest_is_told_to_come_back() -> None:
    async def test(app: App, connect: Connect, connections: Connections, _: Any) -> None:
        app.go.clear()
        busy = [await connect() for _ in range(3)]
        for _, writer in busy:
            writer.write(_WHOLE)
        while sum(not each.is_silent for each in connections.open) < 3:
            await asyncio.sleep(0.01)
        reader, writer = await connect()
        writer.write(_WHOLE)
        status, error = await rest(reader)
        assert (status, error["code"]) == (503, "busy")
        assert error["retry_after_ms"] > 0
        assert connections.refused == 1
        writer.close()
        app.go.set()
        for reader, each in busy:
            assert (await reader.readuntil(b"xx")).startswith(b"HTTP/1.1 200 ")
            each.close()

    run(test, Patience(most=3))


def test_of_those_who_are_too_many_only_so_many_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cairn.surfaces.http.connections._LINGERING", 1)

    async def test(app: App, connect: Connect, connections: Connections, _: Any) -> None:
        app.go.clear()
        _, busy = await connect()
        busy.write(_WHOLE)
        while not any(not each.is_silent for each in connections.open):
            await asyncio.sleep(0.01)
        told, silent = await connect(), await connect()
        assert (await told[0].readuntil(b"\r\n")).startswith(b"HTTP/1.1 503 ")
        with contextlib.suppress(ConnectionResetError):
            assert await silent[0].read() == b""
        for writer in (busy, told[1], silent[1]):
            writer.close()

    run(test, Patience(most=1))


@pytest.mark.slow
def test_an_answer_that_has_begun_is_not_answered_once_more() -> None:
    async def test(app: App, connect: Connect, connections: Connections, _: Any) -> None:
        reader, writer = await connect()
        writer.write(b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nhalf")
        with contextlib.suppress(ConnectionResetError):
            assert (await reader.read()).count(b"HTTP/1.1") == 1
        assert not connections.open
        writer.close()

    async def early(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"9")]})
        await send({"type": "http.response.body", "body": b"half", "more_body": True})
        while (await receive())["type"] != "http.disconnect":
            pass

    async def inside() -> None:
        async with listening(early, Patience(ask_s=0.2)) as (connect, connections, server):
            await asyncio.wait_for(test(App(), connect, connections, server), PATIENCE_S)

    asyncio.run(inside())


@pytest.mark.slow
def test_after_the_last_word_nothing_is_heard_any_more() -> None:
    async def test(app: App, connect: Connect, connections: Connections, _: Any) -> None:
        reader, writer = await connect()
        writer.write(_WHOLE[:-2])
        assert (await rest(reader))[0] == 408
        writer.write(_WHOLE[-2:])
        while connections.open:
            await asyncio.sleep(0.01)
        assert app.asked == 0
        writer.close()

    run(test, Patience(ask_s=0.1))


def test_as_many_connections_as_descriptors_allow(monkeypatch: pytest.MonkeyPatch) -> None:
    for soft, most in ((resource.RLIM_INFINITY, 512), (100_000, 512), (400, 100), (16, 8)):
        monkeypatch.setattr(resource, "getrlimit", lambda _, soft=soft: (soft, soft))
        assert _patience().most == most


@pytest.mark.requirement("DMN.1")
def test_who_has_not_asked_makes_room_for_who_does() -> None:
    async def test(app: App, connect: Connect, connections: Connections, _: Any) -> None:
        silent = [await connect() for _ in range(3)]
        silent[1][1].write(b"GET / HT")
        for _ in range(5):
            reader, writer = await connect()
            writer.write(_WHOLE)
            assert (await reader.readuntil(b"xx")).startswith(b"HTTP/1.1 200 ")
            writer.close()
        assert connections.refused == 0
        assert len(connections.open) <= 3
        for _, each in silent:
            each.close()

    run(test, Patience(most=3))


def test_the_end_does_not_wait_for_what_is_not_asked() -> None:
    async def test(app: App, connect: Connect, connections: Connections, server: Any) -> None:
        app.go.clear()
        answered, half, silent = [await connect() for _ in range(3)]
        answered[1].write(_WHOLE)
        half[1].write(b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nhalf")
        while (
            sum(not each.is_silent for each in connections.open) < 1
            or sum(bool(each._asked) for each in connections.open) < 2
        ):
            await asyncio.sleep(0.01)
        server.should_exit = True
        status, error = await rest(half[0])
        assert (status, error["code"]) == (503, "busy")
        assert await silent[0].read() == b""
        # What was asked is answered.
        app.go.set()
        assert (await answered[0].readuntil(b"xx")).startswith(b"HTTP/1.1 200 ")
        for _, each in (answered, half, silent):
            each.close()

    run(test, Patience())


@pytest.mark.slow
def test_it_ends_at_once_however_many_requests_are_half_sent(tree: Repo) -> None:
    with serving("--no-watch") as daemon:
        half_sent_and_stopped(daemon)
    assert "Traceback" not in daemon.logged


def half_sent_and_stopped(daemon: Daemon) -> None:
    connections = [daemon.raw() for _ in range(4)]
    for number, line in enumerate(connections):
        path = ("/v1/command", "/mcp")[number % 2].encode()
        line.sendall(b"POST " + path + b" HTTP/1.1\r\nHost: x\r\nContent-Length: 99\r\n\r\nhalf")
    for line in connections[2:]:
        line.close()
    stream = daemon.raw()
    stream.sendall(b"GET /v1/events HTTP/1.1\r\nHost: x\r\n\r\n")
    assert stream.recv(1)
    until(lambda: 'path="/v1/command",status="499"' in daemon.get("/metrics").body.decode())
    begun = time.monotonic()
    assert cairn("stop").returncode == 0
    # Far below the ten seconds that a question under way is given.
    assert time.monotonic() - begun < 8
    for line in (*connections[:2], stream):
        line.close()


@pytest.mark.slow
@pytest.mark.requirement("DMN.1")
def test_descriptors_that_run_out_are_the_daemons_affair_alone(tree: Repo) -> None:
    with serving("--no-watch", handles=80) as daemon:
        held: list[socket.socket] = []
        try:
            for _ in range(200):
                with contextlib.suppress(OSError):
                    held.append(daemon.raw())
            found = [daemon.get("/v1/symbol", name="Lease", root=tree.path) for _ in range(5)]
            assert {each.status for each in found} <= {200, 503}
            for each in found:
                if each.status == 503:
                    assert each.document["error"]["code"] == "busy"
                    assert each.document["error"]["retry_after_ms"] > 0
            done = cairn("symbol", "Lease", "--json", cwd=tree.path)
            assert done.returncode == 0, done.stderr
            assert json.loads(done.stdout)["total"] == 1
        finally:
            for line in held:
                line.close()
        until(lambda: daemon.get("/v1/symbol", name="Lease", root=tree.path).status == 200)
    assert "Traceback" not in daemon.logged
    assert daemon.logged.count("\n") < 20
