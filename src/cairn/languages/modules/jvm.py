"""Java, Kotlin, Scala and Groovy: files and packages in folders that end in the package's path."""

import re

from cairn.languages.modules.target import NOWHERE, Target
from cairn.languages.modules.tree import MANY, Tree, is_within, nearest, parent, shared

_SUFFIXES = (".java", ".kt", ".scala", ".groovy", ".kts", ".sc")
_FREE = (".kt", ".scala", ".groovy", ".kts", ".sc")
"""Languages in which the name of a file says nothing about what it defines."""
_SOURCES = re.compile(r"(^|/)src/[^/]+/(?:java|kotlin|scala)(?=/|$)")


def source_package(path: str) -> str:
    """What files share that see each other's top: the same folder below each source root."""
    return _SOURCES.sub(r"\1src", parent(path))


class Jvm:
    """Packages and classes, by the folders that they stand in."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._known: dict[str, tuple[tuple[str, ...], tuple[str, ...], int]] = {}

    def resolve(self, importer: str, source: str) -> Target:
        parts = tuple(part.strip("` ") for part in source.removesuffix(".*").split("."))
        if not all(parts):
            return NOWHERE
        name = ".".join(parts)
        found = self._known.get(name)
        if found is None:
            found = self._known[name] = self._candidates(parts)
        files, folders, length = found
        if files:
            return self._file(importer, files, "/".join(parts[:length]).count("/"), parts[length:])
        return self._package(importer, folders, parts[length:]) if folders else NOWHERE

    def _candidates(self, parts: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...], int]:
        """Files that are the class or folders that are the package, and how many parts name them."""
        for length in range(len(parts), 0, -1):
            if length == 1 < len(parts):
                break
            suffix = "/".join(parts[:length])
            files = tuple(path for form in _SUFFIXES for path in self._tree.ending(suffix + form))
            if files:
                return files[:MANY], (), length
            folders = self._tree.folders_ending(suffix)
            folders = tuple(folder for folder in folders if self._tree.inside(folder, *_SUFFIXES))
            # A package holds classes, not names within them: at most one part may follow it.
            if folders and len(parts) - length <= 1 and (length > 1 or len(parts) == 1):
                return (), folders, length
        return (), (), 0

    def _file(self, importer: str, files: tuple[str, ...], depth: int, rest: tuple[str, ...]) -> Target:
        if len(files) == 1:
            return Target(files, depth > 0 or parent(files[0]) == parent(importer), rest)
        # Of several source folders the importer's own comes first in what it is compiled with.
        own = [path for path in files if is_within(_root(path, depth), importer)]
        return Target((own[0],), True, rest) if len(own) == 1 else Target(nearest(importer, files), False, rest)

    def _package(self, importer: str, folders: tuple[str, ...], rest: tuple[str, ...]) -> Target:
        ordered = sorted(folders, key=lambda folder: (-shared(importer, f"{folder}/"), folder))
        paths = tuple(path for folder in ordered for path in self._tree.inside(folder, *_SUFFIXES))
        free = any(path.endswith(_FREE) for path in paths)
        return Target(paths, len(folders) == 1 and "/" in folders[0] and (not rest or free), rest)


def _root(path: str, depth: int) -> str:
    """The folder from which the package's path starts."""
    root = parent(path)
    for _ in range(depth):
        root = parent(root)
    return root
