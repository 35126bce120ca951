"""What a path says by itself: the words of its name and folders, the platform and the version it is for."""

import re
from functools import lru_cache

from cairn.base import lazy
from cairn.base.values import dataclass
from cairn.kernel.tokens import tokens_of_each

_INDEX_STEMS = frozenset({"index", "mod", "lib", "main", "__init__", "init", "package", "package-info"})
_PART = lazy.expression(r"[/._-]+")
HEAD_CHARS = 3
_VERSION = lazy.expression(r"v(\d{1,4})")
POSIX = frozenset("unix linux posix".split())
PLATFORMS = frozenset(
    "win windows win32 win64 winrt nt msvc mingw cygwin darwin macos macosx osx mac ios tvos watchos android wasm "
    "wasm32 wasi emscripten solaris sunos aix hpux freebsd openbsd netbsd dragonfly bsd haiku os390 zos ibmi qnx vms "
    "plan9 fuchsia".split()
)
"""Platforms that keep a file of their own beside the one that most readers have in mind."""


@dataclass(frozen=True, slots=True)
class PathFacts:
    """What ranking needs to know about a path."""

    stem_terms: frozenset[str]
    folder_terms: frozenset[str]
    names: tuple[str, ...]
    """The tokens of the file's name: whole first, then its parts; the folder's for `index` and its kind."""
    heads: frozenset[str]
    """The first letters of each of the names."""
    joined: str
    """The name's letters and digits, all in one."""
    trail: tuple[str, ...]
    """Folders and stem in lower case, without the stem of a file that stands for its folder."""
    depth: int
    platform: bool
    """Whether it is for one platform, and not a POSIX one."""
    shape: tuple[str, ...]
    """Its parts without platforms: alike for parallel implementations."""
    versions: tuple[tuple[str, int], ...]
    """(folder above, number) of every part like `v2`."""


@lru_cache(maxsize=20_000)
def path_facts(path_key: str) -> PathFacts:
    """What a path says about its file."""
    folders, _, name = path_key.rpartition("/")
    stem = stem_of(name)
    parts = path_key.split("/")
    shown = parts[-2] if is_index(stem) and len(parts) > 1 else stem
    words = _PART.split(path_key.lower())
    own, above, said = tokens_of_each((stem, folders, re.sub(r"\W+", "_", shown)))
    names = tuple(term for term in said if len(term) > 1)
    return PathFacts(
        frozenset(own),
        frozenset(above),
        names,
        frozenset(name[:HEAD_CHARS] for name in names),
        re.sub(r"[^a-z0-9]", "", stem.lower()),
        _trail(parts, stem),
        len(parts) - 1,
        any(word in PLATFORMS for word in words),
        tuple(word for word in words if word not in PLATFORMS and word not in POSIX),
        tuple(
            ("/".join(parts[:place]), int(match[1]))
            for place, part in enumerate(parts[:-1])
            if (match := _VERSION.fullmatch(part.lower()))
        ),
    )


def _trail(parts: list[str], stem: str) -> tuple[str, ...]:
    lower = [part.lower() for part in parts[:-1]]
    return tuple(lower) if is_index(stem) and lower else (*lower, stem.lower())


def stem_of(name: str) -> str:
    """A file's name without its suffixes."""
    return name.lstrip(".").partition(".")[0] or name


def is_index(stem: str) -> bool:
    """Whether a file stands for its folder."""
    return stem.lower() in _INDEX_STEMS
