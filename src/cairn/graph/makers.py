"""Constructors: whoever calls a type uses what makes its values."""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from cairn.graph.binding import ChainPlace
from cairn.graph.customs import customs_of
from cairn.graph.derived import Derived
from cairn.graph.meaning import BEYOND, LIKELY, PROVEN, UNKNOWN, Meaning
from cairn.graph.resolve import Resolver
from cairn.graph.scopes import PROMISES, TYPES
from cairn.graph.symbols import Definition, Key, key_of
from cairn.graph.values import OPEN
from cairn.graph.world import World
from cairn.store import NameInFile
from cairn.syntax.uses import Use

MAKERS = frozenset({"__init__", "__new__", "constructor", "initialize", "__construct"})
_MOST_MAKERS = 20
"""Constructors whose heirs are looked for; who asks for more has more places than anybody reads."""
_GIVEN_TO = re.compile(r"([\w.]+)\s*(?:\{[^{}]*\}\s*)?=\s*$")
"""What gets the value that is made behind it: C#'s `Box box = new(1)`, `Box Own { get; } = new(1)`."""


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
        scope = world.scope(item.path)
        names = customs_of(scope.language).constructors
        if (item.symbol.name in names or item.symbol.kind == "constructor") and item.symbol.container:
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


def makers_used(world: World, types: Iterable[Definition]) -> Iterator[tuple[str, str, NameInFile]]:
    """(word, file, places) of words that may call some types, in the files that name these: their own, and those of
    what is derived from them."""
    for item in types:
        words = customs_of(world.languages.get(item.path, "")).makers
        near = world.used(item.symbol.name) if words else {}
        for word in sorted(words):
            used = world.used(word)
            yield from ((word, path, used[path]) for path in near if path in used)


def type_called(resolver: Resolver, path: str, use: Use) -> Meaning | None:
    """The type that a word makes values of which stands for it (`this(1)`, `new self()`); None for other words."""
    scope = resolver.world.scope(path)
    customs = customs_of(scope.language)
    if use.name not in customs.makers or use.role != "call" or use.receiver:
        return None
    place = ChainPlace(path, use.within, use.line, use.column)
    if use.name not in customs.selves | customs.parents:
        before = resolver.world.lines(path)[use.line - 1].encode()[: use.column].decode("utf-8", "replace")
        given = _GIVEN_TO.search(before)
        value = resolver.evaluator.at(place, given[1]) if given is not None else OPEN
        return Meaning(value.types, value.tier, open=value.open or value.outside) if value.types else UNKNOWN
    own = resolver.evaluator.own(scope, use.name, place)
    around = (*own.types, *own.things.targets) if own is not None else ()
    if len(around) != 1:
        return UNKNOWN
    bases = resolver.members.bases(around[0])
    if use.name in customs.parents:
        classes = (each for each in bases if each[0] is None or each[0].symbol.kind not in PROMISES)
        base, tier = next(classes, (None, ""))
        return BEYOND if base is None else Meaning((base,), tier, open=tier != PROVEN)
    # A word for a class may stand for one of a metaclass.
    doubted = use.name not in ("this", "self") and any(base is None for base, _ in bases)
    return Meaning(around, LIKELY if doubted else PROVEN, open=doubted)
