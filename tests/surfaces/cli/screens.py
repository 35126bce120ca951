"""A real terminal for tests: a process with a pseudo-terminal as its own, what it shows, and keys for it."""

import contextlib
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
from collections.abc import Iterator, Mapping
from pathlib import Path

PATIENCE_S = 60.0
COLOURS = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b[=>]|\x1b\([A-Z0-9]")
CAIRN = (sys.executable, "-m", "cairn")
UNSET = ("CI", "NO_COLOR", "COLUMNS", "LINES", "PAGER", "LESS", "CAIRN_PAGER", "VISUAL", "EDITOR")
"""Of the variables around a test nothing that changes what a terminal shows."""


class Screen:
    """A process at a terminal."""

    def __init__(self, fd: int, process: "subprocess.Popen[bytes]") -> None:
        self.fd = fd
        self.process = process
        self.shown = ""

    def press(self, keys: str) -> None:
        """Type."""
        os.write(self.fd, keys.encode())

    def see(self, text: str) -> str:
        """Wait until a text is shown; all that came since the last look, up to its end."""
        while text not in self.plain:
            assert self._more(), f"{text!r} never came:\n{self.plain}"
        before, found, after = self.plain.partition(text)
        self.shown = after
        return before + found

    def end(self) -> tuple[int, str]:
        """Wait until the process ends; its exit code, and all that came since the last look."""
        while self._more():
            pass
        return self.process.wait(PATIENCE_S), self.plain

    @property
    def plain(self) -> str:
        """What is shown, without colours."""
        return COLOURS.sub("", self.shown).replace("\r\n", "\n")

    def _more(self) -> bool:
        ready, _, _ = select.select([self.fd], [], [], PATIENCE_S)
        assert ready, f"nothing more came:\n{self.plain}"
        try:
            part = os.read(self.fd, 65_536)
        except OSError:  # so Linux says that nobody holds the other end any more
            part = b""
        self.shown += part.decode("utf-8", "replace")
        return bool(part)


@contextlib.contextmanager
def terminal(
    *words: str, cwd: Path, rows: int = 24, columns: int = 100, environment: Mapping[str, str] | None = None
) -> Iterator[Screen]:
    """Run words in a session of their own whose terminal is ours; nobody is asked whether a daemon may start."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    variables = {name: value for name, value in os.environ.items() if name not in UNSET}
    process = subprocess.Popen(
        # The shell takes the terminal as its own, as every login does.
        (sys.executable, "-c", _OWN, *words),
        cwd=cwd,
        env=variables | {"TERM": "xterm", "CI": "true"} | dict(environment or {}),
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
    )
    os.close(theirs)
    try:
        yield Screen(ours, process)
    finally:
        os.close(ours)
        if process.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait(PATIENCE_S)


_OWN = "import fcntl, os, sys, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); os.execv(sys.argv[1], sys.argv[1:])"


def shell(line: str) -> tuple[str, ...]:
    """Words that run a line of a shell in which `cairn` is the command."""
    return ("/bin/sh", "-c", f'cairn() {{ {sys.executable} -m cairn "$@"; }}; {line}')
