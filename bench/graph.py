"""How long symbols, call graphs and maps take in a running process."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from bench.corpora import many, questions
from bench.growth import home_of
from bench.measure import Row, seconds_of, share, table
from bench.running import running_cairn

SYMBOLS_FILES = 20_000
MAP_FILES = 10_000
DEPTH = 3
ROUNDS = 5
_SYMBOL_S = 0.005
_CALLS_S = 0.1
_MAP_COLD_S = 2.0
_MAP_S = 0.05


@dataclass(frozen=True, slots=True)
class Asked:
    """Wall seconds of each kind of question, one by one."""

    chunks: int
    symbols: Sequence[float]
    calls: Sequence[float]
    nodes: Sequence[int]


@dataclass(frozen=True, slots=True)
class Maps:
    files: int
    cold: Sequence[float]
    again: Sequence[float]


def section(work: Path) -> str:
    asked, maps = ask(work, SYMBOLS_FILES), draw(work, MAP_FILES)
    rows = [
        _row(f"symbol by name, {asked.chunks:,} chunks, p50", median(asked.symbols), _SYMBOL_S),
        _row(f"call graph of depth {DEPTH}, both ways, p50", median(asked.calls), _CALLS_S),
        _row(f"call graph of depth {DEPTH}, both ways, p95", share(asked.calls, 0.95), _CALLS_S),
        _row(f"map of {maps.files:,} files, new process", median(maps.cold), _MAP_COLD_S),
        _row(f"map of {maps.files:,} files, unchanged snapshot", median(maps.again), _MAP_S),
    ]
    return (
        "Names are taken from the tree. Each call graph is asked once, in a process that has answered for others;\n"
        f"they have {median(asked.nodes):.0f} definitions in the middle, at most {max(asked.nodes)}.\n\n{table(rows)}"
    )


def ask(work: Path, size: int) -> Asked:
    root, home = many(work, size), home_of(work, size)
    home.mkdir(parents=True, exist_ok=True)
    names = questions(root).symbol
    with running_cairn(home, root) as subject:
        chunks = subject.ask("sync").value["chunks"]
    with running_cairn(home, root) as subject:
        symbols = [subject.ask("symbol", name).wall for _ in range(ROUNDS + 1) for name in names][len(names) :]
        # What a graph needs is kept once it was asked for: only the first answer to a name counts.
        first, *rest = names
        subject.ask("calls", first, DEPTH)
        calls = [subject.ask("calls", name, DEPTH) for name in rest]
    return Asked(chunks, symbols, [each.wall for each in calls], [each.value for each in calls])


def draw(work: Path, size: int) -> Maps:
    root, home = many(work, size), home_of(work, size)
    home.mkdir(parents=True, exist_ok=True)
    with running_cairn(home, root) as subject:
        files = subject.ask("sync").value["files"]
    cold, again = [], []
    for _ in range(ROUNDS):
        with running_cairn(home, root) as subject:
            cold.append(subject.ask("map").wall)
            again += [subject.ask("map").wall for _ in range(ROUNDS)]
    return Maps(files, cold, again)


def _row(what: str, seconds: float, bar: float) -> Row:
    return Row(what, seconds_of(seconds), f"at most {seconds_of(bar)}", seconds / bar, 1)
