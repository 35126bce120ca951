"""One run of a tool: a child with a process group of its own, limits, and its output in files.

Nothing that a tool does can hold its caller: it has no terminal and no pipe that could fill, its time is limited,
and when it ends, is late or is no longer wanted, its whole group goes.
"""

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence

from cairn.base.environment import ChildEnvironment
from cairn.base.values import dataclass
from cairn.semantic.job import JobFailureCode

_LAUNCHER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "launch.py")
_LOG = "tool.log"
_TAIL_BYTES = 4096
_TICK_S = 0.5
_NOT_STARTED = 127


@dataclass(frozen=True, slots=True)
class RunLimits:
    """How long a tool may run, and how much it may use."""

    wall_s: float = 900.0
    memory_bytes: int = 6 << 30
    """For each process: the data that it can write."""
    output_bytes: int = 4 << 30
    """For each file that it writes."""


@dataclass(frozen=True, slots=True)
class Command:
    """What to run; the program is a full path."""

    arguments: Sequence[str]
    cwd: str
    environment: ChildEnvironment


class ToolError(Exception):
    """A tool failed, or its output can't be used."""

    def __init__(self, code: JobFailureCode, message: str, log: str = "") -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.log = log
        """The end of the tool's own output."""


class NoLongerWantedError(Exception):
    """The caller no longer wants the run; the tool was ended."""


def run(command: Command, folder: str, limits: RunLimits, tick: Callable[[], bool] = lambda: True) -> str:
    """Run a tool in a private folder, and return the end of its messages.

    `tick` is called twice a second and answers whether the run is still wanted. ToolError when the tool can't be
    started, ends with another status than 0, or is late.
    """
    name = os.path.basename(command.arguments[0])
    log = os.path.join(folder, _LOG)
    ours, theirs = os.pipe()
    try:
        with open(log, "wb") as said:
            child = _start(command, limits, theirs, said.fileno())
    except OSError as error:
        os.close(ours)
        raise ToolError(JobFailureCode.TOOL_CRASHED, f"{name} can't be run: {error.strerror}.") from error
    finally:
        os.close(theirs)
    try:
        code = _wait(child, limits, tick)
    except subprocess.TimeoutExpired as error:
        raise ToolError(
            JobFailureCode.TOOL_TIMEOUT, f"{name} took more than {limits.wall_s:g} s.", tail(log)
        ) from error
    finally:
        _end_group(child)
        refused = os.read(ours, 200).decode("utf-8", "replace") if child.returncode == _NOT_STARTED else ""
        os.close(ours)
    if refused:
        raise ToolError(JobFailureCode.MISSING_TOOL, f"{name} can't be started: {refused}.")
    if code:
        how = f"was ended by signal {code - 128}" if code > 128 else f"ended with status {code}"
        raise ToolError(JobFailureCode.TOOL_CRASHED, f"{name} {how}.", tail(log))
    return tail(log)


def tail(path: str) -> str:
    """The end of a file as printable text; empty when there is none."""
    try:
        with open(path, "rb") as file:
            file.seek(max(0, os.fstat(file.fileno()).st_size - _TAIL_BYTES))
            data = file.read(_TAIL_BYTES)
    except OSError:
        return ""
    kept = (sign if sign.isprintable() or sign == "\n" else "�" for sign in data.decode("utf-8", "replace"))
    return "".join(kept).strip()


def _start(command: Command, limits: RunLimits, pipe: int, said: int) -> "subprocess.Popen[bytes]":
    words = (str(pipe), str(limits.memory_bytes), str(limits.output_bytes), *command.arguments)
    return subprocess.Popen(
        (sys.executable, "-I", "-S", _LAUNCHER, *words),
        cwd=command.cwd,
        env=command.environment,
        stdin=subprocess.DEVNULL,
        stdout=said,
        stderr=said,
        pass_fds=(pipe,),
        start_new_session=True,
    )


def _wait(child: "subprocess.Popen[bytes]", limits: RunLimits, tick: Callable[[], bool]) -> int:
    end = time.monotonic() + limits.wall_s
    while True:
        left = end - time.monotonic()
        if left <= 0:
            raise subprocess.TimeoutExpired(child.args, limits.wall_s)
        try:
            return child.wait(min(left, _TICK_S))
        except subprocess.TimeoutExpired:
            if not tick():
                raise NoLongerWantedError from None


def _end_group(child: "subprocess.Popen[bytes]") -> None:
    """Kill the process group, also after success: a build tool may have left a server behind."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(child.pid, signal.SIGKILL)
    child.wait()
