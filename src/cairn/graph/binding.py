"""What words are tied to, as seen from places: the rows that segments keep of them, and the flows that decide."""

from bisect import bisect_left, bisect_right
from typing import NamedTuple

from cairn.graph.places import PARAMETER, VARIABLE
from cairn.graph.symbols import Definition
from cairn.graph.world import World
from cairn.languages.registry import record_of
from cairn.store import NamePlace
from cairn.syntax.blocks import AGAIN, TIE_MASK, TIE_SHIFT, TIES


class ChainPlace(NamedTuple):
    """Where a chain stands."""

    path: str
    within: str
    line: int
    column: int
    behind: bool = False
    """Whether its head stands behind the place, as the value of what is written there does."""
    selves: tuple[Definition, ...] = ()
    """What the word for a member's value stands for, where it is known better than by what is around it."""


class WordBinding(NamedTuple):
    """What a word is tied to at its place."""

    kind: str
    function: str = ""
    bound: int = 0
    again: bool = False
    flow: int = -1
    """The last flow before the place, where a later one hides those before it, or one that narrows it there."""


class WordBindings:
    """The words of one world; what was read is kept."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._rows: dict[tuple[str, str], tuple[list[tuple[int, int]], list[NamePlace]]] = {}

    def places(self, path: str, word: str) -> list[NamePlace]:
        """The places of a bare word in a file, in order."""
        return self._rows_of(path, word)[1]

    def at(self, place: ChainPlace, word: str) -> WordBinding:
        """What a word is tied to, as seen from a place."""
        keys, rows = self._rows_of(place.path, word.lstrip("$"))
        if not rows:
            return WordBinding("")
        here = (place.line, place.column)
        at = bisect_left(keys, here) if place.behind else bisect_right(keys, here) - 1
        row = rows[min(max(at, 0), len(rows) - 1)]
        if place.behind and row.within != place.within and at > 0:
            row = rows[at - 1]
        kind = TIES[row.what >> TIE_SHIFT & TIE_MASK]
        flow = -1
        if kind in (VARIABLE, PARAMETER):
            flow = self._flow_before(place, word, kind)
        return WordBinding(kind, row.function, row.bound, bool(row.what & AGAIN), flow)

    def _flow_before(self, place: ChainPlace, word: str, kind: str) -> int:
        """The flow that decides what a word is at a place: one that narrows it there, or the last before."""
        flows = self._world.flows(place.path).of(word)
        last = -1
        hides = not is_hoisted(self._world.scope(place.path).language)
        narrowed = -1
        for number, flow in enumerate(flows):
            if flow.end_line:
                if (flow.line, flow.column) <= (place.line, place.column) and place.line <= flow.end_line:
                    narrowed = number
            elif hides and (flow.line, flow.column) < (place.line, place.column):
                last = number
        return narrowed if narrowed >= 0 else last

    def _rows_of(self, path: str, word: str) -> tuple[list[tuple[int, int]], list[NamePlace]]:
        """The places of a bare word in a file, in order."""
        found = self._rows.get((path, word))
        if found is None:
            rows = [row for row in self._world.rows(path, word) if row.what >> TIE_SHIFT & TIE_MASK]
            found = self._rows[path, word] = ([(row.line, row.column) for row in rows], rows)
        return found


def is_hoisted(language: str) -> bool:
    """Whether a variable means the same in all of its scope, and no type of its own keeps it to one."""
    scoping = record_of(language).scoping
    return scoping is None or scoping.hoisted
