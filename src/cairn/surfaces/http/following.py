"""The files that pages show: whether one has another content now, or is gone.

They are looked at, not watched: a look at a file whose stamp is as it was costs microseconds, and the kernel has only
so many watches. All streams share one look, however many tabs show a file. Whether a file may be read is asked by the
one rule whenever its content is another, before anything is told of it.
"""

import asyncio
import contextlib
import os
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from cairn.base.errors import CairnError, RefusedError, UsageError
from cairn.daemon.syncs import DaemonState
from cairn.questions.parameters import Parameter
from cairn.workspace.beneath import Beneath
from cairn.workspace.livefiles import FileStates

MOST_FILES = 64
"""That one stream may name."""
SHOWN = (
    Parameter("files", "strings", "a file to tell of, from its root on; as often as there are files", http="file"),
    Parameter("roots", "strings", "the codebase of each of the files, in their order", http="root"),
)
_FRESH_S = 0.25
Shown = tuple[str, str]
"""A root, and a path from it."""
Row = dict[str, Any]


class FileSight:
    """What is seen of the files that somebody shows."""

    def __init__(self, state: Callable[[str, str], Row]) -> None:
        self._state = state
        self._guard = asyncio.Lock()
        self._wanted: Counter[Shown] = Counter()
        self._hashes: dict[Shown, str | None] = {}
        self._seen: dict[Shown, Row] = {}
        self._trees: dict[str, tuple[Beneath, FileStates]] = {}
        self._at = float("-inf")

    @contextlib.contextmanager
    def following(self, files: Iterable[Shown]) -> Iterator[None]:
        """Look at some files for the time of the `with` block."""
        wanted = Counter(set(files))
        self._wanted += wanted
        # Whoever is new is told at once.
        self._at = float("-inf")
        try:
            yield
        finally:
            self._wanted -= wanted

    async def now(self) -> dict[Shown, Row]:
        """The state of every file that is looked at."""
        async with self._guard:
            if time.monotonic() - self._at >= _FRESH_S:
                self._seen = await asyncio.to_thread(self._look, tuple(self._wanted)) if self._wanted else {}
                self._hashes = {each: self._hashes[each] for each in self._seen}
                self._at = time.monotonic()
            return self._seen

    def _look(self, files: Sequence[Shown]) -> dict[Shown, Row]:
        roots = {root for root, _ in files}
        for root in self._trees.keys() - roots:
            self._trees.pop(root)[0].close()
        return {each: self._row(each) for each in files}

    def _row(self, shown: Shown) -> Row:
        found = self._hash(shown)
        if shown not in self._seen or found != self._hashes.get(shown):
            self._hashes[shown] = found
            return self._state(*shown)
        return self._seen[shown]

    def _hash(self, shown: Shown) -> str | None:
        root, path = shown
        try:
            # A folder that was put in the place of the root is another tree.
            if root in self._trees and not self._trees[root][0].is_in_place():
                self._trees.pop(root)[0].close()
            if root not in self._trees:
                self._trees[root] = Beneath(root), FileStates()
        except (OSError, CairnError):
            return None
        tree, states = self._trees[root]
        return states.of(tree, (path,))[path]


def shown_files(roots: Sequence[str], paths: Sequence[str]) -> tuple[Shown, ...]:
    """Pairs of what a stream names, in order; UsageError where they don't go together."""
    if len(roots) != len(paths):
        raise UsageError("Each file has its root: root=ROOT&file=PATH, as often as there are files.")
    if len(paths) > MOST_FILES:
        raise UsageError(f"A stream tells of {MOST_FILES} files at most.", hint="Open another one for the rest.")
    return tuple(zip(roots, paths, strict=True))


def state_of(house: DaemonState, root: str, path: str) -> Row:
    """A file as it is now: its version, that it is gone, or that it may not be read."""
    row: Row = {"root": root, "path": path, "present": False, "version": None, "refused": False}
    try:
        with house.pool.using(root) as codebase:
            found = codebase.source(os.path.join(codebase.root_path, path))
    except RefusedError:
        return row | {"refused": True}
    except (CairnError, OSError):
        return row
    return row | {"present": True, "version": found.source.file_hash}
