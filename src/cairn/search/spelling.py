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
from itertools import islice
from operator import and_
from typing import NamedTuple

_LONGEST = 500
"""Nobody types a longer name."""
_MOST_LOOSE = 2_000
"""How many names that only hold the letters are looked at: the shortest."""
_SET = re.compile(b"\1")
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
        found = [self._seen(number, typed, Likeness.BEGINS) for number in beginning[:most]]
        if len(beginning) < enough:
            humps = _Humps(folded)
            for number in self._in_order(folded):
                if not self._folded[number].startswith(folded):
                    likeness = (
                        Likeness.HUMPS
                        if humps.match(self.names[number])
                        else Likeness.HOLDS
                        if folded in self._folded[number]
                        else Likeness.IN_ORDER
                    )
                    found.append(self._seen(number, typed, likeness))
        return sorted(found)[:most]

    def _seen(self, number: int, typed: str, likeness: Likeness) -> LikeName:
        name = self.names[number]
        if name == typed:
            likeness = Likeness.SAME
        elif likeness is Likeness.BEGINS and len(name) == len(typed):
            likeness = Likeness.SAME_LETTERS
        return LikeName(likeness, len(name), name, number)

    def _beginning(self, folded: str) -> list[int]:
        """Names that begin so, the shortest first."""
        first = bisect_left(self._folded, folded)
        last = bisect_left(self._folded, True, first, key=lambda name: not name.startswith(folded))
        return sorted(range(first, last), key=self._sizes.__getitem__)

    def _in_order(self, folded: str) -> Iterator[int]:
        """Names that hold the letters in their order, the shortest first, up to so many."""
        # Each class leaves out the letter that comes next, so that nothing is ever tried twice.
        match = re.compile("".join(f"[^{re.escape(letter)}]*+{re.escape(letter)}" for letter in folded)).match
        held = reduce(and_, (self._holding.get(letter, 0) for letter in set(folded)))
        numbers = (self._by_size[at.start()] for at in _SET.finditer(held.to_bytes(len(self.names), "big")))
        return islice((number for number in numbers if match(self._folded[number])), _MOST_LOOSE)

    @cached_property
    def _by_size(self) -> list[int]:
        return sorted(range(len(self.names)), key=self._sizes.__getitem__)

    @cached_property
    def _holding(self) -> dict[str, int]:
        """For each letter a number with a byte for every name, by size: 1 where the name holds it."""
        flags: defaultdict[str, bytearray] = defaultdict(partial(bytearray, len(self.names)))
        for place, number in enumerate(self._by_size):
            for letter in set(self._folded[number]):
                flags[letter][place] = 1
        return {letter: int.from_bytes(each, "big") for letter, each in flags.items()}


class _Humps:
    """Names whose words begin with the letters, one after the other: `QS` and `quSe` for QuerySet.

    All ways to read the letters are followed side by side: one after the other they may be too many to ever end.
    """

    def __init__(self, folded: str) -> None:
        self._first, self._others = folded[0], folded[1:]

    def match(self, name: str) -> bool:
        """Whether a name is one of them."""
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
