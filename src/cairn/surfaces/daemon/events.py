"""Server-sent events: how codebases stand, told again whenever that changes.

What changes is seen by looking: the registry is where every process writes how far its run is and
what it published, so nothing has to be told to the daemon and nothing is missed by it.
"""

import asyncio
from collections.abc import AsyncGenerator, Callable
from typing import Any

from cairn.surfaces.cli.text import json_text

_EVERY_S = 0.5
_ALIVE_EVERY = 30
"""Looks without news after which a comment shows that the line is still up."""
Look = Callable[[], list[dict[str, Any]]]


async def stream(look: Look, ending: asyncio.Event) -> AsyncGenerator[bytes, None]:
    """Events until the daemon ends: `codebase` with its state now, and `gone` with its root."""
    before: dict[str, dict[str, Any]] = {}
    quiet = 0
    yield b"retry: 1000\n\n"
    while not ending.is_set():
        now = {each["root"]: each for each in await asyncio.to_thread(look)}
        told = b"".join(
            [
                *(event("codebase", each) for root, each in now.items() if each != before.get(root)),
                *(event("gone", {"root": root}) for root in before if root not in now),
            ]
        )
        before, quiet = now, quiet + 1
        if told:
            quiet = 0
            yield told
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
