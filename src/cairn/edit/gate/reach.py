"""Which values can have a member: what is known of a value tells whether a name that is asked of it is the member's."""

import re
from collections.abc import Callable, Iterable
from functools import cached_property

from cairn.graph.binding import ChainPlace
from cairn.graph.hierarchy import Kindred
from cairn.graph.meaning import LIKELY, NAME, PROVEN
from cairn.graph.members import types_in
from cairn.graph.references import find_uses
from cairn.graph.resolve import Resolver
from cairn.graph.scopes import TYPES
from cairn.graph.symbols import Definition, Key, key_of
from cairn.graph.values import Value
from cairn.syntax.uses import Use

_Kin = tuple[Definition, str, str]
OTHER = ""
"""A value is proven to have nothing to do with it."""
_SPREAD = re.compile(r"[(,]\s*\*")
"""Bases that are not written one by one: `class It(*bases)`."""
_ANSWERS = ("__getattr__", "__getattribute__")
"""What a class has that answers for members which it doesn't define."""


class MemberReach:
    """The types that share a member, and what may stand for them."""

    def __init__(self, resolver: Resolver, owners: Iterable[Definition], *, sure: bool = False) -> None:
        """`sure`: only what is proven to be derived from one another counts."""
        self._resolver = resolver
        self._sure = sure
        self._owners = list(owners)
        self._dynamic: dict[Key, bool] = {}
        self._based: dict[Key, bool] = {}

    @cached_property
    def below(self) -> dict[Key, Definition]:
        """The owners and what is derived from them: these have the member."""
        return self._closure(self._owners, Kindred(self._resolver).below)

    @cached_property
    def near(self) -> dict[Key, Definition]:
        """These, and what any of them is derived from: a value of such a type may be one of them."""
        return self._closure(list(self.below.values()), Kindred(self._resolver).above)

    @cached_property
    def held(self) -> frozenset[Key]:
        """Types that may hold a value with the member, and those that hold these."""
        found, waiting = set[Key](), list(self.below.values())
        while waiting:
            for use in find_uses(self._resolver, [waiting.pop()]).items:
                for symbol in self._resolver.world.scope(use.path).symbols if use.role == "type" else ():
                    item = Definition(use.path, symbol)
                    inside = symbol.start_line <= use.line <= symbol.end_line and symbol.kind in TYPES
                    if inside and key_of(item) not in found:
                        found.add(key_of(item))
                        waiting.append(item)
        return frozenset(found)

    def _closure(self, items: list[Definition], step: Callable[[Definition], list[_Kin]]) -> dict[Key, Definition]:
        found = {key_of(item): item for item in items}
        waiting = list(items)
        while waiting:
            for other, tier, _ in step(waiting.pop()):
                if key_of(other) not in found and (tier == PROVEN or not self._sure):
                    found[key_of(other)] = other
                    waiting.append(other)
        return found

    def at(self, path: str, use: Use, chain: str, column: int | None = None, line: int = 0) -> Value:
        """The value of what is written before or in a use."""
        place = ChainPlace(path, use.within, line or use.line, use.column if column is None else column)
        return self._resolver.evaluator.at(place, chain)

    def of(self, value: Value, *, itself: bool = False) -> str:
        """How sure it is that a value has the member: PROVEN, LIKELY, NAME where nothing tells, OTHER if it hasn't.

        `itself`: what it passes on to others doesn't count.
        """
        types = (*value.types, *types_in(value.things.targets))
        keys = [key_of(each) for each in types]
        closed = not value.open and not value.things.open
        if any(key in self.below for key in keys):
            return PROVEN if closed and all(key in self.below for key in keys) else LIKELY
        if any(key in self.near for key in keys):
            return LIKELY
        known = bool(types or value.things or value.literal or value.outside)
        answers = (not itself and any(map(self._answers_for_more, types))) or any(map(self._has_any_base, types))
        return OTHER if known and closed and not answers else NAME

    def _has_any_base(self, item: Definition) -> bool:
        """Whether a type is derived from what is only known when the program runs, and may so be one of these."""
        key = key_of(item)
        if key not in self._based:
            line = [each for each, _ in self._resolver.members.line(item) if each is not None]
            self._based[key] = any(map(self._is_any, line))
        return self._based[key]

    def _is_any(self, item: Definition) -> bool:
        symbol, language = item.symbol, self._resolver.world.languages.get(item.path, "")
        place = ChainPlace(item.path, symbol.container, symbol.start_line, 0)
        known = {key_of(base) for base, _ in self._resolver.members.line(item)[1:] if base is not None}
        for written in Kindred(self._resolver).unknown(item) if language == "python" else ():
            value = self._resolver.evaluator.at(place, written)
            of_library = value.outside and not value.things and not value.types
            named = value.things and known.issuperset(map(key_of, value.things.targets))
            if not of_library and not (named and not value.open and not value.things.open):
                return True
        return language == "python" and _SPREAD.search(symbol.signature) is not None

    def _answers_for_more(self, item: Definition) -> bool:
        """Whether a type may pass on what it is asked for to something else."""
        key = key_of(item)
        if key not in self._dynamic:
            member = self._resolver.member
            self._dynamic[key] = any(member(item, word).targets for word in _ANSWERS)
        return self._dynamic[key]
