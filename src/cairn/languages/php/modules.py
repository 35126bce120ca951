"""PHP: classes by the psr-4 prefixes of composer.json, files by their paths."""

import re
from collections.abc import Iterator
from functools import cached_property

from cairn.languages.modules.documents import json_object, mapping, texts
from cairn.languages.modules.target import NOWHERE, Target
from cairn.languages.modules.tree import Tree, join, nearest, parent, under

_MAX_FOLDERS = 64
"""For one prefix."""
_BUILT = re.compile(r"(?P<start>.*?)\s*\.\s*[\"'](?P<path>[^\"'${}]+)[\"']?", re.DOTALL)
"""A path that is put together, its last part a plain text."""
_HERE = re.compile(r"(?P<ups>(?:dirname\s*\(\s*)*)(?P<what>__DIR__|__FILE__)[\s)]*")
"""What stands for the folder or the file that it is written in, or for what is above it."""
_FILES = (".php", ".inc", ".phtml", ".php5")


class Php:
    """Namespaces, and files that are included by their paths."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree

    def resolve(self, importer: str, source: str) -> Target:
        built = _BUILT.fullmatch(source)
        if built is not None:
            return self._built(importer, built["start"], built["path"])
        if "\\" not in source and ("/" in source or source.endswith(_FILES)):
            return self._included(importer, source)
        parts = tuple(part for part in source.split("\\") if part)
        if not all(part.replace("_", "a").isalnum() for part in parts):
            return NOWHERE
        return self._autoloaded(importer, parts) or self._guessed(importer, parts)

    def _built(self, importer: str, start: str, path: str) -> Target:
        here = _HERE.fullmatch(start)
        if here is None:
            return self._included(importer, path)
        folder = importer if here["what"] == "__FILE__" else parent(importer)
        for _ in range(here["ups"].count("dirname")):
            folder = parent(folder)
        found = join(folder, path.lstrip("/")) if path.startswith("/") else None
        return Target((found,), True) if found is not None and found in self._tree.files else NOWHERE

    def _included(self, importer: str, source: str) -> Target:
        beside = join(parent(importer), source)
        plain = join("", source) if ".." not in source.split("/") else None
        found = self._tree.ending(plain) if plain else ()
        if beside is not None and beside in self._tree.files:
            # What stood before the path (a constant) is not known, so another file may be meant.
            others = tuple(path for path in found if path != beside)
            explicit = source.startswith(("./", "../", "/../", "/./"))
            return Target((beside, *nearest(importer, others)), explicit or not others)
        return Target(nearest(importer, found), False) if found else NOWHERE

    def _autoloaded(self, importer: str, parts: tuple[str, ...]) -> Target | None:
        for length in range(len(parts), -1, -1):
            bases = self._prefixes.get(parts[:length], ())
            inner = "/".join(parts[length:])
            found = [path for base in bases if inner and (path := under(base, f"{inner}.php")) in self._tree.files]
            if found:
                return Target(nearest(importer, found), len(found) == 1)
            folders = [folder for base in bases if self._tree.inside(folder := under(base, inner), ".php")]
            if folders:
                # A namespace before a group of names.
                return Target(tuple(path for each in folders for path in self._tree.inside(each, ".php")), False)
        return None

    def _guessed(self, importer: str, parts: tuple[str, ...]) -> Target:
        """Folders named like the namespace, without the vendor's part of it if need be."""
        for start in range(len(parts) - 1):
            found = self._tree.ending("/".join(parts[start:]) + ".php")
            if found:
                return Target(nearest(importer, found), False)
        return NOWHERE

    @cached_property
    def _prefixes(self) -> dict[tuple[str, ...], tuple[str, ...]]:
        found: dict[tuple[str, ...], dict[str, None]] = {}
        for path in self._tree.named("composer.json"):
            for prefix, folder in _psr4(json_object(self._tree.text(path))):
                base = join(parent(path), folder)
                if base is not None:
                    found.setdefault(tuple(part for part in prefix.split("\\") if part), {})[base] = None
        return {prefix: tuple(bases)[:_MAX_FOLDERS] for prefix, bases in found.items()}


def _psr4(data: dict[str, object]) -> Iterator[tuple[str, str]]:
    for section in ("autoload", "autoload-dev"):
        for prefix, folders in mapping(mapping(data.get(section)).get("psr-4")).items():
            for folder in texts(folders):
                yield prefix, folder
