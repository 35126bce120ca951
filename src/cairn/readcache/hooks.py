"""What Claude Code tells its hooks, as events of a session.

It tells of starts, compactions, clears and prompts, and never of a rewind. A rewind ends with a prompt,
so trust doesn't outlive one: within a turn of the agent nothing can be taken away unnoticed.
"""

import json
from typing import Any

from cairn.base.errors import UsageError
from cairn.readcache.cache import ReadCache

_GUARANTEE = "linear"
_EVENTS = {"PreCompact": "compaction", "UserPromptSubmit": "clear"}


def told_by(cache: ReadCache, text: str) -> str:
    """Take one hook's input; what the model should read of it, if anything."""
    document = _parsed(text)
    session, event = document.get("session_id"), document.get("hook_event_name")
    if not isinstance(session, str) or not isinstance(event, str):
        raise UsageError("The hook's input names no session_id and hook_event_name.", hint="See docs/reads.md.")
    if cache.log.session(session) is None:
        cache.open_session(session, _GUARANTEE)
    elif event == "SessionStart":
        # However it starts again: what the model has then is not known.
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
