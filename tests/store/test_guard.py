"""The lease guard: exclusive among threads and processes, and rescued from whoever leaves it behind."""

import errno
import gc
import json
import os
import shutil
import stat
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from cairn.base.errors import BusyError, LeaseLostError
from cairn.base.owner import this_process
from cairn.store import guard as guard_module
from cairn.store.freeing import removal_lease
from cairn.store.guard import guard, prolong
from cairn.store.layout import Layout, StoreKind, create_layout
from cairn.store.lease import WriterLease
from cairn.store.readers import lock_shared

_DIE_HOLDING = """
import os, signal, sys
from cairn.store.guard import guard
from cairn.store.layout import open_layout
with guard(open_layout(sys.argv[1])):
    os.kill(os.getpid(), signal.SIGKILL)
"""

_COUNT = """
import sys
from cairn.store.guard import guard
from cairn.store.layout import open_layout
layout = open_layout(sys.argv[1])
for _ in range(int(sys.argv[3])):
    with guard(layout):
        with open(sys.argv[2]) as file:
            value = int(file.read())
        with open(sys.argv[2], "w") as file:
            file.write(str(value + 1))
"""


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    return create_layout(str(tmp_path / "home" / "store"), StoreKind.PRIVATE)


def leave_behind(layout: Layout, document: dict[str, object], age_s: float = 0.0) -> None:
    Path(layout.guard).write_text(json.dumps(document))
    then = time.time() - age_s
    os.utime(layout.guard, (then, then))


def of_another_boot() -> dict[str, object]:
    return this_process().document() | {"boot_id": "another"}


@pytest.mark.requirement("LEASE.1")
def test_the_guard_is_a_file_that_names_its_holder_and_goes_with_it(layout: Layout) -> None:
    with guard(layout):
        document = json.loads(Path(layout.guard).read_bytes())
        assert {key: document[key] for key in this_process().document()} == this_process().document()
        assert document["created_at_ns"] <= time.time_ns()
        assert stat.S_IMODE(os.stat(layout.guard).st_mode) == 0o600
    assert not os.path.exists(layout.guard)


@pytest.mark.requirement("LEASE.1")
def test_the_guard_goes_also_when_the_section_fails(layout: Layout) -> None:
    with pytest.raises(ZeroDivisionError), guard(layout):
        raise ZeroDivisionError
    assert not os.path.exists(layout.guard)


@pytest.mark.requirement("LEASE.1")
def test_threads_exclude_each_other(layout: Layout) -> None:
    inside, most = 0, 0
    failures: list[BaseException] = []

    def work() -> None:
        nonlocal inside, most
        try:
            for _ in range(10):
                with guard(layout):
                    inside += 1
                    most = max(most, inside)
                    os.listdir(layout.path)
                    inside -= 1
        except BaseException as error:  # noqa: BLE001
            failures.append(error)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert most == 1


@pytest.mark.requirement("LEASE.1")
def test_processes_exclude_each_other(layout: Layout, tmp_path: Path) -> None:
    counter = tmp_path / "counter"
    counter.write_text("0")
    children = [subprocess.Popen((sys.executable, "-c", _COUNT, layout.path, str(counter), "40")) for _ in range(3)]
    assert [child.wait(timeout=60) for child in children] == [0, 0, 0]
    assert counter.read_text() == "120"


@pytest.mark.requirement("LEASE.1")
def test_the_guard_of_a_dead_process_is_removed_at_once(layout: Layout, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard_module, "_WAIT_S", 0.0)
    subprocess.run((sys.executable, "-c", _DIE_HOLDING, layout.path), check=False)
    assert os.path.exists(layout.guard)
    with guard(layout):
        assert json.loads(Path(layout.guard).read_bytes())["pid"] == os.getpid()


@pytest.mark.requirement("LEASE.1")
@pytest.mark.parametrize("held", [None, of_another_boot()])
def test_a_guard_of_somebody_unknown_is_removed_after_its_time_and_not_before(
    layout: Layout, monkeypatch: pytest.MonkeyPatch, held: dict[str, object] | None
) -> None:
    monkeypatch.setattr(guard_module, "_WAIT_S", 0.0)
    leave_behind(layout, held or {}, age_s=guard_module.GUARD_TTL_S - 5)
    with pytest.raises(BusyError) as caught, guard(layout):
        pass
    assert caught.value.retry_after_ms == 1000
    leave_behind(layout, held or {}, age_s=guard_module.GUARD_TTL_S + 5)
    with guard(layout):
        pass
    assert not os.path.exists(layout.guard)


@pytest.mark.requirement("LEASE.1")
@pytest.mark.parametrize("data", [b"", b"[1]", b"\xff{"])
def test_an_unreadable_guard_counts_until_its_time_is_over(
    layout: Layout, monkeypatch: pytest.MonkeyPatch, data: bytes
) -> None:
    monkeypatch.setattr(guard_module, "_WAIT_S", 0.0)
    Path(layout.guard).write_bytes(data)
    with pytest.raises(BusyError), guard(layout):
        pass
    os.utime(layout.guard, (1, 1))
    with guard(layout):
        pass


@pytest.mark.requirement("LEASE.1")
def test_a_holder_that_lost_the_guard_removes_nothing_of_its_successor(layout: Layout) -> None:
    with guard(layout) as held:
        assert prolong(layout, held)
        # Whoever takes a guard away makes a file of its own.
        os.unlink(layout.guard)
        leave_behind(layout, of_another_boot())
        assert not prolong(layout, held)
    assert json.loads(Path(layout.guard).read_bytes())["boot_id"] == "another"


@pytest.mark.requirement("STO.22")
def test_a_guard_without_room_for_its_words_is_held_all_the_same(
    layout: Layout, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_fd: int, _data: bytes) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(guard_module, "_WAIT_S", 0.0)
    with monkeypatch.context() as patch:
        patch.setattr(os, "write", full)
        held = guard(layout)
        held.__enter__()
    with pytest.raises(BusyError), guard(layout):
        pass
    held.__exit__(None, None, None)
    assert not os.path.exists(layout.guard)


@pytest.mark.requirement("STO.22")
def test_what_stands_for_a_lease_on_a_full_disk_keeps_writers_out_and_gives_way_to_them(
    layout: Layout, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full() -> WriterLease:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(guard_module, "_WAIT_S", 0.0)
    held = removal_lease(layout, full)
    held.check()
    with pytest.raises(BusyError):
        WriterLease.acquire(layout)
    held.release()
    with WriterLease.acquire(layout), pytest.raises(BusyError):
        removal_lease(layout, full)
    assert not os.path.exists(layout.guard)
    held = removal_lease(layout, full)
    os.unlink(layout.guard)
    with pytest.raises(LeaseLostError):
        held.check()
    held.release()


@pytest.mark.requirement("LEASE.1")
def test_a_holder_whose_guard_is_gone_leaves_in_peace(layout: Layout) -> None:
    with guard(layout):
        os.unlink(layout.guard)
    assert not os.path.exists(layout.guard)


@pytest.mark.requirement("STO.2")
@pytest.mark.requirement("LEASE.1")
def test_in_a_shared_store_every_member_of_the_group_can_use_the_locks(tmp_path: Path) -> None:
    former = os.umask(0o077)
    try:
        layout = create_layout(str(tmp_path / "home" / "shared"), StoreKind.SHARED)
        with guard(layout):
            modes = {
                name: stat.S_IMODE(os.stat(os.path.join(layout.locks, name)).st_mode)
                for name in os.listdir(layout.locks)
            }
        os.close(lock_shared(layout))
        modes["readers.lock"] = stat.S_IMODE(os.stat(layout.readers).st_mode)
    finally:
        os.umask(former)
    assert modes == dict.fromkeys(modes, 0o660)
    assert len(modes) >= 2


@pytest.mark.slow
def test_a_guard_that_went_with_its_store_is_let_go_once(layout: Layout, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_room() -> WriterLease:
        raise OSError(errno.ENOSPC, "No space left on device")

    unraised: list[object] = []
    monkeypatch.setattr(sys, "unraisablehook", unraised.append)
    lease = removal_lease(layout, no_room)
    lease.check()
    shutil.rmtree(layout.path)
    lease.forget()
    del lease
    gc.collect()
    assert unraised == []
