"""From which folder on Python's modules are named: told by the imports of the tree, since no file says it.

A folder without `__init__.py` may be searched for modules itself, or be a package of its own from a folder above it.
"""

import sys
from collections.abc import Callable, Iterator
from functools import cached_property

from cairn.graph.resolve import Resolver

Folders = tuple[str, ...]


class SearchRoots:
    """What absolute imports tell of where the names of modules begin."""

    def __init__(self, resolver: Resolver, above: Callable[[str], Folders]) -> None:
        self._resolver = resolver
        self._above = above
        """The folders above the outermost package of a file that `__init__.py` marks."""

    def of(self, path: str, importer: str, *, made: bool) -> Folders | None:
        """The folder from which on one file names another; None where nothing tells it, or several are told.

        `made`: nobody imports the importing file yet, so that it is loaded as those will say who have the other file.
        """
        over, own = self._above(path), self._above(importer)
        about = [(who, root) for who, folder, root in self._evidence if folder == over]
        for roots in (
            {root for who, root in about if who == importer},
            {root for who, root in about if self._above(who) == own},
            {root for who, root in about if self._above(who) != over},
        ):
            if roots:
                return roots.pop() if len(roots) == 1 else None
        loaded = {root for who, folder, root in self._evidence if folder == own and self._above(who) != own} or {own}
        if made and own[: len(over)] == over:
            loaded = {over}
        fitting = {root for root in loaded if over[: len(root)] == root}
        return fitting.pop() if len(fitting) == 1 else None

    @cached_property
    def _evidence(self) -> frozenset[tuple[str, Folders, Folders]]:
        """(importing file, folders above the imported one's outermost package, folders that the name leaves out)."""
        world = self._resolver.world
        world.load(world.languages)
        return frozenset(
            each for path, language in world.languages.items() if language == "python" for each in self._says(path)
        )

    def _says(self, importer: str) -> Iterator[tuple[str, Folders, Folders]]:
        for edge, target in self._resolver.files_imported(importer):
            named = tuple(edge.target.split("."))
            if not named[0] or named[0] in sys.stdlib_module_names:
                continue
            for path in target.paths if not target.rest else ():
                parts = module_parts(path)
                for own in (parts, parts[:-1]):  # `from package import module` names what is above it.
                    if own[len(own) - len(named) :] == named:
                        yield importer, self._above(path), own[: len(own) - len(named)]
                        break


def module_parts(path: str) -> Folders:
    """The words of a module's name, from the top of the tree on."""
    parts = tuple(path.rsplit(".", 1)[0].split("/"))
    return parts[:-1] if parts[-1] == "__init__" else parts
