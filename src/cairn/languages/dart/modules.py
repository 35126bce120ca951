"""Dart: relative paths and packages."""

import re
from functools import cached_property

from cairn.languages.modules.relative import Relative
from cairn.languages.modules.target import NOWHERE, Target
from cairn.languages.modules.tree import MANY, Tree, join, nearest, parent, under

_NAME = re.compile(r"^name:[ \t]*[\"']?(\w+)", re.MULTILINE)


class Dart:
    """Relative paths, and `package:` with the name that a pubspec.yaml gives."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._relative = Relative(tree)

    def resolve(self, importer: str, source: str) -> Target:
        scheme, colon, path = source.partition(":")
        if not colon:
            return self._relative.resolve(importer, source)
        name, _, inner = path.partition("/")
        homes = self._homes.get(name, ())
        if scheme != "package" or not inner or len(homes) > MANY:
            return NOWHERE
        tried = (join(under(home, "lib"), inner) for home in homes)
        found = nearest(importer, (each for each in tried if each is not None and each in self._tree.files))
        return Target(found, len(homes) == 1) if found else NOWHERE

    @cached_property
    def _homes(self) -> dict[str, tuple[str, ...]]:
        found: dict[str, list[str]] = {}
        for path in self._tree.named("pubspec.yaml"):
            name = _NAME.search((self._tree.text(path) or "")[:100_000])
            if name is not None:
                found.setdefault(name[1], []).append(parent(path))
        return {name: tuple(homes) for name, homes in found.items()}
