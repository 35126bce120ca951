"""Constructors: whoever calls a type uses what makes its values."""

from collections.abc import Iterable
from typing import NamedTuple

from cairn.graph.customs import customs_of
from cairn.graph.meaning import LIKELY, PROVEN
from cairn.graph.scopes import TYPES
from cairn.graph.symbols import Definition, Key, key_of
from cairn.graph.world import World

MAKERS = frozenset({"__init__", "__new__", "constructor", "initialize", "__construct", "init"})


class Made(NamedTuple):
    """A type, with the constructor that is asked about."""

    type: Definition
    maker: Definition
    alone: bool
    """Whether no other constructor may be the one that is called."""

    def tier(self, called: str) -> str:
        """How sure a call of the constructor is, by how sure it is one of the type."""
        return LIKELY if called == PROVEN and not self.alone else called


def types_made(world: World, items: Iterable[Definition]) -> dict[Key, Made]:
    """The types whose constructors are among some definitions, but for types asked about."""
    asked = list(items)
    known = set(map(key_of, asked))
    found: dict[Key, Made] = {}
    for item in asked:
        if (item.symbol.name in MAKERS or item.symbol.kind == "constructor") and item.symbol.container:
            scope = world.scope(item.path)
            alike = scope.members.get(item.symbol.container, {}).get(item.symbol.name, ())
            alone = not customs_of(scope.language).overloads or all(
                key_of(Definition(item.path, each)) in known for each in alike
            )
            for symbol in scope.named(item.symbol.container):
                made = Definition(item.path, symbol)
                if symbol.kind in TYPES and key_of(made) not in known:
                    found.setdefault(key_of(made), Made(made, item, alone))
    return found
