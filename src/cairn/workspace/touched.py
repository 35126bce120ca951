"""What the last commits touched, and what their messages say of it."""

from __future__ import annotations

import re
import time
from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from cairn.base import deadline, lazy
from cairn.base.errors import CairnError, PathKeyError
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


def last_commits(git: Git, head: str) -> list[str]:
    """The last commits before a head and itself, the newest first, without merges."""
    asked = ("rev-list", f"--max-count={MOST_COMMITS}", "--no-merges", head)
    return git.ask(*asked, wait_s=_PATIENCE_S).decode().split()


def touching(git: Git, oids: Sequence[str]) -> Iterator[TouchingCommit]:
    """What some commits touched, in their order; it ends early where git fails or takes too long."""
    ends = time.monotonic() + _PATIENCE_S
    shown = ("--format=tformat:%x00%H%x00%B%x00", "--encoding=UTF-8", "--name-only", "-z", "--no-renames", "--relative")
    for start in range(0, len(oids), _AT_ONCE):
        deadline.check()
        given = "\n".join(oids[start : start + _AT_ONCE]).encode()
        try:
            left = max(ends - time.monotonic(), 0.1)
            said = git.ask("log", "--no-walk=unsorted", "--stdin", *shown, given=given, wait_s=left)
        except CairnError:
            # Evidence that is not needed: what came before counts, and the next commit asks for the rest.
            return
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
