"""The command that starts this very Cairn, as a client must write it down."""

import os
import shutil
import sys
from collections.abc import Sequence

from cairn.config.user import cairn_home

SERVE = ("mcp",)


def running_command(argv: Sequence[str] | None = None, python: str | None = None) -> tuple[str, ...]:
    """The absolute path of the running `cairn`, else this Python with `-m cairn`; with the CAIRN_HOME that is set.

    Links are not resolved: an upgrade replaces their target, not the links.
    """
    return (*_home(), *_program(argv, python))


def _home() -> tuple[str, ...]:
    """What sets the variable for a client whose servers have an environment of their own: `env` does it for all."""
    if cairn_home() == os.path.realpath(os.path.expanduser("~/.cairn")):
        return ()
    return (shutil.which("env") or "/usr/bin/env", f"CAIRN_HOME={cairn_home()}")


def _program(argv: Sequence[str] | None, python: str | None) -> tuple[str, ...]:
    started = (sys.argv if argv is None else argv)[0]
    interpreter = os.path.abspath(sys.executable if python is None else python)
    if os.path.basename(started) == "cairn":
        found = started if os.path.dirname(started) else shutil.which(started) or ""
        if _is_program(found):
            return (os.path.abspath(found), *SERVE)
    beside = os.path.join(os.path.dirname(interpreter), "cairn")
    if _is_program(beside):
        return (beside, *SERVE)
    return (interpreter, "-m", "cairn", *SERVE)


def _is_program(path: str) -> bool:
    return os.path.isfile(path) and os.access(path, os.X_OK)
