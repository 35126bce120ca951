"""Languages that ask for files by their paths: Dart, CSS, HTML, shells, Zig, Julia, make, Terraform."""

import re
from functools import cached_property

from cairn.base.values import dataclass
from cairn.graph.modules.target import NOWHERE, Target
from cairn.graph.modules.tree import MANY, Tree, join, name_of, nearest, parent, under

_SCHEME = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*:|//")
_VARIABLE = re.compile(r"\$(?:\w+|\{[^}/]*\}|\([^)/]*\))/")
_NAME = re.compile(r"^name:[ \t]*[\"']?(\w+)", re.MULTILINE)


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


class Terraform:
    """A module is a folder."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree

    def resolve(self, importer: str, source: str) -> Target:
        folder = join(parent(importer), source) if source.startswith(("./", "../")) else None
        paths = self._tree.inside(folder, ".tf", ".tofu") if folder is not None else ()
        return Target(paths, True) if paths else NOWHERE


def styles(tree: Tree) -> Relative:
    return Relative(tree, ("", ".scss", ".sass", ".less", ".css", "/_index.scss", "/index.scss"), True)
