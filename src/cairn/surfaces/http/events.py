"""Server-sent events: how codebases and the files that a page shows stand, told again whenever that changes.

What changes is seen by looking: the registry is where every process writes how far its run is and
what it published, so nothing has to be told to the daemon and nothing is missed by it. All streams
share one look.
"""

import asyncio
import contextlib
import time
from collections.abc import AsyncGenerator, Callable, Collection
from typing import Any

from cairn.base.errors import CairnError
from cairn.base.text import json_text
from cairn.surfaces.http.following import FileSight, Row, Shown

EVENTS = "text/event-stream"
_EVERY_S = 0.4
_FRESH_S = 0.25
_ALIVE_EVERY = 5
"""Looks without news after which a comment shows that the line is up; a page takes a far longer silence for its end."""
Rows = dict[str, dict[str, Any]]
Look = Callable[[], list[dict[str, Any]]]


class Sight:
    """What is seen of the codebases, looked at no more often than news is told, however many listen."""

    def __init__(self, look: Look) -> None:
        self._look = look
        self._guard = asyncio.Lock()
        self._seen: Rows = {}
        self._at = float("-inf")

    async def now(self) -> Rows:
        """The codebases by their roots; as they were seen last where they can't be seen now."""
        async with self._guard:
            if time.monotonic() - self._at >= _FRESH_S:
                # A registry that can't be read now may be readable with the next look.
                with contextlib.suppress(CairnError, OSError):
                    self._seen = {each["root"]: each for each in await asyncio.to_thread(self._look)}
                self._at = time.monotonic()
            return self._seen


async def stream(
    sight: Sight, ending: asyncio.Event, files: FileSight | None = None, shown: Collection[Shown] = ()
) -> AsyncGenerator[bytes, None]:
    """Events until the daemon ends: `hello` with all roots, `codebase` with a state, `gone` with a root, `file`."""
    before: Rows = {}
    files_before: dict[Shown, Row] = {}
    quiet, is_first = 0, True
    yield b"retry: 1000\n\n"
    with files.following(shown) if files is not None else contextlib.nullcontext():
        while not ending.is_set():
            now = await sight.now()
            seen = await files.now() if files is not None and shown else {}
            files_now = {each: seen[each] for each in shown if each in seen}
            said = b"".join(
                [
                    *(event("codebase", each) for root, each in now.items() if each != before.get(root)),
                    *(event("gone", {"root": root}) for root in before if root not in now),
                    *(event("file", row) for each, row in files_now.items() if row != files_before.get(each)),
                ]
            )
            if is_first:
                said, is_first = event("hello", {"roots": sorted(now)}) + said, False
            before, files_before, quiet = now, files_now, quiet + 1
            if said:
                quiet = 0
                yield said
            elif quiet >= _ALIVE_EVERY:
                quiet = 0
                yield b": still here\n\n"
            try:
                await asyncio.wait_for(ending.wait(), _EVERY_S)
            except TimeoutError:
                continue


def event(name: str, document: dict[str, Any]) -> bytes:
    """One event; JSON on one line can't end it early."""
    return f"event: {name}\ndata: {json_text(document)}\n\n".encode()
