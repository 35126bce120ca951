"""What of an index others may have: what git has, and nothing that only this machine's work tree has ever shown."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from cairn.base.errors import PathKeyError, RefusedError
from cairn.base.text import printable
from cairn.store import SnapshotView
from cairn.workspace.git import Git
from cairn.workspace.objects import object_name
from cairn.workspace.pathkey import path_key

_AT_ONCE = 500


def private_segments(view: SnapshotView, git: Git | None) -> tuple[str, ...]:
    """The segments of a commit's snapshot that hold a text git has no object of, which they no longer show.

    It is of an edit that was never committed, of a branch that only somebody else has, or what a filter made of a blob
    in a work tree, but for ends of lines. RefusedError for a snapshot that shows anything but a commit.
    """
    state = view.manifest.git
    if git is None or state.head_sha is None:
        raise RefusedError(
            "There is no commit that the index could be of.",
            hint="Commit first; or write a file with `cairn export --uncommitted`.",
        )
    now = git.status()
    if now.has_changes or now.head != state.head_sha:
        raise _uncommitted("The work tree has changes that are not committed.")
    tracked = set(_keys(git.tracked()))
    untracked = sorted(path for path, _, _ in view.rows.contents() if path not in tracked)
    if untracked:
        more = f" and {len(untracked) - 1} more" if len(untracked) > 1 else ""
        raise _uncommitted(f"{printable(untracked[0])}{more}: not in git.")
    return _with_unknown(view, git, len(state.head_sha))


def _with_unknown(view: SnapshotView, git: Git, length: int) -> tuple[str, ...]:
    found: set[str] = set()
    left = iter(view.upkeep.hidden())
    while some := [(segment, _names(text, length)) for segment, text in islice(left, _AT_ONCE)]:
        known = _known([name for _, names in some for name in names], git)
        found.update(segment for segment, names in some if known.isdisjoint(names))
    return tuple(ref.segment_id for ref in view.manifest.segments if ref.segment_id in found)


def _uncommitted(said: str) -> RefusedError:
    return RefusedError(
        said, hint="Share from a clean clone, or commit or ignore it; `cairn export --uncommitted` takes it along."
    )


def _keys(names: Iterable[str]) -> Iterator[str]:
    """The keys of raw names; one that can't have any is not in an index either."""
    for raw in names:
        try:
            yield path_key(raw)
        except PathKeyError:
            continue


def _names(text: bytes, length: int) -> set[str]:
    """The blobs that a text may have been checked out from."""
    return {object_name(each, length) for each in (text, text.replace(b"\r\n", b"\n"))}


def _known(names: Sequence[str], git: Git) -> set[str]:
    said = git.ask("rev-list", "--objects", "--no-walk", "--ignore-missing", *names)
    return {line.split(b" ")[0].decode() for line in said.splitlines()}
