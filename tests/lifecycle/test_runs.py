"""One run: it beats while it lives, is never at its end before it is, and always leaves its row in an end state."""

import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from cairn.base.errors import CancelledError, NotReadyError, StorageError, TransitionError
from cairn.lifecycle.proof import Proof
from cairn.lifecycle.registry import Registry
from cairn.lifecycle.runs import Run, failure_of
from cairn.lifecycle.states import State
from cairn.lifecycle.tracked import Failure, Tracked
from tests.lifecycle.samples import MISSING, PROBE_FAILED, ROOT, VALID, identity

WAIT_S = 30.0


class Watched(Registry):
    """A registry that tells when something was written, and can be told to refuse."""

    def __init__(self, home: str) -> None:
        super().__init__(home)
        self.beats: list[tuple[float | None, str]] = []
        self.beaten = threading.Semaphore(0)
        self.failed = threading.Semaphore(0)
        self.refuse = 0

    def beat(self, root: str, run_id: str, progress: float | None, phase: str) -> bool:
        done = super().beat(root, run_id, progress, phase)
        self.beats.append((progress, phase))
        self.beaten.release()
        return done

    def fail(self, root: str, run_id: str, failure: Failure) -> bool:
        if self.refuse:
            self.refuse -= 1
            raise StorageError("no space left")
        done = super().fail(root, run_id, failure)
        self.failed.release()
        return done


@pytest.fixture
def registry(tmp_path: Path) -> Watched:
    return Watched(str(tmp_path))


def row(registry: Registry) -> Tracked:
    found = registry.get(ROOT)
    assert found is not None
    return found


def run(registry: Registry, name: str = "run-1", heartbeat_s: float = 0.001) -> Run:
    return Run(registry, identity(), name, {}, heartbeat_s=heartbeat_s)


@pytest.mark.requirement("LOCK.5")
def test_a_run_is_indexing_until_its_proof_and_indexed_after_it(registry: Watched) -> None:
    """Seed 001 test 1."""
    with run(registry) as mine:
        assert row(registry).state is State.INDEXING
        mine.complete(VALID)
    assert row(registry).state is State.INDEXED


@pytest.mark.requirement("LOCK.5")
@pytest.mark.parametrize("proof", [MISSING, PROBE_FAILED], ids=lambda proof: proof.reason)
def test_no_premature_indexed_without_a_marker_proof(registry: Watched, proof: Proof) -> None:
    """Seed 001 test 1."""
    with pytest.raises(TransitionError), run(registry) as mine:
        mine.complete(proof)
    assert row(registry).state is State.INDEXFAILED
    with run(registry, "run-2"):
        pass
    failure = row(registry).failure
    assert failure is not None
    assert failure.code == "not_completed"


@pytest.mark.requirement("LOCK.5")
@pytest.mark.parametrize(
    ("error", "code"),
    [
        (StorageError("no space"), "storage_failed"),
        (CancelledError("stopped"), "cancelled"),
        (KeyboardInterrupt(), "cancelled"),
        (RuntimeError("a defect"), "internal"),
    ],
)
def test_whatever_ends_a_run_is_recorded_and_goes_on(registry: Watched, error: BaseException, code: str) -> None:
    with pytest.raises(type(error)), run(registry):
        raise error
    assert row(registry).state is State.INDEXFAILED
    failure = row(registry).failure
    assert failure == failure_of(error)
    assert failure is not None
    assert failure.code == code
    assert failure.hint


def test_progress_is_told_with_the_beats_and_never_100_while_indexing(registry: Watched) -> None:
    with run(registry, heartbeat_s=0.0) as mine:
        for share, shown in ((0.25, 25.0), (1.0, 99.0), (7.0, 99.0), (0.12345, 12.3), (None, None)):
            mine.at("reading", share)
            assert registry.beats[-1] == (shown, "reading")
            assert (row(registry).progress, row(registry).phase) == (shown, "reading")
            assert row(registry).state is State.INDEXING
        mine.complete(VALID)
    assert row(registry).progress is None


def test_a_beat_moves_the_row_on_at_the_pace_of_a_heart_and_with_every_phase(
    registry: Watched,
) -> None:
    now = [0.0]
    with Run(registry, identity(), "run-1", {}, heartbeat_s=2.0, clock=lambda: now[0]) as mine:
        first = row(registry).heartbeat
        mine.at("reading", 0.1)
        assert row(registry).heartbeat > first
        now[0] = 1.9
        mine.at("reading", 0.12)
        assert registry.beats == [(10.0, "reading")]
        now[0] = 2.0
        mine.at("reading", 0.13)
        mine.at("publishing", 0.14)
        mine.at("publishing", 0.2)
        assert registry.beats[1:] == [(13.0, "reading"), (14.0, "publishing"), (20.0, "publishing")]
        mine.complete(VALID)


def test_a_run_starts_no_thread(registry: Watched) -> None:
    """Indexing forks: a thread in the middle of a write would leave the child a lock that nobody opens."""
    with run(registry) as mine:
        mine.at("reading", 0.5)
        assert [thread.name for thread in threading.enumerate() if "cairn" in thread.name] == []
        mine.complete(VALID)


def test_a_second_run_of_the_same_root_does_not_begin(registry: Watched) -> None:
    with run(registry) as mine:
        with pytest.raises(NotReadyError), run(registry, "run-2"):
            raise AssertionError("unreachable")
        assert row(registry).run_id == "run-1"
        mine.complete(VALID)
    assert row(registry).state is State.INDEXED


@pytest.mark.requirement("LOCK.5")
def test_a_failure_that_can_not_be_written_yet_is_written_later_and_hides_nothing(registry: Watched) -> None:
    """A process that lives on would else be taken for one that indexes for ever."""
    registry.refuse = 2
    with pytest.raises(RuntimeError, match="the cause"), run(registry):
        raise RuntimeError("the cause")
    assert registry.failed.acquire(timeout=WAIT_S)
    assert row(registry).state is State.INDEXFAILED


def test_a_beat_that_fails_is_made_up_by_the_next(registry: Watched, monkeypatch: pytest.MonkeyPatch) -> None:
    real: Callable[..., bool] = registry.beat
    failures = [StorageError("busy"), OSError("no")]

    def beat(*arguments: object) -> bool:
        if failures:
            raise failures.pop()
        return real(*arguments)

    monkeypatch.setattr(registry, "beat", beat)
    with run(registry, heartbeat_s=0.0) as mine:
        for share in (0.1, 0.2, 0.3):
            mine.at("reading", share)
        assert row(registry).progress == 30.0
        mine.complete(VALID)
