"""The list that a terminal was shown last, so that `cairn open 3` knows what the third of it was.

One small private file a terminal in Cairn's home. A client of the daemon loads this, so it needs little.
"""

import contextlib
import os
import sys

from cairn.daemon.frames import read, written

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Shown = dict[str, Any]
    """`root` is the codebase, and `places` holds a path, a line and a text of that line for each number."""

FOLDER = "lists"
MOST_PLACES = 1_000
MOST_TEXT = 160
_MOST_FILES = 32
_PRIVATE = 0o600
_MOST_BYTES = 1 << 20
shown_here: "list[Shown]" = []
"""The list that this process has shown."""


def keep(home: str, shown: "Shown") -> None:
    """Remember a list as the last one of this terminal. Without it only its numbers mean nothing: no error is told."""
    shown_here[:] = [shown]
    folder = os.path.join(home, FOLDER)
    path = os.path.join(folder, _terminal())
    with contextlib.suppress(OSError):
        os.makedirs(folder, 0o700, exist_ok=True)
        if not os.path.exists(path):
            _make_room(folder)
        own = f"{path}.{os.getpid()}"
        fd = os.open(own, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC, _PRIVATE)
        try:
            os.write(fd, written(shown))
        finally:
            os.close(fd)
        os.replace(own, path)


def last(home: str, root_of_here: str) -> "Shown | None":
    """The last list of this terminal; else the newest one of a codebase that lies around a folder."""
    folder = os.path.join(home, FOLDER)
    own = _read(os.path.join(folder, _terminal()))
    if own is not None:
        return own
    for path in _newest_first(folder):
        found = _read(path)
        if found is not None and f"{root_of_here}/".startswith(f"{found['root'].rstrip('/')}/"):
            return found
    return None


def _terminal() -> str:
    """A name for the terminal that this process belongs to: its device, and the session that runs in it now.

    In a container a session that began outside has no number there. The process that called stands for it: two such
    sessions must not see each other's lists.
    """
    name = ""
    for stream in (sys.__stdout__, sys.__stdin__, sys.__stderr__):
        with contextlib.suppress(OSError, ValueError, AttributeError):
            name = os.ttyname(stream.fileno()) if stream is not None else ""
            break
    return f"{name.removeprefix('/dev/').replace('/', '-') or 'none'}-{os.getsid(0) or os.getppid()}.json"


def _read(path: str) -> "Shown | None":
    try:
        with open(path, "rb") as file:
            found = read(file.read(_MOST_BYTES))
        fine = isinstance(found["root"], str) and all(
            isinstance(path, str) and isinstance(line, int) and isinstance(text, str)
            for path, line, text in found["places"]
        )
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return found if fine else None


def _make_room(folder: str) -> None:
    """Terminals are closed without a word: their lists go when there are many."""
    for path in _newest_first(folder)[_MOST_FILES - 1 :]:
        with contextlib.suppress(OSError):
            os.unlink(path)


def _newest_first(folder: str) -> list[str]:
    try:
        with os.scandir(folder) as entries:
            found = [(entry.stat(follow_symlinks=False).st_mtime_ns, entry.path) for entry in entries]
    except OSError:
        return []
    return [path for _, path in sorted(found, reverse=True)]
