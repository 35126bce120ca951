"""Names that somebody is typing: those that begin so, then those whose words do, then those that hold it in order.

Pure: a list of names is made once for what never changes, and asked with every key.
"""

import re
from array import array
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from enum import IntEnum
from typing import NamedTuple

_LONGEST = 500
"""Nobody types a longer name."""
_MOST_LOOSE = 5_000
"""How many names that only hold the letters are looked at."""


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
    """Names in the order of their small letters, in one text: so that looking through all of them is one search."""

    def __init__(self, names: Iterable[str]) -> None:
        self.names = sorted({name for name in names if "\n" not in name}, key=lambda name: (name.casefold(), name))
        folded = [name.casefold() for name in self.names]
        self._text = "\n".join(("", *folded, ""))
        self._starts = array("I")
        at = 0
        for each in folded:
            self._starts.append(at)
            at += len(each) + 1

    def like(self, typed: str, most: int) -> list[LikeName]:
        """Names like what was typed, the best first; at least so many where there are, and every one that begins so."""
        folded = typed.casefold()
        if not folded or "\n" in folded or len(folded) > _LONGEST:
            return []
        found = {number: self._seen(number, typed, Likeness.BEGINS) for number in self._beginning(folded)}
        if len(found) < most:
            humps = _Humps(folded)
            for number in self._in_order(folded):
                if number not in found:
                    name = self.names[number]
                    likeness = (
                        Likeness.HUMPS
                        if humps.match(name)
                        else Likeness.HOLDS
                        if folded in name.casefold()
                        else Likeness.IN_ORDER
                    )
                    found[number] = self._seen(number, typed, likeness)
        return sorted(found.values())

    def _seen(self, number: int, typed: str, likeness: Likeness) -> LikeName:
        name = self.names[number]
        if name == typed:
            likeness = Likeness.SAME
        elif likeness is Likeness.BEGINS and len(name) == len(typed):
            likeness = Likeness.SAME_LETTERS
        return LikeName(likeness, len(name), name, number)

    def _beginning(self, folded: str) -> Iterator[int]:
        at = self._text.find("\n" + folded)
        number = bisect_right(self._starts, at) - 1 if at >= 0 else len(self.names)
        while number < len(self.names) and self._text.startswith(folded, self._starts[number] + 1):
            yield number
            number += 1

    def _in_order(self, folded: str) -> Iterator[int]:
        """Names that hold the letters in their order."""
        # Each class leaves out the letter that comes next, so that nothing is ever tried twice.
        steps = (f"[^\n{re.escape(letter)}]*+{re.escape(letter)}" for letter in folded)
        for count, found in enumerate(re.finditer("\n" + "".join(steps), self._text)):
            if count >= _MOST_LOOSE:
                return
            yield bisect_right(self._starts, found.start()) - 1


class _Humps:
    """Names whose words begin with the letters, one after the other: `QS` and `quSe` for QuerySet.

    All ways to read the letters are followed side by side: one after the other they may be too many to ever end.
    """

    def __init__(self, folded: str) -> None:
        self._first, self._others = folded[0], folded[1:]

    def match(self, name: str) -> bool:
        """Whether a name is one of them."""
        letters = [letter.casefold() for letter in name]
        words = [found.start() for found in _WORD.finditer(name)]
        lead = _LEAD.match(name)
        first = range(min(lead.end() if lead else 0, len(name) - 1) + 1)
        ends = {at + 1 for at in first if letters[at] == self._first}
        for wanted in self._others:
            if not ends:
                return False
            low = min(ends)
            ends = {
                at + 1 for at in ends.union(at for at in words if at >= low) if at < len(name) and letters[at] == wanted
            }
        return bool(ends)
