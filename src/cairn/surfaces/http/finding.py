"""What somebody looks for a file or a symbol with: the tree by folders, and paths and names as they are typed.

Lists are kept by snapshot, for a key press to be answered at once.
"""

import os
import threading
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable
from itertools import islice
from typing import TypedDict

from cairn.base.errors import NotIndexedError, UsageError
from cairn.base.values import dataclass
from cairn.codebase.names import NamesKept
from cairn.daemon.syncs import DaemonState
from cairn.lifecycle.nearby import store_around
from cairn.search.spelling import Likeness, NameList
from cairn.store.offers import languages_offered, segments_offered

SCHEMA_VERSION = 1
_MOST_KEPT = 16


class _Name(TypedDict):
    name: str
    kind: str
    container: str
    path: str
    line: int


class Names(TypedDict):
    schema_version: int
    root: str
    snapshot_id: str | None
    results: list[_Name]


class Paths(TypedDict):
    schema_version: int
    root: str
    snapshot_id: str | None
    total: int
    results: list[str]


class _Entry(TypedDict):
    name: str
    files: int
    is_folder: bool


class Tree(TypedDict):
    schema_version: int
    root: str
    snapshot_id: str | None
    folder: str
    entries: list[_Entry]


@dataclass(frozen=True, slots=True)
class _Kept:
    snapshot: str
    paths: tuple[str, ...]
    bases: NameList
    whole: NameList
    by_base: dict[str, list[str]]


class Finder:
    """Names and paths of codebases, kept for whoever types; from any thread."""

    def __init__(self, home: str) -> None:
        self._home = home
        self._names = NamesKept(home)
        self._guard = threading.Lock()
        self._kept: dict[str, _Kept] = {}

    def names(self, house: DaemonState, root: str, typed: str, most: int) -> Names:
        """Definitions whose names are like what was typed, the best first."""
        place = _root_of(house, root)
        snapshot, found = self._names.like(place, typed, most)
        results: list[_Name] = [
            {"name": each.name, "kind": each.kind, "container": each.container, "path": each.path, "line": each.line}
            for each in found
        ]
        return {"schema_version": SCHEMA_VERSION, "root": place, "snapshot_id": snapshot or None, "results": results}

    def paths(self, house: DaemonState, root: str, typed: str, most: int) -> Paths:
        """Paths like what was typed: by their last parts first, then as a whole."""
        place = _root_of(house, root)
        kept = self._of(place)
        found: dict[str, None] = {}
        if "/" not in typed:
            for like in kept.bases.like(typed, most):
                found |= dict.fromkeys(kept.by_base[like.name])
        if len(found) < most:
            # Letters that only lie somewhere along a path are no reason to show it while anything else is found.
            likes = kept.whole.like(typed, most)
            near = [like for like in likes if like.likeness < Likeness.IN_ORDER or not found]
            found |= dict.fromkeys(like.name for like in islice(near, most))
        return {
            "schema_version": SCHEMA_VERSION,
            "root": place,
            "snapshot_id": kept.snapshot,
            "total": len(kept.paths),
            "results": [*islice(found, most)],
        }

    def tree(self, house: DaemonState, root: str, folder: str) -> Tree:
        """What one folder of the snapshot holds: folders first, with how many files are beneath each."""
        place = _root_of(house, root)
        kept = self._of(place)
        start = f"{folder.strip('/')}/" if folder.strip("/") else ""
        folders: Counter[str] = Counter()
        files = []
        for path in islice(kept.paths, bisect_left(kept.paths, start), None):
            if not path.startswith(start):
                break
            name, is_deeper, _ = path[len(start) :].partition("/")
            if is_deeper:
                folders[name] += 1
            else:
                files.append(name)
        entries: list[_Entry] = [
            *(_Entry(name=name, files=folders[name], is_folder=True) for name in _sorted(folders)),
            *(_Entry(name=name, files=1, is_folder=False) for name in _sorted(files)),
        ]
        if not entries and start:
            raise UsageError(f"The snapshot has no folder {folder}.", hint="Ask for one that `/v1/tree` lists.")
        return {
            "schema_version": SCHEMA_VERSION,
            "root": place,
            "snapshot_id": kept.snapshot,
            "folder": start.rstrip("/"),
            "entries": entries,
        }

    def _of(self, root: str) -> _Kept:
        _, layout = store_around(self._home, root)
        offered = segments_offered(layout) if layout is not None else None
        if layout is None or offered is None:
            raise NotIndexedError(f"{root} is not indexed.")
        with self._guard:
            kept = self._kept.pop(root, None)
            if kept is None or kept.snapshot != offered[0]:
                kept = _kept(offered[0], (path for path, _ in languages_offered(layout)))
            self._kept[root] = kept
            for former in [*self._kept][:-_MOST_KEPT]:
                del self._kept[former]
            return kept


def _kept(snapshot: str, found: Iterable[str]) -> _Kept:
    paths = tuple(sorted(found))
    by_base: dict[str, list[str]] = {}
    for path in sorted(paths, key=len):
        by_base.setdefault(path.rpartition("/")[2], []).append(path)
    return _Kept(snapshot, paths, NameList(by_base), NameList(paths), by_base)


def _sorted(names: Iterable[str]) -> list[str]:
    return sorted(names, key=lambda name: (name.casefold(), name))


def _root_of(house: DaemonState, path: str) -> str:
    """The codebase that holds a path."""
    real = os.path.realpath(path) if "\0" not in path else path
    holding = [row.root for row in house.registry.all() if f"{real}/".startswith(f"{row.root.rstrip('/')}/")]
    if not holding:
        raise NotIndexedError(f"{path} is not indexed.")
    return max(holding, key=len)
