"""Timing by turns: what is compared runs alternately, so that a busy machine slows both alike."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median


@dataclass(frozen=True, slots=True)
class Timing:
    """Wall seconds of one subject over all rounds."""

    seconds: tuple[float, ...]

    @property
    def middle(self) -> float:
        return median(self.seconds)

    @property
    def best(self) -> float:
        return min(self.seconds)


def by_turns(subjects: Mapping[str, Callable[[], object]], rounds: int) -> dict[str, Timing]:
    """Run every subject once a round, after one round that doesn't count."""
    seconds: dict[str, list[float]] = {name: [] for name in subjects}
    for number in range(rounds + 1):
        for name, subject in subjects.items():
            started = time.perf_counter()
            subject()
            if number:
                seconds[name].append(time.perf_counter() - started)
    return {name: Timing(tuple(values)) for name, values in seconds.items()}


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a table: a figure, what it is held against, and the bar."""

    what: str
    ours: str
    against: str
    ratio: float | None = None
    """None where one of the two could not be measured."""
    bar: float | None = None

    @property
    def verdict(self) -> str:
        if self.bar is None:
            return ""
        if self.ratio is None:
            return "not measured"
        return "holds" if self.ratio <= self.bar else "MISSES"


def table(rows: list[Row]) -> str:
    lines = ["| what | Cairn | against | ratio | bar | |", "| --- | --- | --- | --- | --- | --- |"]
    for row in rows:
        ratio = "" if row.ratio is None else f"{row.ratio:.2f}"
        bar = "" if row.bar is None else f"{row.bar:g}"
        lines.append(f"| {row.what} | {row.ours} | {row.against} | {ratio} | {bar} | {row.verdict} |")
    return "\n".join(lines)


def share(values: Sequence[float], part: float) -> float:
    """The value below which a part of them lies, as for a p95."""
    ordered = sorted(values)
    return ordered[min(int(len(ordered) * part), len(ordered) - 1)]


def seconds_of(seconds: float) -> str:
    """Seconds as people read them."""
    if seconds < 0.1:
        return f"{seconds * 1000:.1f} ms"
    return f"{seconds * 1000:.0f} ms" if seconds < 1 else f"{seconds:.1f} s"


def megabytes(size: float) -> str:
    return f"{size / 1e6:.0f} MB"


def milliseconds(seconds: float) -> str:
    return f"{seconds * 1000:.0f} ms"
