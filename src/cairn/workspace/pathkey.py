"""Path keys: the one name of a file inside the index.

A key is root-relative, '/'-separated, NFC and valid UTF-8, without '.', '..' or empty parts. The
key identifies; the raw name, which may differ in normalisation, opens.
"""

import unicodedata
from collections.abc import Iterable

from cairn.base.errors import PathKeyError, UsageError
from cairn.base.values import dataclass


@dataclass(frozen=True, slots=True)
class Collision:
    """Distinct files whose keys are equal once case is folded."""

    paths: tuple[str, ...]
    same_key: bool
    """True when even the keys are equal (two raw names with one NFC form): no setting allows that."""


def path_key(raw: str) -> str:
    """The key of a root-relative path, or PathKeyError when it can't have one."""
    if raw.startswith("/"):
        raise PathKeyError(f"{quoted(raw)} is absolute; a path key is relative to the root.")
    parts = [part for part in raw.split("/") if part not in ("", ".")]
    if not parts or ".." in parts or "\0" in raw:
        raise PathKeyError(f"{quoted(raw)} doesn't name a file beneath the root.")
    key = "/".join(parts)
    if not is_text(key):
        raise PathKeyError(f"{quoted(raw)} is not valid UTF-8.", hint="Rename the file: others are not indexed.")
    return nfc(key)


def key_beneath(root: str, path: str) -> str:
    """The key of a file that is named in full or from the root on; UsageError for one that lies elsewhere."""
    inside = path.removeprefix(root.rstrip("/") + "/")
    if inside.startswith("/") or ".." in inside.split("/"):
        raise UsageError(f"{path} is not beneath {root}.", hint="Name a file of the codebase, like src/a.py.")
    return path_key(inside)


def is_text(name: str) -> bool:
    """Whether a name from the file system is valid UTF-8 (undecodable bytes arrive as surrogates)."""
    if name.isascii():
        return True
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def nfc(name: str) -> str:
    """A name in Unicode's composed form, in which keys are written."""
    return name if name.isascii() else unicodedata.normalize("NFC", name)


def fold(key: str) -> str:
    """`path_key_ci`: the form in which two keys collide."""
    return unicodedata.normalize("NFC", key.casefold()) if not key.isascii() else key.lower()


def display(raw: str) -> str:
    """A raw name as valid UTF-8 for reports; undecodable bytes become \\xNN."""
    if is_text(raw):
        return raw
    try:
        return raw.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    except UnicodeEncodeError:
        return raw.encode("utf-8", "backslashreplace").decode()


def quoted(raw: str) -> str:
    """A raw name inside a sentence."""
    return f"'{display(raw)}'"


def find_collisions(files: Iterable[tuple[str, str]]) -> tuple[Collision, ...]:
    """Groups of (key, raw name) that collide, in byte order."""
    named = list(files)
    folded = [fold(key) for key, _ in named]
    if len(set(folded)) == len(folded):
        return ()
    groups: dict[str, list[tuple[str, str]]] = {}
    for form, item in zip(folded, named, strict=True):
        groups.setdefault(form, []).append(item)
    found = []
    for group in groups.values():
        if len(group) > 1:
            raws = tuple(sorted(raw for _, raw in group))
            found.append(Collision(raws, same_key=len({key for key, _ in group}) < len(group)))
    return tuple(sorted(found, key=lambda collision: collision.paths))
