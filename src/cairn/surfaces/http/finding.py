"""What somebody looks for a file or a symbol with: the tree by folders, and paths and names as they are typed."""

import os
from collections.abc import Iterable, Mapping
from typing import TypedDict

from cairn.base.errors import NotIndexedError, UsageError
from cairn.codebase.names import NamesKept
from cairn.codebase.paths import PathsKept, SnapshotPaths
from cairn.codebase.unindexed import UnindexedKept
from cairn.daemon.syncs import DaemonState

SCHEMA_VERSION = 1


class _Name(TypedDict):
    name: str
    kind: str
    container: str
    path: str
    line: int


class _TypedNames(TypedDict):
    schema_version: int
    root: str
    snapshot_id: str | None
    results: list[_Name]


class _TypedPaths(TypedDict):
    schema_version: int
    root: str
    snapshot_id: str | None
    total: int
    results: list[str]
    reasons: list[str]
    """Why each is left out of the index; empty for what is not."""


class _Entry(TypedDict):
    name: str
    files: int
    is_folder: bool
    reason: str
    """Why it is left out of the index; empty for what is not, and for folders."""


class _Folder(TypedDict):
    schema_version: int
    root: str
    snapshot_id: str | None
    folder: str
    entries: list[_Entry]


class QuickFinder:
    """Names and paths of codebases, kept for whoever types; from any thread."""

    def __init__(self, home: str) -> None:
        self._names = NamesKept(home)
        self._paths = PathsKept(home)
        self._unindexed = UnindexedKept()

    def names(self, house: DaemonState, root: str, typed: str, most: int) -> _TypedNames:
        """Definitions whose names are like what was typed, the best first."""
        place = _root_of(house, root)
        snapshot, found = self._names.like(place, typed, most)
        results: list[_Name] = [
            {"name": each.name, "kind": each.kind, "container": each.container, "path": each.path, "line": each.line}
            for each in found
        ]
        return {"schema_version": SCHEMA_VERSION, "root": place, "snapshot_id": snapshot or None, "results": results}

    def paths(self, house: DaemonState, root: str, typed: str, most: int, *, left_out: bool) -> _TypedPaths:
        """Paths like what was typed, the best first: of files that are indexed, or of those that are not."""
        place = _root_of(house, root)
        kept, reasons = self._those(house, place, left_out=left_out)
        found = kept.like(typed, most)
        return {
            "schema_version": SCHEMA_VERSION,
            "root": place,
            "snapshot_id": kept.snapshot,
            "total": len(kept.all),
            "results": found,
            "reasons": [reasons[each] for each in found] if left_out else [],
        }

    def tree(self, house: DaemonState, root: str, folder: str, *, left_out: bool) -> _Folder:
        """What one folder holds: folders first, with how many files are beneath each; of the snapshot, or beside it."""
        place = _root_of(house, root)
        kept, reasons = self._those(house, place, left_out=left_out)
        name = folder.strip("/")
        start = f"{name}/" if name else ""
        folders, files = kept.folder(name)
        entries: list[_Entry] = [
            *(_Entry(name=each, files=folders[each], is_folder=True, reason="") for each in _sorted(folders)),
            *(
                _Entry(name=each, files=1, is_folder=False, reason=reasons.get(start + each, ""))
                for each in _sorted(files)
            ),
        ]
        if not entries and name and not left_out:
            raise UsageError(f"The snapshot has no folder {folder}.", hint="Ask for one that `/v1/tree` lists.")
        return {
            "schema_version": SCHEMA_VERSION,
            "root": place,
            "snapshot_id": kept.snapshot,
            "folder": name,
            "entries": entries,
        }

    def _those(self, house: DaemonState, root: str, *, left_out: bool) -> tuple[SnapshotPaths, Mapping[str, str]]:
        """The paths of the snapshot, or those that lie beside it with the reason of each."""
        paths = self._paths.of(root)
        if not left_out:
            return paths, {}
        with house.pool.using(root) as codebase:
            found = self._unindexed.of(codebase, paths.snapshot)
            return found.paths, found.reasons


def _sorted(names: Iterable[str]) -> list[str]:
    return sorted(names, key=lambda name: (name.casefold(), name))


def _root_of(house: DaemonState, path: str) -> str:
    """The codebase that holds a path."""
    real = os.path.realpath(path) if "\0" not in path else path
    holding = [row.root for row in house.registry.all() if f"{real}/".startswith(f"{row.root.rstrip('/')}/")]
    if not holding:
        raise NotIndexedError(f"{path} is not indexed.")
    return max(holding, key=len)
