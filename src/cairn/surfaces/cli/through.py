"""Ask the daemon, if one listens: with the standard library alone, before anything else is loaded.

The daemon runs the very command with this process's folder, streams and terminal in mind, and sends
what it would print. What it leaves to us, and everything when no daemon listens, runs right here.
"""

import os
import sys

from cairn import __version__
from cairn.daemon.client import (
    COMMAND_PATH,
    NO_ANSWER,
    NOBODY,
    SILENCE_WARNING,
    SILENT,
    SOCKET,
    SilentError,
    StaysBusyError,
    asked,
    passed_over,
    settings,
)
from cairn.surfaces.cli.terminal import columns

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

COMMANDS = frozenset(
    "search symbol refs callers callees implementors overrides hierarchy outline map imports cycles impact tests "
    "unused slice contexts read status".split()
)
OFFLINE = "--offline"
FORWARDED = ("NO_COLOR", "TERM")
"""Variables that change how an answer looks."""
_SHARED = "--shared-store"
_OF_THE_CLIENT = ("--help", "-h", "--session", "--max-bytes")
"""What a conversation was given only its own process knows, and what is very large need not pass through another."""
_EXIT_BUSY = 10
_EXIT_CODES = {"out_of_resources": 15, "disk_full": 15}
"""What the daemon may lack for longer than one waits, by its code."""


def home() -> str:
    """As `cairn.config.user.cairn_home`, which would load too much."""
    return os.path.realpath(os.environ.get("CAIRN_HOME") or os.path.expanduser("~/.cairn"))


def ask(arguments: list[str]) -> int | None:
    """The exit code of a command that the daemon ran; None where it is to be run here."""
    if not is_for_a_daemon(arguments):
        passed_over.extend(["a shared store is always read directly"] if _SHARED in _options(arguments) else [])
        return None
    place = home()
    path = os.path.join(place, SOCKET)
    if not os.path.exists(path):
        return None
    try:
        folder = os.getcwd()
    except OSError:
        return None
    from cairn.daemon.frames import written

    request = {
        "version": __version__,
        "arguments": arguments,
        "folder": folder,
        "settings": settings(os.environ, place),
        "variables": {name: os.environ[name] for name in FORWARDED if name in os.environ},
        "columns": columns(),
        "out": _stream(sys.stdout),
        "err": _stream(sys.stderr),
    }
    try:
        body = written(request)
    except (UnicodeError, ValueError):
        return None
    try:
        return _shown(path, body)
    except SilentError:
        passed_over.append(SILENT)
        if sys.stderr is not None:
            sys.stderr.write(f"warning: {SILENCE_WARNING}; `cairn stop` ends the daemon\n")
    except StaysBusyError as crowded:
        return _refused(crowded.envelope, "--json" in _own(arguments))
    except NOBODY:
        pass
    except (OSError, ValueError):
        # It has ended, or isn't what it should be.
        passed_over.append(NO_ANSWER)
    return None


def _own(arguments: list[str]) -> list[str]:
    return arguments[: arguments.index("--")] if "--" in arguments else arguments


def is_for_a_daemon(arguments: list[str]) -> bool:
    """Whether a daemon may run a command for somebody else."""
    known = bool(arguments) and arguments[0] in COMMANDS
    return known and _options(arguments).isdisjoint((OFFLINE, _SHARED, *_OF_THE_CLIENT))


def _options(arguments: list[str]) -> set[str]:
    return {word.partition("=")[0] for word in _own(arguments)}


def _stream(stream: "object") -> "dict[str, object] | None":
    if stream is None:
        return None
    encoding, isatty = getattr(stream, "encoding", None), getattr(stream, "isatty", bool)
    return {"encoding": encoding or "utf-8", "terminal": bool(isatty())}


def _shown(path: str, request: bytes) -> int | None:
    """Print what the command printed; None where the daemon leaves it to us, or ended before it was done."""
    said: list[tuple[str, str]] = []
    for kind, value in asked(path, COMMAND_PATH, request):
        if kind == "exit":
            return _printed(said) or int(value)
        if kind == "progress" and sys.stderr is not None:
            sys.stderr.write(value)
            sys.stderr.flush()
        elif kind in ("out", "err"):
            said.append((kind, value))
        else:
            passed_over.append(str(value))
            return None
    passed_over.append(NO_ANSWER)
    return None


def _printed(said: list[tuple[str, str]]) -> int:
    """Write it all; an exit code other than 0 when that fails."""
    target = None
    try:
        for kind, text in said:
            target = sys.stderr if kind == "err" else sys.stdout
            if target is not None:
                target.write(text)
                target.flush()
    except OSError as failure:
        from cairn.surfaces.cli.report import report
        from cairn.surfaces.cli.text import silence, unwritten

        if target is not None:
            silence(target)
        return 0 if isinstance(failure, BrokenPipeError) else report(unwritten(failure), as_json=False)
    return 0


def _refused(error: "dict[str, Any]", as_json: bool) -> int:
    from cairn.base.text import json_text, printable
    from cairn.surfaces.cli.text import say

    if as_json:
        say(json_text({"error": error}))
    else:
        say(f"cairn: {printable(error['message'])}\n  {printable(error['hint'])}", error=True)
    return _EXIT_CODES.get(error.get("code", ""), _EXIT_BUSY)
