"""Who is let in, who waits, and what becomes of work that nobody waits for any more."""

import asyncio
import contextlib
import resource
import socket
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.requests import ClientDisconnect, Request

from cairn.base import deadline
from cairn.base.deadline import WorkBounds
from cairn.base.errors import BusyError, CancelledError, CrowdedError, DeadlineError, ExitCode, OutOfResourcesError
from cairn.codebase.pool import Pool
from cairn.daemon.admission import Admission, AdmissionLimits
from cairn.daemon.client import ElsewhereError
from cairn.daemon.desk import DEADLINE_AT, RequestDesk, client_of, deadline_of
from cairn.daemon.syncs import DaemonState, Syncs
from cairn.lifecycle.registry import Registry
from cairn.program import remote
from cairn.program.remote import Client
from cairn.store.view import SnapshotView
from cairn.surfaces.http.wrappers import Admitted
from tests.surfaces.http.running import PATIENCE_S, Daemon, serving
from tests.surfaces.http.running import until as happens
from tests.trees import Repo, cairn

_LIMITS = AdmissionLimits(working=1, waiting=1, per_client=2, deadline_s=600.0, most_deadline_s=900.0)


def request(name: str = "a", *, gone: "asyncio.Event | None" = None) -> Request:
    """A request of a client that goes away when it is told to."""

    async def receive() -> dict[str, Any]:
        await (gone or asyncio.Event()).wait()
        return {"type": "http.disconnect"}

    headers = [(b"cairn-client", name.encode())]
    return Request({"type": "http", "method": "GET", "path": "/", "headers": headers, "query_string": b""}, receive)


@pytest.fixture
def desk() -> Iterator[RequestDesk]:
    found = RequestDesk(Admission(_LIMITS))
    yield found
    found.close()


@pytest.mark.requirement("DMN.1")
def test_so_many_work_so_many_wait_and_the_rest_is_told_to_come_back(desk: RequestDesk) -> None:
    release, begun = threading.Event(), threading.Semaphore(0)

    def work() -> str:
        begun.release()
        assert release.wait(PATIENCE_S)
        return "done"

    async def run() -> list[str]:
        first = asyncio.ensure_future(desk.answer(request("a"), work))
        await asyncio.to_thread(begun.acquire, timeout=PATIENCE_S)
        second = asyncio.ensure_future(desk.answer(request("b"), work))
        await asyncio.sleep(0)
        while desk.admission.inside < 2:
            await asyncio.sleep(0.001)
        with pytest.raises(BusyError) as refused:
            await desk.answer(request("c"), work)
        assert refused.value.retry_after_ms
        # The second has no permit: it has not begun.
        assert not begun.acquire(blocking=False)
        release.set()
        return [await first, await second]

    assert asyncio.run(run()) == ["done", "done"]
    assert desk.admission.inside == 0
    assert desk.admission.refused == 1


@pytest.mark.requirement("DMN.1")
def test_one_client_can_not_take_every_place() -> None:
    admission = Admission(AdmissionLimits(working=1, waiting=9, per_client=2))
    leaves = [admission.enter("greedy"), admission.enter("greedy")]
    with pytest.raises(CrowdedError):
        admission.enter("greedy")
    leaves.append(admission.enter("modest"))
    for leave in leaves:
        leave()
    assert admission.inside == 0
    admission.enter("greedy")()


@pytest.mark.requirement("DMN.1")
def test_who_waits_for_a_sync_lets_others_read() -> None:
    admission = Admission(_LIMITS)
    with (
        admission.working(WorkBounds()),
        admission.resting(),
        admission.working(WorkBounds(time.monotonic() + PATIENCE_S)),
    ):
        # The one permit is with the other now: nobody works beside it.
        assert not admission._permits.acquire(blocking=False)
    assert admission._permits.acquire(blocking=False)


def _endless() -> None:
    while True:
        deadline.check()


@pytest.mark.requirement("DMN.1")
@pytest.mark.parametrize("why", ["deadline", "disconnect"])
def test_work_ends_when_its_time_is_over_or_nobody_waits(desk: RequestDesk, why: str) -> None:
    async def run() -> None:
        gone = asyncio.Event()
        asked = asyncio.ensure_future(
            desk.answer(request(gone=gone), _endless, 50 if why == "deadline" else None),
        )
        await asyncio.sleep(0)
        if why == "disconnect":
            gone.set()
        # Whoever has gone did not run out of time.
        with pytest.raises(DeadlineError if why == "deadline" else ClientDisconnect):
            await asked
        while desk.admission.inside:
            await asyncio.sleep(0.001)

    asyncio.run(asyncio.wait_for(run(), PATIENCE_S))


def test_who_comes_too_late_does_nothing_and_takes_no_permit_along() -> None:
    admission = Admission(_LIMITS)
    for _ in range(2):
        with pytest.raises(DeadlineError), admission.working(WorkBounds(0.0)):
            pytest.fail("there was no time left")
    with admission.working(WorkBounds(time.monotonic() + PATIENCE_S)):
        pass


def test_a_deadline_is_what_was_asked_for_up_to_the_longest() -> None:
    admission = Admission(_LIMITS)
    assert deadline_of(request(), admission, None) == 600.0
    assert deadline_of(request(), admission, 1_500) == 1.5
    assert deadline_of(request(), admission, 901_000) == 900.0


def test_a_deadline_that_passes_in_line_is_told_too(desk: RequestDesk) -> None:
    release = threading.Event()

    async def run() -> None:
        first = asyncio.ensure_future(desk.answer(request("a"), lambda: release.wait(PATIENCE_S)))
        await asyncio.sleep(0)
        with pytest.raises(DeadlineError):
            await desk.answer(request("b"), lambda: "never", 50)
        release.set()
        await first

    asyncio.run(run())


@pytest.mark.slow
@pytest.mark.requirement("DMN.1")
@pytest.mark.parametrize(
    "ask",
    [
        lambda view: list(view.files()),
        lambda view: list(view.facts.called()),
        lambda view: view.facts.symbols_named(["x"], 1),
    ],
)
def test_every_question_to_a_view_looks_at_its_bounds(tree: Repo, ask: Callable[[SnapshotView], object]) -> None:
    from cairn.codebase.codebase import Codebase

    with Codebase(str(tree.path)) as codebase, codebase.view() as view:
        ask(view)
        gone = WorkBounds()
        gone.cancelled.set()
        with deadline.within(gone), pytest.raises(CancelledError):
            ask(view)
        with deadline.within(WorkBounds(time.monotonic() - 1)), pytest.raises(DeadlineError):
            ask(view)
        ask(view)


def slow_tree(tree: Repo) -> None:
    """A tree in which a pattern that only Python's engine takes has its time, each file two seconds."""
    for number in range(3):
        tree.write(f"slow{number}.txt", "a" * 200 + "!\n")
    assert cairn("index", str(tree.path)).returncode == 0


def slow_question(daemon: Daemon, tree: Repo, answers: list[int], **headers: str) -> threading.Thread:
    def ask() -> None:
        found = daemon.get("/v1/search", headers, q="(?!b)(a|a)+$", regex="true", root=tree.path)
        answers.append(found.status)

    thread = threading.Thread(target=ask)
    thread.start()
    return thread


@pytest.mark.slow
@pytest.mark.requirement("DMN.1")
def test_a_full_daemon_says_when_to_come_back_and_the_command_line_does(tree: Repo) -> None:
    slow_tree(tree)
    answers: list[int] = []
    with serving("--no-watch", "--concurrency", "1", "--queue", "0") as daemon:
        thread = slow_question(daemon, tree, answers)
        happens(lambda: "cairn_inside 1" in daemon.get("/metrics").body.decode())
        found = daemon.get("/v1/search", q="lease", root=tree.path)
        assert (found.status, found.document["error"]["code"]) == (503, "busy")
        assert found.document["error"]["retry_after_ms"] > 0
        assert int(found.headers["retry-after"]) >= 1
        done = cairn("search", "lease", cwd=tree.path)
        assert done.returncode == 0
        thread.join(PATIENCE_S)
        assert answers == [200]
        assert "cairn_commands_run_total 1" in daemon.get("/metrics").body.decode()


@pytest.mark.slow
@pytest.mark.requirement("DMN.1")
def test_a_sync_goes_on_while_questions_fill_the_house(tree: Repo) -> None:
    slow_tree(tree)
    answers: list[int] = []
    with serving("--concurrency", "1", "--queue", "0") as daemon:
        watched: dict[str, object] = {"root": tree.path, "name": "while_busy"}
        happens(lambda: daemon.get("/v1/codebases").document["codebases"][0]["watched"])
        thread = slow_question(daemon, tree, answers)
        happens(lambda: "cairn_inside 1" in daemon.get("/metrics").body.decode())
        before = _syncs(daemon)
        tree.write("src/busy.py", "def while_busy() -> None: ...\n")
        happens(lambda: _syncs(daemon) > before or answers)
        assert not answers, "the sync waited for the question"
        thread.join(PATIENCE_S)
        assert happens(lambda: daemon.get("/v1/symbol", None, **watched).document["total"]) == 1


def _syncs(daemon: Daemon) -> int:
    rows = daemon.get("/metrics").body.decode().splitlines()
    return next(int(row.split()[1]) for row in rows if row.startswith("cairn_syncs_total"))


@pytest.mark.requirement("DMN.1")
def test_calls_of_another_app_are_within_the_same_bounds(desk: RequestDesk) -> None:
    inside: list[int] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        inside.append(desk.admission.inside)

    async def call(method: str) -> None:
        asked = request()

        async def send(_: Any) -> None:
            raise AssertionError("nothing is sent")

        await Admitted(desk, app)({**asked.scope, "method": method}, asked.receive, send)

    before = desk.busy_at
    asyncio.run(call("POST"))
    assert inside == [1]
    assert desk.admission.inside == 0
    assert desk.busy_at > before
    leaves = [desk.admission.enter("a"), desk.admission.enter("a")]
    with pytest.raises(CrowdedError):
        asyncio.run(call("POST"))
    asyncio.run(call("GET"))
    assert inside == [1, 2]
    for leave in leaves:
        leave()
    # A stream that is only listened to has a place among streams.
    leaves = [desk.admission.streams.enter("a") for _ in range(_LIMITS.streams_per_client)]
    with pytest.raises(CrowdedError):
        asyncio.run(call("GET"))
    asyncio.run(call("POST"))
    for leave in leaves:
        leave()
    asyncio.run(call("GET"))
    assert inside == [1, 2, 1, 0]


@pytest.mark.slow
@pytest.mark.requirement("DMN.1")
@pytest.mark.parametrize("started", [False, True])
def test_calls_of_another_app_end_in_time(desk: RequestDesk, started: bool) -> None:
    over: list[bool] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        if started:
            await send({"type": "http.response.start", "status": 200, "headers": []})
        assert scope[DEADLINE_AT] - time.monotonic() <= 0.05
        try:
            await asyncio.Event().wait()
        finally:
            over.append(True)

    async def call() -> None:
        asked = request()
        headers = [*asked.scope["headers"], (b"cairn-deadline-ms", b"50")]

        async def send(_: Any) -> None: ...

        await Admitted(desk, app)({**asked.scope, "method": "POST", "headers": headers}, asked.receive, send)

    if started:
        asyncio.run(asyncio.wait_for(call(), PATIENCE_S))
    else:
        with pytest.raises(DeadlineError) as told:
            asyncio.run(asyncio.wait_for(call(), PATIENCE_S))
        assert told.value.retry_after_ms
    assert over == [True]
    assert desk.admission.inside == 0


def test_a_stream_of_another_app_ends_with_the_daemon(desk: RequestDesk) -> None:
    async def run() -> None:
        begun, ending = asyncio.Event(), asyncio.Event()

        async def app(scope: Any, receive: Any, send: Any) -> None:
            begun.set()
            await asyncio.Event().wait()

        asked = request()
        call = asyncio.ensure_future(Admitted(desk, app, ending)(asked.scope, asked.receive, asked.receive))  # type: ignore[arg-type]
        await begun.wait()
        assert desk.admission.streams.taken == 1
        ending.set()
        await call
        assert desk.admission.streams.taken == 0

    asyncio.run(asyncio.wait_for(run(), PATIENCE_S))


@pytest.mark.slow
@pytest.mark.requirement("DMN.1")
def test_streams_leave_the_places_of_questions_alone(tree: Repo) -> None:
    def listen(daemon: Daemon, name: bytes) -> tuple[socket.socket, bytes]:
        line = daemon.raw()
        line.sendall(b"GET /v1/events HTTP/1.1\r\nHost: x\r\nCairn-Client: " + name + b"\r\n\r\n")
        return line, line.recv(12)

    with serving("--no-watch", "--concurrency", "1", "--queue", "0") as daemon, contextlib.ExitStack() as stack:
        limits = AdmissionLimits()
        for number in range(limits.streams):
            line, head = listen(daemon, f"client-{number // limits.streams_per_client}".encode())
            stack.enter_context(line)
            assert head == b"HTTP/1.1 200"
        found = daemon.get("/v1/events", {"Cairn-Client": "client-0"})
        assert (found.status, found.document["error"]["code"]) == (429, "too_many_requests")
        found = daemon.get("/v1/events", {"Cairn-Client": "another"})
        assert (found.status, found.document["error"]["code"]) == (503, "busy")
        assert found.document["error"]["retry_after_ms"] > 0
        # What is no name counts as no name, however it differs.
        assert daemon.get("/v1/symbol", {"Cairn-Client": "\xff" * 99}, name="Lease", root=tree.path).status == 200
        assert f"cairn_streams {limits.streams}" in daemon.get("/metrics").body.decode()
        stack.close()
        happens(lambda: "cairn_streams 0" in daemon.get("/metrics").body.decode())
        assert "cairn_inside 0" in daemon.get("/metrics").body.decode()


def test_who_listens_keeps_the_daemon_from_ending_for_want_of_questions(desk: RequestDesk) -> None:
    desk.busy_at -= 1_000
    assert desk.idle_s() >= 1_000
    leave = desk.listen(request())
    desk.busy_at -= 1_000
    assert desk.idle_s() == 0
    leave()
    # It begins to count when the last one has left.
    assert desk.idle_s() < 1_000
    desk.busy_at -= 1_000
    with desk.counted(request()):
        desk.busy_at -= 1_000
        assert desk.idle_s() == 0


def test_a_name_that_makes_no_sense_is_none() -> None:
    for name in ("", "a b", "x" * 65, "\xe9", 'a"b'):
        assert client_of(request(name)) == "socket"
    assert client_of(request("page-12ab.3:c")) == "page-12ab.3:c"


@pytest.mark.requirement("DMN.1")
def test_what_is_left_of_descriptors_is_kept_for_what_is_under_way(monkeypatch: pytest.MonkeyPatch) -> None:
    from cairn.codebase import pool

    most = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    admission = Admission(_LIMITS)
    admission.enter("a")()
    monkeypatch.setattr(pool, "open_handles", lambda: most - 2)
    with pytest.raises(OutOfResourcesError, match="descriptors") as told:
        admission.enter("a")
    assert "ulimit -n" in told.value.hint
    assert told.value.retry_after_ms
    assert admission.inside == 0


@pytest.mark.slow
@pytest.mark.requirement("DMN.1")
@pytest.mark.parametrize("code", [ExitCode.INTERNAL, ExitCode.CORRUPT])
def test_what_fails_for_want_of_descriptors_is_no_answer(
    tree: Repo, home: Path, monkeypatch: pytest.MonkeyPatch, code: ExitCode
) -> None:
    def ran(*, leaves: bool) -> int:
        return remote.run(house, ["status"], Client(str(tree.path)), lambda *_: None, leaves=leaves)

    house = DaemonState(Registry(str(home)), Pool(str(home)), Syncs(), Admission(_LIMITS))
    assert ran(leaves=True) == 0
    monkeypatch.setattr(remote, "answered", lambda *_: code)
    assert ran(leaves=False) == code
    monkeypatch.setattr(remote, "handles_are_scarce", lambda: True)
    with pytest.raises(ElsewhereError):
        ran(leaves=True)
    with pytest.raises(OutOfResourcesError) as told:
        ran(leaves=False)
    assert told.value.retry_after_ms
    house.pool.close()
    house.syncs.close()
