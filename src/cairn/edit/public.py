"""The public names of a package, by which code outside of the tree may know a thing."""

import json
import posixpath
import re
from collections.abc import Iterable, Iterator
from typing import Any

from cairn.edit.group import Group
from cairn.edit.lineage import node_at
from cairn.edit.ownname import above
from cairn.edit.sources import SourceFiles
from cairn.edit.texts import FileText
from cairn.edit.values import SEMANTIC, Doubt, Spot

_ENTRANCE = re.compile(r"(?:\A|/)(?:__init__\.pyi?|index\.[cm]?[jt]sx?)\Z")
_EXPORTS = frozenset({"import_from_statement", "export_specifier"})
_STAR = re.compile(rb"^\s*from\s+(\.*[\w.]*)\s+import\s+\*|^\s*export\s+\*\s+from\s+[\"']([^\"']+)[\"']", re.MULTILINE)
_SUFFIX = re.compile(r"(?:\.d)?\.[cm]?[jt]sx?\Z")
_ENTRIES = ("main", "module", "browser", "types", "typings", "exports", "bin")
_BUILT = frozenset({"dist", "lib", "build", "out", "esm", "cjs", "types"})


def exported_doubts(group: Group, spots: Iterable[Spot], sources: SourceFiles) -> Iterator[Doubt]:
    """Doubts about a name that is part of a package's public interface."""
    place = _shown_at(group, spots, sources)
    if place:
        yield Doubt(
            "exported", f"{place} makes {group.name} public: who uses it outside of this tree?", "its users", "ask them"
        )


def _shown_at(group: Group, spots: Iterable[Spot], sources: SourceFiles) -> str:
    """The file that makes it public; empty if none does."""
    for spot in spots:
        if (spot.provenance != SEMANTIC and not spot.form) or _is_entrance(spot, sources):
            return f"{spot.path}:{spot.line}"
    if group.member or group.parameter or group.home or group.name.startswith("_"):
        return ""
    for path, each in group.definitions:
        node = node_at(each, path, sources.of)
        if _is_top(node) and (shown := _shows(path, node, sources)):
            return shown
    return ""


def _is_entrance(spot: Spot, sources: SourceFiles) -> bool:
    """Whether a place makes the name public, such as an import in `__init__.py`."""
    if not _ENTRANCE.search(spot.path):
        return False
    source = sources.of(spot.path)
    at = FileText(source.data).offset(spot.line, spot.column)
    node = source.node(at, at + len(spot.text.encode()))
    return any(each.type in _EXPORTS for each in above(node)) and not spot.text.startswith("_")


def _is_top(node: Any) -> bool:
    """Whether something is defined in no function and no class."""
    inner = ("function_definition", "class_definition", "statement_block", "class_body")
    own = node.parent if node is not None else None
    return own is not None and not any(outer.type in inner for outer in above(own.parent))


def _shows(path: str, node: Any, sources: SourceFiles) -> str:
    """The file through which a package exposes everything at the top level of a file; empty if none does."""
    python = path.endswith((".py", ".pyi"))
    if not python and not any(outer.type == "export_statement" for outer in above(node)):
        return ""
    if _ENTRANCE.search(path):
        return path
    shown = path
    for folder in _folders(path):
        for entrance in sources.beside(folder, _ENTRANCE):
            if any(_leads(entrance, match, shown) for match in _STAR.finditer(sources.of(entrance).data)):
                shown = entrance
        package = posixpath.join(folder, "package.json")
        if not python and sources.has(package) and _lists(sources.of(package).data, folder, shown):
            return package
    return shown if shown != path else ""


def _folders(path: str) -> Iterator[str]:
    """The folders around a file, the inner first."""
    folder = posixpath.dirname(path)
    while folder:
        yield folder
        folder = posixpath.dirname(folder)
    yield ""


def _leads(entrance: str, star: re.Match[bytes], path: str) -> bool:
    """Whether `from .module import *` or `export * from "./module"` re-exports a file."""
    folder = posixpath.dirname(entrance)
    if star[2] is not None:
        named = posixpath.normpath(posixpath.join(folder, _SUFFIX.sub("", star[2].decode("utf-8", "replace"))))
        return _SUFFIX.sub("", path) in (named, posixpath.join(named, "index"))
    written = star[1].decode("utf-8", "replace")
    dots = len(written) - len(written.lstrip("."))
    for _ in range(dots - 1):
        folder = posixpath.dirname(folder)
    inner = written.lstrip(".").replace(".", "/")
    named = posixpath.join(folder, inner) if dots else inner
    bare = path.rpartition(".")[0]
    return (
        any(bare.endswith(each) for each in (named, f"{named}/__init__"))
        if not dots
        else bare in (named, posixpath.join(named, "__init__"))
    )


def _lists(data: bytes, folder: str, path: str) -> bool:
    """Whether a package's manifest names a file, or its built form, as an entry point."""
    try:
        said = json.loads(data)
    except ValueError:
        return False
    listed = [each for key in _ENTRIES for each in _texts(said.get(key))] if isinstance(said, dict) else []
    own = _bare(posixpath.relpath(path, folder or "."))
    return any(_pattern(each).fullmatch(own) for each in listed)


def _pattern(listed: str) -> re.Pattern[str]:
    """An expression for a listed path, in which a star stands for any part."""
    return re.compile(".*".join(map(re.escape, _bare(listed).split("*"))))


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    for each in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _texts(each)


def _bare(path: str) -> str:
    """A path without its suffix and without the folder for sources or build results."""
    parts = _SUFFIX.sub("", posixpath.normpath(path)).split("/")
    while len(parts) > 1 and (parts[0] in _BUILT or parts[0] == "src"):
        parts = parts[1:]
    return "/".join(parts)
