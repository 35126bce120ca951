"""TypeScript's `paths` and `baseUrl`, from the nearest tsconfig.json or jsconfig.json."""

from collections.abc import Iterator
from typing import Any

from cairn.base.values import dataclass
from cairn.languages.modules.documents import json_object, mapping, texts
from cairn.languages.modules.tree import Tree, ancestors, join, parent, under

_NAMES = ("tsconfig.json", "jsconfig.json")
_MAX_DEPTH = 32
"""Of `extends`; every file counts once, so a circle ends by itself."""
_MAX_TRIES = 64
"""Folders that one pattern may name, and patterns that may start alike."""
_MAX_PATTERN = 200
"""Characters before the star."""


@dataclass(frozen=True, slots=True)
class Aliases:
    """Where names that are not relative are looked for."""

    base: str | None
    exact: dict[str, tuple[str, ...]]
    starred: dict[str, tuple[tuple[str, tuple[str, ...]], ...]]
    """By what stands before the star: what stands after it, and where to look."""
    lengths: tuple[int, ...]
    """Of the beginnings of starred patterns; the longest one that fits wins."""

    def candidates(self, source: str) -> Iterator[str]:
        """Paths, without regard to extensions, in the order in which they are tried."""
        yield from self._mapped(source)
        if self.base is not None:
            path = join(self.base, source)
            if path:
                yield path

    def _mapped(self, source: str) -> tuple[str, ...]:
        if source in self.exact:
            return self.exact[source]
        for length in self.lengths:
            if length > len(source):
                continue
            for after, targets in self.starred.get(source[:length], ()):
                if source.endswith(after) and len(source) >= length + len(after):
                    middle = source[length : len(source) - len(after)]
                    filled = (join("", target.replace("*", middle, 1)) for target in targets)
                    return tuple(path for path in filled if path)
        return ()


NO_ALIASES = Aliases(None, {}, {}, ())


class TsConfigs:
    """The `tsconfig.json` and `jsconfig.json` files of a tree."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._by_folder: dict[str, Aliases] = {}
        self._by_file: dict[str, Aliases] = {}
        self._read: dict[str, dict[str, Any]] = {}

    def of(self, folder: str) -> Aliases:
        """The aliases in force in a folder: the nearest configuration alone decides."""
        found = self._by_folder.get(folder)
        if found is None:
            found = self._by_folder[folder] = self._nearest(folder)
        return found

    def _nearest(self, folder: str) -> Aliases:
        path = self._tree.first(under(above, name) for above in ancestors(folder) for name in _NAMES)
        if path is None:
            return NO_ALIASES
        if path not in self._by_file:
            self._by_file[path] = self._load(path)
        return self._by_file[path]

    def _load(self, path: str) -> Aliases:
        seen: set[str] = set()
        found = self._settings(path, path, seen, 0)
        if not found:
            # A solution file only refers to the projects that hold the settings.
            for reference in self._references(path):
                found = self._settings(reference, reference, seen, 0)
                if found:
                    break
        return _aliases(found.get("base"), found.get("paths"))

    def _settings(self, path: str, top: str, seen: set[str], depth: int) -> dict[str, Any]:
        """`base` (a folder) and `paths` (targets seen from the root) after all that is inherited."""
        if path in seen or depth > _MAX_DEPTH:
            return {}
        seen.add(path)
        data = self._data(path)
        folder = parent(path)
        found: dict[str, Any] = {}
        for extended in texts(data.get("extends")):
            inherited = self._located(folder, extended)
            if inherited is not None:
                found.update(self._settings(inherited, top, seen, depth + 1))
        options = mapping(data.get("compilerOptions"))
        if isinstance(options.get("baseUrl"), str):
            found["base"] = join(*_anchored(folder, top, options["baseUrl"]))
        if isinstance(options.get("paths"), dict):
            start = found.get("base", folder)
            found["paths"] = {
                pattern: [to for each in texts(targets)[:_MAX_TRIES] if (to := join(*_anchored(start, top, each)))]
                for pattern, targets in (options["paths"].items() if start is not None else ())
            }
        return found

    def _data(self, path: str) -> dict[str, Any]:
        if path not in self._read:
            self._read[path] = json_object(self._tree.text(path))
        return self._read[path]

    def _located(self, folder: str, extended: str) -> str | None:
        if not extended.startswith("."):
            return None
        path = join(folder, extended)
        return self._tree.first((path, f"{path}.json", under(path, "tsconfig.json"))) if path else None

    def _references(self, path: str) -> Iterator[str]:
        listed = self._data(path).get("references")
        for each in listed if isinstance(listed, list) else ():
            target = mapping(each).get("path")
            if isinstance(target, str):
                joined = join(parent(path), target)
                found = self._tree.first((joined, under(joined, "tsconfig.json"))) if joined else None
                if found is not None:
                    yield found


def _anchored(folder: str, top: str, written: str) -> tuple[str, str]:
    inner = written.removeprefix("${configDir}")
    return (folder, written) if inner == written else (parent(top), inner)


def _aliases(base: str | None, paths: dict[str, list[str]] | None) -> Aliases:
    exact: dict[str, tuple[str, ...]] = {}
    starred: dict[str, list[tuple[str, tuple[str, ...]]]] = {}
    for pattern, targets in (paths or {}).items():
        before, star, after = pattern.partition("*")
        if star:
            others = starred.setdefault(before, [])
            if len(others) < _MAX_TRIES:
                others.append((after, tuple(targets)))
        else:
            exact[pattern] = tuple(targets)
    lengths = tuple(sorted({len(before) for before in starred if len(before) <= _MAX_PATTERN}, reverse=True))
    return Aliases(base, exact, {before: tuple(found) for before, found in starred.items()}, lengths)
