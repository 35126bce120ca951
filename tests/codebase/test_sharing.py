"""Several processes on one codebase: one looks at the tree, and those who asked before it began use what it found."""

import hashlib
import os
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from typing import Any

import pytest

from cairn.base.errors import BusyError
from cairn.codebase import upkeep
from cairn.codebase.codebase import Codebase
from cairn.indexing.options import SyncOptions, SyncResult
from cairn.indexing.sync import sync
from cairn.store import turns
from cairn.store.layout import Layout
from tests.trees import Repo

PATIENCE_S = 30.0


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CAIRN_EMBED_PROVIDER", "hashing")


class Gate:
    """Syncs are counted, and each waits until it is let through."""

    def __init__(self, work: Callable[..., SyncResult]) -> None:
        self._work = work
        self.begun = threading.Semaphore(0)
        self.open = threading.Semaphore(0)
        self.count = 0

    def __call__(self, *arguments: Any) -> SyncResult:
        self.count += 1
        self.begun.release()
        assert self.open.acquire(timeout=PATIENCE_S)
        return self._work(*arguments)


@pytest.fixture
def at_work(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever has the turn is taken for a living writer, however slow this machine is."""
    monkeypatch.setattr(turns, "_is_unwritten", lambda _layout: False)


@pytest.fixture
def servers(repo: Repo) -> Iterator[list[Codebase]]:
    """Codebases that know nothing of each other, as those of several processes."""
    repo.write("a.py", "alpha = 1\n")
    repo.write("b.py", "beta = 1\n")
    repo.commit()
    made = [Codebase(str(repo.path)) for _ in range(4)]
    made[0].index()
    yield made
    for each in made:
        each.close()


def synced(codebase: Codebase, wait_s: float = PATIENCE_S) -> SyncResult:
    return codebase.index(SyncOptions(wait_s=wait_s), create=False)


def layout_of(codebase: Codebase) -> Layout:
    return codebase.store().layout


def waiters(codebase: Codebase) -> int:
    """How many have the lock file open."""
    path = os.path.join(layout_of(codebase).cache, "turn")
    found = 0
    for fd in os.listdir("/proc/self/fd"):
        try:
            found += os.readlink(f"/proc/self/fd/{fd}") == path
        except OSError:
            continue
    return found


@pytest.mark.usefixtures("at_work")
@pytest.mark.requirement("AGT.4")
def test_those_who_wait_share_the_next_sync(
    repo: Repo, servers: list[Codebase], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The one under way began before they asked, and can't serve them; the next one serves all of them."""
    gate = Gate(sync)
    monkeypatch.setattr(upkeep, "sync", gate)
    repo.write("a.py", "alpha = 2\n")
    with ThreadPoolExecutor(4) as pool:
        first = pool.submit(synced, servers[0])
        assert gate.begun.acquire(timeout=PATIENCE_S)
        others = [pool.submit(synced, each) for each in servers[1:]]
        end = time.monotonic() + PATIENCE_S
        while waiters(servers[0]) < 4 and time.monotonic() < end:
            time.sleep(0.01)
        repo.write("b.py", "beta_of_now = 2\n")
        gate.open.release(2)
        results: list[Future[SyncResult]] = [first, *others]
        done = [each.result(PATIENCE_S) for each in results]
    assert gate.count == 2
    assert sorted(result.shared for result in done[1:]) == [False, True, True]
    assert len({result.manifest.snapshot_id for result in done[1:]}) == 1
    for each in servers[1:]:
        with each.view() as view:
            file = view.rows.file("b.py")
            assert file is not None
            assert file.file_hash == hashlib.sha256(b"beta_of_now = 2\n").hexdigest()


def test_a_stopped_process_that_has_the_turn_keeps_nobody_from_looking(repo: Repo, servers: list[Codebase]) -> None:
    with turns.turn(layout_of(servers[0]), "stopped", 0, shares=True):
        repo.write("a.py", "alpha = 4\n")
        assert synced(servers[1], 0.05).published
        with servers[0].store().writer(), pytest.raises(BusyError):
            synced(servers[2], 0.05)


@pytest.mark.slow
@pytest.mark.usefixtures("at_work")
@pytest.mark.requirement("AGT.4")
def test_after_a_while_the_newest_snapshot_answers_and_what_has_changed_is_told(
    repo: Repo, servers: list[Codebase], monkeypatch: pytest.MonkeyPatch
) -> None:
    time.sleep(0.2)  # until stamps are to be trusted
    synced(servers[1])
    gate = Gate(sync)
    monkeypatch.setattr(upkeep, "sync", gate)
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(synced, servers[0])
        assert gate.begun.acquire(timeout=PATIENCE_S)
        # Nobody has to look for a tree that stands: its stamps prove it.
        assert not synced(servers[1], 0.05).published
        repo.write("a.py", "alpha = 3\n")
        with pytest.raises(BusyError, match=r"Another process .* 1 file may have changed since the snapshot"):
            synced(servers[1], 0.05)
        gate.open.release(2)
        assert first.result(PATIENCE_S).published
    assert synced(servers[1]).manifest.snapshot_id == first.result().manifest.snapshot_id


@pytest.mark.slow
def test_a_process_goes_on_from_the_look_of_another(
    repo: Repo, servers: list[Codebase], monkeypatch: pytest.MonkeyPatch
) -> None:
    synced(servers[1])
    for number in range(3):
        time.sleep(0.15)
        repo.write("a.py", f"alpha = {10 + number}\n")
        time.sleep(0.15)
        assert synced(servers[number % 2]).published
        other = servers[1 - number % 2]
        with monkeypatch.context() as patched:
            patched.setattr(other.detector, "detect", None)  # no walk is needed
            assert not synced(other).published


def test_what_demands_a_look_of_its_own_shares_none(servers: list[Codebase]) -> None:
    for options in (
        SyncOptions(reindex=True),
        SyncOptions(verify=True),
        SyncOptions(walks=True),
        SyncOptions(tells=True),
    ):
        assert not options.shares
    assert SyncOptions().shares
    layout = layout_of(servers[0])
    with turns.turn(layout, "me", 0, shares=True) as held:
        pool = ThreadPoolExecutor(1)
        waiting = pool.submit(partial(_turn, layout, shares=False))
        time.sleep(0.05)
        held.is_finished = True
        _write_began(layout, time.monotonic_ns())
        time.sleep(0.05)
        assert not waiting.done()
    assert waiting.result(PATIENCE_S).is_shared is False
    pool.shutdown()


@pytest.mark.parametrize("spoilt", [b"", b"x", b'00000000 ["", 9, 9]\n', b"\xff\xfe", b"[]", b"0" * 5000])
def test_a_lock_that_tells_nothing_is_no_look(servers: list[Codebase], spoilt: bytes) -> None:
    layout = layout_of(servers[0])
    with open(os.path.join(layout.cache, "turn"), "wb") as file:
        file.write(spoilt)
    assert _turn(layout).is_shared is False
    assert not synced(servers[1]).shared


def test_a_clock_of_another_boot_says_nothing(servers: list[Codebase], monkeypatch: pytest.MonkeyPatch) -> None:
    layout = layout_of(servers[0])
    _write_began(layout, time.monotonic_ns() + 10**12)
    assert _turn(layout).is_shared is True
    monkeypatch.setattr(turns, "_clock", lambda: "another boot")
    assert _turn(layout).is_shared is False
    monkeypatch.setattr(turns, "_clock", lambda: "")
    _write_began(layout, time.monotonic_ns() + 10**12)
    assert _turn(layout).is_shared is False


def test_a_child_that_was_forked_in_a_turn_holds_nobody_up(servers: list[Codebase]) -> None:
    layout = layout_of(servers[0])
    read, write = os.pipe()
    with turns.turn(layout, "me", 0, shares=True):
        child = os.fork()
        if not child:
            os.close(write)
            os.read(read, 1)
            os._exit(0)
    os.close(read)
    assert not _turn(layout).is_shared
    os.close(write)
    os.waitpid(child, 0)


def test_a_store_that_nobody_may_write_to_is_looked_at_without_a_turn(
    servers: list[Codebase], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object) -> int:
        raise PermissionError(13, "denied")

    monkeypatch.setattr(Layout, "open_lock", refused)
    had = _turn(layout_of(servers[0]))
    assert not had.is_shared


def _turn(layout: Layout, *, shares: bool = True) -> turns.Turn:
    with turns.turn(layout, "me", PATIENCE_S, shares=shares) as had:
        return had


def _write_began(layout: Layout, began_ns: int) -> None:
    fd = os.open(os.path.join(layout.cache, "turn"), os.O_RDWR | os.O_CREAT)
    turns.write_turn(fd, turns.LastTurn(turns._clock(), began_ns, "another", 0))
    os.close(fd)


def test_a_look_that_failed_serves_nobody(servers: list[Codebase]) -> None:
    layout = layout_of(servers[0])
    os.unlink(os.path.join(layout.cache, "turn"))
    for finished in (False, True):
        with turns.turn(layout, "me", 0, shares=True) as held:
            held.is_finished = finished
        fd = os.open(os.path.join(layout.cache, "turn"), os.O_RDONLY)
        try:
            assert (turns.last_turn(fd) is not None) is finished
        finally:
            os.close(fd)
