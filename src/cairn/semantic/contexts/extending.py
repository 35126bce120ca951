"""The files that a configuration extends: a change of one changes the configuration."""

import hashlib
import posixpath
from collections.abc import Callable, Iterator

from cairn.semantic.contexts.listings import extended

MOST_BASES = 100
"""How many files of one chain are followed."""

Read = Callable[[str], bytes | None]


def bases_of(path: str, data: bytes | None, read: Read) -> tuple[tuple[str, str], ...]:
    """Every file of the tree that a configuration extends, near and far, with its digest; "" for one that is missing.

    A package that is extended by its name lies outside of what is indexed.
    """
    found: dict[str, str] = {}
    todo = list(_named(path, data))
    while todo and len(found) < MOST_BASES:
        base = todo.pop(0)
        if base not in found and base != path:
            text = read(base)
            found[base] = "" if text is None else hashlib.sha256(text).hexdigest()
            todo += _named(base, text)
    return tuple(sorted(found.items()))


def _named(path: str, data: bytes | None) -> Iterator[str]:
    for name in _parsed(data):
        if name.startswith(("./", "../")):
            place = posixpath.normpath(posixpath.join(posixpath.dirname(path), name))
            if not place.startswith("../"):
                # The ending may be left out.
                yield from (place,) if place.endswith(".json") else (f"{place}.json", place)


def _parsed(data: bytes | None) -> tuple[str, ...]:
    try:
        return extended((data or b"{}").decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return ()
