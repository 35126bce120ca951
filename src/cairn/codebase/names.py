"""Every name that the tree defines, kept for whoever types: one list a segment, since a segment never changes."""

import contextlib
import os
import threading
import time
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, islice, pairwise
from operator import add, itemgetter
from typing import NamedTuple

from cairn.base.columns import DAMAGE, Columns, join_columns, split_columns
from cairn.lifecycle.nearby import store_around
from cairn.search.spelling import LikeName, Likeness, NameList
from cairn.store.keptnames import keep_names, kept_names
from cairn.store.layout import Layout
from cairn.store.offers import definitions_offered, segments_offered
from cairn.store.packed import NamedRows
from cairn.store.recovery import read_pointer
from cairn.syntax.filekind import is_named_as_test

_TYPES = frozenset(("class", "enum", "interface", "module", "struct", "trait", "type"))
_FUNCTIONS = frozenset(("constructor", "function", "macro", "method"))
_ENOUGH = 24
"""Where so many names begin with what was typed, no others are looked for."""
_FEW = 400
"""Names whose definitions are looked at: the best come first."""
_ALL = 1 << 31
_SHAPE = 4, 1
"""How many columns of texts and of numbers definitions have."""
_WORTH_KEEPING = 1 << 16
_LOOK_S = 1.0
"""How long the place of an index stands."""
_TEST = 4
"""What a definition in a test weighs, beside its kind: code comes before its tests."""


UnsavedNames = tuple[frozenset[str], Sequence[tuple[str, str, str, str, int]]]
"""Files, and what they define in an editor: path, name, kind, container and line of each."""
NOTHING_UNSAVED: UnsavedNames = frozenset(), ()
Offered = tuple[str, dict[str, frozenset[str]]]
"""A snapshot, and the paths that are hidden in each of its segments."""


class DefinedName(NamedTuple):
    """Where a name is defined."""

    name: str
    kind: str
    container: str
    path: str
    line: int


class _SegmentNames:
    """The definitions of one segment, by their names; numbers stand in for texts, of which each is kept once."""

    def __init__(self, columns: Columns) -> None:
        """From columns as `_joined` makes them; one of DAMAGE for others."""
        self._texts = columns.strings
        names, *self._rows = (*columns.places, *columns.numbers)
        starts = [row for row, (one, next_one) in enumerate(pairwise(chain((-1,), names))) if one != next_one]
        self._firsts = array("I", (*starts, len(names)))
        self.list = NameList(self._texts[names[row]] for row in starts)
        if len(self.list.names) != len(starts):
            raise ValueError("names that are not in order")
        paths, kinds = self._rows[:2]
        weights = {number: _TEST * _is_test(self._texts[number]) for number in set(paths)}
        kind_weights = {number: _kind_weight(self._texts[number]) for number in set(kinds)}
        self._weights = array("B", map(add, map(weights.__getitem__, paths), map(kind_weights.__getitem__, kinds)))

    @classmethod
    def of(cls, defined: Iterable[tuple[str, NamedRows]]) -> "_SegmentNames":
        """From what the files of a segment define."""
        return cls(split_columns(_joined(defined), *_SHAPE))

    def places(self, found: LikeName) -> Iterator[tuple[Likeness, int, int, str, int]]:
        """What orders the definitions of a name among others, and the number of each."""
        for row in range(self._firsts[found.number], self._firsts[found.number + 1]):
            weight = self._weights[row]
            yield found.likeness, weight // _TEST, 3 * found.size + weight % _TEST, found.name, row

    def definition(self, name: str, row: int) -> DefinedName:
        """One of them."""
        path, kind, container = (self._texts[column[row]] for column in self._rows[:3])
        return DefinedName(name, kind, container, path, self._rows[3][row])


def _joined(defined: Iterable[tuple[str, NamedRows]]) -> bytes:
    """Names, paths, kinds, containers and lines of definitions as columns, by their names in the order of a list."""
    rows = [
        (name.casefold(), name, path, kind, container, line)
        for path, of_file in defined
        for name, kind, container, line in zip(*of_file, strict=True)
        if "\n" not in name
    ]
    rows.sort(key=itemgetter(0, 1))
    _, names, paths, kinds, containers, lines = zip(*rows, strict=True) if rows else ((),) * 6
    return join_columns((names, paths, kinds, containers), (lines,))


def _read(layout: Layout, segment_id: str) -> _SegmentNames:
    """The names of a segment: as they were put together before, where that was kept, since it takes time."""
    if (kept := kept_names(layout, segment_id)) is not None:
        with contextlib.suppress(*DAMAGE):
            return _SegmentNames(split_columns(kept, *_SHAPE))
    joined = _joined(definitions_offered(layout, segment_id))
    if len(joined) >= _WORTH_KEEPING:
        keep_names(layout, segment_id, joined)
    return _SegmentNames(split_columns(joined, *_SHAPE))


class NamesKept:
    """The names of some codebases; from any thread."""

    def __init__(self, home: str) -> None:
        self._home = home
        self._guard = threading.Lock()
        self._segments: dict[str, _SegmentNames] = {}
        self._roots: dict[str, frozenset[str]] = {}
        self._layouts: dict[str, tuple[float, Layout | None]] = {}
        self._snapshots: dict[str, Offered | None] = {}

    def like(
        self, root: str, typed: str, most: int, unsaved: Callable[[str], UnsavedNames] = lambda _: NOTHING_UNSAVED
    ) -> tuple[str, list[DefinedName]]:
        """The snapshot, and definitions whose names are like what was typed, the best first.

        Of `Owner.mem` it is the members of that owner. Nothing is pinned or verified: whoever shows one of them looks.
        What an editor has not `unsaved` over a snapshot stands in the place of what that has of those files.
        """
        layout = self._layout(root)
        offered = None if layout is None else self._offered(root, layout)
        if layout is None or offered is None:
            return "", []
        snapshot, segments = offered
        owner, _, name = typed.replace("::", ".").rpartition(".")
        hidden, defined = unsaved(snapshot)
        lists = [(names, dead | hidden) for names, dead in self._lists(root, layout, segments)]
        if defined:
            typed_now = ((path, ([name], [kind], [within], [line])) for path, name, kind, within, line in defined)
            lists.append((_SegmentNames.of(typed_now), frozenset()))
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

    def _layout(self, root: str) -> Layout | None:
        """Where the index of a root lies. With every key the same one is asked for, so it is looked up now and then."""
        looked, layout = self._layouts.get(root, (0.0, None))
        if layout is None or time.monotonic() - looked > _LOOK_S:
            _, layout = store_around(self._home, root)
            self._layouts[root] = time.monotonic(), layout
        return layout

    def _offered(self, root: str, layout: Layout) -> Offered | None:
        """The snapshot and its segments, which never change."""
        known = self._snapshots.get(root)
        if known is None or known[0] != read_pointer(layout):
            known = self._snapshots[root] = segments_offered(layout)
        return known

    def _lists(
        self, root: str, layout: Layout, segments: dict[str, frozenset[str]]
    ) -> Sequence[tuple[_SegmentNames, frozenset[str]]]:
        with self._guard:
            for segment_id in segments:
                if segment_id not in self._segments:
                    self._segments[segment_id] = _read(layout, segment_id)
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
