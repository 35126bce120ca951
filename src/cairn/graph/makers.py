"""Constructors: whoever calls a type uses what makes its values."""

from collections.abc import Iterable
from typing import NamedTuple

from cairn.graph.customs import customs_of
from cairn.graph.derived import Derived
from cairn.graph.meaning import LIKELY, PROVEN
from cairn.graph.scopes import TYPES
from cairn.graph.symbols import Definition, Key, key_of
from cairn.graph.world import World

MAKERS = frozenset({"__init__", "__new__", "constructor", "initialize", "__construct", "init"})
_MOST_MAKERS = 20
"""Constructors whose heirs are looked for; who asks for more has more places than anybody reads."""


class Made(NamedTuple):
    """A type, with the constructor that is asked about."""

    type: Definition
    maker: Definition
    alone: bool
    """Whether no other constructor may be the one that is called."""

    def tier(self, called: str) -> str:
        """How sure a call of the constructor is, by how sure it is one of the type."""
        return LIKELY if called == PROVEN and not self.alone else called


def types_made(world: World, items: Iterable[Definition], derived: Derived | None = None) -> dict[Key, Made]:
    """The types whose constructors are among some definitions, but for types asked about.

    With `derived` those as well that surely inherit one of a few.
    """
    asked = list(items)
    known = set(map(key_of, asked))
    found: dict[Key, Made] = {}
    derived = derived if len(asked) <= _MOST_MAKERS else None
    for item in asked:
        if (item.symbol.name in MAKERS or item.symbol.kind == "constructor") and item.symbol.container:
            scope = world.scope(item.path)
            alike = scope.members.get(item.symbol.container, {}).get(item.symbol.name, ())
            alone = not customs_of(scope.language).overloads or all(
                key_of(Definition(item.path, each)) in known for each in alike
            )
            for symbol in scope.named(item.symbol.container):
                made = Definition(item.path, symbol)
                heirs = derived.inheriting(made, item) if derived is not None and symbol.kind in TYPES else ()
                for each in (made, *heirs):
                    if each.symbol.kind in TYPES and key_of(each) not in known:
                        found.setdefault(key_of(each), Made(each, item, alone))
    return found
