"""Timing by turns: what is compared runs alternately, so that a busy machine slows both alike."""

import time
from collections.abc import Callable, Mapping
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
    ratio: float
    bar: float

    @property
    def verdict(self) -> str:
        return "holds" if self.ratio <= self.bar else "MISSES"


def table(rows: list[Row]) -> str:
    lines = ["| what | Cairn | against | ratio | bar | |", "| --- | --- | --- | --- | --- | --- |"]
    lines += [
        f"| {row.what} | {row.ours} | {row.against} | {row.ratio:.2f} | {row.bar:g} | {row.verdict} |" for row in rows
    ]
    return "\n".join(lines)


def milliseconds(seconds: float) -> str:
    return f"{seconds * 1000:.0f} ms"
