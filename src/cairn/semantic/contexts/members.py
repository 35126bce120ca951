"""Which folders a workspace lists: patterns, matched with whole paths."""

import posixpath
import re
from collections.abc import Callable, Iterable

from cairn.workspace.wildmatch import translate

_BRACES = re.compile(r"\{([^{},]*(?:,[^{},]*)+)\}")
_WILD = re.compile(r"[*?\[{]")
_MOST_READINGS = 1_000


def is_wild(pattern: str) -> bool:
    """Whether a pattern may stand for more than one folder."""
    return _WILD.search(pattern) is not None


def lister(root: str, patterns: Iterable[str]) -> Callable[[str], bool]:
    """A test for folders: whether one is among the patterns of a manifest at `root`, and not among its exceptions."""
    wanted, unwanted = _Patterns(), _Patterns()
    for pattern in patterns:
        without = pattern.startswith("!")
        for single in _readings(pattern[without:].replace("\\", "/")):
            for place in (single, single.removesuffix("/**")) if single.endswith("/**") else (single,):
                # The tools look for manifests beneath it, and so find that of the folder itself.
                (unwanted if without else wanted).add(root, place)
    return lambda folder: wanted.match(folder) and not unwanted.match(folder)


class _Patterns:
    """Plain folders and wildcards, relative to the top of the tree; a pattern that leads out matches nothing."""

    def __init__(self) -> None:
        self._plain: set[str] = set()
        self._wild: list[re.Pattern[bytes]] = []

    def add(self, root: str, pattern: str) -> None:
        wild = is_wild(pattern)
        # The folder of the manifest is no pattern, whatever it is called.
        place = posixpath.normpath(posixpath.join(re.sub(r"([*?\[\\])", r"\\\1", root) if wild else root, pattern))
        if place.startswith(("/", "../")) or place == "..":
            return
        if not wild:
            self._plain.add("" if place == "." else place)
        elif (translated := translate(place.encode("utf-8", "surrogatepass"))) is not None:
            self._wild.append(re.compile(translated, re.DOTALL))

    def match(self, folder: str) -> bool:
        name = folder.encode("utf-8", "surrogatepass")
        return folder in self._plain or any(item.fullmatch(name) for item in self._wild)


def _readings(pattern: str) -> list[str]:
    """Every reading of `{a,b}`, up to a bound."""
    found: list[str] = []
    todo = [pattern]
    while todo and len(found) + len(todo) < _MOST_READINGS:
        one = todo.pop()
        match = _BRACES.search(one)
        if match is None:
            found.append(one)
        else:
            todo += [one[: match.start()] + choice + one[match.end() :] for choice in match[1].split(",")]
    return found
