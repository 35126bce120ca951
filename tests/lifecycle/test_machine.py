"""Two registries on one file, driven at random against a naive model: no step is lost and none is invented."""

import tempfile

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from cairn.base.errors import NotReadyError, TransitionError
from cairn.base.owner import this_process
from cairn.base.values import dataclass, replace
from cairn.lifecycle.proof import Proof
from cairn.lifecycle.registry import Registry
from cairn.lifecycle.states import ALLOWED, State
from tests.lifecycle.samples import (
    FAILURE,
    MISSING,
    NOW_SETTINGS,
    OTHER_SETTINGS,
    PROBE_FAILED,
    VALID,
    dead_owner,
    identity,
)

ROOTS = st.sampled_from(["/one", "/one/inner", "/na\udcffme"])
SETTINGS = st.sampled_from([NOW_SETTINGS, OTHER_SETTINGS])
RUNS = st.sampled_from(["run-a", "run-b"])
REGISTRIES = st.integers(0, 1)
NEVER = frozenset((State.REQUIRES_REINDEX,))
"""A state that is only computed: nothing writes it."""


@dataclass(slots=True)
class Row:
    """What the model knows of one root."""

    state: State
    run: str
    fingerprint: str
    snapshot: str = ""
    dead: bool = False


class RegistryMachine(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.model: dict[str, Row] = {}
        self.shown: dict[str, State] = {}
        self.made = 0

    @initialize()
    def begin_empty(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.registries = [Registry(self.folder.name), Registry(self.folder.name)]

    def teardown(self) -> None:
        if hasattr(self, "folder"):
            self.folder.cleanup()

    def proof(self) -> Proof:
        self.made += 1
        return replace(VALID, snapshot_id=f"snapshot-{self.made}")

    @rule(which=REGISTRIES, root=ROOTS, fingerprint=SETTINGS, run=RUNS, dead=st.booleans())
    def begin(self, which: int, root: str, fingerprint: str, run: str, dead: bool) -> None:
        row = self.model.get(root)
        owner = dead_owner() if dead else this_process()

        def act() -> object:
            return self.registries[which].begin(identity(root, fingerprint), run, {}, owner=owner)

        if row is not None and row.state is State.INDEXING and not row.dead:
            with pytest.raises(NotReadyError):
                act()
            return
        act()
        kept = row.snapshot if row is not None and row.fingerprint == fingerprint else ""
        self.model[root] = Row(State.INDEXING, run, fingerprint, kept, dead)
        # A dead run ends as failed before the next begins.
        if row is not None and row.state is State.INDEXING:
            self.shown[root] = State.INDEXFAILED

    def run_of(self, root: str, run: str | None) -> str:
        """A run by its name, or the one that the row is of: most steps are those of the owner."""
        return run or (self.model[root].run if root in self.model else "run-a")

    def owns(self, root: str, run: str) -> bool:
        row = self.model.get(root)
        return row is not None and row.state is State.INDEXING and row.run == run

    @rule(which=REGISTRIES, root=ROOTS, asked=st.none() | RUNS, progress=st.floats(0, 99))
    def beat(self, which: int, root: str, asked: str | None, progress: float) -> None:
        run = self.run_of(root, asked)
        done = self.registries[which].beat(root, run, progress, "reading")
        assert done == self.owns(root, run)
        if done:
            row = self.registries[1 - which].get(root)
            assert row is not None
            assert (row.progress, row.phase) == (progress, "reading")

    @rule(which=REGISTRIES, root=ROOTS, asked=st.none() | RUNS)
    def complete(self, which: int, root: str, asked: str | None) -> None:
        run = self.run_of(root, asked)
        proof = self.proof()
        assert self.registries[which].complete(root, run, proof) == self.owns(root, run)
        if self.owns(root, run):
            self.model[root] = replace(self.model[root], state=State.INDEXED, snapshot=proof.snapshot_id)

    @rule(which=REGISTRIES, root=ROOTS, asked=st.none() | RUNS)
    def fail(self, which: int, root: str, asked: str | None) -> None:
        run = self.run_of(root, asked)
        assert self.registries[which].fail(root, run, FAILURE) == self.owns(root, run)
        if self.owns(root, run):
            self.model[root] = replace(self.model[root], state=State.INDEXFAILED)

    @rule(which=REGISTRIES, root=ROOTS, fingerprint=SETTINGS)
    def synced(self, which: int, root: str, fingerprint: str) -> None:
        row = self.model.get(root)
        ready = (
            row is not None and row.state in (State.INDEXED, State.SYNC_COMPLETED) and row.fingerprint == fingerprint
        )
        proof = self.proof()
        assert self.registries[which].synced(root, identity(root, fingerprint).store_id, proof) == ready
        if ready:
            self.model[root] = replace(self.model[root], state=State.SYNC_COMPLETED, snapshot=proof.snapshot_id)

    @rule(which=REGISTRIES, root=st.just("/na\udcffme"), fingerprint=SETTINGS)
    def adopt(self, which: int, root: str, fingerprint: str) -> None:
        proof = self.proof()
        assert self.registries[which].adopt(identity(root, fingerprint), {}, proof) == (root not in self.model)
        if root not in self.model:
            self.model[root] = Row(State.INDEXED, VALID.run_id, fingerprint, proof.snapshot_id)
            self.shown[root] = State.INDEXING

    @rule(which=REGISTRIES, root=ROOTS, run=st.none() | RUNS)
    def forget(self, which: int, root: str, run: str | None) -> None:
        row = self.model.get(root)
        if row is not None and row.state is State.INDEXING and not row.dead and run in (None, row.run):
            with pytest.raises(NotReadyError):
                self.registries[which].forget(root, run_id=run)
            return
        there = row is not None and run in (None, row.run)
        assert self.registries[which].forget(root, run_id=run) == there
        if there:
            if row is not None and row.state is State.INDEXING:
                self.shown[root] = State.INDEXFAILED
            del self.model[root]

    @rule(which=REGISTRIES, root=ROOTS, run=RUNS)
    def nothing_without_a_valid_proof(self, which: int, root: str, run: str) -> None:
        registry = self.registries[which]
        for proof in (MISSING, PROBE_FAILED):
            with pytest.raises(TransitionError):
                registry.complete(root, run, proof)
            with pytest.raises(TransitionError):
                registry.synced(root, "store", proof)
            with pytest.raises(TransitionError):
                registry.adopt(identity(root), {}, proof)

    @precondition(lambda self: hasattr(self, "folder"))
    @invariant()
    def both_show_exactly_the_model(self) -> None:
        for registry in self.registries:
            rows = {row.root: row for row in registry.all()}
            assert sorted(rows, key=lambda root: root.encode("utf-8", "surrogateescape")) == list(rows)
            assert {root: (row.state, row.run_id, row.fingerprint, row.snapshot_id) for root, row in rows.items()} == {
                root: (row.state, row.run, row.fingerprint, row.snapshot) for root, row in self.model.items()
            }
            for row in rows.values():
                assert row.state not in NEVER
                assert registry.get(row.root) == row
                assert (row.failure is not None) == (row.state is State.INDEXFAILED)
                assert (row.owner is not None) == (row.state is State.INDEXING)
                if row.state is not State.INDEXING:
                    assert (row.progress, row.phase) == (None, None)

    @precondition(lambda self: hasattr(self, "folder"))
    @invariant()
    def only_allowed_steps_show(self) -> None:
        now = {row.root: row.state for row in self.registries[0].all()}
        for root in {*now, *self.shown}:
            before, after = self.shown.get(root, State.NOT_FOUND), now.get(root, State.NOT_FOUND)
            if before is not after:
                assert (before, after) in ALLOWED or (before, after) == (State.INDEXFAILED, State.INDEXING)
        self.shown = now


pytestmark = pytest.mark.slow

TestRegistryMachine = RegistryMachine.TestCase
TestRegistryMachine.settings = settings(max_examples=60, stateful_step_count=25)
TestRegistryMachine = pytest.mark.requirement("LOCK.7", "LOCK.5")(TestRegistryMachine)
