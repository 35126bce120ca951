"""`python -m bench.engines`: rows, bytes and latency of each vector engine, for the table of docs/engines.md.

Every engine and size is measured in a process of its own, so that its memory is its own. Vectors are synthetic
and lie in clusters, as those of code do; one and the same for all engines.
"""

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
from pathlib import Path
from statistics import median
from time import perf_counter

import numpy as np

from cairn.engines import VectorReader, Vectors, engine_named
from cairn.store.publish import ROWS_PER_SEGMENT

DIMENSION = 128
CLUSTERS = 5000
SIZES = (10_000, 100_000, 1_000_000)
SUBJECTS = {
    "flat": ("flat", {}),
    "lancedb": ("lancedb", {}),
    "lancedb, exact": ("lancedb", {"exact": True}),
    "milvus": ("milvus", {"exact": True}),
    "milvus, HNSW": ("milvus", {"exact": False}),
}
QUESTIONS = 30
WANTED = 200
LIMIT_S = 1500.0


def vectors_of(part: int, rows: int) -> Vectors:
    """Some of the vectors: unit length, each near the centre of its cluster."""
    centres = np.random.default_rng(1).standard_normal((CLUSTERS, DIMENSION), dtype=np.float32)
    random = np.random.default_rng(100 + part)
    vectors = centres[random.integers(0, CLUSTERS, rows)]
    vectors += 0.7 * random.standard_normal((rows, DIMENSION), dtype=np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors


def measure(subject: str, rows: int, work: Path) -> dict[str, float]:
    """Write the rows as segments, and ask for the nearest over all of them."""
    engine_name, _ = SUBJECTS[subject]
    store = work / "store"
    shutil.rmtree(work, ignore_errors=True)
    store.mkdir(parents=True, mode=0o700)
    engine = engine_named(engine_name, str(store))
    parts = [min(ROWS_PER_SEGMENT, rows - first) for first in range(0, rows, ROWS_PER_SEGMENT)]
    queries = vectors_of(99, QUESTIONS)
    best = [np.empty(0, dtype=np.float32) for _ in queries]
    spent = 0.0
    for part, count in enumerate(parts):
        vectors = vectors_of(part, count)
        for place, query in enumerate(queries):
            found = np.concatenate((best[place], np.sort(vectors @ query)[-10:]))
            best[place] = np.sort(found)[-10:]
        folder = work / f"seg_{part}"
        folder.mkdir()
        begun = perf_counter()
        engine.write(str(folder), vectors)
        spent += perf_counter() - begun
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    readers = [engine.open(str(work / f"seg_{part}"), count, DIMENSION) for part, count in enumerate(parts)]
    times, recalled = [], []
    for place, query in enumerate(queries):
        begun = perf_counter()
        scores = asked(readers, query)
        times.append(perf_counter() - begun)
        recalled.append(float((scores[:10] >= best[place][0] - 1e-5).mean()))
    size = sum(path.stat().st_size for path in work.rglob("*") if path.is_file())
    return {
        "write_s": spent,
        "bytes": size,
        "first_ms": times[0] * 1000,
        "p50_ms": median(times[1:]) * 1000,
        "recall": sum(recalled) / len(recalled),
        "peak": peak,
    }


def asked(readers: list[VectorReader], query: Vectors) -> Vectors:
    found = np.concatenate([reader.nearest(query, WANTED, None)[1] for reader in readers])
    return np.sort(found)[::-1][:WANTED]


def _child(subject: str, rows: int, work: Path) -> str:
    """One line of the table."""
    home = work / "home"
    home.mkdir(parents=True, exist_ok=True)
    engine, options = SUBJECTS[subject]
    lines = "".join(f"{key} = {json.dumps(value)}\n" for key, value in {**options, **_patience(engine)}.items())
    (home / "config.toml").write_text(f"[{engine}]\n{lines}" if engine != "flat" else "")
    command = (sys.executable, "-m", "bench.engines", "--one", subject, str(rows), "--work", str(work / "data"))
    try:
        done = subprocess.run(
            command, env=os.environ | {"CAIRN_HOME": str(home)}, capture_output=True, text=True, timeout=LIMIT_S
        )
    except subprocess.TimeoutExpired:
        return f"| {rows:,} | {subject} | not done in {LIMIT_S / 60:.0f} minutes | | | | |"
    finally:
        shutil.rmtree(work / "data", ignore_errors=True)
    if done.returncode != 0:
        return f"| {rows:,} | {subject} | failed: {done.stderr.strip().splitlines()[-1][:80]} | | | | |"
    told = json.loads(done.stdout.splitlines()[-1])
    return (
        f"| {rows:,} | {subject} | {told['write_s']:.1f} s | {told['bytes'] / 1e6:,.0f} MB "
        f"| {told['first_ms']:,.1f} ms | {told['p50_ms']:,.1f} ms | {told['recall']:.3f} |"
    )


def _patience(engine: str) -> dict[str, int]:
    return {"timeout_s": 300} if engine == "milvus" else {}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.engines")
    parser.add_argument("--work", type=Path, default=Path("build/engines"))
    parser.add_argument("--rows", type=int, nargs="+", default=SIZES)
    parser.add_argument("--subjects", nargs="+", default=list(SUBJECTS), choices=SUBJECTS)
    parser.add_argument("--one", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        print(json.dumps(measure(options.one[0], int(options.one[1]), options.work)))
        return
    print("| rows | engine | write | on disk | first question | p50 | recall@10 |\n" + "| --- " * 7 + "|")
    for rows in options.rows:
        for subject in options.subjects:
            print(_child(subject, rows, options.work.resolve()), flush=True)


if __name__ == "__main__":
    main()
