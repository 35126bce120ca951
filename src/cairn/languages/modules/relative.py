"""Languages that ask for files by their paths."""

import re

from cairn.base.values import dataclass
from cairn.languages.modules.target import NOWHERE, Target
from cairn.languages.modules.tree import Tree, join, name_of, parent, under

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
