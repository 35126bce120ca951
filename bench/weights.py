"""`python -m bench.weights`: how much each signal is worth, and whether other weights would do better elsewhere.

Signals are computed once for every query of the public benchmark (see `bench.retrieval` for where
its data is found). Then three things are cheap: the score with each signal off, the score of other
weights, and leave-one-repository-out: weights are searched on all repositories but one and scored
on that one, so that no repository is judged by weights which were chosen on it. The search is
coordinate-wise and takes a step only if it gains more than noise. Scores here are of files; the
published figure, by lines where a query asks for lines, is the scorer's.
"""

import importlib.util
import json
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import numpy.typing as npt

from cairn.search import WEIGHTS, parse_query
from cairn.search.find import gather
from cairn.search.ranking import rank

SIGNALS = tuple(WEIGHTS)
SHOWN = 10
STEPS = (0.0, 0.5, 0.7, 1.4, 2.0)
NOISE = 0.0015
ROUNDS = 2
_DISCOUNT = 1.0 / np.log2(np.arange(SHOWN) + 2)
_NOWHERE = -1e9

Array = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Case:
    """One query: what every signal says of each file, best paths first among equals, and what is wanted."""

    repository: str
    values: Array
    """files x signals"""
    wanted: tuple[frozenset[int], ...]
    """For each target the files that are it."""


class Cases:
    """All queries in one padded array, so that weights are scored in milliseconds."""

    def __init__(self, cases: Sequence[Case]) -> None:
        most = max(len(case.values) for case in cases)
        self.repositories = tuple(case.repository for case in cases)
        self._wanted = [case.wanted for case in cases]
        self._values = np.zeros((len(cases), most, len(SIGNALS)), dtype=np.float32)
        self._there = np.zeros((len(cases), most), dtype=np.bool_)
        for place, case in enumerate(cases):
            self._values[place, : len(case.values)] = case.values
            self._there[place, : len(case.values)] = True

    def score(self, weights: Mapping[str, float], chosen: Sequence[int] | None = None) -> float:
        """The mean NDCG@10 over some queries."""
        return float(self.scores(weights, chosen).mean())

    def scores(self, weights: Mapping[str, float], chosen: Sequence[int] | None = None) -> Array:
        places = list(range(len(self._wanted)) if chosen is None else chosen)
        vector = np.array([weights[name] for name in SIGNALS], dtype=np.float32)
        total = np.where(self._there[places], np.round(self._values[places] @ vector, 5), _NOWHERE)
        order = np.argsort(-total, axis=1, kind="stable")[:, :SHOWN]
        return np.array([_ndcg(row.tolist(), self._wanted[place]) for row, place in zip(order, places, strict=True)])

    def folds(self) -> Iterator[tuple[list[int], list[int]]]:
        """(queries of all other repositories, queries of one) for each repository."""
        for name in dict.fromkeys(self.repositories):
            inside = [place for place, owner in enumerate(self.repositories) if owner == name]
            yield [place for place, owner in enumerate(self.repositories) if owner != name], inside


def _ndcg(order: Sequence[int], wanted: Sequence[frozenset[int]]) -> float:
    hits = {next((rank for rank, file in enumerate(order) if file in files), None) for files in wanted} - {None}
    ideal = float(_DISCOUNT[: len(wanted)].sum())
    return sum(float(_DISCOUNT[rank]) for rank in hits if rank is not None) / ideal if ideal else 0.0


def search_weights(cases: Cases, chosen: Sequence[int], start: Mapping[str, float] = WEIGHTS) -> dict[str, float]:
    """Weights that do better on some queries, found one signal at a time; a gain within noise is none."""
    weights, best = dict(start), cases.score(start, chosen)
    for _ in range(ROUNDS):
        before = best
        for name in SIGNALS:
            tried = [({**weights, name: start[name] * step}) for step in STEPS]
            scored = max(((cases.score(choice, chosen), place) for place, choice in enumerate(tried)), default=(0.0, 0))
            if scored[0] > best + NOISE:
                best, weights = scored[0], tried[scored[1]]
        if best <= before + NOISE:
            break
    return weights


def left_out(cases: Cases) -> float:
    """NDCG@10 when each repository is scored with weights that were searched on the others."""
    scores = [cases.scores(search_weights(cases, others), own) for others, own in cases.folds()]
    return float(np.concatenate(scores).mean())


def ablation(cases: Cases) -> list[tuple[str, float, int, int]]:
    """(signal, loss when it is off, repositories that lose, repositories that gain), the largest loss first."""
    base = cases.scores(WEIGHTS)
    found = []
    for name in SIGNALS:
        change = cases.scores({**WEIGHTS, name: 0.0}) - base
        by_repository = [float(change[own].mean()) for _, own in cases.folds()]
        worse = sum(value < -1e-9 for value in by_repository)
        found.append((name, -float(change.mean()), worse, sum(value > 1e-9 for value in by_repository)))
    return sorted(found, key=lambda row: -row[1])


def collect(scorer: str, mirrors: str, work: Path) -> Cases:
    """Index every repository of the benchmark and compute the signals of every query."""
    os.environ["CAIRN_HOME"] = str(work / "weights-home")
    from cairn.codebase.codebase import Codebase
    from cairn.indexing.options import SyncOptions

    module = _module(scorer)
    data = Path(scorer).parent
    cases: list[Case] = []
    for spec in json.loads((data / "repos.json").read_text(encoding="utf-8")):
        corpus = module.materialise(spec, mirrors, work / "corpora")
        if corpus is None:
            continue
        with Codebase(str(corpus)) as codebase:
            codebase.index(SyncOptions())
            items = json.loads((data / "annotations" / f"{spec['name']}.json").read_text(encoding="utf-8"))
            cases += [
                _case(codebase, spec["name"], item["query"], list(module.targets(item)), module) for item in items
            ]
    return Cases(cases)


def _case(codebase: Any, repository: str, text: str, targets: list[Any], module: ModuleType) -> Case:
    query = parse_query(text)
    with codebase.view() as view:
        gathered = gather(view, query, codebase.vector_of(query)[0])
        ranking = rank(
            query, gathered.evidence, gathered.statistics, gathered.defined, imports_of=view.facts.imports_of
        )
    items = sorted(ranking.order, key=lambda item: item.path_key)
    values = ranking.values or {}
    table = np.array([[float(values[name][item.index]) for name in SIGNALS] for item in items])
    # Lines don't matter here: every result is held to cover all of its file.
    results = [{"path": item.path_key, "start_line": 0, "end_line": sys.maxsize} for item in items]
    wanted = tuple(
        frozenset(place for place, result in enumerate(results) if module.matches(result, target)) for target in targets
    )
    return Case(repository, table.reshape(len(items), len(SIGNALS)), wanted)


def _module(scorer: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location("benchmark_scorer", scorer)
    if spec is None or spec.loader is None:
        raise SystemExit(f"{scorer} is no Python module.")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def section(work: Path) -> str:
    """The part of the benchmark page about signals and weights, or why there is none."""
    scorer, mirrors = os.environ.get("CAIRN_BENCH_SCORER"), os.environ.get("CAIRN_BENCH_MIRRORS")
    if not scorer or not mirrors:
        return "Not measured: set CAIRN_BENCH_SCORER and CAIRN_BENCH_MIRRORS."
    (work / "corpora").mkdir(parents=True, exist_ok=True)
    cases = collect(scorer, mirrors, work)
    everything = range(len(cases.repositories))
    searched = search_weights(cases, everything)
    changed = {name: round(value, 2) for name, value in searched.items() if value != WEIGHTS[name]}
    lines = [
        "| weights | NDCG@10 of files |",
        "| --- | --- |",
        f"| as shipped | {cases.score(WEIGHTS):.4f} |",
        f"| searched, leaving one repository out and scoring that one | {left_out(cases):.4f} |",
        f"| searched on all and scored on the same | {cases.score(searched):.4f} |",
        "",
        "Changes that the search on all would make: "
        + (", ".join(f"{name} {value:g}" for name, value in changed.items()) or "none")
        + ".",
        "",
        "Each signal off, one at a time:",
        "",
        "| signal | weight | loss | repositories that lose | that gain |",
        "| --- | --- | --- | --- | --- |",
    ]
    lines += [
        f"| {name} | {WEIGHTS[name]:+.1f} | {loss:+.4f} | {worse} | {better} |"
        for name, loss, worse, better in ablation(cases)
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    print(section(Path(sys.argv[1] if len(sys.argv) > 1 else "build/bench")))
