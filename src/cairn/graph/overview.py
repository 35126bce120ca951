"""What a repository is made of: languages, folders, ways in, tests, and what it offers."""

import json
import tomllib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence

from cairn.base.values import dataclass
from cairn.store import FileRow
from cairn.syntax.filekind import DATA_LANGUAGES, DOCUMENT_LANGUAGES, kinds_of

_MAIN_FILES = frozenset(
    "__main__.py main.py manage.py app.py cli.py wsgi.py asgi.py main.go main.rs main.c main.cpp main.cc main.ts "
    "main.js main.kt main.swift main.dart Main.java Main.kt Program.cs index.php server.js server.ts "
    "Application.java".split()
)
SIDE = frozenset({"test", "example", "vendored", "bench", "docs", "generated"})
_FRONTS = frozenset({"__init__.py", "index.ts", "index.tsx", "index.js", "index.mjs", "lib.rs", "mod.rs", "main.go"})


@dataclass(frozen=True, slots=True)
class LanguageShare:
    """How much of a repository is in a language."""

    language: str
    files: int
    lines: int


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder of a repository, with what is beneath it."""

    path: str
    files: int
    lines: int
    language: str
    """The one that most of its lines are in."""


@dataclass(frozen=True, slots=True)
class EntryPoint:
    """A file by which a program or a package is entered, and how that is known."""

    path: str
    why: str


@dataclass(frozen=True, slots=True)
class Overview:
    """What a repository is made of."""

    languages: tuple[LanguageShare, ...]
    folders: tuple[Folder, ...]
    entry_points: tuple[EntryPoint, ...]
    tests: tuple[Folder, ...]
    fronts: tuple[str, ...]
    """Files that stand for a package, the outermost first: what they offer is what it offers."""


def overview(
    files: Sequence[FileRow], mains: Iterable[str], read: Callable[[str], str | None], folder_depth: int = 2
) -> Overview:
    """`mains` are files that define a function called main at their top."""
    present = {file.path_key for file in files}
    code = [file for file in files if file.language not in DATA_LANGUAGES | DOCUMENT_LANGUAGES | {"other"}]
    tests = [file for file in code if "test" in kinds_of(file.path_key, file.language)]
    plain = [file for file in code if not kinds_of(file.path_key, file.language) & SIDE]
    return Overview(
        _languages(files),
        _folders(plain or code, folder_depth),
        _entry_points(plain, set(mains), present, read),
        _folders(tests, folder_depth),
        _fronts(plain),
    )


def _languages(files: Iterable[FileRow]) -> tuple[LanguageShare, ...]:
    counts: Counter[str] = Counter()
    lines: Counter[str] = Counter()
    for file in files:
        counts[file.language] += 1
        lines[file.language] += file.lines
    found = (LanguageShare(language, counts[language], lines[language]) for language in counts)
    return tuple(sorted(found, key=lambda share: (-share.lines, share.language)))


def _folders(files: Iterable[FileRow], depth: int) -> tuple[Folder, ...]:
    grouped: dict[str, list[FileRow]] = {}
    for file in files:
        parts = file.path_key.split("/")[:-1][:depth]
        grouped.setdefault("/".join(parts), []).append(file)
    found = []
    for path, own in grouped.items():
        lines: Counter[str] = Counter()
        for file in own:
            lines[file.language] += file.lines
        main = min(lines, key=lambda language: (-lines[language], language))
        found.append(Folder(path, len(own), lines.total(), main))
    return tuple(sorted(found, key=lambda folder: (-folder.lines, folder.path)))


def _entry_points(
    files: Sequence[FileRow], mains: set[str], present: set[str], read: Callable[[str], str | None]
) -> tuple[EntryPoint, ...]:
    found: dict[str, str] = {}
    for manifest, declared in (("pyproject.toml", _python_scripts), ("package.json", _node_scripts)):
        text = read(manifest) if manifest in present else None
        for path, why in declared(text or "", present):
            found.setdefault(path, why)
    for file in sorted(files, key=lambda file: (file.path_key.count("/"), file.path_key)):
        name = file.path_key.rpartition("/")[2]
        if file.path_key in mains:
            found.setdefault(file.path_key, "defines main")
        elif name in _MAIN_FILES:
            found.setdefault(file.path_key, "by its name")
        elif file.path_key.startswith(("bin/", "cmd/", "scripts/")) and "/" not in file.path_key.partition("/")[2]:
            found.setdefault(file.path_key, "lies among commands")
    return tuple(EntryPoint(path, why) for path, why in found.items())


def _python_scripts(text: str, present: set[str]) -> list[tuple[str, str]]:
    try:
        scripts = tomllib.loads(text).get("project", {}).get("scripts", {})
    except (tomllib.TOMLDecodeError, AttributeError, RecursionError):
        return []
    found = []
    for name, target in sorted(scripts.items()) if isinstance(scripts, Mapping) else ():
        module = str(target).partition(":")[0].replace(".", "/")
        for start in ("", "src/"):
            found += [
                (path, f"command {name}")
                for path in (f"{start}{module}.py", f"{start}{module}/__init__.py")
                if path in present
            ]
    return found


def _node_scripts(text: str, present: set[str]) -> list[tuple[str, str]]:
    try:
        document = json.loads(text or "{}")
    except (ValueError, RecursionError):
        return []
    if not isinstance(document, dict):
        return []
    bins = document.get("bin")
    named = bins.items() if isinstance(bins, dict) else [(document.get("name"), bins)]
    wanted = [(target, f"command {name}") for name, target in named if isinstance(target, str)]
    wanted += [(document[key], f"package {key}") for key in ("main", "module") if isinstance(document.get(key), str)]
    return [(path, why) for target, why in wanted if (path := target.removeprefix("./")) in present]


def _fronts(files: Iterable[FileRow]) -> tuple[str, ...]:
    found = [file.path_key for file in files if file.path_key.rpartition("/")[2] in _FRONTS and file.lines]
    return tuple(sorted(found, key=lambda path: (path.count("/"), path)))
