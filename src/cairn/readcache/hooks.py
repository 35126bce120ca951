"""The input of Claude Code's hooks, as events of a session.

Claude Code reports starts, compactions, clears and prompts, but never a rewind. A rewind ends with a prompt,
so a prompt ends all trust: within one turn of the agent nothing can be removed unnoticed.
"""

import json
import os
import re
from collections.abc import Callable
from typing import Any

from cairn.base.errors import UsageError
from cairn.readcache.cache import ReadCache

_LINES = re.compile(r"(?P<path>.+):(?P<start>[0-9]{1,9})(?P<to>-(?P<end>[0-9]{0,9}))?", re.DOTALL)


Place = tuple[str, int | None, int | None]
"""A file, the first line that is meant and the last one."""


def place_of(text: str, at: Callable[[str], str] = str, start: int | None = None, end: int | None = None) -> Place:
    """`FILE`, `FILE:A`, `FILE:A-` or `FILE:A-B`; a file whose own name looks like that is meant as it is.

    `at` gives a path as it is meant from where the user stands. Lines that are given beside the text come first:
    whoever reads on adds a line to the same call.
    """
    path, first, last = _place(text, at)
    return path, first if start is None else start, last if end is None else end


def _place(text: str, at: Callable[[str], str]) -> Place:
    if os.path.exists(at(text)):
        return text, None, None
    match = _LINES.fullmatch(text)
    if match is None:
        path, _, lines = text.rpartition(":")
        if path and os.path.isfile(at(path)):
            raise UsageError(f"{lines!r} names no lines of {path}.", hint=f"Give lines like {path}:10-40.")
        return text, None, None
    start = int(match["start"])
    if match["to"]:
        return match["path"], start, int(match["end"]) if match["end"] else None
    return match["path"], start, start


_GUARANTEE = "linear"
_EVENTS = {"PreCompact": "compaction", "UserPromptSubmit": "clear"}


def answered_by(cache: ReadCache, text: str) -> str:
    """Record one hook's input; return what the model should read, if anything."""
    document = _parsed(text)
    session, event = document.get("session_id"), document.get("hook_event_name")
    if not isinstance(session, str) or not isinstance(event, str):
        raise UsageError("The hook's input names no session_id and hook_event_name.", hint="See docs/reads.md.")
    if cache.log.session(session) is None:
        cache.open_session(session, _GUARANTEE)
    elif event == "SessionStart":
        # After any kind of restart the model's context is unknown.
        cache.distrust(session)
    if event == "SessionStart":
        return f"Cairn's read_file takes session={session}: give it in this conversation, and to no other agent."
    if event in _EVENTS:
        cache.event(session, _EVENTS[event])
    return ""


def _parsed(text: str) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise UsageError("The hook's input is no JSON object.", hint="See docs/reads.md.")
    return found
