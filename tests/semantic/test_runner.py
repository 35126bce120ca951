"""Tools that behave badly: none of them holds its caller, outlives it, or leaves anything running."""

import os
import select
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from cairn.base.environment import child_environment
from cairn.semantic.job import JobFailureCode
from cairn.semantic.runner import Command, NoLongerWantedError, RunLimits, ToolError, run
from tests.semantic.samples import python

FAST = RunLimits(wall_s=30.0)


def command(code: str, *arguments: str) -> Command:
    return Command(python(code, *arguments), "/", child_environment(()))


def failed(given: Command, folder: Path, limits: RunLimits = FAST) -> ToolError:
    with pytest.raises(ToolError) as told:
        run(given, str(folder), limits)
    return told.value


def is_gone(pid: int) -> bool:
    """A process that only waits to be reaped can do nothing any more."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return True
    return state in "ZX"


def assert_ends(pid: int) -> None:
    if not is_gone(pid):
        poll = os.pidfd_open(pid)
        assert select.select([poll], [], [], 20)[0]
        os.close(poll)
    assert is_gone(pid)


def test_what_a_good_tool_said_is_given(tmp_path: Path) -> None:
    assert (
        run(command("print('done', flush=True); import sys; print('well', file=sys.stderr)"), str(tmp_path), FAST)
        == "done\nwell"
    )


@pytest.mark.requirement("JOB.4")
def test_a_crash_is_told_with_the_end_of_what_was_said(tmp_path: Path) -> None:
    told = failed(command("import sys; print('x' * 100_000); sys.exit('out of luck \\x1b[31m')"), tmp_path)
    assert told.code is JobFailureCode.TOOL_CRASHED
    assert "status 1" in told.message
    assert told.log.endswith("out of luck �[31m")
    assert len(told.log) < 5000


@pytest.mark.requirement("JOB.4")
def test_a_tool_that_dies_of_a_signal_crashed(tmp_path: Path) -> None:
    told = failed(command("import os; os.kill(os.getpid(), 11)"), tmp_path)
    assert told.code is JobFailureCode.TOOL_CRASHED
    assert "signal 11" in told.message


@pytest.mark.requirement("JOB.4")
@pytest.mark.parametrize("made", ["missing", "not_executable", "no_program"])
def test_a_tool_that_cannot_be_started_is_missing(tmp_path: Path, made: str) -> None:
    program = tmp_path / "tool"
    if made != "missing":
        program.write_text("no program\n")
        program.chmod(0o600 if made == "not_executable" else 0o700)
    told = failed(Command((str(program),), "/", child_environment(())), tmp_path)
    assert told.code is JobFailureCode.MISSING_TOOL


_HANG = """
import os, sys
child = os.fork()
if child == 0:
    os.pause() if hasattr(os, "pause") else __import__("signal").pause()
with open(sys.argv[1], "w") as file:
    file.write(f"{os.getpid()} {child}")
os.rename(sys.argv[1], sys.argv[1] + ".done")
__import__("signal").pause()
"""


@pytest.mark.slow
@pytest.mark.requirement("JOB.4")
def test_a_tool_that_hangs_is_ended_with_its_children(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    told = failed(command(_HANG, str(pids)), tmp_path, RunLimits(wall_s=2.0))
    assert told.code is JobFailureCode.TOOL_TIMEOUT
    for pid in Path(f"{pids}.done").read_text().split():
        assert_ends(int(pid))


@pytest.mark.slow
def test_a_run_that_is_no_longer_wanted_is_ended(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    done = Path(f"{pids}.done")
    with pytest.raises(NoLongerWantedError):
        run(command(_HANG, str(pids)), str(tmp_path), FAST, tick=lambda: not done.exists())
    for pid in done.read_text().split():
        assert_ends(int(pid))


def test_what_a_tool_leaves_behind_is_ended_too(tmp_path: Path) -> None:
    code = "import os, signal\nchild = os.fork()\nif child == 0: signal.pause()\nprint(child)"
    assert_ends(int(run(command(code), str(tmp_path), FAST)))


@pytest.mark.slow
@pytest.mark.requirement("JOB.4")
def test_a_tool_of_a_killed_worker_is_ended_with_its_children(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    code = f"""
import os, sys
from cairn.semantic.runner import Command, RunLimits, run
def tick():
    if os.path.exists({str(pids) + ".done"!r}):
        print("begun", flush=True)
    return True
command = Command((sys.executable, "-c", {_HANG!r}, {str(pids)!r}), "/", dict(os.environ))
run(command, {str(tmp_path)!r}, RunLimits(), tick)
"""
    with subprocess.Popen(python(code), stdout=subprocess.PIPE, text=True) as worker:
        assert worker.stdout is not None
        assert worker.stdout.readline() == "begun\n"
        worker.send_signal(signal.SIGKILL)
    for pid in Path(f"{pids}.done").read_text().split():
        assert_ends(int(pid))


@pytest.mark.requirement("JOB.4")
def test_memory_is_limited(tmp_path: Path) -> None:
    told = failed(command("x = bytearray(1 << 30)"), tmp_path, RunLimits(wall_s=30.0, memory_bytes=256 << 20))
    assert told.code is JobFailureCode.TOOL_CRASHED
    assert "MemoryError" in told.log


@pytest.mark.requirement("JOB.4")
def test_what_a_tool_writes_is_limited(tmp_path: Path) -> None:
    told = failed(
        command("import sys\nwhile True: sys.stdout.write('x' * 100_000)"),
        tmp_path,
        RunLimits(wall_s=30.0, output_bytes=1 << 20),
    )
    assert told.code is JobFailureCode.TOOL_CRASHED
    assert (tmp_path / "tool.log").stat().st_size <= 1 << 20


def test_a_tool_has_no_input_and_no_descriptor_of_ours(tmp_path: Path) -> None:
    code = "import os, sys; print(repr(sys.stdin.read()), sorted(map(int, os.listdir('/proc/self/fd')))[:-1])"
    assert run(command(code), str(tmp_path), FAST) == "'' [0, 1, 2]"


def test_the_launcher_is_isolated_from_where_it_runs(tmp_path: Path) -> None:
    (tmp_path / "resource.py").write_text("raise SystemExit(3)\n")
    (tmp_path / "select.py").write_text("raise SystemExit(3)\n")
    environment = child_environment(())
    environment["PYTHONPATH"] = str(tmp_path)
    given = Command((sys.executable, "-I", "-c", "print(1)"), str(tmp_path), environment)
    assert run(given, str(tmp_path), FAST) == "1"
