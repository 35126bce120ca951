"""How figures grow with the tree, and what memory a large one takes."""

import os
import shutil
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from bench.corpora import many, questions, victim
from bench.measure import Row, megabytes, seconds_of, table
from bench.plot import Panel, svg
from bench.running import Running, running_cairn

SIZES = (1_000, 5_000, 10_000, 20_000)
ROUNDS = 5
PICTURE = Path(__file__).resolve().parent.parent / "docs" / "growth.svg"
_INDEXING_BYTES = 1e9
_QUERYING_BYTES = 0.5e9


@dataclass(frozen=True, slots=True)
class Point:
    """One size of tree."""

    files: int
    chunks: int
    index: float
    sync: float
    publish: float
    query: float
    indexing_memory: int
    querying_memory: int


def section(work: Path, *, write: bool) -> str:
    points = [measure(work, size) for size in SIZES]
    if write:
        PICTURE.write_text(_picture(points), encoding="utf-8")
    small, large = points[0], points[-1]
    lines = [
        "| files in the tree | indexed | chunks | full index | one-file sync | publish in it | query p50 "
        "| peak memory, indexing | memory, querying |",
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    lines += [
        f"| {size:,} | {point.files:,} | {point.chunks:,} | {seconds_of(point.index)} | {seconds_of(point.sync)} "
        f"| {seconds_of(point.publish)} | {seconds_of(point.query)} | {megabytes(point.indexing_memory)} "
        f"| {megabytes(point.querying_memory)} |"
        for size, point in zip(SIZES, points, strict=True)
    ]
    times = large.files / small.files
    rows = [
        Row(
            f"peak memory while {large.chunks:,} chunks are indexed, all processes",
            megabytes(large.indexing_memory),
            megabytes(_INDEXING_BYTES),
            large.indexing_memory / _INDEXING_BYTES,
            1,
        ),
        Row(
            f"memory while {large.chunks:,} chunks are queried",
            megabytes(large.querying_memory),
            megabytes(_QUERYING_BYTES),
            large.querying_memory / _QUERYING_BYTES,
            1,
        ),
        *(
            Row(
                f"{what}: growth from {small.files:,} to {large.files:,} files",
                f"{after / before:.1f} x",
                f"the tree: {times:.1f} x",
                after / before / times,
                bar,
            )
            for what, before, after, bar in (
                ("query p50", small.query, large.query, 0.5),
                ("publish of one file", small.publish, large.publish, 0.25),
                ("one-file sync", small.sync, large.sync, 0.5),
            )
        ),
    ]
    return "\n".join(
        [
            "Files of one large release, chosen by the hashes of their names. The look at the tree is part of a sync",
            "and has to stat every file; publishing what it found is the part that must not grow with the tree.",
            "",
            f"![Full index, one-file sync, publish and query over the number of files]({PICTURE.name})",
            "",
            *lines,
            "",
            table(rows),
        ]
    )


def home_of(work: Path, size: int) -> Path:
    return work / "homes" / f"cairn-many-{size}"


def measure(work: Path, size: int) -> Point:
    """Index a tree anew, ask it in a process of its own, then sync edits."""
    root, home = many(work, size), home_of(work, size)
    shutil.rmtree(home, ignore_errors=True)
    home.mkdir(parents=True)
    asked = questions(root)
    with running_cairn(home, root) as subject:
        with subject.watch() as memory:
            indexed = subject.ask("sync")
        indexing = memory.peak
    with running_cairn(home, root) as subject, subject.watch() as memory:
        queries = []
        for number in range(ROUNDS + 1):
            for text in (*asked.prose, *asked.symbol):
                took = subject.ask("query", text)
                if number:
                    queries.append(took.wall)
    with running_cairn(home, root) as subject:
        subject.ask("sync")
        syncs = _syncs(subject, victim(root))
    return Point(
        files=indexed.value["files"],
        chunks=indexed.value["chunks"],
        index=indexed.wall,
        sync=median(wall for wall, _ in syncs),
        publish=median(publish for _, publish in syncs),
        query=median(queries),
        indexing_memory=indexing,
        querying_memory=memory.peak,
    )


def _syncs(subject: Running, edited: Path) -> list[tuple[float, float]]:
    original = edited.read_bytes()
    found = []
    try:
        for number in range(ROUNDS + 1):
            edited.write_bytes(original + f"# edit {number} of {os.getpid()}\n".encode())
            took = subject.ask("sync")
            if took.value["indexed"] != 1:
                raise RuntimeError(f"one file was edited, but {took.value['indexed']} were indexed")
            if number:
                found.append((took.wall, took.value["publish"]))
    finally:
        edited.write_bytes(original)
        subject.ask("sync")
    return found


def _picture(points: list[Point]) -> str:
    return svg(
        SIZES,
        [
            Panel("full index, s", [point.index for point in points]),
            Panel("one-file sync, ms", [point.sync * 1000 for point in points]),
            Panel("publish in it, ms", [point.publish * 1000 for point in points]),
            Panel("query p50, ms", [point.query * 1000 for point in points]),
        ],
    )
