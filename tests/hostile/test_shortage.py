"""Running out of descriptors, memory, threads or disk is told as that: exit code 15 and what mends it."""

import errno
import os
import resource
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from cairn.base.errors import BusyError, CairnError, CorruptStoreError, StorageError
from cairn.base.shortage import shortage_of
from tests.trees import Repo, cairn

_FALSE = ("damage", "corrupt", "defect", "cairn repair", "Traceback", "OpenBLAS", "memory allocation", "backtrace")


@pytest.fixture
def indexed(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> Repo:
    monkeypatch.setenv("CAIRN_EMBED_PROVIDER", "hashing")
    for number in range(4):
        repo.write(f"f{number}.py", f"def f{number}():\n    return 'needle_{number}'\n")
    assert cairn("index", cwd=repo.path).returncode == 0
    repo.write("more.py", "x = 1\n")
    return repo


def limited(repo: Repo, limit: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """A command beneath a limit of the shell's."""
    command = ("sh", "-c", f'ulimit {limit} && exec "$@"', "sh", sys.executable, "-m", "cairn", *arguments)
    return subprocess.run(command, cwd=repo.path, capture_output=True, text=True, timeout=120, check=False)


def assert_told(done: subprocess.CompletedProcess[str], limit: str) -> None:
    """It worked, or it says what is short and how to get more."""
    shown = (done.stdout + done.stderr).replace("nothing is damaged", "")
    assert done.returncode in (0, 15), (limit, shown)
    assert not [word for word in _FALSE if word in shown], (limit, shown)
    if done.returncode == 15:
        assert "ulimit" in shown, (limit, shown)


@pytest.mark.slow
@pytest.mark.sampled
@pytest.mark.requirement("STO.22")
@pytest.mark.parametrize(("limit", "command"), [("-n 12", "index"), ("-f 8", "index"), ("-v 60000", "status")])
def test_a_shortage_is_told_with_exit_code_15_and_mended_by_a_higher_limit(
    indexed: Repo, limit: str, command: str
) -> None:
    done = limited(indexed, limit, command)
    assert done.returncode == 15, done
    assert_told(done, limit)
    assert cairn(command, cwd=indexed.path).returncode == 0


@pytest.mark.slow
@pytest.mark.requirement("STO.22")
@pytest.mark.parametrize("kilobytes", [60_000, 100_000, 150_000, 200_000, 300_000, 500_000])
def test_native_code_that_gets_no_memory_has_not_the_last_word(indexed: Repo, kilobytes: int) -> None:
    for command in ("index --reindex", "search needle --no-sync"):
        assert_told(limited(indexed, f"-v {kilobytes}", *command.split()), f"-v {kilobytes}")
    assert cairn("index", cwd=indexed.path).returncode == 0
    assert cairn("health", cwd=indexed.path).returncode == 0


@pytest.mark.requirement("STO.22")
@pytest.mark.parametrize(("last", "code"), [("os.abort()", 15), ("os._exit(1)", 15), ("sys.exit(7)", 7)])
def test_a_process_that_ends_without_a_word_of_ours_is_reported_as_short_of_memory(last: str, code: int) -> None:
    text = f"""
import os, sys
from cairn.program.limited import run_limited
def run():
    os.write(2, b"ours\\nOpenBLAS error: no memory\\n")
    {last}
sys.exit(run_limited(run, ()))
"""
    done = subprocess.run((sys.executable, "-c", text), capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == code, done
    assert done.stderr.startswith("ours\n")
    assert ("OpenBLAS" in done.stderr) is (code == 7)
    assert ("There is not enough memory." in done.stderr) is (code == 15)


@pytest.mark.slow
@pytest.mark.requirement("STO.22")
@pytest.mark.parametrize("command", ["search needle --no-sync", "index", "status", "health", "repair", "symbol f1"])
def test_few_descriptors_are_never_told_as_damage(indexed: Repo, command: str) -> None:
    codes = set()
    for count in (7, 9, 11, 12, 13, 14, 15, 17, 24):
        done = limited(indexed, f"-n {count}", *command.split())
        assert_told(done, f"-n {count}")
        codes.add(done.returncode)
    assert 15 in codes
    assert cairn("health", cwd=indexed.path).returncode == 0


@pytest.mark.slow
@pytest.mark.requirement("STO.22")
def test_a_disk_without_room_is_told_as_full(indexed: Repo, tmp_path: Path) -> None:
    place = tmp_path / "small"
    place.mkdir()
    mounted = shutil.which("mount") and subprocess.run(
        ("mount", "-t", "tmpfs", "-o", "size=40k", "tmpfs", str(place)), capture_output=True, check=False
    )
    if not mounted or mounted.returncode:
        pytest.skip("this user can mount no file system of a small size")
    try:
        done = cairn("index", cwd=indexed.path, CAIRN_HOME=str(place / "home"))
    finally:
        subprocess.run(("umount", str(place)), check=True)
    assert done.returncode == 15, done
    assert "The disk is full" in done.stderr
    assert "Free some space" in done.stderr


def _caused(error: CairnError, cause: BaseException) -> CairnError:
    error.__cause__ = cause
    return error


def _of_sqlite(code: int) -> sqlite3.Error:
    error = sqlite3.OperationalError("unable to open database file")
    error.sqlite_errorcode = code
    return error


@pytest.fixture
def without_descriptors() -> Iterator[None]:
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    used = os.open(os.devnull, os.O_RDONLY)
    os.close(used)
    resource.setrlimit(resource.RLIMIT_NOFILE, (used, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, before)


@pytest.mark.requirement("STO.22")
@pytest.mark.parametrize(
    ("error", "code"),
    [
        (OSError(errno.EMFILE, "x"), "out_of_resources"),
        (OSError(errno.ENFILE, "x"), "out_of_resources"),
        (OSError(errno.ENOMEM, "x"), "out_of_resources"),
        (OSError(errno.EFBIG, "x"), "out_of_resources"),
        (BlockingIOError(errno.EAGAIN, "x"), "out_of_resources"),
        (OSError(errno.ENOSPC, "x"), "disk_full"),
        (OSError(errno.EDQUOT, "x"), "disk_full"),
        (MemoryError(), "out_of_resources"),
        (RuntimeError("can't start new thread"), "out_of_resources"),
        (ValueError("System error.'Failed to spawn segment merging thread'"), "out_of_resources"),
        (ValueError("An IO error occurred: 'Too many open files (os error 24)'"), "out_of_resources"),
        (_of_sqlite(sqlite3.SQLITE_FULL), "disk_full"),
        (_of_sqlite(sqlite3.SQLITE_NOMEM), "out_of_resources"),
        (_of_sqlite(sqlite3.SQLITE_CANTOPEN), None),
        (_caused(CorruptStoreError("x"), OSError(errno.EMFILE, "x")), "out_of_resources"),
        (_caused(StorageError("x"), OSError(errno.ENOSPC, "x")), "disk_full"),
        (_caused(StorageError("x"), BlockingIOError(errno.EAGAIN, "x")), "out_of_resources"),
        (ValueError("An IO error occurred: 'Resource temporarily unavailable (os error 11)'"), "out_of_resources"),
        (_caused(BusyError("held"), BlockingIOError(errno.EAGAIN, "x")), None),
        (CorruptStoreError("rows.sqlite does not match its digest."), None),
        (OSError(errno.EIO, "x"), None),
        (ImportError("no module"), None),
    ],
)
def test_a_shortage_is_found_behind_an_error(error: BaseException, code: str | None) -> None:
    found = shortage_of(error)
    assert (found.code if found is not None else None) == code
    assert found is None or found.hint


@pytest.mark.requirement("STO.22")
@pytest.mark.usefixtures("without_descriptors")
def test_what_sqlite_can_not_open_for_want_of_a_descriptor_is_a_shortage() -> None:
    found = shortage_of(_of_sqlite(sqlite3.SQLITE_CANTOPEN))
    assert found is not None
    assert "descriptors" in found.message
