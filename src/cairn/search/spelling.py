"""Names that somebody is typing: those that begin so, then those whose words do, then those that hold it in order.

Pure: a list of names is made once for what never changes, and asked with every key.
"""

import re
from array import array
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from enum import IntEnum
from typing import NamedTuple

_MOST_LOOSE = 5_000
"""How many names that only hold the letters are looked at."""


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
        if not folded or "\n" in folded:
            return []
        found = {number: self._seen(number, typed, Likeness.BEGINS) for number in self._beginning(folded)}
        if len(found) < most:
            humps = _humps(folded)
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
        steps = (f"[^\n{re.escape(letter)}]*{re.escape(letter)}" for letter in folded)
        for count, found in enumerate(re.finditer("\n" + "".join(steps), self._text)):
            if count >= _MOST_LOOSE:
                return
            yield bisect_right(self._starts, found.start()) - 1


def _humps(folded: str) -> re.Pattern[str]:
    """Matches names whose words begin with the letters, one after the other: `QS` and `quSe` for QuerySet."""
    first, *others = (f"(?i:{re.escape(letter)})" for letter in folded)
    skip = r"(?:|.*?(?:[^A-Za-z0-9]|(?=[A-Z])|(?<=[A-Za-z])(?=[0-9])))"
    return re.compile(r"(?:[^A-Za-z0-9]*)" + first + "".join(skip + each for each in others))
