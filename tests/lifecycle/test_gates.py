"""All that the gates can be asked, held against the order that every surface keeps."""

import itertools

import pytest

from cairn.base.owner import this_process
from cairn.lifecycle.gates import CodebaseFacts, NonOkReason, as_seen, judge, may_claim_indexed
from cairn.lifecycle.proof import Proof, ProofOutcome, ProofReason
from cairn.lifecycle.states import State
from cairn.lifecycle.tracked import DEAD, STUCK_S, Tracked
from tests.lifecycle.samples import (
    FAILURE,
    MISMATCH,
    MISSING,
    NOW_SETTINGS,
    OTHER_SETTINGS,
    PROBE_FAILED,
    ROOT,
    VALID,
    dead_owner,
    foreign_owner,
    tracked,
)
from tests.notes import command_hint

STALE = [MISSING] + [
    Proof(ProofOutcome.STALE_LOCAL, reason)
    for reason in (ProofReason.INVALID_MARKER_KIND, ProofReason.PATH_MISMATCH, ProofReason.INVALID_PAYLOAD)
]
PROOFS: list[Proof | None] = [None, VALID, *STALE, MISMATCH, PROBE_FAILED]
ROWS: list[Tracked | None] = [
    None,
    *(
        tracked(state, fingerprint=fingerprint, snapshot_id=snapshot, failure=FAILURE if failed else None)
        for state in State
        for fingerprint in (NOW_SETTINGS, OTHER_SETTINGS)
        for snapshot in ("", "snapshot-0")
        for failed in (state is State.INDEXFAILED,)
        if state is not State.NOT_FOUND
    ),
]


def facts(row: Tracked | None, proof: Proof | None) -> CodebaseFacts:
    return CodebaseFacts(ROOT, ROOT, NOW_SETTINGS, row, proof)


def applicable(row: Tracked | None, proof: Proof | None) -> set[NonOkReason]:
    """Which gates hold at all, each said by itself and in no order."""
    found = set()
    never_published = row is not None and row.state is State.INDEXFAILED and not row.snapshot_id
    other = row is not None and row.fingerprint != NOW_SETTINGS and not never_published
    if other or (row is not None and row.state is State.REQUIRES_REINDEX) or proof is MISMATCH:
        found.add(NonOkReason.REQUIRES_REINDEX)
    if row is not None and row.state is State.INDEXING:
        found.add(NonOkReason.INDEXING)
    claims = row is not None and (
        row.state in (State.INDEXED, State.SYNC_COMPLETED) or (row.state is State.INDEXFAILED and row.snapshot_id != "")
    )
    if proof in STALE or (proof is not VALID and not claims):
        found.add(NonOkReason.NOT_INDEXED)
    return found


ORDER = (NonOkReason.REQUIRES_REINDEX, NonOkReason.INDEXING, NonOkReason.NOT_INDEXED)


@pytest.mark.requirement("LOCK.4", "SIS.5")
def test_gate_precedence_over_the_whole_table() -> None:
    """ISS-INDEX-STABILITY 7 and seed 001 test 8: requires_reindex, then not_ready, then not_indexed."""
    seen = set()
    for row, proof in itertools.product(ROWS, PROOFS):
        held = applicable(row, proof)
        expected = next((reason for reason in ORDER if reason in held), None)
        verdict = judge(facts(row, proof))
        assert verdict.reason == expected, (row, proof)
        assert verdict.passes == (expected is None)
        seen.add(expected)
    assert seen == {None, *NonOkReason}


@pytest.mark.requirement("LOCK.4")
def test_requires_reindex_wins_over_the_indexing_lock() -> None:
    """Seed 001 test 8."""
    row = tracked(State.INDEXING, fingerprint=OTHER_SETTINGS)
    assert judge(facts(row, None)).reason is NonOkReason.REQUIRES_REINDEX
    assert judge(facts(tracked(State.INDEXING), None)).reason is NonOkReason.INDEXING


@pytest.mark.requirement("SIS.5")
@pytest.mark.parametrize("row", [row for row in ROWS if row is not None], ids=str)
def test_fingerprint_mismatch_always_answers_requires_reindex(row: Tracked) -> None:
    """ISS-INDEX-STABILITY-G: never not_indexed."""
    assert judge(facts(row, MISMATCH)).reason is NonOkReason.REQUIRES_REINDEX


@pytest.mark.requirement("SIS.4")
@pytest.mark.parametrize("row", ROWS, ids=str)
def test_probe_failed_neither_upgrades_nor_downgrades(row: Tracked | None) -> None:
    """ISS-INDEX-STABILITY-G: as if nobody had asked for a proof."""
    failed, unasked = judge(facts(row, PROBE_FAILED)), judge(facts(row, None))
    assert (failed.reason, failed.stale) == (unasked.reason, unasked.stale)
    assert failed.probe_failed
    assert not unasked.probe_failed
    assert not judge(facts(row, VALID)).probe_failed
    assert not may_claim_indexed(failed)


@pytest.mark.requirement("SIS.4", "LOCK.5")
def test_a_failed_run_is_read_by_its_last_good_snapshot_whatever_the_probe_says() -> None:
    good = tracked(State.INDEXFAILED, failure=FAILURE, snapshot_id="snapshot-0")
    for proof in (None, VALID, PROBE_FAILED):
        verdict = judge(facts(good, proof))
        assert verdict.passes
        assert verdict.failure == FAILURE
        assert not may_claim_indexed(verdict)
    nothing = tracked(State.INDEXFAILED, failure=FAILURE)
    assert judge(facts(nothing, PROBE_FAILED)).reason is NonOkReason.NOT_INDEXED


@pytest.mark.requirement("SIS.6")
@pytest.mark.parametrize("proof", STALE, ids=lambda proof: proof.reason)
def test_a_stale_local_state_is_not_indexed_and_called_stale(proof: Proof) -> None:
    for state in (State.INDEXED, State.SYNC_COMPLETED):
        verdict = judge(facts(tracked(state), proof))
        assert (verdict.reason, verdict.stale) == (NonOkReason.NOT_INDEXED, True)
    # What never claimed to be indexed isn't stale.
    for row in (None, tracked(State.INDEXFAILED)):
        assert not judge(facts(row, proof)).stale


@pytest.mark.requirement("SIS.7")
def test_already_indexed_needs_a_searchable_state_and_a_valid_proof() -> None:
    for row, proof in itertools.product(ROWS, PROOFS):
        searchable = row is not None and row.state in (State.INDEXED, State.SYNC_COMPLETED)
        same_settings = row is not None and row.fingerprint == NOW_SETTINGS
        expected = searchable and same_settings and proof is VALID
        assert may_claim_indexed(judge(facts(row, proof))) == expected, (row, proof)


@pytest.mark.requirement("LOCK.5")
def test_a_run_whose_process_died_is_seen_as_failed_and_nothing_else_is() -> None:
    now = 1000.0
    dead = tracked(State.INDEXING, owner=dead_owner(), heartbeat=now, progress=50.0, phase="reading")
    seen = as_seen(dead, now)
    assert seen is not None
    assert (seen.state, seen.failure, seen.progress, seen.phase) == (State.INDEXFAILED, DEAD, None, None)
    assert "cairn index" in command_hint(DEAD.hint)
    for state in State:
        row = tracked(state, owner=this_process(), heartbeat=now)
        assert as_seen(row, now + STUCK_S) is row, "a living process is believed for long"
        stuck = as_seen(row, now + STUCK_S + 1)
        assert stuck is not None
        assert stuck.state is (State.INDEXFAILED if state is State.INDEXING else state)
        if state is not State.INDEXING:
            other = tracked(state, owner=dead_owner(), heartbeat=0)
            assert as_seen(other, now) is other
    assert as_seen(None, now) is None


@pytest.mark.requirement("LOCK.5")
@pytest.mark.parametrize(("silence", "dead"), [(0.0, False), (120.0, False), (120.1, True)])
def test_a_process_that_can_not_be_asked_is_dead_after_its_silence(silence: float, dead: bool) -> None:
    for owner in (foreign_owner(), None):
        row = tracked(State.INDEXING, owner=owner, heartbeat=1000.0)
        seen = as_seen(row, 1000.0 + silence)
        assert seen is not None
        assert (seen.state is State.INDEXFAILED) == dead
