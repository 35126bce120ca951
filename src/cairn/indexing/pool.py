"""Worker processes that parse: the interpreter's lock is held while a grammar is at work.

A grammar is foreign code fed with foreign text: it may crash or never come back. It does so in a
process of its own, which is then killed; the files it had are tried again one by one, and one that
fails again is cut by lines. So one bad file can't stop a run, nor change what is made of another. Each may take only
so much memory, and dies of wanting more.
"""

import signal
import time
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial

from cairn.base import system
from cairn.base.children import Child
from cairn.base.notes import Note
from cairn.embed import Heritage
from cairn.indexing import worker
from cairn.indexing.memory import MOST_BYTES, need_of, workers_room
from cairn.indexing.prepare import ChunkLimits, FileSource, Prepared, prepare_by_lines
from cairn.indexing.worker import Channel, wait

BATCH_FILES = 24
BATCH_BYTES = 192 * 1024
IN_HAND = 2
"""Batches that a worker has: while one is worked on, the next is there already."""
_AHEAD = 8
"""Finished batches that may wait, for each worker, behind one that takes long."""
_PATIENCE_S = 20.0
_LIVES = 3


def worker_count(files: int) -> int:
    """How many processes are worth their start."""
    cores = system.cores()
    return max(1, min(cores, 8, -(-files // BATCH_FILES)))


@dataclass(slots=True)
class _Task:
    """A batch on its way; `results` stands once it is back."""

    sources: list[FileSource]
    need: int
    """The memory that a worker may take for it."""
    results: list[Prepared] | None = None


@dataclass(slots=True)
class _Worker(Child):
    channel: Channel = field(init=False)
    tasks: deque[_Task] = field(default_factory=deque)
    """In the order in which they were given; the first is being worked on."""
    deadline: float = 0.0
    notes: list[Note] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.channel = Channel(self.end)

    @classmethod
    def start(cls, heritage: Heritage | None = None) -> "_Worker":
        """A child that does nothing but prepare files: it runs grammars and adds vectors."""
        return cls.fork(partial(worker.main, heritage=heritage))

    @property
    def need(self) -> int:
        """The memory that it may take for what it has."""
        return max((task.need for task in self.tasks), default=0)

    def give(self, task: _Task, limits: ChunkLimits) -> None:
        """Put a batch on its way; OSError when the process is gone."""
        self.tasks.append(task)
        self.show_life()
        self.channel.send(worker.request(limits, task.sources, task.need))

    def take(self) -> bool:
        """Move what can be moved; whether the process is still there."""
        came, alive = self.channel.move()
        for message in came:
            self.tasks.popleft().results, notes = worker.accept(message)
            self.notes += notes
        self.show_life()
        return alive

    def show_life(self) -> None:
        self.deadline = time.monotonic() + _PATIENCE_S


class ParserPool:
    """A context manager around the workers; they start with the first batch."""

    def __init__(
        self, limits: ChunkLimits, workers: int, heritage: Heritage | None = None, memory: int = MOST_BYTES
    ) -> None:
        """With an embedder to inherit, which must be loaded, workers make the vectors too.

        `memory`: the bytes that the index may take in all.
        """
        self._limits = limits
        self._wanted = workers
        self._heritage = heritage
        self._room = workers_room(memory)
        self.notes: list[Note] = []
        """What workers had to say about their caches."""
        self._workers: list[_Worker] = []
        self._waiting: deque[_Task] = deque()
        self.by_lines: list[str] = []
        """Files that no grammar could bear."""

    def __enter__(self) -> "ParserPool":
        return self

    def __exit__(self, *_: object) -> None:
        for each in self._workers:
            each.stop()
        self._workers = []

    def prepare(self, sources: Iterable[FileSource]) -> Iterator[Prepared]:
        """Every file prepared, in the order given; only some batches are ever under way."""
        queue: deque[_Task] = deque()
        for batch in _batches(sources):
            task = self._task(batch)
            queue.append(task)
            self._waiting.append(task)
            self._hand_out()
            while self._waiting or (len(queue) > _AHEAD * self._wanted and queue[0].results is None):
                self._collect()
            yield from self._finished(queue)
        while queue:
            if queue[0].results is None:
                self._collect()
            yield from self._finished(queue)

    def _finished(self, queue: deque[_Task]) -> Iterator[Prepared]:
        while queue and (results := queue[0].results) is not None:
            queue.popleft()
            for prepared in results:
                yield prepared
                # A worker whose answer nobody reads stands still.
                self._move(0.0)

    def _hand_out(self) -> None:
        """Give every batch that waits to the worker with the fewest, as long as one has room."""
        while self._waiting:
            each = min(self._workers, key=lambda one: len(one.tasks), default=None)
            if (each is None or each.tasks) and len(self._workers) < self._wanted:
                each = _Worker.start(self._heritage)
                each.notes = self.notes
                self._workers.append(each)
            if each is None or len(each.tasks) >= IN_HAND or not self._has_room(each, self._waiting[0]):
                return
            try:
                each.give(self._waiting.popleft(), self._limits)
            except OSError:
                self._bury(each)

    def _task(self, sources: list[FileSource]) -> _Task:
        return _Task(sources, need_of(max(len(source.data) for source in sources), self._room))

    def _has_room(self, each: _Worker, task: _Task) -> bool:
        """Whether all workers stay within their memory if one of them gets a batch; one alone always does."""
        others = sum(other.need for other in self._workers if other is not each)
        return not others or others + max(each.need, task.need) <= self._room

    def _collect(self) -> None:
        """Wait for what workers do next, or bury one that takes too long."""
        busy = [each for each in self._workers if each.tasks]
        first = min((each.deadline for each in busy), default=0.0)
        if not self._move(max(0.0, first - time.monotonic())):
            now = time.monotonic()
            for each in busy:
                if each.deadline <= now:
                    self._bury(each)
        self._hand_out()

    def _move(self, timeout_s: float) -> bool:
        """Whether anything moved between here and the workers."""
        busy = [each for each in self._workers if each.tasks]
        ready = wait([each.channel for each in busy], timeout_s)
        for each in busy:
            if each.channel.fileno() in ready and not each.take():
                self._bury(each)
        return bool(ready)

    def _bury(self, each: _Worker) -> None:
        """A worker is lost: do the batch it was at again, file by file; others may have the next one."""
        each.stop()
        self._workers.remove(each)
        if each.tasks:
            first, *others = each.tasks
            self._waiting.extendleft(reversed(others))
            first.results = [self._alone(source) for source in first.sources]

    def _alone(self, source: FileSource) -> Prepared:
        """One file in a worker of its own; somebody may have killed the former one, so it gets several."""
        for _ in range(_LIVES):
            each = _Worker.start(self._heritage)
            each.notes = self.notes
            task = self._task([source])
            try:
                if self._answered(each, task) and task.results is not None:
                    each.stop()
                    return task.results[0]
            except BaseException:
                each.stop()
                raise
            if time.monotonic() >= each.deadline:
                each.stop()
                break
            if each.died_of() != signal.SIGKILL:
                break  # the grammar crashed, and would again
        self.by_lines.append(source.path_key)
        return prepare_by_lines(source, self._limits)

    def _answered(self, each: _Worker, task: _Task) -> bool:
        """Whether a worker answers a batch before it dies or its time is up."""
        try:
            each.give(task, self._limits)
        except OSError:
            return False
        while task.results is None:
            if not wait([each.channel], max(0.0, each.deadline - time.monotonic())):
                return False
            if not each.take():
                return task.results is not None
        return True


def _batches(sources: Iterable[FileSource]) -> Iterator[list[FileSource]]:
    batch: list[FileSource] = []
    size = 0
    for source in sources:
        batch.append(source)
        size += len(source.data)
        if len(batch) >= BATCH_FILES or size >= BATCH_BYTES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch
