"""Rules by which several languages find what an import means: by relative path, dotted name, header or JVM package."""

import re
from collections.abc import Iterable

from cairn.base.values import dataclass
from cairn.languages.modules.tree import (
    MANY,
    NOWHERE,
    Target,
    Tree,
    ancestors,
    is_within,
    join,
    name_of,
    nearest,
    parent,
    shared,
    under,
)


class Dotted:
    """A module's name is the end of its file's path; `strict` where the language demands it."""

    def __init__(self, tree: Tree, separator: str, forms: tuple[str, ...], roots: Iterable[str], strict: bool) -> None:
        self._tree = tree
        self._separator = separator
        self._forms = forms
        self._roots = frozenset(roots)
        self._strict = strict

    def resolve(self, importer: str, source: str) -> Target:
        parts = self._parts(source)
        if not all(parts) or any("/" in part for part in parts):
            return NOWHERE
        suffix = "/".join(parts)
        found = [(path, len(suffix + form)) for form in self._forms for path in self._tree.ending(suffix + form)]
        rooted = [path for path, length in found if name_of(path[:-length].rstrip("/")) in self._roots]
        if len(found) == 1:
            path = found[0][0]
            return Target((path,), bool(rooted) or (self._strict and len(parts) > 1))
        paths = nearest(importer, (path for path, _ in found))
        return Target(tuple(dict.fromkeys((*nearest(importer, rooted), *paths))), False) if paths else NOWHERE

    def _parts(self, source: str) -> list[str]:
        return source.split(self._separator)


_HEADER_ROOTS = ("", "include", "src", "inc", "lib")
# Quotes and angle brackets look the same here, so a file of such a name may or may not be meant.
_STANDARD_HEADERS = frozenset(
    "assert.h complex.h ctype.h errno.h fcntl.h fenv.h float.h inttypes.h limits.h locale.h math.h memory.h setjmp.h"
    " signal.h stdalign.h stdarg.h stdatomic.h stdbool.h stddef.h stdint.h stdio.h stdlib.h string.h strings.h"
    " tgmath.h threads.h time.h uchar.h unistd.h wchar.h wctype.h pthread.h poll.h sched.h semaphore.h syslog.h"
    " termios.h utime.h windows.h".split()
)


class Includes:
    """Headers, beside the file that includes them or by the end of their path."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree

    def resolve(self, importer: str, source: str) -> Target:
        folder = parent(importer)
        asked = source.replace("\\", "/")
        beside = join(folder, asked) if not asked.startswith("/") else None
        if beside is not None and beside in self._tree.files:
            return Target((beside,), asked not in _STANDARD_HEADERS)
        plain = join("", asked)
        if not plain or ".." in asked.split("/"):
            return NOWHERE
        found = self._tree.ending(plain)
        if len(found) == 1:
            return Target(found, not _may_be_foreign(plain))
        near = self._near(folder, plain)
        paths = dict.fromkeys((*near, *nearest(importer, found)))
        if not paths and plain.count("/") == 1:
            # A framework's headers are asked for by its name, which need be no folder.
            paths = dict.fromkeys(nearest(importer, self._tree.ending(name_of(plain))))
        return Target(tuple(paths), False) if paths else NOWHERE

    def _near(self, folder: str, plain: str) -> list[str]:
        tried = (under(under(above, root), plain) for above in ancestors(folder) for root in _HEADER_ROOTS)
        return [path for path in tried if path in self._tree.files]


def _may_be_foreign(plain: str) -> bool:
    return plain in _STANDARD_HEADERS or plain.startswith("sys/") or "." not in plain


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


_SCHEME = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*:|//")
_VARIABLE = re.compile(r"\$(?:\w+|\{[^}/]*\}|\([^)/]*\))/")


@dataclass(frozen=True, slots=True)
class Relative:
    """A path seen from the file itself; from the top of the tree where it starts with a slash."""

    tree: Tree
    forms: tuple[str, ...] = ("",)
    """What may be left unwritten at the end."""
    partials: bool = False
    """Whether a file may be named with an underscore that isn't written."""

    def resolve(self, importer: str, source: str) -> Target:
        variable = _VARIABLE.match(source)
        asked = source[variable.end() :] if variable else source.partition("?")[0].partition("#")[0]
        if not asked or _SCHEME.match(asked):
            return NOWHERE
        base = "" if asked.startswith("/") else parent(importer)
        path = join(base, asked)
        if not path:
            return NOWHERE
        names = (path, under(parent(path), f"_{name_of(path)}")) if self.partials else (path,)
        found = self.tree.first(name + form for name in names for form in self.forms)
        return Target((found,), variable is None and not asked.startswith("/")) if found else NOWHERE
