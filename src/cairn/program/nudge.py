"""`cairn session nudge`: after a grep with many hits, one line that names the better call.

A host runs it after every such tool, so it loads next to nothing. It never blocks and has no errors: whatever is not as
expected, it says nothing.
"""

import contextlib
import json
import os
import re
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MANY = 40
"""Lines of a grep from which on the index answers in fewer bytes."""
_MOST_BYTES = 8 * 1024 * 1024
_MOST_SHOWN = 60
_GREP = re.compile(r"(?:^|;|&&|\|\||\n)\s*(?:git\s+grep|[ef]?grep|rg|ag|ack)\s([^|;&\n]*)")
"""One over files: what filters another command's output is none that an index answers."""
_NAME = re.compile(r"(?:\\b)?([A-Za-z_$][A-Za-z0-9_$]{2,})(?:\\b)?")


def main() -> int:
    """Read what the host tells of a tool, and say a line or nothing."""
    try:
        said = reminder(json.loads(sys.stdin.buffer.read(_MOST_BYTES)))
        if said:
            answer = {"hookSpecificOutput": {"hookEventName": "PostToolUse", "additionalContext": said}}
            print(json.dumps(answer), flush=True)
    except Exception as error:  # noqa: BLE001 - a reminder is worth no interruption
        if os.environ.get("CAIRN_DEBUG"):
            print(f"{type(error).__name__}: {error}", file=sys.stderr)
    return 0


def reminder(event: "dict[str, Any]") -> str:
    """What to say after a tool; empty where it found little, was no grep, or nothing is indexed there."""
    tool, given = event.get("tool_name"), event.get("tool_input") or {}
    shell = _GREP.search(str(given.get("command", ""))) if tool == "Bash" else None
    hits = lines_of(event.get("tool_response")) if tool == "Grep" or shell is not None else 0
    if hits < MANY:
        return ""
    here = str(event.get("cwd") or os.getcwd())
    words = shell[1].split() if shell is not None else [str(given.get("path") or "")]
    outside = [word.strip("\"'") for word in words if word.strip("\"'").startswith(("/", "~", ".."))]
    if not all(_is_indexed(os.path.join(here, os.path.expanduser(each))) for each in (".", *outside)):
        return ""
    pattern = str(given.get("pattern") or "")
    name = _NAME.fullmatch(pattern)
    if name is not None:
        better = (
            f'find_references symbol="{name[1]}", or search_codebase query="{name[1]}" literal=true files_only=true'
        )
    elif pattern and len(pattern) <= _MOST_SHOWN and pattern.isprintable():
        better = f"search_codebase query={json.dumps(pattern)} regex=true, with files_only or count_only"
    else:
        better = "search_codebase with literal or regex (files_only, count_only), or find_references for a name"
    return f"{hits} lines of grep. Cairn's index answers this in fewer: {better}."


def lines_of(response: object) -> int:
    """How many hits an answer of a tool has, in whatever form the host tells it."""
    if isinstance(response, str):
        return response.rstrip("\n").count("\n") + 1 if response.strip() else 0
    if isinstance(response, list):
        return sum(lines_of(each) if isinstance(each, dict) else 1 for each in response)
    if not isinstance(response, dict):
        return 0
    numbers = [response[name] for name in ("numLines", "numMatches") if isinstance(response.get(name), int)]
    names = response.get("filenames")
    texts = [lines_of(response.get(name)) for name in ("stdout", "content", "text", "output")]
    counts: list[int] = [*numbers, *texts, len(names) if isinstance(names, list) else 0]
    return max(counts)


def _is_indexed(folder: str) -> bool:
    import sqlite3

    home = os.path.realpath(os.environ.get("CAIRN_HOME") or os.path.expanduser("~/.cairn"))
    place = os.fsencode(os.path.realpath(folder)) + b"/"
    with contextlib.closing(sqlite3.connect(f"file:{home}/registry.db?mode=ro", uri=True, timeout=0.02)) as rows:
        found = rows.execute("SELECT root FROM tracked WHERE state IN ('indexed', 'sync_completed')")
        return any(place.startswith(bytes(root).rstrip(b"/") + b"/") for (root,) in found)
