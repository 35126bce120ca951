"""Choosing files by a pattern that a user typed: the same language as in ignore files."""

import re
from collections.abc import Callable

from cairn.workspace.wildmatch import translate


def path_matcher(*patterns: str) -> Callable[[str], bool]:
    """A test for path keys: whether any of some patterns matches. `src/*.py` is held against the path, `*.py` and
    `tests` against each part of it; what matches a folder matches everything beneath it."""
    fits = [_fits(pattern) for pattern in patterns]
    known = {"": False}

    def matches(path_key: str) -> bool:
        folder = path_key.rpartition("/")[0]
        # Many files lie in one folder.
        if folder not in known:
            known[folder] = matches(folder)
        return known[folder] or any(fit(path_key) for fit in fits)

    return matches


def _fits(pattern: str) -> Callable[[str], bool]:
    """A test for a path itself, whatever lies above it."""
    wanted = pattern.removeprefix("./").strip("/")
    translated = translate(wanted.encode("utf-8", "surrogatepass")) if wanted else None
    if translated is None:
        return lambda _: False
    regex = re.compile(translated, re.DOTALL)
    if "/" in wanted:
        return lambda path: regex.fullmatch(path.encode("utf-8", "surrogatepass")) is not None
    return lambda path: regex.fullmatch(path.rpartition("/")[2].encode("utf-8", "surrogatepass")) is not None
