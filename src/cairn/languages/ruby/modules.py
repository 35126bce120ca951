"""Ruby: `require_relative` beside the file, `require` below the folders of the load path."""

import re

from cairn.languages.modules.target import NOWHERE, Target
from cairn.languages.modules.tree import Tree, join, name_of, nearest, parent

_BESIDE = re.compile(r"\brequire_relative[ \t(]+[\"']([^\"'\n]*)[\"']")
_ON_LOAD_PATH = frozenset({"lib", "ext", "test", "spec"})


class Ruby:
    """Files that are required by path, beside the file or by the end of their path."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._beside: dict[str, frozenset[str]] = {}

    def resolve(self, importer: str, source: str) -> Target:
        asked = source if source.endswith(".rb") else f"{source}.rb"
        beside = join(parent(importer), asked) if not source.startswith("/") else None
        if beside not in self._tree.files:
            beside = None
        if source.startswith(("./", "../")):
            return Target((beside,), True) if beside else NOWHERE
        # `require` and `require_relative` leave the same source behind; the text tells which it was.
        if beside and source in self._relative_in(importer):
            return Target((beside,), True)
        found = self._tree.ending(join("", asked) or "") if ".." not in asked.split("/") else ()
        on_path = [path for path in found if _start(path, asked) in _ON_LOAD_PATH]
        if len(on_path) == 1 and (beside in (None, on_path[0])):
            return Target((on_path[0],), True)
        ordered = [*nearest(importer, on_path), *((beside,) if beside else ()), *nearest(importer, found)]
        paths = tuple(dict.fromkeys(ordered))
        # A lone name is more often a library than a file somewhere else.
        return Target(paths, False) if paths and (on_path or beside or "/" in source) else NOWHERE

    def _relative_in(self, importer: str) -> frozenset[str]:
        if importer not in self._beside:
            self._beside[importer] = frozenset(_BESIDE.findall(self._tree.text(importer) or ""))
        return self._beside[importer]


def _start(path: str, asked: str) -> str:
    """The name of the folder from which `asked` leads to the path."""
    return name_of(path[: len(path) - len(asked)].rstrip("/"))
