"""What of an index others may have: what git has, and nothing that only this machine's work tree has ever shown."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from cairn.base.errors import RefusedError
from cairn.base.steps import Advice, NextStep
from cairn.store import SnapshotView
from cairn.workspace.git import Git
from cairn.workspace.objects import object_name
from cairn.workspace.pathkey import path_key

_AT_ONCE = 500


def require_committed(view: SnapshotView, git: Git | None) -> str:
    """The commit whose files a snapshot shows; RefusedError where it shows or holds anything else.

    Segments also hold what they no longer show: edits that were indexed before they were committed, or never were.
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
    tracked = {path_key(raw) for raw in git.tracked() if _has_key(raw)}
    untracked = sorted(path for path, _, _ in view.rows.contents() if path not in tracked)
    if untracked:
        more = f" and {len(untracked) - 1} more" if len(untracked) > 1 else ""
        raise _uncommitted(f"{untracked[0]}{more}: not in git.")
    for path in _unknown(view.upkeep.hidden(), git):
        raise RefusedError(
            f"The index still holds a text of {path} that was never committed.",
            hint=Advice(NextStep("compact_all"), ", which forgets it; or share from a clean clone."),
        )
    return state.head_sha


def _uncommitted(said: str) -> RefusedError:
    return RefusedError(
        said, hint="Share from a clean clone, or commit or ignore it; `cairn export --uncommitted` takes it along."
    )


def _has_key(raw: str) -> bool:
    return not raw.startswith("/") and raw.isprintable()


def _unknown(texts: Iterable[tuple[str, bytes]], git: Git) -> Iterator[str]:
    """The paths of texts that git has no object of."""
    left = iter(texts)
    while some := list(islice(left, _AT_ONCE)):
        names = [object_name(text, len(git.head() or "")) for _, text in some]
        known = _known(names, git)
        yield from (path for (path, _), name in zip(some, names, strict=True) if name not in known)


def _known(names: Sequence[str], git: Git) -> set[str]:
    said = git.ask("rev-list", "--objects", "--no-walk", "--ignore-missing", *names)
    return {line.split(b" ")[0].decode() for line in said.splitlines()}
