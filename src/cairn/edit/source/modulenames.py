"""How one file names another in its imports: as it named a file before, in the customs of its language."""

import posixpath
from collections.abc import Collection

from cairn.edit.source.files import SourceFiles
from cairn.edit.source.searchroots import Folders, SearchRoots, module_parts
from cairn.graph.customs import Modules
from cairn.graph.resolve import Resolver

_PYTHON = (".py", ".pyi")
_SCRIPT = (".d.ts", ".tsx", ".ts", ".mts", ".cts", ".jsx", ".js", ".mjs", ".cjs")
_RUNNING = {".tsx": ".js", ".ts": ".js", ".mts": ".mjs", ".cts": ".cjs", ".jsx": ".js"}
"""TypeScript names a file by what it becomes."""


class ModuleNames:
    """The names of the files of one snapshot, and of those that an edit makes."""

    def __init__(self, resolver: Resolver, sources: SourceFiles, made: Collection[str]) -> None:
        world = resolver.world
        self._sources = sources
        self._made = frozenset(made)
        self._languages = world.languages
        self._modules = Modules((*world.languages, *made), world.text, world.view.aliases) if made else world.modules
        self._roots = SearchRoots(resolver, self._root)

    def file_of(self, importer: str, module: str) -> str:
        """The file that a module's name means in a file; empty where no rule tells that for certain."""
        language = "python" if importer.endswith(_PYTHON) else self._languages.get(importer, "typescript")
        found = self._modules.resolve(language, importer, module)
        return found.paths[0] if found.paths and not found.rest and (found.certain or len(found.paths) == 1) else ""

    def name_of(self, path: str, importer: str, like: str = "", of: str = "") -> str:
        """What a file calls another one; `like` is what it calls the file `of`. Empty where there is no such name."""
        python = path.endswith(_PYTHON)
        for said in self._python(path, importer, like, of) if python else self._script(path, importer, like, of):
            if said and self.file_of(importer, said) == path:
                return said
        return ""

    def dotted(self, path: str) -> str:
        """The full name of a Python module, from the folder on that holds the outermost package."""
        return ".".join(module_parts(path)[len(self._root(path)) :])

    def _python(self, path: str, importer: str, like: str, of: str) -> list[str]:
        parts, folder = module_parts(path), [each for each in posixpath.dirname(importer).split("/") if each]
        shared = 0
        while shared < min(len(parts), len(folder)) and parts[shared] == folder[shared]:
            shared += 1
        relative = "." * (len(folder) - shared + 1) + ".".join(parts[shared:])
        named, own = tuple(like.split(".")), module_parts(of)
        if like and not like.startswith(".") and of and own[len(own) - len(named) :] == named:
            root: Folders | None = own[: len(own) - len(named)]
        else:
            root = self._roots.of(path, importer, made=importer in self._made)
        absolute = ".".join(parts[len(root) :]) if root is not None and parts[: len(root)] == root else ""
        if like.startswith(".") and not self._is_package(posixpath.dirname(path)):
            absolute = ""  # It stands in a package, and nothing tells where the outermost one begins.
        inside = self._may_climb(importer, shared, len(folder) - shared + 1, like)
        return [relative, absolute] if inside and like.startswith(".") else [absolute, relative if inside else ""]

    def _may_climb(self, importer: str, shared: int, dots: int, like: str) -> bool:
        """Whether a relative name with some dots stays below the outermost package, of which `shared` folders tell.

        Where no file marks packages, a relative name that is written tells how far up there is one.
        """
        folder = posixpath.dirname(importer)
        if self._is_package(folder):
            return shared > len(self._root(importer))
        written = len(like) - len(like.lstrip("."))
        return 0 < dots <= written and (shared > 0 or dots == 1)

    def _root(self, path: str) -> Folders:
        """The folders above the outermost package."""
        folder = [each for each in posixpath.dirname(path).split("/") if each]
        while folder and self._is_package("/".join(folder)):
            folder.pop()
        return tuple(folder)

    def _is_package(self, folder: str) -> bool:
        name = f"{folder}/__init__.py"
        return name in self._made or self._sources.has(name)

    def _script(self, path: str, importer: str, like: str, of: str) -> list[str]:
        ending = next(each for each in (*_SCRIPT, "") if path.endswith(each))
        stem = path[: len(path) - len(ending)]
        written = next((each for each in _SCRIPT if like.endswith(each)), "")
        if written:
            stem += ending if written not in _RUNNING.values() else _RUNNING.get(ending, ending)
        elif posixpath.basename(stem) == "index":
            stem = posixpath.dirname(stem)
        relative = posixpath.relpath(stem or ".", posixpath.dirname(importer) or ".")
        relative = relative if relative.startswith(".") else f"./{relative}"
        return [_aliased(stem, like, of), relative] if like and not like.startswith(".") else [relative]


def _aliased(stem: str, like: str, of: str) -> str:
    """`@/lib/new` where `@/lib/old` is the name of another file."""
    said, own = like.split("/"), of.rsplit(".", 1)[0].split("/")
    while said and own and said[-1] == own[-1] and len(said) > 1:
        said.pop()
        own.pop()
    base = "/".join(own)
    return "/".join((*said, posixpath.relpath(stem, base or "."))) if stem.startswith(base) else ""
