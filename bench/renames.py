"""Renames in real projects: what the gate says of their definitions, and whether what it passes is right.

Every rename that passes is written, the project's own checks run, and it is undone: a check that says something else
than before tells of a wrong edit, or of one that was left out.
"""

import os
import random
import re
import subprocess
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from pathlib import Path
from unittest.mock import patch

from bench.processes import ChildError, MissingError, environment
from cairn.base.notes import Note
from cairn.codebase.codebase import Codebase
from cairn.codebase.renames import Renaming
from cairn.edit.draft import draft
from cairn.edit.values import APPLICABLE, RenameDraft
from cairn.semantic.scip.symbols import Suffix, parse_symbol
from cairn.semantic.scip.wire import ScipError
from cairn.semantic.states import ProbedContexts
from cairn.store import SnapshotView

WANTED = 50
MOST = 400
"""Definitions of one project that the gate is asked about."""
TIME_LIMIT_S = 600
KINDS = ("module", "member", "parameter", "local")
STATUSES = ("ok", "ok_syntactic", "needs_decision", "blocked", "refused")
_SEED = 9
_RECEIVERS = ("self", "cls")
"""Too many, and too easy."""
_COUNTS = re.compile(r"\b(\d+) (passed|failed|skipped|xfailed|xpassed|errors?|warnings?|todo)\b")
_COLOURS = re.compile(r"\x1b\[[0-9;]*m")


@dataclass(frozen=True, slots=True)
class Project:
    """A committed tree, and the commands that tell whether it is whole: compilers and tests."""

    root: Path
    checks: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Place:
    """Where something is defined."""

    path: str
    line: int
    column: int
    name: str
    kind: str


@dataclass(frozen=True, slots=True)
class Wrong:
    place: Place
    what: str


@dataclass(slots=True)
class Outcome:
    """What became of the renames of one project."""

    name: str
    found: int
    asked: Counter[tuple[str, str]] = field(default_factory=Counter)
    """By kind and status."""
    reasons: Counter[str] = field(default_factory=Counter)
    passed: list[tuple[Place, str]] = field(default_factory=list)
    tried: list[Place] = field(default_factory=list)
    places: int = 0
    files: int = 0
    wrong: list[Wrong] = field(default_factory=list)


def projects(named: Sequence[Path | str]) -> list[Project]:
    """Folders, each with the commands that follow it."""
    found: list[Project] = []
    for each in named:
        if isinstance(each, Path):
            found.append(Project(each, ()))
        elif found:
            found[-1] = replace(found[-1], checks=(*found[-1].checks, each))
    return found


def section(work: Path, chosen: Sequence[Project]) -> str:
    if not chosen:
        raise MissingError("no project was named with --project")
    return told([measure(work, project) for project in chosen])


def measure(work: Path, project: Project) -> Outcome:
    """Ask the gate about a project's definitions, and try what it passes."""
    home = work / "homes" / f"renames-{project.root.name}"
    settings = {"CAIRN_HOME": str(home), "CAIRN_EMBED_PROVIDER": "hashing"}
    with patch.dict(os.environ, settings), Codebase(str(project.root)) as codebase:
        codebase.index()
        _refresh(codebase)
        with codebase.view() as view:
            places = in_turns(list(definitions(view)))
            outcome = Outcome(project.root.name, len(places))
            known = ProbedContexts(view, codebase.now().is_there)
            for place in places[:MOST]:
                _note(outcome, place, draft(view, known, place.path, place.line, place.column + 1, fresh(place.name)))
        before = _results(project)
        renaming = _Quiet(codebase)
        for place, _ in by_kind(outcome.passed)[:WANTED]:
            _try(project, renaming, place, before, outcome)
            _write(work / f"renames-{project.root.name}.txt", outcome)
    return outcome


class _Quiet(Renaming):
    """The facts that were made at the start serve again after every undo: no refresh is asked for."""

    def _follow_up(self, paths: list[str]) -> tuple[tuple[str, ...], tuple[Note, ...]]:
        return (), ()


def _refresh(codebase: Codebase) -> None:
    refreshing = codebase.refreshing
    if not any(each.status.value == "completed" for each in refreshing.queue.all()):
        asked = refreshing.ask(refreshing.wish(everything=True), "bench")
        for job in refreshing.wait([each.job.id for each in asked if each.job is not None]):
            if job.status.value != "completed":
                raise ChildError(f"the facts of {job.context} could not be made: {job.failure}")


def definitions(view: SnapshotView) -> Iterator[Place]:
    """Everything that an indexer has a definition of, each name once."""
    for ref in view.semantics:
        facts = view.semantic(ref.context)
        if facts is None:
            continue
        seen: set[int] = set()
        for path in [file.path for file in facts.files()]:
            defining = [each for each in facts.occurrences_in(path) if each.defines and each.line == each.end_line]
            symbols = facts.symbols([each.symbol for each in defining])
            lines = (view.rows.whole_text_of(path) or b"").split(b"\n")
            for each in defining:
                symbol = symbols.get(each.symbol)
                if symbol is None or each.symbol in seen or each.line > len(lines):
                    continue
                seen.add(each.symbol)
                name = lines[each.line - 1][each.column : each.end_column].decode("utf-8", "replace")
                kind = _kind(symbol.symbol)
                if kind and name.isidentifier() and name not in _RECEIVERS:
                    yield Place(path, each.line, each.column, name, kind)


def _kind(symbol: str) -> str:
    try:
        parsed = parse_symbol(symbol)
    except ScipError:
        return ""
    if parsed.is_local:
        return "local"
    above = parsed.descriptors[-2].suffix if len(parsed.descriptors) > 1 else None
    if parsed.kind is Suffix.PARAMETER:
        return "parameter"
    if parsed.kind in (Suffix.TYPE, Suffix.TERM, Suffix.METHOD):
        return "member" if above is Suffix.TYPE else "module"
    return ""


def in_turns(places: list[Place]) -> list[Place]:
    """Shuffled, the same at every run, and one of each kind after the other: locals are many and easy."""
    random.Random(_SEED).shuffle(places)
    kinds = [[place for place in places if place.kind == kind] for kind in KINDS]
    return [place for turn in zip_longest(*kinds) for place in turn if place is not None]


def by_kind(passed: Sequence[tuple[Place, str]]) -> list[tuple[Place, str]]:
    """What passed, one of each kind after the other."""
    kinds = [[each for each in passed if each[0].kind == kind] for kind in KINDS]
    return [each for turn in zip_longest(*kinds) for each in turn if each is not None]


def fresh(name: str) -> str:
    """A name that nobody has, of the same form."""
    bare = name.lstrip("_")
    start = "_" if name.startswith("_") else ""
    if bare.isupper():
        return f"{start}QQ_NEW_{len(bare)}"
    return f"{start}{'Qq' if bare[:1].isupper() else 'qq'}New{len(bare)}"


def _note(outcome: Outcome, place: Place, found: RenameDraft) -> None:
    outcome.asked[place.kind, found.status] += 1
    if found.status in APPLICABLE:
        outcome.passed.append((place, found.status))
        return
    why = {each.why for each in found.opened}
    if found.witness is not None:
        why |= {doubt.code for doubt in found.witness.checklist}
    for each in why or {_general(found.reasons[0]) if found.reasons else "?"}:
        outcome.reasons[f"{found.status}: {each}"] += 1


def _general(reason: str) -> str:
    """A reason without what is named in it."""
    for told in ("overrides", "is a module", "several things at once", "says nothing of", "already"):
        if told in reason:
            return told
    return reason


def _try(project: Project, renaming: Renaming, place: Place, before: Sequence[object], outcome: Outcome) -> None:
    outcome.tried.append(place)
    planned = renaming.plan(place.path, place.line, place.column + 1, fresh(place.name))
    if planned.plan is None or not planned.applicable:
        outcome.wrong.append(Wrong(place, f"passed before, but not now: {planned.draft.status}"))
        return
    done = renaming.apply(planned.plan.id).applied
    outcome.places += len(planned.spots)
    outcome.files += len(done.written.entries)
    try:
        for check, was, now in zip(project.checks, before, _results(project), strict=True):
            if was != now:
                outcome.wrong.append(Wrong(place, f"{check}: {now} instead of {was}"))
    finally:
        renaming.undo(done.written.id)
    left = subprocess.run(
        ("git", "-C", str(project.root), "diff", "--stat"), capture_output=True, text=True, check=True
    )
    if left.stdout:
        raise ChildError(f"the undo of {place.name} left {left.stdout}")


def _results(project: Project) -> list[tuple[int, tuple[str, ...]]]:
    return [_result(project.root, check) for check in project.checks]


def _result(root: Path, command: str) -> tuple[int, tuple[str, ...]]:
    """How a check ended, and what it counted."""
    with tempfile.TemporaryFile("w+", errors="replace") as output:
        done = subprocess.run(
            command,
            shell=True,
            cwd=root,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            env=environment(PYTHONDONTWRITEBYTECODE="1"),
            timeout=TIME_LIMIT_S,
            check=False,
        )
        output.seek(0)
        text = _COLOURS.sub("", output.read())
    return done.returncode, tuple(sorted(" ".join(each) for each in _COUNTS.findall(text)))


def told(outcomes: Sequence[Outcome]) -> str:
    lines = [
        _ABOUT,
        "",
        "| project | definitions | asked | passed | asks | blocked | refused | tried | places | wrong |",
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for each in outcomes:
        count: Counter[str] = Counter()
        for (_, status), number in each.asked.items():
            count["passed" if status in APPLICABLE else status] += number
        lines.append(
            f"| {each.name} | {each.found:,} | {each.asked.total()} | {count['passed']} | {count['needs_decision']} "
            f"| {count['blocked']} | {count['refused']} | {len(each.tried)} | {each.places:,} | {len(each.wrong)} |"
        )
    lines += ["", "| project | kind | asked | passed | share |", "| --- | --- | --- | --- | --- |"]
    for each in outcomes:
        for kind in KINDS:
            asked = sum(number for (own, _), number in each.asked.items() if own == kind)
            passed = sum(each.asked[kind, status] for status in APPLICABLE)
            lines.append(f"| {each.name} | {kind} | {asked} | {passed} | {passed / max(asked, 1):.0%} |")
    lines.append("")
    for each in outcomes:
        lines.append(f"- {each.name}: {'; '.join(f'{why} ({number})' for why, number in each.reasons.most_common())}.")
    return "\n".join(lines)


def _write(path: Path, outcome: Outcome) -> None:
    """What passed, what was tried and what was wrong, one a line."""
    rows: dict[str, list[str]] = defaultdict(list)
    for place, status in outcome.passed:
        rows["passed"].append(f"{place.path}:{place.line}:{place.column + 1}\t{place.kind}\t{status}\t{place.name}")
    for place in outcome.tried:
        rows["tried"].append(f"{place.path}:{place.line}:{place.column + 1}\t{place.kind}\t{place.name}")
    for wrong in outcome.wrong:
        rows["wrong"].append(f"{wrong.place.path}:{wrong.place.line}\t{wrong.place.name}\t{wrong.what}")
    path.write_text("".join(f"{kind}\t{row}\n" for kind, each in rows.items() for row in each), encoding="utf-8")


_ABOUT = """Definitions of each project, shuffled and one of each kind after the other, are given a name that nobody
has. Of what passes by itself, fifty are written, one at a time: the project is compiled, its fast tests run, every
check has to count the same as before, and the edit is undone."""
