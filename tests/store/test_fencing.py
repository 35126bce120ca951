"""What keeps a writer that lost its lease from doing harm, each lock and each look by itself."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from cairn.base.errors import LeaseLostError
from cairn.codebase.codebase import Codebase
from cairn.indexing.options import SyncOptions
from cairn.indexing.progress import SyncStep
from cairn.store import Store, Transaction, faults
from cairn.store.guard import guard
from cairn.store.layout import Layout
from cairn.store.lease import WriterLease, read_lease
from cairn.store.recovery import read_pointer
from tests.store.samples import add, begin, contents, facts, make_store, publish
from tests.trees import Repo

Start = Callable[..., subprocess.Popen[str]]


@pytest.fixture
def store(tmp_path: Path) -> Store:
    made = make_store(tmp_path)
    publish(made, {"a.py": "walrus\n"})
    return made


@pytest.fixture
def start() -> Iterator[Start]:
    """Start a process that stops itself; whatever becomes of the test, it ends."""
    started: list[subprocess.Popen[str]] = []

    def run(*arguments: str, **environment: str) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            (sys.executable, *arguments),
            env=os.environ | {"CAIRN_EMBED_PROVIDER": "hashing"} | environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        started.append(process)
        _, status = os.waitpid(process.pid, os.WUNTRACED)
        assert os.WIFSTOPPED(status), f"it never stopped: {status}"
        return process

    yield run
    for process in started:
        if process.returncode is None:
            process.kill()
            process.communicate()


@pytest.fixture
def codebase(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> Iterator[Codebase]:
    """An indexed repository with an edit that is not indexed yet."""
    monkeypatch.setenv("CAIRN_EMBED_PROVIDER", "hashing")
    repo.write("a.py", "alpha = 1\n")
    with Codebase(str(repo.path)) as codebase:
        codebase.index(SyncOptions())
        repo.write("a.py", "alpha = 2\n")
        yield codebase


def guarded_by(layout: Layout) -> int | None:
    """The process that holds the guard."""
    try:
        return int(json.loads(Path(layout.guard).read_bytes())["pid"])
    except FileNotFoundError:
        return None


def rob(layout: Layout) -> WriterLease:
    """Take a living owner's lease as if its time had passed."""
    document = json.loads(Path(layout.lease).read_bytes())
    Path(layout.lease).write_text(json.dumps(document | {"last_heartbeat_ns": 0}))
    return WriterLease.acquire(layout)


def robbing_at(monkeypatch: pytest.MonkeyPatch, layout: Layout, point: str) -> list[str]:
    """Rob the lease when a point is reached; the points that were passed are noted."""
    passed: list[str] = []

    def reach(reached: str) -> None:
        if not reached.startswith("lease."):
            passed.append(reached)
        if reached == point:
            rob(layout).forget()

    # The robbery has to fall between two lines of one function of this process.
    monkeypatch.setattr(faults, "reach", reach)
    return passed


@pytest.mark.slow
@pytest.mark.requirement("IDX.MUST.002")
@pytest.mark.parametrize("point", ["publish.lease_checked", "publish.pointer_swapped"])
def test_the_pointer_is_swapped_under_the_guard(codebase: Codebase, start: Start, point: str) -> None:
    layout = codebase.store().layout
    writer = start("-m", "cairn", "index", codebase.root.path, CAIRN_STOP_AT=point)
    assert guarded_by(layout) == writer.pid
    writer.send_signal(signal.SIGCONT)
    output, errors = writer.communicate(timeout=60)
    assert writer.returncode == 0, output + errors
    assert guarded_by(layout) is None


def staged(store: Store, lease: WriterLease) -> Transaction:
    transaction = begin(store, lease)
    add(transaction, "b.py", "otter\n")
    return transaction


@pytest.mark.slow
@pytest.mark.requirement("LEASE.3")
def test_a_publish_without_the_lease_writes_no_segment(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    with store.writer() as lease, staged(store, lease) as transaction:
        rob(store.layout).forget()
        passed = robbing_at(monkeypatch, store.layout, "never")
        with pytest.raises(LeaseLostError, match="taken over"):
            transaction.publish(lease, facts(transaction.live_paths))
    assert "segment.rows_written" not in passed


@pytest.mark.slow
@pytest.mark.requirement("LEASE.3")
def test_a_publish_that_lost_the_lease_while_it_wrote_moves_no_segment(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = os.listdir(store.layout.segments)
    passed = robbing_at(monkeypatch, store.layout, "segment.hashed")
    with (
        store.writer() as lease,
        staged(store, lease) as transaction,
        pytest.raises(LeaseLostError, match="taken over"),
    ):
        transaction.publish(lease, facts(transaction.live_paths))
    assert passed[-1] == "segment.hashed"
    assert os.listdir(store.layout.segments) == before
    with store.view() as view:
        assert contents(view) == {"a.py": "walrus\n"}


@pytest.mark.slow
@pytest.mark.requirement("LEASE.3")
def test_nothing_is_embedded_after_the_lease_was_lost(codebase: Codebase) -> None:
    layout = codebase.store().layout
    pointer = read_pointer(layout)
    embedded = codebase.embedder.misses

    def progress(step: SyncStep) -> None:
        if step.stage == "indexing" and step.files == 0:
            rob(layout).forget()

    with pytest.raises(LeaseLostError, match="taken over"):
        codebase.index(SyncOptions(), progress)
    assert codebase.embedder.misses == embedded
    assert read_pointer(layout) == pointer


# No named point lies between the look at the lease and its replacement, so the child stops there by itself.
_STOP_IN_ACQUIRE = """
import os, signal, sys
from cairn.base.errors import BusyError
from cairn.store import lease
from cairn.store.layout import open_layout
layout = open_layout(sys.argv[1])
revoke = lease.revoke_staged
def stopping(layout):
    revoke(layout)
    os.kill(os.getpid(), signal.SIGSTOP)
lease.revoke_staged = stopping
try:
    lease.WriterLease.acquire(layout)
    print("won")
except BusyError:
    print("busy")
"""


@pytest.mark.slow
@pytest.mark.requirement("LEASE.1")
def test_an_acquisition_holds_the_guard(store: Store, start: Start) -> None:
    process = start("-c", _STOP_IN_ACQUIRE, store.layout.path)
    assert guarded_by(store.layout) == process.pid


@pytest.mark.slow
@pytest.mark.requirement("LEASE.1")
def test_an_acquisition_that_slept_past_its_guard_does_not_overwrite_the_lease_of_another(
    store: Store, start: Start
) -> None:
    layout = store.layout
    sleeper = start("-c", _STOP_IN_ACQUIRE, layout.path)
    os.utime(layout.guard, (1, 1))
    lease = WriterLease.acquire(layout)
    try:
        sleeper.send_signal(signal.SIGCONT)
        output, errors = sleeper.communicate(timeout=60)
        assert (output, errors) == ("busy\n", "")
        assert lease.is_ours()
    finally:
        lease.release()


_BEAT = """
import sys
from cairn.store.lease import WriterLease
from cairn.store.layout import open_layout
lease = WriterLease.acquire(open_layout(sys.argv[1]))
sys.stdin.read()
"""


@pytest.mark.slow
@pytest.mark.requirement("LEASE.1")
def test_a_heartbeat_holds_the_guard(store: Store, start: Start) -> None:
    process = start("-c", _BEAT, store.layout.path, CAIRN_STOP_AT="lease.heartbeat", CAIRN_LEASE_TTL_MS="3")
    assert guarded_by(store.layout) == process.pid


@pytest.mark.requirement("LEASE.3")
def test_an_owner_that_saw_its_lease_lost_never_trusts_it_again(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """Though the file names it once more, as after a backup was played back: others have written since."""
    layout = store.layout
    monkeypatch.setenv("CAIRN_LEASE_TTL_MS", "3")
    lease = WriterLease.acquire(layout)
    with guard(layout):
        own = Path(layout.lease).read_bytes()
        Path(layout.lease).write_text(json.dumps(json.loads(own) | {"owner_id": "another", "lease_epoch": 99}))
    lease._thread.join(timeout=60)
    assert not lease._thread.is_alive()
    Path(layout.lease).write_bytes(own)
    assert lease.is_ours()
    with pytest.raises(LeaseLostError):
        lease.check()
    lease.forget()


@pytest.mark.slow
@pytest.mark.requirement("LEASE.3")
def test_an_owner_whose_lease_became_one_of_a_newer_format_stops(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    layout = store.layout
    monkeypatch.setenv("CAIRN_LEASE_TTL_MS", "3")
    lease = WriterLease.acquire(layout)
    with guard(layout):
        own = Path(layout.lease).read_bytes()
        Path(layout.lease).write_text(json.dumps(json.loads(own) | {"schema_version": 99}))
    lease._thread.join(timeout=60)
    assert not lease._thread.is_alive()
    assert json.loads(Path(layout.lease).read_bytes())["schema_version"] == 99
    Path(layout.lease).write_bytes(own)
    with pytest.raises(LeaseLostError):
        lease.check()
    lease.forget()


@pytest.mark.slow
@pytest.mark.requirement("GC.4")
@pytest.mark.requirement("STO.5")
def test_a_collected_segment_leaves_its_place_whole(codebase: Codebase, start: Start) -> None:
    layout = codebase.store().layout
    codebase.index(SyncOptions())
    codebase.compact(force=True)
    before = {name: sorted(os.listdir(layout.segment(name))) for name in os.listdir(layout.segments)}
    environment = {"CAIRN_RETAIN_SNAPSHOTS": "1", "CAIRN_RETAIN_AGE_MS": "0"}
    start("-m", "cairn", "gc", "--force", codebase.root.path, CAIRN_STOP_AT="gc.segment_removed", **environment)
    (gone,) = set(before) - set(os.listdir(layout.segments))
    trash = os.path.join(layout.staging, f"trash-{gone}")
    assert sorted(os.listdir(trash)) == before[gone]


@pytest.mark.slow
@pytest.mark.requirement("LEASE.2")
def test_a_robbed_lease_has_a_higher_epoch(store: Store) -> None:
    with store.writer() as lease:
        robber = rob(store.layout)
        assert robber.epoch == lease.epoch + 1
        with pytest.raises(LeaseLostError):
            lease.check()
        robber.release()
    state = read_lease(store.layout)
    assert state is not None
    assert (state.epoch, state.released) == (robber.epoch, True)
