"""One job from its claim to its end, in an order that stays correct if the worker dies at any point.

    claim -> prepare (what the inputs are now) -> run the tool -> read HEAD -> import -> settle -> publish -> completed

Settling is the last look before the swap: the job is still this claim's, what is left over is noted, and HEAD is where
it was. "Completed" is written after the facts are published; a worker that dies in between leaves a job that recovery
completes, because the published segment carries its id.
"""

import os
import time
from collections.abc import Callable, Mapping
from typing import Protocol

from cairn.base.errors import CairnError
from cairn.base.steps import Advice, NextStep
from cairn.base.values import dataclass
from cairn.semantic.control import same_head
from cairn.semantic.indexers import Indexer, IndexerRequest
from cairn.semantic.job import Job, JobFailure, JobFailureCode
from cairn.semantic.jobs import JobQueue
from cairn.semantic.runner import NoLongerWantedError, RunLimits, ToolError
from cairn.semantic.scip.wire import ScipError
from cairn.semantic.scope import RefreshScope
from cairn.semantic.settings import SemanticSettings
from cairn.semantic.tools import Indexed, run_indexer
from cairn.store.layout import Layout
from cairn.store.staging import Staging

HEARTBEAT_S = 2.0
_HINTS = {
    JobFailureCode.MISSING_TOOL: (
        "Install it so that it is on PATH, or name its folder in tool_folders under [semantic]: see docs/semantic.md."
    ),
    JobFailureCode.TOOL_CRASHED: "Run the tool by hand in that folder to see what it says.",
    JobFailureCode.TOOL_TIMEOUT: "Refresh a part of the project, or run the tool by hand to see what takes it so long.",
    JobFailureCode.PARSE_ERROR: "The tool's version may be one that Cairn doesn't know: see docs/semantic.md.",
    JobFailureCode.UNTRUSTED_ROOT: (
        "If you trust the repository, name its root in trusted_roots under [semantic] in config.toml."
    ),
    JobFailureCode.NO_CONTEXT: Advice(NextStep("contexts"), " to see which contexts there are."),
    JobFailureCode.INTERNAL: "Ask for the refresh again; if it fails again, please report it.",
}


class HeadMovedError(Exception):
    """HEAD moved since the job was requested."""

    def __init__(self, head: str | None) -> None:
        super().__init__("HEAD moved")
        self.head = head


class NothingToDoError(Exception):
    """Nothing that was requested exists any more."""


Settle = Callable[[RefreshScope, RefreshScope], None]
"""Called right before the swap with what the facts cover and what changed during the run; raises if it may not be."""


class Work(Protocol):
    """What a worker needs from the codebase."""

    def head(self) -> str | None:
        """Where HEAD is right now."""

    def prepare(self, job: Job, folder: str) -> tuple[Indexer, IndexerRequest]:
        """What to run; the hashes of the inputs are taken here, before the tool reads them.

        ToolError or NothingToDoError when there is nothing to run.
        """

    def publish(self, job: Job, indexed: Indexed, settle: Settle) -> None:
        """Import and publish; ScipError for output that is no index: then nothing is published."""


@dataclass(frozen=True, slots=True)
class Worker:
    """Runs the jobs of one store."""

    layout: Layout
    queue: JobQueue
    work: Work
    settings: SemanticSettings
    environ: Mapping[str, str]
    limits: RunLimits | None = None
    tell: Callable[[str], None] = lambda _: None
    """Called with the phase twice a second, to show progress."""

    def run_one(self, *, limit: int = 1, job_id: str | None = None) -> Job | None:
        """Claim a job and run it to its end. Returns the job as it is then, None if there was none to claim."""
        job = self.queue.claim(limit=limit, job_id=job_id)
        if job is None:
            return None
        staging = Staging(self.layout, job.run)
        try:
            self._run(job, staging.folder("scip"))
        finally:
            staging.remove()
        return self.queue.get(job.id)

    def _run(self, job: Job, folder: str) -> None:
        os.mkdir(folder, 0o700)
        beat = _Beat(self.queue, job, self.tell)
        try:
            indexer, request = self.work.prepare(job, folder)
            indexed = run_indexer(
                indexer, request, self.settings, self.environ, limits=self.limits, tick=lambda: beat("indexing")
            )
            self._require_head(job)
            beat("importing")
            self.work.publish(job, indexed, lambda done, leftover: self._settle(job, done, leftover))
        except NothingToDoError:
            self.queue.complete(job)
        except NoLongerWantedError:
            return  # Whoever took the job away has recorded its outcome.
        except HeadMovedError as moved:
            self.queue.supersede(job, moved.head)
        except ToolError as error:
            said = error.log.splitlines()[-1] if error.log else ""
            self._fail(job, error.code, f"{error.message} {said}".strip())
        except ScipError as error:
            self._fail(job, JobFailureCode.PARSE_ERROR, f"The tool's output is no index: {error}.")
        except (CairnError, OSError) as error:
            self._fail(job, JobFailureCode.INTERNAL, str(error))
        except BaseException:
            # After an interruption or a defect another worker may succeed.
            self.queue.give_back(job)
            raise
        else:
            self.queue.complete(job)

    def _settle(self, job: Job, done: RefreshScope, leftover: RefreshScope) -> None:
        if not self.queue.settle(job, done, leftover):
            raise NoLongerWantedError
        self._require_head(job)

    def _require_head(self, job: Job) -> None:
        head = self.work.head()
        if not same_head(job.head, head):
            raise HeadMovedError(head)

    def _fail(self, job: Job, code: JobFailureCode, message: str) -> None:
        self.queue.fail(job, JobFailure(code, message, _HINTS[code]))


class _Beat:
    """Records the worker's heartbeat, at regular intervals and with each new phase."""

    def __init__(self, queue: JobQueue, job: Job, tell: Callable[[str], None]) -> None:
        self._queue = queue
        self._tell = tell
        self._job = job
        self._last = 0.0
        self._phase = ""
        self._wanted = True

    def __call__(self, phase: str) -> bool:
        now = time.monotonic()
        self._tell(phase)
        if phase != self._phase or now - self._last >= HEARTBEAT_S:
            self._last, self._phase = now, phase
            self._wanted = self._beat(phase)
        return self._wanted

    def _beat(self, phase: str) -> bool:
        try:
            return self._queue.beat(self._job, phase)
        except (CairnError, OSError):
            return True  # The next heartbeat makes up for a missed one.
