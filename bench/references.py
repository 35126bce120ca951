"""Uses of definitions in real projects, beside what scip-python and scip-typescript find."""

import json
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench import projects
from bench.indexed import indexed
from bench.peers import SCIP_PYTHON, SCIP_TYPESCRIPT, npm
from bench.processes import MissingError, environment
from bench.truth import NOTHING, Key, Place, Tally, how_written, sample, shared, truth_of
from cairn.graph.references import find_uses
from cairn.graph.resolve import Resolver
from cairn.graph.symbols import Definition
from cairn.graph.world import World
from cairn.semantic.scip.reader import read_index
from cairn.store import SymbolRow

BAR = 0.98
MOST = 1_500
"""Definitions that are asked about in one project."""
TIERS = ("proven", "likely", "name")


def section(work: Path) -> str:
    measured = [(project, measure(work, project)) for project in PROJECTS]
    return "\n".join([_ABOUT, "", *_table(measured), "", *_reasons(measured)])


@dataclass(frozen=True, slots=True)
class Project:
    name: str
    tool: str
    fetch: Callable[[Path], Path]
    index: Callable[[Path, Path, Path], Sequence[str]]
    """From the tool, the work folder and where to write, to the command."""


def _python(tool: Path, work: Path, output: Path) -> Sequence[str]:
    nothing = work / "no-packages.json"
    nothing.write_text(json.dumps([]), encoding="utf-8")
    names = ("--project-name", "project", "--project-version", "0")
    return (str(tool), "index", ".", *names, "--environment", str(nothing), "--output", str(output), "--quiet")


def _typescript(tool: Path, _: Path, output: Path) -> Sequence[str]:
    return (str(tool), "index", "--output", str(output))


PROJECTS = (
    Project("rich", SCIP_PYTHON, projects.rich, _python),
    Project("rxjs", SCIP_TYPESCRIPT, projects.rxjs, _typescript),
)


def measure(work: Path, project: Project, most: int = MOST) -> Tally:
    root = project.fetch(work)
    truth = truth_of(read_index(str(_scip(work, project, root))).documents())
    lines = _Lines(root)
    tally = Tally()
    with indexed(work, root) as view:
        rows: dict[Key, list[SymbolRow]] = {}
        ours: dict[tuple[str, int, str], Key] = {}
        for path, symbol in view.facts.all_symbols():
            key = Key(path, symbol.qualified_name)
            rows.setdefault(key, []).append(symbol)
            ours[path, symbol.name_line, symbol.name] = key
        both = shared(truth, ours)
        resolver = Resolver(World(view))
        for key in sample(both, most):
            found = find_uses(resolver, [Definition(key.path, symbol) for symbol in rows[key]])
            places = ((lines.place(item.path, item.line, item.column), item.tier) for item in found.items)
            tally.add(key, both[key], places, truth)
    for key, place in tally.missed:
        name = key.name.rpartition(".")[2]
        tally.written[how_written(name, lines.text(place.path, place.line), place.column)] += 1
    _write(work / f"references-{project.name}.txt", tally, lines)
    return tally


def _scip(work: Path, project: Project, root: Path) -> Path:
    output = work / f"{project.name}.scip"
    if not output.exists():
        command = project.index(npm(work, project.tool), work, output)
        try:
            subprocess.run(command, check=True, capture_output=True, cwd=root, env=environment())
        except (OSError, subprocess.CalledProcessError) as error:
            output.unlink(missing_ok=True)
            raise MissingError(f"{project.tool} could not index {project.name}") from error
    return output


class _Lines:
    """The lines of a tree's files, to tell characters from bytes."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._read: dict[str, list[bytes]] = {}

    def line(self, path: str, number: int) -> bytes:
        if path not in self._read:
            self._read[path] = (self._root / path).read_bytes().split(b"\n")
        return self._read[path][number - 1]

    def text(self, path: str, number: int) -> str:
        return self.line(path, number).decode("utf-8", "replace")

    def place(self, path: str, line: int, column: int) -> Place:
        return Place(path, line, len(self.line(path, line)[:column].decode("utf-8", "replace")))


def _table(measured: Sequence[tuple[Project, Tally]]) -> list[str]:
    lines = [
        "| project | tier | places | SCIP has them too | share | SCIP has nothing | SCIP says otherwise | bar | |",
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for project, tally in measured:
        for tier in TIERS:
            count, right = tally.count(tier), tally.right[tier]
            if not count:
                continue
            nothing = tally.causes[tier][NOTHING]
            share = right / count
            bar = f"{BAR:.0%} | {'holds' if share >= BAR else 'MISSES'}" if tier == "proven" else " | "
            lines.append(
                f"| {project.name} | {tier} | {count:,} | {right:,} | {share:.1%} "
                f"| {nothing:,} | {count - right - nothing:,} | {bar} |"
            )
    lines += [
        "",
        "| project | definitions | SCIP's uses | found, all tiers | recall |",
        "| --- | --- | --- | --- | --- |",
    ]
    for project, tally in measured:
        right = tally.right.total()
        recall = right / tally.wanted if tally.wanted else 1.0
        lines.append(f"| {project.name} | {tally.asked:,} | {tally.wanted:,} | {right:,} | {recall:.1%} |")
    return lines


def _reasons(measured: Sequence[tuple[Project, Tally]]) -> list[str]:
    lines = []
    for project, tally in measured:
        wrong = [f"{cause} ({count:,})" for cause, count in tally.causes["proven"].most_common()]
        missed = [f"{cause} ({count:,})" for cause, count in tally.written.most_common()]
        lines.append(f"- {project.name}, proven but not SCIP's: {'; '.join(wrong) or 'none'}.")
        lines.append(f"- {project.name}, not found: {'; '.join(missed) or 'none'}.")
    return lines


def _write(path: Path, tally: Tally, lines: _Lines) -> None:
    """Proven places that are not the oracle's, and what was not found, with their lines."""
    found = [
        *(("wrong", *each) for each in tally.wrong),
        *(("missed", key, place, "") for key, place in tally.missed),
    ]
    told = [
        f"{side}\t{key.path}::{key.name}\t{place.path}:{place.line}:{place.column}\t{cause}\t"
        + lines.text(place.path, place.line).strip()
        for side, key, place, cause in found
    ]
    path.write_text("\n".join(told) + "\n", encoding="utf-8")


_ABOUT = """Every definition that both sides have, types, functions, members and constants, is asked for its uses; at
most 1,500 of a project, chosen by the hashes of their names. A place is right where SCIP has a use of that very
symbol at that line and column. `proven` and `likely` are what Cairn stands for; `name` is what bears the name and no
more, so it is meant to be low. To construct a type is to use it, and overloads of one name in one place are one.
scip-python has the class itself where an attribute is read that only `__slots__` names, and has no place for the
name before `as` in an import; these count against Cairn like everything else."""
