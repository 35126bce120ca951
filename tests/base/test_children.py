"""Forked children: what goes wrong in starting one leaves the parent as it was."""

import os
import signal
import subprocess
import sys
from typing import NoReturn

import pytest

from cairn.base.children import Child


def never(_: int) -> NoReturn:
    raise AssertionError


def test_a_fork_that_fails_leaves_the_process_open_to_signals(monkeypatch: pytest.MonkeyPatch) -> None:
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ())

    def refuse() -> int:
        raise BlockingIOError(11, "no more processes")

    monkeypatch.setattr(os, "fork", refuse)
    with pytest.raises(BlockingIOError):
        Child.fork(never)
    assert signal.pthread_sigmask(signal.SIG_BLOCK, ()) == before


@pytest.mark.slow
def test_a_child_that_fails_to_start_its_work_ends() -> None:
    child = Child.fork(never)
    assert os.waitstatus_to_exitcode(os.waitpid(child.pid, 0)[1]) == 1
    child.end.close()


def test_what_lancedb_says_in_each_child_is_not_printed() -> None:
    """A hook at the fork can't be taken back, so this is a process of its own."""
    program = (
        "import os, warnings\n"
        "from cairn.base.children import Child\n"
        "say = lambda: warnings.warn('lancedb fork support is experimental: more', RuntimeWarning)\n"
        "os.register_at_fork(after_in_child=say)\n"
        "os.register_at_fork(after_in_child=lambda: warnings.warn('another', RuntimeWarning))\n"
        "Child.fork(lambda fd: os._exit(0)).died_of()\n"
    )
    done = subprocess.run((sys.executable, "-c", program), capture_output=True, text=True, check=True)
    assert "another" in done.stderr
    assert "lancedb" not in done.stderr
