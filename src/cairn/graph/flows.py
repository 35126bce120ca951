"""How values flow in one file, and the chains that say what an expression is.

chain := head step*, or `: TYPE` for a type as written
head  := a name | `""` for a literal
step  := `.name` a member | `()` what calling it gives | `[]` one of its elements
"""

import re
import sys
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Sequence
from functools import cached_property, lru_cache
from itertools import accumulate

from cairn.store import FlowRow
from cairn.syntax.receivers import plain_receiver

LITERAL = '""'
TYPED = ": "
CALL, ELEMENT, MEMBER = "()", "[]", "."
ENTERS = (".__enter__()", ".__aenter__()")
RETURN, YIELD = "return", "yield"
_HEAD = re.compile(r'""|super\(\)|\\|[@$]*[^\W\d][\w$]*')
_STEP = re.compile(
    r"\.(?:__a?enter__|at|find|first|get|getFirst|getLast|getOrDefault|getOrElse|last|next|peek|poll|pop|shift)\(\)"
    r"|\.[@$]*[^\W\d][\w$]*|\(\)|\[\]"
)
Chain = tuple[str, tuple[str, ...]]
"""The head of a chain and its steps."""


@lru_cache(maxsize=20_000)
def parsed(written: str) -> Chain | None:
    """A chain, or a receiver as it is written, in parts; None for what is no chain."""
    plain = plain_receiver(written)
    chain = written if plain == "?" else plain
    head = _HEAD.match(chain)
    if head is None:
        return None
    steps, at = [], head.end()
    while at < len(chain):
        step = _STEP.match(chain, at)
        if step is None:
            return None
        steps.append(step[0])
        at = step.end()
    return head[0], tuple(steps)


_Ordered = tuple[list[tuple[int, int]], list[int], list[int]]
"""Places in order, the numbers of the flows there, and the last line that any so far holds in."""


class FileFlows:
    """The flows of one file, by what gets a value."""

    def __init__(self, rows: Iterable[FlowRow]) -> None:
        self._by_target: dict[str, list[FlowRow]] = {}
        for row in rows:
            self._by_target.setdefault(row.target, []).append(row)
        self._placed: dict[str, dict[tuple[int, int], list[int]]] = {}
        self._ordered: dict[tuple[str, bool], _Ordered] = {}
        self._leaving: dict[str, dict[str, list[FlowRow]]] = {}

    def of(self, target: str) -> Sequence[FlowRow]:
        """What a name or a chain gets, in order of place."""
        return self._by_target.get(target, ())

    def at(self, target: str, places: Collection[tuple[int, int]]) -> list[tuple[int, FlowRow]]:
        """What a name gets at some of its places, in order, each with its number; what a test says of it aside.

        A common name may get a value in each of thousands of functions: only those at the places are looked at.
        """
        placed = self._placed.get(target)
        if placed is None:
            placed = self._placed[target] = {}
            for number, row in enumerate(self.of(target)):
                if not row.end_line:
                    placed.setdefault((row.line, row.column), []).append(number)
        rows = self.of(target)
        return [(number, rows[number]) for number in sorted(n for at in places if at in placed for n in placed[at])]

    def before(self, target: str, place: tuple[int, int]) -> int:
        """The number of the last value that a name gets before a place; -1 where there is none."""
        keys, numbers, _ = self._in_order(target, tests=False)
        at = bisect_left(keys, place)
        return numbers[at - 1] if at else -1

    def narrowing(self, word: str, place: tuple[int, int]) -> int:
        """The number of the last test before a place that says what a word is in its line; -1 where there is none."""
        keys, numbers, reaching = self._in_order(word, tests=True)
        at, rows = bisect_right(keys, place), self.of(word)
        while at and reaching[at - 1] >= place[0]:
            at -= 1
            if rows[numbers[at]].end_line >= place[0]:
                return numbers[at]
        return -1

    def narrows(self, word: str, line: int) -> bool:
        """Whether a test may say what a word is in a line."""
        return self.narrowing(word, (line, sys.maxsize)) >= 0

    def _in_order(self, target: str, *, tests: bool) -> "_Ordered":
        """Either the values that a name gets or the tests of what it is."""
        found = self._ordered.get((target, tests))
        if found is None:
            rows = self.of(target)
            numbers = [number for number, row in enumerate(rows) if bool(row.end_line) is tests]
            keys = [(rows[number].line, rows[number].column) for number in numbers]
            reaching = [*accumulate((rows[number].end_line for number in numbers), max)]
            found = self._ordered[target, tests] = (keys, numbers, reaching)
        return found

    @cached_property
    def _of_members(self) -> dict[str, list[tuple[str, FlowRow]]]:
        found: dict[str, list[tuple[str, FlowRow]]] = {}
        for target, rows in self._by_target.items():
            owner, dot, name = target.rpartition(".")
            if not dot and target.startswith("@"):
                owner, name = "@", target.lstrip("@")
            if owner:
                found.setdefault(name, []).extend((owner, row) for row in rows)
        return found

    def of_member(self, name: str) -> Sequence[tuple[str, FlowRow]]:
        """(what it is a member of, flow) of every write to a member of a name."""
        return self._of_members.get(name, ())

    @cached_property
    def _by_value(self) -> dict[str, list[FlowRow]]:
        found: dict[str, list[FlowRow]] = {}
        for rows in self._by_target.values():
            for row in rows:
                if not row.end_line:
                    found.setdefault(row.value.removesuffix(CALL).rpartition(MEMBER)[2], []).append(row)
        return found

    def holding(self, name: str) -> Sequence[FlowRow]:
        """What gives on the thing of a name, or what calling that gives."""
        return self._by_value.get(name, ())

    def leaving(self, within: str, first: int, last: int, kind: str = RETURN) -> list[FlowRow]:
        """What a function returns, or yields."""
        found = self._leaving.get(kind)
        if found is None:
            found = self._leaving[kind] = {}
            for row in self.of(kind):
                found.setdefault(row.within, []).append(row)
        return [row for row in found.get(within, ()) if first <= row.line <= last]
