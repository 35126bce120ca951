"""Ask the daemon, if one listens: with the standard library alone, before anything else is loaded.

The daemon runs the very command with this process's folder, streams and terminal in mind, and sends
what it would print. What it leaves to us, and everything when no daemon listens, runs right here.
"""

import os
import sys

from cairn import __version__
from cairn.base.keypress import moment
from cairn.daemon.client import (
    COMMAND_PATH,
    NO_ANSWER,
    NOBODY,
    SILENCE_WARNING,
    SILENT,
    SOCKET,
    GoneError,
    SilentError,
    StaysBusyError,
    asked,
    passed_over,
    settings,
)
from cairn.surfaces.cli.presented import present, wants_pager
from cairn.surfaces.cli.terminal import columns

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

COMMANDS = frozenset(
    "search grep symbol refs callers callees implementors overrides hierarchy outline map imports cycles impact tests "
    "unused slice contexts read status history".split()
)
OFFLINE = "--offline"
PIPED = "-"
"""Stands for what is in standard input, which only this process has."""
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
        passed_over.extend(["a shared store is always read directly"] if _SHARED in options(arguments) else [])
        return None
    place = home()
    path = os.path.join(place, SOCKET)
    body = _request(arguments, place) if os.path.exists(path) else None
    if body is None:
        return None
    try:
        return _shown(path, body, place, options(arguments))
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


def document(arguments: list[str], wanted: "Callable[[], bool] | None" = None) -> "dict[str, Any] | None":
    """What a command with `--json` answers through the daemon; None where there is none or it has no answer.

    GoneError once `wanted` returns False.
    """
    place = home()
    path = os.path.join(place, SOCKET)
    body = _request(arguments, place) if os.path.exists(path) else None
    if body is None:
        return None
    from cairn.daemon.frames import read

    try:
        found = list(asked(path, COMMAND_PATH, body, wanted))
        said = "".join(value for kind, value in found if kind == "out")
        answer = read(said.encode()) if found[-1:] and found[-1][0] == "exit" else None
    except GoneError:
        raise
    except (OSError, ValueError):
        return None
    return answer if isinstance(answer, dict) else None


def _request(arguments: list[str], place: str) -> bytes | None:
    """A command for the daemon, and all that it has to know of this process; None where that can't be said."""
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
        "begun": moment(),
        "out": _stream(sys.stdout),
        "err": _stream(sys.stderr),
    }
    try:
        return written(request)
    except (UnicodeError, ValueError):
        return None


def _own(arguments: list[str]) -> list[str]:
    return arguments[: arguments.index("--")] if "--" in arguments else arguments


def is_for_a_daemon(arguments: list[str]) -> bool:
    """Whether a daemon may run a command for somebody else."""
    known = bool(arguments) and arguments[0] in COMMANDS and PIPED not in arguments
    return known and options(arguments).isdisjoint((OFFLINE, _SHARED, *_OF_THE_CLIENT))


def may_be_paged(arguments: list[str]) -> bool:
    """Whether what a command prints may go through a pager: the answer to a question, where a person reads it."""
    return bool(arguments) and arguments[0] in COMMANDS and wants_pager(options(arguments))


def options(arguments: list[str]) -> set[str]:
    """The words of a command line before `--`, without their values."""
    return {word.partition("=")[0] for word in _own(arguments)}


def _stream(stream: "object") -> "dict[str, object] | None":
    if stream is None:
        return None
    encoding, isatty = getattr(stream, "encoding", None), getattr(stream, "isatty", bool)
    return {"encoding": encoding or "utf-8", "terminal": bool(isatty())}


def _shown(path: str, request: bytes, home: str, given: "set[str]") -> int | None:
    """Print what the command printed; None where the daemon leaves it to us, or ended before it was done."""
    said: list[tuple[str, str]] = []
    for kind, value in asked(path, COMMAND_PATH, request):
        if kind == "exit":
            return present(said, given) or int(value)
        if kind == "progress" and sys.stderr is not None:
            sys.stderr.write(value)
            sys.stderr.flush()
        elif kind in ("out", "err"):
            said.append((kind, value))
        elif kind == "list":
            from cairn.surfaces.cli.lastlist import keep

            keep(home, value)
        else:
            passed_over.append(str(value))
            return None
    passed_over.append(NO_ANSWER)
    return None


def _refused(error: "dict[str, Any]", as_json: bool) -> int:
    from cairn.base.text import json_text, printable
    from cairn.surfaces.cli.text import say

    if as_json:
        say(json_text({"error": error}))
    else:
        say(f"cairn: {printable(error['message'])}\n  {printable(error['hint'])}", error=True)
    return _EXIT_CODES.get(error.get("code", ""), _EXIT_BUSY)
