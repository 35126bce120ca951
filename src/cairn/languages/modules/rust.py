"""Rust: crates by their Cargo.toml, modules by the files that `mod` declares."""

import re
from functools import cached_property
from itertools import takewhile

from cairn.base.values import dataclass
from cairn.languages.modules.documents import toml_texts
from cairn.languages.modules.tree import MANY, NOWHERE, Target, Tree, ancestors, join, name_of, nearest, parent, under

_BUILTIN = frozenset({"std", "core", "alloc", "proc_macro", "test"})
_ROOTS = frozenset({"lib.rs", "main.rs", "build.rs"})
_OF_THEIR_OWN = ("examples", "tests", "benches", "src/bin")
"""Folders beside the manifest in which every file is the root of a crate."""
_INLINE = re.compile(r"^[ \t]*(?:pub(?:\([^)\n]*\))?[ \t]+)?mod[ \t]+\w+[ \t\n]*\{", re.MULTILINE)
_OWN = re.compile(r"^[ \t]*(?:pub(?:\([^)]*\))?\s+)?(?:mod\s+(?=\w+\s*\{)|enum\s+)(\w+)", re.MULTILINE)
_ELSEWHERE = re.compile(
    r'#\[path\s*=\s*"(?P<path>[^"\n]+)"\s*\]\s*(?:#\[[^\]\n]*\]\s*)*'
    r"(?:pub(?:\([^)\n]*\))?\s+)?mod\s+(?P<name>\w+)\s*;"
)
"""A module whose file has another name."""
_TOKENS = re.compile(r"::|[{},*]|[^\s{},*:]+")
_PLAIN = re.compile(r"\w+(?:::\w+)*")
_MAX_PATHS = 64


@dataclass(frozen=True, slots=True)
class _Module:
    file: str | None
    folder: str
    """Where the files of its own modules stand."""
    certain: bool = True


class Rust:
    """Modules of a crate, by the tree that its `mod` lines make."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._above: dict[str, str | None] = {}
        self._inline: dict[str, bool] = {}
        self._own: dict[str, frozenset[str]] = {}
        self._elsewhere: dict[str, dict[str, str]] = {}
        self._here: dict[str, _Module] = {}
        self._crate_roots: dict[str, _Module | None] = {}

    def resolve(self, importer: str, source: str) -> Target:
        """All paths of a group together; `rest` only where there is one path."""
        targets = [self._path(importer, path) for path in use_paths(source)]
        if len(targets) == 1:
            return targets[0]
        paths = dict.fromkeys(path for target in targets for path in target.paths)
        return Target(tuple(paths), bool(paths) and all(target.certain for target in targets))

    def _path(self, importer: str, parts: tuple[str, ...]) -> Target:
        if not parts:
            return NOWHERE
        first, inner = parts[0], parts[1:]
        if first == "":
            return self._crate(importer, inner)
        if first == "crate":
            root = self._root_of(importer)
            return self._walk(root, inner) if root else NOWHERE
        here = self._here.get(importer)
        if here is None:
            here = self._here[importer] = _Module(importer, self._folder_of(importer))
        if first == "self":
            return self._from(here, inner)
        if first == "super":
            return self._from_inside(importer, here, parts)
        if first in self._declared(importer) or self._child(here.folder, first) or self._defines(importer, first):
            return self._walk(here, parts)
        target = self._crate(importer, parts)
        if target.paths or first in _BUILTIN:
            return target
        root = self._root_of(importer)
        # Before 2018 every path started at the root of the crate.
        if root and self._child(root.folder, first):
            found = self._walk(root, parts)
            return Target(found.paths, False, found.rest)
        return NOWHERE

    def _from(self, here: _Module, parts: tuple[str, ...]) -> Target:
        ups = next((index for index, part in enumerate(parts) if part != "super"), len(parts))
        module: _Module | None = here
        for _ in range(ups):
            module = self._parent(module) if module else None
        return self._walk(module, parts[ups:]) if module else NOWHERE

    def _from_inside(self, importer: str, here: _Module, parts: tuple[str, ...]) -> Target:
        """The same of a path that may stand in an inline module, where one `super` is the file itself."""
        outer = self._from(here, parts)
        if parts[:1] != ("super",) or not self._has_inline(importer):
            return outer
        own = self._from_inside(importer, here, parts[1:])
        if outer.paths and len(outer.rest) < len(own.rest) and not self._has_item(importer, own.rest[0]):
            return outer  # only there the path goes on into a file
        paths = dict.fromkeys((*own.paths, *outer.paths))
        return Target(tuple(paths), False, own.rest if own.paths else outer.rest)

    def _walk(self, module: _Module, parts: tuple[str, ...]) -> Target:
        """Down through files as far as there are any; what is left names things in the last one."""
        file, folder, certain = module.file, module.folder, module.certain
        at = 0
        for part in parts:
            named = self._declared(file).get(part) if file else None
            child = named or self._child(folder, part)
            if child is None:
                break
            # What such a file declares stands beside it.
            file, folder, certain = child, parent(named) if named else under(folder, part), True
            at += 1
        return Target((file,), certain, parts[at:]) if file else NOWHERE

    def _defines(self, file: str, name: str) -> bool:
        """Whether a file has a module or an enum of a name in itself, which comes before a crate of that name."""
        found = self._own.get(file)
        if found is None:
            found = self._own[file] = frozenset(each[1] for each in _OWN.finditer(self._tree.text(file) or ""))
        return name in found

    def _has_item(self, file: str, name: str) -> bool:
        return (
            re.search(rf"\b(?:fn|struct|enum|trait|type|const|static|union)\s+{name}\b", self._tree.text(file) or "")
            is not None
        )

    def _declared(self, file: str) -> dict[str, str]:
        """Files that `#[path]` gives to modules of a file, by their names."""
        found = self._elsewhere.get(file)
        if found is None:
            text = self._tree.text(file) or ""
            said = _ELSEWHERE.finditer(text) if "#[path" in text else ()
            paths = ((each["name"], join(parent(file), each["path"])) for each in said)
            found = {name: path for name, path in paths if path is not None and path in self._tree.files}
            self._elsewhere[file] = found
        return found

    def _child(self, folder: str, name: str) -> str | None:
        stem = under(folder, name)
        path = f"{stem}.rs"
        if path not in self._tree.files:
            path = f"{stem}/mod.rs"
        return path if path in self._tree.files else None

    def _parent(self, module: _Module) -> _Module | None:
        if not module.folder:
            return None
        folder = parent(module.folder)
        files = self._tree.files
        for path in (under(folder, "mod.rs"), f"{folder}.rs"):
            if path in files:
                return _Module(path, folder)
        roots = [path for name in ("lib.rs", "main.rs") if (path := under(folder, name)) in files]
        return _Module(roots[0] if roots else None, folder, len(roots) == 1)

    def _root_of(self, importer: str) -> _Module | None:
        """The root of the importer's own crate."""
        if importer not in self._crate_roots:
            self._crate_roots[importer] = self._find_root(importer)
        return self._crate_roots[importer]

    def _find_root(self, importer: str) -> _Module | None:
        if self._is_root(importer):
            return _Module(importer, parent(importer))
        home = self._home_of(parent(importer))
        if home is None:
            # Without a manifest the files still tell where a crate starts.
            return self._nearest_root(importer, "")
        for name in _OF_THEIR_OWN:
            outer = under(home, name) + "/"
            if importer.startswith(outer):
                return self._entry(outer + importer[len(outer) :].partition("/")[0], None)
        usual, library = under(home, "src"), self._library.get(home)
        if library is None and not importer.startswith(usual + "/"):
            # The manifest may name a root anywhere.
            return self._nearest_root(importer, home) or self._entry(usual, None)
        return self._entry(usual, library)

    def _nearest_root(self, importer: str, top: str) -> _Module | None:
        above = takewhile(lambda folder: len(folder) >= len(top), ancestors(parent(importer)))
        return next((root for folder in above if (root := self._entry(folder, None)).file), None)

    def _is_root(self, path: str) -> bool:
        if name_of(path) in _ROOTS:
            return True
        home = self._home_of(parent(path))
        return home is not None and any(parent(path) == under(home, name) for name in _OF_THEIR_OWN)

    def _folder_of(self, path: str) -> str:
        """Where the modules that a file declares have their files."""
        own = name_of(path) == "mod.rs" or self._is_root(path)
        return parent(path) if own else under(parent(path), name_of(path).removesuffix(".rs"))

    def _entry(self, folder: str, library: str | None) -> _Module:
        files = self._tree.files
        if library is not None and library in files:
            return _Module(library, parent(library))
        roots = [path for name in ("lib.rs", "main.rs") if (path := under(folder, name)) in files]
        return _Module(roots[0] if roots else None, folder, len(roots) == 1)

    def _crate(self, importer: str, parts: tuple[str, ...]) -> Target:
        homes = self._crates.get(parts[0], ()) if parts else ()
        own = self._home_of(parent(importer))
        if own is not None and own in homes:
            home = own
        elif 0 < len(homes) <= MANY:
            home = parent(nearest(importer, (under(each, "Cargo.toml") for each in homes))[0])
        else:
            return NOWHERE
        library = self._library.get(home) or under(home, "src/lib.rs")
        if library not in self._tree.files:
            return NOWHERE
        found = self._walk(_Module(library, parent(library)), parts[1:])
        return Target(found.paths, found.certain and (home == own or len(homes) == 1), found.rest)

    def _home_of(self, folder: str) -> str | None:
        if folder not in self._above:
            homes = (above for above in ancestors(folder) if under(above, "Cargo.toml") in self._tree.files)
            self._above[folder] = next(homes, None)
        return self._above[folder]

    def _has_inline(self, importer: str) -> bool:
        if importer not in self._inline:
            # A file that can't be read may well have one.
            text = self._tree.text(importer)
            self._inline[importer] = text is None or _INLINE.search(text) is not None
        return self._inline[importer]

    @cached_property
    def _crates(self) -> dict[str, tuple[str, ...]]:
        """Folders by the name under which code asks for the crate that stands in them."""
        found: dict[str, list[str]] = {}
        for home, settings in self._manifests.items():
            name = settings.get(("lib", "name")) or settings.get(("package", "name"))
            if name:
                found.setdefault(name.replace("-", "_"), []).append(home)
        return {name: tuple(homes) for name, homes in found.items()}

    @cached_property
    def _library(self) -> dict[str, str]:
        """Roots of libraries that are not in their usual place."""
        written = ((home, settings.get(("lib", "path"))) for home, settings in self._manifests.items())
        return {home: path for home, relative in written if relative and (path := join(home, relative))}

    @cached_property
    def _manifests(self) -> dict[str, dict[tuple[str, str], str]]:
        return {
            parent(path): {
                (section, key): value
                for section, key, value in toml_texts(self._tree.text(path))
                if section in ("package", "lib")
            }
            for path in self._tree.named("Cargo.toml")
        }


def use_paths(source: str) -> list[tuple[str, ...]]:
    """The paths of a `use`, groups written out; a leading "" stands for a leading `::`."""
    if _PLAIN.fullmatch(source):
        return [tuple(source.split("::"))]
    found: dict[tuple[str, ...], None] = {}
    outer: list[tuple[str, ...]] = []
    path: tuple[str, ...] = ()
    renamed = False
    after_group = False
    for word in _TOKENS.findall(source):
        if word == "{":
            outer.append(path)
        elif word in (",", "}"):
            if not after_group:
                found[path] = None
            path = outer[-1] if outer else ()
            if word == "}" and outer:
                outer.pop()
            renamed, after_group = False, word == "}"
            continue
        elif word == "as":
            renamed = True
        elif word == "::":
            path = path or ("",)
        elif word not in ("*", ":") and not renamed:
            inside = outer and word == "self" and path
            path = path if inside else (*path, word.removeprefix("r#"))
        after_group = False
        if len(found) >= _MAX_PATHS:
            break
    if not after_group and (path or not found):
        found[path] = None
    return [each for each in found if each and each != ("",)]
