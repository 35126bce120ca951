"""What the last commits touched, and what their messages say of it."""

from __future__ import annotations

import hashlib
import re
import time
from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from cairn.base import deadline, lazy
from cairn.base.errors import PathKeyError
from cairn.workspace.gitfolders import ends_of_clone
from cairn.workspace.pathkey import path_key

if TYPE_CHECKING:
    from cairn.workspace.git import Git

MOST_COMMITS = 4_000
_AT_ONCE = 500
_PATIENCE_S = 10.0
_BODY_CHARS = 500
_COMMIT = lazy.expression(rb"\0\0(?=[0-9a-f]{40,64}\0)")
_TRAILER = lazy.expression(
    r"^(?:[a-z][a-z-]+-by|change-id|reviewed-on|git-svn-id|fixes|closes|refs?)\b.*$", re.M | re.I
)


class TouchingCommit(NamedTuple):
    """A commit that is no merge."""

    oid: str
    message: str
    """Its subject and the beginning of what follows, without lines for machines and without names of people."""
    paths: tuple[str, ...]
    """The keys of all files beneath the root that it touched."""


def asked_of(git: Git, head: str) -> str:
    """What the last commits of a head are a function of: where nothing of it has moved, they are what they were."""
    return hashlib.sha256("\n".join((head, *sorted(ends_of_clone(git.root)))).encode()).hexdigest()


def last_commits(git: Git, head: str) -> list[str]:
    """The last commits before a head and itself, the newest first, without merges and those that end a shallow clone.

    What such an end touched nobody can tell: git says all that it holds.
    """
    asked = ("rev-list", f"--max-count={MOST_COMMITS}", "--no-merges", head)
    ends = ends_of_clone(git.root)
    return [oid for oid in git.ask(*asked, wait_s=_PATIENCE_S).decode().split() if oid not in ends]


def touching(git: Git, oids: Sequence[str]) -> Iterator[TouchingCommit]:
    """What some commits touched, in their order; what came before a git that fails or takes too long counts."""
    ends = time.monotonic() + _PATIENCE_S
    shown = ("--format=tformat:%x00%H%x00%B%x00", "--encoding=UTF-8", "--name-only", "-z", "--no-renames", "--relative")
    for start in range(0, len(oids), _AT_ONCE):
        deadline.check()
        given = "\n".join(oids[start : start + _AT_ONCE]).encode()
        left = max(ends - time.monotonic(), 0.1)
        said = git.ask("log", "--no-walk=unsorted", "--stdin", *shown, given=given, wait_s=left)
        for each in _COMMIT.split(b"\0" + said)[1:]:
            oid, _, rest = each.partition(b"\0")
            message, _, names = rest.partition(b"\0")
            listed = names.strip(b"\0").removeprefix(b"\n").split(b"\0")
            yield TouchingCommit(oid.decode(), _said(message.decode("utf-8", "replace")), tuple(_keys(listed)))


def _said(message: str) -> str:
    subject, _, body = message.partition("\n")
    return f"{subject[:_BODY_CHARS]}\n{_TRAILER.sub('', body).strip()[:_BODY_CHARS]}".strip()


def _keys(names: Collection[bytes]) -> Iterator[str]:
    for name in names:
        try:
            yield path_key(name.decode("utf-8", "surrogateescape"))
        except PathKeyError:
            continue  # no file of the index has such a name
