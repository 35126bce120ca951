"""Creates and reindexes that go on in processes of their own.

A process of its own can be interrupted and killed, survives the end of this one, and is what the
registry names as the owner of the run; how far it is stands in the registry too.
"""

import contextlib
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable

from cairn.errors import CancelledError
from cairn.lifecycle.registry import Registry
from cairn.lifecycle.tracked import Tracked

_POLL_S = 0.1

Report = Callable[[Tracked], None]


class Jobs:
    """The runs that this process has started."""

    def __init__(self, registry: Registry) -> None:
        self._registry = registry
        self._guard = threading.Lock()
        self._running: dict[str, subprocess.Popen[bytes]] = {}

    def start(self, root: str, *, reindex: bool) -> bool:
        """Begin; False where one that this process has started is still at it."""
        with self._guard:
            running = self._running.get(root)
            if running is not None and running.poll() is None:
                return False
            command = [
                sys.executable,
                "-m",
                "cairn",
                "index",
                "--json",
                *(["--reindex"] if reindex else []),
                "--",
                root,
            ]
            self._running[root] = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                cwd="/",
                env=_environment(),
                # A signal to the server's group is not meant for the run, which goes on without it.
                start_new_session=True,
            )
        return True

    def is_running(self, root: str) -> bool:
        """Whether a run of this process is under way, though the registry may not know of it yet."""
        with self._guard:
            running = self._running.get(root)
            return running is not None and running.poll() is None

    def wait(self, root: str, report: Report, cancelled: threading.Event) -> int:
        """The exit code, once it ended; a wait that is cancelled interrupts the run."""
        with self._guard:
            running = self._running[root]
        while True:
            try:
                return running.wait(_POLL_S)
            except subprocess.TimeoutExpired:
                if cancelled.is_set():
                    interrupt(running)
                    raise CancelledError("The run was cancelled.") from None
                row = self._registry.get(root)
                if row is not None:
                    report(row)


def interrupt(running: "subprocess.Popen[bytes]") -> None:
    """Ask a run to stop as Ctrl-C would, with all that it has started."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(running.pid, signal.SIGINT)
    running.wait()


def _environment() -> dict[str, str]:
    # The package that runs here is the one that indexes, wherever it was loaded from.
    import cairn

    source = os.path.dirname(os.path.dirname(os.path.abspath(cairn.__file__)))
    paths = [source, *os.environ.get("PYTHONPATH", "").split(os.pathsep)]
    return os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, dict.fromkeys(paths)))}
