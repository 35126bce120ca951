"""Requirements and the tests that prove them.

`docs/requirements.toml` lists what must hold, `docs/claims.toml` what finished work claims. Tests
name a requirement with `@pytest.mark.requirement("ID")`. The page docs/conformance.md is made from
both; a claim without a passing test of the first tier (one that isn't marked `slow`) fails the run,
and so does a test that names an unknown id.
"""

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "conformance.md"


@dataclass(frozen=True, slots=True)
class Requirement:
    id: str
    seed: str
    text: str


def load_requirements() -> dict[str, Requirement]:
    rows = tomllib.loads((ROOT / "docs" / "requirements.toml").read_text(encoding="utf-8"))["requirement"]
    return {row["id"]: Requirement(row["id"], row["seed"], row["text"]) for row in rows}


def load_claims() -> frozenset[str]:
    return frozenset(tomllib.loads((ROOT / "docs" / "claims.toml").read_text(encoding="utf-8"))["claimed"])


def unknown_ids(named: Iterable[str], requirements: Mapping[str, Requirement]) -> list[str]:
    return sorted(set(named) - requirements.keys())


def broken_claims(
    claims: Iterable[str], passed: Mapping[str, set[str]], failed: Mapping[str, set[str]]
) -> dict[str, str]:
    """Claims that this run doesn't bear out, each with the reason."""
    broken = {}
    for claim in sorted(claims):
        if failed.get(claim):
            broken[claim] = "failing: " + ", ".join(sorted(failed[claim]))
        elif not passed.get(claim):
            broken[claim] = "no passing test of the first tier names it"
    return broken


def render(requirements: Mapping[str, Requirement], claims: frozenset[str], tests: Mapping[str, Iterable[str]]) -> str:
    """The conformance page; open rows are shown as open."""
    proven = [row for row in requirements.values() if row.id in claims]
    lines = [
        "# Conformance",
        "",
        "Made by `make conformance` from `docs/requirements.toml`, `docs/claims.toml` and the markers in the tests;",
        "`make check` fails when it is out of date, `make test` when a claim has no passing test.",
        "",
        f"Claimed and tested: {len(proven)} of {len(requirements)}. All others are open.",
        "",
        "| requirement | state | what must hold | tests |",
        "| --- | --- | --- | --- |",
    ]
    for row in requirements.values():
        names = sorted(set(tests.get(row.id, ())))
        state = "claimed" if row.id in claims else ("in work" if names else "open")
        cells = "<br>".join(f"`{name}`" for name in names)
        lines.append(f"| {row.id} | {state} | {row.text.replace('|', chr(92) + '|')} | {cells} |")
    return "\n".join(lines) + "\n"
