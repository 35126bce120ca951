"""A new worktree of an indexed repository, ten files of it changed."""

import shutil
import subprocess
from pathlib import Path

from bench.corpora import django
from bench.measure import Row, seconds_of, table
from bench.processes import Usage, cairn, run

CHANGED = 10
ROUNDS = 2
_BAR = 0.05


def section(work: Path) -> str:
    root = django(work)
    home = work / "homes" / "cairn-worktree"
    full: list[Usage] = []
    new: list[Usage] = []
    for _ in range(ROUNDS):
        shutil.rmtree(home, ignore_errors=True)
        home.mkdir(parents=True)
        full.append(run(*cairn(home, "index", str(root))))
        new.append(_worktree(root, home, work / "trees" / "worktree"))
    whole, ours = min(each.wall for each in full), min(each.wall for each in new)
    cpu = min(each.cpu for each in new), min(each.cpu for each in full)
    return table(
        [
            Row(
                f"`cairn index` of a new worktree, {CHANGED} files changed, wall",
                seconds_of(ours),
                f"full index: {seconds_of(whole)}",
                ours / whole,
                _BAR,
            ),
            Row("the same, CPU", seconds_of(cpu[0]), f"full index: {seconds_of(cpu[1])}", cpu[0] / cpu[1]),
        ]
    )


def _worktree(root: Path, home: Path, place: Path) -> Usage:
    git = ("git", "-C", str(root), "worktree")
    _drop(git, place)
    subprocess.run((*git, "add", "--quiet", "--detach", str(place)), check=True, capture_output=True)
    try:
        python = sorted(place.rglob("*.py"))
        for path in python[:: len(python) // CHANGED][:CHANGED]:
            with path.open("a", encoding="utf-8") as file:
                file.write("# changed\n")
        return run(*cairn(home, "index", str(place)))
    finally:
        _drop(git, place)


def _drop(git: tuple[str, ...], place: Path) -> None:
    shutil.rmtree(place, ignore_errors=True)
    subprocess.run((*git, "prune"), check=True)
