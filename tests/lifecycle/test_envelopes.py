"""What a gate says: the fields of each envelope, hints that can be executed, and one set of reasons."""

import itertools
import json

import pytest

from cairn.base.errors import CairnError, ExitCode
from cairn.base.notes import STALE_CREATE_NOTE
from cairn.lifecycle import envelopes
from cairn.lifecycle.envelopes import debug_hints, envelope_of, error_of, probe_hint
from cairn.lifecycle.gates import CodebaseFacts, NonOkReason, Verdict, judge
from cairn.lifecycle.proof import Proof
from cairn.lifecycle.states import State
from cairn.lifecycle.tracked import Tracked
from tests.lifecycle.samples import (
    FAILURE,
    MISSING,
    NOW_SETTINGS,
    OTHER_SETTINGS,
    PARTS,
    PROBE_FAILED,
    ROOT,
    VALID,
    tracked,
)
from tests.lifecycle.test_gates import PROOFS, ROWS
from tests.notes import command_hint

INNER = f"{ROOT}/src/inner"
RUNNING = tracked(State.INDEXING, progress=41.5, phase="reading")


def verdict(row: Tracked | None, proof: Proof | None = None) -> Verdict:
    return judge(CodebaseFacts(ROOT, INNER, NOW_SETTINGS, row, proof, tuple(sorted(PARTS.items()))))


def envelope(row: Tracked | None, proof: Proof | None = None, *, debug: bool = False) -> envelopes.Envelope:
    found = envelope_of(verdict(row, proof), debug=debug)
    assert found is not None
    return found


def manage(action: str) -> dict[str, object]:
    return {"tool": "manage_index", "args": {"action": action, "path": ROOT}}


@pytest.mark.requirement("LOCK.2", "LOCK.9", "LOCK.10")
def test_a_blocked_envelope_has_everything_of_the_contract() -> None:
    """Seed 001 tests 2 and 9: not_ready + reason=indexing, hints on the effective root."""
    assert envelope(RUNNING) == {
        "status": "not_ready",
        "reason": "indexing",
        "message": f"{ROOT} is being indexed (42 %, reading).",
        "path": INNER,
        "codebaseRoot": ROOT,
        "hints": {"status": manage("status")},
        "indexing": {"progressPct": 41.5, "lastUpdated": "2026-01-01T00:00:00Z", "phase": "reading"},
        "retryAfterMs": 2000,
    }


@pytest.mark.requirement("LOCK.2")
def test_what_is_not_known_of_a_run_is_null() -> None:
    row = tracked(State.INDEXING, updated_at="")
    assert envelope(row)["indexing"] == {"progressPct": None, "lastUpdated": None, "phase": None}
    assert envelope(row)["message"] == f"{ROOT} is being indexed."
    assert envelopes.indexing_of(None) == {"progressPct": None, "lastUpdated": None, "phase": None}


@pytest.mark.requirement("LOCK.3", "LOCK.9", "SIS.5")
def test_requires_reindex_names_what_changed_and_how_to_mend_it() -> None:
    """Seed 001 test 3."""
    row = tracked(State.INDEXED, fingerprint=OTHER_SETTINGS, parts=PARTS | {"embeddingModel": "old", "gone": "1"})
    assert envelope(row) == {
        "status": "requires_reindex",
        "reason": "requires_reindex",
        "message": f"{ROOT} was indexed with other settings (embeddingModel old -> static; gone 1 -> unset) "
        "and has to be indexed anew.",
        "path": INNER,
        "codebaseRoot": ROOT,
        "hints": {"status": manage("status"), "reindex": manage("reindex")},
    }
    unknown = tracked(State.INDEXED, fingerprint=OTHER_SETTINGS, parts={})
    assert "settings and has" in envelope(unknown)["message"]


@pytest.mark.parametrize(
    ("former", "said"),
    [
        (
            {"schemaVersion": "chunk_rows 3"},
            "by a version of Cairn that writes another format (schemaVersion chunk_rows 3",
        ),
        ({"schemaVersion": "chunk_rows 3", "gone": "1"}, "with other settings (gone 1 -> unset; schemaVersion"),
    ],
)
def test_an_index_of_another_version_is_not_told_as_one_of_other_settings(former: dict[str, str], said: str) -> None:
    row = tracked(State.INDEXED, fingerprint=OTHER_SETTINGS, parts=PARTS | former)
    assert envelope(row)["message"].startswith(f"{ROOT} was indexed {said}")
    assert envelope(row)["hints"]["reindex"] == manage("reindex")


@pytest.mark.requirement("LOCK.3", "LOCK.9")
def test_not_indexed_names_the_way_to_create() -> None:
    """Seed 001 test 3."""
    assert envelope(None) == {
        "status": "not_indexed",
        "reason": "not_indexed",
        "message": f"{ROOT} is not indexed.",
        "path": INNER,
        "codebaseRoot": ROOT,
        "hints": {"status": manage("status"), "create": manage("create")},
    }


@pytest.mark.requirement("SIS.6", "SIS.12")
def test_a_stale_local_state_says_which_proof_is_missing_and_what_to_do() -> None:
    """ISS-INDEX-STABILITY-F: the reason stays not_indexed, the difference is in the hint."""
    found = envelope(tracked(State.INDEXED), MISSING)
    assert (found["status"], found["reason"]) == ("not_indexed", "not_indexed")
    assert found["hints"]["staleLocal"] == {
        "completionProof": "missing_marker_doc",
        "recommendedAction": manage("create"),
    }
    assert "recorded as indexed, but its store has no valid completion proof (missing_marker_doc)" in found["message"]
    assert "staleLocal" not in envelope(None, MISSING)["hints"]


@pytest.mark.requirement("LOCK.5")
def test_a_failed_first_run_tells_why() -> None:
    found = envelope(tracked(State.INDEXFAILED, failure=FAILURE), MISSING)
    assert found["lastError"] == {"code": FAILURE.code, "message": FAILURE.message, "hint": FAILURE.hint}
    assert found["message"].endswith("the last run failed. The disk is full.")
    assert "lastError" not in envelope(tracked(State.INDEXED), MISSING)


@pytest.mark.requirement("LOCK.3", "LOCK.9", "LOCK.11", "SIS.11")
def test_every_envelope_there_can_be_keeps_the_contract() -> None:
    """Seed 001 tests 2 and 3, over all states and proofs: one reason a status, and JSON throughout."""
    reason_of = {"not_ready": "indexing", "requires_reindex": "requires_reindex", "not_indexed": "not_indexed"}
    for row, proof in itertools.product(ROWS, PROOFS):
        found = envelope_of(verdict(row, proof))
        error = error_of(verdict(row, proof))
        assert (found is None) == (error is None) == verdict(row, proof).passes
        if found is None or error is None:
            continue
        assert json.loads(json.dumps(found)) == found
        assert found["reason"] == reason_of[found["status"]]
        assert (found["path"], found["codebaseRoot"]) == (INNER, ROOT)
        assert error.code == found["status"]
        assert error.message == found["message"] != ""
        assert not [name for name in found["hints"] if "debug" in name]
        for hint in (value for name, value in found["hints"].items() if name != "staleLocal"):
            assert hint["tool"] == "manage_index"
            assert hint["args"]["path"] == ROOT


@pytest.mark.requirement("LOCK.11", "LOCK.5")
def test_debug_shows_the_kind_of_proof_and_whether_the_marker_is_there() -> None:
    assert envelope(None, MISSING, debug=True)["hints"]["debugIndexing"] == {
        "completionProof": "marker_doc",
        "markerPresent": False,
    }
    blocked = envelope(RUNNING, debug=True)["hints"]
    # While indexing a marker counts as absent, so nobody looks for it.
    assert blocked["debugIndexing"] == {"completionProof": "marker_doc"}
    assert blocked["debugFingerprint"] == {
        "now": {"configFingerprint": NOW_SETTINGS, **PARTS},
        "indexed": {"configFingerprint": NOW_SETTINGS, **PARTS},
    }
    assert debug_hints(verdict(tracked(State.INDEXED), VALID))["debugIndexing"]["markerPresent"] is True


@pytest.mark.requirement("SIS.4", "SIS.12", "LOCK.11")
def test_a_probe_that_failed_is_a_debug_hint_and_nothing_else() -> None:
    """ISS-INDEX-STABILITY cycle 4b."""
    passing = verdict(tracked(State.INDEXED), PROBE_FAILED)
    assert envelope_of(passing, debug=True) is None
    expected = {"ok": False, "reason": "probe_failed", "detail": "the backend is away"}
    assert debug_hints(passing)["debugProofCheck"] == expected
    assert "markerPresent" not in debug_hints(passing)["debugIndexing"]
    assert probe_hint(VALID) == probe_hint(MISSING) == probe_hint(None) == {}
    assert "debugProofCheck" not in envelope(None, PROBE_FAILED)["hints"]
    assert "debugProofCheck" in envelope(None, PROBE_FAILED, debug=True)["hints"]


@pytest.mark.requirement("LOCK.3", "LOCK.12")
def test_there_is_one_enum_of_reasons_and_no_other_error_uses_them() -> None:
    assert {str(reason) for reason in NonOkReason} == {"indexing", "requires_reindex", "not_indexed"}
    # No status that isn't a gate is a reason of one.
    assert not {str(reason) for reason in NonOkReason} & {"unsupported", "not_found", "ambiguous"}
    assert not {state.value for state in State if state is State.NOT_FOUND} & {str(reason) for reason in NonOkReason}


@pytest.mark.parametrize(
    ("row", "code", "exit_code", "retry"),
    [
        (None, "not_indexed", ExitCode.NOT_INDEXED, None),
        (RUNNING, "not_ready", ExitCode.BUSY, 2000),
        (tracked(State.INDEXED, fingerprint=OTHER_SETTINGS), "requires_reindex", ExitCode.REQUIRES_REINDEX, None),
    ],
)
def test_errors_of_the_gates_have_their_exit_codes(
    row: Tracked | None, code: str, exit_code: ExitCode, retry: int | None
) -> None:
    error = error_of(verdict(row))
    assert isinstance(error, CairnError)
    assert (error.code, error.exit_code, error.retry_after_ms) == (code, exit_code, retry)
    assert "`cairn " in command_hint(error.hint)


@pytest.mark.requirement("SIS.7")
def test_the_note_of_create_is_in_the_words_of_the_seed() -> None:
    assert STALE_CREATE_NOTE == (
        "Local snapshot claims indexed, but completion proof is missing/invalid; treating as not_indexed for create."
    )
