"""The language server beside pyright, on Django's source distribution: `python -m bench.lsp --work FOLDER`.

Both have the same client, the same files open and the same places asked. A start is measured from the start of the
process to the first answer that isn't empty, since a server may answer before it knows anything.
"""

import argparse
import ast
import hashlib
import os
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import TypeVar

from bench.corpora import django
from bench.daemon import serving
from bench.languageserver import LanguageServer, Place
from bench.measure import megabytes, seconds_of, share
from bench.peers import PYRIGHT, npm
from bench.processes import MissingError, cairn, environment, memory_of, run

STARTS = 3
FILES = 20
IN_FILE = 4
NAMES = 20
TYPED = 4
"""Letters of a name that are typed when it is first asked for."""
FIRST_S, SYMBOL_S, MEMORY = 1.0, 0.010, 0.1
OPTIONS = {"languages": ["python"]}
"""Python has a server of its own, so definitions in it are asked for."""
_ABOUT = """Django's source distribution with a standing index. {places} called names in {files} files of the package,
each opened first, and {queries} queries for symbols: {names} names and their first {letters} letters. Starts are
medians of {starts}, to the first answer that isn't empty. Memory is the kernel's proportional count of a server and its
children, and of the daemon where it asks one. {pyright} has its own settings; Cairn is told to offer definitions for
Python."""
T = TypeVar("T")
_ALONE, _DAEMON, _PYRIGHT = "Cairn", "Cairn, asking a daemon", "pyright"


@dataclass(frozen=True, slots=True)
class Subject:
    """A server that can be started."""

    start: Callable[[], LanguageServer]
    beside: int | None = None
    """A process that it asks, whose memory counts as its own."""


@dataclass(slots=True)
class Figures:
    """What was measured of one server."""

    first_symbol: float = 0.0
    first_definition: float = 0.0
    symbol: list[float] = field(default_factory=list)
    definition: list[float] = field(default_factory=list)
    places: dict[Place, frozenset[tuple[str, int]]] = field(default_factory=dict)
    memory: int = 0


def section(work: Path) -> str:
    root, home = django(work), work / "homes" / "lsp"
    run(*cairn(home, "index", str(root)))
    return measure(work, root, home)


def measure(work: Path, root: Path, home: Path) -> str:
    """The table, for a tree that is indexed in a home."""
    command, surroundings = cairn(home, "lsp")
    subjects = {_ALONE: Subject(lambda: LanguageServer(command, root, OPTIONS, surroundings))}
    try:
        theirs = [str(npm(work, PYRIGHT, "pyright-langserver")), "--stdio"]
        subjects[_PYRIGHT] = Subject(lambda: LanguageServer(theirs, root, {}, environment()))
    except MissingError:
        pass
    places, names = chosen_places(root), chosen_names(root)
    with ExitStack() as ends:
        figures = _measured(subjects, places, names)
        daemon = ends.enter_context(serving(home))
        with_daemon = Subject(subjects[_ALONE].start, daemon)
        figures |= _measured({_DAEMON: with_daemon}, places, names)
    return _told(figures, len(places), 2 * len(names))


def _measured(subjects: Mapping[str, Subject], places: Sequence[Place], names: Sequence[str]) -> dict[str, Figures]:
    found = {name: Figures() for name in subjects}
    symbol: dict[str, list[float]] = {name: [] for name in subjects}
    definition: dict[str, list[float]] = {name: [] for name in subjects}
    for _ in range(STARTS):
        for name, subject in subjects.items():
            symbol[name].append(_first(subject, lambda server: server.symbols(names[0])))
            definition[name].append(_first(subject, lambda server: _defined(server, places[0])))
    for name, figures in found.items():
        figures.first_symbol, figures.first_definition = median(symbol[name]), median(definition[name])
    with ExitStack() as ends:
        servers = {name: ends.enter_context(closing(subject.start())) for name, subject in subjects.items()}
        for server in servers.values():
            _until(lambda server=server: server.symbols(names[0]))  # type: ignore[misc]
        for place in places:
            for name, server in servers.items():
                server.show("python", place.path)
                found[name].places[place] = _timed(found[name].definition, lambda: server.definition(place))  # noqa: B023
        for query in (typed for name in names for typed in (name[:TYPED], name)):
            for name, server in servers.items():
                _timed(found[name].symbol, lambda: server.symbols(query))  # noqa: B023
        for name, server in servers.items():
            beside = subjects[name].beside
            found[name].memory = memory_of(server.pid) + (memory_of(beside) if beside else 0)
    return found


def _first(subject: Subject, ask: Callable[[LanguageServer], object]) -> float:
    began = time.perf_counter()
    with closing(subject.start()) as server:
        _until(lambda: ask(server))
        return time.perf_counter() - began


def _until(ask: Callable[[], object]) -> None:
    end = time.monotonic() + 120
    while not ask():
        if time.monotonic() > end:
            raise MissingError("a server finds nothing")


def _defined(server: LanguageServer, place: Place) -> object:
    server.show("python", place.path)
    return server.definition(place)


def _timed(seconds: list[float], ask: Callable[[], T]) -> T:
    began = time.perf_counter()
    answer = ask()
    seconds.append(time.perf_counter() - began)
    return answer


def chosen_places(root: Path) -> list[Place]:
    """Called names in files of the package, the same for the same tree."""
    by_file = ((path, list(_called(root, path))) for path in _by_hash(_files(root)))
    enough = ((path, places) for path, places in by_file if len(places) >= IN_FILE)
    return [place for _, (_, places) in zip(range(FILES), enough, strict=False) for place in _by_hash(places)[:IN_FILE]]


def chosen_names(root: Path) -> list[str]:
    """Names of classes and functions, the same for the same tree."""
    names = {
        node.name
        for path in _files(root)
        for node in ast.walk(ast.parse((root / path).read_bytes()))
        if isinstance(node, ast.ClassDef | ast.FunctionDef) and len(node.name) > 2 * TYPED
    }
    return _by_hash(sorted(names))[:NAMES]


def _files(root: Path) -> list[str]:
    return sorted(path.relative_to(root).as_posix() for path in (root / "django").rglob("*.py"))


def _called(root: Path, path: str) -> Iterator[Place]:
    for node in ast.walk(ast.parse((root / path).read_bytes())):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name | ast.Attribute):
            name = node.func.id if isinstance(node.func, ast.Name) else node.func.attr
            end = node.func.end_col_offset or 0
            yield Place(path, node.func.end_lineno or 0, end - len(name.encode()))


def _by_hash(things: Sequence[T]) -> list[T]:
    return sorted(things, key=lambda each: hashlib.sha256(repr(each).encode()).digest())


def _told(figures: Mapping[str, Figures], places: int, queries: int) -> str:
    pyright = figures.get(_PYRIGHT)
    lines = [
        f"| what | {' | '.join(figures)} | bar | |",
        "| --- " * (len(figures) + 3) + "|",
        _row("start to the first workspace symbols", figures, lambda each: each.first_symbol, FIRST_S),
        _row("start to the first definition", figures, lambda each: each.first_definition),
        _row("workspace symbols, p50", figures, lambda each: median(each.symbol), SYMBOL_S),
        _row("workspace symbols, p95", figures, lambda each: share(each.symbol, 0.95)),
        _row("definition, p50", figures, lambda each: median(each.definition)),
        _row("definition, p95", figures, lambda each: share(each.definition, 0.95)),
    ]
    memory = " | ".join(megabytes(each.memory) for each in figures.values())
    if pyright is not None:
        part = figures[_ALONE].memory / pyright.memory
        verdict = f"{'holds' if part <= MEMORY else 'MISSES'}, {part:.2f}"
        lines.append(f"| memory after all of it | {memory} | {MEMORY:g} of pyright's | {verdict} |")
    about = _ABOUT.format(
        places=places, files=FILES, queries=queries, names=queries // 2, letters=TYPED, starts=STARTS, pyright=PYRIGHT
    )
    return about + _agreement(figures) + "\n\n" + "\n".join(lines)


def _agreement(figures: Mapping[str, Figures]) -> str:
    if _PYRIGHT not in figures:
        return " pyright could not be installed."
    ours, theirs = figures[_ALONE].places, figures[_PYRIGHT].places
    inside = {
        place: lines
        for place, found in theirs.items()
        if (lines := {each for each in found if not each[0].startswith("..")})
    }
    same = sum(bool(ours[place] & lines) for place, lines in inside.items())
    other = sum(bool(ours[place]) and not ours[place] & lines for place, lines in inside.items())
    return f""" Of the {len(inside)} names that pyright finds in the tree, Cairn
gives the same place for {same}, another one for {other} and none for {len(inside) - same - other}."""


def _row(what: str, figures: Mapping[str, Figures], of: Callable[[Figures], float], bar: float | None = None) -> str:
    cells = " | ".join(seconds_of(of(each)) for each in figures.values())
    verdict = "" if bar is None else "holds" if of(figures[_ALONE]) <= bar else "MISSES"
    return f"| {what} | {cells} | {'' if bar is None else seconds_of(bar)} | {verdict} |"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.lsp", description=__doc__)
    parser.add_argument("--work", type=Path, help="where to keep the tree and pyright; default: a temporary folder")
    with tempfile.TemporaryDirectory(prefix="cairn-bench-") as temporary:
        work: Path = (parser.parse_args().work or Path(temporary)).resolve()
        work.mkdir(parents=True, exist_ok=True)
        load = os.getloadavg()[0]
        print(f"{section(work)}\n\nLoad before: {load:.1f}.")


if __name__ == "__main__":
    main()
