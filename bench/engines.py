"""`python -m bench.engines REPOSITORY`: rows, bytes, requests and latency of each vector engine, for docs/engines.md.

Every engine and size is written by one process and asked by others, so that its memory is its own and first questions
are those of new processes. Vectors are those of a repository's chunks, each with some noise for every copy of it, one
and the same for all engines; the questions are those of `bench.questions`, by the bundled model. What lies at an
address is asked through a relay that makes it far away and counts what passes.

"codes" are what a machine without an index holds of a remote's large segments (docs/team.md), and no engine.
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

from bench import questions
from bench.backends import BUCKET, milvus, object_store
from bench.relay import Relay
from cairn.engines import VectorEngine, VectorReader, Vectors, engine_named, nearest_in
from cairn.store._codes import CodedReader, coded, learnt
from cairn.store.publish import ROWS_PER_SEGMENT

SIZES = (10_000, 100_000, 1_000_000)
SUBJECTS: dict[str, tuple[str, dict[str, Any]]] = {
    "flat": ("flat", {}),
    "codes": ("codes", {}),
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
STARTS = 5
"""So many new processes are asked one question each."""
WANTED = 600
"""So many rows a search asks for."""
NOISE = 0.35
LIMIT_S = 2400.0
Counts = tuple[float, float]


class Codes:
    """What is held of a remote's vectors, as an engine."""

    name = "codes"

    def write(self, folder: str, vectors: Vectors) -> None:
        known = learnt(vectors)
        np.save(os.path.join(folder, "known.npy"), known)
        np.save(os.path.join(folder, "codes.npy"), coded(vectors, known))

    def open(self, folder: str, _count: int, _dimension: int) -> VectorReader:
        known, codes = (np.load(os.path.join(folder, name)) for name in ("known.npy", "codes.npy"))
        return CodedReader(codes, known)


def engine_of(name: str, store: str) -> VectorEngine:
    return Codes() if name == "codes" else engine_named(name, store)


def gather(repository: Path, work: Path) -> None:
    """Keep the vectors of a repository's chunks, and of the questions."""
    os.environ["CAIRN_HOME"] = str(work / "of-repository")
    from cairn.codebase.codebase import Codebase
    from cairn.embed.static import StaticEmbedder

    with Codebase(str(repository)) as codebase:
        codebase.index()
        with codebase.view() as view:
            each = view.upkeep.content([ref.segment_id for ref in view.manifest.segments])
            vectors = np.concatenate([own for _, _, own in each])
    _, asked = questions.load()
    prose = [question.query for question in asked if " " in question.query]
    some = [prose[at] for at in np.random.default_rng(1).choice(len(prose), QUESTIONS, replace=False)]
    np.savez(work / "seeds.npz", vectors=vectors, queries=np.asarray(StaticEmbedder().embed(some)))


def vectors_of(seeds: Vectors, part: int, rows: int) -> Vectors:
    """Some of the vectors: unit length, each near that of a chunk, in the numbers that an index keeps."""
    random = np.random.default_rng(100 + part)
    vectors = np.tile(seeds, (-(-rows // len(seeds)), 1))[:rows].astype(np.float32)
    vectors += NOISE / np.sqrt(seeds.shape[1]) * random.standard_normal(vectors.shape, dtype=np.float32)
    vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)
    return vectors.astype(np.float16).astype(np.float32)


def parts_of(rows: int) -> list[int]:
    """How many rows each segment has."""
    return [min(ROWS_PER_SEGMENT, rows - first) for first in range(0, rows, ROWS_PER_SEGMENT)]


def write(name: str, rows: int, work: Path) -> dict[str, Any]:
    """Write the rows as segments, and keep what the best answers are."""
    store = work / "store"
    store.mkdir(parents=True, mode=0o700)
    (store / "cache").mkdir()
    engine = engine_of(name, str(store))
    seeds = np.load(work.parents[1] / "seeds.npz")
    best = [np.empty((2, 0)) for _ in seeds["queries"]]
    spent = worked = 0.0
    for part, count in enumerate(parts_of(rows)):
        vectors = vectors_of(seeds["vectors"], part, count)
        numbers = part * ROWS_PER_SEGMENT + np.arange(count)
        for place, query in enumerate(seeds["queries"]):
            found = np.hstack((best[place], np.stack((vectors @ query, numbers))))
            best[place] = found[:, np.lexsort((found[1], -found[0]))[:WANTED]]
        folder = work / f"seg_{part}"
        folder.mkdir()
        begun, cpu = perf_counter(), process_time()
        engine.write(str(folder), vectors)
        spent, worked = spent + perf_counter() - begun, worked + process_time() - cpu
    np.save(work / "best.npy", np.stack(best))
    return {"write_s": spent, "write_cpu_s": worked}


def ask(name: str, rows: int, work: Path, count: int) -> dict[str, Any]:
    """Ask so many questions for the nearest over all segments: times, and how much of what is best was found."""
    best = np.load(work / "best.npy")
    seeds = np.load(work.parents[1] / "seeds.npz")
    queries = seeds["queries"]
    times, cpus, told = [], [], []
    readers: list[VectorReader] = []
    for place in range(count):
        if place in (0, 1):
            print(json.dumps({"at": place}), flush=True)
            sys.stdin.readline()
        begun, cpu = perf_counter(), process_time()
        if not readers:
            # With the import of the engine's library, which a new process pays for too.
            engine = engine_of(name, str(work / "store"))
            readers = [
                engine.open(str(work / f"seg_{part}"), own, queries.shape[1]) for part, own in enumerate(parts_of(rows))
            ]
        answers = nearest_in(readers, queries[place], WANTED, [None] * len(readers))
        times.append(perf_counter() - begun)
        cpus.append(process_time() - cpu)
        scores = np.concatenate([scores for _, scores in answers])
        numbers = np.concatenate([part * ROWS_PER_SEGMENT + own for part, (own, _) in enumerate(answers)])
        told.append(compared(best[place], numbers[np.lexsort((numbers, -scores))]))
    ten, wanted, gain = np.mean(told, axis=0)
    return {
        "first_ms": times[0] * 1000,
        "first_cpu_ms": cpus[0] * 1000,
        "p50_ms": median(times[1:] or times) * 1000,
        "p95_ms": quantiles(times[1:] or times * 2, n=20)[-1] * 1000,
        "cpu_ms": median(cpus[1:] or cpus) * 1000,
        "recall_10": ten,
        "recall": wanted,
        "ndcg_10": gain,
        "memory_mb": _most_memory() / 1e6,
    }


def _most_memory() -> int:
    """The most bytes that this process has had; its parent's are among those that getrusage tells."""
    status = Path("/proc/self/status").read_text()
    return 1024 * int(status.partition("VmHWM:")[2].split()[0])


def compared(best: Any, numbers: Any) -> tuple[float, float, float]:
    """Of the rows that are best, the share of the ten and of all that were found; NDCG@10, the first worth most."""
    right = best[1].astype(np.int64)
    worth = dict(zip(right[:10].tolist(), range(10, 0, -1), strict=True))
    discounts = 1 / np.log2(np.arange(2, 12))
    found = np.array([worth.get(number, 0) for number in numbers[:10].tolist()])
    ideal = float(np.arange(10, 0, -1) @ discounts)
    return (
        len(worth.keys() & set(numbers[:10].tolist())) / 10,
        len(set(right.tolist()) & set(numbers[:WANTED].tolist())) / len(right),
        float(found @ discounts[: len(found)]) / ideal,
    )


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
        starts = [json.loads(_child(environment, "start", name, rows, data, relay)[-1]) for _ in range(STARTS)]
        told |= json.loads(_child(environment, "ask", name, rows, data, relay)[-1])
        stored = _stored(surroundings) if surroundings else 0
    sizes = {each: _size(work / each) for each in ("data", "server")}
    there = f"{(sizes['server'] or stored) / 1e6:,.0f} MB" if relay else ""
    first = [median(each["first_counts"][column] for each in starts) for column in (0, 1)]
    later = told["counts"]
    counted = (
        f"{first[0]:.0f}, {first[1] / 1e6:.2f} MB | {later[0] / (QUESTIONS - 1):.1f}, "
        f"{later[1] / (QUESTIONS - 1) / 1e6:.2f} MB"
        if relay
        else " | "
    )
    new = sorted(each["first_ms"] for each in starts)
    return (
        f"| {rows:,} | {subject} | {told['write_s']:.1f} ({told['write_cpu_s']:.1f}) s | {sizes['data'] / 1e6:,.0f} MB "
        f"| {there} | {median(new):,.0f} ({median(each['first_cpu_ms'] for each in starts):,.0f}), {new[-1]:,.0f} ms "
        f"| {told['p50_ms']:,.0f} ({told['cpu_ms']:,.0f}), {told['p95_ms']:,.0f} ms "
        f"| {counted} | {told['recall_10']:.3f}, {told['recall']:.3f}, {told['ndcg_10']:.3f} "
        f"| {told['memory_mb']:,.0f} MB | {os.getloadavg()[0]:.1f} |"
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
    if step != "write":
        later = (relay.questions, relay.came_bytes) if relay is not None else (0, 0)
        first = later if step == "start" else counts[-1] if counts else (0, 0)
        told = json.loads(lines[-1]) | {"first_counts": first, "counts": later}
        lines.append(json.dumps(told))
    return lines


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file() and path.name != "best.npy")


def _stored(surroundings: dict[str, str]) -> int:
    """The bytes of all objects in the bucket."""
    import obstore
    from obstore.store import S3Store

    store = S3Store(
        BUCKET,
        endpoint=surroundings["AWS_ENDPOINT"],
        access_key_id=surroundings["AWS_ACCESS_KEY_ID"],
        secret_access_key=surroundings["AWS_SECRET_ACCESS_KEY"],
        region=surroundings["AWS_REGION"],
        client_options={"allow_http": True},
    )
    return sum(each["size"] for some in obstore.list(store) for each in some)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.engines", description=__doc__)
    parser.add_argument("repository", type=Path, nargs="?", default=Path())
    parser.add_argument("--work", type=Path, default=Path("build/engines"))
    parser.add_argument("--rows", type=int, nargs="+", default=SIZES)
    parser.add_argument("--subjects", nargs="+", default=list(SUBJECTS), choices=SUBJECTS)
    parser.add_argument("--delay-ms", type=float, default=20.0, help="how long the way to an address and back takes")
    parser.add_argument("--step", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.step:
        step, name, rows = options.step
        count = {"ask": QUESTIONS, "start": 1}.get(step)
        told = ask(name, int(rows), options.work, count) if count else write(name, int(rows), options.work)
        print(json.dumps(told))
        return
    work = options.work.resolve()
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    gather(options.repository.resolve(), work)
    print("In brackets: CPU of the process that asks; behind a comma the slowest of all processes, p95, and so on.\n")
    print(
        "| rows | engine | write | here | on the server | new process: p50, slowest | going on: p50, p95 "
        "| requests and bytes, first | later | recall@10, @600, NDCG@10 | memory | load |\n" + "| --- " * 12 + "|"
    )
    for rows in options.rows:
        for subject in options.subjects:
            place = work / "one"
            try:
                print(measured(subject, rows, place, options.delay_ms / 1000), flush=True)
            except (RuntimeError, subprocess.TimeoutExpired) as error:
                print(f"| {rows:,} | {subject} | {str(error)[:120]} |" + " |" * 9, flush=True)
            finally:
                shutil.rmtree(place, ignore_errors=True)


if __name__ == "__main__":
    main()
