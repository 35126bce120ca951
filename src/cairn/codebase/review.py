"""A change as it is reviewed: the files that differ, and of those that are looked at the lines."""

import hashlib
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from cairn.base.errors import CairnError, PathKeyError, RefusedError, UsageError
from cairn.base.values import dataclass, replace
from cairn.languages.files import language_of
from cairn.workspace.deltas import Delta
from cairn.workspace.hunks import Hunk, counts_of, first_rows, hunks_of, lines_of
from cairn.workspace.pathkey import path_key
from cairn.workspace.secrets import require_no_former_secret

if TYPE_CHECKING:
    from cairn.codebase.codebase import Codebase
    from cairn.workspace.git import Git

LARGEST_BYTES = 1_000_000
"""Of a side; a larger file is named, and not compared."""
MOST_COUNTED = 500
"""Files that git doesn't track whose lines are counted."""
_HEAD = 8_000
_SHA1_DIGITS = 40
_BRANCHES = ("origin/HEAD", "main", "master", "trunk")
"""What others start from: what the remote calls its own default, else one of the usual names."""
BINARY, LARGE, LINK, SECRET, UNREADABLE = "binary", "large", "link", "secret", "unreadable"


@dataclass(frozen=True, slots=True)
class Base:
    """What a change is held against when nobody names it, and why."""

    head: str
    commit: str
    branch: str | None
    """The branch that `commit` is the merge base with; None: it is the head itself."""


@dataclass(frozen=True, slots=True)
class DiffOfFile:
    """A file that differs, with as many lines of it as were asked for."""

    path: str
    former: str
    status: str
    added: int | None
    removed: int | None
    language: str = ""
    hunks: tuple[Hunk, ...] = ()
    rows: int = 0
    """How many rows all of its hunks have."""
    digest: str = ""
    """Of what it was and what it is, by which a mark that somebody has seen it goes when it changes again."""
    hidden: str = ""
    """Why no lines are shown: binary, large, link, secret or unreadable."""
    changed_since: bool = False
    """Whether it is no longer as the snapshot has it."""
    mode: str = ""
    """`executable` or `not executable` where the change made it that."""


@dataclass(frozen=True, slots=True)
class Review:
    """All files that differ between a commit and another, or the tree."""

    since: str
    upto: str | None
    files: tuple[DiffOfFile, ...]
    snapshot_id: str


def base_of(codebase: "Codebase") -> Base:
    """Where the branch began: its merge base with the default branch, else the last commit."""
    git = _git_of(codebase)
    head = git.head()
    if head is None:
        raise UsageError("There is no commit yet to compare with.", hint="Make a first commit.")
    branch = next((name for name in _BRANCHES if _is_known(git, name)), None)
    common = git.merge_base(head, branch) if branch is not None else None
    if common is None or common == head:
        return Base(head, head, None)
    return Base(head, common, branch)


def review(
    codebase: "Codebase", since: str | None, upto: str | None, looked_at: Sequence[str], context: int, most_rows: int
) -> Review:
    """What differs from a revision; the lines of those files that are `looked_at`."""
    git = _git_of(codebase)
    commit = base_of(codebase).commit if since is None else _start_of(git, since)
    end = None if upto is None else git.commit_of(upto)
    found = {each.path: each for each in git.deltas(commit, end)}
    if end is None:
        root = codebase.root_path
        new = (path for path in git.untracked() if path not in found)
        found |= {path: Delta(path, path, "untracked", plain=_is_plain(root, path)) for path in new}
    wanted, counted = set(looked_at), 0
    files = []
    for path in sorted(found):
        delta = found[path]
        try:
            key, former = path_key(path), path_key(delta.former)
        except PathKeyError:
            continue  # a name that can't have a key is in no snapshot, and no address leads to it
        named = DiffOfFile(key, former, delta.status, delta.added, delta.removed, mode=delta.mode)
        if key in wanted:
            named = _compared(codebase, git, named, delta, (commit, end), context, most_rows)
        elif delta.status == "untracked" and not wanted and counted < MOST_COUNTED:
            # Git counts the lines of what it tracks.
            counted += 1
            whole = _compared(codebase, git, named, delta, (commit, end), 0, 0)
            named = replace(named, added=whole.added, removed=whole.removed)
        files.append(named)
    with codebase.view() as view:
        return Review(commit, end, tuple(files), view.manifest.snapshot_id)


def _is_plain(root: str, path: str) -> bool:
    return not os.path.islink(os.path.join(root, path))


def _start_of(git: "Git", since: str) -> str:
    """The commit that is named; before the first one there is the tree that holds nothing."""
    try:
        return git.commit_of(since)
    except UsageError:
        if not since.endswith("^"):
            raise
        digits = len(git.commit_of(since.removesuffix("^")))
        return hashlib.new("sha1" if digits == _SHA1_DIGITS else "sha256", b"tree 0\0").hexdigest()


def _is_known(git: "Git", name: str) -> bool:
    try:
        return bool(git.commit_of(name))
    except UsageError:
        return False


def _git_of(codebase: "Codebase") -> "Git":
    git = codebase.detector.git
    if git is None:
        raise UsageError("There is no git here to tell what changed.", hint="A change is shown of a git repository.")
    return git


def _compared(
    codebase: "Codebase",
    git: "Git",
    named: DiffOfFile,
    delta: Delta,
    commits: tuple[str, str | None],
    context: int,
    most_rows: int,
) -> DiffOfFile:
    commit, end = commits
    if not delta.plain:
        return replace(named, hidden=LINK)
    tree, changed = codebase.detector.tree, False
    try:
        before, after = b"", b""
        if delta.status not in ("added", "untracked"):
            before = git.blob(commit, delta.former) or b""
            require_no_former_secret(tree, named.former, before)
        if end is not None and delta.status != "deleted":
            after = git.blob(end, delta.path) or b""
            require_no_former_secret(tree, named.path, after)
        elif delta.status != "deleted":
            read = codebase.source(os.path.join(codebase.root_path, delta.path))
            after, changed = read.source.data, bool(read.changed)
    except RefusedError:
        return replace(named, hidden=SECRET)
    except CairnError:
        return replace(named, hidden=UNREADABLE)
    digest = hashlib.sha256(before + b"\0" + after).hexdigest()[:24]
    named = replace(named, digest=digest, changed_since=changed, language=language_of(named.path, after[:256]) or "")
    if max(len(before), len(after)) > LARGEST_BYTES:
        return replace(named, hidden=LARGE)
    if b"\0" in before[:_HEAD] or b"\0" in after[:_HEAD]:
        return replace(named, hidden=BINARY)
    old, new = (lines_of(each.decode("utf-8", "replace")) for each in (before, after))
    hunks = hunks_of(old, new, context)
    added, removed = counts_of(hunks)
    rows = sum(len(hunk.rows) for hunk in hunks)
    return replace(named, added=added, removed=removed, hunks=first_rows(hunks, most_rows), rows=rows)
