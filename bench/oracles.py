"""Uses that a language server tells, beside those of Cairn.

    python -m bench.oracles ROOT --language python -- SERVER --stdio

Definitions are chosen by the hashes of their places, so many of each kind. The server is brought by whoever runs
this, with what the project depends on as far as it can be had: what it tells is the truth, what it leaves out it may
not have found. A place that it tells and that Cairn counts as elsewhere, proven to be something else, is a lie.
"""

import argparse
import hashlib
import json
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from bench.indexed import indexed
from bench.languageserver import LanguageServer, Place
from cairn.api import Workspace, open_workspace
from cairn.base.errors import CairnError
from cairn.graph.occurrences import uses_in
from cairn.graph.resolve import LIKELY, NAME, PROVEN
from cairn.graph.world import World
from cairn.store import SnapshotView

_KINDS = {
    "function": ("function", "macro"),
    "class": ("class", "struct", "interface", "trait", "enum", "type"),
    "constant": ("constant", "variable"),
    "method": ("method", "constructor"),
    "field": ("field", "property"),
}
_MOST_USES = 2_000
DISPATCH = "dispatch"
"""Calls that reach a method through what it overrides: servers tell them of the overridden one alone."""
_TIERS = (PROVEN, LIKELY, DISPATCH, NAME)
ELSEWHERE = "elsewhere"
"""Places of the name that the answer leaves out: they are said to be something else."""
ABSENT = "absent"
"""Places that are no uses of the name to Cairn: in texts, in comments, under another name."""


@dataclass(slots=True)
class Tally:
    """Counts of one kind of definitions."""

    asked: int = 0
    wanted: int = 0
    told: Counter[str] = field(default_factory=Counter)
    right: Counter[str] = field(default_factory=Counter)
    """Of the server's uses, how they are told, ELSEWHERE and ABSENT among them."""


def main() -> None:
    arguments = sys.argv[1:]
    at = arguments.index("--") if "--" in arguments else len(arguments)
    parser = argparse.ArgumentParser(prog="python -m bench.oracles", description=__doc__)
    parser.add_argument("root", type=Path)
    parser.add_argument("--language", required=True, help="as Cairn and the server name it")
    parser.add_argument("--count", type=int, default=100, help="definitions of each kind")
    parser.add_argument("--options", type=json.loads, default={}, help="what the server is told at its start, as JSON")
    parser.add_argument("--quiet", type=float, default=0.1, help="seconds of silence by which it has read everything")
    parser.add_argument("--show", action="store_true", help="list what is missing and what is wrong")
    options = parser.parse_args(arguments[:at])
    command = arguments[at + 1 :]
    if not command:
        parser.error("give the server's command behind --")
    root = options.root.resolve()
    with (
        tempfile.TemporaryDirectory() as work,
        indexed(Path(work), root) as view,
        open_workspace(str(root)) as workspace,
        closing(LanguageServer(command, root, options.options)) as server,
    ):
        chosen = _chosen(view, options.language, options.count)
        server.settle(options.language, min(chosen.files), options.quiet)
        found = _compared(World(view), workspace, server, options.language, chosen, show=options.show)
    print(*_table(found), sep="\n")


def _compared(
    world: World, workspace: Workspace, server: LanguageServer, language: str, chosen: "Chosen", *, show: bool
) -> dict[str, Tally]:
    found = {kind: Tally() for kind in _KINDS}
    for kind, places in chosen.places.items():
        tally = found[kind]
        for place, name in places:
            truth = frozenset(each for each in server.references(language, place, name) if each.path in chosen.files)
            answer, others = _told(workspace, place)
            told = {each: tier for each, tier in answer.items() if each.path in chosen.files}
            # Names that are given and definitions of the same are left out as well, and no more is said of them.
            left_out = _left_out(world, name if others else "", truth - told.keys())
            tally.asked += 1
            tally.wanted += len(truth)
            tally.told.update(told.values())
            tally.right.update(tier for each, tier in {**told, **left_out}.items() if each in truth)
            for line in _differences(place, truth, {**told, **left_out}) if show else ():
                print(f"{kind} {line}", flush=True)
    return found


def _left_out(world: World, name: str, places: Collection[Place]) -> dict[Place, str]:
    """Why an answer has no word of places: they bear the name and are said to be something else, or they don't."""
    used = world.used(name)
    found: dict[Place, str] = {}
    for place in places:
        here = uses_in(world.view.occurrences.rows(used[place.path])) if place.path in used else ()
        named = any((use.line, use.column) == (place.line, place.column) for use in here)
        found[place] = ELSEWHERE if named else ABSENT
    return found


@dataclass(frozen=True, slots=True)
class Chosen:
    """The files of a language, and definitions in them, by kind."""

    files: frozenset[str]
    places: Mapping[str, Sequence[tuple[Place, str]]]


def _chosen(view: SnapshotView, language: str, count: int) -> Chosen:
    """The same definitions for the same tree."""
    languages = World(view).languages
    found: dict[str, list[tuple[Place, str]]] = {kind: [] for kind in _KINDS}
    texts: dict[str, list[bytes]] = {}
    for path, symbol in view.facts.all_symbols():
        kind = next((kind for kind, kinds in _KINDS.items() if symbol.kind in kinds), None)
        if kind is None or languages.get(path) != language:
            continue
        if path not in texts:
            texts[path] = (view.rows.whole_text_of(path) or b"").split(b"\n")
        at = re.search(rb"(?<!\w)%s(?!\w)" % re.escape(symbol.name.encode()), texts[path][symbol.name_line - 1])
        if at is not None:
            found[kind].append((Place(path, symbol.name_line, at.start()), symbol.name))
    for places in found.values():
        places.sort(key=lambda each: hashlib.sha256(repr(tuple(each[0])).encode()).digest())
        del places[count:]
    return Chosen(frozenset(path for path, each in languages.items() if each == language), found)


def _told(workspace: Workspace, place: Place) -> tuple[dict[Place, str], int]:
    """The uses of what is named at a place with their tiers, and how many places of the name are something else."""
    try:
        uses = workspace.references(f"{place.path}:{place.line}:{place.column + 1}", _MOST_USES).value
    except CairnError:
        return {}, 0
    tiers = ((item, DISPATCH if item.dispatch else item.tier) for item in uses.items)
    return {Place(item.path, item.line, item.column): tier for item, tier in tiers}, uses.elsewhere


def _differences(place: Place, truth: frozenset[Place], told: Mapping[Place, str]) -> Iterator[str]:
    where = f"{place.path}:{place.line}:{place.column + 1}"
    for each in sorted(truth):
        if told[each] in (NAME, ELSEWHERE, ABSENT):
            yield f"{where}: {told[each]}: {each.path}:{each.line}:{each.column + 1}"
    for each, tier in sorted(told.items()):
        if each not in truth and tier != NAME:
            yield f"{where}: {tier}, not told by the server: {each.path}:{each.line}:{each.column + 1}"


def _table(found: Mapping[str, Tally]) -> Iterator[str]:
    columns = " | ".join(f"{tier}, right" for tier in _TIERS)
    yield f"| kind | definitions | uses | proven or likely | listed | elsewhere | absent | {columns} |"
    yield "| --- " * (7 + len(_TIERS)) + "|"
    for kind, tally in found.items():
        if tally.asked:
            right, told = tally.right, tally.told
            sure = _share(right[PROVEN] + right[LIKELY] + right[DISPATCH], tally.wanted)
            shares = " | ".join(f"{right[tier]} of {told[tier]}" for tier in _TIERS)
            listed = _share(sum(right[tier] for tier in _TIERS), tally.wanted)
            left = f"{right[ELSEWHERE]} | {right[ABSENT]}"
            yield f"| {kind} | {tally.asked} | {tally.wanted} | {sure} | {listed} | {left} | {shares} |"


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.1%}" if whole else "-"


if __name__ == "__main__":
    main()
