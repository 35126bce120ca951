"""Constructors: whoever calls a type uses what makes its values."""

from collections.abc import Iterable

from cairn.graph.scopes import TYPES
from cairn.graph.symbols import Definition, Key, key_of
from cairn.graph.world import World

MAKERS = frozenset({"__init__", "__new__", "constructor", "initialize", "__construct", "init"})


def types_made(world: World, items: Iterable[Definition]) -> dict[Key, tuple[Definition, Definition]]:
    """The types whose constructors are among some definitions, each with its constructor, but for types asked about."""
    asked = list(items)
    known = set(map(key_of, asked))
    found: dict[Key, tuple[Definition, Definition]] = {}
    for item in asked:
        if item.symbol.name in MAKERS and item.symbol.container:
            for symbol in world.scope(item.path).named(item.symbol.container):
                made = Definition(item.path, symbol)
                if symbol.kind in TYPES and key_of(made) not in known:
                    found.setdefault(key_of(made), (made, item))
    return found
