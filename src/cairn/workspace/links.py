"""Symbolic links: where they lead, and which names they give to files of the tree.

A file is indexed once, under its real path. A link within the tree is an alias, another name of what it leads to: it
takes nothing in, so it can't take in what an ignore rule, a secret's name or a size limit keeps out. A link out of the
root, into a loop, over more than 32 hops or to what is left out is a skip.
"""

import errno
import os
import stat
from collections.abc import Callable, Container, Iterable, Iterator, Mapping

from cairn.base.errors import OutOfRootError, SymlinkLoopError
from cairn.base.values import dataclass
from cairn.workspace.eligibility import Skip, SkipReason
from cairn.workspace.pathkey import display, nfc, quoted

MAX_HOPS = 32


def resolve(root: str, raw: str) -> str:
    """The real path, relative to the root, of a path beneath it, following every link on the way.

    Raises SymlinkLoopError, OutOfRootError, or OSError when a part is missing or unreadable.
    """
    here = root
    todo = raw.split("/")[::-1]
    hops = 0
    while todo:
        part = todo.pop()
        # As in the kernel, every part of a path must be in a folder, '..' and '.' too.
        if not stat.S_ISDIR(os.lstat(here).st_mode):
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), here)
        if part in ("", "."):
            continue
        if part == "..":
            here = os.path.dirname(here)
            continue
        path = os.path.join(here, part)
        if not os.path.islink(path):
            here = path
            continue
        hops += 1
        if hops > MAX_HOPS:
            raise SymlinkLoopError(f"{quoted(raw)} takes more than {MAX_HOPS} hops.")
        target = os.readlink(path)
        if target.startswith("/"):
            here = "/"
        todo.extend(target.split("/")[::-1])
    if here != root and not here.startswith(root + "/"):
        raise OutOfRootError(f"{quoted(raw)} leads out of the root.")
    os.lstat(here)
    return here[len(root) + 1 :]


@dataclass(frozen=True, slots=True)
class Alias:
    """A link by its path key and its own name, and the key of the file or folder of the tree that it leads to."""

    key: str
    target: str
    raw: str


@dataclass(frozen=True, slots=True)
class Walked:
    """What the walk found, by raw path."""

    resolve: Callable[[str], str]
    """Where a path leads, from the root on, through whatever links."""
    files: Container[str]
    folders: Container[str]
    skips: Mapping[str, Skip]


def aliases_of(links: Iterable[str], walked: Walked) -> tuple[list[Alias], list[Skip]]:
    """The links that are aliases, and those that lead to nothing of the tree and why."""
    outcomes = [_outcome(link, walked) for link in links]
    return [each for each in outcomes if isinstance(each, Alias)], [each for each in outcomes if isinstance(each, Skip)]


def link_names(path: str, links: Iterable[tuple[str, str]]) -> Iterator[str]:
    """A file's own path, and the paths that links, each with what it leads to, give to it or to a folder of it."""
    yield path
    for name, target in links:
        if path == target or path.startswith(target + "/"):
            yield name + path[len(target) :]


def _outcome(link: str, walked: Walked) -> Alias | Skip:
    try:
        target = walked.resolve(link)
    except OutOfRootError:
        return Skip(display(link), SkipReason.OUT_OF_ROOT)
    except SymlinkLoopError:
        return Skip(display(link), SkipReason.SYMLINK_LOOP, f"more than {MAX_HOPS} hops")
    except OSError as error:
        return Skip(display(link), SkipReason.UNREADABLE, f"leads nowhere: {error.strerror}")
    if target in walked.folders and _contains(target, os.path.dirname(link)):
        return Skip(display(link), SkipReason.SYMLINK_LOOP, "leads back to a folder that holds it")
    if target in walked.files or target in walked.folders:
        return Alias(nfc(link), nfc(target), link)
    return _left_out(link, target, walked.skips)


def _left_out(link: str, target: str, skips: Mapping[str, Skip]) -> Skip:
    """Skip a link for the same reason as its target."""
    parts = target.split("/")
    for end in range(len(parts), 0, -1):
        skip = skips.get("/".join(parts[:end]))
        if skip is not None:
            return Skip(display(link), skip.reason, f"leads to {display(target)}")
    if ".git" in parts:
        return Skip(display(link), SkipReason.IGNORED, "leads into .git")
    return Skip(display(link), SkipReason.UNREADABLE, f"leads to {display(target)}, which is not part of the tree")


def _contains(folder: str, place: str) -> bool:
    return folder in ("", place) or place.startswith(folder + "/")
