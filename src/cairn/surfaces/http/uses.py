"""All uses of a name as a stream: file by file as they are found, and at the end the answer that counts them."""

import asyncio
import threading
import time
from collections.abc import AsyncIterator, Callable
from typing import Any

from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from cairn.base import lazy
from cairn.base.deadline import WorkBounds
from cairn.base.text import json_text
from cairn.base.values import replace
from cairn.codebase.uses import UsesPart
from cairn.daemon.client import FRAMES
from cairn.daemon.desk import RequestDesk, as_cairn_error, deadline_of, goes_away
from cairn.daemon.host import HouseHost, scarcity_reported
from cairn.daemon.syncs import DaemonState
from cairn.questions.asking import ask, target_meant
from cairn.questions.code_documents import used
from cairn.questions.common import files_of, name_of, wanted_of
from cairn.questions.narrowing import within_of
from cairn.questions.parameters import Values
from cairn.questions.question import Asked, Question
from cairn.surfaces.http.answers import Streamed, spelling
from cairn.surfaces.http.answers import request as as_request
from cairn.surfaces.http.endpoints import TIMEOUT, Endpoint

_AT_ONCE = 100
_EVERY_S = 0.1
"""So many uses go out together, or all that are found in this time."""
_AHEAD = 32
"""So many frames may wait for a client that reads slowly; then the search waits too."""
Heard = Callable[[UsesPart], None]
Send = Callable[[list[object]], None]


def _in_parts(asked: Asked, values: Values, heard: Heard = lambda _part: None) -> Any:
    target, only = target_meant(values["name"], asked), wanted_of(values, asked.within)
    return asked.codebase.insight.references_in_parts(target, heard, only=only, synced=asked.synced)


USES = Question(
    "uses",
    "all uses of something, file by file as they are found",
    (name_of(), within_of(), *files_of()),
    _in_parts,
    lazy.function("cairn.questions.code_documents", "references"),
)
ENDPOINT = Endpoint(USES)


async def stream(
    house: DaemonState, desk: RequestDesk, request: Request, given: dict[str, Any], allowed: Callable[[], None]
) -> Response:
    """Lines of [kind, value]: `uses` with files and how far the search is, then `answer`, or `error`.

    What is wrong before the first of them is told by the status. Whoever goes away ends the work.
    """
    limits = desk.admission.limits
    timeout_ms = given.get(TIMEOUT.name, int(limits.most_deadline_s * 1000))
    bounds = WorkBounds(time.monotonic() + deadline_of(request, desk.admission, timeout_ms))
    line = _Line(bounds)
    values = ENDPOINT.values(given)
    where = ENDPOINT.where(given, values)

    def work() -> None:
        try:
            with scarcity_reported():
                allowed()
                batch = _Batch(line.send)
                question = replace(USES, ask=lambda asked, own: _in_parts(asked, own, batch.add))
                answered = ask(question, values, HouseHost(house, where.path), where, sync=bool(given.get("sync")))
                batch.flush()
                line.send(["answer", answered.document(spelling(USES))])
        except Exception as error:
            if not line.is_begun:
                raise
            line.end(["error", as_cairn_error(error).envelope(as_request)["error"]])

    begun = desk.begin(request, work, bounds)
    gone = asyncio.ensure_future(goes_away(request))
    first = asyncio.ensure_future(line.next())
    try:
        either: set[asyncio.Future[Any]] = {begun, gone, first}
        await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
        if gone.done() and not first.done():
            raise ClientDisconnect
        if begun.done() and not line.is_begun:
            begun.result()
    except BaseException:
        bounds.cancelled.set()
        first.cancel()
        raise
    finally:
        gone.cancel()
    return Streamed(_frames(await first, line), FRAMES, bounds.cancelled.set)


async def _frames(frame: list[object], line: "_Line") -> AsyncIterator[bytes]:
    while True:
        yield f"{json_text(frame)}\n".encode("utf-8", "backslashreplace")
        if frame[0] != "uses":
            return
        frame = await line.next()


class _Line:
    """Frames on their way from the thread that works to the loop that sends them."""

    def __init__(self, bounds: WorkBounds) -> None:
        self.is_begun = False
        self._bounds = bounds
        self._loop = asyncio.get_running_loop()
        self._queue: asyncio.Queue[list[object]] = asyncio.Queue()
        self._room = threading.Semaphore(_AHEAD)

    def send(self, frame: list[object]) -> None:
        """Pass one on, once there is room for it."""
        self._bounds.check()
        while not self._room.acquire(timeout=_EVERY_S):
            self._bounds.check()
        self.end(frame)

    def end(self, frame: list[object]) -> None:
        """Pass the last one on, whatever else waits."""
        self.is_begun = True
        self._loop.call_soon_threadsafe(self._queue.put_nowait, frame)

    async def next(self) -> list[object]:
        """The next one."""
        frame = await self._queue.get()
        self._room.release()
        return frame


class _Batch:
    """Files with uses, put together until there are enough of them."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._files: list[object] = []
        self._uses = 0
        self._elsewhere = 0
        self._looked: UsesPart | None = None
        self._due = 0.0
        """The first uses go out at once."""

    def add(self, part: UsesPart) -> None:
        """One more file that was looked at."""
        self._looked = part
        self._elsewhere += part.elsewhere
        if part.items:
            self._uses += len(part.items)
            rows = [used(each, part.changed) for each in part.items]
            file = {"path": part.path, "tests": part.in_tests, "changed_since": part.changed, "uses": rows}
            self._files.append(file)
        if self._uses >= _AT_ONCE or time.monotonic() >= self._due:
            self.flush()

    def flush(self) -> None:
        """Send what there is."""
        if self._looked is None:
            return
        looked = {"looked": self._looked.file, "of": self._looked.files, "elsewhere": self._elsewhere}
        self._send(["uses", {"files": self._files, **looked}])
        self._files, self._uses, self._looked = [], 0, None
        self._due = time.monotonic() + _EVERY_S
