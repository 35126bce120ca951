"""`python -m bench.rooms`: the files that a question and a changed file pass, and how often they change rooms.

A switch is a call from one room into another; `base` and `config` serve every room and don't count. What an import
runs is no part of a walk. Numbers are those of a tree of three files, so that loops over many rows weigh little.
"""

import contextlib
import io
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType

import cairn
from cairn.workspace.reads import stamp_of
from cairn.workspace.stamps import trusted

SOURCE = str(Path(cairn.__file__).resolve().parent) + os.sep
EVERYWHERE = ("base", "config")
QUERY = "stale leases"
TREE = {
    "src/lease.py": 'class Lease:\n    """A lease."""\n\n    def release(self) -> None:\n        free()\n',
    "src/free.py": "from src.lease import Lease\n\n\ndef free() -> None:\n    Lease().release()\n",
    "docs/leases.md": "# Leases\n\nStale leases are taken over.\n",
}


@dataclass(slots=True)
class Walk:
    """What one run passed."""

    files: list[str] = field(default_factory=list)
    """In the order in which they were first entered, by forked children too."""
    switches: Counter[tuple[str, str]] = field(default_factory=Counter)
    """Calls from one room into another, in this process."""
    doors: set[tuple[str, str]] = field(default_factory=set)
    """The functions that were called from other rooms, by file and name."""


def room_of(file: str) -> str:
    """The room that a file beneath the package stands in."""
    parts = file.removesuffix(".py").split("/")
    if parts[0] == "surfaces":
        return ".".join(parts[:2])
    return parts[0]


@contextlib.contextmanager
def walked(walk: Walk) -> Iterator[None]:
    """Watch every call of the package's functions."""
    seen: set[str] = set()
    with tempfile.TemporaryDirectory() as folder:
        passed = Path(folder, "passed")

        def watch(frame: FrameType, event: str, _: object) -> None:
            if event != "call" or not frame.f_code.co_filename.startswith(SOURCE) or _is_resumed(frame):
                return
            file = frame.f_code.co_filename.removeprefix(SOURCE)
            caller = _caller(frame)
            if caller is None:
                return
            if file not in seen:
                seen.add(file)
                # A child closes what it inherits, so each line is written by name; the order is that of all processes.
                with passed.open("a") as lines:
                    lines.write(f"{file}\n")
            here, there = room_of(caller), room_of(file)
            if caller and there not in EVERYWHERE and here != there:
                walk.switches[here, there] += 1
                walk.doors.add((file, frame.f_code.co_name))

        sys.setprofile(watch)
        try:
            yield
        finally:
            sys.setprofile(None)
            walk.files = list(dict.fromkeys(passed.read_text().splitlines()))


def _is_resumed(frame: FrameType) -> bool:
    """Whether a generator goes on: RESUME has an argument then."""
    return frame.f_code.co_code[frame.f_lasti + 1] & 3 != 0


def _caller(frame: FrameType) -> str | None:
    """The nearest file below in the stack that counts, empty if there is none; None while a module is imported."""
    found = ""
    each: FrameType | None = frame
    while each is not None:
        code = each.f_code
        if code.co_filename.startswith("<frozen importlib"):
            return None
        if not found and each is not frame and code.co_filename.startswith(SOURCE):
            file = code.co_filename.removeprefix(SOURCE)
            found = file if room_of(file) not in EVERYWHERE else ""
        each = each.f_back
    return found


def walk_of(run: Callable[[], object]) -> Walk:
    """What a run passes; what it prints is dropped."""
    walk = Walk()
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()), walked(walk):
        run()
    return walk


def _settle(tree: Path) -> None:
    """Wait until every stamp proves what it stands for: before that, an unchanged tree is walked all the same."""
    paths = [tree, *tree.rglob("*")]
    while any(trusted(stamp_of(os.lstat(path)), time.time_ns()) is None for path in paths):
        time.sleep(0.01)


def walks(work: Path) -> dict[str, Walk]:
    """A search and a sync on the command line without a daemon, and a search by an agent."""
    from cairn.program.start import main
    from cairn.surfaces.mcp.access import Access
    from cairn.surfaces.mcp.service import Service, ToolCall
    from cairn.surfaces.mcp.tools import TOOLS

    tree = work / "tree"
    for name, text in TREE.items():
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        (tree / name).write_text(text)
    subprocess.run(("git", "init", "-q", str(tree)), check=True)
    root = str(tree)
    _settle(tree)
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        main(["index", root])
    found = {"cairn search": walk_of(lambda: main(["search", QUERY, root]))}
    with (tree / "src/free.py").open("a") as file:
        file.write("\n\ndef changed() -> None: ...\n")
    _settle(tree)
    found["cairn index"] = walk_of(lambda: main(["index", root]))
    service = Service(str(work / "home"))
    tool = next(each for each in TOOLS if each.name == "search_codebase")
    try:
        call = ToolCall(Access((root,)))
        found["search_codebase"] = walk_of(lambda: tool.call(service, call, {"query": QUERY, "path": root}))
    finally:
        service.close()
    return found


def main() -> None:
    """Print the walks, room after room."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ["CAIRN_HOME"] = str(Path(folder, "home"))
        for name, walk in walks(Path(folder).resolve()).items():
            print(f"{name}: {walk.switches.total()} switches through {len(walk.doors)} functions")
            for (here, there), count in sorted(walk.switches.items()):
                print(f"  {count:5} {here} -> {there}")
            print("  " + "\n  ".join(walk.files))


if __name__ == "__main__":
    main()
