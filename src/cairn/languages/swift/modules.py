"""Swift: the targets of a package."""

from cairn.languages.modules.target import NOWHERE, Target
from cairn.languages.modules.tree import Tree, nearest, parent, under


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
