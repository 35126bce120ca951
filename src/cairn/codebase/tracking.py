"""One codebase in the registry: what it is now, and every run that changes it.

The engine reads through `admitted` and writes through `index`; what either needs of the store and of
indexing is handed in.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Protocol

from cairn.base.errors import CairnError, NotIndexedError, NotReadyError, RegistryDamagedError
from cairn.base.notes import Note
from cairn.base.ulid import new_ulid
from cairn.base.values import replace
from cairn.codebase.pin import Pinned
from cairn.lifecycle.envelopes import error_of
from cairn.lifecycle.gates import CodebaseFacts, NonOkReason, Verdict, judge
from cairn.lifecycle.proof import Marker, Proof, unproven, validate_completion_proof
from cairn.lifecycle.registry import Registry, under_way
from cairn.lifecycle.states import State
from cairn.lifecycle.tracked import Tracked

if TYPE_CHECKING:
    from cairn.indexing.options import SyncOptions, SyncResult
    from cairn.indexing.progress import Progress, SyncStep
    from cairn.lifecycle.runs import Run
    from cairn.store import Identity, Manifest, SnapshotView

_POLL_S = 0.1
_UNDECIDED = (None, NonOkReason.NOT_INDEXED)
"""Verdicts that say less than the error of a store that can't be opened."""
_PROOF_MISSING = Note("proof_missing")

Work = Callable[["SyncOptions", "Progress | None", "SnapshotView | None"], "SyncResult"]
"""Brings the store up to date, whatever state the codebase is in; a view of the active snapshot is its own then."""


class TrackedCodebase(Protocol):
    """The codebase that is tracked: who it is under the settings of now, and its active snapshot."""

    @property
    def identity(self) -> Identity:
        """Who the codebase is under the settings of now."""

    def parts(self) -> Mapping[str, str]:
        """What the index fingerprint is made of."""

    def open_view(self, snapshot_id: str | None = None) -> SnapshotView:
        """A snapshot whatever state the codebase is in."""

    def require_able(self) -> None:
        """The error of settings that a first index could not even begin under."""

    def note(self, state: str, cause: str, **facts: str) -> None:
        """Write a line about a new state into the log."""


class Tracking:
    """The registry's row of one root, and the gates over it."""

    def __init__(self, home: str, subject: TrackedCodebase) -> None:
        self.registry = Registry(home)
        self._home = home
        self._subject = subject

    def verdict(self, requested: str = "") -> Verdict:
        """What the gates say, with the proof of the active snapshot looked for."""
        pinned = self.pinned()
        pinned.close()
        facts = pinned.verdict.facts
        return replace(
            pinned.verdict, facts=replace(facts, requested=requested or facts.requested, parts=self._parts())
        )

    def proof(self) -> Proof:
        """Whether an index of the settings of now was completed."""

        def probe() -> Marker | None:
            with self._subject.open_view() as view:
                return view.marker()

        return validate_completion_proof(self._root, self._fingerprint, probe)

    def pinned(self, snapshot_id: str | None = None) -> Pinned:
        """The active snapshot or a former one, held open, with what the gates say of it.

        The very snapshot that answers is the one whose proof counts.
        """
        tracked = self._row()
        if tracked is not None and tracked.state is State.INDEXING:
            return Pinned(judge(self._facts(tracked, None)))
        try:
            view = self._subject.open_view(snapshot_id)
        except (CairnError, OSError, ValueError) as error:
            return Pinned(judge(self._facts(tracked, unproven(error))), failure=error)
        try:
            proof = validate_completion_proof(self._root, self._fingerprint, view.marker)
            verdict = judge(self._facts(tracked, proof))
        except BaseException:
            view.close()
            raise
        if verdict.failure is not None:
            view.caution = verdict.failure.message
        return Pinned(verdict, view)

    def admitted(self, snapshot_id: str | None = None) -> SnapshotView:
        """A view of the active snapshot or a former one that passed all gates; else the error of the first."""
        pinned = self.pinned(snapshot_id)
        failure, reason = pinned.failure, pinned.verdict.reason
        if failure is not None and not isinstance(failure, NotIndexedError) and reason in _UNDECIDED:
            raise failure
        if reason is None and pinned.view is not None:
            return pinned.view
        pinned.close()
        self._require(pinned.verdict)
        raise failure or NotIndexedError(f"{self._root} is not indexed.")

    def index(
        self,
        work: Work,
        options: SyncOptions,
        progress: Progress | None,
        *,
        create: bool = True,
    ) -> tuple[SyncResult, list[Note]]:
        """A sync where there is an index, a create or reindex where there is none or it is wanted anew.

        Without `create` only a sync: the error of the gate where there is nothing to sync.
        """
        # Whoever only asks mends nothing: a registry that is lost or damaged is left as it is.
        notes = self._mend_registry() if create else []
        deadline = time.monotonic() + options.wait_s
        pinned = self.pinned()
        while True:
            try:
                return self._index_once(pinned, work, options, progress, notes, create), notes
            except NotReadyError:
                if time.monotonic() + _POLL_S > deadline:
                    raise
            time.sleep(_POLL_S)
            pinned = self.pinned()

    def require_settings(self) -> None:
        """RequiresReindexError where the root was indexed under other settings than those of now."""
        verdict = judge(self._facts(self._row(), None))
        if verdict.reason is NonOkReason.REQUIRES_REINDEX:
            self._require(verdict)

    def require_answering(self) -> None:
        """RequiresReindexError where the root answers from another store than that of the settings of now."""
        row = self._row()
        if row is not None and row.store_id != self._subject.identity.store_id:
            self.require_settings()

    def require_idle(self) -> None:
        """NotReadyError while a create or reindex lives, whatever its settings are."""
        row = self._row()
        if row is not None and row.state is State.INDEXING:
            raise under_way(row)

    def forget(self) -> bool:
        """Take the codebase off the registry; False where it wasn't on it."""
        self._mend_registry()
        return self.registry.forget(self._root)

    def answering(self) -> str:
        """The id of the store that the codebase answers from, which may be one of other settings than those of now."""
        row = self._row()
        return row.store_id if row is not None and row.store_id else self._subject.identity.store_id

    def row(self) -> Tracked | None:
        """The row as it is to be understood now."""
        return self._row()

    @property
    def _root(self) -> str:
        return self._subject.identity.canonical_root

    @property
    def _fingerprint(self) -> str:
        return self._subject.identity.config_fingerprint

    def _index_once(
        self,
        pinned: Pinned,
        work: Work,
        options: SyncOptions,
        progress: Progress | None,
        notes: list[Note],
        create: bool,
    ) -> SyncResult:
        verdict, tracked = pinned.verdict, pinned.verdict.facts.tracked
        anew = verdict.reason is not None or (create and (options.reindex or verdict.failure is not None))
        if anew:
            # It is of no use to a run that makes the index anew, and would keep collectors out.
            pinned.close()
        if (
            verdict.reason is NonOkReason.INDEXING
            or (verdict.reason is NonOkReason.REQUIRES_REINDEX and not options.reindex)
            or not create
        ):
            self._require(verdict)
        if anew:
            if verdict.stale:
                if _PROOF_MISSING not in notes:
                    notes.append(_PROOF_MISSING)
                # A sync that finds nothing changed would publish no marker either.
                options = replace(options, reindex=options.reindex or pinned.view is not None)
            return self._run(work, options, progress)
        result = work(options, progress, pinned.view)
        if result.published if tracked is not None else create:
            try:
                self._note_sync(tracked)
            except (CairnError, OSError) as error:
                # The snapshot stands whatever the registry holds; the next sync notes it again.
                notes.append(Note("registry_behind", {"message": str(error)}))
        return result

    def moved(self, manifest: Manifest) -> None:
        """Have the codebase answer from the store of the settings of now, which holds the index by now."""
        subject = self._subject
        self.registry.moved(subject.identity, subject.parts(), self.proof())
        subject.note(State.INDEXED, "migrate", snapshot=manifest.snapshot_id)

    def _run(self, work: Work, options: SyncOptions, progress: Progress | None) -> SyncResult:
        from cairn.lifecycle.runs import Run, failure_of

        self._subject.require_able()
        cause = "reindex" if options.reindex else "create"
        subject, run_id = self._subject, new_ulid()
        try:
            with Run(self.registry, subject.identity, run_id, subject.parts()) as run:
                subject.note(State.INDEXING, cause, run=run_id)
                result = work(options, _reported(run, progress), None)
                run.complete(self.proof())
        except NotReadyError:
            raise
        except BaseException as error:
            with contextlib.suppress(CairnError, OSError):
                subject.note(State.INDEXFAILED, cause, run=run_id, error=failure_of(error).code)
            raise
        subject.note(State.INDEXED, cause, run=run_id, snapshot=result.manifest.snapshot_id)
        return result

    def _note_sync(self, tracked: Tracked | None) -> None:
        proof = self.proof()
        if not proof.is_valid:
            return
        identity = self._subject.identity
        if tracked is None:
            self.registry.adopt(identity, self._subject.parts(), proof)
        elif self.registry.synced(identity.canonical_root, identity.store_id, proof):
            self._subject.note(State.SYNC_COMPLETED, "sync", snapshot=proof.snapshot_id)

    def _mend_registry(self) -> list[Note]:
        """A registry that can't be read is set aside; one that is new begins with all that stores can prove."""
        notes: list[Note] = []
        if aside := self.registry.set_aside():
            notes.append(Note("registry_damaged", {"kept": aside}))
        if not self.registry.exists():
            from cairn.lifecycle.found import found_in
            from cairn.lifecycle.reconcile import reconcile

            try:
                reconcile(self.registry, found_in(self._home), time.time())
            except (CairnError, OSError) as error:
                notes.append(Note("stores_unseen", {"message": str(error)}))
        return notes

    def _row(self) -> Tracked | None:
        try:
            return self.registry.seen(self._root)
        except RegistryDamagedError:
            return None

    def _facts(self, tracked: Tracked | None, proof: Proof | None, requested: str = "") -> CodebaseFacts:
        return CodebaseFacts(self._root, requested or self._root, self._fingerprint, tracked, proof)

    def _parts(self) -> tuple[tuple[str, str], ...]:
        return tuple(sorted(self._subject.parts().items()))

    def _require(self, verdict: Verdict) -> None:
        """Made of what costs nothing until there is something to tell."""
        if verdict.reason is not None:
            error = error_of(replace(verdict, facts=replace(verdict.facts, parts=self._parts())))
            if error is not None:
                raise error


def _reported(run: Run, progress: Progress | None) -> Progress:
    def report(step: SyncStep) -> None:
        run.at(step.stage, step.share)
        if progress is not None:
            progress(step)

    return report
