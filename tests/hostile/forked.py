"""The command line in real processes that start quickly: forks of one that has Cairn loaded already.

A harness runs thousands of commands, and a start of Python costs more than most of them do. The process that is forked
from never runs a command itself, so no thread or lock of it can matter to its children.
"""

import glob
import importlib
import json
import os
import select
import signal
import subprocess
import sys
import tempfile
import traceback
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
DEADLINE_S = 60.0
"""What has not ended by then hangs."""
_LOOK_S = 0.002
_LOADED = (
    *("numpy", "tantivy", "tree_sitter_python", "cairn.languages.python", "cairn.program.command"),
    *(f"cairn.codebase.{name}" for name in ("codebase", "collection", "insight", "refreshes", "upkeep")),
    *(f"cairn.embed.{name}" for name in ("cached", "hashing")),
    *(f"cairn.indexing.{name}" for name in ("pool", "writing")),
    *(f"cairn.search.{name}" for name in ("find", "grep")),
    *(f"cairn.store.{name}" for name in ("_lexical", "compact", "gc", "health")),
    *(f"cairn.surfaces.cli.{name}" for name in ("index", "maintenance", "upkeep", "views")),
)
"""What commands would else load for themselves, each time anew: so a kill meets their work, not their start."""
TRACEBACK = 70
"""The exit code of a command that raised."""


@dataclass(frozen=True, slots=True)
class Ended:
    """How a command ended, and what it printed."""

    arguments: tuple[str, ...]
    code: int
    hung: bool
    out: str
    err: str

    @property
    def killed(self) -> bool:
        return self.code == -signal.SIGKILL


class Forked:
    """Runs commands one after the other, each in a process of its own."""

    def __init__(self, environment: dict[str, str]) -> None:
        self._process = subprocess.Popen(
            (sys.executable, "-m", "tests.hostile.forked"),
            cwd=ROOT,
            # A library that starts threads as it is loaded has none in the forks.
            env=os.environ | {"OPENBLAS_NUM_THREADS": "1"} | environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self._folder = tempfile.TemporaryDirectory()

    def run(
        self,
        *arguments: str,
        cwd: Path = ROOT,
        kill_after: float | None = None,
        once: Path | None = None,
        deadline: float = DEADLINE_S,
    ) -> Ended:
        """Run a command; with `kill_after` it and its children are killed at that moment, unless it has ended.

        The moment counts from the start of the command, or from when something lies at `once`, which may be a pattern.
        """
        out, err = (os.path.join(self._folder.name, name) for name in ("out", "err"))
        asked = {
            "arguments": arguments,
            "cwd": str(cwd),
            "out": out,
            "err": err,
            "wait": deadline if kill_after is None else kill_after,
            "once": None if once is None else str(once),
        }
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        print(json.dumps(asked), file=self._process.stdin, flush=True)
        told = json.loads(self._process.stdout.readline())
        texts = (Path(path).read_text(encoding="utf-8", errors="replace") for path in (out, err))
        return Ended(arguments, told["code"], told["late"] and kill_after is None, *texts)

    def close(self) -> None:
        """End the process that is forked from."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait(timeout=10)
        self._process.stdout.close()
        self._folder.cleanup()


def _serve() -> None:
    for name in _LOADED:
        importlib.import_module(name)
    warnings.simplefilter("ignore", DeprecationWarning)
    for line in sys.stdin:
        asked = json.loads(line)
        pid = os.fork()
        if pid == 0:
            _be(asked)
        handle = os.pidfd_open(pid)
        while asked["once"] and not glob.glob(asked["once"]):
            if select.select([handle], [], [], _LOOK_S)[0]:
                break
        late = not select.select([handle], [], [], asked["wait"])[0]
        if late:
            _kill_all(pid)
        _, status = os.waitpid(pid, 0)
        os.close(handle)
        print(json.dumps({"code": os.waitstatus_to_exitcode(status), "late": late}), flush=True)


def _kill_all(pid: int) -> None:
    """Kill a command and what it started in its session."""
    try:
        os.killpg(pid, signal.SIGKILL)
    except ProcessLookupError:
        # It has not come to its session yet.
        os.kill(pid, signal.SIGKILL)


def _be(asked: dict[str, Any]) -> None:
    code = 1
    try:
        os.setsid()
        signal.signal(signal.SIGINT, signal.default_int_handler)
        for number, name, flags in ((0, os.devnull, os.O_RDONLY), (1, asked["out"], 0o1101), (2, asked["err"], 0o1101)):
            os.dup2(os.open(name, flags, 0o600), number)
        try:
            os.chdir(asked["cwd"])
        except FileNotFoundError:
            # Whoever stands in a folder that is gone can't begin there.
            print("the folder is gone", flush=True)
            os._exit(1)
        from cairn.program.start import main

        code = main(asked["arguments"])
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 1
    finally:
        if (error := sys.exc_info()[1]) is not None:
            code = TRACEBACK
            traceback.print_exception(error)
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


if __name__ == "__main__":
    _serve()
