"""Lines that hold a text: Cairn against ripgrep, which scans, and codesearch, which has an index."""

import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from statistics import median

from bench import peers
from bench.corpora import many, questions
from bench.measure import Row, seconds_of, table
from bench.processes import MissingError, Program, cairn, environment, run, run_by_turns
from bench.running import running_cairn

FILES = 10_000
ROUNDS = 5
TEXTS = 5
_BAR = 1.0
_MISSING = "not available"


def section(work: Path) -> str:
    root = many(work, FILES)
    home = work / "homes" / f"cairn-{root.name}"
    home.mkdir(parents=True, exist_ok=True)
    run(*cairn(home, "index", str(root)))
    rows = [*_literals(work, root, home), *_expressions(work, root, home)]
    return table(rows) + "\n\n" + _NOTES


_NOTES = f"""A tree of {FILES:,} files in the page cache; medians over {TEXTS} texts taken from the tree. Cairn
answers from its snapshot (`--no-sync`); ripgrep reads every file that git doesn't ignore; codesearch answers from
its trigram index and then reads the files it names."""


def _literals(work: Path, root: Path, home: Path) -> list[Row]:
    texts = questions(root).literal[:TEXTS]
    theirs = _peers(work, root)
    walls: dict[str, list[float]] = {}
    for text in texts:
        programs = {name: Program(make(re.escape(text), text), env) for name, (make, env) in theirs.items()}
        if _offers("--literal"):
            programs["cairn"] = Program(*cairn(home, "search", "--no-sync", "--literal", text, str(root)))
        for name, used in run_by_turns(programs, ROUNDS).items():
            walls.setdefault(name, []).append(used.wall)
    ours = median(walls["cairn"]) if "cairn" in walls else None
    inside = _inside(home, root, texts)
    return [
        *(_row("literal text, whole process", ours, name, walls.get(name)) for name in ("ripgrep", "codesearch")),
        _row("literal text, running process", inside, "ripgrep", walls.get("ripgrep")),
    ]


def _expressions(work: Path, root: Path, home: Path) -> list[Row]:
    theirs = _peers(work, root)
    walls: dict[str, list[float]] = {}
    for name in questions(root).symbol[:TEXTS]:
        pattern = rf"{name}\w*\("
        programs = {peer: Program(make(pattern, None), env) for peer, (make, env) in theirs.items()}
        if _offers("--regex"):
            programs["cairn"] = Program(*cairn(home, "search", "--no-sync", "--regex", pattern, str(root)))
        for peer, used in run_by_turns(programs, ROUNDS).items():
            walls.setdefault(peer, []).append(used.wall)
    ours = median(walls["cairn"]) if "cairn" in walls else None
    return [
        _row("regular expression, whole process", ours, name, walls.get(name)) for name in ("ripgrep", "codesearch")
    ]


def _inside(home: Path, root: Path, texts: tuple[str, ...]) -> float | None:
    found = []
    with running_cairn(home, root) as subject:
        for number in range(ROUNDS + 1):
            for text in texts:
                took = subject.ask("literal", text)
                if took.value is None:
                    return None
                if number:
                    found.append(took.wall)
    return median(found)


def _row(what: str, ours: float | None, name: str, theirs: list[float] | None) -> Row:
    bar = _BAR if name == "ripgrep" else None
    told = f"{name}: {seconds_of(median(theirs))}" if theirs else f"{name}: {_MISSING}"
    if ours is None:
        return Row(what, _MISSING, told, None, bar)
    return Row(what, seconds_of(ours), told, ours / median(theirs) if theirs else None, bar)


_Make = Callable[[str, str | None], list[str]]


def _peers(work: Path, root: Path) -> dict[str, tuple[_Make, dict[str, str]]]:
    """Those that can be had, each with a maker of its command from a pattern and, for a literal, the text."""
    found: dict[str, tuple[_Make, dict[str, str]]] = {}
    try:
        program = str(peers.ripgrep(work))
        found["ripgrep"] = (lambda pattern, text: _ripgrep(program, root, pattern, text), environment())
    except MissingError:
        pass
    try:
        folder = peers.codesearch(work)
        index = work / "homes" / "codesearch" / root.name
        surroundings = environment(CSEARCHINDEX=str(index))
        if not index.exists():
            index.parent.mkdir(parents=True, exist_ok=True)
            run([str(folder / "cindex"), str(root)], surroundings)
        found["codesearch"] = (lambda pattern, _: [str(folder / "csearch"), "-n", pattern], surroundings)
    except MissingError:
        pass
    return found


def _ripgrep(program: str, root: Path, pattern: str, text: str | None) -> list[str]:
    if text is None:
        return [program, "--line-number", "-e", pattern, str(root)]
    return [program, "--line-number", "--fixed-strings", "-e", text, str(root)]


def _offers(flag: str) -> bool:
    command, surroundings = cairn(Path(), "search", "--help")
    told = subprocess.run(command, env=surroundings, capture_output=True, text=True, check=True)
    return flag in told.stdout
