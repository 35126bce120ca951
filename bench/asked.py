"""`python -m bench.asked REPOSITORY`: a snapshot that is asked at an object store, beside the index it was made of.

A clone of a repository is indexed and pushed to an object store that lies behind a relay. Another home, without
an index, asks it: first the very first question, then one in a process of its own, then others in one process that goes
on. Told are times, what was asked for and came, and what the home holds; and for how many questions the ten results are
those of the index, in their order.

With `--rows`, a snapshot of so many rows is made of copies of the repository's files. That takes long, so it is kept in
the folder that `--copies` names, and asked from there the next time.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from statistics import median, quantiles

from bench.backends import object_store
from bench.relay import Relay
from bench.team import timed

QUESTIONS = (
    "where is a request turned into a response",
    "how are settings read from a file",
    "what happens when a connection is closed",
    "cache invalidation",
    "parse the arguments of a command",
    "which errors are raised for a missing file",
    "tests of the parser",
    "write a header",
    "how is a name resolved",
    "retry after a timeout",
    "convert a value to text",
    "sort by date",
)
_OWN = 5
"""So many of them are asked in processes of their own."""
_ASK = """
import sys, time
from cairn.codebase.answers import Request
from cairn.codebase.codebase import Codebase
from cairn.codebase.remotely import at_remote
root, remote, *questions = sys.argv[1:]
with Codebase(root) as codebase:
    for question in questions:
        begun, worked = time.perf_counter(), time.process_time()
        if remote:
            with at_remote(codebase, remote) as asked:
                answer = asked.search(Request(question))
        else:
            answer = codebase.search(Request(question))
        took, cpu = time.perf_counter() - begun, time.process_time() - worked
        fresh = answer.freshness
        places = " ".join(f"{hit.path}:{hit.row.start_line}" for hit in answer.value.items)
        print(took, cpu, fresh.get("requests", 0), fresh.get("fetched_bytes", 0), places, sep="\\t")
"""


def asked(home: Path, root: Path, remote: str) -> list[list[str]]:
    """Each question in one process: seconds, those of CPU, requests, bytes and places."""
    done = subprocess.run(
        (sys.executable, "-c", _ASK, str(root), remote, *QUESTIONS),
        env=os.environ | {"CAIRN_HOME": str(home)},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return [line.split("\t") for line in done.stdout.splitlines()]


def copied(home: Path, repository: Path, rows: int, kept: Path, scratch: Path) -> tuple[int, int, int]:
    """Have so many rows at the remote; rows, files and bytes."""
    from bench.copies import push_copies
    from cairn.codebase.codebase import Codebase
    from cairn.team.patience import remote_at
    from cairn.team.remote import FolderRemote

    os.environ["CAIRN_HOME"] = str(home)
    folder, noted = FolderRemote(str(kept)), kept / "counts.json"
    if not noted.exists():
        kept.mkdir(parents=True, exist_ok=True)
        with Codebase(str(repository)) as codebase:
            counts = push_copies(codebase, folder, rows, scratch)
        noted.write_text(json.dumps(counts))
    remote = remote_at("s3://bucket/cairn", 600)
    for name in folder.names(""):
        if name != noted.name:
            remote.write(name, folder.read(name))
    made, files, size = json.loads(noted.read_text())
    return made, files, size


def held(home: Path, named: str = "*") -> int:
    """The bytes of what a home has of a remote's snapshots, or of the files of one name."""
    return sum(path.stat().st_size for path in (home / "asked").rglob(named) if path.is_file())


def main() -> None:
    """Measure, and print the table."""
    parser = argparse.ArgumentParser(prog="python -m bench.asked", description=__doc__)
    parser.add_argument("repository", type=Path)
    parser.add_argument("--delay-ms", type=float, default=20.0, help="how long the way to the store and back takes")
    parser.add_argument("--home", type=Path, help="a home in which the repository is indexed already")
    parser.add_argument("--rows", type=int, default=0, help="ask so many rows, made of copies of its files")
    parser.add_argument("--copies", type=Path, help="the folder in which those are kept")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        top = Path(place)
        with object_store(chosen.delay_ms / 1000) as (relay, surroundings):
            os.environ |= surroundings
            measure(top, chosen.repository.resolve(), chosen.home, relay, chosen.rows, chosen.copies)


def measure(top: Path, repository: Path, one: Path | None, relay: Relay, rows: int, copies: Path | None) -> None:
    """The table of one repository."""
    one, two = one or top / "one", top / "two"
    for home in (one, two):
        timed(home, "remote", "add", "asked", "s3://bucket/cairn")
    counts = timed(one, "index", str(repository)).said["counts"]
    files, chunks = counts["files"], counts["chunks"]
    if rows:
        chunks, files, size = copied(one, repository, rows, copies or top / "copies-kept", top)
        # A folder without a commit is answered from what was pushed last.
        root = top / "nothing"
        root.mkdir()
    else:
        pushed = timed(one, "push", "--askable", "--remote", "asked", str(repository))
        root, size = repository, pushed.said["travelled_bytes"]
        print(f"pushed in {pushed.wall_s:.1f} s with {pushed.cpu_s:.1f} s of CPU\n")
    print(f"{files:,} files, {chunks:,} chunks, {size / 1e6:.1f} MB there; load {os.getloadavg()[0]:.1f}\n")
    print("| question | wall | CPU | requests | came | held |\n" + "| --- " * 6 + "|")
    taken: list[list[float]] = []
    for question in (*QUESTIONS[:_OWN], QUESTIONS[0]):
        relay.forget()
        done = timed(two, "search", "--remote", "asked", question, str(root))
        taken.append([done.wall_s, done.cpu_s, relay.questions, relay.came_bytes])
    for what, rows_of in (
        ("the first of all", taken[:1]),
        ("each in a process of its own, p50", taken[1:_OWN]),
        ("the same again in another", taken[_OWN:]),
    ):
        wall, cpu, count, came = (median(column) for column in zip(*rows_of, strict=True))
        print(f"| {what} | {wall:.2f} s | {cpu:.2f} s | {count:.0f} | {came / 1e6:.2f} MB | {held(two) / 1e6:.1f} MB |")
    there = asked(two, root, "asked")
    rest = there[_OWN:]
    for what, of in (("one process that goes on, p50", median), ("its p95", ninety_five)):
        wall, cpu, count, came = (of([float(row[column]) for row in rest]) for column in range(4))
        print(f"| {what} | {wall:.2f} s | {cpu:.2f} s | {count:.0f} | {came / 1e6:.2f} MB | {held(two) / 1e6:.1f} MB |")
    each = [held(two, named) / 1e6 for named in ("rows.sqlite", "asked.rows", "blocks/*")]
    print("\nHeld: {:.1f} MB list of the files, {:.1f} MB lengths of rows, {:.1f} MB blocks".format(*each), end="")
    print(f", which may take {room(two) / 1e6:.1f} MB: {held(two) / 1e6 - each[2] + room(two) / 1e6:.1f} MB at most.")
    if rows:
        return
    here = asked(one, root, "")
    same = sum(mine[4] == theirs[4] for mine, theirs in zip(there, here, strict=True))
    print(
        f"\nThe index itself: p50 {median(float(row[0]) for row in here):.3f} s. The same ten places in the same order:"
    )
    print(f"{same} of {len(here)} questions.")


def room(home: Path) -> int:
    """The bytes that blocks may take at most: those that every question reads, and others."""
    from cairn.store.asked import bytes_to_hold
    from cairn.store.manifest import decode
    from cairn.team.tables import KEPT_BYTES

    (manifest,) = (home / "asked").rglob("manifest.json")
    return KEPT_BYTES + bytes_to_hold(decode(manifest.read_bytes(), str(manifest)))


def ninety_five(values: Sequence[float]) -> float:
    """What 95 of 100 stay below."""
    return quantiles(values, n=20)[-1]


if __name__ == "__main__":
    main()
