"""Several writers of one store: who waits looks again, keeps nobody out, and needs no lease to do nothing."""

import hashlib
import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import pytest

from cairn.base.errors import BusyError, PublishRefusedError
from cairn.base.ulid import new_ulid
from cairn.codebase.codebase import Codebase
from cairn.indexing.options import SyncOptions, SyncResult
from cairn.store import gate
from cairn.store import store as stores
from cairn.store.readers import exclusive_readers
from cairn.store.staging import Staging
from cairn.workspace import memory
from tests.notes import command_hint
from tests.trees import Repo


@contextmanager
def waiting(codebase: Codebase, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[SyncResult]]:
    """A sync that has looked at the tree and waits for a lease that is held as long as the block runs."""
    found: list[SyncResult] = []
    looks = threading.Event()
    detect = codebase.detector.detect

    def seen(*arguments: object, **named: object) -> object:
        looked = detect(*arguments, **named)  # type: ignore[arg-type]
        looks.set()
        return looked

    monkeypatch.setattr(codebase.detector, "detect", seen)
    work = threading.Thread(target=lambda: found.append(codebase.index(SyncOptions(wait_s=60.0))))
    with codebase.store().writer():
        work.start()
        assert looks.wait(60)
        yield found
    work.join(60)


@pytest.mark.slow
def test_a_tree_that_moved_during_the_wait_is_looked_at_again(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    repo.write("a.py", "one = 1\n")
    repo.write("b.py", "one = 1\n")
    repo.commit()
    with Codebase(str(repo.path)) as codebase:
        codebase.index()
        repo.write("a.py", "two = 2\n")
        repo.commit()
        with waiting(codebase, monkeypatch) as found:
            repo.write("a.py", "three = 3\n")
            repo.write("b.py", "three = 3\n")
            head = repo.commit()
        with codebase.view() as view:
            hashes = {file.path_key: file.file_hash for file in view.files()}
    assert found[0].manifest.git.head_sha == head
    assert hashes["a.py"] == hashes["b.py"] == hashlib.sha256(b"three = 3\n").hexdigest()


@pytest.mark.slow
def test_who_waits_for_the_lease_keeps_no_collector_out(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    repo.write("a.py", "one = 1\n")
    with Codebase(str(repo.path)) as codebase:
        codebase.index()
        repo.write("a.py", "two = 2\n")
        with waiting(codebase, monkeypatch):
            # It has just looked, and is about to let go of what it looked at.
            for last in (*[False] * 400, True):
                try:
                    with exclusive_readers(codebase.store().layout):
                        break
                except BusyError:
                    assert not last
                    time.sleep(0.05)


@pytest.mark.slow
def test_nothing_to_do_is_done_beside_a_writer_at_work(repo: Repo) -> None:
    repo.write("a.py", "one = 1\n")
    with Codebase(str(repo.path)) as codebase:
        codebase.index()
        layout = codebase.store().layout
        with codebase.store().writer():
            staging = Staging(layout, new_ulid())
            assert codebase.store().is_tidy()
            assert not codebase.index(SyncOptions(wait_s=0.0)).published
        staging.remove()


def edit_for_ever(codebase: Codebase, repo: Repo) -> None:
    for number in count():
        repo.write("a.py", f"number = {number}\n")
        codebase.index()


@pytest.mark.slow
def test_a_store_that_readers_let_fill_up_is_tidied_before_the_next_publish(
    repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gate, "MAX_SEGMENTS_REFERENCED", 40)
    monkeypatch.setattr(stores, "_TIDY_WAIT_S", 0.0)
    with Codebase(str(repo.path)) as codebase:
        repo.write("a.py", "number = 0\n")
        codebase.index()
        with codebase.view(), pytest.raises(PublishRefusedError, match="segments referenced") as refused:
            edit_for_ever(codebase, repo)
        assert "cairn gc --force" in command_hint(refused.value.hint)
        repo.write("a.py", "number = 100\n")
        assert codebase.index().published


@pytest.mark.parametrize("body", [b"[1,2]", b"{}", b"[1,2,3]", b'["x",[],[[]]]', b"7", b"[" * 5000 + b"]" * 5000])
def test_a_scan_memory_of_another_shape_is_no_memory(body: bytes) -> None:
    head = f"cairn-scan-2 {hashlib.sha256(body).hexdigest()}\n".encode()
    assert vars(memory.decode(head + body, "x")) == vars(memory.Memory())


@pytest.mark.slow
def test_a_fifo_in_place_of_the_scan_memory_keeps_nobody_waiting(repo: Repo) -> None:
    repo.write("a.py", "one = 1\n")
    with Codebase(str(repo.path)) as codebase:
        codebase.index()
        path = Path(codebase.store().layout.cache) / "scan.json"
    path.unlink(missing_ok=True)
    os.mkfifo(path)
    with Codebase(str(repo.path)) as codebase:
        assert not codebase.index().published
