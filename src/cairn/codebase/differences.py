"""What differs from a revision, held against a snapshot and the tree."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING

from cairn.base.errors import GitError, PathKeyError, UsageError
from cairn.base.values import dataclass, field
from cairn.graph.impact import MAX_CHANGED_FILES, Change
from cairn.workspace.pathkey import path_key

if TYPE_CHECKING:
    from cairn.workspace.git import Git


@dataclass(frozen=True, slots=True)
class Differing:
    """Files that are not as a revision has them."""

    changes: tuple[Change, ...]
    removed: tuple[str, ...] = ()
    """They are gone from the tree, whether the snapshot still has them or not."""
    unknown: tuple[str, ...] = ()
    """They are there, but not in the snapshot: newer than it, or left out."""
    texts: Mapping[str, str] = field(default_factory=dict)
    """What removed files said, as far as the snapshot doesn't."""


def commit_meant(git: "Git", since: str | None) -> str:
    """The commit to compare with: that of a revision, else the last one."""
    if since is not None:
        return git.commit_of(since)
    head = git.head()
    if head is None:
        raise UsageError("There is no commit yet to compare with.", hint="Name the files that changed.")
    return head


def differing(
    git: "Git",
    commit: str,
    live: Collection[str],
    is_there: Callable[[str], bool],
    only: Collection[str] = (),
    *,
    eligible: Callable[[], Iterable[str]] = tuple,
) -> Differing:
    """What differs from a commit, of all files or of some.

    `eligible` gives the files that a sync would take in, where none was made: those that the snapshot lacks are new.
    """
    changed = _by_key(git.changed_since(commit))
    new = set(live) - _by_key(git.tracked()).keys()
    new |= set(eligible()) - _by_key(git.tracked()).keys()
    wanted = sorted(path for path in {*changed, *new} if not only or path in only)
    there = [path for path in wanted if is_there(path)]
    known = [path for path in there if path in live]
    changes = []
    for place, path in enumerate(known):
        # Of those that nobody will look at, the former text isn't asked for: each is a process.
        asked = path in changed and place < MAX_CHANGED_FILES
        before = git.blob(commit, changed[path]) if asked else None
        changes.append(Change(path, None if before is None else before.decode("utf-8", "replace")))
    standing = set(there)
    removed = tuple(path for path in wanted if path not in standing)
    lost = [path for path in removed[:MAX_CHANGED_FILES] if path in changed and path not in live]
    former = ((path, git.blob(commit, changed[path])) for path in lost)
    return Differing(
        tuple(changes),
        removed,
        tuple(path for path in there if path not in live),
        {path: data.decode("utf-8", "replace") for path, data in former if data is not None},
    )


_MOST_TOGETHER = 30
"""A commit that changes more files says nothing of what belongs together."""
_AT_ONCE = 50


def changed_together(git: "Git", paths: Iterable[str]) -> dict[str, tuple[int, float]]:
    """How often files were changed with one of some others, and in what share of these commits."""
    wanted = list(paths)[:_AT_ONCE]
    try:
        commits = [each for each in git.commits_of(wanted) if len(each) <= _MOST_TOGETHER]
    except GitError:
        return {}  # a history that can't be read, being shallow or partial, says nothing
    counts = Counter(path for commit in commits for path in commit)
    # Once is no custom, and a short history none either.
    often = {path: count for path, count in counts.items() if count > 1 and path not in wanted}
    return {path: (count, count / (len(commits) + 2)) for path, count in often.items()}


def _by_key(raw: Iterable[str]) -> dict[str, str]:
    """Raw names by their keys; those that can't have one are in no snapshot."""
    found = {}
    for path in raw:
        with suppress(PathKeyError):
            found[path_key(path)] = path
    return found
