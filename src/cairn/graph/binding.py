"""What words are tied to, as seen from places: the rows that segments keep of them, and the flows that decide."""

from bisect import bisect_left, bisect_right
from typing import NamedTuple

from cairn.graph.customs import customs_of, hides_alike
from cairn.graph.flows import TYPED
from cairn.graph.lines import caught
from cairn.graph.places import PARAMETER, VARIABLE, NamedPlace
from cairn.graph.scopes import FileScope
from cairn.graph.symbols import Definition
from cairn.graph.world import World
from cairn.languages.registry import record_of
from cairn.store import NamePlace
from cairn.syntax.blocks import AGAIN, LOCAL, ROLE_MASK, ROLES, TIE_MASK, TIE_SHIFT, TIES
from cairn.syntax.uses import scoped_language

_SETS = ("definition", "write")


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
        self._bound: dict[tuple[str, str], dict[int, list[NamePlace]]] = {}

    def places(self, path: str, word: str) -> list[NamePlace]:
        """The places of a bare word in a file, in order."""
        return self._rows_of(path, word)[1]

    def bound(self, path: str, word: str, scope: int) -> list[NamePlace]:
        """The places of a word that one scope binds, with the last that no scope does before them, in this order."""
        known = self._bound.get((path, word))
        if known is None:
            known = self._bound[path, word] = {}
            for row in self.places(path, word):
                if row.bound or row.what & LOCAL:
                    known.setdefault(row.bound, []).append(row)
        own = known.get(scope, [])
        # What a clause declares is bound by no scope where it is declared; its body reads it first. What is set first
        # is declared by the scope itself.
        heads = known.get(0, []) if own and ROLES[own[0].what & ROLE_MASK] not in _SETS else []
        last = bisect_left(heads, own[0][1:3], key=lambda row: row[1:3]) if heads else 0
        return [*own, *(row for row in heads[max(last - 1, 0) : last] if row.within == own[0].within)]

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

    def alone_tell(self, scope: FileScope, use: NamedPlace, receiver: str, column: int) -> bool:
        """Whether nothing but the value of a local tells what a name means: no head around it has to be read."""
        if not receiver or not hides_alike(scope.language) or scope.repeats(use.within):
            return False
        word, words = receiver.partition(".")[0], customs_of(scope.language)
        if word in words.selves or word in words.parents or not scoped_language(scope.language):
            return False
        # What stands last before the place, in its line, is the head of the chain.
        keys, rows = self._rows_of(scope.path, word.lstrip("$"))
        at = bisect_right(keys, (use.line, column)) - 1
        return at >= 0 and rows[at].line == use.line and TIES[rows[at].what >> TIE_SHIFT & TIE_MASK] == VARIABLE

    def _flow_before(self, place: ChainPlace, word: str, kind: str) -> int:
        """The flow that decides what a word is at a place: one that narrows it there, or the last before."""
        flows, here = self._world.flows(place.path), (place.line, place.column)
        narrowed = flows.narrowing(word, here)
        language = self._world.scope(place.path).language
        if narrowed < 0 and kind == VARIABLE and language == "python":
            typed = any(flow.value.startswith(TYPED) for flow in flows.of(word))
            return caught(self._world.lines(place.path), flows.of(word), word, place.line) if typed else narrowed
        if narrowed >= 0 or is_hoisted(language):
            return narrowed
        return flows.before(word, here)

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
