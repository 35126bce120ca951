"""Every name that the tree defines, kept for whoever types: one list a segment, since a segment never changes."""

import os
import threading
from array import array
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice, repeat
from typing import NamedTuple

from cairn.lifecycle.nearby import store_around
from cairn.search.spelling import LikeName, Likeness, NameList
from cairn.store.layout import Layout
from cairn.store.offers import definitions_offered, segments_offered
from cairn.store.packed import NamedRows
from cairn.syntax.filekind import is_named_as_test

_TYPES = frozenset(("class", "enum", "interface", "module", "struct", "trait", "type"))
_FUNCTIONS = frozenset(("constructor", "function", "macro", "method"))
_ENOUGH = 24
"""Where so many names begin with what was typed, no others are looked for."""
_FEW = 400
"""Names whose definitions are looked at: the best come first."""
_ALL = 1 << 31
_TEST = 4
"""What a definition in a test weighs, beside its kind: code comes before its tests."""


UnsavedNames = tuple[frozenset[str], Sequence[tuple[str, str, str, str, int]]]
"""Files, and what they define in an editor: path, name, kind, container and line of each."""
NOTHING_UNSAVED: UnsavedNames = frozenset(), ()


class DefinedName(NamedTuple):
    """Where a name is defined."""

    name: str
    kind: str
    container: str
    path: str
    line: int


class _Numbers(dict[str, int]):
    """Texts by their numbers, in the order in which they came."""

    def __missing__(self, text: str) -> int:
        number = self[text] = len(self)
        return number


class _SegmentNames:
    """The definitions of one segment, by their names; numbers stand in for texts, of which each is kept once."""

    def __init__(self, defined: Iterable[tuple[str, NamedRows]]) -> None:
        texts = _Numbers()
        paths, names, kinds, containers, lines = (array("I") for _ in range(5))
        for path, (own, of_kind, within, at) in defined:
            paths.extend(repeat(texts[path], len(own)))
            names.extend(map(texts.__getitem__, own))
            kinds.extend(map(texts.__getitem__, of_kind))
            containers.extend(map(texts.__getitem__, within))
            lines.extend(at)
        self._texts = [*texts]
        self.list = NameList({self._texts[number] for number in set(names)})
        ranks = {texts[name]: rank for rank, name in enumerate(self.list.names)}
        weights = {number: _TEST * _is_test(self._texts[number]) for number in set(paths)}
        kind_weights = {number: _kind_weight(self._texts[number]) for number in set(kinds)}
        ranked = [ranks.get(name, -1) for name in names]
        order = sorted((row for row, rank in enumerate(ranked) if rank >= 0), key=ranked.__getitem__)
        self._rows = [array("I", map(column.__getitem__, order)) for column in (paths, kinds, containers, lines)]
        self._weights = array("B", (weights[paths[row]] + kind_weights[kinds[row]] for row in order))
        self._firsts = array("I", bytes(4 * (len(self.list.names) + 1)))
        for row in order:
            self._firsts[ranked[row] + 1] += 1
        for rank in range(len(self.list.names)):
            self._firsts[rank + 1] += self._firsts[rank]

    def places(self, found: LikeName) -> Iterator[tuple[Likeness, int, int, str, int]]:
        """What orders the definitions of a name among others, and the number of each."""
        for row in range(self._firsts[found.number], self._firsts[found.number + 1]):
            weight = self._weights[row]
            yield found.likeness, weight // _TEST, 3 * found.size + weight % _TEST, found.name, row

    def definition(self, name: str, row: int) -> DefinedName:
        """One of them."""
        path, kind, container = (self._texts[column[row]] for column in self._rows[:3])
        return DefinedName(name, kind, container, path, self._rows[3][row])


class NamesKept:
    """The names of some codebases; from any thread."""

    def __init__(self, home: str) -> None:
        self._home = home
        self._guard = threading.Lock()
        self._segments: dict[str, _SegmentNames] = {}
        self._roots: dict[str, frozenset[str]] = {}

    def like(
        self, root: str, typed: str, most: int, unsaved: UnsavedNames = NOTHING_UNSAVED
    ) -> tuple[str, list[DefinedName]]:
        """The snapshot, and definitions whose names are like what was typed, the best first.

        Of `Owner.mem` it is the members of that owner. Nothing is pinned or verified: whoever shows one of them looks.
        What an editor has not saved stands in the place of what the snapshot has of those files.
        """
        _, layout = store_around(self._home, root)
        offered = segments_offered(layout) if layout is not None else None
        if layout is None or offered is None:
            return "", []
        snapshot, segments = offered
        owner, _, name = typed.replace("::", ".").rpartition(".")
        hidden, defined = unsaved
        lists = [(names, dead | hidden) for names, dead in self._lists(root, layout, segments)]
        if defined:
            typed_now = ((path, ([name], [kind], [within], [line])) for path, name, kind, within, line in defined)
            lists.append((_SegmentNames(typed_now), frozenset()))
        # Among the names of all are those of an owner's members: the best ones may all be others.
        enough, few = (_ENOUGH, _FEW) if not owner else (_ALL, None)
        found = sorted(
            (*place, number)
            for number, (segment, _) in enumerate(lists)
            for like in segment.list.like(name, enough, few)
            for place in segment.places(like)
        )
        definitions = (
            each
            for *_, name, row, number in found
            if (each := lists[number][0].definition(name, row)).path not in lists[number][1] and _is_of(each, owner)
        )
        return snapshot, [*islice(definitions, most)]

    def _lists(
        self, root: str, layout: Layout, segments: dict[str, frozenset[str]]
    ) -> Sequence[tuple[_SegmentNames, frozenset[str]]]:
        with self._guard:
            for segment_id in segments:
                if segment_id not in self._segments:
                    self._segments[segment_id] = _SegmentNames(definitions_offered(layout, segment_id))
            self._roots[root] = frozenset(segments)
            for gone in self._segments.keys() - frozenset().union(*self._roots.values()):
                del self._segments[gone]
            return [(self._segments[segment_id], dead) for segment_id, dead in segments.items()]


def _kind_weight(kind: str) -> int:
    return 0 if kind in _TYPES else 1 if kind in _FUNCTIONS else 2


def _is_test(path: str) -> bool:
    folders = os.path.dirname(path).split("/")
    return is_named_as_test(path) or "tests" in folders or "test" in folders


def _is_of(found: DefinedName, owner: str) -> bool:
    return not owner or found.container.casefold().endswith(owner.casefold())
