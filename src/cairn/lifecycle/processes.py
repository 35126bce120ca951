"""Creates and reindexes that go on in processes of their own.

A process of its own can be interrupted and killed, survives the end of this one, and is what the
registry names as the owner of the run; how far it is stands in the registry too.
"""

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable
from typing import IO

from cairn.base import deadline
from cairn.base.environment import child_environment
from cairn.base.errors import CairnError, CancelledError, DeadlineError
from cairn.base.values import dataclass
from cairn.lifecycle.registry import Registry
from cairn.lifecycle.tracked import Failure, Tracked

_POLL_S = 0.1
_GRACE_S = 30.0
_RETRY_MS = 5_000

Report = Callable[[Tracked], None]


@dataclass(frozen=True, slots=True)
class _Job:
    process: "subprocess.Popen[bytes]"
    said: IO[bytes]
    """What it prints: why it failed, should it fail before the registry knows of it."""

    def is_running(self) -> bool:
        return self.process.poll() is None


class Jobs:
    """The runs that this process has started."""

    def __init__(
        self,
        registry: Registry,
        *,
        again: str = "Index it again.",
        look: str = "Look at the status to see how far it is.",
    ) -> None:
        """`again` and `look` are hints for a run that failed and for one that takes long, in the words of a surface."""
        self._registry = registry
        self._again = again
        self._look = look
        self._guard = threading.Lock()
        self._jobs: dict[str, _Job] = {}

    def start(self, root: str, *, reindex: bool) -> bool:
        """Begin; False where one that this process has started is still at it."""
        with self._guard:
            last = self._jobs.get(root)
            if last is not None and last.is_running():
                return False
            command = [
                sys.executable,
                # -P: modules in the working directory must not be imported in place of Cairn's.
                "-P",
                "-m",
                "cairn",
                "index",
                "--json",
                *(["--reindex"] if reindex else []),
                "--",
                root,
            ]
            said = tempfile.TemporaryFile()  # noqa: SIM115
            process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=subprocess.DEVNULL,
                cwd="/",
                env=child_environment((root,), ours=True),
                # A signal to the server's group is not meant for the run, which goes on without it.
                start_new_session=True,
            )
            self._jobs[root] = _Job(process, said)
            if last is not None:
                last.said.close()
        return True

    def close(self) -> None:
        """Let go of the runs, which go on."""
        with self._guard:
            for job in self._jobs.values():
                job.said.close()
            self._jobs.clear()

    def any(self) -> bool:
        """Whether this process knows of a run, under way or failed, that the registry may not know of."""
        with self._guard:
            return any(job.process.poll() != 0 for job in self._jobs.values())

    def is_running(self, root: str) -> bool:
        """Whether a run of this process is under way, though the registry may not know of it yet."""
        with self._guard:
            job = self._jobs.get(root)
            return job is not None and job.is_running()

    def failure(self, root: str) -> Failure | None:
        """Why the last run that was started here failed; None where none was, it goes on, or it did not."""
        with self._guard:
            job = self._jobs.get(root)
            if job is None or not job.process.poll():
                return None
            job.said.seek(0)
            found = _failure_reported(job.said.read(), job.process.returncode, self._again)
        # The run words its hint as a command; as the registry keeps it, its steps can be worded for a tool.
        with contextlib.suppress(CairnError):
            row = self._registry.get(root)
            if row is not None and row.failure is not None and row.failure.code == found.code:
                return row.failure
        return found

    def forget(self, root: str) -> None:
        """A run that ended long ago says nothing about a codebase that has moved on since."""
        with self._guard:
            job = self._jobs.get(root)
            if job is not None and not job.is_running():
                job.said.close()
                del self._jobs[root]

    def wait(self, root: str, report: Report, cancelled: threading.Event) -> int:
        """The exit code, once it ended; a wait that is cancelled interrupts the run.

        `report` is told whenever the run has come further: clients may rely on numbers that rise.
        """
        with self._guard:
            running = self._jobs[root].process
        last = -1.0
        while True:
            try:
                return running.wait(_POLL_S)
            except subprocess.TimeoutExpired:
                if cancelled.is_set():
                    interrupt(running)
                    raise CancelledError("The run was cancelled.") from None
                if deadline.current().is_over():
                    raise DeadlineError(
                        "The run goes on, and takes longer than the call may.",
                        hint=self._look,
                        retry_after_ms=_RETRY_MS,
                    ) from None
                # The run goes on, whether or not it can be seen how far it is.
                with contextlib.suppress(CairnError):
                    row = self._registry.get(root)
                    if row is not None and row.progress is not None and row.progress > last:
                        last = row.progress
                        report(row)


def interrupt(running: "subprocess.Popen[bytes]") -> None:
    """Ask a run to stop as Ctrl-C would, with all that it has started; one that doesn't is killed."""
    for sign in (signal.SIGINT, signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(running.pid, sign)
        with contextlib.suppress(subprocess.TimeoutExpired):
            running.wait(_GRACE_S)
            return


def _failure_reported(said: bytes, code: int, again: str) -> Failure:
    try:
        error = json.loads(said)["error"]
        return Failure(str(error["code"]), str(error["message"]), str(error["hint"]))
    except (ValueError, KeyError, TypeError):
        how = f"with exit code {code}" if code > 0 else f"by signal {-code}"
        return Failure("not_completed", f"The run ended {how} before it was done.", again)
