"""Freshness: every decision, one sync for all who wait, and nobody is told of a look that came too early."""

import os
import threading
import time
from collections.abc import Callable

import pytest

from cairn.base.errors import (
    BusyError,
    CairnError,
    CancelledError,
    CorruptStoreError,
    NotIndexedError,
    NotReadyError,
    RequiresReindexError,
)
from cairn.lifecycle.freshness import LOOKED, Decision, Freshener, Freshness
from cairn.lifecycle.gates import CodebaseFacts, Verdict, judge
from cairn.lifecycle.proof import Proof
from cairn.lifecycle.states import State
from cairn.lifecycle.tracked import Tracked
from tests.lifecycle.samples import (
    MISSING,
    NOW_SETTINGS,
    OTHER_SETTINGS,
    PROBE_FAILED,
    ROOT,
    VALID,
    tracked,
)

WAIT_S = 30.0


def verdict(row: Tracked | None = None, proof: Proof | None = VALID, root: str = ROOT) -> Verdict:
    return judge(CodebaseFacts(root, root, NOW_SETTINGS, row or tracked(State.INDEXED), proof))


def never() -> bool:
    raise AssertionError("no sync may run")


def ask(freshener: Freshener, sync: Callable[[], bool], *, max_age_s: float = 0.0, root: str = ROOT) -> Freshness:
    return freshener.ensure_freshness(verdict(root=root), sync, exists=lambda: True, max_age_s=max_age_s)


@pytest.mark.requirement("LOCK.8")
@pytest.mark.parametrize(
    ("row", "proof", "decision"),
    [
        (tracked(State.INDEXING), None, "skipped_indexing"),
        (tracked(State.INDEXED, fingerprint=OTHER_SETTINGS), None, "skipped_requires_reindex"),
        (tracked(State.INDEXING, fingerprint=OTHER_SETTINGS), None, "skipped_requires_reindex"),
        (tracked(State.INDEXED), MISSING, "skipped_not_indexed"),
        (tracked(State.INDEXFAILED), PROBE_FAILED, "skipped_not_indexed"),
    ],
)
def test_ensure_freshness_returns_skipped_indexing_and_runs_no_sync(
    row: Tracked, proof: Proof | None, decision: str
) -> None:
    """Seed 001 test 4, and the other gates alike."""
    found = Freshener().ensure_freshness(verdict(row, proof), never, exists=lambda: True)
    assert str(found.decision) == decision
    assert not found.looked


def test_a_root_that_is_not_there_is_not_synced() -> None:
    found = Freshener().ensure_freshness(verdict(), never, exists=lambda: False)
    assert found.decision is Decision.SKIPPED_MISSING_PATH
    assert ROOT in found.detail


@pytest.mark.parametrize(("changed", "decision"), [(True, Decision.SYNCED), (False, Decision.SKIPPED_UNCHANGED)])
def test_a_sync_says_whether_anything_had_changed(changed: bool, decision: Decision) -> None:
    found = ask(Freshener(), lambda: changed)
    assert found == Freshness(decision)
    assert found.looked


@pytest.mark.requirement("LOCK.8")
@pytest.mark.parametrize(
    ("error", "decision"),
    [
        (BusyError("another writes"), Decision.SKIPPED_BUSY),
        (NotReadyError("a run began meanwhile"), Decision.SKIPPED_INDEXING),
        (RequiresReindexError("settings changed meanwhile"), Decision.SKIPPED_REQUIRES_REINDEX),
        (NotIndexedError("cleared meanwhile"), Decision.SKIPPED_NOT_INDEXED),
        (CorruptStoreError("rotten"), Decision.FAILED),
        (PermissionError(13, "Permission denied"), Decision.FAILED),
    ],
)
def test_a_sync_that_fails_is_a_decision_and_no_error(error: Exception, decision: Decision) -> None:
    def sync() -> bool:
        raise error

    freshener = Freshener()
    found = ask(freshener, sync)
    assert found.decision is decision
    assert not found.looked
    if decision is Decision.FAILED:
        said, hint = (error.message, error.hint) if isinstance(error, CairnError) else ("Permission denied", "rights")
        assert said in found.detail
        assert hint in found.detail
    assert ask(freshener, lambda: True, max_age_s=9e9).decision is Decision.SYNCED, "no look, nothing recent"


def test_a_cancelled_sync_is_the_callers_own_and_the_next_goes_on() -> None:
    def sync() -> bool:
        raise CancelledError("stopped")

    freshener = Freshener()
    with pytest.raises(CancelledError):
        ask(freshener, sync)
    assert ask(freshener, lambda: True).decision is Decision.SYNCED


def test_a_recent_look_stands_in_only_for_those_who_accept_its_age() -> None:
    now = [100.0]
    freshener = Freshener(clock=lambda: now[0])

    def slow() -> bool:
        now[0] += 5
        return True

    assert ask(freshener, slow).decision is Decision.SYNCED
    now[0] += 4.9
    # The age counts from when the look began: an edit during the sync may not be in it.
    assert ask(freshener, never, max_age_s=10).decision is Decision.SKIPPED_RECENT
    now[0] += 0.2
    assert ask(freshener, lambda: False, max_age_s=10).decision is Decision.SKIPPED_UNCHANGED
    assert ask(freshener, lambda: False).decision is Decision.SKIPPED_UNCHANGED
    assert ask(freshener, lambda: True, max_age_s=10, root="/other").decision is Decision.SYNCED
    assert Decision.SKIPPED_RECENT not in LOOKED


class Gate:
    """A sync that says when it looks at the tree, and waits for the word."""

    def __init__(self) -> None:
        self.looking = threading.Semaphore(0)
        self.go = threading.Semaphore(0)
        self.count = 0

    def __call__(self) -> bool:
        self.count += 1
        self.looking.release()
        assert self.go.acquire(timeout=WAIT_S)
        return True


class Caller(threading.Thread):
    def __init__(self, freshener: Freshener, sync: Callable[[], bool], root: str = ROOT) -> None:
        super().__init__(daemon=True)
        self.found: Freshness | None = None
        self.error: BaseException | None = None
        self._question = (freshener, sync, root)
        self.start()

    def run(self) -> None:
        freshener, sync, root = self._question
        try:
            self.found = ask(freshener, sync, root=root)
        except AssertionError as error:
            self.error = error

    def decision(self) -> Decision:
        self.join(WAIT_S)
        assert self.found is not None, self.error
        return self.found.decision


def wait_until(true: Callable[[], bool]) -> None:
    """Until other threads have come as far as they can; each look gives them the processor."""
    deadline = time.monotonic() + WAIT_S
    while not true():
        assert time.monotonic() < deadline, "it never came so far"
        os.sched_yield()


def waiting(freshener: Freshener, root: str = ROOT) -> bool:
    return root in freshener._next


@pytest.mark.requirement("LOCK.8")
def test_two_callers_share_one_sync_and_one_that_comes_while_it_looks_waits_for_the_next() -> None:
    """Read-your-writes: an edit made before the question is always looked at after it."""
    freshener, gate = Freshener(), Gate()
    first = Caller(freshener, gate)
    assert gate.looking.acquire(timeout=WAIT_S)
    # From here on the first sync may have passed by any edit.
    second = Caller(freshener, gate)
    wait_until(lambda: waiting(freshener))
    shared = freshener._next[ROOT]
    joined = [Caller(freshener, never) for _ in range(3)]
    wait_until(lambda: len(shared._condition._waiters) == 3)  # type: ignore[attr-defined]
    gate.go.release()
    assert first.decision() is Decision.SYNCED
    assert gate.looking.acquire(timeout=WAIT_S)
    assert gate.count == 2
    gate.go.release()
    assert second.decision() is Decision.SYNCED
    assert [each.decision() for each in joined] == [Decision.COALESCED] * 3
    assert gate.count == 2


def test_who_shares_a_sync_shares_its_failure() -> None:
    freshener, gate = Freshener(), Gate()
    first = Caller(freshener, gate)
    assert gate.looking.acquire(timeout=WAIT_S)
    entered = threading.Event()

    def failing() -> bool:
        entered.set()
        raise CorruptStoreError("rotten")

    leader = Caller(freshener, failing)
    wait_until(lambda: waiting(freshener))
    shared = freshener._next[ROOT]
    follower = Caller(freshener, never)
    wait_until(lambda: len(shared._condition._waiters) == 1)  # type: ignore[attr-defined]
    gate.go.release()
    assert first.decision() is Decision.SYNCED
    assert leader.decision() is Decision.FAILED
    assert follower.decision() is Decision.FAILED, "a look that failed is nobody's look"
    assert entered.is_set()


def test_codebases_do_not_wait_for_each_other() -> None:
    freshener, gate = Freshener(), Gate()
    slow = Caller(freshener, gate)
    assert gate.looking.acquire(timeout=WAIT_S)
    assert ask(freshener, lambda: True, root="/other").decision is Decision.SYNCED
    gate.go.release()
    assert slow.decision() is Decision.SYNCED


def test_a_caller_that_is_interrupted_while_it_waits_leaves_nobody_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    class Interrupted:
        def __enter__(self) -> None:
            raise KeyboardInterrupt

        def __exit__(self, *_: object) -> None:
            raise AssertionError("unreachable")

    freshener = Freshener()
    freshener._turns[ROOT] = Interrupted()  # type: ignore[assignment]
    with pytest.raises(KeyboardInterrupt):
        ask(freshener, never)
    assert not waiting(freshener)
    freshener._turns.clear()
    assert Caller(freshener, lambda: True).decision() is Decision.SYNCED


def test_where_syncs_share_themselves_callers_wait_for_none_but_their_own() -> None:
    freshener = Freshener(shares=False)
    gate = Gate()
    slow = Caller(freshener, gate)
    assert gate.looking.acquire(timeout=WAIT_S)
    # One is under way, and a second would wait for it where syncs are shared here.
    assert ask(freshener, lambda: True).decision is Decision.SYNCED
    assert ask(freshener, never, max_age_s=60).decision is Decision.SKIPPED_RECENT
    gate.go.release()
    assert slow.decision() is Decision.SYNCED
