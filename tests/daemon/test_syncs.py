"""Syncs: one a codebase at a time, shared by those who came before it began, with threads of their own."""

import threading
from concurrent.futures import Future

import pytest

from cairn.base.errors import BusyError, CairnError, CancelledError, StorageError
from cairn.base.notes import Note
from cairn.daemon.syncs import Brought, Syncs
from tests.surfaces.http.running import PATIENCE_S


class Gate:
    """Work that waits until it is let go, and counts."""

    def __init__(self) -> None:
        self.begun = threading.Semaphore(0)
        self.go = threading.Event()
        self.count = 0

    def __call__(self) -> Brought:
        self.count += 1
        self.begun.release()
        assert self.go.wait(PATIENCE_S)
        return True, [Note("run", {"count": self.count})]


def notes(future: "Future[Brought]") -> list[str]:
    return [str(note.fields["count"]) for note in future.result(PATIENCE_S)[1]]


def test_who_comes_after_a_sync_began_gets_the_next_one_with_all_who_wait() -> None:
    syncs, work = Syncs(), Gate()
    first = syncs.join("/a", work)
    assert work.begun.acquire(timeout=PATIENCE_S)
    assert syncs.running() == {"/a"}
    later = [syncs.join("/a", work) for _ in range(5)]
    assert len(set(map(id, later))) == 1
    work.go.set()
    assert notes(first) == ["1"]
    assert notes(later[0]) == ["2"]
    syncs.close()
    assert work.count == 2


def test_a_codebase_with_much_to_do_keeps_no_other_from_its_turn() -> None:
    syncs, slow, quick = Syncs(permits=2), Gate(), Gate()
    quick.go.set()
    syncs.join("/slow", slow)
    assert slow.begun.acquire(timeout=PATIENCE_S)
    waiting = syncs.join("/slow", slow)
    assert notes(syncs.join("/quick", quick)) == ["1"]
    assert not waiting.done()
    slow.go.set()
    syncs.close()
    assert waiting.done()


def test_a_failure_reaches_all_who_wait_and_nobody_after_them() -> None:
    def fails() -> Brought:
        raise StorageError("no space")

    syncs, work = Syncs(), Gate()
    work.go.set()
    with pytest.raises(StorageError):
        syncs.join("/a", fails).result(PATIENCE_S)
    assert notes(syncs.join("/a", work)) == ["1"]
    syncs.close()


def test_why_the_last_sync_failed_is_known_until_one_goes_well() -> None:
    syncs = Syncs()
    try:

        def fails() -> Brought:
            raise StorageError("The disk is full.")

        def busy() -> Brought:
            raise BusyError("Another process is at it.")

        for work in (fails, busy):
            with pytest.raises(CairnError):
                syncs.join("/a", work).result(PATIENCE_S)
        assert [failure.message for failure in syncs.failures().values()] == ["The disk is full."]
        syncs.join("/a", lambda: (False, [Note("not_synced", {"message": "busy"})])).result(PATIENCE_S)
        assert set(syncs.failures()) == {"/a"}
        syncs.join("/a", lambda: (True, [])).result(PATIENCE_S)
        assert syncs.failures() == {}
    finally:
        syncs.close()


def test_work_that_calls_itself_off_is_no_end_of_the_daemon() -> None:
    def gives_up() -> Brought:
        raise CancelledError("enough")

    syncs = Syncs()
    with pytest.raises(CancelledError, match="enough"):
        syncs.join("/a", gives_up).result(PATIENCE_S)
    syncs.close()


def test_two_codebases_are_synced_at_once() -> None:
    syncs, work = Syncs(), Gate()
    both = [syncs.join(root, work) for root in ("/a", "/b")]
    for _ in both:
        assert work.begun.acquire(timeout=PATIENCE_S)
    assert syncs.running() == {"/a", "/b"}
    work.go.set()
    assert {len(notes(each)) for each in both} == {1}
    syncs.close()


def test_nobody_is_left_waiting_when_it_ends() -> None:
    syncs, work = Syncs(), Gate()
    first = syncs.join("/a", work)
    assert work.begun.acquire(timeout=PATIENCE_S)
    second = syncs.join("/a", work)
    closing = threading.Thread(target=syncs.close)
    closing.start()
    with pytest.raises(BusyError):
        second.result(PATIENCE_S)
    work.go.set()
    assert notes(first) == ["1"]
    closing.join(PATIENCE_S)
    with pytest.raises(BusyError):
        syncs.join("/a", work)
