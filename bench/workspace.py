"""The ground floor: a first dry run, a ChangeSet with nothing changed, and one changed file."""

import os
import subprocess
import sys
from pathlib import Path

from bench.measure import Row, by_turns, milliseconds
from bench.trees import make_tree
from cairn.workspace.detector import Baseline, ChangeDetector
from cairn.workspace.root import find_root

FILES = 20_000
ROUNDS = 7


def run(work: Path) -> list[Row]:
    """Measure on a synthetic tree of 20,000 committed files."""
    root = work / "tree20k"
    if not root.exists():
        make_tree(root, FILES)
    return [_first_dry_run(root), *_changes(root)]


def _first_dry_run(root: Path) -> Row:
    timings = by_turns(
        {
            "cairn": lambda: _quiet(sys.executable, "-m", "cairn", "index", "--dry-run", "--json", str(root)),
            "git": lambda: _quiet("git", "-C", str(root), "ls-files", "-co", "--exclude-standard"),
            "walk": lambda: _bare_walk(str(root)),
        },
        ROUNDS,
    )
    ours = timings["cairn"].middle
    theirs = timings["git"].middle + timings["walk"].middle
    return Row(
        "first dry run, whole process",
        milliseconds(ours),
        f"git ls-files -co + scandir and stat: {milliseconds(theirs)}",
        ours / theirs,
        8,
    )


def _changes(root: Path) -> list[Row]:
    with ChangeDetector(find_root(str(root))) as detector:
        first = detector.detect()
        baseline = Baseline(first.scan.hashes(), first.git.head if first.git else None)
        hashed: list[int] = []

        def detect() -> None:
            found = detector.detect(baseline)
            if found.changes:
                raise RuntimeError("the tree changed during the measurement")
            hashed.append(found.scan.hashed)

        timings = by_turns(
            {"cairn": detect, "git": lambda: _quiet("git", "-C", str(root), "status", "--porcelain")}, ROUNDS * 3
        )
        nothing = Row(
            "ChangeSet, nothing changed, running process",
            milliseconds(timings["cairn"].middle),
            f"git status --porcelain: {milliseconds(timings['git'].middle)}",
            timings["cairn"].middle / timings["git"].middle,
            4,
        )
        victim = root / first.scan.files[len(first.scan.files) // 2].key
        original = victim.read_bytes()
        victim.write_bytes(original + b"\n")
        changed = detector.detect(baseline)
        victim.write_bytes(original)
        if len(changed.changes.modify) != 1:
            raise RuntimeError(f"one file was edited, but the detector says {changed.changes}")
        one = Row("files hashed for one changed file", str(changed.scan.hashed), "1", changed.scan.hashed, 1)
        none = Row("files hashed when nothing changed", str(hashed[-1]), "0", hashed[-1], 0)
        return [nothing, one, none]


def _quiet(*command: str) -> None:
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def _bare_walk(root: str) -> int:
    """The least a walk can do: list every folder and stat every file."""
    folders = [root]
    count = 0
    while folders:
        with os.scandir(folders.pop()) as entries:
            for entry in entries:
                if entry.name == ".git":
                    continue
                if entry.is_dir(follow_symlinks=False):
                    folders.append(entry.path)
                else:
                    entry.stat(follow_symlinks=False)
                    count += 1
    return count
