"""`python -m bench.engines`: rows, bytes, requests and latency of each vector engine, for the table of docs/engines.md.

Every engine and size is written by one process and asked by another, so that its memory is its own and its first
question is that of a new process. Vectors are synthetic and lie in clusters, as those of code do; one and the same for
all engines. What lies at an address is asked through a relay that makes it far away and counts what passes.
"""

import argparse
import contextlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from statistics import median, quantiles
from time import perf_counter, process_time
from typing import Any

import numpy as np

from bench.backends import milvus, object_store
from bench.relay import Relay
from cairn.engines import VectorReader, Vectors, engine_named, nearest_in
from cairn.store.publish import ROWS_PER_SEGMENT

DIMENSION = 128
CLUSTERS = 5000
SIZES = (10_000, 100_000, 1_000_000)
SUBJECTS: dict[str, tuple[str, dict[str, Any]]] = {
    "flat": ("flat", {}),
    "lancedb": ("lancedb", {}),
    "lancedb, exact": ("lancedb", {"exact": True}),
    "lancedb at an address": ("lancedb", {"uri": "s3://bucket/cairn", "timeout_s": 600}),
    "lancedb at an address, nothing kept": ("lancedb", {"uri": "s3://bucket/cairn", "timeout_s": 600, "kept_mb": 0}),
    "milvus (Lite)": ("milvus", {"uri": "", "timeout_s": 600}),
    "milvus (Lite), AUTOINDEX": ("milvus", {"uri": "", "timeout_s": 600, "exact": False}),
    "milvus (Lite), HNSW": ("milvus", {"uri": "", "timeout_s": 600, "exact": False, "index": "HNSW"}),
    "milvus (Lite), IVF_SQ8": ("milvus", {"uri": "", "timeout_s": 600, "exact": False, "index": "IVF_SQ8"}),
}
QUESTIONS = 30
WANTED = 600
"""So many rows a search asks for."""
LIMIT_S = 2400.0
Counts = tuple[float, float]


def vectors_of(part: int, rows: int) -> Vectors:
    """Some of the vectors: unit length, each near the centre of its cluster."""
    centres = np.random.default_rng(1).standard_normal((CLUSTERS, DIMENSION), dtype=np.float32)
    random = np.random.default_rng(100 + part)
    vectors = centres[random.integers(0, CLUSTERS, rows)]
    vectors += 0.7 * random.standard_normal((rows, DIMENSION), dtype=np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors


def parts_of(rows: int) -> list[int]:
    """How many rows each segment has."""
    return [min(ROWS_PER_SEGMENT, rows - first) for first in range(0, rows, ROWS_PER_SEGMENT)]


def write(name: str, rows: int, work: Path) -> dict[str, Any]:
    """Write the rows as segments, and keep what the best answers are."""
    store = work / "store"
    store.mkdir(parents=True, mode=0o700)
    (store / "cache").mkdir()
    engine = engine_named(name, str(store))
    queries = vectors_of(99, QUESTIONS)
    best = [np.empty(0, dtype=np.float32) for _ in queries]
    spent = worked = 0.0
    for part, count in enumerate(parts_of(rows)):
        vectors = vectors_of(part, count)
        for place, query in enumerate(queries):
            found = np.concatenate((best[place], vectors @ query))
            best[place] = np.sort(found)[-WANTED:]
        folder = work / f"seg_{part}"
        folder.mkdir()
        begun, cpu = perf_counter(), process_time()
        engine.write(str(folder), vectors)
        spent, worked = spent + perf_counter() - begun, worked + process_time() - cpu
    np.save(work / "best.npy", np.stack(best))
    return {"write_s": spent, "write_cpu_s": worked}


def ask(name: str, rows: int, work: Path) -> dict[str, Any]:
    """Ask for the nearest over all segments; times, and the shares of the best ten and of all that were wanted."""
    best = np.load(work / "best.npy")
    queries = vectors_of(99, QUESTIONS)
    if name != "flat":
        __import__({"milvus": "pymilvus"}.get(name, name))
    engine = engine_named(name, str(work / "store"))
    times, cpus, ten, wanted = [], [], [], []
    readers: list[VectorReader] = []
    for place, query in enumerate(queries):
        if place in (0, 1):
            print(json.dumps({"at": place}), flush=True)
            sys.stdin.readline()
        begun, cpu = perf_counter(), process_time()
        if not readers:
            readers = [
                engine.open(str(work / f"seg_{part}"), count, DIMENSION) for part, count in enumerate(parts_of(rows))
            ]
        answers = nearest_in(readers, query, WANTED, [None] * len(readers))
        times.append(perf_counter() - begun)
        cpus.append(process_time() - cpu)
        scores = np.sort(np.concatenate([scores for _, scores in answers]))[::-1][:WANTED]
        ten.append(float((scores[:10] >= best[place][-10] - 1e-5).mean()))
        wanted.append(float((scores >= best[place][0] - 1e-5).sum() / len(best[place])))
    return {
        "first_ms": times[0] * 1000,
        "first_cpu_ms": cpus[0] * 1000,
        "p50_ms": median(times[1:]) * 1000,
        "p95_ms": quantiles(times[1:], n=20)[-1] * 1000,
        "cpu_ms": median(cpus[1:]) * 1000,
        "recall_10": sum(ten) / len(ten),
        "recall": sum(wanted) / len(wanted),
    }


def measured(subject: str, rows: int, work: Path, turn_s: float) -> str:
    """One line of the table."""
    name, settings = SUBJECTS[subject]
    home, data = work / "home", work / "data"
    home.mkdir(parents=True)
    with contextlib.ExitStack() as stack:
        relay, surroundings = stack.enter_context(_backend(subject, work, turn_s))
        lines = "".join(
            f"{key} = {json.dumps(relay.uri if key == 'uri' and not value and relay else value)}\n"
            for key, value in settings.items()
        )
        (home / "config.toml").write_text(f"[{name}]\n{lines}" if name != "flat" else "")
        environment = os.environ | surroundings | {"CAIRN_HOME": str(home)}
        told = json.loads(_child(environment, "write", name, rows, data, None)[-1])
        told |= json.loads(_child(environment, "ask", name, rows, data, relay)[-1])
    sizes = {each: _size(work / each) for each in ("data", "server")}
    there = f"{sizes['server'] / 1e6:,.0f} MB" if sizes["server"] else ""
    first, later = told["first_counts"], told["counts"]
    counted = (
        f"{first[0]:.0f}, {first[1] / 1e6:.2f} MB | {later[0] / (QUESTIONS - 1):.1f}, "
        f"{later[1] / (QUESTIONS - 1) / 1e6:.2f} MB"
        if relay
        else " | "
    )
    return (
        f"| {rows:,} | {subject} | {told['write_s']:.1f} ({told['write_cpu_s']:.1f}) s | {sizes['data'] / 1e6:,.0f} MB "
        f"| {there} | {told['first_ms']:,.0f} ({told['first_cpu_ms']:,.0f}) ms "
        f"| {told['p50_ms']:,.0f} ({told['cpu_ms']:,.0f}) ms "
        f"| {told['p95_ms']:,.0f} ms | {counted} | {told['recall_10']:.3f}, {told['recall']:.3f} |"
    )


@contextlib.contextmanager
def _backend(subject: str, work: Path, turn_s: float) -> Iterator[tuple[Relay | None, dict[str, str]]]:
    if subject.startswith("milvus"):
        with milvus(work / "server", turn_s) as relay:
            yield relay, {}
    elif "address" in subject:
        with object_store(turn_s) as (relay, surroundings):
            yield relay, surroundings
    else:
        yield None, {}


def _child(environment: dict[str, str], step: str, name: str, rows: int, data: Path, relay: Relay | None) -> list[str]:
    """Run a step to its end, counting apart what its first question and the others take."""
    command = (sys.executable, "-m", "bench.engines", "--step", step, name, str(rows), "--work", str(data))
    process = subprocess.Popen(
        command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    counts: list[Counts] = []
    lines: list[str] = []
    try:
        for line in process.stdout:
            lines.append(line)
            if '"at"' in line:
                if relay is not None:
                    counts.append((relay.questions, relay.came_bytes))
                    relay.forget()
                process.stdin.write("\n")
                process.stdin.flush()
        process.wait(LIMIT_S)
    finally:
        process.kill()
    if process.returncode != 0:
        raise RuntimeError(process.stderr.read().strip().splitlines()[-1][:200])
    if step == "ask":
        later = (relay.questions, relay.came_bytes) if relay is not None else (0, 0)
        told = json.loads(lines[-1]) | {"first_counts": counts[-1] if counts else (0, 0), "counts": later}
        lines.append(json.dumps(told))
    return lines


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file() and path.name != "best.npy")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.engines", description=__doc__)
    parser.add_argument("--work", type=Path, default=Path("build/engines"))
    parser.add_argument("--rows", type=int, nargs="+", default=SIZES)
    parser.add_argument("--subjects", nargs="+", default=list(SUBJECTS), choices=SUBJECTS)
    parser.add_argument("--delay-ms", type=float, default=20.0, help="how long the way to an address and back takes")
    parser.add_argument("--step", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.step:
        step, name, rows = options.step
        print(json.dumps((write if step == "write" else ask)(name, int(rows), options.work)))
        return
    print("In brackets: CPU of the process that asks.\n")
    print(
        "| rows | engine | write | here | on the server | first of a process | p50 | p95 | requests and bytes, first "
        "| later | recall@10, @600 |\n" + "| --- " * 11 + "|"
    )
    work = options.work.resolve()
    for rows in options.rows:
        for subject in options.subjects:
            shutil.rmtree(work, ignore_errors=True)
            try:
                print(measured(subject, rows, work, options.delay_ms / 1000), flush=True)
            except (RuntimeError, subprocess.TimeoutExpired) as error:
                print(f"| {rows:,} | {subject} | {str(error)[:120]} |" + " |" * 8, flush=True)
            finally:
                shutil.rmtree(work, ignore_errors=True)


if __name__ == "__main__":
    main()
