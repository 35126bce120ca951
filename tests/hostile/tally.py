"""How many rounds a harness runs, with which seed, and the table of what came out."""

import os
from dataclasses import dataclass, field

from tests.long import LONG

FEW = 6
"""Rounds of the short form."""


def rounds(name: str, each: int) -> int:
    """The count that the environment names (`CAIRN_KILLS=500`), else so many for each step of `make long`."""
    return int(os.environ.get(f"CAIRN_{name}") or each * LONG or FEW)


def seed() -> int:
    """The seed that the environment names, else always the same: a suite that passed passes again."""
    return int(os.environ.get("CAIRN_SEED") or 1)


@dataclass(slots=True)
class Row:
    """What came out of the rounds of one kind."""

    rounds: int = 0
    killed: int = 0
    recovered: int = 0
    wrong: int = 0
    hung: int = 0


@dataclass(slots=True)
class Tally:
    """The rounds of a harness by kind, and what was wrong in words."""

    title: str
    seed: int
    rows: dict[str, Row] = field(default_factory=dict)
    complaints: list[str] = field(default_factory=list)

    def count(self, kind: str, complaints: list[str], *, hung: bool = False, killed: bool = False) -> None:
        """One round has ended, with what was wrong in it."""
        row = self.rows.setdefault(kind, Row())
        row.rounds += 1
        row.hung += hung
        row.killed += killed
        row.wrong += bool(complaints) and not hung
        row.recovered += not complaints and not hung
        self.complaints += [f"{kind}: {complaint}" for complaint in complaints]

    def table(self) -> str:
        """The table as Markdown."""
        lines = [
            f"{self.title}, seed {self.seed}",
            "",
            "| kind | rounds | killed | recovered | wrong | hung |",
            "|" + " --- |" * 6,
        ]
        total = Row(*(sum(getattr(row, name) for row in self.rows.values()) for name in Row.__slots__))
        for kind, row in [*sorted(self.rows.items()), ("all", total)]:
            lines.append(f"| {kind} | {row.rounds} | {row.killed} | {row.recovered} | {row.wrong} | {row.hung} |")
        return "\n".join(lines)
