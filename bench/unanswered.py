"""`python -m bench.unanswered --trees FOLDER`: whether questions without an answer are told from those with one.

Each question is asked of its own project, and of four others of its set that can't answer it. An answer is flagged
where it says that nothing fits, or that it shares no word with the question.
"""

import argparse
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from bench import questions
from bench.processes import MissingError
from bench.weights import PUBLIC, public_questions
from cairn.codebase.codebase import Codebase
from cairn.embed.elsewhere import BEYOND, reach
from cairn.indexing.options import SyncOptions
from cairn.search import parse_query
from cairn.search.find import gather

OTHERS = 4
_FITS, _STRANGE = 9.0, -9.0


@dataclass(frozen=True, slots=True)
class Asked:
    """A question that a project was asked, and how far beyond strange code the best that it has comes."""

    source: str
    own: str
    project: str
    beyond: float

    @property
    def is_right(self) -> bool:
        return self.own == self.project


def asked(work: Path, trees: Path | None) -> Iterator[Asked]:
    """All questions of the sets whose data is at hand, each asked of five projects."""
    for source, projects in _sets(work, trees).items():
        names = list(projects)
        for place, (name, (tree, _)) in enumerate(projects.items()):
            with Codebase(str(tree)) as codebase:
                codebase.index(SyncOptions())
                # The four before it in a ring, and itself.
                for own in (names[place - back] for back in range(OTHERS + 1)):
                    for text in projects[own][1]:
                        yield Asked(source, own, name, _beyond(codebase, text))


def _sets(work: Path, trees: Path | None) -> dict[str, dict[str, tuple[Path, list[str]]]]:
    """The projects of each set: where they are, and what is asked about them."""
    found: dict[str, dict[str, tuple[Path, list[str]]]] = {}
    if trees is not None:
        projects, every = questions.load()
        found[questions.TITLE] = {
            project.name: (project.tree(trees), [each.query for each in every if each.project == project.name])
            for project in projects
        }
    public = {name: (tree, [query for query, _ in items]) for name, tree, items in public_questions(work)}
    return found | ({PUBLIC: public} if public else {})


def _beyond(codebase: Codebase, text: str) -> float:
    query = parse_query(text)
    vector = codebase.vector_of(query)[0]
    assert vector is not None
    with codebase.view() as view:
        found = gather(view, query, vector)
    if not found.has_words:
        return _STRANGE
    return _FITS if found.fit is None else found.fit - reach(vector)


def table(rows: Sequence[Asked], bounds: Sequence[float]) -> str:
    """Shares of right projects that are flagged and of wrong ones that are not, by the bound."""
    sources = [*dict.fromkeys(row.source for row in rows)]
    lines = [f"| flagged / not flagged | {' | '.join([*sources, 'all'])} |", "| --- " * (len(sources) + 2) + "|"]
    for bound in bounds:
        cells = [
            _shares([row for row in rows if row.source == source or source == "all"], bound)
            for source in (*sources, "all")
        ]
        lines.append(f"| {bound:+.3f} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _shares(rows: Sequence[Asked], bound: float) -> str:
    right = np.array([row.beyond < bound for row in rows if row.is_right])
    wrong = np.array([row.beyond >= bound for row in rows if not row.is_right])
    return f"{100 * right.mean():.1f} / {100 * wrong.mean():.1f} %"


def left_out(rows: Sequence[Asked]) -> str:
    """The shares where each project's bound is that of the others: one of their right answers in fifty is below it."""
    projects = sorted({row.own for row in rows})
    flagged, passed = [], []
    for name in projects:
        bound = bound_of([row for row in rows if name not in (row.own, row.project)])
        flagged += [row.beyond < bound for row in rows if row.is_right and row.own == name]
        passed += [row.beyond >= bound for row in rows if not row.is_right and row.own == name]
    return f"bound of the other projects: {100 * np.mean(flagged):.1f} / {100 * np.mean(passed):.1f} %"


def bound_of(rows: Sequence[Asked]) -> float:
    """The bound below which one right answer in fifty lies."""
    right = sorted(row.beyond for row in rows if row.is_right)
    return right[len(right) // 50]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.unanswered", description=__doc__)
    parser.add_argument("--trees", type=Path, help="a folder with a checkout of each project of bench.questions")
    parser.add_argument("--work", type=Path, default=Path("build/bench"), help="where to keep indexes")
    options = parser.parse_args()
    work = options.work.resolve()
    os.environ["CAIRN_HOME"] = str(work / "weights-home")
    try:
        rows = [*asked(work, options.trees)]
    except MissingError as error:
        parser.exit(1, f"{error}.\n")
    if not rows:
        parser.exit(1, "There are no questions: name a folder with --trees.\n")
    bound = bound_of(rows)
    print(f"{len(rows)} questions asked, {sum(row.is_right for row in rows)} of their own project")
    print(table(rows, sorted({BEYOND, bound, *(bound + step for step in (-0.05, 0.05, 0.1))})))
    print(left_out(rows))


if __name__ == "__main__":
    main()
