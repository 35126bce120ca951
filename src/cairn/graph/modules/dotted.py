"""Languages whose module names are paths with other separators: Haskell, Perl, Lua, Elixir, C#, Swift."""

import re
from collections.abc import Callable, Iterable
from functools import cached_property

from cairn.graph.modules.target import NOWHERE, Target
from cairn.graph.modules.tree import Endings, Tree, name_of, nearest, parent, under

_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


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


class Elixir(Dotted):
    """Files are named after modules by custom only, in snake case."""

    def __init__(self, tree: Tree) -> None:
        super().__init__(tree, ".", (".ex", ".exs"), (), False)

    def _parts(self, source: str) -> list[str]:
        return [_HUMP.sub("_", part).lower() for part in source.split(".")]


class CSharp:
    """Namespaces follow folders by custom, whether these are nested or have dots in their names."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree

    def resolve(self, importer: str, source: str) -> Target:
        name = source.replace(" ", "")
        if not name or "/" in name:
            return NOWHERE
        files = self._files.find(f"{name}.cs")
        if files:
            return Target(nearest(importer, files), False)
        folders = [parent(path) for path in nearest(importer, (f"{each}/" for each in self._folders.find(name)))]
        paths = tuple(path for folder in folders for path in self._tree.inside(folder, ".cs"))
        return Target(paths, False) if paths else NOWHERE

    @cached_property
    def _files(self) -> Endings:
        return Endings((path for path in self._tree.files if path.endswith(".cs")), ".")

    @cached_property
    def _folders(self) -> Endings:
        return Endings({parent(path) for path in self._tree.files if path.endswith(".cs")}, ".")


class Swift:
    """A module is a target: all files below its folder in a package."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._known: dict[str, tuple[str, ...]] = {}

    def resolve(self, importer: str, source: str) -> Target:
        name, *rest = source.split(".")
        if not name or "/" in name:
            return NOWHERE
        folders = [
            folder
            for kind in ("Sources", "Source", "src", "Tests")
            for folder in self._tree.folders_ending(f"{kind}/{name}")
            if under(parent(parent(folder)), "Package.swift") in self._tree.files and self._files(folder)
        ]
        ordered = nearest(importer, (f"{folder}/" for folder in folders))
        if not ordered:
            return NOWHERE
        return Target(self._files(ordered[0].rstrip("/")), len(ordered) == 1, tuple(rest))

    def _files(self, folder: str) -> tuple[str, ...]:
        if folder not in self._known:
            self._known[folder] = self._tree.beneath(folder, ".swift")
        return self._known[folder]


def haskell(tree: Tree) -> Dotted:
    return Dotted(tree, ".", (".hs", ".lhs", ".hsc"), ("src", "lib", "app", "test", "tests"), True)


def perl(tree: Tree) -> Dotted:
    return Dotted(tree, "::", (".pm",), ("lib",), True)


def lua(tree: Tree) -> Dotted:
    return Dotted(tree, ".", (".lua", "/init.lua"), ("", "lua", "src", "lib"), False)


MAKERS: dict[str, Callable[[Tree], Dotted | CSharp | Swift]] = {
    "csharp": CSharp,
    "elixir": Elixir,
    "haskell": haskell,
    "lua": lua,
    "perl": perl,
    "swift": Swift,
}
