"""Every path of the tree, kept for whoever looks for a file: one list a snapshot, since a snapshot never changes."""

import threading
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable
from itertools import islice

from cairn.base.errors import NotIndexedError
from cairn.lifecycle.nearby import store_around
from cairn.search.spelling import Likeness, NameList
from cairn.store.offers import languages_offered, segments_offered

_MOST_KEPT = 16


class SnapshotPaths:
    """The paths of one snapshot."""

    def __init__(self, snapshot: str, found: Iterable[str]) -> None:
        self.snapshot = snapshot
        self.all = tuple(sorted(found))
        self._by_base: dict[str, list[str]] = {}
        for path in sorted(self.all, key=len):
            self._by_base.setdefault(path.rpartition("/")[2], []).append(path)
        self._bases = NameList(self._by_base)
        self._whole = NameList(self.all)

    def like(self, typed: str, most: int) -> list[str]:
        """Paths like what was typed: by their last parts first, then as a whole."""
        found: dict[str, None] = {}
        if "/" not in typed:
            for like in self._bases.like(typed, most):
                found |= dict.fromkeys(self._by_base[like.name])
        if len(found) < most:
            # Letters that only lie somewhere along a path are no reason to show it while anything else is found.
            likes = self._whole.like(typed, most)
            near = (like for like in likes if like.likeness < Likeness.IN_ORDER or not found)
            found |= dict.fromkeys([like.name for like in islice(near, most)])
        return [*islice(found, most)]

    def folder(self, name: str) -> tuple[Counter[str], list[str]]:
        """What a folder holds: folders with how many files are beneath each, and files."""
        start = f"{name}/" if name else ""
        folders: Counter[str] = Counter()
        files = []
        for path in islice(self.all, bisect_left(self.all, start), None):
            if not path.startswith(start):
                break
            ahead, is_deeper, _ = path[len(start) :].partition("/")
            if is_deeper:
                folders[ahead] += 1
            else:
                files.append(ahead)
        return folders, files


class PathsKept:
    """The paths of some codebases; from any thread."""

    def __init__(self, home: str) -> None:
        self._home = home
        self._guard = threading.Lock()
        self._kept: dict[str, SnapshotPaths] = {}

    def of(self, root: str) -> SnapshotPaths:
        """Those of the active snapshot; NotIndexedError where there is none."""
        _, layout = store_around(self._home, root)
        offered = segments_offered(layout) if layout is not None else None
        if layout is None or offered is None:
            raise NotIndexedError(f"{root} is not indexed.")
        with self._guard:
            kept = self._kept.pop(root, None)
            if kept is None or kept.snapshot != offered[0]:
                kept = SnapshotPaths(offered[0], (path for path, _ in languages_offered(layout)))
            self._kept[root] = kept
            for former in [*self._kept][:-_MOST_KEPT]:
                del self._kept[former]
            return kept
