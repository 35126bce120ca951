"""Definitions to rename: so many of each kind, the same at every run, none of them in tests.

What tests define is left out: nobody else uses it, so it would be too easy.
"""

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass

from cairn.graph.resolve import Resolver
from cairn.graph.scopes import FUNCTIONS, TYPES
from cairn.graph.symbols import Definition
from cairn.graph.testing import test_files
from cairn.graph.world import World
from cairn.store import SnapshotView
from cairn.syntax import occurrences
from cairn.syntax.filekind import kinds_of

KINDS = ("local", "parameter", "function", "method", "class", "constant", "field")
_VALUES = ("constant", "variable", "field", "property")
_RECEIVERS = ("self", "cls", "this")
_SEED = 9
_DUNDER = re.compile(r"__\w+__")
_NOT_RENAMED = frozenset({"init", "main", "constructor", "_"})
"""Names that a language gives their meaning."""
_FAMILIES = {"typescript": ("typescript", "tsx")}


@dataclass(frozen=True, slots=True)
class Place:
    """Where something is defined."""

    path: str
    line: int
    """From 1."""
    column: int
    """Bytes from the start of the line."""
    name: str
    kind: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}:{self.column + 1}"


def chosen(view: SnapshotView, language: str, count: int) -> list[Place]:
    """So many definitions of each kind, chosen by chance, the same for the same tree."""
    found: dict[str, set[Place]] = {kind: set() for kind in KINDS}
    for place in _definitions(view, _FAMILIES.get(language, (language,))):
        if place.name not in _NOT_RENAMED and not _DUNDER.fullmatch(place.name):
            found[place.kind].add(place)
    return [place for kind in KINDS for place in drawn(found[kind], count)]


def drawn(places: set[Place], count: int) -> list[Place]:
    """Some of the places, by chance."""
    ordered = sorted(places, key=lambda each: (each.path, each.line, each.column))
    return random.Random(_SEED).sample(ordered, min(count, len(ordered)))


def fresh(name: str) -> str:
    """A name that nobody has, of the same form."""
    bare = name.lstrip("_")
    start = "_" if name.startswith("_") else ""
    if bare.isupper() and len(bare) > 1:
        return f"{start}QQ_NEW_{len(bare)}"
    return f"{start}{'Qq' if bare[:1].isupper() else 'qq'}New{len(bare)}"


def _definitions(view: SnapshotView, languages: tuple[str, ...]) -> Iterator[Place]:
    world = World(view)
    resolver = Resolver(world)
    tests = frozenset(test_files(world))
    own = [path for path, each in world.languages.items() if each in languages and path not in tests]
    own = [path for path in own if kinds_of(path, world.languages[path]).isdisjoint(("test", "generated"))]
    world.load(own)
    for path in own:
        data = view.rows.whole_text_of(path) or b""
        found = occurrences.find(path, world.languages[path], data)
        if found is None:
            continue
        heads: dict[tuple[int, str], int] = {}
        homes: set[tuple[str, str]] = set()
        for one, within in zip(found.occurrences, found.withins, strict=True):
            if one.role in ("definition", "write"):
                heads.setdefault((one.line, one.name), one.column)
            meant = found.meaning(one)
            if one.role in ("definition", "write") and meant is not None and meant[1].local:
                home = (meant[0].place, one.name)
                if home not in homes and one.name not in _RECEIVERS:
                    homes.add(home)
                    yield Place(path, one.line, one.column, one.name, "parameter" if one.parameter else "local")
            elif one.role == "write" and one.receiver in _RECEIVERS:
                home = (within.rpartition(".")[0], one.name)
                if home not in homes:
                    homes.add(home)
                    yield Place(path, one.line, one.column, one.name, "field")
        for symbol in world.scope(path).symbols:
            item = Definition(path, symbol)
            kind = _kind(symbol.kind, is_member=resolver.is_member(item))
            at = heads.get((symbol.name_line, symbol.name))
            home = (symbol.container, symbol.name)
            if kind and at is not None and not (kind == "field" and home in homes):
                if kind == "constant" and symbol.container:
                    continue
                homes.add(home)
                yield Place(path, symbol.name_line, at, symbol.name, kind)


def _kind(kind: str, *, is_member: bool) -> str:
    if kind in TYPES:
        return "class" if kind != "module" else ""
    if kind in FUNCTIONS:
        return "method" if is_member else "function"
    if kind in _VALUES:
        return "field" if is_member else "constant"
    return ""
