"""From an import as it is written to the files that it means, by the rules of its language."""

from collections.abc import Callable, Iterable

from cairn.languages.modules.target import NOWHERE, ModuleRules, Target
from cairn.languages.modules.tree import Tree
from cairn.languages.registry import record_of

__all__ = ["Modules", "Target"]

MAX_SOURCE = 1000
"""Characters; facts are cut long before, and no path or module name is longer."""


class Modules:
    """Resolves imports over the files of one snapshot; each is worked out once."""

    def __init__(self, paths: Iterable[str], read: Callable[[str], str | None]) -> None:
        self._tree = Tree(paths, read)
        self._resolvers: dict[Callable[[Tree], ModuleRules], ModuleRules] = {}
        self._known: dict[tuple[str, str, str], Target] = {}

    def resolve(self, language: str, importer: str, source: str) -> Target:
        """The files that `source` means in a file of that language."""
        key = (language, importer, source)
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = self._resolve(language, importer, source)
        return found

    def _resolve(self, language: str, importer: str, source: str) -> Target:
        maker = record_of(language).modules
        if maker is None or not source or len(source) > MAX_SOURCE:
            return NOWHERE
        resolver = self._resolvers.get(maker)
        if resolver is None:
            resolver = self._resolvers[maker] = maker(self._tree)
        return resolver.resolve(importer, source)
