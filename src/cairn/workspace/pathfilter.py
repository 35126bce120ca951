"""Choosing files by a pattern that a user typed: the same language as in ignore files."""

import re
from collections.abc import Callable

from cairn.workspace.wildmatch import translate


def path_matcher(*patterns: str) -> Callable[[str], bool]:
    """A test for path keys: whether any of some patterns matches. `src/*.py` is matched with the path, `*.py` and
    `tests` with each part of it; what matches a folder matches everything beneath it."""
    fits = [_fits(pattern) for pattern in patterns]
    known = {"": False}
    """Results by folder, because many files share one."""

    def learn(folder: str) -> None:
        above = False
        path = ""
        for part in folder.split("/"):
            path = f"{path}/{part}" if path else part
            if path not in known:
                known[path] = above or any(fit(path) for fit in fits)
            above = known[path]

    def matches(path_key: str) -> bool:
        folder = path_key.rpartition("/")[0]
        if folder not in known:
            learn(folder)
        return known[folder] or any(fit(path_key) for fit in fits)

    return matches


def _fits(pattern: str) -> Callable[[str], bool]:
    """A test for a path itself, apart from its folders."""
    wanted = pattern.removeprefix("./").strip("/")
    translated = translate(wanted.encode("utf-8", "surrogatepass")) if wanted else None
    if translated is None:
        return lambda _: False
    regex = re.compile(translated, re.DOTALL)
    if "/" in wanted:
        return lambda path: regex.fullmatch(path.encode("utf-8", "surrogatepass")) is not None
    return lambda path: regex.fullmatch(path.rpartition("/")[2].encode("utf-8", "surrogatepass")) is not None
