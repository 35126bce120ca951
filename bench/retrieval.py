"""Retrieval quality by a public benchmark, where its data is at hand.

`CAIRN_BENCH_SCORER` names the benchmark's scorer and `CAIRN_BENCH_MIRRORS` a folder of bare mirrors
of its repositories; without them there is nothing to measure. Nothing in the project knows a query
or a repository of it.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

KINDS = ("semantic", "architecture", "symbol")
ABOUT = """Public queries over pinned repositories, default settings and the bundled model. Published for the same
queries: CodeRankEmbed hybrid (137M parameters) 0.856, semble 0.854."""


def run(work: Path) -> str:
    """A table by repository, or why there is none."""
    scorer, mirrors = os.environ.get("CAIRN_BENCH_SCORER"), os.environ.get("CAIRN_BENCH_MIRRORS")
    if not scorer or not mirrors:
        return "Not measured: set CAIRN_BENCH_SCORER and CAIRN_BENCH_MIRRORS."
    out = work / "retrieval.json"
    corpora = work / "corpora"
    corpora.mkdir(parents=True, exist_ok=True)
    adapter = f"{sys.executable} {Path(__file__).with_name('adapter.py')}"
    done = subprocess.run(
        (sys.executable, scorer, "--mirror", mirrors, "--work", str(corpora), "--adapter", adapter, "--out", str(out)),
        capture_output=True,
        text=True,
        check=True,
    )
    last = done.stdout.strip().splitlines()[-1]
    lines = table(json.loads(out.read_text(encoding="utf-8")))
    return "\n".join([*lines, "", f"The scorer's own last line: `{last}`."])


def table(rows: list[dict[str, Any]]) -> list[str]:
    """The lines of a table by language and kind."""
    lines = [
        "| language | repositories | queries | NDCG@10 | index | query, median |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for language in sorted({row["language"] for row in rows}):
        own = [row for row in rows if row["language"] == language]
        lines.append(
            f"| {language} | {len(own)} | {sum(row['n'] for row in own)} | {_mean(own):.3f} "
            f"| {max(row['index_ms'] for row in own) / 1000:.1f} s | {max(row['p50'] for row in own):.1f} ms |"
        )
    lines.append(f"| **all** | {len(rows)} | {sum(row['n'] for row in rows)} | **{_mean(rows):.4f}** | | |")
    for kind in KINDS:
        values = [value for row in rows for value in row["by"][kind]]
        if values:
            lines.append(f"| {kind} queries | | {len(values)} | {sum(values) / len(values):.4f} | | |")
    return lines


def _mean(rows: list[dict[str, Any]]) -> float:
    return float(sum(row["ndcg10"] * row["n"] for row in rows) / sum(row["n"] for row in rows))
