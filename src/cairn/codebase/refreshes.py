"""Semantic facts on request: which contexts a request concerns, their jobs, and the work on them."""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from cairn.base.errors import CairnError, UsageError
from cairn.base.notes import Note
from cairn.base.steps import Advice, NextStep
from cairn.base.values import dataclass, replace
from cairn.codebase.indexers import without_codebases
from cairn.config.user import cairn_home
from cairn.semantic.contexts.survey import ViewTree, survey
from cairn.semantic.control import control_file, known_contexts, note_contexts, read_head
from cairn.semantic.indexers import indexer_for
from cairn.semantic.job import Job, JobStatus
from cairn.semantic.jobs import JobQueue, Recovered
from cairn.semantic.refresh import Refresh, published_jobs
from cairn.semantic.requests import RefreshRequest, last_changes, refresh_targets
from cairn.semantic.runner import RunLimits
from cairn.semantic.scope import FULL, scope_of
from cairn.semantic.settings import SemanticSettings, load_settings
from cairn.semantic.worker import Worker
from cairn.workspace.livefiles import real_key

if TYPE_CHECKING:
    from cairn.codebase.contracts import RefreshableCodebase
    from cairn.semantic.control import KnownContext

_POLL_S = 0.2
_ROUNDS = 3
"""How often one worker runs a context: a file that never holds still must not keep it busy for ever."""
_SYNC_WAIT_S = 30.0
_NAMED = 5

Tell = Callable[[Job], None]
"""Told of a job that is waited for, a few times a second."""


@dataclass(frozen=True, slots=True)
class ContextOutcome:
    """What became of a request in one context."""

    context: str
    outcome: str
    """Of `jobs.Outcome`, or `skipped`."""
    job: Job | None = None
    why: str = ""


class Refreshing:
    """The jobs of one codebase."""

    def __init__(self, codebase: RefreshableCodebase) -> None:
        self._codebase = codebase
        self.notes: list[Note] = []
        """What a user should know of the work."""

    @property
    def queue(self) -> JobQueue:
        """The jobs of the codebase's store."""
        return JobQueue(self._codebase.store().layout)

    def wish(
        self,
        *,
        files: Iterable[str] = (),
        packages: Iterable[str] = (),
        since: float | None = None,
        everything: bool = False,
        context: str = "",
    ) -> RefreshRequest:
        """A request in the user's words: paths from the root on or full ones; nothing at all means what isn't clean."""
        packages = list(packages)
        if everything or any(self._is_root(path) for path in packages):
            return RefreshRequest(FULL, context)
        scope = scope_of(map(self._key, files), map(self._key, packages), since)
        return RefreshRequest(None if scope.is_empty else scope, context)

    def ask(self, wish: RefreshRequest, reason: str) -> tuple[ContextOutcome, ...]:
        """Enqueue a job for each context that is concerned; the index is as up to date as the caller has made it."""
        # Jobs that no worker could take would stay queued.
        load_settings(cairn_home(), os.environ)
        self.recover()
        head, queue = self._head(), self.queue
        with self._codebase.view() as view:
            found = survey(ViewTree(view, self._codebase.now().is_there))
            changed_at = last_changes(self._codebase.root_path)
            wanted = tuple(refresh_targets(wish, found, view, self.known(), changed_at))
        with control_file(self._codebase.store().layout).writing() as connection:
            workable = [each for each in found.contexts if indexer_for(each.family) is not None]
            note_contexts(connection, workable, found.probes)
        asked = []
        for each in wanted:
            if each.why:
                asked.append(ContextOutcome(each.context, "skipped", why=each.why))
                continue
            made = queue.enqueue(each.context, each.scope, head, reason, changed_at=each.changed_at)
            asked.append(ContextOutcome(each.context, made.outcome.value, made.job))
        return tuple(asked)

    def known(self) -> dict[str, KnownContext]:
        """What the last refreshes know of contexts, by id."""
        with control_file(self._codebase.store().layout).reading() as connection:
            return known_contexts(connection) if connection is not None else {}

    def recover(self) -> Recovered:
        """Settle jobs whose workers are gone: what is published is completed, all else is queued again."""
        queue = self.queue
        if not queue.all(status=JobStatus.RUNNING):
            return Recovered()
        return queue.recover(published_jobs(self._codebase.store()))

    def work(self, tell: Tell = lambda _: None) -> list[Job]:
        """Run what is queued until nothing is left that may run here; the jobs as they ended."""
        ended: list[Job] = []
        rounds: Counter[str] = Counter()
        while (job := self._run_next(rounds, tell)) is not None:
            ended.append(job)
        return ended

    def wait(self, jobs: Iterable[str], tell: Tell = lambda _: None) -> list[Job]:
        """Bring some jobs and what follows them to an end, here or by whoever has them; the jobs as they are then."""
        queue = self.queue
        todo, ended = list(dict.fromkeys(jobs)), list[Job]()
        rounds: Counter[str] = Counter()
        while todo:
            self.recover()
            job = queue.get(todo[0])
            if job is not None and job.is_active and rounds[job.context] < _ROUNDS:
                if job.status is JobStatus.RUNNING or self._run(job, rounds, tell) is None:
                    tell(job)
                    time.sleep(_POLL_S)
                continue
            todo.pop(0)
            if job is not None:
                ended.append(job)
                known = {*todo, *(each.id for each in ended)}
                todo += [
                    each.id
                    for each in queue.all(context=job.context)
                    if each.follows == job.id and each.id not in known
                ]
        return ended

    def is_anything_queued(self) -> bool:
        """Whether a job waits for a worker."""
        return bool(self.queue.all(status=JobStatus.QUEUED))

    def job(self, job_id: str) -> Job:
        """A job by its id; UsageError where there is none."""
        found = self.queue.get(job_id)
        if found is None:
            raise UsageError(f"There is no job {job_id}.", hint=Advice(NextStep("jobs"), " to see which there are."))
        return found

    def cancel(self, job_id: str) -> Job:
        """End an active job; UsageError for one that has ended."""
        cancelled = self.queue.cancel(self.job(job_id).id)
        if cancelled is None:
            raise UsageError(
                f"The job {job_id} has ended already.", hint=Advice(NextStep("job", job_id), " to see how.")
            )
        return cancelled

    def _run_next(self, rounds: Counter[str], tell: Tell) -> Job | None:
        self.recover()
        for job in self.queue.all(status=JobStatus.QUEUED):
            if rounds[job.context] < _ROUNDS:
                ended = self._run(job, rounds, tell)
                if ended is not None:
                    return ended
        return None

    def _run(self, job: Job, rounds: Counter[str], tell: Tell) -> Job | None:
        """One job, if it may run now."""
        settings = load_settings(cairn_home(), os.environ)
        if len(self.queue.all(status=JobStatus.RUNNING)) >= settings.workers:
            return None
        self._sync()
        ended = self._worker(settings, job, tell).run_one(limit=settings.workers, job_id=job.id)
        if ended is not None:
            rounds[ended.context] += 1
            self._note_left_out(ended)
        return ended

    def _note_left_out(self, job: Job) -> None:
        """Say which files the tool has nothing about: the index holds them, and their answers are by syntax."""
        if job.status is not JobStatus.COMPLETED:
            return
        with self._codebase.store().view() as view:
            facts = view.semantic(job.context)
            paths = facts.left_out() if facts is not None else []
            if facts is not None and paths:
                fields = {"tool": facts.meta().tool, "files": tuple(paths[:_NAMED]), "count": len(paths)}
                self.notes.append(Note("left_out_by_tool", fields))

    def _worker(self, settings: SemanticSettings, job: Job, tell: Tell) -> Worker:
        store, environ = self._codebase.store(), without_codebases()
        work = Refresh(
            store,
            lambda: self._codebase.detector.tree,
            lambda path: self._codebase.now().is_there(path),
            self._head,
            settings,
            environ,
        )
        limits = RunLimits(wall_s=float(settings.time_limit_s)) if settings.time_limit_s is not None else None
        running = replace(job, status=JobStatus.RUNNING)
        return Worker(
            store.layout,
            JobQueue(store.layout),
            work,
            settings,
            environ,
            limits,
            lambda phase: tell(replace(running, phase=phase)),
        )

    def _sync(self) -> None:
        """A run that reads newer files than the snapshot has would give facts that nobody is served."""
        from cairn.indexing.options import SyncOptions

        try:
            self._codebase.index(SyncOptions(wait_s=_SYNC_WAIT_S), create=False)
        except (CairnError, OSError) as error:
            self.notes.append(Note("run_not_synced", {"message": str(error)}))

    def _is_root(self, path: str) -> bool:
        root = self._codebase.root_path
        return os.path.normpath(os.path.join(root, path)) == os.path.normpath(root)

    def _key(self, path: str) -> str:
        return real_key(self._codebase.root_path, path)

    def _head(self) -> str | None:
        return read_head(self._codebase.root_path, in_git=self._codebase.detector.git is not None)
