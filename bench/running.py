"""A subject in a running process, asked over its pipes, so that several can take turns."""

import contextlib
import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from bench.processes import ChildError, MemoryWatch, environment, memory_of

PROJECT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True, slots=True)
class Took:
    wall: float
    cpu: float
    value: Any


class Running:
    """A context manager around one child; `ask` names one of its actions."""

    def __init__(self, command: Sequence[str], surroundings: Mapping[str, str]) -> None:
        self._child = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=dict(surroundings), text=True, cwd=PROJECT
        )

    def ask(self, action: str, *arguments: object) -> Took:
        if self._child.stdin is None or self._child.stdout is None:
            raise ChildError("the subject has no pipes")
        try:
            self._child.stdin.write(json.dumps([action, arguments]) + "\n")
            self._child.stdin.flush()
            line = self._child.stdout.readline()
        except BrokenPipeError:
            line = ""
        if not line:
            raise ChildError(f"the subject ended while it was asked to {action}")
        told = json.loads(line)
        return Took(told["wall"], told["cpu"], told["value"])

    def watch(self) -> MemoryWatch:
        return MemoryWatch(self._child.pid)

    def memory(self) -> int:
        return memory_of(self._child.pid)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._child.stdin is not None:
            # What a child that has ended didn't take is still in the buffer.
            with contextlib.suppress(BrokenPipeError):
                self._child.stdin.close()
        if self._child.stdout is not None:
            self._child.stdout.close()
        self._child.wait()


def running_cairn(home: Path, root: Path) -> Running:
    command = [sys.executable, "-m", "bench.cairn_subject", str(root)]
    return Running(command, environment(CAIRN_HOME=str(home)))
