"""`python -m bench.team REPOSITORY`: an index that is pulled beside one that is made, in the same run.

Two clones of a repository, each under a home of its own. The first is indexed and pushed to a folder; the second begins
with a search, which pulls. Neighbouring commits are asked for with `--at`, the last of them twice. Then 1, 100 and
1,000 files are changed by a commit, pushed and pulled. CPU is that of each command with all its children, whatever else
the machine does; wall is told beside it.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

CHANGED = (1, 100, 1_000)
QUERY = "where is a request turned into a response"


@dataclass(frozen=True, slots=True)
class Timed:
    """What a command took and said."""

    cpu_s: float
    wall_s: float
    said: dict[str, Any]

    def row(self, what: str, whole: "Timed") -> str:
        """A line of the table."""
        moved = self.said.get("travelled_bytes")
        size = f"{moved / 1e6:.2f} MB" if moved is not None else ""
        share = self.cpu_s / whole.cpu_s, self.wall_s / whole.wall_s
        return f"| {what} | {self.cpu_s:.2f} s | {self.wall_s:.2f} s | {share[0]:.3f} | {share[1]:.3f} | {size} |"


def timed(home: Path, *arguments: str) -> Timed:
    """Run a command in a process of its own."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(
        (sys.executable, "-m", "cairn", *arguments, "--json"),
        env=environment | {"CAIRN_HOME": str(home)},
        stdout=subprocess.PIPE,
        check=True,
    )
    wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Timed(cpu, wall, json.loads(done.stdout))


def git(folder: Path, *arguments: str) -> str:
    """Run git in a folder."""
    who = ("-c", "user.name=bench", "-c", "user.email=bench@example.invalid")
    return subprocess.run(("git", *who, *arguments), cwd=folder, check=True, capture_output=True, text=True).stdout


def change(clone: Path, count: int) -> None:
    """Commit a new line in so many files of code."""
    files = [name for name in git(clone, "ls-files", "-z").split("\0") if name.endswith((".py", ".js", ".c", ".h"))]
    for name in files[:: max(1, len(files) // count)][:count]:
        mark = "//" if name.endswith((".js", ".c", ".h")) else "#"
        with open(clone / name, "a", encoding="utf-8") as file:
            file.write(f"\n{mark} one of {count}\n")
    git(clone, "commit", "-qam", f"{count} files")


def main() -> None:
    """Measure, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("repository", type=Path)
    parser.add_argument("--remote", default="", help="an address in place of a folder: s3://bucket/place")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        top = Path(place)
        one, two, remote = top / "one", top / "two", top / "remote"
        remote.mkdir()
        for clone in (one, two):
            git(top, "clone", "-q", "--shared", str(chosen.repository), str(clone))
        git(two, "remote", "set-url", "origin", str(one))
        # What a home does once for all its trees, it has done.
        (top / "small").mkdir()
        (top / "small" / "a.py").write_text("A = 1\n")
        for home in (top / "first", top / "second"):
            timed(home, "index", str(top / "small"))
            timed(home, "remote", "add", "team", chosen.remote or str(remote))
        whole = timed(top / "first", "index", str(one))
        print("| what | CPU | wall | of a full index, CPU | wall | bytes moved |")
        print("| --- | --- | --- | --- | --- | --- |")
        print(whole.row("full index", whole))
        print(timed(top / "first", "push", str(one)).row("push", whole))
        print(timed(top / "second", "search", QUERY, str(two)).row("first search in a fresh clone, by a pull", whole))
        for revision in ("HEAD~1", "HEAD~2", "HEAD~2"):
            row = timed(top / "first", "search", QUERY, str(one), "--at", revision).row(
                f"search --at {revision}", whole
            )
            print(row, flush=True)
        for count in CHANGED:
            change(one, count)
            print(timed(top / "first", "push", str(one)).row(f"{count:,} files changed: index and push", whole))
            git(two, "pull", "-q")
            print(timed(top / "second", "pull", str(two)).row(f"{count:,} files changed: pull", whole), flush=True)


if __name__ == "__main__":
    main()
