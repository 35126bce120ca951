"""The paths of a snapshot, ready to be asked by folder, by name and by ending."""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from typing import Protocol

from cairn.base.values import dataclass


@dataclass(frozen=True, slots=True)
class Target:
    """The files that an import means."""

    paths: tuple[str, ...]
    """Files that may be meant, best first; empty when it lies outside of the tree or is unknown."""
    certain: bool
    """One rule of the language leads to exactly these files; otherwise it is a guess."""
    rest: tuple[str, ...] = ()
    """Parts of the source that name something inside the files."""


NOWHERE = Target((), False)


class ModuleRules(Protocol):
    """The rules of one family of languages over one tree."""

    def resolve(self, importer: str, source: str) -> Target:
        """The files that `source` means in the file that imports it; NOWHERE if none is in the tree."""


MANY = 16
"""A name that fits more files than this names none of them."""
_MAX_PATH = 4096
"""Characters; systems know no longer paths."""


class Tree:
    """Every live file; texts only through `read`, never the file system."""

    def __init__(self, paths: Iterable[str], read: Callable[[str], str | None]) -> None:
        self.files = frozenset(paths)
        self._read = read
        self._sorted = sorted(self.files)
        inside: dict[str, list[str]] = {}
        named: dict[str, list[str]] = {}
        for path in self._sorted:
            folder, _, name = path.rpartition("/")
            inside.setdefault(folder, []).append(path)
            named.setdefault(name, []).append(path)
        self._inside = {folder: tuple(found) for folder, found in inside.items()}
        self._named = {name: tuple(found) for name, found in named.items()}

    def text(self, path: str) -> str | None:
        """The text of a live file."""
        return self._read(path) if path in self.files else None

    def inside(self, folder: str, *endings: str) -> tuple[str, ...]:
        """The files that stand directly in a folder."""
        found = self._inside.get(folder, ())
        return tuple(path for path in found if path.endswith(endings)) if endings else found

    def beneath(self, folder: str, ending: str) -> tuple[str, ...]:
        """The files in a folder and in all folders below it."""
        start = bisect_left(self._sorted, f"{folder}/")
        end = bisect_left(self._sorted, f"{folder}0", start)  # "0" is the character after "/"
        return tuple(path for path in self._sorted[start:end] if path.endswith(ending))

    def named(self, name: str) -> tuple[str, ...]:
        """The files of that very name, wherever they are."""
        return self._named.get(name, ())

    def first(self, candidates: Iterable[str]) -> str | None:
        """The first candidate that is there."""
        return next((path for path in candidates if path in self.files), None)

    def ending(self, suffix: str) -> tuple[str, ...]:
        """The files whose paths end with these parts; none where too many do."""
        return self._file_endings.find(suffix)

    def folders_ending(self, suffix: str) -> tuple[str, ...]:
        """The folders whose paths end with these parts; none where too many do."""
        return self._folder_endings.find(suffix)

    @cached_property
    def _file_endings(self) -> "Endings":
        return Endings(self.files)

    @cached_property
    def _folder_endings(self) -> "Endings":
        return Endings(self.folders)

    @cached_property
    def folders(self) -> frozenset[str]:
        """Every folder that has a file somewhere below it; the root is the empty text."""
        found: set[str] = {""}
        for folder in self._inside:
            while folder not in found:
                found.add(folder)
                folder = parent(folder)
        return frozenset(found)


class Endings:
    """Finds paths by their last parts, by bisection over the reversed paths."""

    def __init__(self, paths: Iterable[str], separator: str = "/") -> None:
        self._separator = separator
        self._items = sorted(((separator + path.replace("/", separator))[::-1], path) for path in paths)
        self._keys = [key for key, _ in self._items]
        self._known: dict[str, tuple[str, ...]] = {}

    def find(self, suffix: str) -> tuple[str, ...]:
        """The files whose path ends with some parts."""
        found = self._known.get(suffix)
        if found is None:
            found = self._known[suffix] = self._find(suffix) if suffix else ()
        return found

    def _find(self, suffix: str) -> tuple[str, ...]:
        key = (self._separator + suffix)[::-1]
        start = end = bisect_left(self._keys, key)
        while end < len(self._keys) and self._keys[end].startswith(key):
            end += 1
            if end - start > MANY:
                return ()
        return tuple(sorted(path for _, path in self._items[start:end]))


def parent(path: str) -> str:
    """The folder that a file or folder stands in."""
    return path.rpartition("/")[0]


def name_of(path: str) -> str:
    """The last part of a path."""
    return path.rpartition("/")[2]


def under(folder: str, name: str) -> str:
    """A path below a folder, where the root is the empty text."""
    return f"{folder}/{name}" if folder and name else folder or name


def is_within(folder: str, path: str) -> bool:
    """Whether a path is the folder itself or lies below it."""
    return not folder or path == folder or path.startswith(f"{folder}/")


def ancestors(folder: str) -> Iterator[str]:
    """The folder itself and all above it, the root last."""
    while folder:
        yield folder
        folder = parent(folder)
    yield ""


def join(folder: str, relative: str) -> str | None:
    """The path that `relative` means from a folder; None when it leaves the tree."""
    if len(relative) > _MAX_PATH:
        return None
    parts = folder.split("/") if folder else []
    for part in relative.split("/"):
        if part == "..":
            if not parts:
                return None
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts)


def shared(one: str, other: str) -> int:
    """How many folders from the root two paths have in common."""
    count = 0
    for mine, theirs in zip(one.split("/")[:-1], other.split("/")[:-1], strict=False):
        if mine != theirs:
            break
        count += 1
    return count


def nearest(importer: str, paths: Iterable[str]) -> tuple[str, ...]:
    """Paths in order, those that share most folders with the importer first."""
    found = tuple(paths)
    if len(found) < 2:
        return found
    return tuple(sorted(found, key=lambda path: (-shared(importer, path), path.count("/"), path)))
