"""What a command printed, as its terminal gets it: through a pager where it is longer than the screen.

A client of the daemon loads this, so it needs little until a pager is started.
"""

import os
import sys

from cairn.surfaces.cli.terminal import columns, rows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TextIO

    Said = list[tuple[str, str]]
    """The stream, `out` or `err`, and what was written to it."""

NO_PAGER = "--no-pager"
OPEN = "--open"
PAGERS = ("CAIRN_PAGER", "PAGER")
_USUAL = "less -FRX"
_NONE = ("", "cat")
_COLOUR_END = "m"


def present(said: "Said", options: "set[str]") -> int:
    """Print it all; an exit code other than 0 where that fails. A reader that has seen enough is no failure."""
    if wants_pager(options) and not _fits(said) and _paged(said):
        return 0
    target = None
    try:
        for kind, text in said:
            target = _stream(kind)
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


def wants_pager(options: "set[str]") -> bool:
    """Whether a person sits at a terminal that a pager can be shown on, and wants one."""
    return (
        options.isdisjoint((NO_PAGER, OPEN))  # who opens the first place at once waits for no list
        and all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stdout))
        and os.environ.get("TERM") != "dumb"
        and _pager() not in _NONE
    )


def _pager() -> str:
    return next((os.environ[name].strip() for name in PAGERS if name in os.environ), _USUAL)


def _stream(kind: str) -> "TextIO | None":
    return sys.stderr if kind == "err" else sys.stdout


def _fits(said: "Said") -> bool:
    """Whether all of it can be seen at once; also where nobody knows how high the screen is."""
    height, width = rows(), columns()
    if not height or not width:
        return True
    terminals = {kind for kind in ("out", "err") if (target := _stream(kind)) is not None and target.isatty()}
    shown = "".join(text for kind, text in said if kind in terminals)
    # Behind the last end of a line stands the prompt.
    return sum(max(1, -(-_seen(line) // width)) for line in shown.split("\n")) <= height


def _seen(line: str) -> int:
    """How many columns a line takes: colours take none."""
    first, *rest = line.split("\x1b[")
    return len(first) + sum(len(part.partition(_COLOUR_END)[2]) for part in rest)


def _paged(said: "Said") -> bool:
    """Show it in a pager until the user leaves that; False where there is none."""
    import contextlib
    import shlex
    import signal
    import subprocess

    from cairn.base.environment import child_environment

    # What git does: a `less` that isn't told otherwise shows colours and leaves when all of it is seen.
    variables = {"LESS": "FRX", "LV": "-c", **os.environ}
    try:
        pager = subprocess.Popen(shlex.split(_pager()), stdin=subprocess.PIPE, env=child_environment((), variables))
    except (OSError, ValueError):
        return False
    # An interrupt is the pager's to answer.
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        assert pager.stdin is not None
        with contextlib.suppress(OSError):
            for kind, text in said:
                target = _stream(kind)
                if kind == "err" and target is not None and not target.isatty():
                    target.write(text)
                elif target is not None:
                    pager.stdin.write(text.encode(target.encoding or "utf-8", "backslashreplace"))
        with contextlib.suppress(OSError):
            pager.stdin.close()
        pager.wait()
    finally:
        signal.signal(signal.SIGINT, before)
    return True
