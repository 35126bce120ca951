"""What a refresh covers, as a lattice: scopes are merged by union and so can only widen.

    NOTHING  <  files(a)  <  files(a, b)  <  packages(folder of both)  <  FULL
    changed_since(later)  <  changed_since(earlier)  <  FULL

An empty scope is the bottom, not the full one; 0.0 is a moment like any other.
"""

import json
import math
from collections.abc import Iterable
from typing import Any

from cairn.base.values import dataclass

_KEYS = ("files", "packages", "changed_since", "full")


def _outermost(packages: frozenset[str]) -> frozenset[str]:
    return frozenset(name for name in packages if not _is_beneath(name.rpartition("/")[0], packages))


def _is_beneath(path: str, packages: frozenset[str]) -> bool:
    """Whether a path is one of the folders or lies in one."""
    while path:
        if path in packages:
            return True
        path = path.rpartition("/")[0]
    return False


@dataclass(frozen=True, slots=True)
class RefreshScope:
    """A scope in its normal form: no part covers another, so scopes that mean the same are equal values."""

    files: frozenset[str] = frozenset()
    packages: frozenset[str] = frozenset()
    """Folders, relative to the root; one holds all that lies beneath it."""
    changed_since: float | None = None
    """Files that changed at this moment or later, in seconds since 1970."""
    full: bool = False

    def __post_init__(self) -> None:
        since = self.changed_since
        if since is not None and not math.isfinite(since):
            raise ValueError("changed_since is no moment")
        for name in (*self.files, *self.packages):
            if not name or name.startswith("/") or name.endswith("/"):
                raise ValueError(f"{name!r} is no path beneath the root")
        packages = frozenset() if self.full else _outermost(self.packages)
        files = () if self.full else (name for name in self.files if not _is_beneath(name, packages))
        object.__setattr__(self, "packages", packages)
        object.__setattr__(self, "files", frozenset(files))
        # 1 and 1.0 are one moment, as 0.0 and -0.0 are, and have to be written alike.
        object.__setattr__(self, "changed_since", None if self.full or since is None else float(since) + 0.0)

    @property
    def is_empty(self) -> bool:
        """Whether it covers nothing."""
        return self == NOTHING

    def includes(self, path: str, changed_at: float) -> bool:
        """Whether a file lies in it, by its path and when it last changed."""
        return (
            self.full
            or path in self.files
            or _is_beneath(path, self.packages)
            or (self.changed_since is not None and changed_at >= self.changed_since)
        )

    def to_json(self) -> str:
        """The scope as JSON; equal scopes have equal texts."""
        return json.dumps(
            {
                "files": sorted(self.files),
                "packages": sorted(self.packages),
                "changed_since": self.changed_since,
                "full": self.full,
            }
        )


NOTHING = RefreshScope()
FULL = RefreshScope(full=True)


def scope_of(
    files: Iterable[str] = (), packages: Iterable[str] = (), changed_since: float | None = None
) -> RefreshScope:
    """A scope of files, folders and a moment."""
    return RefreshScope(frozenset(files), frozenset(packages), changed_since)


def merge(a: RefreshScope, b: RefreshScope) -> RefreshScope:
    """The union: covers all that either covers."""
    if a.full or b.full:
        return FULL
    moments = [moment for moment in (a.changed_since, b.changed_since) if moment is not None]
    return RefreshScope(a.files | b.files, a.packages | b.packages, min(moments, default=None))


def covers(a: RefreshScope, b: RefreshScope) -> bool:
    """Whether b adds nothing to a."""
    return merge(a, b) == a


def rest(asked: RefreshScope, done: RefreshScope) -> RefreshScope:
    """What was asked for and isn't covered: `merge(done, rest)` covers both."""
    if done.full:
        return NOTHING
    if asked.full:
        return FULL
    since = asked.changed_since
    if since is not None and done.changed_since is not None and done.changed_since <= since:
        since = None
    files = (name for name in asked.files - done.files if not _is_beneath(name, done.packages))
    packages = (name for name in asked.packages if not _is_beneath(name, done.packages))
    return scope_of(files, packages, since)


def scope_from_json(text: str) -> RefreshScope:
    """Read the output of `to_json`; ValueError for anything else."""
    said = json.loads(text)
    if not isinstance(said, dict) or sorted(said) != sorted(_KEYS) or type(said["full"]) is not bool:
        raise ValueError("no scope")
    since: Any = said["changed_since"]
    if since is not None and type(since) not in (int, float):
        raise ValueError("a scope's moment is no number")
    return RefreshScope(_names(said["files"]), _names(said["packages"]), since, said["full"])


def _names(value: Any) -> frozenset[str]:
    if not isinstance(value, list) or not all(isinstance(name, str) for name in value):
        raise ValueError("a scope's names are no list of texts")
    return frozenset(value)
