"""What a command runs in: streams, a folder, and where its codebases come from.

By default all of it is this process's. The daemon runs the same commands for its clients, and then
it is the client's streams and folder, and codebases that are kept open.
"""

import contextlib
import contextvars
import os
import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, TextIO

from cairn.base.keypress import elapsed_ms
from cairn.daemon.client import passed_over, read_directly, since
from cairn.surfaces.cli.terminal import columns

if TYPE_CHECKING:
    from cairn.base.notes import Note
    from cairn.codebase.codebase import Codebase
    from cairn.indexing.progress import Progress
    from cairn.surfaces.cli.lastlist import Shown

    Brought = tuple[bool, list[Note]]
    """Whether a codebase was brought up to date, and what to say of it."""


class Console:
    """The surroundings of this process."""

    def __init__(self) -> None:
        self.places: list[tuple[str, int, str]] = []
        """What this command has numbered: a path, a line, and a text of that line."""

    @property
    def out(self) -> TextIO | None:
        """Standard output; None where there is none."""
        return sys.stdout

    @property
    def err(self) -> TextIO | None:
        """Standard error; None where there is none."""
        return sys.stderr

    def given(self, most: int) -> bytes:
        """The first bytes of standard input, so many at most; none where there is none."""
        return b"" if sys.stdin is None else sys.stdin.buffer.read(most)

    def read_mode(self, *, asked_for: bool) -> str:
        """How this command reads a store, in words."""
        return read_directly("as --offline asks for" if asked_for else since(*passed_over[-1:]))

    def keep(self, shown: "Shown") -> None:
        """Remember a list as the last one that the user was shown."""
        from cairn.config.user import cairn_home
        from cairn.surfaces.cli.lastlist import keep

        keep(cairn_home(), shown)

    def at(self, path: str) -> str:
        """A path as it is meant from where the user stands."""
        return path

    def columns(self, otherwise: int) -> int:
        """The width of the terminal; `otherwise` where there is none."""
        return columns() or otherwise

    def elapsed_ms(self) -> float:
        """How long the user has waited so far."""
        return elapsed_ms()

    def variable(self, name: str) -> str:
        """A variable of the environment; empty where it isn't set."""
        return os.environ.get(name, "")

    def opened(self, path: str, shared_store: str | None = None) -> "contextlib.AbstractContextManager[Codebase]":
        from cairn.codebase.codebase import Codebase

        return Codebase(path, shared_store=shared_store)

    def progress(self) -> "contextlib.AbstractContextManager[Progress | None]":
        """A line on the terminal that says how far a sync is."""
        from cairn.surfaces.cli.progress import SyncProgress

        return SyncProgress(self.err)

    def brought(self, codebase: "Codebase", sync: "Callable[[Codebase], Brought]") -> "Brought":
        """Run a sync of a codebase, or take part in one that others run."""
        return sync(codebase)


_PROCESS = Console()
_CURRENT: contextvars.ContextVar[Console] = contextvars.ContextVar("console", default=_PROCESS)


def current() -> Console:
    """The console that this command speaks to."""
    return _CURRENT.get()


@contextlib.contextmanager
def inside(console: Console) -> Iterator[None]:
    """Commands of this thread run in other surroundings."""
    token = _CURRENT.set(console)
    try:
        yield
    finally:
        _CURRENT.reset(token)
