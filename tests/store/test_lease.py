"""The writer lease: one owner, an epoch that only grows, and takeover only of what is free."""

import contextlib
import json
import os
import resource
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, NoReturn

import pytest

from cairn.base import durable
from cairn.base.errors import BusyError, IncompatibleError, LeaseLostError, OutOfResourcesError
from cairn.base.owner import this_process
from cairn.store import Identity, Store
from cairn.store.layout import Layout, StoreKind, create_layout
from cairn.store.lease import LEASE_TTL_MS, LeaseState, WriterLease, lease_ttl_ms, read_lease

_DIE_HOLDING = """
import os, signal, sys
from cairn.store.lease import WriterLease
from cairn.store.layout import open_layout
WriterLease.acquire(open_layout(sys.argv[1]))
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    return create_layout(str(tmp_path / "home" / "store"), StoreKind.PRIVATE)


def state(layout: Layout) -> LeaseState:
    found = read_lease(layout)
    assert found is not None
    return found


def document(layout: Layout) -> dict[str, Any]:
    found = json.loads(Path(layout.lease).read_bytes())
    assert isinstance(found, dict)
    return found


def change(layout: Layout, **fields: object) -> None:
    Path(layout.lease).write_text(json.dumps(document(layout) | fields))


def held_elsewhere(layout: Layout, **fields: object) -> None:
    """A lease of a process of another boot, about which nothing can be proven."""
    lease = WriterLease.acquire(layout)
    lease.forget()
    change(layout, boot_id="another", **fields)


def until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < deadline
        threading.Event().wait(0.002)


@pytest.mark.requirement("LEASE.1")
def test_the_lease_file_names_owner_epoch_ttl_heartbeat_and_transaction(layout: Layout) -> None:
    with WriterLease.acquire(layout) as lease:
        found = document(layout)
        assert found["schema_version"] == 1
        assert found["owner_id"] == lease.owner_id
        assert found["lease_epoch"] == lease.epoch == 1
        assert found["lease_ttl_ms"] == LEASE_TTL_MS
        assert found["staging_txn_id"] == lease.txn_id
        assert found["released"] is False
        assert {key: found[key] for key in this_process().document()} == this_process().document()
        assert found["started_at"].endswith("Z")
        assert found["last_heartbeat_at"].endswith("Z")
        assert not os.path.exists(layout.guard)


@pytest.mark.requirement("LEASE.1")
def test_a_held_lease_is_busy_and_says_when_to_try_again(layout: Layout) -> None:
    with WriterLease.acquire(layout) as lease:
        before = Path(layout.lease).read_bytes()
        with pytest.raises(BusyError) as caught:
            WriterLease.acquire(layout)
        assert caught.value.retry_after_ms is not None
        assert 50 <= caught.value.retry_after_ms <= 1000
        assert str(os.getpid()) in caught.value.message
        assert Path(layout.lease).read_bytes() == before
        lease.check()


@pytest.mark.requirement("LEASE.2")
def test_a_release_keeps_the_epoch_and_the_next_owner_raises_it(layout: Layout) -> None:
    for epoch in (1, 2, 3):
        with WriterLease.acquire(layout) as lease:
            assert lease.epoch == epoch
        assert (state(layout).epoch, state(layout).released) == (epoch, True)


@pytest.mark.requirement("LEASE.2")
def test_a_released_lease_is_not_ours_any_more(layout: Layout) -> None:
    lease = WriterLease.acquire(layout)
    lease.release()
    with pytest.raises(LeaseLostError):
        lease.check()


@pytest.mark.requirement("LEASE.3")
def test_the_heartbeat_renews_the_lease_within_a_third_of_its_time(
    layout: Layout, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CAIRN_LEASE_TTL_MS", "3000")
    asked: list[float | None] = []
    real = threading.Event.wait

    def watched(self: threading.Event, timeout: float | None = None) -> bool:
        # The real pause of a second would only make the test slow: what counts is what was asked for.
        if threading.current_thread().name == "cairn-lease":
            asked.append(timeout)
            return real(self, 0.002)
        return real(self, timeout)

    monkeypatch.setattr(threading.Event, "wait", watched)
    with WriterLease.acquire(layout) as lease:
        first = state(layout)
        until(lambda: state(layout).heartbeat_ns > first.heartbeat_ns)
        again = state(layout)
        assert (again.owner_id, again.epoch, again.started_at) == (lease.owner_id, 1, first.started_at)
    assert asked
    assert all(pause is not None and pause <= 1.0 for pause in asked)


@pytest.mark.requirement("LEASE.2")
def test_a_lease_without_a_heartbeat_for_its_time_is_free_and_not_before(layout: Layout) -> None:
    held_elsewhere(layout)
    with pytest.raises(BusyError):
        WriterLease.acquire(layout)
    beat = time.time_ns() - LEASE_TTL_MS * 1_000_000
    change(layout, last_heartbeat_ns=beat + 60_000_000_000)
    with pytest.raises(BusyError):
        WriterLease.acquire(layout)
    change(layout, last_heartbeat_ns=beat - 1)
    with WriterLease.acquire(layout) as lease:
        assert lease.epoch == 2


@pytest.mark.requirement("LEASE.2")
def test_the_time_to_live_of_the_owner_counts_not_that_of_the_stealer(
    layout: Layout, monkeypatch: pytest.MonkeyPatch
) -> None:
    held_elsewhere(layout)
    change(layout, last_heartbeat_ns=time.time_ns() - 1_000_000_000)
    monkeypatch.setenv("CAIRN_LEASE_TTL_MS", "1")
    with pytest.raises(BusyError):
        WriterLease.acquire(layout)


@pytest.mark.requirement("LEASE.2")
def test_the_lease_of_a_dead_process_is_taken_over_at_once(layout: Layout) -> None:
    subprocess.run((sys.executable, "-c", _DIE_HOLDING, layout.path), check=False)
    dead = state(layout)
    assert not dead.released
    with WriterLease.acquire(layout) as lease:
        assert lease.epoch == dead.epoch + 1


@pytest.mark.requirement("LEASE.2")
@pytest.mark.parametrize("fields", [{"boot_id": "another"}, {"pid_namespace": "pid:[1]"}, {"process_started": None}])
def test_a_process_about_which_nothing_is_proven_keeps_its_lease(layout: Layout, fields: dict[str, object]) -> None:
    subprocess.run((sys.executable, "-c", _DIE_HOLDING, layout.path), check=False)
    change(layout, **fields)
    if fields == {"process_started": None}:
        found = document(layout)
        del found["process_started"]
        Path(layout.lease).write_text(json.dumps(found))
    with pytest.raises(BusyError):
        WriterLease.acquire(layout)


@pytest.mark.requirement("LEASE.2")
@pytest.mark.parametrize("damage", [None, b"", b"{", b"[]", b'{"schema_version": 1}'])
def test_a_lost_or_damaged_lease_file_keeps_epochs_above_those_of_the_manifests(
    layout: Layout, damage: bytes | None
) -> None:
    if damage is not None:
        Path(layout.lease).write_bytes(damage)
    with WriterLease.acquire(layout, epoch_floor=41) as lease:
        assert lease.epoch == 42
        assert state(layout).epoch == 42


@pytest.mark.requirement("LEASE.2")
def test_the_floor_lowers_no_epoch(layout: Layout) -> None:
    held_elsewhere(layout, lease_epoch=99, released=True)
    with WriterLease.acquire(layout, epoch_floor=41) as lease:
        assert lease.epoch == 100


@pytest.mark.slow
@pytest.mark.requirement("LEASE.2")
def test_a_store_looks_for_the_floor_itself_when_the_lease_is_gone(tmp_path: Path) -> None:
    from cairn.codebase.codebase import Codebase
    from cairn.indexing.options import SyncOptions

    (tmp_path / "tree").mkdir()
    with Codebase(str(tmp_path / "tree")) as codebase:
        for number in range(3):
            (tmp_path / "tree" / "a.py").write_text(f"number = {number}\n")
            published = codebase.index(SyncOptions()).manifest
        store = codebase.store()
        os.unlink(store.layout.lease)
        with store.writer() as lease:
            assert lease.epoch > published.lease_epoch >= 3


@pytest.mark.requirement("LEASE.2")
@pytest.mark.requirement("EVO.1")
def test_a_lease_of_a_future_version_is_refused_and_left_alone(layout: Layout) -> None:
    held_elsewhere(layout, released=True)
    change(layout, schema_version=2)
    before = Path(layout.lease).read_bytes()
    with pytest.raises(IncompatibleError, match="writer_lease"):
        WriterLease.acquire(layout)
    assert Path(layout.lease).read_bytes() == before
    assert not os.path.exists(layout.guard)


@pytest.mark.requirement("LEASE.3")
def test_an_owner_that_was_robbed_finds_out(layout: Layout) -> None:
    robbed = WriterLease.acquire(layout)
    change(layout, last_heartbeat_ns=0)
    with WriterLease.acquire(layout) as robber:
        with pytest.raises(LeaseLostError, match="epoch 1"):
            robbed.check()
        robbed.release()
        robber.check()
        assert state(layout).owner_id == robber.owner_id
        assert not state(layout).released


@pytest.mark.requirement("LEASE.3")
def test_a_lease_that_cannot_be_read_for_want_of_descriptors_is_neither_free_nor_lost(layout: Layout) -> None:
    with WriterLease.acquire(layout) as lease:
        with no_descriptors():
            with pytest.raises(OutOfResourcesError):
                read_lease(layout)
            with pytest.raises(OutOfResourcesError):
                lease.check()
        lease.check()


def test_a_heartbeat_without_descriptors_goes_on(layout: Layout, monkeypatch: pytest.MonkeyPatch) -> None:
    """The guard's descriptor is the last one that there is, so the lease itself can't be read."""
    lease = WriterLease.acquire(layout)
    lease.forget()
    beats = iter((False, True))

    @contextlib.contextmanager
    def short(_: Layout) -> Iterator[None]:
        with no_descriptors():
            yield

    with monkeypatch.context() as patched:
        patched.setattr("cairn.store.lease.guard", short)
        patched.setattr(durable, "staged_file", lambda *_, **__: contextlib.nullcontext(lambda: None))
        patched.setattr(lease._stop, "wait", lambda _: next(beats))
        lease._beat()
    assert not list(beats)
    lease.check()
    lease.release()


@contextlib.contextmanager
def no_descriptors() -> Iterator[None]:
    """Nothing can be opened meanwhile; what is open stays so."""
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (3, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)


@pytest.mark.requirement("LEASE.3")
def test_the_heartbeat_of_an_owner_that_was_robbed_writes_nothing_and_ends(
    layout: Layout, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CAIRN_LEASE_TTL_MS", "60")
    robbed = WriterLease.acquire(layout)
    monkeypatch.delenv("CAIRN_LEASE_TTL_MS")
    robbed.forget()
    change(layout, last_heartbeat_ns=0)
    with WriterLease.acquire(layout):
        before = Path(layout.lease).read_bytes()
        robbed._stop.clear()
        robbed._beat()
        assert Path(layout.lease).read_bytes() == before
        with pytest.raises(LeaseLostError):
            robbed.check()


@pytest.mark.requirement("IDX.MUST.002")
@pytest.mark.parametrize("fields", [{"owner_id": "somebody"}, {"lease_epoch": 2}, {"released": True}])
def test_both_owner_and_epoch_have_to_be_ours(layout: Layout, fields: dict[str, object]) -> None:
    with WriterLease.acquire(layout) as lease:
        lease.check()
        change(layout, **fields)
        with pytest.raises(LeaseLostError):
            lease.check()


@pytest.mark.requirement("IDX.MUST.002")
def test_whoever_takes_the_lease_removes_every_staged_pointer_and_nothing_else(layout: Layout) -> None:
    with WriterLease.acquire(layout) as former:
        staged = former.staged_pointer()
        Path(staged).write_text("x")
    Path(layout.pointer).write_text("y")
    with WriterLease.acquire(layout) as lease:
        assert not os.path.exists(staged)
        assert os.path.exists(layout.pointer)
        assert lease.staged_pointer() != staged


@pytest.mark.requirement("LEASE.1")
def test_a_busy_acquire_revokes_nothing(layout: Layout) -> None:
    with WriterLease.acquire(layout) as lease:
        Path(lease.staged_pointer()).write_text("x")
        with pytest.raises(BusyError):
            WriterLease.acquire(layout)
        assert os.path.exists(lease.staged_pointer())


@pytest.mark.requirement("LEASE.2")
@pytest.mark.parametrize(
    ("asked", "given"), [("", LEASE_TTL_MS), ("x", LEASE_TTL_MS), ("999999999", LEASE_TTL_MS), ("-5", 1), ("250", 250)]
)
def test_the_environment_can_only_lower_the_time_to_live(
    monkeypatch: pytest.MonkeyPatch, asked: str, given: int
) -> None:
    monkeypatch.setenv("CAIRN_LEASE_TTL_MS", asked)
    assert lease_ttl_ms() == given


@pytest.mark.requirement("LEASE.1")
def test_a_writer_waits_for_another_as_long_as_it_is_told(layout: Layout) -> None:
    store = Store(layout, Identity("/", "store", "0" * 64, "flat", 4))
    with WriterLease.acquire(layout) as lease:
        with pytest.raises(BusyError), store.writer(wait_s=0.05):
            pass
        releaser = threading.Thread(target=lease.release)
        releaser.start()
        with store.writer(wait_s=30) as next_lease:
            assert next_lease.epoch == 2
        releaser.join()


@pytest.mark.requirement("LEASE.2")
def test_a_heartbeat_from_the_future_holds_only_for_an_owner_that_is_seen_to_live(layout: Layout) -> None:
    now = time.time_ns()
    far = now + 10 * LEASE_TTL_MS * 1_000_000
    elsewhere = replace(this_process(), boot_id="another", hostname="elsewhere")
    found = LeaseState("O", elsewhere, 3, LEASE_TTL_MS, "", far, "T", released=False)
    assert found.is_free(now)
    assert not replace(found, owner=this_process()).is_free(now)
    assert not replace(found, heartbeat_ns=now + LEASE_TTL_MS * 500_000).is_free(now)


@pytest.mark.requirement("LEASE.3")
def test_a_lease_that_cannot_be_written_back_is_removed(layout: Layout, monkeypatch: pytest.MonkeyPatch) -> None:
    lease = WriterLease.acquire(layout)

    def no_space(*_: object, **__: object) -> NoReturn:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        # A disk that fills up at exactly this write can't be arranged.
        patch.setattr(durable, "write_new_file", no_space)
        lease.release()
    assert read_lease(layout) is None
    WriterLease.acquire(layout).release()
