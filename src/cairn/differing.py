"""What differs from a revision, held against a snapshot and the tree."""

from collections.abc import Callable, Collection, Iterable
from contextlib import suppress
from typing import TYPE_CHECKING

from cairn.errors import PathKeyError, UsageError
from cairn.graph.impact import MAX_CHANGED_FILES, Change
from cairn.values import dataclass
from cairn.workspace import path_key

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


def commit_meant(git: "Git", since: str | None) -> str:
    """The commit to compare with: that of a revision, else the last one."""
    if since is not None:
        return git.commit_of(since)
    head = git.head()
    if head is None:
        raise UsageError("There is no commit yet to compare with.", hint="Name the files: cairn impact FILE...")
    return head


def differing(
    git: "Git", commit: str, live: Collection[str], is_there: Callable[[str], bool], only: Collection[str] = ()
) -> Differing:
    """What differs from a commit, of all files or of some."""
    changed = _by_key(git.changed_since(commit))
    new = set(live) - _by_key(git.tracked()).keys()
    wanted = sorted(path for path in {*changed, *new} if not only or path in only)
    there = [path for path in wanted if is_there(path)]
    known = [path for path in there if path in live]
    changes = []
    for place, path in enumerate(known):
        # Of those that nobody will look at, the former text isn't asked for: each is a process.
        asked = path in changed and place < MAX_CHANGED_FILES
        before = git.blob(commit, changed[path]) if asked else None
        changes.append(Change(path, None if before is None else before.decode("utf-8", "replace")))
    return Differing(
        tuple(changes),
        tuple(path for path in wanted if path not in set(there)),
        tuple(path for path in there if path not in live),
    )


def _by_key(raw: Iterable[str]) -> dict[str, str]:
    """Raw names by their keys; those that can't have one are in no snapshot."""
    found = {}
    for path in raw:
        with suppress(PathKeyError):
            found[path_key(path)] = path
    return found
