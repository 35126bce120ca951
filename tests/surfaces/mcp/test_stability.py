"""Seed 000 over the handlers: no flapping, no lost membership, no writes by those who only ask."""

import contextlib
import hashlib
import os
import random
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from cairn.base.errors import DeadlineError, StorageError
from cairn.base.values import replace
from cairn.codebase.codebase import Codebase
from cairn.config.user import cairn_home
from cairn.indexing.options import SyncOptions, SyncResult
from cairn.indexing.progress import Progress
from cairn.lifecycle import prune, reconcile
from cairn.lifecycle.freshness import Decision
from cairn.lifecycle.registry import Registry
from cairn.store.view import SnapshotView
from tests.surfaces.mcp.client import Answer, connected, small_tree
from tests.surfaces.mcp.local import Local, index
from tests.surfaces.mcp.states import being_indexed, damaged_manifest, other_settings, registry, tracked, without_store
from tests.trees import write

READS: dict[str, dict[str, Any]] = {
    "list_codebases": {},
    "manage_index": {"action": "status"},
    "search_codebase": {"query": "take over a lease"},
    "file_outline": {"path": "src/lease.py"},
    "call_graph": {"symbol": "release"},
    "find_references": {"symbol": "release"},
    "repo_map": {},
    "read_file": {"path": "src/lease.py"},
}
ROUNDS = 200


class Backend:
    """What is behind the probe: healthy, failing, too slow, or without a marker, as the test wants it."""

    def __init__(self) -> None:
        self.mood = "healthy"
        self.probes = 0

    def install(self, patch: pytest.MonkeyPatch) -> None:
        open_view, marker = Codebase.open_view, SnapshotView.marker

        def opened(codebase: Codebase, snapshot_id: str | None = None) -> SnapshotView:
            self.probes += 1
            if self.mood == "failing":
                raise StorageError("The backend is not there.")
            if self.mood == "timeout":
                raise DeadlineError("The backend took too long.")
            if self.mood == "refused":
                raise PermissionError(13, "Permission denied")
            if self.mood == "slow":
                time.sleep(0.002)
            return open_view(codebase, snapshot_id)

        patch.setattr(Codebase, "open_view", opened)
        patch.setattr(SnapshotView, "marker", lambda view: None if self.mood == "empty" else marker(view))


@pytest.fixture
def backend(monkeypatch: pytest.MonkeyPatch) -> Backend:
    found = Backend()
    found.install(monkeypatch)
    return found


def listed(local: Local) -> list[tuple[str, str]]:
    answer = local.call("list_codebases")
    assert answer["status"] == "ok"
    return [(row["path"], row["state"]) for row in answer["codebases"]]


@pytest.mark.slow
@pytest.mark.requirement("SIS.1", "SIS.9")
@pytest.mark.parametrize("seed", [1, 2])
def test_adversarial_transient_backend_never_flaps(local: Local, tree: Path, backend: Backend, seed: int) -> None:
    """ISS-INDEX-STABILITY-E: create, status, search and list over and over, under a backend that does as it likes."""
    index(tree)
    local.see(tree)
    chance = random.Random(seed)
    before = tracked(Path(cairn_home()).parent, tree)
    moods = ("healthy", "failing", "timeout", "refused", "slow", "empty")
    for _ in range(ROUNDS // 2):
        # Without a proof create would proceed, and rightly: it is no passive read.
        backend.mood = chance.choice(("healthy", "slow"))
        assert local.call("manage_index", action="create")["alreadyIndexed"] is True
        backend.mood = chance.choice(moods)
        status = local.call("manage_index", action="status")
        search = local.call("search_codebase", query="take over a lease")
        assert listed(local) == [(str(tree), "indexed")]
        if backend.mood in ("healthy", "slow"):
            assert (status["reason"], search["status"]) == (None, "ok")
            assert search["results"][0]["path"] == "src/lease.py"
        elif backend.mood == "empty":
            assert (status["reason"], search["status"]) == ("not_indexed", "not_indexed")
            assert search["hints"]["staleLocal"]["completionProof"] == "missing_marker_doc"
        else:
            assert status["reason"] is None
            assert status["hints"]["debugProofCheck"]["reason"] == "probe_failed"
            assert search["status"] == "error"
            assert search["code"] in ("storage_failed", "timeout", "internal")
        backend.mood = "healthy"
        assert local.call("search_codebase", query="lease")["status"] == "ok"
    assert tracked(Path(cairn_home()).parent, tree) == before
    assert backend.probes > ROUNDS


@pytest.mark.slow
@pytest.mark.requirement("SIS.4", "SIS.9")
@pytest.mark.parametrize("mood", ["failing", "timeout", "refused"])
def test_probe_failure_never_flips_searchable_roots_to_not_indexed(
    local: Local, tree: Path, backend: Backend, mood: str
) -> None:
    """ISS-INDEX-STABILITY-G: neither down nor up, and a note for whoever looks for it."""
    local.see(tree)
    backend.mood = mood
    for name in READS:
        if name not in ("list_codebases", "manage_index"):
            assert local.call(name, **READS[name])["status"] == "not_indexed", "never up"
    backend.mood = "healthy"
    index(tree)
    for _ in range(3):
        for chosen in (mood, "healthy"):
            backend.mood = chosen
            for name in READS:
                answer = local.call(name, **READS[name])
                assert answer["status"] != "not_indexed", "never down"
                assert answer.get("reason") is None
                assert chosen != "healthy" or answer["status"] == "ok"


@pytest.mark.slow
@pytest.mark.requirement("SIS.4")
def test_a_probe_that_fails_only_adds_a_hint_to_an_answer(
    local: Local, tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """ISS-INDEX-STABILITY-G: the probe fails, the store answers: the answer is the usual one."""
    index(tree)
    local.see(tree)
    usual = {name: local.call(name, **READS[name]) for name in READS}
    open_view = Codebase.open_view
    failing = [True]

    def opened(codebase: Codebase, snapshot_id: str | None = None) -> SnapshotView:
        # The first look of a call is that of the gate.
        if failing.pop() if failing else False:
            raise DeadlineError("The probe took too long.")
        return open_view(codebase, snapshot_id)

    monkeypatch.setattr(Codebase, "open_view", opened)
    for name in READS:
        if name == "list_codebases":
            continue
        failing[:] = [True]
        answer = local.call(name, **READS[name])
        hint = answer.pop("hints")
        assert set(hint) == {"debugProofCheck"}
        assert (hint["debugProofCheck"]["ok"], hint["debugProofCheck"]["reason"]) == (False, "probe_failed")
        assert answer == usual[name]


@pytest.mark.slow
@pytest.mark.requirement("SIS.3")
def test_successful_marker_probe_with_empty_result_maps_to_stale_local(
    local: Local, tree: Path, backend: Backend
) -> None:
    """ISS-INDEX-STABILITY-G: nothing found is not the same as not found out."""
    index(tree)
    local.see(tree)
    backend.mood = "empty"
    envelope = local.call("search_codebase", query="x")
    assert envelope["hints"]["staleLocal"]["completionProof"] == "missing_marker_doc"
    assert "debugProofCheck" not in envelope["hints"]
    backend.mood = "failing"
    assert local.call("search_codebase", query="x")["status"] != "not_indexed"


@pytest.mark.slow
@pytest.mark.requirement("SIS.5")
@pytest.mark.parametrize("name", [name for name in READS if name not in ("list_codebases", "manage_index")])
def test_fingerprint_mismatch_maps_to_requires_reindex(local: Local, tree: Path, name: str) -> None:
    """ISS-INDEX-STABILITY-G: never not_indexed, with the store there or not."""
    index(tree)
    local.see(tree)
    home = Path(cairn_home()).parent
    with other_settings(tree):
        assert local.call(name, **READS[name])["status"] == "requires_reindex"
        with without_store(home, tree):
            assert local.call(name, **READS[name])["status"] == "requires_reindex"
    assert local.call(name, **READS[name])["status"] == "ok"


@pytest.mark.requirement("SIS.1", "SIS.9")
@pytest.mark.parametrize("mood", ["failing", "timeout", "refused", "empty", "slow"])
def test_list_codebases_membership_is_stable_under_transient_failures(
    local: Local, tree: Path, backend: Backend, mood: str
) -> None:
    """ISS-INDEX-STABILITY-D: the list goes by the registry alone."""
    index(tree)
    local.see(tree)
    before = local.call("list_codebases")
    backend.mood, backend.probes = mood, 0
    for _ in range(20):
        assert local.call("list_codebases") == before
    assert backend.probes == 0


@pytest.mark.slow
@pytest.mark.requirement("SIS.8")
@pytest.mark.parametrize("mood", ["healthy", "failing", "empty", "slow"])
def test_foreground_handlers_do_not_call_cloud_reconcile(
    local: Local, tree: Path, backend: Backend, monkeypatch: pytest.MonkeyPatch, mood: str
) -> None:
    """ISS-INDEX-STABILITY-A: neither what mends the registry nor what takes from it, with a registry or without."""
    called: list[str] = []

    def spy(name: str) -> Callable[..., tuple[str, ...]]:
        def note(*_: object, **__: object) -> tuple[str, ...]:
            called.append(name)
            return ()

        return note

    index(tree)
    local.see(tree)
    monkeypatch.setattr(reconcile, "reconcile", spy("reconcile"))
    monkeypatch.setattr(prune, "prune", spy("prune"))
    for method in ("begin", "complete", "fail", "forget", "adopt", "set_aside", "beat"):
        monkeypatch.setattr(Registry, method, spy(method))
    backend.mood = mood
    for name in READS:
        local.call(name, **READS[name])
    write(tree, "src/lease.py", "def release():\n    return 2\n")
    for name in READS:
        local.call(name, **READS[name])
    (Path(cairn_home()) / "registry.db").unlink()
    for name in READS:
        local.call(name, **READS[name])
    (Path(cairn_home()) / "registry.db").write_bytes(b"damaged" * 500)
    for name in READS:
        local.call(name, **READS[name])
    assert called == []


def state_of(folder: Path) -> dict[str, tuple[int, int, str]]:
    """Every file beneath, with what would tell that somebody wrote; caches are free to change."""
    found = {}
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        # The count of answers tells nothing of a codebase.
        if path.is_file() and "/cache/" not in name and not name.startswith("gain/"):
            stat = path.stat()
            found[name] = (stat.st_ino, stat.st_mtime_ns, hashlib.sha256(path.read_bytes()).hexdigest())
    return found


@contextlib.contextmanager
def in_mood(mood: str, backend: Backend, tree: Path) -> Iterator[None]:
    home = Path(cairn_home()).parent
    if mood == "damaged":
        with damaged_manifest(home, tree):
            yield
    elif mood == "other settings":
        with other_settings(tree):
            yield
    else:
        backend.mood = mood
        yield
        backend.mood = "healthy"


@pytest.mark.slow
@pytest.mark.requirement("SIS.1")
@pytest.mark.parametrize("mood", ["healthy", "failing", "timeout", "empty", "slow", "damaged", "other settings"])
def test_foreground_reads_write_nothing(local: Local, tree: Path, backend: Backend, mood: str) -> None:
    """ISS-INDEX-STABILITY-A: with nothing to sync, not one byte of the home changes but in caches."""
    index(tree)
    local.see(tree)
    # The first answers fill what is kept for the next ones: models, locks.
    for name in READS:
        local.call(name, **READS[name])
    with in_mood(mood, backend, tree):
        for name in READS:
            before = state_of(Path(cairn_home()))
            local.call(name, **READS[name])
            after = state_of(Path(cairn_home()))
            changed = {path for path in before.keys() | after.keys() if before.get(path) != after.get(path)}
            assert not changed, (name, changed)


@pytest.mark.slow
@pytest.mark.requirement("SIS.1", "LOCK.8")
def test_with_an_edit_only_what_the_sync_publishes_is_written(local: Local, tree: Path) -> None:
    index(tree)
    local.see(tree)
    home = Path(cairn_home())
    local.call("search_codebase", query="lease")
    before = state_of(home)
    write(tree, "src/lease.py", "def brand_new_name():\n    pass\n")
    answer = local.call("search_codebase", query="brand_new_name")
    assert answer["freshness"]["decision"] == "synced"
    assert answer["results"][0]["symbol"] == "brand_new_name"
    after = state_of(home)
    assert all(
        after.get(path) == kept for path, kept in before.items() if "/segments/" in path or "/snapshots/" in path
    )
    changed = {path for path in before.keys() | after.keys() if before.get(path) != after.get(path)}
    kinds = {path.split("/")[2] if path.startswith("data/") else path.split("-")[0] for path in changed}
    assert kinds <= {
        "segments",
        "snapshots",
        "ACTIVE_SNAPSHOT",
        "index_state.json",
        "locks",
        "logs",
        "registry.db",
        "embeddings.db",
    }
    row = tracked(home.parent, tree)
    assert (row.state.value, row.snapshot_id) == ("sync_completed", answer["snapshotId"])


@pytest.mark.slow
@pytest.mark.requirement("SIS.1")
def test_a_read_after_a_failed_run_does_not_run_it_again(
    local: Local, tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index(tree)
    local.see(tree)
    with monkeypatch.context() as patch:
        patch.setenv("CAIRN_CRASH_AT", "segment.rows_written")
        local.call("manage_index", action="reindex", wait=True)
    home = Path(cairn_home()).parent
    before = tracked(home, tree)
    for name in READS:
        assert local.call(name, **READS[name])["status"] == "ok"
    assert tracked(home, tree) == before
    # An edit is seen nevertheless, and the warning stays.
    write(tree, "src/lease.py", "def brand_new_name():\n    pass\n")
    answer = local.call("search_codebase", query="brand_new_name")
    assert answer["results"][0]["symbol"] == "brand_new_name"
    assert any("last_index_failed" in warning for warning in answer["warnings"])
    assert tracked(home, tree).run_id == before.run_id


@pytest.mark.slow
@pytest.mark.requirement("SIS.1")
def test_a_lost_registry_is_not_written_by_those_who_only_ask(local: Local, tree: Path) -> None:
    index(tree)
    local.see(tree)
    path = Path(cairn_home()) / "registry.db"
    path.unlink()
    for name in READS:
        assert local.call(name, **READS[name])["status"] == "ok"
    write(tree, "src/lease.py", "def brand_new_name():\n    pass\n")
    assert local.call("search_codebase", query="brand_new_name")["results"][0]["symbol"] == "brand_new_name"
    assert not path.exists()
    assert local.call("list_codebases")["codebases"] == []
    # A lifecycle action tracks it again.
    assert local.call("manage_index", action="reindex", wait=True)["status"] == "ok"
    assert listed(local) == [(str(tree), "indexed")]


@pytest.mark.slow
@pytest.mark.requirement("LOCK.8")
def test_ensure_freshness_returns_skipped_indexing_during_active_indexing(
    local: Local, tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Seed 001, test requirement 4: no sync of a codebase that is being indexed, though it has changed."""
    index(tree)
    local.see(tree)
    write(tree, "src/lease.py", "def brand_new_name():\n    pass\n")
    home = Path(cairn_home()).parent
    synced: list[str] = []
    usual = Codebase._bring_up_to_date

    def noted(
        codebase: Codebase, options: SyncOptions, progress: Progress | None, view: SnapshotView | None
    ) -> SyncResult:
        synced.append("yes")
        return usual(codebase, options, progress, view)

    monkeypatch.setattr(Codebase, "_bring_up_to_date", noted)
    with being_indexed(home, tree):
        for name in READS:
            local.call(name, **READS[name])
        verdict = local.service.verdict(str(tree), str(tree))
        fresh = local.service.freshener.ensure_freshness(verdict, lambda: True, exists=lambda: True)
        assert fresh.decision is Decision.SKIPPED_INDEXING
        # Nor by one that was let in just before: it comes too late.
        late = local.service.freshener.ensure_freshness(
            replace(verdict, reason=None), lambda: synced_now(local, tree), exists=lambda: True
        )
        assert late.decision is Decision.SKIPPED_INDEXING
    assert synced == []
    assert local.call("search_codebase", query="brand_new_name")["freshness"]["decision"] == "synced"
    assert synced == ["yes"]


def synced_now(local: Local, tree: Path) -> bool:
    with local.service.using(str(tree)) as codebase:
        return codebase.index(SyncOptions(wait_s=0.0), create=False).published


def ten_rounds(call: Callable[..., Answer], tree: Path, home: Path) -> None:
    for number in range(10):
        assert call("manage_index", action="create")["alreadyIndexed"] is True
        for damage in (damaged_manifest, without_store):
            with damage(home, tree):
                status = call("manage_index", action="status")
                search = call("search_codebase", query="lease")
                rows = call("list_codebases")["codebases"]
            assert [(row["path"], row["state"]) for row in rows] == [(str(tree), "indexed")]
            assert (status["reason"], search["status"]) == (
                (None, "error") if damage is damaged_manifest else ("not_indexed", "not_indexed")
            )
            assert call("search_codebase", query=f"lease {number}")["status"] == "ok"


@pytest.mark.slow
@pytest.mark.requirement("SIS.9")
def test_ten_rounds_over_a_real_transport(home: Path, tree: Path) -> None:
    """ISS-INDEX-STABILITY-E: the same by a client, with a store that is really damaged or gone for a while."""
    with connected(home, tree) as session:
        session.create(tree)
        before = tracked(home, tree)
        ten_rounds(session.call, tree, home)
        assert tracked(home, tree) == before
        assert registry(home).get(str(tree)) == before


@pytest.mark.slow
@pytest.mark.requirement("SIS.7", "SIS.8")
@pytest.mark.parametrize("damage", ["lost", "damaged"])
@pytest.mark.parametrize("action", ["create", "sync"])
def test_a_registry_that_is_gone_comes_back_by_an_explicit_action(
    local: Local, tree: Path, damage: str, action: str
) -> None:
    """Without a row nothing is claimed to be indexed already: the action tracks it again."""
    index(tree)
    local.see(tree)
    registry = Path(cairn_home()) / "registry.db"
    registry.unlink()
    if damage == "damaged":
        registry.write_bytes(b"nonsense" * 1000)
    assert local.call("search_codebase", query="lease")["status"] == "ok"
    answer = local.call("manage_index", action=action, **({"wait": True} if action == "create" else {}))
    assert answer["status"] == "ok", answer
    assert "alreadyIndexed" not in answer
    assert [row["path"] for row in local.call("list_codebases")["codebases"]] == [str(tree)]
    assert local.call("manage_index", action="create")["alreadyIndexed"] is True


@pytest.mark.slow
@pytest.mark.requirement("SIS.1")
def test_a_folder_that_is_away_loses_nothing_and_can_be_cleared(local: Local, tmp_path: Path) -> None:
    tree = small_tree(tmp_path / "net" / "p")
    index(tree)
    local.see(tree)
    os.rename(tmp_path / "net", tmp_path / "net.off")
    assert [row["state"] for row in local.call("list_codebases")["codebases"]] == ["indexed"]
    status = local.call("manage_index", action="status", path=str(tree))
    assert (status["status"], status["state"]) == ("ok", "indexed")
    assert "not there" in status["warnings"][0]
    assert local.call("search_codebase", query="lease", path=str(tree))["status"] == "not_found"
    os.rename(tmp_path / "net.off", tmp_path / "net")
    assert local.call("search_codebase", query="lease", path=str(tree))["status"] == "ok"
    os.rename(tmp_path / "net", tmp_path / "net.off")
    assert local.call("manage_index", action="clear", path=str(tree))["removed"] is True
    assert local.call("list_codebases")["codebases"] == []


def test_repair_stands_behind_the_gates(local: Local, tree: Path) -> None:
    local.see(tree)
    assert local.call("manage_index", action="repair")["status"] == "not_indexed"
    index(tree)
    with other_settings(tree):
        assert local.call("manage_index", action="repair")["status"] == "requires_reindex"
    assert local.call("manage_index", action="repair")["status"] == "ok"
