"""Names that somebody is typing: those that begin so, then those whose words do, then those that hold it in order.

Pure: a list of names is made once for what never changes, and asked with every key.
"""

import re
from array import array
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator
from enum import IntEnum
from functools import cached_property, partial, reduce
from itertools import accumulate, compress, count, islice, tee
from operator import add, and_
from typing import NamedTuple

_LONGEST = 500
"""Nobody types a longer name."""
_MOST_LOOSE = 2_000
"""How many names that only hold the letters are looked at: the shortest."""
_LEAD = re.compile(r"[^A-Za-z0-9]*")
_WORD = re.compile(r"(?<=[^A-Za-z0-9])(?=.)|(?=[A-Z])|(?<=[A-Za-z])(?=[0-9])")


class Likeness(IntEnum):
    """How a name is like what was typed, the best first."""

    SAME = 0
    SAME_LETTERS = 1
    BEGINS = 2
    HUMPS = 3
    HOLDS = 4
    IN_ORDER = 5


_OTHERS = (Likeness.HUMPS, Likeness.HOLDS, Likeness.IN_ORDER)
"""Of names that don't begin so."""


class LikeName(NamedTuple):
    """A name, and how it is like what was typed; the order of these is the order in which they are shown."""

    likeness: Likeness
    size: int
    name: str
    number: int
    """Its place in the list."""


class NameList:
    """Names in the order of their small letters, and for each letter those that hold it: few are looked at."""

    def __init__(self, names: Iterable[str]) -> None:
        self.names = sorted({name for name in names if "\n" not in name}, key=lambda name: (name.casefold(), name))
        self._folded = [name.casefold() for name in self.names]
        self._sizes = array("I", map(len, self.names))

    def like(self, typed: str, enough: int, most: int | None = None) -> list[LikeName]:
        """Names like what was typed, the best first, up to `most`: every one that begins so, and others where those
        are not `enough`."""
        folded = typed.casefold()
        if not folded or "\n" in folded or len(folded) > _LONGEST:
            return []
        beginning = self._beginning(folded)
        found = sorted(self._begun(number, typed) for number in beginning[:most])
        if len(beginning) < enough:
            others = self._others(folded, frozenset(beginning)).items()
            left = None if most is None else most - len(found)
            seen = (self._seen(likeness, number) for likeness, numbers in others for number in numbers)
            found += islice(seen, left)
        return found

    def _begun(self, number: int, typed: str) -> LikeName:
        name = self.names[number]
        same = Likeness.SAME if name == typed else Likeness.SAME_LETTERS
        return self._seen(same if len(name) == len(typed) else Likeness.BEGINS, number)

    def _seen(self, likeness: Likeness, number: int) -> LikeName:
        return LikeName(likeness, self._sizes[number], self.names[number], number)

    def _beginning(self, folded: str) -> list[int]:
        """Names that begin so, the shortest first."""
        first = bisect_left(self._folded, folded)
        last = bisect_left(self._folded, True, first, key=lambda name: not name.startswith(folded))
        return sorted(range(first, last), key=self._sizes.__getitem__)

    def _others(self, folded: str, begin: frozenset[int]) -> dict[Likeness, list[int]]:
        """Names that hold the letters in their order but don't begin so, each kind in its order."""
        found: dict[Likeness, list[int]] = {likeness: [] for likeness in _OTHERS}
        humps = _Humps(folded)
        for number in self._in_order(folded):
            if number not in begin:
                holds = Likeness.HOLDS if folded in self._folded[number] else Likeness.IN_ORDER
                found[Likeness.HUMPS if humps.match(self.names[number]) else holds].append(number)
        return found

    def _in_order(self, folded: str) -> Iterator[int]:
        """Names that hold the letters in their order, the shortest first, up to so many."""
        # Each class leaves out the letter that comes next, so that nothing is ever tried twice.
        match = re.compile("".join(f"[^{re.escape(letter)}]*+{re.escape(letter)}" for letter in folded)).match
        held = reduce(and_, (self._holding.get(letter, 0) for letter in set(folded)))
        gaps = held.to_bytes(len(self.names), "big").split(b"\1")[:-1]
        places, tried = tee(map(add, accumulate(map(len, gaps)), count()))
        numbers, names = self._by_size
        found = compress(places, map(match, map(names.__getitem__, tried)))
        return map(numbers.__getitem__, islice(found, _MOST_LOOSE))

    @cached_property
    def _by_size(self) -> tuple[list[int], list[str]]:
        """The names by their sizes: their numbers, and themselves in small letters."""
        numbers = sorted(range(len(self.names)), key=lambda number: (self._sizes[number], self.names[number]))
        return numbers, [self._folded[number] for number in numbers]

    @cached_property
    def _holding(self) -> dict[str, int]:
        """For each letter a number with a byte for every name, by size: 1 where the name holds it."""
        flags: defaultdict[str, bytearray] = defaultdict(partial(bytearray, len(self.names)))
        for place, name in enumerate(self._by_size[1]):
            for letter in set(name):
                flags[letter][place] = 1
        return {letter: int.from_bytes(each, "big") for letter, each in flags.items()}


class _Humps:
    """Names whose words begin with the letters, one after the other: `QS` and `quSe` for QuerySet.

    All ways to read the letters are followed side by side: one after the other they may be too many to ever end.
    """

    def __init__(self, folded: str) -> None:
        self._first, self._others = folded[0], folded[1:]
        self._may_begin = re.compile(f"[^A-Za-z0-9]*?(?i:{re.escape(self._first)})").match

    def match(self, name: str) -> bool:
        """Whether a name is one of them."""
        if not self._may_begin(name):
            return False
        lead = _LEAD.match(name)
        first = name[: (lead.end() if lead else 0) + 1]
        ends = {at + 1 for at, letter in enumerate(first) if letter.casefold() == self._first}
        if not ends or not self._others:
            return bool(ends)
        letters = [letter.casefold() for letter in name]
        words = [found.start() for found in _WORD.finditer(name)]
        for wanted in self._others:
            if not ends:
                return False
            low = min(ends)
            ends = {
                at + 1 for at in ends.union(at for at in words if at >= low) if at < len(name) and letters[at] == wanted
            }
        return bool(ends)
