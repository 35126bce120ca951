"""The input of Claude Code's hooks, as events of a session.

Claude Code reports starts, compactions, clears and prompts, but never a rewind. A rewind ends with a prompt,
so a prompt ends all trust: within one turn of the agent nothing can be removed unnoticed.
"""

import json
from typing import Any

from cairn.base.errors import UsageError
from cairn.readcache.cache import ReadCache

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
