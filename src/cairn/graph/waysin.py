"""The ways into a repository: what somebody else starts.

One rule: first what is installed (the commands that a manifest names, then the file that stands for a package), then
what is run (a `main` that the system calls, a file that runs when it is started), then what only bears the name of a
start, unless a manifest above it says what is installed. Manifests count wherever they lie in the code itself; of what
they name as it is built, the source is looked up. Of one kind, those come first whose part of the tree matters most,
and there those that take in most of it.
"""

import configparser
import json
import posixpath
import tomllib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from cairn.base import lazy
from cairn.base.values import dataclass

_STARTS = frozenset(
    "__main__.py main.py manage.py app.py cli.py wsgi.py asgi.py main.go main.rs main.c main.cpp main.cc main.ts "
    "main.js main.kt main.swift main.dart Main.java Main.kt Program.cs index.php server.js server.ts "
    "Application.java".split()
)
COMMAND, PACKAGE, RUN, NAMED = range(4)
_SOURCES = (".ts", ".tsx", ".mts", ".cts", ".js", ".mjs", ".cjs", ".jsx")
_BUILT = lazy.expression(r"(?:\.d)?\.[cm]?[jt]sx?$")
_SETUP_SCRIPT = lazy.expression(r"""['"]\s*([\w.-]+)\s*=\s*([\w.]+)\s*:\s*[\w.]+\s*['"]""")
_EXECUTABLE = lazy.expression(r"(?im)^[ \t]*add_executable\s*\(\s*([\w.-]+)\s+([^)$]*)\)")
_GO_MODULE = lazy.expression(r"(?m)^module[ \t]+\"?([^\s\"]+)")
_GO_VERSION = lazy.expression(r"/v\d+$")
_PUBLIC_HEADER = lazy.expression(r"(?:^|/)include/([\w-]+)/\1\.h(?:h|pp|xx)?$")
_MOST_MANIFESTS = 500
"""A tree with more, such as a mirror of packages, is known by its outermost ones."""

Read = Callable[[str], str | None]


@dataclass(frozen=True, slots=True)
class EntryPoint:
    """A file by which a program or a package is entered, and how that is known."""

    path: str
    why: str


@dataclass(frozen=True, slots=True)
class WayIn:
    """A file by which a repository may be entered, before they are put in order."""

    path: str
    why: str
    tier: int
    home: str
    """The part of the tree that it leads into: the folder of its manifest, or its own."""


def ways_in(code: Sequence[str], mains: Mapping[str, str], present: Collection[str], read: Read) -> list[WayIn]:
    """Each file that is a way in, for the best reason there is.

    `code` are the files of the code itself, `mains` those that are run, with how that is known, and `present` all
    files, among which manifests are looked for.
    """
    there = frozenset(present)
    found: dict[str, WayIn] = {}

    def add(path: str, why: str, tier: int, home: str) -> None:
        known = found.get(path)
        if path in there and (known is None or tier < known.tier):
            found[path] = WayIn(path, why, tier, home)

    manifests = [path for path in present if path.rpartition("/")[2] in _READERS or path.endswith(".gemspec")]
    outermost = sorted(manifests, key=lambda path: (path.count("/"), path))
    # The innermost first: it knows best which part of the tree is meant.
    for manifest in reversed(outermost[:_MOST_MANIFESTS]):
        folder, _, name = manifest.rpartition("/")
        reader = _READERS.get(name, _gem)
        place = _Place(folder, there, manifest)
        for path, why, tier in _declared(reader, read(manifest) or "", place):
            add(path, why, tier, folder)
    declaring = {each.home for each in found.values()}
    # A manifest at the root says what is installed; what else lies in `bin` serves those who work on it.
    has_manifest = any("/" not in manifest for manifest in manifests)
    for path in code:
        folder, _, name = path.rpartition("/")
        if path in mains:
            add(path, mains[path], RUN, folder)
        elif folder in ("bin", "exe") and not has_manifest:
            add(path, "lies among commands", COMMAND, folder)
        elif _PUBLIC_HEADER.search(path):
            add(path, "public header", PACKAGE, folder)
        elif name in _STARTS and declaring.isdisjoint(_above(path)):
            add(path, "by its name", NAMED, folder)
    return list(found.values())


def _above(path: str) -> Iterator[str]:
    """The folders that a file lies in, up to the root."""
    while path:
        path = path.rpartition("/")[0]
        yield path


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a manifest lies, and what lies around it."""

    folder: str
    present: frozenset[str]
    manifest: str

    def first(self, *wanted: str) -> Iterator[str]:
        """The first of some paths from the manifest's folder that is a file."""
        paths = (posixpath.normpath(posixpath.join(self.folder, each)) for each in wanted)
        yield from list(dict.fromkeys(path for path in paths if path in self.present))[:1]

    def module(self, dotted: str) -> Iterator[str]:
        """The file of a module of Python."""
        path = dotted.strip().replace(".", "/")
        places = (f"{start}{path}{end}" for start in ("", "src/", "lib/") for end in (".py", "/__init__.py"))
        return self.first(*places)

    def script(self, target: str) -> Iterator[str]:
        """The file of JavaScript or TypeScript that a manifest names, or the one that it is built from."""
        stem = _BUILT.sub("", posixpath.normpath(target))
        inner = stem.partition("/")[2]
        places = (target, *(f"{each}{end}" for each in (stem, f"src/{inner}", inner) if each for end in _SOURCES))
        return self.first(*places)


_Declared = Iterator[tuple[str, str, int]]


def _declared(reader: Callable[[str, _Place], _Declared], text: str, place: _Place) -> list[tuple[str, str, int]]:
    try:
        return list(reader(text, place))
    except (tomllib.TOMLDecodeError, configparser.Error, ValueError, RecursionError):
        # A manifest that nobody can read names no way in.
        return []


def _python(text: str, place: _Place) -> _Declared:
    document = tomllib.loads(text)
    project, poetry = _at(document, "project"), _at(document, "tool", "poetry")
    for scripts in (_at(project, "scripts"), _at(project, "gui-scripts"), _at(poetry, "scripts")):
        for name, target in sorted(scripts.items()):
            yield from ((path, f"command {name}", COMMAND) for path in place.module(str(target).partition(":")[0]))
    for name in {str(each.get("name") or "") for each in (project, poetry)} - {""}:
        yield from _python_package(name, place)


def _setup_cfg(text: str, place: _Place) -> _Declared:
    parser = configparser.ConfigParser(interpolation=None)
    parser.read_string(text)
    for line in parser.get("options.entry_points", "console_scripts", fallback="").splitlines():
        name, _, target = line.partition("=")
        yield from ((path, f"command {name.strip()}", COMMAND) for path in place.module(target.partition(":")[0]))
    yield from _python_package(parser.get("metadata", "name", fallback=""), place)


def _setup_py(text: str, place: _Place) -> _Declared:
    for name, module in _SETUP_SCRIPT.findall(text):
        yield from ((path, f"command {name}", COMMAND) for path in place.module(module))


def _python_package(name: str, place: _Place) -> _Declared:
    module = name.replace("-", "_")
    for each in dict.fromkeys((module, module.lower())) if module else ():
        yield from ((path, f"package {name}", PACKAGE) for path in place.module(each))
        yield from ((path, f"python -m {each}", COMMAND) for path in place.module(f"{each}.__main__"))


def _node(text: str, place: _Place) -> _Declared:
    document = json.loads(text or "{}")
    if not isinstance(document, dict):
        return
    name = document.get("name") if isinstance(document.get("name"), str) else ""
    bins = document.get("bin")
    for command, target in bins.items() if isinstance(bins, dict) else [(name, bins)]:
        if isinstance(target, str):
            yield from ((path, f"command {command}", COMMAND) for path in place.script(target))
    exports = document.get("exports")
    front = exports.get(".", exports) if isinstance(exports, dict) else exports
    targets = [*_leaves(document.get("main")), *_leaves(document.get("module")), *_leaves(front)]
    if not targets and exports is None:
        # What node takes where a manifest says nothing.
        targets = ["index.js"]
        found = list(place.first(*targets))
    else:
        found = [path for target in targets for path in place.script(target)]
    if targets and not found:
        # What is built from elsewhere is entered where a package is by custom.
        found = list(place.first(*(f"{each}index{end}" for each in ("src/", "") for end in _SOURCES)))
    yield from ((path, f"package {name}" if name else "package main", PACKAGE) for path in found[:1])


def _cargo(text: str, place: _Place) -> _Declared:
    document = tomllib.loads(text)
    name = str(_at(document, "package").get("name") or "")
    if not name:
        return
    bins = document.get("bin")
    for each in bins if isinstance(bins, list) else ():
        command = str(each.get("name") or name) if isinstance(each, dict) else name
        path = str(each.get("path") or "") if isinstance(each, dict) else ""
        tries = (path, f"src/bin/{command}.rs", f"src/bin/{command}/main.rs", "src/main.rs")
        yield from ((path, f"command {command}", COMMAND) for path in place.first(*filter(None, tries)))
    yield from ((path, f"command {name}", COMMAND) for path in place.first("src/main.rs"))
    library = str(_at(document, "lib").get("path") or "src/lib.rs")
    yield from ((path, f"crate {name}", PACKAGE) for path in place.first(library))


def _composer(text: str, place: _Place) -> _Declared:
    document = json.loads(text or "{}")
    for target in _leaves(_at(document, "bin") or (document.get("bin") if isinstance(document, dict) else None)):
        yield from ((path, "command", COMMAND) for path in place.first(target))
    for target in _leaves(_at(document, "autoload").get("files")):
        yield from ((path, "loaded at the start", PACKAGE) for path in place.first(target))


def _gem(_text: str, place: _Place) -> _Declared:
    name = posixpath.basename(place.manifest).removesuffix(".gemspec")
    yield from (
        (path, f"gem {name}", PACKAGE) for path in place.first(f"lib/{name}.rb", f"lib/{name.replace('-', '/')}.rb")
    )


def _go(text: str, place: _Place) -> _Declared:
    """A module's outermost package, by the file that is called like it; one that is run is known by its `main`."""
    module = _GO_MODULE.search(text)
    if module is None:
        return
    name = _GO_VERSION.sub("", module[1]).rpartition("/")[2]
    plain = name.removeprefix("go-").removesuffix("-go").removesuffix(".go")
    tries = (f"{each.replace('-', end)}.go" for each in (name, plain) for end in ("-", "_", ""))
    yield from ((path, f"package {name}", PACKAGE) for path in place.first(*tries, "doc.go"))


def _cmake(text: str, place: _Place) -> _Declared:
    for name, sources in _EXECUTABLE.findall(text):
        yield from ((path, f"program {name}", RUN) for path in place.first(*sources.split()))


_READERS: Mapping[str, Callable[[str, _Place], _Declared]] = {
    "pyproject.toml": _python,
    "setup.cfg": _setup_cfg,
    "setup.py": _setup_py,
    "package.json": _node,
    "Cargo.toml": _cargo,
    "composer.json": _composer,
    "CMakeLists.txt": _cmake,
    "go.mod": _go,
}


def _at(document: Any, *keys: str) -> Mapping[str, Any]:
    """A table inside a document; an empty one where something else is written."""
    for key in keys:
        document = document.get(key) if isinstance(document, Mapping) else None
    return document if isinstance(document, Mapping) else {}


def _leaves(value: object) -> Iterator[str]:
    """The texts in a value, in its order."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        yield from (leaf for each in value.values() for leaf in _leaves(each))
    elif isinstance(value, list):
        yield from (leaf for each in value for leaf in _leaves(each))


def in_order(
    found: Iterable[WayIn], weight: Callable[[str], float], reach: Callable[[str], int]
) -> tuple[EntryPoint, ...]:
    """Ways in by their kind, by the `weight` of the folders that they lead into, then by how far each reaches."""
    ordered = sorted(found, key=lambda way: (way.tier, -weight(way.home), -reach(way.path), way.path))
    return tuple(EntryPoint(each.path, each.why) for each in ordered)
