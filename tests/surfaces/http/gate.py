"""A git that waits at a gate, so that a daemon can be met in the middle of its work."""

import contextlib
import fcntl
import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

from tests.surfaces.http.running import until

_GIT = """#!{python} -IS
import fcntl, os, sys
gate = os.open({gate!r}, os.O_RDONLY)
try:
    fcntl.flock(gate, fcntl.LOCK_SH | fcntl.LOCK_NB)
except BlockingIOError:
    open({came!r}, "a").close()
    fcntl.flock(gate, fcntl.LOCK_SH)
os.close(gate)
os.execv({git!r}, [{git!r}, *sys.argv[1:]])
"""


class Gate:
    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        self._lock = folder / "gate"
        self._came = folder / "came"
        self._lock.touch()
        script = folder / "git"
        script.write_text(
            _GIT.format(python=sys.executable, gate=str(self._lock), came=str(self._came), git=shutil.which("git"))
        )
        script.chmod(0o700)
        self.path = f"{folder}{os.pathsep}{os.environ['PATH']}"
        """For the process that is to wait at it."""

    @contextlib.contextmanager
    def closed(self, tree: Path) -> Iterator[None]:
        """A question about the tree has to look, and asks git: a tree that stands as at the last look needs neither."""
        os.utime(tree)
        with self._lock.open() as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield

    def somebody_waits(self) -> None:
        until(self._came.exists)
        self._came.unlink()
