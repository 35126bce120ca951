"""Paths as they open from where the user stands; the root of the codebase is where answers count them from."""

import contextlib
import contextvars
import os
from collections.abc import Iterator
from typing import Any

from cairn.base.text import printable
from cairn.surfaces.cli.console import current

_LEAD: contextvars.ContextVar[tuple[str, str] | None] = contextvars.ContextVar("standing", default=None)
"""The root of the codebase that answered, and the folder of the user; None: paths are shown from the root."""


@contextlib.contextmanager
def seen_from_here(root: str | None) -> Iterator[None]:
    """Paths of a codebase are shown from the folder of the user; None leaves them as they are."""
    token = _LEAD.set(None if root is None else (root, os.path.realpath(current().at("."))))
    try:
        yield
    finally:
        _LEAD.reset(token)


def opened(path: str) -> str:
    """A path as it opens where the user stands, safe for a terminal."""
    return printable(from_here(path))


def from_here(path: str) -> str:
    """A path of the codebase from the folder of the user on; whole where neither of the two lies in the other."""
    lead = _LEAD.get()
    if lead is None or lead[0] == lead[1]:
        return path
    return seen_from(lead[1], lead[0], path)


def seen_from(folder: str, root: str, path: str) -> str:
    """A path of a codebase from a folder on; whole where neither of the two lies in the other."""
    place = os.path.join(root, path)
    return os.path.relpath(place, folder) if _is_in(folder, root) or _is_in(root, folder) else place


def _is_in(path: str, folder: str) -> bool:
    return path == folder or path.startswith(f"{folder.rstrip('/')}/")


def with_both(document: Any) -> Any:
    """A document whose rows have both: `path` from the root, and `from_here`."""
    return _each(document, lambda row: {"path": row["path"], "from_here": from_here(row["path"])})


def as_opened(document: Any) -> Any:
    """A document whose paths are those that open where the user stands."""
    return _each(document, lambda row: {"path": from_here(row["path"])})


def _each(value: Any, say: Any) -> Any:
    if isinstance(value, list):
        return [_each(each, say) for each in value]
    if not isinstance(value, dict):
        return value
    found: dict[str, Any] = {}
    for name, each in value.items():
        # What lies in another codebase than the one that is stood in has a root of its own.
        if name == "path" and isinstance(each, str) and ("root" not in value or "store_id" in value):
            found |= say(value)
        else:
            found[name] = _each(each, say)
    return found
