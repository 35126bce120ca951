"""The commits that changed a file, the latest first, under whatever name it had then."""

import os
from typing import TYPE_CHECKING

from cairn.base.values import dataclass

if TYPE_CHECKING:
    from cairn.workspace.git import Git

_FORMAT = "--format=%x01%H%x00%aI%x00%an%x00%s"
_SAFE = ("--no-ext-diff", "--no-textconv", "--relative")


@dataclass(frozen=True, slots=True)
class FileCommit:
    """A commit that changed a file."""

    id: str
    at: str
    author: str
    subject: str
    path: str
    """The file's name in that commit."""
    change: str
    """added, changed or renamed"""


@dataclass(frozen=True, slots=True)
class FileHistory:
    """Some of the commits of a file."""

    head: str | None
    """The commit that it was looked at from; None where there is none yet."""
    commits: tuple[FileCommit, ...]
    more: bool
    """Whether there are earlier ones among the commits that were looked at."""
    looked_back: int | None
    """How many commits were looked at, where there are more of them; None: all."""


def history_of(git: "Git", path: str, limit: int, offset: int, back: int, head: str | None = None) -> FileHistory:
    """So many commits behind the first `offset`, among the last `back`; `head` is that of an earlier page."""
    start = git.head() if head is None else git.commit_of(head)
    if start is None:
        return FileHistory(None, (), more=False, looked_back=None)
    path = _name_at(git, start, path)
    looked_at = git.ask("rev-list", f"--max-count={back + 1}", start).decode().split()
    cut = len(looked_at) > back
    extent = f"{looked_at[-1]}..{start}" if cut else start
    # What was skipped is asked for too: git skips commits before it looks whether they changed the file.
    most = f"--max-count={offset + limit + 1}"
    question = ("--literal-pathspecs", "log", "--follow", most, _FORMAT, "--name-status", "-z", *_SAFE)
    said = git.ask(*question, extent, "--", path)
    found = [commit for each in said.split(b"\x01")[1:] if (commit := _commit(each)) is not None][offset:]
    return FileHistory(start, tuple(found[:limit]), len(found) > limit, back if cut else None)


def _name_at(git: "Git", commit: str, path: str) -> str:
    """The name that a file has in a commit: another one, where it was renamed since."""
    if git.blob(commit, path) is not None:
        return path
    return next((each.former for each in git.deltas(commit, None) if each.path == path), path)


def _commit(said: bytes) -> FileCommit | None:
    fields = said.split(b"\0")
    paths = [os.fsdecode(each) for each in fields[5:] if each]
    if not paths:
        return None  # a merge that changed nothing of it
    identity, at, author, subject, status = (each.decode("utf-8", "replace").strip() for each in fields[:5])
    change = {"A": "added", "R": "renamed", "C": "renamed"}.get(status[:1], "changed")
    return FileCommit(identity, at, author, subject, paths[-1], change)
