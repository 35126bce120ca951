"""An oracle's definitions and uses, and how places that Cairn finds agree with them."""

import hashlib
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from bench.scip import plain_name
from cairn.semantic.scip.decode import Document

_CONSTRUCTOR = "`<constructor>`()."


class Place(NamedTuple):
    path: str
    line: int
    """From 1."""
    column: int
    """Characters from the start of the line."""


class Key(NamedTuple):
    """What Cairn calls one definition: overloads and merged declarations are one."""

    path: str
    name: str
    """Qualified."""


@dataclass(frozen=True, slots=True)
class Truth:
    """Who is defined and used where."""

    defined: Mapping[str, tuple[Place, ...]]
    """Places of definitions, by global symbol."""
    used: Mapping[str, frozenset[Place]]
    at: Mapping[Place, tuple[tuple[str, bool], ...]]
    """(symbol, whether it is defined there) at each place."""


@dataclass(slots=True)
class Tally:
    """Counts of one project."""

    asked: int = 0
    wanted: int = 0

    right: Counter[str] = field(default_factory=Counter)
    causes: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    """Why places are not the oracle's, by tier."""
    wrong: list[tuple[Key, Place, str]] = field(default_factory=list)
    """Proven places that the oracle doesn't have."""
    missed: list[tuple[Key, Place]] = field(default_factory=list)
    """The oracle's places that were not found at any tier."""
    written: Counter[str] = field(default_factory=Counter)
    """What those look like."""

    def count(self, tier: str) -> int:
        return self.right[tier] + self.causes[tier].total()

    def add(self, key: Key, wanted: frozenset[Place], places: Iterable[tuple[Place, str]], truth: Truth) -> None:
        self.asked += 1
        self.wanted += len(wanted)
        found = dict(places)
        self.missed += [(key, place) for place in sorted(wanted - found.keys())]
        for place, tier in found.items():
            if place in wanted:
                self.right[tier] += 1
                continue
            cause = why_not(key, place, truth)
            self.causes[tier][cause] += 1
            if tier == "proven":
                self.wrong.append((key, place, cause))


NOTHING, LOCAL, DEFINITION, NAMESAKE, OTHER = (
    "SCIP has nothing there",
    "SCIP: a local",
    "SCIP: a definition",
    "SCIP: a namesake",
    "SCIP: another name",
)


def why_not(key: Key, place: Place, truth: Truth) -> str:
    """What the oracle has at a place that isn't one of a definition's."""
    there = truth.at.get(place, ())
    if not there:
        return NOTHING
    if any(defines for _, defines in there):
        return DEFINITION
    if any(symbol.startswith("local ") for symbol, _ in there):
        return LOCAL
    last = key.name.rpartition(".")[2]
    return NAMESAKE if any(plain_name(symbol) == last for symbol, _ in there) else OTHER


def how_written(name: str, line: str, column: int) -> str:
    """What a place that was missed looks like."""
    before, after = line[:column].rstrip(), line[column + len(name) :].lstrip()
    if not line.startswith(name, column):
        return "another name is written there"
    if before.endswith(('"', "'")) or (re.search(r"[\"'][^\"']*$", before) and re.match(r"[^\"']*[\"']", after)):
        return "within a string, as forward annotations are"
    if before.endswith("."):
        return "a member of something whose type is not known"
    if re.match(r"=(?!=)|:", after) and not re.search(r"\b(?:const|let|var|def|class)$", before):
        return "a keyword or a key, which belongs to a type"
    if re.search(r"\{[^}]*$", before):
        return "taken apart or put together in braces"
    return "a plain name"


def truth_of(read: Iterable[Document]) -> Truth:
    defined: dict[str, list[Place]] = defaultdict(list)
    used: dict[str, set[Place]] = defaultdict(set)
    at: dict[Place, list[tuple[str, bool]]] = defaultdict(list)
    for document in read:
        for each in document.occurrences:
            place = Place(document.path, each.line + 1, each.column)
            at[place].append((each.symbol, each.defines))
            # To make one is to use the type: the tools name either there.
            symbol = each.symbol.removesuffix(_CONSTRUCTOR)
            if plain_name(symbol) and not (each.defines and symbol != each.symbol):
                if each.defines:
                    defined[symbol].append(place)
                else:
                    used[symbol].add(place)
    return Truth(
        {symbol: tuple(places) for symbol, places in defined.items()},
        {symbol: frozenset(places) for symbol, places in used.items()},
        {place: tuple(symbols) for place, symbols in at.items()},
    )


def shared(truth: Truth, ours: Mapping[tuple[str, int, str], Key]) -> dict[Key, frozenset[Place]]:
    """What both sides define, with the oracle's uses of it; `ours` is by path, line and name."""
    found: dict[Key, set[Place]] = {}
    for symbol, places in truth.defined.items():
        name = plain_name(symbol)
        for place in places:
            key = ours.get((place.path, place.line, name))
            if key is not None:
                found.setdefault(key, set()).update(truth.used.get(symbol, ()))
    return {key: frozenset(places) for key, places in found.items()}


def sample(keys: Iterable[Key], most: int) -> list[Key]:
    """The same ones every time."""
    return sorted(keys, key=lambda key: hashlib.sha256("\0".join(key).encode()).digest())[:most]
