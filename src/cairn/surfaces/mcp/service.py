"""What tools work with: the codebases that are open, the gates before them, and the syncs that they share."""

import contextlib
import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from cairn.base.errors import (
    CairnError,
    NotIndexedError,
    NotReadyError,
    RegistryDamagedError,
    RequiresReindexError,
    RootRefusedError,
    UsageError,
)
from cairn.base.notes import Note
from cairn.base.values import dataclass, field, replace
from cairn.codebase.codebase import Codebase
from cairn.codebase.pool import Pool
from cairn.daemon.client import read_directly
from cairn.indexing.options import SyncOptions
from cairn.lifecycle.envelopes import debug_hints, envelope_of, probe_hint
from cairn.lifecycle.freshness import Decision, Freshener, Freshness
from cairn.lifecycle.gates import Verdict, as_seen, judge
from cairn.lifecycle.processes import Jobs, Report
from cairn.lifecycle.registry import Registry
from cairn.lifecycle.states import State
from cairn.lifecycle.tracked import Tracked
from cairn.surfaces.mcp.access import Access, nested_repository
from cairn.surfaces.mcp.notes import sentences
from cairn.workspace.pathkey import quoted

Answer = dict[str, Any]
_PATIENCE_S = 1.0
_MAX_OPEN = 8
Bring = Callable[[str], bool | None]
"""Brings the codebase of a root up to date, as a `Sync` does."""


class BlockedError(Exception):
    """A gate is closed: its envelope is the answer."""

    def __init__(self, envelope: Answer) -> None:
        super().__init__(envelope["message"])
        self.envelope = envelope


@dataclass(slots=True)
class ToolCall:
    """One call of a tool: who asks, whether they want to know more, and how they hear of progress."""

    access: Access
    debug: bool = False
    report: Report = lambda _row: None
    cancelled: threading.Event = field(default_factory=threading.Event)
    takes: frozenset[str] = frozenset()
    """The arguments that the tool has: a hint names no other."""
    fresh_for_s: float | None = None
    """How old the last look at the tree may be; None leaves it to the service."""


@dataclass(frozen=True, slots=True)
class Ready:
    """A codebase that may be asked, and how fresh its answer will be."""

    root: str
    requested: str
    codebase: Codebase
    verdict: Verdict
    freshness: Freshness
    mode: str = ""

    def at(self, path: str) -> str:
        """Paths of a client start from the root of the codebase."""
        return os.path.join(self.root, path)

    def read_mode(self, *, asked_for: bool) -> str:
        """How stores are read here, in words."""
        return self.mode

    def file(self) -> str:
        """The file that was asked for, from the root on; UsageError for a folder."""
        if self.requested == self.root or os.path.isdir(self.requested):
            raise UsageError(f"{self.requested} is a folder.", hint="Name a file in it.")
        return os.path.relpath(self.requested, self.root)

    @property
    def notes(self) -> tuple[Note, ...]:
        """Why the answer is not of the tree as it is now, if it isn't."""
        return _not_synced(self.freshness)

    def basis(self, snapshot_id: str, notes: Sequence[Note], *, debug: bool) -> Answer:
        """What every answer says of itself."""
        fresh: Answer = {"decision": self.freshness.decision.value}
        if self.freshness.detail:
            fresh["detail"] = self.freshness.detail
        found: Answer = {
            "status": "ok",
            "codebaseRoot": self.root,
            "path": self.requested,
            "snapshotId": snapshot_id,
            "freshness": fresh,
        }
        if said := (*self.notes, *notes):
            found["warnings"] = sentences(said)
        hints = probe_hint(self.verdict.facts.proof)
        if debug:
            hints = debug_hints(self.verdict)
        if hints:
            found["hints"] = hints
        return found


class Service:
    """One per process; tools call it from any thread."""

    def __init__(
        self,
        home: str,
        *,
        fresh_for_s: float = 0.0,
        pool: Pool | None = None,
        bring: Bring | None = None,
        read_mode: str = read_directly(),
    ) -> None:
        """`pool` and `bring` share codebases and syncs with whoever else is in this process; `bring` is then asked by
        every call that needs a sync, whose own patience ends the wait."""
        self.home = home
        self.registry = Registry(home)
        self.jobs = Jobs(
            self.registry,
            again="Call manage_index again.",
            look="Call manage_index with action=status to see how far it is.",
        )
        self.freshener = Freshener(shares=bring is None)
        self.pool = pool or Pool(home, most_idle=_MAX_OPEN)
        self.fresh_for_s = fresh_for_s
        self.read_mode = read_mode
        self._bring = bring or self._sync

    def listed(self) -> tuple[Tracked, ...]:
        """All rows, as they are to be understood now; RegistryDamagedError where they can't be read."""
        now = time.time()
        return tuple(seen for row in self.registry.all() if (seen := as_seen(row, now)) is not None)

    def tracked(self) -> tuple[Tracked, ...]:
        """The same to find a path's codebase by; none where the registry is damaged, since stores prove themselves."""
        try:
            return self.listed()
        except RegistryDamagedError:
            return ()

    def locate(self, call: ToolCall, given: str | None) -> tuple[str, str]:
        """(effective root, canonical path) of what a client names."""
        path = call.access.path(given)
        root = call.access.root(path, [row.root for row in self.tracked()])
        nested = nested_repository(path, root)
        if nested is not None:
            with self.using(root) as codebase:
                covered = codebase.detector.config.index.submodules
            # A repository of its own, or a work tree, is a codebase of its own, unless the outer one takes it in.
            root = root if covered else nested
        return root, path

    def verdict(self, root: str, requested: str) -> Verdict:
        """Whether a codebase may be read, and if not, why."""
        with self.using(root) as codebase:
            verdict = codebase.verdict(requested)
        if verdict.facts.state is not State.INDEXING and self.jobs.is_running(root):
            # The run was started here and has yet to enter itself, or has left and is about to end: no other can begin.
            starting = Tracked(root, State.INDEXING, fingerprint=verdict.facts.fingerprint, phase="starting")
            return judge(replace(verdict.facts, tracked=starting, proof=None))
        if verdict.facts.tracked is not None or verdict.passes:
            self.jobs.forget(root)
            return verdict
        failure = self.jobs.failure(root)
        if failure is not None:
            # It ended before it could enter itself: nobody else knows why.
            failed = Tracked(root, State.INDEXFAILED, failure=failure)
            return judge(replace(verdict.facts, tracked=failed))
        return verdict

    @contextlib.contextmanager
    def ready(self, call: ToolCall, given: str | None, *, sync: bool = True) -> Iterator[Ready]:
        """A codebase that passed its gates and was brought up to date; else BlockedError with the envelope."""
        root, requested = self.locate(call, given)
        verdict = self.verdict(root, requested)
        envelope = envelope_of(verdict, debug=call.debug)
        if envelope is not None:
            raise BlockedError(envelope)
        fresh = self._freshen(root, verdict, call) if sync else Freshness(Decision.SKIPPED_RECENT)
        with self.using(root) as codebase:
            try:
                yield Ready(root, requested, codebase, verdict, fresh, self.read_mode)
            except (NotReadyError, RequiresReindexError, NotIndexedError):
                # The codebase may have changed its state since it was let in; else it is a file that isn't there.
                envelope = envelope_of(codebase.verdict(requested), debug=call.debug)
                if envelope is None:
                    raise
                raise BlockedError(envelope) from None

    @contextlib.contextmanager
    def elsewhere(self, call: ToolCall, given: str | None) -> Iterator[Ready]:
        """A codebase that is asked at a remote: no gate of its own index stands before it, and nothing is synced."""
        root, requested = self.locate(call, given)
        verdict = self.verdict(root, requested)
        with self.using(root) as codebase:
            yield Ready(root, requested, codebase, verdict, Freshness(Decision.SKIPPED_RECENT), self.read_mode)

    def brought(self, call: ToolCall, root: str) -> tuple[bool, list[Note]]:
        """Whether a codebase was looked at for this call, and what to say of that; its gates speak when it is asked."""
        verdict = self.verdict(root, root)
        if not verdict.passes:
            return False, []
        fresh = self._freshen(root, verdict, call)
        return fresh.looked, list(_not_synced(fresh))

    @contextlib.contextmanager
    def using(self, root: str) -> Iterator[Codebase]:
        """A codebase, kept open between calls, for one caller at a time."""
        with self.pool.using(root) as codebase:
            _require_root(codebase, root)
            yield codebase

    def drop(self, root: str) -> None:
        """Let go of a codebase whose store was removed or replaced."""
        self.pool.drop(root)

    def close(self) -> None:
        """End the jobs, and close all codebases."""
        self.jobs.close()
        self.pool.close()

    def _freshen(self, root: str, verdict: Verdict, call: ToolCall) -> Freshness:
        age_s = self.fresh_for_s if call.fresh_for_s is None else call.fresh_for_s
        return self.freshener.ensure_freshness(
            verdict, lambda: self._bring(root), exists=lambda: os.path.isdir(root), max_age_s=age_s
        )

    def _sync(self, root: str) -> bool | None:
        with self.pool.using(root, syncs=True) as codebase:
            _require_root(codebase, root)
            result = codebase.index(SyncOptions(wait_s=_PATIENCE_S, spares=True), create=False)
            return None if result.shared else result.published


def _not_synced(freshness: Freshness) -> tuple[Note, ...]:
    if freshness.looked or not freshness.detail:
        return ()
    return (Note("not_synced", {"message": freshness.detail}),)


def _require_root(codebase: Codebase, root: str) -> None:
    """A codebase of this very root: a repository that has come into being around it is another one."""
    if codebase.root_path == root:
        return
    raise RootRefusedError(
        f"{quoted(root)} is part of the git repository at {quoted(codebase.root_path)} now.",
        hint=f"Call manage_index with action=create on {codebase.root_path}.",
    )


def error_answer(error: CairnError) -> Answer:
    """What a tool says that could not do its work: a result, never a failure of the protocol."""
    found: Answer = {"status": "error", "code": error.code, "message": error.message, "hint": error.hint}
    if error.retry_after_ms is not None:
        found["retryAfterMs"] = error.retry_after_ms
    return found
