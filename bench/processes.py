"""Whole processes: wall, CPU and peak memory of a child and of what it started."""

import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

_SAMPLE_S = 0.1
_UNSET = ("PYTHONDONTWRITEBYTECODE", "PYTHONUNBUFFERED", "CAIRN_HOME")
"""What slows a start or leads elsewhere; everyone who is compared runs without."""


class MissingError(RuntimeError):
    """Why something to measure with can't be had here, in a few words."""


class ChildError(RuntimeError):
    """A measured process failed, so there is no figure."""


@dataclass(frozen=True, slots=True)
class Usage:
    """What one process took, its waited-for children included; the peak is that of the largest one."""

    wall: float
    cpu: float
    peak: int


@dataclass(frozen=True, slots=True)
class Program:
    """A command, its environment, and what is put in order before each run."""

    command: Sequence[str]
    environment: Mapping[str, str]
    before: Callable[[], object] = lambda: None


def environment(**more: str) -> dict[str, str]:
    """This process's environment without what would favour or hinder somebody."""
    return {name: value for name, value in os.environ.items() if name not in _UNSET} | more


def cairn(home: Path, *arguments: str) -> tuple[list[str], dict[str, str]]:
    """A `cairn` command and the environment in which it keeps its stores under `home`."""
    return [sys.executable, "-m", "cairn", *arguments], environment(CAIRN_HOME=str(home))


def run(command: Sequence[str], surroundings: Mapping[str, str]) -> Usage:
    """Run a command to its end; ChildError with its own words when it fails."""
    launcher = (sys.executable, "-I", "-S", str(Path(__file__).with_name("launch.py")))
    done = subprocess.run((*launcher, *command), capture_output=True, text=True, errors="replace", env=surroundings)
    if done.returncode:
        raise ChildError(f"{command[0]} could not be started")
    told = json.loads(done.stdout)
    if told["status"]:
        last = done.stderr.strip().splitlines()[-1:] or ["nothing said"]
        raise ChildError(f"{' '.join(command[:4])} ended with {told['status']}: {last[0]}")
    return Usage(told["wall"], told["cpu"], told["peak"])


def run_by_turns(programs: Mapping[str, Program], rounds: int, *, warm_up: bool = True) -> dict[str, Usage]:
    """Medians over rounds in which every program runs once; the warm-up doesn't count."""
    seen: dict[str, list[Usage]] = {name: [] for name in programs}
    for number in range(rounds + warm_up):
        for name, program in programs.items():
            program.before()
            usage = run(program.command, program.environment)
            if number or not warm_up:
                seen[name].append(usage)
    return {name: _middle(each) for name, each in seen.items()}


def _middle(usages: Sequence[Usage]) -> Usage:
    return Usage(
        median(each.wall for each in usages),
        median(each.cpu for each in usages),
        max(each.peak for each in usages),
    )


class MemoryWatch:
    """The largest memory of a process with its children, each shared page counted once; a context manager."""

    def __init__(self, pid: int) -> None:
        self.peak = 0
        self._pid = pid
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> "MemoryWatch":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._done.set()
        self._thread.join()

    def _watch(self) -> None:
        while True:
            self.peak = max(self.peak, memory_of(self._pid))
            if self._done.wait(_SAMPLE_S):
                return


def memory_of(pid: int) -> int:
    """Bytes of a process and all below it, by the kernel's proportional count; 0 once it is gone."""
    total = 0
    waiting = [pid]
    while waiting:
        each = waiting.pop()
        try:
            lines = Path(f"/proc/{each}/smaps_rollup").read_text(encoding="ascii").splitlines()
            waiting += map(int, Path(f"/proc/{each}/task/{each}/children").read_text(encoding="ascii").split())
        except OSError:
            continue
        total += sum(int(line.split()[1]) * 1024 for line in lines if line.startswith("Pss:"))
    return total
