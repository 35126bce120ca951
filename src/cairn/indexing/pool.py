"""Worker processes that parse: the interpreter's lock is held while a grammar is at work.

A grammar is foreign code fed with foreign text: it may crash or never come back. It does so in a
process of its own, which is then killed; the files it had are tried again one by one, and one that
fails again is cut by lines. So one bad file can't stop a run, nor change what is made of another.
"""

import os
import signal
import time
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from multiprocessing.connection import wait

from cairn.children import Child
from cairn.errors import IncompatibleError
from cairn.indexing import worker
from cairn.indexing.prepare import Limits, Prepared, Source, prepare_by_lines

BATCH_FILES = 24
BATCH_BYTES = 192 * 1024
_PATIENCE_S = 20.0
_LIVES = 3


def worker_count(files: int) -> int:
    """How many processes are worth their start."""
    cores = len(os.sched_getaffinity(0))
    return max(1, min(cores, 8, -(-files // BATCH_FILES)))


@dataclass(slots=True)
class _Task:
    """A batch on its way; `results` stands once it is back."""

    sources: list[Source]
    results: list[Prepared] | None = None
    deadline: float = 0.0


@dataclass(slots=True)
class _Worker(Child):
    task: _Task | None = field(default=None)

    @classmethod
    def start(cls) -> "_Worker":
        return cls.fork(worker.main)


class ParserPool:
    """A context manager around the workers; they start with the first batch."""

    def __init__(self, limits: Limits, workers: int) -> None:
        self._limits = limits
        self._wanted = workers
        self._workers: list[_Worker] = []
        self.by_lines: list[str] = []
        """Files that no grammar could bear."""

    def __enter__(self) -> "ParserPool":
        return self

    def __exit__(self, *_: object) -> None:
        for each in self._workers:
            each.stop()
        self._workers = []

    def prepare(self, sources: Iterable[Source]) -> Iterator[Prepared]:
        """Every file prepared, in the order given; only some batches are ever under way."""
        queue: deque[_Task] = deque()
        for batch in _batches(sources):
            task = _Task(batch)
            queue.append(task)
            self._give(task)
            while queue and queue[0].results is not None:
                yield from queue.popleft().results or ()
        while queue:
            if queue[0].results is None:
                self._collect()
            else:
                yield from queue.popleft().results or ()

    def _give(self, task: _Task) -> None:
        """Hand a batch to an idle worker, waiting for one if need be."""
        each = self._idle()
        while each is None:
            self._collect()
            each = self._idle()
        self._send(each, task)

    def _idle(self) -> _Worker | None:
        for idle in self._workers:
            if idle.task is None:
                return idle
        if len(self._workers) < self._wanted:
            self._workers.append(_Worker.start())
            return self._workers[-1]
        return None

    def _send(self, each: _Worker, task: _Task) -> None:
        task.deadline = time.monotonic() + _PATIENCE_S
        each.task = task
        try:
            each.pipe.send((self._limits, task.sources))
        except OSError:
            self._bury(each)

    def _collect(self) -> None:
        """Take in what workers have finished, or bury one that takes too long."""
        busy = [each for each in self._workers if each.task is not None]
        first = min(each.task.deadline for each in busy if each.task is not None)
        ready = wait([each.pipe for each in busy], max(0.0, first - time.monotonic()))
        if not ready:
            now = time.monotonic()
            for each in busy:
                if each.task is not None and each.task.deadline <= now:
                    self._bury(each)
            return
        for each in busy:
            if each.pipe in ready and each.task is not None:
                try:
                    each.task.results = _accepted(each.pipe.recv())
                    each.task = None
                except (EOFError, OSError):
                    self._bury(each)

    def _bury(self, each: _Worker) -> None:
        """A worker is lost: do its batch again, file by file, and go on without it."""
        task = each.task
        each.stop()
        self._workers.remove(each)
        if task is not None:
            task.results = [self._alone(source) for source in task.sources]

    def _alone(self, source: Source) -> Prepared:
        """One file in a worker of its own; somebody may have killed the former one, so it gets several."""
        for _ in range(_LIVES):
            each = _Worker.start()
            try:
                each.pipe.send((self._limits, [source]))
                if not each.pipe.poll(_PATIENCE_S):
                    each.stop()
                    break
                found = _accepted(each.pipe.recv())[0]
            except (EOFError, OSError):
                if each.died_of() == signal.SIGKILL:
                    continue
                break  # the grammar crashed, and would again
            except BaseException:
                each.stop()
                raise
            each.stop()
            return found
        self.by_lines.append(source.path_key)
        return prepare_by_lines(source, self._limits)


def _accepted(answer: list[Prepared] | tuple[str, str]) -> list[Prepared]:
    if isinstance(answer, tuple):
        raise IncompatibleError(answer[0], hint=answer[1])
    return answer


def _batches(sources: Iterable[Source]) -> Iterator[list[Source]]:
    batch: list[Source] = []
    size = 0
    for source in sources:
        batch.append(source)
        size += len(source.data)
        if len(batch) >= BATCH_FILES or size >= BATCH_BYTES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch
