"""C#: namespaces and folders."""

from functools import cached_property

from cairn.languages.modules.target import NOWHERE, Target
from cairn.languages.modules.tree import Endings, Tree, nearest, parent


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
