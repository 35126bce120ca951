"""JavaScript and TypeScript: relative files, aliases of tsconfig.json, packages of the same tree."""

import re

from cairn.languages.modules.packages import Package, Packages, mapped
from cairn.languages.modules.tree import NOWHERE, Target, Tree, join, parent, under
from cairn.languages.modules.tsconfig import TsConfigs

_TYPED = (".ts", ".tsx", ".d.ts", ".mts", ".cts")
_PLAIN = (".js", ".jsx", ".mjs", ".cjs")
_DATA = (".json", ".vue", ".svelte")
_FOR_TYPED = (".ts", ".tsx", ".d.ts", *_PLAIN, ".mts", ".cts", *_DATA)
_FOR_PLAIN = (*_PLAIN, *_TYPED, *_DATA)
# TypeScript is imported by the name of the file that it will be compiled to.
_COMPILED_FROM = {
    ".js": (".ts", ".tsx", ".d.ts"),
    ".jsx": (".tsx", ".d.ts"),
    ".mjs": (".mts", ".d.mts"),
    ".cjs": (".cts", ".d.cts"),
}
_RELATIVE = re.compile(r"\.{1,2}(?:/|$)")
_HOME = re.compile(r"(?:@|~)/+")


class JavaScript:
    """Paths, packages of the tree, and aliases of its `tsconfig.json` files."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._packages = Packages(tree)
        self._configs = TsConfigs(tree)
        self._found: dict[tuple[str, bool], str | None] = {}

    def resolve(self, importer: str, source: str) -> Target:
        # Bundlers allow loaders before a path and queries after it.
        asked = source.rpartition("!")[2].partition("?")[0]
        typed = not importer.endswith(_PLAIN)
        folder = parent(importer)
        if not asked:
            return NOWHERE
        if _RELATIVE.match(asked):
            return self._target(join(folder, asked), typed, True, folder_only=asked.endswith(("/", ".")))
        if asked.startswith("/"):
            return self._from_top(folder, asked, typed)
        if asked.startswith("#"):
            return self._internal(folder, asked, typed)
        for path in self._configs.of(folder).candidates(asked):
            target = self._target(path, typed, True)
            if target.paths:
                return target
        return self._package(importer, asked, typed) or self._from_home(folder, asked, typed)

    def _package(self, importer: str, asked: str, typed: bool) -> Target | None:
        parts = asked.split("/")
        length = 2 if asked.startswith("@") else 1
        name, subpath = "/".join(parts[:length]), "/".join(part for part in parts[length:] if part)
        packages, sure = self._packages.find(parent(importer), name)
        found: list[str] = []
        certain = False
        for package in packages:
            path, as_written = self._entry(package, subpath, typed)
            if path is not None:
                found.append(path)
                certain = sure and as_written
        return Target(tuple(found), certain) if found else None

    def _entry(self, package: Package, subpath: str, typed: bool) -> tuple[str | None, bool]:
        """The file behind a subpath of a package, and whether the package itself says so."""
        for path in package.entries(subpath):
            found = self._find(path, typed)
            if found is not None:
                return found, True
        if subpath:
            path = join(package.folder, subpath) or ""
            found = self._find(path, typed) if path else None
        else:
            found = self._tree.first(under(package.folder, f"index{each}") for each in _order(typed))
        if found is not None:
            return found, not package.hides
        for path in package.sources(subpath):
            found = self._find(path, typed)
            if found is not None:
                return found, False
        return None, False

    def _internal(self, folder: str, asked: str, typed: bool) -> Target:
        """`#name`, which the package's own `imports` explain."""
        package = self._packages.around(folder)
        imports = package.data.get("imports") if package else None
        if package is not None and isinstance(imports, dict):
            for target in mapped(imports, asked):
                found = self._target(join(package.folder, target), typed, True)
                if found.paths:
                    return found
        return self._from_home(folder, asked, typed)

    def _from_home(self, folder: str, asked: str, typed: bool) -> Target:
        """`@/x` and `~/x` by custom: the package's own sources; bundlers say so in code that isn't run here."""
        home = _HOME.match(asked)
        if home is None:
            return NOWHERE
        package = self._packages.around(folder)
        base = package.folder if package else ""
        for start in (under(base, "src"), base, under(base, "app")):
            target = self._target(join(start, asked[home.end() :]), typed, False)
            if target.paths:
                return target
        return NOWHERE

    def _from_top(self, folder: str, asked: str, typed: bool) -> Target:
        """A path of the web server: seen from the package, its public files, or the root of the tree."""
        package = self._packages.around(folder)
        base = package.folder if package else ""
        for start in dict.fromkeys((base, under(base, "public"), "")):
            target = self._target(join(start, asked), typed, False)
            if target.paths:
                return target
        return NOWHERE

    def _target(self, path: str | None, typed: bool, certain: bool, *, folder_only: bool = False) -> Target:
        if path is None:
            return NOWHERE
        found = self._folder(path, typed) if folder_only or not path else self._find(path, typed)
        return Target((found,), certain) if found is not None else NOWHERE

    def _find(self, path: str, typed: bool) -> str | None:
        key = (path, typed)
        if key not in self._found:
            found = self._file(path, typed)
            self._found[key] = found if found is not None else self._folder(path, typed)
        return self._found[key]

    def _file(self, path: str, typed: bool) -> str | None:
        stem, dot, suffix = path.rpartition(".")
        sources = [stem + each for each in _COMPILED_FROM.get(dot + suffix, ())]
        tried = [*sources, path] if typed else [path, *sources]
        return self._tree.first((*tried, *(path + each for each in _order(typed))))

    def _folder(self, path: str, typed: bool) -> str | None:
        if path not in self._tree.folders:
            return None
        package = self._packages.at(path)
        if package is not None:
            for entry in package.entries(""):
                found = self._file(entry, typed) or self._tree.first(
                    under(entry, f"index{each}") for each in _order(typed)
                )
                if found is not None:
                    return found
        return self._tree.first(under(path, f"index{each}") for each in _order(typed))


def _order(typed: bool) -> tuple[str, ...]:
    return _FOR_TYPED if typed else _FOR_PLAIN
