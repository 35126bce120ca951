"""The place of what a user names: an edit is of what stands at a place, and people know names."""

import re
from collections.abc import Iterator

from cairn.base.errors import UsageError
from cairn.base.steps import Advice, NextStep
from cairn.base.text import plural
from cairn.edit.gate.thing import is_namesake
from cairn.graph.symbols import Definition, find_definitions, key_of, last_part
from cairn.graph.targets import Place
from cairn.graph.world import World
from cairn.store import SnapshotView

_NAMED = 5


def place_named(view: SnapshotView, name: str, path: str = "") -> Place:
    """Where a name is defined, of a file where one is named; UsageError where nothing is, or several things are."""
    found = [each for each in find_definitions(view, name) if not path or each.path == path]
    exact = [each for each in found if each.symbol.name == last_part(name)]
    # Overloads and the accessors of a property are one thing, and so is a type with constructors of its name.
    exact = [each for each in exact if not is_namesake(each)] or exact
    apart = {key_of(each)[:2]: each for each in reversed(exact or found)}
    return _only(view, list(reversed(apart.values())), f"{path}:{name}" if path else name)


def place_on_line(view: SnapshotView, path: str, line: int) -> Place:
    """The name that is defined on a line; UsageError where there is none, or several."""
    symbols = World(view).scope(path).symbols
    return _only(view, [Definition(path, each) for each in symbols if each.name_line == line], f"{path}:{line}")


def _only(view: SnapshotView, found: list[Definition], said: str) -> Place:
    places = [place for each in found for place in _places(view, each)]
    if len(places) == 1:
        return places[0]
    if not places:
        message = f"Nothing that {said} names is defined in the index."
        if view.rows.file(said) is not None:
            step = NextStep("importers", said)
            raise UsageError(f"{said} is a file.", hint=Advice("Rename it, and mend what imports it: ", step, "."))
        raise UsageError(message, hint="Name its place: FILE:LINE:COLUMN, with columns in bytes from 1.")
    names = [f"{each.path}:{each.line}:{each.column}" for each in places[:_NAMED]]
    steps = [part for name in names for part in (NextStep("rename", f"{name}\nNEW"), ", or ")]
    raise UsageError(
        f"{said} names {plural(len(places), 'definition')}.", hint=Advice("Name one by its place: ", *steps[:-1], ".")
    )


def _places(view: SnapshotView, item: Definition) -> Iterator[Place]:
    """Where the name stands on its line."""
    lines = (view.rows.whole_text_of(item.path) or b"").split(b"\n")
    line = item.symbol.name_line
    text = lines[line - 1] if line <= len(lines) else b""
    word = re.search(rb"(?<![\w$])" + re.escape(item.symbol.name.encode()) + rb"(?![\w$])", text)
    if word is not None:
        yield Place(item.path, line, word.start() + 1)
