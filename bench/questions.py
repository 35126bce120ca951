"""`python -m bench.questions --trees FOLDER`: plain questions about real projects, and how well they are answered.

`questions.json` names public projects at fixed commits and what somebody new to them would ask, with
the files that answer it (`primary`) and those that help (`secondary`), by lines where one place is
meant. The questions were written from reading the code, without any ranking in sight. Nothing is
cloned: FOLDER holds a checkout of each project by its name.
"""

import argparse
import itertools
import json
import math
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean, median
from typing import Any

from bench.page import merge
from bench.processes import MissingError
from bench.retrieval import KINDS, table

DATA = Path(__file__).with_name("questions.json")
TITLE = "Plain questions"
ABOUT = "Questions written from reading code, without a ranking in sight (`bench/questions.json`); scores are of files."
SHOWN = 10
_PAGE = Path(__file__).resolve().parent.parent / "docs" / "benchmarks.md"


@dataclass(frozen=True, slots=True)
class Target:
    """A file that belongs to the answer, or the lines of it that are meant."""

    path: str
    start: int = 1
    end: int = sys.maxsize

    @property
    def has_lines(self) -> bool:
        return self.end != sys.maxsize

    def found_in(self, result: Mapping[str, Any]) -> bool:
        overlaps = bool(result["end_line"] >= self.start and result["start_line"] <= self.end)
        return result["path"] == self.path and overlaps


@dataclass(frozen=True, slots=True)
class Question:
    project: str
    kind: str
    query: str
    primary: tuple[Target, ...]
    secondary: tuple[Target, ...]

    @property
    def places(self) -> tuple[Target, ...]:
        return (*self.primary, *self.secondary)

    @property
    def files(self) -> tuple[Target, ...]:
        """The places without their lines: what most targets of the public benchmark are."""
        return tuple(Target(place.path) for place in self.places)


@dataclass(frozen=True, slots=True)
class Project:
    name: str
    url: str
    commit: str
    language: str

    def tree(self, trees: Path) -> Path:
        """Its checkout; MissingError says what to check out where."""
        root = trees / self.name
        asked = ("git", "-C", str(root), "rev-parse", "HEAD")
        at = subprocess.run(asked, capture_output=True, text=True).stdout.strip() if (root / ".git").exists() else ""
        if at != self.commit:
            state = f"at {at[:12]}" if at else "missing"
            raise MissingError(f"{root} is {state}: check out {self.commit} of {self.url} there")
        return root


def load(data: Path = DATA) -> tuple[list[Project], list[Question]]:
    document = json.loads(data.read_text(encoding="utf-8"))
    questions = [
        Question(
            row["project"],
            row["kind"],
            row["query"],
            tuple(Target(**each) for each in row["primary"]),
            tuple(Target(**each) for each in row["secondary"]),
        )
        for row in document["queries"]
    ]
    return [Project(**row) for row in document["projects"]], questions


def ndcg(results: Sequence[Mapping[str, Any]], targets: Sequence[Target]) -> float:
    """NDCG@10, as the public benchmark has it: all targets count alike, each at the first result that has it."""
    shown = results[:SHOWN]
    places = {next((place for place, each in enumerate(shown) if target.found_in(each)), None) for target in targets}
    return _gain(place for place in places if place is not None) / _gain(range(min(SHOWN, len(targets))))


def _gain(places: Iterable[int]) -> float:
    return sum(1 / math.log2(place + 2) for place in places)


def measured(project: Project, root: Path, questions: Sequence[Question]) -> dict[str, Any]:
    """Index a tree from nothing and ask; a row like those of the public benchmark's scorer."""
    with tempfile.TemporaryDirectory() as folder:
        asked, out = Path(folder) / "queries.json", Path(folder) / "out.json"
        asked.write_text(json.dumps([question.query for question in questions]), encoding="utf-8")
        subprocess.run((sys.executable, Path(__file__).with_name("adapter.py"), root, asked, out), check=True)
        answered = json.loads(out.read_text(encoding="utf-8"))
    by_kind: dict[str, list[float]] = {kind: [] for kind in KINDS}
    places: list[float] = []
    for question, results in zip(questions, answered["results"], strict=True):
        by_kind[question.kind].append(ndcg(results, question.files))
        if any(place.has_lines for place in question.places):
            places.append(ndcg(results, question.places))
    return {
        "name": project.name,
        "language": project.language,
        "n": len(questions),
        "ndcg10": mean(itertools.chain(*by_kind.values())),
        "index_ms": answered["index_ms"],
        "p50": median(answered["query_ms"]),
        "by": by_kind,
        "places": places,
    }


def main() -> None:
    projects, questions = load()
    names = [project.name for project in projects]
    parser = argparse.ArgumentParser(prog="python -m bench.questions", description=__doc__)
    parser.add_argument("--trees", type=Path, required=True, help="a folder with a checkout of each project")
    parser.add_argument("--only", choices=names, action="append", help="ask of this project alone (repeatable)")
    parser.add_argument("--no-write", action="store_true", help="only print; so it is with --only, too")
    options = parser.parse_args()
    chosen = [project for project in projects if project.name in (options.only or names)]
    try:
        roots = [(project, project.tree(options.trees)) for project in chosen]
    except MissingError as error:
        parser.exit(1, f"{error}.\n")
    rows = []
    for project, root in roots:
        row = measured(project, root, [question for question in questions if question.project == project.name])
        print(f"{row['name']:16} {row['language']:11} n={row['n']:3} ndcg@10={row['ndcg10']:.3f}", flush=True)
        rows.append(row)
    places = [score for row in rows for score in row["places"]]
    strict = f"| by lines, where a place is meant | | {len(places)} | {mean(places):.4f} | | |" if places else ""
    text = "\n".join([*table(rows), strict]).strip()
    print(text)
    if not options.only and not options.no_write:
        before = _PAGE.read_text(encoding="utf-8")
        titles = [line[3:] for line in before.splitlines() if line.startswith("## ")]
        head = before.partition("\n## ")[0].rstrip()
        _PAGE.write_text(merge(head, before, [*titles, TITLE], {TITLE: f"{ABOUT}\n\n{text}"}), encoding="utf-8")


if __name__ == "__main__":
    main()
