"""How long each question about code takes, name by name and file by file, in an open process.

    CAIRN_HOME=... python -m bench.names ROOT [--only QUESTION] [--answers FILE]

The tree has to be indexed. Names are those of definitions: the commonest, and others by the logarithm of their rank;
each is asked once, in one order, in a process for each question. `--answers` writes a digest of each answer, so that
two versions can be held against each other.
"""

import argparse
import hashlib
import json
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from statistics import median
from typing import Any

from bench.measure import share
from cairn.codebase.codebase import Codebase
from cairn.graph.calls import Limits

COMMONEST, NAMES, FILES = 60, 300, 60
_NODES = 500
_DEEP = Limits(depth=3)
_WIDE = Limits(depth=2, nodes=_NODES, fan_out=100)
_WIDER = Limits(depth=3, nodes=_NODES, fan_out=100)
_ONCE = "once"

Ask = Callable[[Codebase, str], Any]
QUESTIONS: dict[str, tuple[str, Ask]] = {
    "symbol": ("name", lambda base, what: base.insight.symbol(what)),
    "refs": ("name", lambda base, what: base.insight.references(what, 100)),
    "callers": ("name", lambda base, what: base.insight.calls(what, "callers", _DEEP)),
    "callees": ("name", lambda base, what: base.insight.calls(what, "callees", _DEEP)),
    "implementors": ("name", lambda base, what: base.insight.hierarchy(what, "down", _NODES)),
    "hierarchy": ("name", lambda base, what: base.insight.hierarchy(what, "both", _NODES)),
    "outline": ("file", lambda base, what: base.insight.outline(what)),
    "impact": ("file", lambda base, what: base.insight.impact(None, None, [what], _WIDE)),
    "tests": ("file", lambda base, what: base.insight.tests(None, None, [what], _WIDER)),
    "map": (_ONCE, lambda base, _: base.insight.map()),
    "cycles": (_ONCE, lambda base, _: base.insight.cycles(100)),
    "unused": (_ONCE, lambda base, _: base.insight.unused()),
}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("root")
    parser.add_argument("--only", choices=QUESTIONS)
    parser.add_argument("--answers")
    parser.add_argument("--lines", action="store_true", help="each question with its time, the longest last")
    said = parser.parse_args()
    if said.only:
        _ask(said.root, said.only, said.answers, said.lines)
        return
    print("| question | asked | p50 | p90 | p95 | p95, wall | most | all, s |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |", flush=True)
    for question in QUESTIONS:
        answers = ["--answers", f"{said.answers}.{question}"] if said.answers else []
        subprocess.run([sys.executable, "-m", "bench.names", said.root, "--only", question, *answers], check=True)


def _ask(root: str, question: str, answers: str | None, lines: bool) -> None:
    kind, ask = QUESTIONS[question]
    with Codebase(root) as base:
        # The first of a process loads what all of them need.
        base.insight.symbol("a")
        base.insight.references("no_such_name_anywhere")
        with base.view() as view:
            names, paths = _sample(base, [path for path, _ in view.rows.languages()])
        asked = {"name": names, "file": paths, _ONCE: ["", ""]}[kind]
        taken, digests = [], {}
        for what in asked:
            cpu, started = time.process_time(), time.perf_counter()
            found = ask(base, what)
            taken.append((time.process_time() - cpu, time.perf_counter() - started, what))
            digests[what] = hashlib.sha256(repr((found.value, found.limits_hit)).encode()).hexdigest()
    if answers:
        with open(answers, "w", encoding="utf-8") as file:
            json.dump(digests, file, indent=0)
    if lines:
        for cpu, wall, what in sorted(taken):
            print(f"{cpu * 1000:8.1f} {wall * 1000:8.1f} {what}")
    print(_row(question, kind, [each[0] for each in taken], [each[1] for each in taken]), flush=True)


def _row(question: str, kind: str, cpu: Sequence[float], wall: Sequence[float]) -> str:
    if kind == _ONCE:
        once, again = (f"{each * 1000:,.0f}" for each in cpu)
        return f"| `{question}`, once / again | 2 | | | | {wall[0] * 1000:,.0f} | {once} / {again} | {sum(cpu):.1f} |"
    cells = [median(cpu), share(cpu, 0.9), share(cpu, 0.95), share(wall, 0.95), max(cpu)]
    return f"| `{question}` | {len(cpu)} | {' | '.join(f'{each * 1000:,.0f}' for each in cells)} | {sum(cpu):.1f} |"


def _sample(base: Codebase, paths: Sequence[str]) -> tuple[list[str], list[str]]:
    """Names of definitions by how often they are called, and the largest files in which no test stands."""
    counted: Counter[str] = Counter()
    with base.view() as view:
        for path in sorted(paths):
            if not path.endswith(".py"):
                continue
            counted.update(each.name for each in view.facts.names_of([path])[path][1])
        for name in counted:
            counted[name] = sum(len(here.placed.whats) for here in view.occurrences.named(name).values())
    ranked = [name for name, _ in sorted(counted.items(), key=lambda item: (-item[1], item[0]))]
    spread = len(ranked) / COMMONEST
    ranks = {int(COMMONEST * spread ** (at / (NAMES - COMMONEST))) for at in range(NAMES - COMMONEST)}
    chosen = [*ranked[:COMMONEST], *(ranked[rank] for rank in sorted(ranks))]
    own = [path for path in sorted(paths) if path.startswith("django/") and path.endswith(".py")]
    own = own or [path for path in sorted(paths) if path.endswith(".py")]
    step = max(len(own) // FILES, 1)
    return chosen, own[::step][:FILES]


if __name__ == "__main__":
    main()
