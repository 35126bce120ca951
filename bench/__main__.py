"""`python -m bench`: measure and write docs/benchmarks.md."""

import argparse
import datetime
import os
import platform
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from bench import (
    daemon,
    definitions,
    economy,
    graph,
    growth,
    keypress,
    literal,
    lsp,
    reads,
    references,
    retrieval,
    semantic,
    speed,
    store,
    weights,
    workspace,
    worktree,
)
from bench.measure import table
from bench.page import merge
from bench.processes import ChildError, MissingError

_PAGE = Path(__file__).resolve().parent.parent / "docs" / "benchmarks.md"
_HEAD = """# Benchmarks

Made by `make bench`. Figures are medians of several rounds in which the subjects take turns on
one machine; only the ratios say something about Cairn. [How they are made](measuring.md)."""


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the page that can be measured for itself."""

    name: str
    title: str
    measure: Callable[[Path, bool], str]
    """From the work folder, and whether files beside the page may be written, to the text."""


def _workspace(work: Path, _: bool) -> str:
    return f"A synthetic tree of {workspace.FILES:,} committed files, ten to a folder.\n\n{table(workspace.run(work))}"


def _store(work: Path, _: bool) -> str:
    return f"Synthetic files of about ten chunks each; publishes include every fsync.\n\n{table(store.run(work))}"


def _retrieval(work: Path, _: bool) -> str:
    return f"{retrieval.ABOUT}\n\n{retrieval.run(work)}"


SECTIONS = (
    Section("speed", "Speed beside semble", lambda work, _: speed.section(work)),
    Section("larger", "Speed beside semble, a larger tree", lambda work, _: speed.larger(work)),
    Section("daemon", "The daemon, how fast", lambda work, _: daemon.section(work)),
    Section("page", "The page, from a key to results", lambda work, _: keypress.section(work)),
    Section("literal", "Text and expressions beside ripgrep and codesearch", lambda work, _: literal.section(work)),
    Section("editors", "Editors", lambda work, _: lsp.section(work)),
    Section("growth", "Growth", lambda work, write: growth.section(work, write=write)),
    Section(
        "definitions", "Definitions beside universal-ctags and Python's ast", lambda work, _: definitions.section(work)
    ),
    Section("references", "References beside SCIP", lambda work, _: references.section(work)),
    Section("graph", "Code intelligence, how fast", lambda work, _: graph.section(work)),
    Section("semantic", "Semantic facts, how fast", lambda work, _: semantic.section(work)),
    Section("reads", "Cached reads", lambda work, _: reads.section(work)),
    Section("worktree", "A new worktree", lambda work, _: worktree.section(work)),
    Section("workspace", "The tree and what changed in it", _workspace),
    Section("store", "The snapshot store", _store),
    Section("retrieval", "Retrieval", _retrieval),
    Section("economy", "Answers by the token", lambda work, _: economy.section(work)),
    Section("weights", "Signals and weights", lambda work, _: weights.section(work)),
)


def main() -> None:
    names = [section.name for section in SECTIONS]
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("--work", type=Path, help="where to keep trees and peers; default: a temporary folder")
    parser.add_argument("--only", choices=names, action="append", help="measure this section alone (repeatable)")
    parser.add_argument("--no-write", action="store_true", help="only print")
    options = parser.parse_args()
    chosen = [section for section in SECTIONS if section.name in (options.only or names)]
    with tempfile.TemporaryDirectory(prefix="cairn-bench-") as temporary:
        work: Path = (options.work or Path(temporary)).resolve()
        work.mkdir(parents=True, exist_ok=True)
        measured = {section.title: measure(section, work, write=not options.no_write) for section in chosen}
    before = _PAGE.read_text(encoding="utf-8") if _PAGE.exists() else ""
    page = merge(_HEAD, before, [section.title for section in SECTIONS], measured)
    print(page)
    if not options.no_write:
        _PAGE.write_text(page, encoding="utf-8")


def measure(section: Section, work: Path, *, write: bool) -> str:
    """The text of a section, or why there is none."""
    # Turns are fair only while there is a core for whoever's turn it is.
    load = os.getloadavg()[0]
    started = time.perf_counter()
    try:
        text = section.measure(work, write)
    except (MissingError, ChildError) as error:
        return f"Not measured: {error}."
    took = time.perf_counter() - started
    today = datetime.datetime.now(datetime.UTC).date().isoformat()
    machine = f"{platform.machine()} Linux, {os.cpu_count()} cores, Python {platform.python_version()}"
    return f"{text}\n\nMeasured on {today} in {took:.0f} s: {machine}; load before: {load:.1f}."


if __name__ == "__main__":
    main()
