"""What a user means by a name, a place or an id."""

import re
from collections.abc import Sequence

from cairn.base.errors import NotIndexedError, UsageError
from cairn.base.steps import Advice, NextStep
from cairn.base.text import plural
from cairn.base.values import dataclass
from cairn.graph.meaning import UNKNOWN
from cairn.graph.resolve import Resolver
from cairn.graph.symbols import Definition, find_definitions, ids_of

_PLACE = re.compile(r"(.+?):(\d{1,1000})(?::(\d{1,1000}))?")
_ID = re.compile(r"sym_[0-9a-f]{20}")
MAX_TARGET = 1_000


@dataclass(frozen=True, slots=True)
class Place:
    """A line of a file, and a column of it in bytes where one is named; both from 1."""

    path: str
    line: int
    column: int | None = None


def place_of(text: str) -> Place | None:
    """FILE:LINE or FILE:LINE:COLUMN; None for a plain name."""
    match = _PLACE.fullmatch(text)
    if match is None or "::" in text:
        return None
    return Place(match[1], int(match[2]), int(match[3]) if match[3] else None)


def is_id(text: str) -> bool:
    """Whether a text is the id of a symbol."""
    return _ID.fullmatch(text) is not None


def definitions_meant(resolver: Resolver, target: str, place: Place | None) -> list[Definition]:
    """The definitions that a name, an id or a place names, the likeliest first; empty where there are none."""
    if len(target) > MAX_TARGET or not target.strip():
        raise UsageError("No name is given." if not target.strip() else "The name is too long.", hint="Name a symbol.")
    if place is not None:
        return _at(resolver, place)
    if is_id(target):
        return [
            Definition(path, symbol)
            for path, scope in ((path, resolver.world.scope(path)) for path in _loaded(resolver))
            for found, symbol in ids_of(path, scope.symbols)
            if found == target
        ]
    return definitions_named(resolver, target)


def definitions_named(resolver: Resolver, name: str) -> list[Definition]:
    """Definitions of a name in any spelling, those that only an index knows behind the others."""
    known = resolver.semantics.named(name) if resolver.semantics is not None else []
    return [*find_definitions(resolver.world.view, name), *known]


def _loaded(resolver: Resolver) -> Sequence[str]:
    resolver.world.load(resolver.world.languages)
    return list(resolver.world.languages)


def _at(resolver: Resolver, place: Place) -> list[Definition]:
    """What is defined or used at a place: a name at the column, else the definition whose name is on the line."""
    world = resolver.world
    scope = world.scope(place.path)
    on_line = [symbol for symbol in scope.symbols if symbol.name_line == place.line]
    if on_line and place.column is None:
        return [Definition(place.path, on_line[0])]
    data = world.view.rows.whole_text_of(place.path)
    if data is None:
        raise NotIndexedError(f"{place.path} is not in the snapshot.", hint=Advice(NextStep("preview"), " to see why."))
    lines = data.split(b"\n")
    if place.line > len(lines):
        raise UsageError(
            f"{place.path} has {plural(len(lines), 'line')}: there is no line {place.line}.",
            hint=f"Name a line from 1 to {len(lines)}.",
        )
    text = lines[place.line - 1].decode("utf-8", "replace")
    for match in re.finditer(r"[^\W\d][\w$]*", text):
        start = len(text[: match.start()].encode())
        if place.column is not None and not start < place.column <= start + len(match[0].encode()):
            continue
        uses = world.uses(place.path, match[0])
        for use in uses:
            if (use.line, use.column) != (place.line, start):
                continue
            (by_index,) = resolver.semantics.meanings(place.path, [use]) if resolver.semantics is not None else (None,)
            if by_index is not None and by_index.targets:
                return list(by_index.targets)
            if use.local:
                # A local name is what the scope defines that binds it, if that is more than a variable.
                first = {each.line: each for each in reversed(uses) if each.role == "definition"}
                heads = {line for line, each in first.items() if each.bound == use.bound}
                inner = [symbol for symbol in scope.symbols if symbol.name == use.name and symbol.name_line in heads]
                if inner:
                    return [Definition(place.path, inner[0])]
                continue
            own = [symbol for symbol in on_line if symbol.name == use.name]
            if use.role == "definition" and own:
                return [Definition(place.path, own[0])]
            # A key is a member's name, whatever else is called so.
            as_key = use.keyword or use.role == "definition"
            meaning = (
                resolver.literals.meaning(place.path, use.name, use.line, use.column, use.within) if as_key else UNKNOWN
            )
            meaning = meaning if meaning or use.keyword else resolver.meaning_of(place.path, use)
            if meaning.targets:
                return list(meaning.targets)
    around = [symbol for symbol in scope.symbols if symbol.start_line <= place.line <= symbol.end_line]
    if place.column is None and around:
        return [Definition(place.path, max(around, key=lambda symbol: (symbol.start_line, -symbol.end_line)))]
    return []
