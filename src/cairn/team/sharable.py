"""What of an index others may have: what git has, and nothing that only this machine's work tree has ever shown."""

import os
from collections.abc import Iterator, Sequence
from itertools import islice

from cairn.base import deadline
from cairn.base.errors import PathKeyError, RefusedError
from cairn.base.text import printable
from cairn.store import SnapshotView
from cairn.workspace.git import Git
from cairn.workspace.objects import CommittedFile, committed_name, files_of, object_name
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
    _require_shown_by(view, git, state.head_sha)
    now = git.status()
    if now.has_changes or now.head != state.head_sha:
        raise _uncommitted("The work tree has changes that are not committed.")
    return _with_unknown(view, git, len(state.head_sha))


def _require_shown_by(view: SnapshotView, git: Git, commit: str) -> None:
    """RefusedError for a text that is not the commit's, whatever git says: it may have been told to overlook that."""
    shown = {path for path, _, _ in view.rows.contents()}
    tracked = dict(_tracked(git, commit, shown))
    if untracked := sorted(shown - set(tracked)):
        raise _uncommitted(f"{_named(untracked)}: not in git.")
    other = sorted(path for path, _, text in view.upkeep.shown(shown) if not tracked[path].has(text))
    if other:
        raise _uncommitted(
            f"{_named(other)}: with a text that is not committed.",
            " Where `git status` is silent, a filter like git-lfs made that text, or git was told to overlook the "
            "file: `git ls-files -v` marks it with h or S.",
        )


class _Tracked:
    """A file of a commit, or of the commit that it has of a submodule."""

    def __init__(self, git: Git, file: CommittedFile) -> None:
        self._git, self._file = git, file

    def has(self, text: bytes) -> bool:
        """Whether a checkout may show it with this text."""
        oid = self._file.oid
        # What is beyond ends of lines, like an encoding of a work tree's own, git itself undoes.
        return oid in _names(text, len(oid)) or committed_name(self._git, self._file.raw, text) == oid


def _tracked(git: Git, commit: str, shown: set[str], folder: str = "") -> Iterator[tuple[str, _Tracked]]:
    """The files of a commit by their keys, and those of the submodules that the index shows anything of."""
    for file in files_of(git, commit):
        deadline.check()
        try:
            key = path_key(folder + file.raw)
        except PathKeyError:
            continue  # one that can't have a key is not in an index either
        if file.kind != "submodule":
            yield key, _Tracked(git, file)
        elif any(path.startswith(f"{key}/") for path in shown):
            inner = Git(os.path.join(git.root, file.raw))
            yield from _tracked(inner, file.oid, shown, f"{folder}{file.raw}/")


def _with_unknown(view: SnapshotView, git: Git, length: int) -> tuple[str, ...]:
    found: set[str] = set()
    left = iter(view.upkeep.hidden())
    while some := [(segment, _names(text, length)) for segment, text in islice(left, _AT_ONCE)]:
        known = _known([name for _, names in some for name in names], git)
        found.update(segment for segment, names in some if known.isdisjoint(names))
    return tuple(ref.segment_id for ref in view.manifest.segments if ref.segment_id in found)


def _uncommitted(said: str, why: str = "") -> RefusedError:
    return RefusedError(
        said,
        hint=f"Share from a clean clone, or commit or ignore it; `cairn export --uncommitted` takes it along.{why}",
    )


def _named(paths: Sequence[str]) -> str:
    more = f" and {len(paths) - 1} more" if len(paths) > 1 else ""
    return f"{printable(paths[0])}{more}"


def _names(text: bytes, length: int) -> set[str]:
    """The blobs that a text may have been checked out from."""
    return {object_name(each, length) for each in (text, text.replace(b"\r\n", b"\n"))}


def _known(names: Sequence[str], git: Git) -> set[str]:
    said = git.ask("rev-list", "--objects", "--no-walk", "--ignore-missing", *names)
    return {line.split(b" ")[0].decode() for line in said.splitlines()}
