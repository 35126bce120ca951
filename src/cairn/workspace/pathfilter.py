"""Choosing files by a pattern that a user typed: the same language as in ignore files."""

import re
from collections.abc import Callable

from cairn.workspace.wildmatch import translate


def path_matcher(pattern: str) -> Callable[[str], bool]:
    """A test for path keys. `src/*.py` is held against the path, `*.py` and `tests` against each part of it;
    what matches a folder matches everything beneath it."""
    wanted = pattern.removeprefix("./").strip("/")
    translated = translate(wanted.encode("utf-8", "surrogatepass")) if wanted else None
    if translated is None:
        return lambda _: False
    regex = re.compile(translated, re.DOTALL)
    anchored = "/" in wanted

    def matches(path_key: str) -> bool:
        parts = path_key.split("/")
        names = ["/".join(parts[:end]) for end in range(1, len(parts) + 1)] if anchored else parts
        return any(regex.fullmatch(name.encode("utf-8", "surrogatepass")) for name in names)

    return matches
