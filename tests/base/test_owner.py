"""Who is proven dead, and who only might be."""

import builtins
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from cairn.base.owner import Owner, is_proven_dead, owner_from, this_process


@pytest.fixture
def child() -> Iterator[subprocess.Popen[bytes]]:
    """A process that lives until its input ends."""
    process = subprocess.Popen((sys.executable, "-c", "input()"), stdin=subprocess.PIPE)
    yield process
    process.kill()
    process.communicate()


def owner_of(pid: int) -> Owner:
    with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
        started = file.read().rpartition(")")[2].split()[19]
    return replace(this_process(), pid=pid, started=started)


def test_this_process_is_told_by_pid_start_boot_and_namespace() -> None:
    me = this_process()
    assert me.pid == os.getpid()
    assert me.started.isdigit()
    assert len(me.boot_id) == 36
    assert me.pid_namespace == os.readlink("/proc/self/ns/pid")
    assert me.hostname == os.uname().nodename


def test_a_document_gives_the_owner_back() -> None:
    assert owner_from(this_process().document()) == this_process()


@pytest.mark.parametrize("field", ["pid", "process_started", "boot_id", "pid_namespace", "hostname"])
def test_a_document_that_lacks_a_field_names_nobody(field: str) -> None:
    document = this_process().document()
    del document[field]
    assert owner_from(document) is None


@pytest.mark.requirement("LEASE.2")
def test_a_living_process_is_not_dead(child: subprocess.Popen[bytes]) -> None:
    assert not is_proven_dead(this_process())
    assert not is_proven_dead(owner_of(child.pid))


@pytest.mark.requirement("LEASE.2")
def test_a_process_that_is_gone_is_proven_dead(child: subprocess.Popen[bytes]) -> None:
    owner = owner_of(child.pid)
    child.communicate(b"\n")
    assert is_proven_dead(owner)


@pytest.mark.requirement("LEASE.2")
def test_a_process_that_only_waits_to_be_reaped_is_proven_dead(child: subprocess.Popen[bytes]) -> None:
    owner = owner_of(child.pid)
    child.kill()
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
    assert os.path.exists(f"/proc/{child.pid}")
    assert is_proven_dead(owner)


@pytest.mark.requirement("LEASE.2")
def test_a_reused_pid_is_told_by_its_start_time() -> None:
    me = this_process()
    assert is_proven_dead(replace(me, started=str(int(me.started) - 1)))


@pytest.mark.requirement("LEASE.2")
@pytest.mark.parametrize(
    "change",
    [
        {"boot_id": "00000000-0000-0000-0000-000000000000"},
        {"boot_id": ""},
        {"pid_namespace": "pid:[1]"},
        {"pid_namespace": ""},
        {"started": ""},
    ],
)
def test_a_missing_process_of_another_boot_or_namespace_proves_nothing(
    child: subprocess.Popen[bytes], change: dict[str, Any]
) -> None:
    owner = owner_of(child.pid)
    child.communicate(b"\n")
    assert not is_proven_dead(replace(owner, **change))


@pytest.mark.requirement("LEASE.2")
def test_nobody_is_not_dead() -> None:
    assert not is_proven_dead(None)


@pytest.mark.requirement("LEASE.2")
@pytest.mark.parametrize("error", [PermissionError(13, "hidden"), FileNotFoundError(2, "hidden"), OSError(24, "many")])
def test_a_living_process_whose_proc_entry_cannot_be_read_is_not_dead(
    child: subprocess.Popen[bytes], monkeypatch: pytest.MonkeyPatch, error: OSError
) -> None:
    # /proc mounted with hidepid hides other users' processes; to mount it so takes rights that tests lack.
    owner = owner_of(child.pid)
    real = builtins.open

    def hiding(path: Any, *arguments: Any, **options: Any) -> Any:
        if path == f"/proc/{child.pid}/stat":
            raise error
        return real(path, *arguments, **options)

    monkeypatch.setattr(builtins, "open", hiding)
    assert not is_proven_dead(owner)


def test_a_command_name_with_parentheses_and_blanks_does_not_confuse_the_start_time(
    child: subprocess.Popen[bytes],
) -> None:
    code = "import ctypes, sys; ctypes.CDLL(None).prctl(15, b'a) Z (b 1', 0, 0, 0); print(flush=True); input()"
    renamed = subprocess.Popen((sys.executable, "-c", code), stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        assert renamed.stdout is not None
        renamed.stdout.readline()
        assert not is_proven_dead(owner_of(renamed.pid))
    finally:
        renamed.communicate(b"\n")
