"""Reconcile mends by proof and takes nothing away; prune is maintenance that no question can reach."""

import ast
from pathlib import Path

import pytest

from cairn.base.errors import NotReadyError
from cairn.base.values import replace
from cairn.lifecycle.proof import Proof
from cairn.lifecycle.prune import prune
from cairn.lifecycle.reconcile import StoreCandidate, reconcile
from cairn.lifecycle.registry import Registry
from cairn.lifecycle.states import State
from tests.lifecycle.samples import (
    FAILURE,
    MISMATCH,
    MISSING,
    OTHER_SETTINGS,
    PARTS,
    PROBE_FAILED,
    ROOT,
    VALID,
    dead_owner,
    identity,
)
from tests.test_architecture import SOURCE, imports, load

NOW = 1000.0
NEWER = replace(VALID, snapshot_id="snapshot-2")


@pytest.fixture
def registry(tmp_path: Path) -> Registry:
    return Registry(str(tmp_path))


def candidate(proof: Proof, fingerprint: str = identity().config_fingerprint) -> StoreCandidate:
    return StoreCandidate(identity(fingerprint=fingerprint), proof, PARTS)


def state(registry: Registry) -> State | None:
    row = registry.get(ROOT)
    return row.state if row is not None else None


@pytest.mark.requirement("SIS.8")
@pytest.mark.parametrize("proof", [MISSING, MISMATCH, PROBE_FAILED], ids=lambda proof: proof.reason)
def test_reconcile_adds_nothing_without_a_valid_proof(registry: Registry, proof: Proof) -> None:
    assert reconcile(registry, [candidate(proof)], NOW) == ()
    assert not registry.exists()


@pytest.mark.requirement("SIS.8")
def test_reconcile_adds_what_is_proven(registry: Registry) -> None:
    assert reconcile(registry, [candidate(VALID)], NOW) == (ROOT,)
    row = registry.get(ROOT)
    assert row is not None
    assert (row.state, row.snapshot_id, row.store_id) == (State.INDEXED, VALID.snapshot_id, identity().store_id)
    assert reconcile(registry, [candidate(NEWER), candidate(VALID, OTHER_SETTINGS)], NOW) == ()
    assert registry.get(ROOT) == row, "what is tracked already is left as it is"


@pytest.mark.requirement("SIS.8", "LOCK.7")
def test_reconcile_is_read_only_for_roots_being_indexed(registry: Registry) -> None:
    registry.begin(identity(), "run-1", PARTS)
    before = registry.get(ROOT)
    assert reconcile(registry, [candidate(NEWER)], NOW) == ()
    assert registry.get(ROOT) == before


@pytest.mark.requirement("SIS.8")
@pytest.mark.parametrize("proof", [MISSING, MISMATCH, PROBE_FAILED, VALID], ids=lambda proof: proof.outcome)
@pytest.mark.parametrize("with_candidate", [True, False])
def test_reconcile_never_removes(registry: Registry, proof: Proof, with_candidate: bool) -> None:
    for end in ("complete", "fail"):
        registry.begin(identity(), end, PARTS)
        if end == "complete":
            registry.complete(ROOT, end, VALID)
        else:
            registry.fail(ROOT, end, FAILURE)
        before = registry.all()
        assert reconcile(registry, [candidate(proof)] if with_candidate else [], NOW) == ()
        assert registry.all() == before


@pytest.mark.requirement("SIS.8")
def test_reconcile_completes_a_run_that_died_after_it_had_published(registry: Registry) -> None:
    registry.begin(identity(), "run-1", PARTS)
    registry.complete(ROOT, "run-1", VALID)
    registry.begin(identity(), "run-2", PARTS, owner=dead_owner())
    assert reconcile(registry, [candidate(VALID)], NOW) == (), "that is the snapshot from before the run"
    assert reconcile(registry, [candidate(PROBE_FAILED)], NOW) == ()
    assert state(registry) is State.INDEXING
    assert reconcile(registry, [candidate(NEWER)], NOW) == (ROOT,)
    row = registry.get(ROOT)
    assert row is not None
    assert (row.state, row.snapshot_id) == (State.INDEXED, NEWER.snapshot_id)


@pytest.mark.requirement("SIS.8")
def test_the_store_of_other_settings_completes_no_run(registry: Registry) -> None:
    registry.begin(identity(fingerprint=OTHER_SETTINGS), "run-1", PARTS, owner=dead_owner())
    assert reconcile(registry, [candidate(VALID)], NOW) == ()
    assert state(registry) is State.INDEXING


@pytest.mark.requirement("SIS.8")
def test_prune_forgets_what_is_certainly_gone_and_leaves_living_runs(registry: Registry) -> None:
    roots = ["/gone", "/kept", "/running"]
    for root in roots:
        registry.begin(identity(root), root, PARTS)
        if root != "/running":
            registry.complete(root, root, VALID)
    assert prune(registry, lambda row: row.root != "/kept") == ("/gone",)
    assert [row.root for row in registry.all()] == ["/kept", "/running"]
    with pytest.raises(NotReadyError):
        registry.forget("/running")


@pytest.mark.requirement("SIS.8")
def test_a_codebase_that_was_indexed_anew_since_it_was_judged_is_not_pruned(registry: Registry) -> None:
    registry.begin(identity(), "run-1", PARTS)
    registry.complete(ROOT, "run-1", VALID)

    def judged_too_early(_: object) -> bool:
        registry.begin(identity(), "run-2", PARTS)
        registry.complete(ROOT, "run-2", NEWER)
        return True

    assert prune(registry, judged_too_early) == ()
    assert state(registry) is State.INDEXED


COLLECTION = "cairn.codebase.collection"
"""The only module that may reach prune."""
MAINTENANCE = "cairn.surfaces.cli.upkeep"
"""Where `cairn gc` lives: the only module that may reach the collection."""


@pytest.mark.slow
@pytest.mark.requirement("SIS.8", "SIS.1")
def test_no_foreground_module_reaches_prune() -> None:
    """ISS-INDEX-STABILITY-A, cycle 2: around any corner, also by an import inside a function."""
    modules = load(SOURCE)
    reaching = {
        each.importer
        for module in modules.values()
        for each in imports(module, modules)
        if each.target.startswith("cairn.lifecycle.prune")
    }
    assert reaching == {COLLECTION}
    importers = {
        target: {
            each.importer for module in modules.values() for each in imports(module, modules) if each.target == target
        }
        for target in (COLLECTION, MAINTENANCE)
    }
    assert importers[COLLECTION] == {MAINTENANCE}, "maintenance is loaded by its command alone"
    assert importers[MAINTENANCE] <= {"cairn.surfaces.cli.maintenance"}
    callers = [
        node.name
        for node in modules[COLLECTION].tree.body
        if isinstance(node, ast.FunctionDef)
        and any(isinstance(inner, ast.Name) and inner.id == "prune" for inner in ast.walk(node))
    ]
    assert callers == ["_forget_gone"]


@pytest.mark.slow
@pytest.mark.requirement("SIS.8")
def test_only_a_lifecycle_action_reaches_reconcile() -> None:
    """ISS-INDEX-STABILITY-A."""
    modules = load(SOURCE)
    reaching = {
        each.importer
        for module in modules.values()
        for each in imports(module, modules)
        if each.target in ("cairn.lifecycle.reconcile", "cairn.lifecycle.found")
    }
    assert reaching == {"cairn.codebase.tracking", "cairn.lifecycle.found"}
    tracking = next(
        node
        for node in modules["cairn.codebase.tracking"].tree.body
        if isinstance(node, ast.ClassDef) and node.name == "Tracking"
    )
    users = {
        method.name
        for method in tracking.body
        if isinstance(method, ast.FunctionDef)
        and any(isinstance(inner, ast.Name) and inner.id == "reconcile" for inner in ast.walk(method))
    }
    callers = {
        method.name
        for method in tracking.body
        if isinstance(method, ast.FunctionDef)
        and any(isinstance(inner, ast.Attribute) and inner.attr in users for inner in ast.walk(method))
    }
    assert (users, callers) == ({"_mend_registry"}, {"index", "forget"})
