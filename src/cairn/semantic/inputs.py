"""The files of a context before and after a run: facts are only imported for files that didn't change meanwhile.

A tool reads files whenever it likes during its run. Only a file whose content and stamp are the same before and after
had that content all the while; a change back and forth leaves another stamp.
"""

import time
from collections.abc import Callable, Collection, Mapping
from typing import NamedTuple, Self

from cairn.base.errors import CairnError
from cairn.semantic.ambiguity import flags_in
from cairn.semantic.importing import ImportSource
from cairn.semantic.state import FileNow
from cairn.store import OccurrenceRow, SemanticFlag
from cairn.syntax import language_of
from cairn.workspace.beneath import Beneath
from cairn.workspace.livefiles import read_now
from cairn.workspace.reads import FileRead, Stamp
from cairn.workspace.stamps import COARSE_TICK_NS, FINE_TICK_NS


class _Before(NamedTuple):
    stamp: Stamp
    content_hash: str
    shown: str
    """What is recorded of it with others, if the snapshot has this very content."""


Syntax = Callable[[str, str], tuple[Collection[OccurrenceRow], str]]
"""The calls of a file by syntax and its frame, if it has a certain content hash."""


class Inputs:
    """The files that a tool may read; their texts are read on demand, and not kept."""

    def __init__(
        self,
        tree: Beneath,
        members: Collection[str],
        before: Mapping[str, _Before | None],
        indexed: Collection[str] = (),
        since_ns: int = 0,
    ) -> None:
        self._tree = tree
        self.members = frozenset(members)
        self._before = before
        self._indexed = frozenset(indexed)
        self._since_ns = since_ns
        self._flags: dict[str, tuple[SemanticFlag, ...]] = {}
        self.syntax: Syntax = lambda _path, _hash: ((), "")
        self.changed: set[str] = set()
        """Members that were asked for and are not what they were before the run."""

    @classmethod
    def taken(
        cls, tree: Beneath, members: Collection[str], shows: Mapping[str, FileNow], indexed: Collection[str] = ()
    ) -> Self:
        """Files as they are now; `shows` is what the snapshot has of the members, and of others that they may need.

        `indexed` are all files of the snapshot.
        """
        since_ns = time.time_ns() - COARSE_TICK_NS
        return cls(tree, members, {path: _taken(tree, path, shown) for path, shown in shows.items()}, indexed, since_ns)

    def __contains__(self, path: str) -> bool:
        return path in self.members

    def changed_at(self, path: str) -> float:
        """When a file last changed, before the run: seconds since 1970."""
        before = self._before[path]
        # A file that could not be read counts as being written.
        return max(before.stamp[:2]) / 1e9 if before is not None else time.time()

    def source(self, path: str) -> ImportSource | None:
        """A file that didn't change during the run; None if it did, or is unknown."""
        if path not in self._before:
            return None
        before, read = self._before[path], _read(self._tree, path)
        if before is None or read is None or (read.stamp, read.file_hash) != before[:2]:
            if path in self.members:
                self.changed.add(path)
            return None
        if path not in self.members:
            return ImportSource(b"", read.file_hash, before.shown, own=False)
        if path not in self._flags:
            found = flags_in(path, language_of(path), read.data) or ()
            self._flags[path] = tuple(SemanticFlag(*flag) for flag in found)
        calls, frame = self.syntax(path, read.file_hash)
        return ImportSource(read.data, read.file_hash, before.shown, self._flags[path], calls, frame)

    def is_indexed(self, path: str) -> bool:
        if path in self._before or path in self._indexed:
            return True
        # One that is made during the run may be in the next snapshot; an older one was left out on purpose.
        read = _read(self._tree, path)
        return read is not None and read.stamp[1] >= self._since_ns


def _taken(tree: Beneath, path: str, shown: FileNow) -> _Before | None:
    read = _read(tree, path)
    if read is not None and (young := _ripens_in(read.stamp)) > 0:
        # A change within the tick of the clock behind it would leave no other stamp.
        time.sleep(young)
        read = _read(tree, path)
    if read is None:
        return None
    return _Before(read.stamp, read.file_hash, shown.seen if shown.content_hash == read.file_hash else "")


def _read(tree: Beneath, path: str) -> FileRead | None:
    try:
        return read_now(tree, path)
    except (OSError, CairnError):
        return None


def _ripens_in(stamp: Stamp) -> float:
    """Seconds until any change of a file is certain to give it another stamp; only the clock sets its ctime."""
    changed = stamp[1]
    tick = FINE_TICK_NS if changed % 1_000_000_000 else COARSE_TICK_NS
    return min(changed + tick - time.time_ns(), tick) / 1e9
