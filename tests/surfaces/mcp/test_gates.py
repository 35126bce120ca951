"""Each gate on each tool, over a real client: the envelopes of seed 001 and the stale state of seed 000."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.surfaces.mcp.client import Answer, Session, connected, small_tree
from tests.surfaces.mcp.states import being_indexed, damaged_manifest, other_settings, tracked, without_store

READS: dict[str, dict[str, Any]] = {
    "search_codebase": {"query": "lease", "path": "."},
    "file_outline": {"path": "src/lease.py"},
    "call_graph": {"symbol": "release", "path": "src"},
    "find_references": {"symbol": "release", "path": "src"},
    "repo_map": {"path": "src"},
    "read_file": {"path": "src/lease.py"},
}


def ask(session: Session, root: Path, name: str, **more: Any) -> Answer:
    """A read tool's question about a codebase, by absolute paths."""
    arguments = dict(READS[name])
    arguments["path"] = str(root / arguments["path"])
    return session.call(name, **arguments, **more)


@pytest.fixture(scope="module")
def other_tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return small_tree(tmp_path_factory.mktemp("other") / "repo")


@pytest.fixture(scope="module")
def both(shared_home: Path, shared_tree: Path, other_tree: Path) -> Iterator[Session]:
    with connected(shared_home, shared_tree, other_tree) as session:
        session.create(shared_tree)
        session.create(other_tree)
        yield session


def assert_points_at(envelope: Answer, root: Path, requested: Path, *names: str) -> None:
    assert envelope["codebaseRoot"] == str(root)
    assert envelope["path"] == str(requested)
    assert envelope["message"]
    for name in ("status", *names):
        assert envelope["hints"][name] == {"tool": "manage_index", "args": {"action": name, "path": str(root)}}


@pytest.mark.requirement("LOCK.2", "LOCK.3", "LOCK.9")
@pytest.mark.parametrize("name", READS)
def test_not_ready_reason_indexing_envelopes_for_blocked_tools(
    both: Session, shared_home: Path, shared_tree: Path, name: str
) -> None:
    """Seed 001, test requirement 2; the requested path and the effective root are both there."""
    with being_indexed(shared_home, shared_tree):
        envelope = ask(both, shared_tree, name)
    assert (envelope["status"], envelope["reason"]) == ("not_ready", "indexing")
    assert_points_at(envelope, shared_tree, (shared_tree / READS[name]["path"]))
    assert envelope["indexing"]["progressPct"] == 40.0
    assert envelope["indexing"]["phase"] == "indexing"
    assert envelope["indexing"]["lastUpdated"].endswith("Z")
    assert envelope["retryAfterMs"] > 0
    assert "debugIndexing" not in envelope["hints"]
    assert ask(both, shared_tree, name)["status"] == "ok"


@pytest.mark.requirement("LOCK.1")
def test_read_file_returns_structured_blocked_envelope_while_indexing(
    both: Session, shared_home: Path, shared_tree: Path
) -> None:
    """Seed 001, test requirement 5: all ways to read a file."""
    with being_indexed(shared_home, shared_tree):
        for more in ({}, {"start_line": 2}, {"start_line": 1, "end_line": 2, "max_bytes": 1000}, {"debug": True}):
            envelope = ask(both, shared_tree, "read_file", **more)
            assert (envelope["status"], envelope["reason"]) == ("not_ready", "indexing")
            assert "text" not in envelope


@pytest.mark.requirement("LOCK.1")
@pytest.mark.parametrize("name", READS)
def test_multi_codebase_only_the_active_codebase_is_blocked(
    both: Session, shared_home: Path, shared_tree: Path, other_tree: Path, name: str
) -> None:
    """Seed 001, test requirement 7."""
    with being_indexed(shared_home, shared_tree):
        assert ask(both, shared_tree, name)["status"] == "not_ready"
        assert ask(both, other_tree, name)["status"] == "ok"


@pytest.mark.requirement("LOCK.3", "SIS.5")
@pytest.mark.parametrize("name", READS)
def test_requires_reindex_and_not_indexed_include_stable_reason_codes(
    both: Session, shared_home: Path, shared_tree: Path, name: str
) -> None:
    """Seed 001, test requirement 3."""
    with other_settings(shared_tree):
        changed = ask(both, shared_tree, name)
    assert (changed["status"], changed["reason"]) == ("requires_reindex", "requires_reindex")
    assert_points_at(changed, shared_tree, shared_tree / READS[name]["path"], "reindex")
    with without_store(shared_home, shared_tree):
        missing = ask(both, shared_tree, name)
    assert (missing["status"], missing["reason"]) == ("not_indexed", "not_indexed")
    assert_points_at(missing, shared_tree, shared_tree / READS[name]["path"], "create")
    assert ask(both, shared_tree, name)["status"] == "ok"


@pytest.mark.requirement("SIS.5")
def test_status_says_requires_reindex_before_anything_else_was_asked(both: Session, shared_tree: Path) -> None:
    """A codebase that is kept open learns of other settings from whatever is asked first."""
    assert both.call("manage_index", action="status", path=str(shared_tree))["reason"] is None
    with other_settings(shared_tree):
        status = both.call("manage_index", action="status", path=str(shared_tree))
        assert (status["status"], status["state"], status["reason"]) == ("ok", "requires_reindex", "requires_reindex")
        assert status["hints"]["reindex"]["args"]["action"] == "reindex"
        assert both.call("manage_index", action="sync", path=str(shared_tree))["status"] == "requires_reindex"
    assert both.call("manage_index", action="status", path=str(shared_tree))["reason"] is None


@pytest.mark.requirement("LOCK.4")
@pytest.mark.parametrize("name", READS)
def test_gate_precedence_requires_reindex_wins_over_indexing_lock(
    both: Session, shared_home: Path, shared_tree: Path, name: str
) -> None:
    """Seed 001, test requirement 8."""
    with being_indexed(shared_home, shared_tree), other_settings(shared_tree):
        assert ask(both, shared_tree, name)["status"] == "requires_reindex"
    with being_indexed(shared_home, shared_tree), without_store(shared_home, shared_tree):
        assert ask(both, shared_tree, name)["status"] == "not_ready"
    with without_store(shared_home, shared_tree), other_settings(shared_tree):
        assert ask(both, shared_tree, name)["status"] == "requires_reindex"


@pytest.mark.requirement("LOCK.9")
def test_effective_root_behaviour_for_subdirectory_requests_uses_parent_root_in_hints(
    both: Session, shared_home: Path, shared_tree: Path
) -> None:
    """Seed 001, test requirement 9."""
    below = shared_tree / "src"
    with being_indexed(shared_home, shared_tree):
        assert_points_at(both.call("search_codebase", query="x", path=str(below)), shared_tree, below)
        status = both.call("manage_index", action="status", path=str(below / "lease.py"))
        assert (status["codebaseRoot"], status["path"]) == (str(shared_tree), str(below / "lease.py"))
    created = both.call("manage_index", action="create", path=str(below))
    assert (created["alreadyIndexed"], created["codebaseRoot"]) == (True, str(shared_tree))


@pytest.mark.requirement("LOCK.10")
@pytest.mark.parametrize("action", ["create", "reindex", "sync", "clear", "repair"])
def test_a_blocked_manage_action_says_where_to_look_and_when_to_come_back(
    both: Session, shared_home: Path, shared_tree: Path, action: str
) -> None:
    with being_indexed(shared_home, shared_tree):
        before = tracked(shared_home, shared_tree)
        envelope = both.call("manage_index", action=action, path=str(shared_tree / "src"), wait=True)
        assert tracked(shared_home, shared_tree) == before
    assert (envelope["status"], envelope["reason"]) == ("not_ready", "indexing")
    assert_points_at(envelope, shared_tree, shared_tree / "src")
    assert envelope["retryAfterMs"] > 0


@pytest.mark.requirement("LOCK.10")
@pytest.mark.parametrize("action", ["create", "reindex", "clear", "repair"])
def test_a_run_blocks_those_who_would_change_it_whatever_the_settings_are_now(
    both: Session, shared_home: Path, shared_tree: Path, action: str
) -> None:
    with being_indexed(shared_home, shared_tree), other_settings(shared_tree):
        envelope = both.call("manage_index", action=action, path=str(shared_tree), wait=True)
    assert (envelope["status"], envelope["reason"]) == ("not_ready", "indexing")
    assert envelope["hints"]["status"]["args"]["action"] == "status"
    assert both.call("manage_index", action="status", path=str(shared_tree))["state"] == "indexed"


@pytest.mark.requirement("LOCK.11")
@pytest.mark.parametrize("name", READS)
def test_debug_metadata_is_there_with_debug_only(
    both: Session, shared_home: Path, shared_tree: Path, name: str
) -> None:
    assert "hints" not in ask(both, shared_tree, name)
    hints = ask(both, shared_tree, name, debug=True)["hints"]
    assert hints["debugIndexing"] == {"completionProof": "marker_doc", "markerPresent": True}
    assert hints["debugFingerprint"]["now"] == hints["debugFingerprint"]["indexed"]
    with without_store(shared_home, shared_tree):
        assert "debugIndexing" not in ask(both, shared_tree, name)["hints"]
        hints = ask(both, shared_tree, name, debug=True)["hints"]
        assert hints["debugIndexing"] == {"completionProof": "marker_doc", "markerPresent": False}
    with being_indexed(shared_home, shared_tree):
        # While a run is under way, a marker counts as absent: nobody looks for one.
        assert ask(both, shared_tree, name, debug=True)["hints"]["debugIndexing"] == {"completionProof": "marker_doc"}


@pytest.mark.requirement("LOCK.11")
def test_status_shows_debug_metadata_with_debug_only(both: Session, shared_home: Path, shared_tree: Path) -> None:
    assert "hints" not in both.call("manage_index", action="status", path=str(shared_tree))
    hints = both.call("manage_index", action="status", path=str(shared_tree), debug=True)["hints"]
    assert hints["debugIndexing"]["markerPresent"] is True
    with being_indexed(shared_home, shared_tree):
        blocked = both.call("manage_index", action="clear", path=str(shared_tree), debug=True)
        assert blocked["hints"]["debugIndexing"] == {"completionProof": "marker_doc"}


@pytest.mark.requirement("LOCK.12")
@pytest.mark.parametrize(
    ("name", "arguments", "status"),
    [
        ("file_outline", {"path": "src/lease.py", "symbol": "nothing_here"}, "not_found"),
        ("file_outline", {"path": "src/nothing.py"}, "not_found"),
        ("read_file", {"path": "src/nothing.py"}, "not_found"),
        ("call_graph", {"symbol": "nothing_here", "path": "."}, "not_found"),
        ("find_references", {"symbol": "nothing_here", "path": "."}, "not_found"),
        ("search_codebase", {"query": "lease", "path": "nothing"}, "not_found"),
    ],
)
def test_not_found_never_reuses_a_gate_reason(
    both: Session, shared_tree: Path, name: str, arguments: dict[str, Any], status: str
) -> None:
    answer = both.call(name, **arguments | {"path": str(shared_tree / arguments["path"])})
    assert answer["status"] == status
    assert "reason" not in answer
    assert answer["message"]


@pytest.mark.requirement("LOCK.12")
def test_ambiguous_never_reuses_a_gate_reason(both: Session, other_tree: Path) -> None:
    both_named = "class A:\n    def run(self):\n        pass\n\n\nclass B:\n    def run(self):\n        pass\n"
    (other_tree / "src/two.py").write_text(both_named, encoding="utf-8")
    answer = both.call("file_outline", path=str(other_tree / "src/two.py"), symbol="run")
    assert answer["status"] == "ambiguous"
    assert "reason" not in answer
    assert len(answer["symbols"]) == 2
    (one,) = both.call("file_outline", path=str(other_tree / "src/two.py"), symbol=answer["symbols"][1]["id"])[
        "symbols"
    ]
    assert one == answer["symbols"][1]


@pytest.mark.requirement("SIS.6", "SIS.11")
@pytest.mark.parametrize("name", READS)
def test_stale_local_does_not_mutate_and_does_not_trigger_transport_retries(
    both: Session, shared_home: Path, shared_tree: Path, name: str
) -> None:
    """ISS-INDEX-STABILITY-F: an envelope like any other, that changes nothing and is no error of the protocol."""
    with without_store(shared_home, shared_tree):
        before = tracked(shared_home, shared_tree)
        envelopes = [ask(both, shared_tree, name) for _ in range(2)]
        listed = [row["path"] for row in both.call("list_codebases")["codebases"]]
        assert tracked(shared_home, shared_tree) == before
    assert envelopes[0] == envelopes[1]
    assert str(shared_tree) in listed
    (envelope, _) = envelopes
    assert (envelope["status"], envelope["reason"]) == ("not_indexed", "not_indexed")
    assert "completion proof" in envelope["message"]
    assert envelope["hints"]["staleLocal"] == {
        "completionProof": "missing_marker_doc",
        "recommendedAction": {"tool": "manage_index", "args": {"action": "create", "path": str(shared_tree)}},
    }
    assert not list((shared_home / ".cairn/data").glob(f"{before.store_id}/staging/*"))


@pytest.mark.requirement("SIS.12")
def test_status_reports_stale_searchable_state_clearly(both: Session, shared_home: Path, shared_tree: Path) -> None:
    """ISS-INDEX-STABILITY-C: a warning with the way out, other settings with theirs, a failed probe with a note."""
    with without_store(shared_home, shared_tree):
        stale = both.call("manage_index", action="status", path=str(shared_tree))
    assert (stale["status"], stale["state"], stale["reason"]) == ("ok", "indexed", "not_indexed")
    (warning,) = stale["warnings"]
    assert "no valid completion proof (missing_marker_doc)" in warning
    assert f"action=create on {shared_tree}" in warning
    assert stale["hints"]["staleLocal"]["recommendedAction"] == stale["hints"]["create"]
    with damaged_manifest(shared_home, shared_tree):
        failed = both.call("manage_index", action="status", path=str(shared_tree))
    assert (failed["state"], failed["reason"]) == ("indexed", None)
    assert failed["hints"]["debugProofCheck"]["reason"] == "probe_failed"
    assert "warnings" not in failed
    assert "staleLocal" not in failed["hints"]


@pytest.mark.requirement("SIS.4")
@pytest.mark.parametrize("name", READS)
def test_a_store_that_can_not_be_read_is_an_error_and_never_not_indexed(
    both: Session, shared_home: Path, shared_tree: Path, name: str
) -> None:
    with damaged_manifest(shared_home, shared_tree):
        answer = ask(both, shared_tree, name)
        assert answer["status"] in ("ok", "error")
        if answer["status"] == "error":
            assert answer["code"] == "store_corrupt"
    assert ask(both, shared_tree, name)["status"] == "ok"


@pytest.mark.slow
@pytest.mark.requirement("SIS.7")
def test_create_flow_repairs_stale_searchable_snapshot_state(tree: Path, home: Path) -> None:
    """ISS-INDEX-STABILITY-B: no `already indexed` without proof; create proceeds and says why, in the seed's words."""
    with connected(home, tree) as session:
        session.create(tree)
        store = home / ".cairn/data" / tracked(home, tree).store_id
        (store / "ACTIVE_SNAPSHOT").unlink()
        for snapshot in (store / "snapshots").iterdir():
            snapshot.rename(home / snapshot.name)
        assert session.call("search_codebase", query="lease")["hints"]["staleLocal"]
        answer = session.create(tree)
        assert "alreadyIndexed" not in answer
        assert answer["note"] == (
            "Local snapshot claims indexed, but completion proof is missing/invalid; "
            "treating as not_indexed for create."
        )
        assert session.call("search_codebase", query="lease")["status"] == "ok"
        assert session.call("manage_index", action="create")["alreadyIndexed"] is True


@pytest.mark.slow
@pytest.mark.requirement("SIS.5", "SIS.7")
def test_create_builds_anew_what_is_of_other_settings(tree: Path, home: Path) -> None:
    with connected(home, tree) as session:
        first = session.create(tree)
        (tree / ".cairn.toml").write_text("[index]\nchunk_bytes = 900\n", encoding="utf-8")
        assert session.call("search_codebase", query="lease")["status"] == "requires_reindex"
        second = session.create(tree)
        assert "alreadyIndexed" not in second
        assert second["snapshotId"] != first["snapshotId"]
        assert session.call("search_codebase", query="lease")["status"] == "ok"


@pytest.mark.slow
def test_a_setting_that_can_not_be_read_is_told_as_what_it_is(tree: Path, home: Path) -> None:
    with connected(home, tree) as session:
        session.create(tree)
        (tree / ".cairn.toml").write_text("[index]\nchunk_bytes = 'many'\n", encoding="utf-8")
        for name, arguments in (("search_codebase", {"query": "lease"}), ("manage_index", {"action": "status"})):
            answer = session.call(name, **arguments)
            assert (answer["status"], answer["code"]) == ("error", "config_invalid")
            assert "chunk_bytes" in answer["message"]
