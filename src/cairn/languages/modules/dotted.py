"""Languages whose module names are paths with other separators."""

from collections.abc import Iterable

from cairn.languages.modules.target import NOWHERE, Target
from cairn.languages.modules.tree import Tree, name_of, nearest


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
