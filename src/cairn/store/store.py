"""A store as its users see it: open a view, write a snapshot, keep the house in order."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING

from cairn.base import lazy
from cairn.base.errors import BusyError, CorruptStoreError, NotIndexedError, StaleSnapshotError, StoreRefusedError
from cairn.base.steps import Advice, NextStep
from cairn.base.values import dataclass
from cairn.store.identity import Identity
from cairn.store.integrity import Verifier
from cairn.store.layout import Layout, StoreKind, create_layout, open_layout
from cairn.store.lease import WriterLease, read_lease
from cairn.store.manifest import Manifest
from cairn.store.readers import reading
from cairn.store.recovery import find_active, newest_first, read_manifest, read_pointer
from cairn.store.shelf import Shelf
from cairn.store.state import read_state, write_state
from cairn.store.treefacts import TreeFacts
from cairn.store.view import SnapshotView

# What only writers need is loaded by them: a question does without.
if TYPE_CHECKING:
    from cairn.store import compact, faults, freeing, gate, gc, log, pointer, publish, staging
    from cairn.store._semanticfile import SemanticMade
    from cairn.store.compact import Plan, TermsOf
else:
    compact, faults, freeing, gate, gc, log, pointer, publish, staging = (
        lazy.module(f"cairn.store.{name}")
        for name in "compact faults freeing gate gc log pointer publish staging".split()
    )

_FIRST_PAUSE_S = 0.02
_COMPACT_ATTEMPTS = 3
_TIDY_WAIT_S = 5.0
_TIDY_PAUSE_S = 0.02
DATA_FOLDER = "data"


@dataclass(frozen=True, slots=True)
class Store:
    """One root's store under one fingerprint."""

    layout: Layout
    identity: Identity

    @classmethod
    def create(cls, home: str, identity: Identity, kind: StoreKind = StoreKind.PRIVATE) -> Store:
        """The store of a root, which is made where there is none."""
        return cls.at(create_layout(store_path(home, identity.store_id), kind), identity)

    @classmethod
    def open(cls, home: str, identity: Identity) -> Store:
        """The store of a root; NotIndexedError where there is none."""
        layout = open_layout(store_path(home, identity.store_id))
        if layout is None:
            raise NotIndexedError(f"{identity.canonical_root} is not indexed.")
        return cls.at(layout, identity)

    @classmethod
    def at(cls, layout: Layout, identity: Identity) -> Store:
        """A store whose place is known; one of a newer format is refused."""
        read_state(layout)
        return cls(layout, identity)

    def view(
        self,
        *,
        snapshot_id: str | None = None,
        fresh: bool = False,
        leave_out: frozenset[str] = frozenset(),
        shelf: Shelf | None = None,
    ) -> SnapshotView:
        """The active snapshot, or a former one that has not been collected yet."""
        view = SnapshotView(self.layout, snapshot_id=snapshot_id, fresh=fresh, leave_out=leave_out, shelf=shelf)
        try:
            self._require_own(view.manifest)
        except BaseException:
            view.close()
            raise
        return view

    def point_to(self, lease: WriterLease, manifest: Manifest) -> None:
        """Make a whole snapshot the active one again: what a repair of the pointer does."""
        pointer.swap_pointer(self.layout, lease, manifest.snapshot_id)
        write_state(self.layout, manifest)

    def upgrade(self) -> str:
        """Bring a store to the current formats, or say what else has to be done.

        Formats older than the readable ones can't be migrated, newer ones are refused; both by the
        error that reading them gives. The last good snapshot is never touched.
        """
        with self.writer(), self.view(fresh=True) as view:
            return f"Snapshot {view.snapshot_id} and all it references are of the current formats."

    def active(self) -> Manifest | None:
        """The active manifest; None before the first publish."""
        try:
            with reading(self.layout):
                manifest = find_active(self.layout, Verifier(self.layout)).manifest
        except NotIndexedError:
            return None
        self._require_own(manifest)
        return manifest

    def _require_own(self, manifest: Manifest) -> None:
        """A store that was copied or renamed would answer for another tree."""
        own = self.identity
        # Members of a shared store have work trees of their own; settings are all they must share.
        same_root = self.layout.kind is StoreKind.SHARED or manifest.store_id == own.store_id
        if not same_root or manifest.config_fingerprint != own.config_fingerprint:
            raise StoreRefusedError(
                f"The store {self.layout.path} holds a snapshot of {manifest.canonical_root} ({manifest.store_id}).",
                hint=Advice(NextStep("clear"), " and index again."),
            )

    @contextlib.contextmanager
    def writer(self, *, wait_s: float = 0.0) -> Iterator[WriterLease]:
        """Hold the writer lease, waiting at most `wait_s` for another writer."""
        lease = self._acquire(wait_s)
        with lease:
            staging.remove_abandoned(self.layout, leased_txn=lease.txn_id)
            yield lease

    def is_tidy(self) -> bool:
        """Whether no dead writer has left a transaction behind."""
        return not staging.abandoned(self.layout, leased_txn="")

    def compact(
        self, terms_of: TermsOf, *, force: bool = False, wait_s: float = 0.0, plan: Plan | None = None
    ) -> Manifest | None:
        """Merge segments if that is due, or those that a `plan` names; None when there is nothing to do.

        The first attempt builds without the lease. When the snapshot moves under it, the last one
        holds the lease from the start, so that it can't lose the race again.
        """
        for attempt in range(_COMPACT_ATTEMPTS):
            last = attempt == _COMPACT_ATTEMPTS - 1
            try:
                with contextlib.ExitStack() as stack:
                    early = stack.enter_context(self.writer(wait_s=wait_s)) if last else None
                    return self._compact_once(terms_of, plan or partial(compact.due, force=force), early, wait_s)
            except StaleSnapshotError:
                if last:
                    raise
        return None

    def make_room(self, lease: WriterLease, terms_of: TermsOf) -> None:
        """Merge segments under a writer's own lease where so many have piled up that its snapshot may be refused.

        A merge beside busy writers can lose every race against them; under the lease there is none.
        """
        active = self.active()
        if active is not None and compact.compaction_overdue(active):
            self._compact_once(terms_of, compact.due, lease, 0.0)

    def publish_semantic(
        self, made: SemanticMade, before_swap: Callable[[], None] = lambda: None, *, wait_s: float = 0.0
    ) -> Manifest:
        """Publish a context's new facts on top of whatever snapshot is active by then."""
        with self.writer(wait_s=wait_s) as lease, self.view() as view:
            live = {path: chunks for path, _, chunks in view.rows.contents()}
            parent = view.manifest
            with publish.Transaction(
                self.layout, self.identity, parent, live, cause="semantic", txn_id=lease.txn_id
            ) as transaction:
                transaction.attach(made)
                tree = TreeFacts.as_in(parent, transaction.live_paths)
                manifest = transaction.publish(lease, tree, before_swap)
        log.record(
            self.layout,
            "semantic",
            self.identity.canonical_root,
            snapshot=manifest.snapshot_id,
            context=made.meta.context,
            job=made.meta.job_id,
            occurrences=made.occurrences,
        )
        return manifest

    def collect(self, *, force: bool = False, wait_s: float = 0.0) -> gc.GcPlan:
        """Remove what no snapshot needs any more, and say what it was."""
        lease = freeing.removal_lease(self.layout, lambda: self._acquire(wait_s))
        try:
            plan = gc.collect(self.layout, lease, force=force)
        finally:
            lease.release()
        log.record(
            self.layout,
            "gc",
            self.identity.canonical_root,
            snapshots=len(plan.snapshots),
            segments=len(plan.segments),
            staging=len(plan.staging),
        )
        return plan

    def is_crowded(self) -> bool:
        """Whether so many segments have piled up that the next snapshots may be refused."""
        return len(os.listdir(self.layout.segments)) > gate.MAX_SEGMENTS_REFERENCED // 2

    def tidy(self) -> None:
        """Collect in passing when a lot has piled up; whoever is busy comes first.

        Past the pressure mark the age of snapshots no longer protects them: the shut-out readers
        prove that nobody reads, and a full store would have to refuse the next publish.
        """
        count = len(os.listdir(self.layout.segments))
        crowded = self.is_crowded()
        if crowded or (count > gate.MAX_SEGMENTS_REFERENCED // 4 and gc.is_due(self.layout)):
            # Readers hold on to a snapshot for moments only: where it matters they are waited for.
            deadline = time.monotonic() + (_TIDY_WAIT_S if crowded else 0.0)
            while True:
                try:
                    self.collect(force=crowded)
                    return
                except BusyError:
                    if time.monotonic() >= deadline:
                        return
                time.sleep(_TIDY_PAUSE_S)

    def _compact_once(self, terms_of: TermsOf, plan: Plan, held: WriterLease | None, wait_s: float) -> Manifest | None:
        with self.view() as view:
            merge = plan(view)
            if not merge:
                return None
            faults.reach("compact.planned")
            transaction = compact.build(view, self.layout, self.identity, merge, terms_of)
            parent = view.manifest
        with transaction, contextlib.ExitStack() as stack:
            lease = held or stack.enter_context(self.writer(wait_s=wait_s))
            manifest = compact.publish_compaction(transaction, self.layout, lease, parent)
        log.record(
            self.layout,
            "compact",
            self.identity.canonical_root,
            snapshot=manifest.snapshot_id,
            merged=len(merge),
            segments=len(manifest.segments),
        )
        return manifest

    def _epoch_floor(self) -> int:
        """The highest epoch that was ever published: a damaged lease file must not lower it."""
        pointer = read_pointer(self.layout)
        if pointer is not None and read_lease(self.layout) is not None:
            with contextlib.suppress(OSError, CorruptStoreError):
                return read_manifest(self.layout, pointer).lease_epoch
        return max((manifest.lease_epoch for manifest in newest_first(self.layout)), default=0)

    def _acquire(self, wait_s: float) -> WriterLease:
        deadline = time.monotonic() + wait_s
        pause = _FIRST_PAUSE_S
        while True:
            try:
                return WriterLease.acquire(self.layout, epoch_floor=self._epoch_floor())
            except BusyError:
                if time.monotonic() + pause > deadline:
                    raise
            time.sleep(pause)
            pause = min(pause * 2, 0.5)


def store_path(home: str, store_id: str) -> str:
    """The folder of a store beneath a home."""
    return os.path.join(home, DATA_FOLDER, store_id)
