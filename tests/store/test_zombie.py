"""Writers that were stopped, robbed of the lease and woken up again: they may fail, never overwrite."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from cairn.codebase.codebase import Codebase
from cairn.indexing.options import SyncOptions
from cairn.store.audit import audit
from cairn.store.health import Level, check_store
from cairn.store.layout import Layout
from cairn.store.lease import read_lease
from cairn.store.recovery import newest_first, read_pointer
from tests.trees import Repo, write

pytestmark = pytest.mark.slow

OLD = "old_word = 1\n"
ZOMBIE = "zombie_word = 2\n"
ROBBER = "robber_word = 3\n"
BUSY = 10

Start = Callable[..., subprocess.Popen[str]]


@pytest.fixture
def codebase(repo: Repo) -> Iterator[Codebase]:
    """An indexed repository."""
    write(repo.path, "kept.py", "kept_word = 0\n")
    write(repo.path, "a.py", OLD)
    with Codebase(str(repo.path)) as codebase:
        codebase.index(SyncOptions())
        yield codebase


@pytest.fixture
def start() -> Iterator[Start]:
    """Start a process that stops itself; whatever becomes of the test, it ends."""
    started: list[subprocess.Popen[str]] = []

    def run(*arguments: str, **environment: str) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            (sys.executable, *arguments),
            env=os.environ | environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            # A runner in the background may ignore SIGINT, which children would inherit.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
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


def go_on(process: subprocess.Popen[str]) -> tuple[int, str]:
    process.send_signal(signal.SIGCONT)
    output, errors = process.communicate(timeout=60)
    return process.returncode, output + errors


def let_the_times_to_live_pass(layout: Layout) -> None:
    """Age the lease and the guard in place: waiting for it would take two minutes."""
    document = json.loads(Path(layout.lease).read_bytes())
    Path(layout.lease).write_text(json.dumps(document | {"last_heartbeat_ns": 0}))
    if os.path.exists(layout.guard):
        os.utime(layout.guard, (1, 1))


def rob(codebase: Codebase) -> str:
    """Take the lease over and publish something else; the id of what is active then."""
    let_the_times_to_live_pass(codebase.store().layout)
    write(Path(codebase.root.path), "a.py", ROBBER)
    result = codebase.index(SyncOptions(verify=True))
    assert result.published
    return result.manifest.snapshot_id


def text_of(codebase: Codebase, name: str = "a.py") -> str:
    with codebase.view() as view:
        assert view.recovered == ""
        assert audit(view) == []
        return "".join(row.text for row in view.rows.of(name) if row.kind == "text")


def assert_all_is_the_robbers(codebase: Codebase, snapshot_id: str) -> None:
    layout = codebase.store().layout
    assert read_pointer(layout) == snapshot_id
    assert text_of(codebase) == ROBBER
    assert text_of(codebase, "kept.py") == "kept_word = 0\n"
    assert [check for check in check_store(layout) if check.level is Level.ERROR] == []
    assert next(newest_first(layout)).snapshot_id == snapshot_id


@pytest.mark.requirement("IDX.MUST.002")
@pytest.mark.requirement("LEASE.3")
@pytest.mark.parametrize(
    "point",
    [
        "staging.created",
        "segment.synced",
        "segment.moved",
        "publish.manifest_written",
        "publish.pointer_staged",
        "publish.lease_checked",
    ],
)
def test_a_writer_that_was_robbed_before_its_swap_fails_and_damages_nothing(
    codebase: Codebase, start: Start, point: str
) -> None:
    write(Path(codebase.root.path), "a.py", ZOMBIE)
    zombie = start("-m", "cairn", "index", "--json", codebase.root.path, CAIRN_STOP_AT=point)
    assert text_of(codebase) == OLD
    robbed = rob(codebase)
    code, output = go_on(zombie)
    assert code == BUSY, output
    assert json.loads(output)["error"]["code"] == "lease_lost"
    assert_all_is_the_robbers(codebase, robbed)
    layout = codebase.store().layout
    left = [manifest.snapshot_id for manifest in newest_first(layout)]
    assert left[0] == read_pointer(layout), "what the zombie left never counts as newer"
    assert os.listdir(layout.staging) == []
    assert not [name for name in os.listdir(layout.path) if ".staged-" in name]


@pytest.mark.requirement("IDX.MUST.002")
def test_a_writer_that_was_robbed_right_after_its_swap_says_that_it_does_not_know(
    codebase: Codebase, start: Start
) -> None:
    """Its snapshot was published: the robber starts from it, and nothing of either is lost."""
    write(Path(codebase.root.path), "b.py", ZOMBIE)
    zombie = start("-m", "cairn", "index", "--json", codebase.root.path, CAIRN_STOP_AT="publish.pointer_swapped")
    assert text_of(codebase, "b.py") == ZOMBIE
    robbed = rob(codebase)
    code, output = go_on(zombie)
    assert code == BUSY
    assert json.loads(output)["error"]["code"] == "unknown_outcome"
    assert_all_is_the_robbers(codebase, robbed)
    assert text_of(codebase, "b.py") == ZOMBIE


@pytest.mark.requirement("STO.5")
@pytest.mark.parametrize("point", ["publish.lease_checked", "publish.pointer_swapped", "publish.state_written"])
def test_an_interrupt_around_the_swap_leaves_a_whole_snapshot_active(
    codebase: Codebase, start: Start, point: str
) -> None:
    write(Path(codebase.root.path), "a.py", ZOMBIE)
    writer = start("-m", "cairn", "index", codebase.root.path, CAIRN_STOP_AT=point)
    writer.send_signal(signal.SIGINT)
    go_on(writer)
    # The system may hand the signal to another thread, so the swap may still come before the interrupt is seen.
    assert text_of(codebase) in ((OLD, ZOMBIE) if point == "publish.lease_checked" else (ZOMBIE,))
    assert rob(codebase) == read_pointer(codebase.store().layout)


@pytest.mark.requirement("IDX.MUST.002")
def test_a_writer_interrupted_after_its_swap_takes_nothing_from_the_robber_that_built_on_it(
    codebase: Codebase, start: Start
) -> None:
    write(Path(codebase.root.path), "b.py", ZOMBIE)
    zombie = start("-m", "cairn", "index", codebase.root.path, CAIRN_STOP_AT="publish.pointer_swapped")
    robbed = rob(codebase)
    zombie.send_signal(signal.SIGINT)
    go_on(zombie)
    assert_all_is_the_robbers(codebase, robbed)
    assert text_of(codebase, "b.py") == ZOMBIE


@pytest.mark.requirement("LEASE.3")
def test_a_stopped_writer_that_nobody_robs_just_goes_on(codebase: Codebase, start: Start) -> None:
    write(Path(codebase.root.path), "a.py", ZOMBIE)
    writer = start("-m", "cairn", "index", codebase.root.path, CAIRN_STOP_AT="publish.lease_checked")
    code, output = go_on(writer)
    assert code == 0, output
    assert text_of(codebase) == ZOMBIE


# No named point lies between the look at the lease and the rename that replaces it: the child stops there by itself.
_STOP_BEFORE_RENAME = """
import os, signal, sys
rename, renames = os.rename, []
def stopping(source, target):
    if os.path.basename(target) == "writer_lease.json":
        with open(source, "rb") as file:
            released = b'"released": true' in file.read()
        renames.append(released)
        if {"acquire": len(renames) == 1, "beat": len(renames) == 2, "release": released}[sys.argv[1]]:
            os.kill(os.getpid(), signal.SIGSTOP)
    rename(source, target)
os.rename = stopping
from cairn.program.start import main
sys.exit(main([*sys.argv[2].split(), sys.argv[3]]))
"""


@pytest.mark.requirement("LEASE.1")
@pytest.mark.requirement("LEASE.2")
@pytest.mark.parametrize("where", ["acquire", "beat", "release"])
def test_a_stopped_lease_update_does_not_overwrite_the_lease_that_was_taken_over_since(
    codebase: Codebase, start: Start, where: str
) -> None:
    write(Path(codebase.root.path), "a.py", ZOMBIE)
    layout = codebase.store().layout
    # A beat at every third of a millisecond: the second write of the lease is one.
    ttl = {"CAIRN_LEASE_TTL_MS": "1"} if where == "beat" else {}
    # A collection doesn't wait for the lease, so that one which lost it ends at once.
    command = "index" if where == "beat" else "gc --force"
    zombie = start("-c", _STOP_BEFORE_RENAME, where, command, codebase.root.path, **ttl)
    let_the_times_to_live_pass(layout)
    with codebase.store().writer() as lease:
        go_on(zombie)
        lease.check()
        assert lease.is_ours()
    state = read_lease(layout)
    assert state is not None
    assert state.epoch >= lease.epoch
    robbed = rob(codebase)
    epochs = [manifest.lease_epoch for manifest in newest_first(layout)]
    assert len(set(epochs)) == len(epochs)
    assert_all_is_the_robbers(codebase, robbed)


_ACQUIRE_ONCE = """
import os, signal, sys
from cairn.base.errors import BusyError
from cairn.store.lease import WriterLease
from cairn.store.layout import open_layout
layout = open_layout(sys.argv[1])
assert layout is not None
sys.stdin.read()
try:
    lease = WriterLease.acquire(layout)
    print(lease.epoch, flush=True)
except BusyError:
    print("busy", flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


@dataclass(frozen=True, slots=True)
class Stealers:
    processes: tuple[subprocess.Popen[str], ...]

    @classmethod
    def start(cls, path: str, count: int, code: str) -> "Stealers":
        return cls(
            tuple(
                subprocess.Popen(
                    (sys.executable, "-c", code, path), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
                )
                for _ in range(count)
            )
        )

    def answers(self) -> list[str]:
        """Let all of them go at once."""
        for process in self.processes:
            assert process.stdin is not None
            process.stdin.close()
            process.stdin = None
        return [process.communicate(timeout=60)[0].strip() for process in self.processes]


@pytest.mark.requirement("LEASE.1")
def test_of_many_stealers_of_one_stale_lease_exactly_one_wins(codebase: Codebase) -> None:
    """The winners live on, so that no second one may take it: nobody is proven dead before the count."""
    layout = codebase.store().layout
    living = _ACQUIRE_ONCE.replace("os.kill(os.getpid(), signal.SIGKILL)", "os.read(0, 1)").replace(
        "sys.stdin.read()", "sys.stdin.readline()"
    )
    first = subprocess.run(
        (sys.executable, "-c", _ACQUIRE_ONCE, layout.path), stdin=subprocess.DEVNULL, capture_output=True, text=True
    )
    stale = int(first.stdout)
    stealers = [
        subprocess.Popen(
            (sys.executable, "-c", living, layout.path),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(6)
    ]
    for process in stealers:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    answers = [process.stdout.readline().strip() for process in stealers if process.stdout is not None]
    for process in stealers:
        process.communicate(timeout=60)
    assert sorted(answers) == sorted([str(stale + 1), *["busy"] * 5])


@pytest.mark.requirement("LEASE.1")
@pytest.mark.requirement("LEASE.2")
def test_stealers_of_dead_owners_get_epochs_that_are_distinct_and_grow(codebase: Codebase) -> None:
    """Each dies right after it won, so that the next one steals from it."""
    layout = codebase.store().layout
    before = read_lease(layout)
    assert before is not None
    answers = Stealers.start(layout.path, 6, _ACQUIRE_ONCE).answers()
    epochs = sorted(int(answer) for answer in answers if answer != "busy")
    assert epochs == list(range(before.epoch + 1, before.epoch + 1 + len(epochs)))
    after = read_lease(layout)
    assert after is not None
    assert after.epoch == epochs[-1]


_ACQUIRE_WITHIN_BOUNDS = """
import sys
from cairn.base.errors import BusyError
from cairn.store import guard
from cairn.store.lease import WriterLease
from cairn.store.layout import open_layout
guard._WAIT_S = 0.5
layout = open_layout(sys.argv[1])
try:
    WriterLease.acquire(layout)
except BusyError:
    print("busy")
"""


@pytest.mark.requirement("LEASE.1")
def test_a_writer_stopped_while_it_makes_the_guard_does_not_block_others_for_ever(
    codebase: Codebase, start: Start
) -> None:
    write(Path(codebase.root.path), "a.py", ZOMBIE)
    start("-m", "cairn", "index", codebase.root.path, CAIRN_STOP_AT="lease.guard_created")
    done = subprocess.run(
        (sys.executable, "-c", _ACQUIRE_WITHIN_BOUNDS, codebase.store().layout.path),
        capture_output=True,
        text=True,
        timeout=10,
    )
    assert done.returncode == 0
    assert done.stdout in ("", "busy\n")
