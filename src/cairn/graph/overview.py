"""What a repository is made of: languages, folders, ways in, what lies beside the code, and what it offers."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from cairn.base.values import dataclass
from cairn.graph.standing import Links, reach_of, weight_below
from cairn.graph.waysin import PACKAGE, EntryPoint, Read, in_order, ways_in
from cairn.store import FileRow
from cairn.syntax.filekind import DATA_LANGUAGES, DOCUMENT_LANGUAGES, kinds_of

_FOLDED = {
    "test": "tests",
    "docs": "docs",
    "example": "examples",
    "bench": "benchmarks",
    "vendored": "vendored",
    "generated": "generated",
}
SIDE = frozenset(_FOLDED)
_SCRIPTS = "scripts"
_FOLDERS = {"fuzz": "tests", **dict.fromkeys("scripts script ci hack contrib build-aux packaging".split(), _SCRIPTS)}
_FRONTS = frozenset({"__init__.py", "index.ts", "index.tsx", "index.js", "index.mjs", "lib.rs", "mod.rs", "main.go"})


def aside(path: str, language: str) -> str:
    """What lies beside the code, in a word; empty for the code itself.

    That is what a newcomer asks for last: tests, documents, examples, benchmarks, what others wrote or a program made,
    and scripts, which serve those who work on it (folders whose names begin with a dot hold nothing else).
    """
    kinds = kinds_of(path, language) & SIDE
    if kinds:
        return next(word for kind, word in _FOLDED.items() if kind in kinds)
    folders = path.split("/")[:-1]
    known = (_FOLDERS.get(each) or _SCRIPTS * each.startswith(".") for each in folders)
    return next(filter(None, known), "")


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
class Folded:
    """Files beside the code, of one kind."""

    kind: str
    files: int
    folders: tuple[str, ...]
    """The outermost ones that they lie in, the fullest first; empty is the root."""


@dataclass(frozen=True, slots=True)
class Overview:
    """What a repository is made of."""

    languages: tuple[LanguageShare, ...]
    folders: tuple[Folder, ...]
    entry_points: tuple[EntryPoint, ...]
    tests: tuple[Folder, ...]
    fronts: tuple[str, ...]
    """Files that stand for a package, the outermost first: what they offer is what it offers."""
    folded: tuple[Folded, ...] = ()
    installed: tuple[str, ...] = ()
    """The files that stand for what is installed."""


def overview(
    files: Sequence[FileRow],
    mains: Mapping[str, str],
    read: Read,
    links: Links | None = None,
    ranks: Mapping[str, float] | None = None,
    folder_depth: int = 2,
) -> Overview:
    """`mains` are files that are run, with how that is known.

    Ways in are put in order by what leans on what (`links`) and how much each file matters (`ranks`).
    """
    code = [file for file in files if file.language not in DATA_LANGUAGES | DOCUMENT_LANGUAGES | {"other"}]
    tests = [file for file in code if aside(file.path_key, file.language) == _FOLDED["test"]]
    plain = [file for file in code if not aside(file.path_key, file.language)]
    apart = [(file, word) for file in files if (word := aside(file.path_key, file.language))]
    manifests = [file.path_key for file in files if not aside(file.path_key, file.language)]
    ways = ways_in([file.path_key for file in plain], mains, manifests, read)
    return Overview(
        _languages(files),
        _folders(plain or code, folder_depth),
        in_order(ways, weight_below(ranks or {}), reach_of(links or {}, [each.path for each in ways])),
        _folders(tests, folder_depth),
        _fronts(plain),
        # Where there is nothing else, it is what was asked for.
        _folded(apart) if plain else (),
        tuple(each.path for each in ways if each.tier <= PACKAGE),
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


def _folded(files: Iterable[tuple[FileRow, str]]) -> tuple[Folded, ...]:
    counts: dict[str, Counter[str]] = {}
    for file, word in files:
        folders = file.path_key.split("/")[:-1]
        # The folder that makes it what it is, or else the one right below the root.
        depth = next(
            (at for at in range(1, len(folders) + 1) if _is_so("/".join(folders[:at]), word)), min(1, len(folders))
        )
        counts.setdefault(word, Counter())["/".join(folders[:depth])] += 1
    words = (*_FOLDED.values(), _SCRIPTS)
    return tuple(
        Folded(word, counts[word].total(), tuple(sorted(counts[word], key=lambda path: (-counts[word][path], path))))
        for word in words
        if word in counts
    )


def _is_so(folder: str, word: str) -> bool:
    return aside(f"{folder}/x", "") == word


def _fronts(files: Iterable[FileRow]) -> tuple[str, ...]:
    found = [file.path_key for file in files if file.path_key.rpartition("/")[2] in _FRONTS and file.lines]
    return tuple(sorted(found, key=lambda path: (path.count("/"), path)))
