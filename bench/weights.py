"""`make weights TREES=FOLDER`: how much each signal is worth, and whether that holds for other repositories.

Signals are computed once for every query: those of `bench.questions`, of whose projects FOLDER holds a checkout, and
those of the public benchmark, where its data is at hand (see `bench.retrieval`). Then the score of other weights costs
milliseconds. Weights are fitted near those that were set by hand, and judged by leaving one repository out: none is
scored by weights that saw it. Scores here are of files; the published figure, by lines where a query asks for lines,
is the scorer's.
"""

import argparse
import importlib.util
import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType

import numpy as np
import numpy.typing as npt

from bench import questions
from bench.processes import MissingError
from cairn.search import WEIGHTS, parse_query
from cairn.search.find import gather
from cairn.search.ranking import PENALISED, rank

SIGNALS = tuple(WEIGHTS)
SHOWN = 10
PUBLIC = "Public queries"
BY_HAND: Mapping[str, float] = {
    **WEIGHTS,
    "lexical": 1.6,
    "dense": 3.1,
    "stem": 3.6,
    "joined_stem": 1.0,
    "lexical_size": 1.0,
    "breadth": 1.1,
    "coherence": 0.8,
    "definition": 8.0,
    "named_definition": 0.6,
    "imported": 0.3,
    "history": 1.0,
    "platform": -2.0,
    "version": -1.5,
    "depth": -0.9,
    **dict.fromkeys(("test", "example", "vendored", "docs", "declaration"), -1.2),
    "bench": -1.0,
    "generated": -0.8,
    "config": -0.8,
    "legacy": -0.8,
}
"""Where the fit begins, and what it stays near to; signals of long texts alone keep their weights."""
_REACH = np.array([1.5 if name in PENALISED else 0.3 for name in SIGNALS])
"""How far each may go: the queries that weights were set by hand with say least of the kinds of files."""
_PULL = 0.1
_STEPS = 40
_PACE = 0.06
_MOST_FILES = 50
_TAIL = 0.17
"""What a place right behind those that are shown is worth to the fit, so that files beyond them rise, too."""
_MODULE = Path(__file__).resolve().parent.parent / "src" / "cairn" / "search" / "weights.py"
_DISCOUNT = 1.0 / np.log2(np.arange(SHOWN) + 2)
_NOWHERE = -1e9

Array = npt.NDArray[np.float64]
Wanted = Callable[[str], bool]
"""Whether a path is one of those that answer."""


@dataclass(frozen=True, slots=True)
class Case:
    """One query: what every signal says of each file, best paths first among equals, and what is wanted."""

    repository: str
    values: Array
    """files x signals"""
    wanted: tuple[frozenset[int], ...]
    """For each target the files that are it."""
    source: str = questions.TITLE
    """The set that the query is of."""

    def cut(self) -> "Case":
        """With its best files by hand, and those wanted, alone."""
        best = np.argsort(-(self.values @ _vector(BY_HAND)), kind="stable")[:_MOST_FILES].tolist()
        kept = sorted({*best, *(file for files in self.wanted for file in files)})
        at = {file: place for place, file in enumerate(kept)}
        wanted = tuple(frozenset(at[file] for file in files) for files in self.wanted)
        return replace(self, values=self.values[kept], wanted=wanted)


class Cases:
    """All queries in one padded array, so that weights are scored in milliseconds."""

    def __init__(self, cases: Sequence[Case]) -> None:
        cases = [case.cut() for case in cases]
        shape = (len(cases), max(len(case.values) for case in cases))
        self.repositories = tuple(case.repository for case in cases)
        self.sources = tuple(case.source for case in cases)
        self._wanted = [case.wanted for case in cases]
        self._values = np.zeros((*shape, len(SIGNALS)), dtype=np.float32)
        self._there = np.zeros(shape, dtype=np.bool_)
        self._right = np.zeros(shape, dtype=np.bool_)
        for place, case in enumerate(cases):
            self._values[place, : len(case.values)] = case.values
            self._there[place, : len(case.values)] = True
            self._right[place, [file for files in case.wanted for file in files]] = True

    def score(self, weights: Mapping[str, float], chosen: Sequence[int] | None = None) -> float:
        """The mean NDCG@10 over some queries."""
        return float(self.scores(weights, chosen).mean())

    def scores(self, weights: Mapping[str, float], chosen: Sequence[int] | None = None) -> Array:
        places = list(range(len(self._wanted)) if chosen is None else chosen)
        order = np.argsort(-self._totals(_vector(weights), places), axis=1, kind="stable")[:, :SHOWN]
        return np.array([_ndcg(row.tolist(), self._wanted[place]) for row, place in zip(order, places, strict=True)])

    def slope(self, vector: Array, chosen: Sequence[int]) -> Array:
        """Which way NDCG rises: a wanted file and another one pull by what their exchange would change (LambdaRank)."""
        totals, right = self._totals(vector, chosen), self._right[chosen]
        ranks = np.argsort(np.argsort(-totals, axis=1, kind="stable"), axis=1)
        worth = np.where(ranks < SHOWN, 1.0 / np.log2(ranks + 2.0), _TAIL * np.exp((SHOWN - ranks) / 15.0))
        # Sets count alike, however many queries each has.
        sources = [self.sources[place] for place in chosen]
        ideal = [_DISCOUNT[: len(self._wanted[place])].sum() for place in chosen]
        shares = np.array([1.0 / sources.count(each) for each in sources]) / len(set(sources)) / np.maximum(ideal, 1.0)
        pull = np.zeros_like(totals)
        for column in range(int(right.sum(axis=1).max(initial=0))):
            # The next wanted file of each query that has so many.
            own = np.argsort(~right, axis=1, kind="stable")[:, column : column + 1]
            ahead = np.clip(np.take_along_axis(totals, own, 1) - totals, -30, 30)
            force = np.abs(np.take_along_axis(worth, own, 1) - worth) / (1.0 + np.exp(ahead)) * shares[:, None]
            force *= (self._there[chosen] & ~right) & np.take_along_axis(right, own, 1)
            pull -= force
            np.put_along_axis(pull, own, np.take_along_axis(pull, own, 1) + force.sum(axis=1, keepdims=True), 1)
        found: Array = np.einsum("qf,qfs->s", pull, self._values[chosen])
        return found

    def folds(self) -> Iterator[tuple[list[int], list[int]]]:
        """(queries of all other repositories, queries of one) for each repository."""
        for name in dict.fromkeys(self.repositories):
            inside = [place for place, owner in enumerate(self.repositories) if owner == name]
            yield [place for place, owner in enumerate(self.repositories) if owner != name], inside

    def _totals(self, vector: Array, places: Sequence[int]) -> Array:
        found = np.round(self._values[places] @ vector.astype(np.float32), 5)
        return np.where(self._there[places], found, _NOWHERE)


def _vector(weights: Mapping[str, float]) -> Array:
    return np.array([weights[name] for name in SIGNALS])


def _ndcg(order: Sequence[int], wanted: Sequence[frozenset[int]]) -> float:
    hits = {next((rank for rank, file in enumerate(order) if file in files), None) for files in wanted} - {None}
    ideal = float(_DISCOUNT[: len(wanted)].sum())
    return sum(float(_DISCOUNT[rank]) for rank in hits if rank is not None) / ideal if ideal else 0.0


def fitted(cases: Cases, chosen: Sequence[int] | None = None) -> dict[str, float]:
    """Weights near those by hand that do better on some queries; the same queries give the same weights."""
    places = list(range(len(cases.repositories)) if chosen is None else chosen)
    start = _vector(BY_HAND)
    vector, mean, square = start.copy(), np.zeros_like(start), np.zeros_like(start)
    for step in range(1, _STEPS + 1):
        slope = cases.slope(vector, places) - _PULL * (vector - start) / _REACH**2
        # Adam, slower to its end.
        mean, square = 0.9 * mean + 0.1 * slope, 0.98 * square + 0.02 * slope**2
        forward = mean / (1 - 0.9**step) / (np.sqrt(square / (1 - 0.98**step)) + 1e-9)
        vector = vector + _PACE * (1 - 0.7 * step / _STEPS) * _REACH * forward
    return {name: round(float(value), 2) for name, value in zip(SIGNALS, vector, strict=True)}


def left_out(cases: Cases) -> Array:
    """NDCG@10 of each query by weights that were fitted to the other repositories."""
    found = np.zeros(len(cases.repositories))
    for others, own in cases.folds():
        found[own] = cases.scores(fitted(cases, others), own)
    return found


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


def collect(work: Path, trees: Path | None) -> Cases | None:
    """The signals of every query of the sets whose data is at hand."""
    os.environ["CAIRN_HOME"] = str(work / "weights-home")
    cases = [*_own_cases(trees)] if trees else []
    for name, tree, asked in public_questions(work):
        cases += _cases(tree, name, PUBLIC, asked)
    return Cases(cases) if cases else None


def _own_cases(trees: Path) -> Iterator[Case]:
    projects, asked = questions.load()
    for project in projects:
        own = [each for each in asked if each.project == project.name]
        wanted = [(each.query, [_is_path(place.path) for place in each.files]) for each in own]
        yield from _cases(project.tree(trees), project.name, questions.TITLE, wanted)


def _is_path(wanted: str) -> Wanted:
    return lambda path: path == wanted


def public_questions(work: Path) -> Iterator[tuple[str, Path, list[tuple[str, list[Wanted]]]]]:
    """The repositories of the public benchmark, and what is asked about each; none where its data is not at hand."""
    scorer, mirrors = os.environ.get("CAIRN_BENCH_SCORER"), os.environ.get("CAIRN_BENCH_MIRRORS")
    if not scorer or not mirrors:
        return
    module, data = _module(scorer), Path(scorer).parent
    (work / "corpora").mkdir(parents=True, exist_ok=True)

    def is_target(target: object) -> Wanted:
        # Lines don't matter here: every result is held to cover all of its file.
        return lambda path: module.matches({"path": path, "start_line": 0, "end_line": sys.maxsize}, target)

    for spec in json.loads((data / "repos.json").read_text(encoding="utf-8")):
        corpus = module.materialise(spec, mirrors, work / "corpora")
        items = json.loads((data / "annotations" / f"{spec['name']}.json").read_text(encoding="utf-8"))
        if corpus is not None:
            yield spec["name"], corpus, [(each["query"], [*map(is_target, module.targets(each))]) for each in items]


def _cases(tree: Path, name: str, source: str, asked: Sequence[tuple[str, Sequence[Wanted]]]) -> Iterator[Case]:
    from cairn.codebase.codebase import Codebase
    from cairn.indexing.options import SyncOptions

    with Codebase(str(tree)) as codebase:
        codebase.index(SyncOptions())
        for text, wanted in asked:
            query = parse_query(text)
            with codebase.view() as view:
                found = gather(view, query, codebase.vector_of(query)[0])
                ranking = rank(
                    query,
                    found.evidence,
                    found.statistics,
                    found.defined,
                    BY_HAND,
                    view.facts.imports_of,
                    found.said,
                    found.history,
                )
            items = sorted(ranking.order, key=lambda item: item.path_key)
            values = ranking.values or {}
            table = np.array([[float(values[name][item.index]) for name in SIGNALS] for item in items])
            paths = [item.path_key for item in items]
            places = tuple(frozenset(at for at, path in enumerate(paths) if is_it(path)) for is_it in wanted)
            yield Case(name, table.reshape(len(items), len(SIGNALS)), places, source)


def _module(scorer: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location("benchmark_scorer", scorer)
    if spec is None or spec.loader is None:
        raise SystemExit(f"{scorer} is no Python module.")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def section(work: Path) -> str:
    """The part of the benchmark page about signals and weights, or why there is none."""
    trees = os.environ.get("CAIRN_BENCH_TREES")
    try:
        cases = collect(work, Path(trees) if trees else None)
    except MissingError as error:
        return f"Not measured: {error}."
    if cases is None:
        return "Not measured: set CAIRN_BENCH_TREES, or CAIRN_BENCH_SCORER and CAIRN_BENCH_MIRRORS."
    return tables(cases, fitted(cases))


def tables(cases: Cases, found: Mapping[str, float]) -> str:
    """What weights give on each set, and what each signal is worth."""
    sets = [*dict.fromkeys(cases.sources)]
    rows = {
        "by hand": cases.scores(BY_HAND),
        "as shipped": cases.scores(WEIGHTS),
        "fitted to all": cases.scores(found),
        "fitted to all repositories but the one that is scored": left_out(cases),
    }
    lines = [f"| NDCG@10 of files | {' | '.join(sets)} |", "| --- " * (len(sets) + 1) + "|"]
    for name, scores in rows.items():
        means = [scores[[each == source for each in cases.sources]].mean() for source in sets]
        lines.append(f"| {name} | {' | '.join(f'{value:.4f}' for value in means)} |")
    lines += [
        "",
        "Each signal off, one at a time:",
        "",
        "| signal | weight | loss | repositories that lose | that gain |",
        "| --- | --- | --- | --- | --- |",
    ]
    lines += [
        f"| {name} | {WEIGHTS[name]:+.2f} | {loss:+.4f} | {worse} | {better} |"
        for name, loss, worse, better in ablation(cases)
    ]
    return "\n".join(lines)


def write(found: Mapping[str, float], module: Path = _MODULE) -> None:
    """Put weights into the module that has them."""
    head, brace, rest = module.read_text(encoding="utf-8").partition("{\n")
    rows = "".join(f'    "{name}": {value},\n' for name, value in found.items())
    module.write_text(f"{head}{brace}{rows}}}{rest.partition('}')[2]}", encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.weights", description=__doc__)
    parser.add_argument("--trees", type=Path, help="a folder with a checkout of each project of bench.questions")
    parser.add_argument("--work", type=Path, default=Path("build/bench"), help="where to keep trees and indexes")
    parser.add_argument("--write", action="store_true", help="ship the weights that were fitted")
    options = parser.parse_args()
    try:
        cases = collect(options.work.resolve(), options.trees)
    except MissingError as error:
        parser.exit(1, f"{error}.\n")
    if cases is None:
        parser.exit(1, "There are no queries: name a folder with --trees.\n")
    found = fitted(cases)
    print(tables(cases, found))
    if options.write:
        write(found)


if __name__ == "__main__":
    main()
