"""Where git keeps what it knows of a work tree, found without running it."""

import contextlib
import os
from collections.abc import Iterator


def git_folders(root: str) -> Iterator[str]:
    """The folders in which git keeps what a work tree's head and status depend on, its objects apart."""
    for place in dict.fromkeys(_own_and_common(root)):
        yield from filter(os.path.isdir, (os.path.join(place, name) for name in ("", "info", "reftable")))
        yield from (folder for folder, _, _ in os.walk(os.path.join(place, "refs")))


def _own_and_common(root: str) -> tuple[str, str]:
    """Where git keeps what is of a work tree alone, and what all work trees of its repository have."""
    git = os.path.join(root, ".git")
    if os.path.isfile(git):
        git = os.path.join(root, _line_of(git).removeprefix("gitdir: "))
    return git, os.path.join(git, _line_of(os.path.join(git, "commondir")))


def _line_of(path: str) -> str:
    with contextlib.suppress(OSError, UnicodeError), open(path, encoding="utf-8") as file:
        return file.readline().rstrip("\n")
    return ""


def ends_of_clone(folder: str) -> frozenset[str]:
    """The commits whose parents a shallow clone has left out."""
    _, common = _own_and_common(dot_git_above(folder) or folder)
    with (
        contextlib.suppress(FileNotFoundError, NotADirectoryError),
        open(os.path.join(common, "shallow"), encoding="ascii", errors="replace") as file,
    ):
        return frozenset(file.read().split())
    return frozenset()


def dot_git_above(folder: str) -> str | None:
    """The nearest folder from one upwards that has a `.git`; None where none has."""
    while not _is_git(os.path.join(folder, ".git")):
        parent = os.path.dirname(folder)
        if parent == folder:
            return None
        folder = parent
    return folder


def _is_git(path: str) -> bool:
    return os.path.isfile(path) or os.path.exists(os.path.join(path, "HEAD"))
