"""The package.json files of a tree: names, entries, and which of them are linked to each other."""

from collections.abc import Iterator
from functools import cached_property
from typing import Any

from cairn.languages.modules.documents import MAX_DOCUMENT, json_object, mapping, texts
from cairn.languages.modules.tree import MANY, Tree, ancestors, is_within, join, nearest, parent, under

_FIELDS = ("source", "module", "main", "types", "typings")
_CONDITIONS = ("source", "import", "module", "default", "require", "node", "browser", "types")
_DEPENDENCIES = ("dependencies", "devDependencies", "peerDependencies", "optionalDependencies")
_LINKS = ("workspace:", "file:", "link:", "portal:")
_BUILT = frozenset({"dist", "lib", "build", "out", "es", "esm", "cjs", "umd"})
_MAX_DEPTH = 8
_MAX_TRIES = 64
_MAX_PATTERNS = 1000
"""Of `exports` or `imports`; each is held against what is asked for."""


class Package:
    """One package.json, and the folder that it stands in."""

    def __init__(self, folder: str, data: dict[str, Any]) -> None:
        self.folder = folder
        self.data = data

    @property
    def name(self) -> str:
        """The name that it is imported by; empty where it states none."""
        name = self.data.get("name")
        return name if isinstance(name, str) else ""

    def entries(self, subpath: str) -> Iterator[str]:
        """Where the package says that a subpath ("" for itself) is found."""
        for target in self._written(subpath):
            path = join(self.folder, target)
            if path:
                yield path

    def sources(self, subpath: str) -> Iterator[str]:
        """What entries into built files were probably built from."""
        for target in self._written(subpath):
            parts = [part for part in target.split("/") if part != "."]
            at = next((index for index, part in enumerate(parts) if part not in _BUILT), len(parts))
            if at:
                path = join(self.folder, "/".join(["src", *parts[at:]]))
                if path:
                    yield path
        yield under(self.folder, under("src", subpath or "index"))

    def _written(self, subpath: str) -> list[str]:
        exports = self.data.get("exports")
        found: list[str] = []
        if exports is not None:
            listed = mapping(exports)
            if not any(key.startswith(".") for key in listed):
                listed = {".": exports}
            found += mapped(listed, f"./{subpath}" if subpath else ".")
        if not subpath:
            found += [text for field in _FIELDS if isinstance(text := self.data.get(field), str)]
        return found

    @property
    def hides(self) -> bool:
        """Whether only what is exported may be asked for."""
        return self.data.get("exports") is not None


def mapped(listed: dict[str, Any], asked: str) -> list[str]:
    """What `exports` or `imports` give for a key; the longest pattern that fits wins."""
    if asked in listed:
        return _conditional(listed[asked])
    fitting = []
    for key, value in listed.items() if len(listed) <= _MAX_PATTERNS else ():
        before, star, after = key.partition("*")
        if star and asked.startswith(before) and asked.endswith(after) and len(asked) >= len(before) + len(after):
            fitting.append((-len(before), key, asked[len(before) : len(asked) - len(after)], value))
    if not fitting:
        return []
    _, _, middle, value = min(fitting, key=lambda fit: fit[:2])
    return [target.replace("*", middle) for target in _conditional(value) if target.count("*") < 4]


def _conditional(value: object) -> list[str]:
    """The texts in nested conditions, those that lead to sources first."""
    found: list[str] = []
    todo: list[tuple[object, int]] = [(value, 0)]
    while todo and len(found) < _MAX_TRIES:
        each, depth = todo.pop()
        if isinstance(each, str):
            found.append(each)
        elif depth < _MAX_DEPTH:
            conditions = mapping(each)
            inner = [conditions[key] for key in sorted(conditions, key=_rank)]
            inner += each if isinstance(each, list) else []
            todo += [(item, depth + 1) for item in reversed(inner)]
    return found


def _rank(condition: str) -> tuple[int, str]:
    known = _CONDITIONS.index(condition) if condition in _CONDITIONS else len(_CONDITIONS)
    return known, condition


class Packages:
    """The `package.json` files of a tree."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._at: dict[str, Package | None] = {}
        self._near: dict[str, Package | None] = {}
        self._found: dict[tuple[str, str], tuple[tuple[Package, ...], bool]] = {}

    def at(self, folder: str) -> Package | None:
        """The package whose package.json stands in a folder."""
        if folder not in self._at:
            path = under(folder, "package.json")
            there = path in self._tree.files
            self._at[folder] = Package(folder, json_object(self._tree.text(path))) if there else None
        return self._at[folder]

    def around(self, folder: str) -> Package | None:
        """The package that a folder belongs to."""
        if folder not in self._near:
            found = (package for above in ancestors(folder) if (package := self.at(above)))
            self._near[folder] = next(found, None)
        return self._near[folder]

    def find(self, folder: str, name: str) -> tuple[tuple[Package, ...], bool]:
        """The packages of that name, and whether code in the folder is surely given the one that is named."""
        key = (folder, name)
        if key not in self._found:
            self._found[key] = self._find(folder, name)
        return self._found[key]

    def _find(self, folder: str, name: str) -> tuple[tuple[Package, ...], bool]:
        named = self._by_name.get(name, ())
        own = self.around(folder)
        if own in named:
            return (own,), True
        if not named or len(named) > MANY:
            return (), False
        linked = [package for package in named if self._are_linked(own, package, folder)]
        if len(linked) == 1:
            return (linked[0],), True
        by_path = {under(package.folder, "package.json"): package for package in linked or named}
        return tuple(by_path[path] for path in nearest(f"{folder}/", by_path)), False

    def _are_linked(self, own: Package | None, package: Package, folder: str) -> bool:
        for field in _DEPENDENCIES:
            wanted = mapping(own.data.get(field)).get(package.name) if own is not None else None
            if isinstance(wanted, str) and wanted.startswith(_LINKS):
                return True
        return any(
            is_within(root, folder) and _is_member(root, self._workspaces.get(root, []), package.folder)
            for root in ancestors(parent(package.folder))
        )

    @cached_property
    def _by_name(self) -> dict[str, tuple[Package, ...]]:
        found: dict[str, list[Package]] = {}
        for path in self._tree.named("package.json"):
            package = self.at(parent(path))
            if package is not None and package.name and "node_modules" not in path.split("/"):
                found.setdefault(package.name, []).append(package)
        return {name: tuple(packages) for name, packages in found.items()}

    @cached_property
    def _workspaces(self) -> dict[str, list[str]]:
        """The patterns of the members, by the folder that holds the workspace."""
        found: dict[str, list[str]] = {}
        for path in self._tree.named("package.json"):
            package = self.at(parent(path))
            listed = package.data.get("workspaces") if package else None
            patterns = texts(mapping(listed).get("packages") if isinstance(listed, dict) else listed)
            found.setdefault(parent(path), []).extend(patterns[:_MAX_TRIES])
        for path in self._tree.named("pnpm-workspace.yaml"):
            items = (line.strip() for line in (self._tree.text(path) or "")[:MAX_DOCUMENT].splitlines())
            patterns = [item[1:].strip().strip("'\"") for item in items if item.startswith("-")]
            found.setdefault(parent(path), []).extend(patterns[:_MAX_TRIES])
        return found


def _is_member(root: str, patterns: list[str], folder: str) -> bool:
    parts = folder[len(root) :].strip("/").split("/")
    fits = False
    for pattern in patterns:
        wanted = [part for part in pattern.removeprefix("!").split("/") if part not in ("", ".")]
        if _fits(wanted, parts):
            fits = not pattern.startswith("!")
    return fits


def _fits(wanted: list[str], parts: list[str]) -> bool:
    if wanted and wanted[-1] == "**":
        wanted, parts = wanted[:-1], parts[: len(wanted) - 1]
    return len(wanted) == len(parts) and all(map(_fits_part, wanted, parts))


def _fits_part(wanted: str, part: str) -> bool:
    before, star, after = wanted.partition("*")
    return part.startswith(before) and part.endswith(after) and (bool(star) or part == wanted)
