"""Server-sent events: how codebases stand, told again whenever that changes.

What changes is seen by looking: the registry is where every process writes how far its run is and
what it published, so nothing has to be told to the daemon and nothing is missed by it. All streams
share one look.
"""

import asyncio
import contextlib
import time
from collections.abc import AsyncGenerator, Callable
from typing import Any

from cairn.base.errors import CairnError
from cairn.base.text import json_text

EVENTS = "text/event-stream"
_EVERY_S = 0.5
_FRESH_S = 0.25
_ALIVE_EVERY = 30
"""Looks without news after which a comment shows that the line is still up."""
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


async def stream(sight: Sight, ending: asyncio.Event) -> AsyncGenerator[bytes, None]:
    """Events until the daemon ends: `codebase` with its state now, and `gone` with its root."""
    before: Rows = {}
    quiet = 0
    yield b"retry: 1000\n\n"
    while not ending.is_set():
        now = await sight.now()
        said = b"".join(
            [
                *(event("codebase", each) for root, each in now.items() if each != before.get(root)),
                *(event("gone", {"root": root}) for root in before if root not in now),
            ]
        )
        before, quiet = now, quiet + 1
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
