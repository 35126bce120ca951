"""Tests that commits touched, held against those that Cairn names: `python -m bench.impacts HISTORY...`.

A history is a git directory, brought by whoever runs this and never a part of the project. Of each, the newest commits
that touch both tests and other code are taken. A commit's parent is checked out with the commit's changes of all other
files on it, and Cairn is asked which tests these changes concern; the truth is the tests that the commit touched and
that its parent has.
"""

import argparse
import json
import os
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import mean, median
from unittest.mock import patch

from cairn.api import Workspace, open_workspace
from cairn.graph.testing import test_files
from cairn.graph.world import World
from cairn.languages.files import language_of
from cairn.questions.common import MOST_PLACES
from cairn.syntax.filekind import kinds_of
from cairn.syntax.uses import scoped_language

_MOST_FILES = 20
"""A commit that touches more is a sweep over the project, and no change that somebody tests."""
_LOOKED_AT = 2_000


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit that touches tests and other code."""

    id: str
    tests: tuple[str, ...]
    others: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Case:
    """One commit: the tests that it touched, and those that were named, in order."""

    history: str
    commit: str
    touched: tuple[str, ...]
    named: tuple[str, ...]
    reasons: tuple[tuple[tuple[str, int, str, int, float], ...], ...]
    """Of each that was named: how, how far, how sure, how often, and in what share of commits."""
    of: int
    """How many test files there are."""

    @property
    def recall(self) -> float:
        return sum(path in self.named for path in self.touched) / len(self.touched)

    @property
    def is_early(self) -> bool:
        """Whether one of the first five is a test that the commit touched."""
        return not set(self.named[:5]).isdisjoint(self.touched)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.impacts", description=__doc__)
    parser.add_argument("histories", nargs="+", type=Path, help="git directories")
    parser.add_argument("--commits", type=int, default=13, help="how many of each (default 13)")
    parser.add_argument("--skip", type=int, default=0, help="how many of the newest are left out, to tune by others")
    parser.add_argument("--keep", type=Path, help="where the cases are written as JSON, each as soon as it is known")
    parser.add_argument("--weak", action="store_true", help="count tests for which little speaks too")
    parser.add_argument("--show", action="store_true", help="list the tests that were missed")
    options = parser.parse_args()
    cases: list[Case] = []
    with tempfile.TemporaryDirectory() as home, patch.dict(os.environ, _settings(home)):
        for history in options.histories:
            for case in _cases(history, Path(home), options.skip, options.commits, weak=options.weak):
                cases.append(case)
                if options.keep:
                    options.keep.write_text(json.dumps([asdict(each) for each in cases]), "utf-8")
    if options.show:
        print(*_missed(cases), sep="\n")
    print(*_table(cases), sep="\n")


def _settings(home: str) -> dict[str, str]:
    return {"CAIRN_HOME": f"{home}/home", "CAIRN_EMBED_PROVIDER": "hashing"}


def _cases(history: Path, home: Path, skip: int, wanted: int, *, weak: bool) -> Iterator[Case]:
    name = history.resolve().parent.name if history.name in ("repo", ".git") else history.stem
    root = home / name
    _git(home, "clone", "--quiet", "--shared", "--no-checkout", str(history.resolve()), str(root))
    for place, commit in enumerate(_commits(root)):
        if place < skip:
            continue
        if place >= skip + wanted:
            break
        _git(root, "checkout", "--quiet", "--force", f"{commit.id}^")
        _git(root, "clean", "--quiet", "-fdx")
        there = set(_git(root, "ls-tree", "-r", "--name-only", "-z", commit.id).split("\0"))
        for path in commit.others:
            if path in there:
                _git(root, "checkout", "--quiet", commit.id, "--", path)
            else:
                (root / path).unlink(missing_ok=True)
        with open_workspace(str(root)) as workspace:
            case = _case(workspace, name, commit, weak=weak)
        if case is not None:
            yield case


def _commits(root: Path) -> Iterator[Commit]:
    """The newest commits that touch tests which their parents have, and other code."""
    log = _git(
        root, "log", "--no-merges", f"--max-count={_LOOKED_AT}", "--format=%x01%H", "--name-status", "--no-renames"
    )
    for entry in log.split("\x01")[1:]:
        head, *rows = filter(None, entry.split("\n"))
        changes = [tuple(row.split("\t", 1)) for row in rows]
        tests = tuple(path for how, path in changes if how == "M" and _is_code(path) and _is_test(path))
        others = tuple(path for _, path in changes if not _is_test(path))
        if tests and any(map(_is_code, others)) and len(changes) <= _MOST_FILES:
            yield Commit(head, tests, others)


def _is_code(path: str) -> bool:
    return scoped_language(language_of(path, b""))


def _is_test(path: str) -> bool:
    return "test" in kinds_of(path, "")


def _case(workspace: Workspace, name: str, commit: Commit, *, weak: bool) -> Case | None:
    """None where what the commit touched only helps tests."""
    with workspace._codebase.view() as view:
        known = test_files(World(view))
    touched = tuple(path for path in commit.tests if path in known)
    if not touched:
        return None
    found = workspace.tests(weak=weak, limit=MOST_PLACES).value.tests
    reasons = tuple(
        tuple((each.how, each.distance, each.tier, each.count, each.share) for each in test.reasons) for test in found
    )
    return Case(name, commit.id, touched, tuple(test.path for test in found), reasons, len(known))


def _missed(cases: Sequence[Case]) -> Iterator[str]:
    for case in cases:
        for path in case.touched:
            if path not in case.named:
                yield f"missed {case.history} {case.commit[:10]} {path}, {len(case.named)} of {case.of} named"


def _table(cases: Sequence[Case]) -> Iterator[str]:
    yield "| history | commits | recall of test files | whole | one of the first five | named, median of all tests |"
    yield "| --- | --- | --- | --- | --- | --- |"
    histories = dict.fromkeys(case.history for case in cases)
    for name, own in (
        *((name, [each for each in cases if each.history == name]) for name in histories),
        ("all", cases),
    ):
        if own:
            whole, early = (
                mean(map(float, said)) for said in ((e.recall == 1 for e in own), (e.is_early for e in own))
            )
            share = median(len(each.named) / each.of for each in own)
            recall = mean(each.recall for each in own)
            yield f"| {name} | {len(own)} | {recall:.1%} | {whole:.0%} | {early:.0%} | {share:.0%} |"


def _git(folder: Path, *arguments: str) -> str:
    done = subprocess.run(["git", "-C", str(folder), *arguments], check=True, capture_output=True)
    return done.stdout.decode("utf-8", "replace")


if __name__ == "__main__":
    main()
