"""Trees to look for contexts in: a snapshot, or files in memory."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Protocol

from cairn.semantic.contexts.families import manifests_named


class Contents(Protocol):
    """What is needed of the rows of a SnapshotView."""

    def contents(self) -> Iterator[tuple[str, str, int]]:
        """Path key, content hash and size of every file."""

    def whole_text_of(self, path_key: str) -> bytes | None:
        """A file's bytes; None if the snapshot doesn't have it."""


class ViewTree:
    """The files of one pinned snapshot, without manifests that were deleted since."""

    def __init__(self, rows: Contents, is_there: Callable[[str], bool] = lambda _: True) -> None:
        self._rows = rows
        paths = (path for path, _, _ in rows.contents())
        self._paths = tuple(path for path in paths if not manifests_named(path) or is_there(path))

    def paths(self) -> Iterable[str]:
        return self._paths

    def read(self, path: str) -> bytes | None:
        return self._rows.whole_text_of(path)


class TextTree:
    """Files in memory, by path."""

    def __init__(self, files: Mapping[str, str | bytes]) -> None:
        self._files = files

    def paths(self) -> Iterable[str]:
        return self._files

    def read(self, path: str) -> bytes | None:
        found = self._files.get(path)
        return found.encode() if isinstance(found, str) else found
