"""Symbolic links: where they lead, and which names they give to files of the tree.

Links are expanded after the walk, over what the walk found: a link shows exactly what its target
shows, so it can't take in what an ignore rule, a secret's name or a size limit keeps out, and
nothing is read twice. A link out of the root, into a loop or over more than 32 hops is a skip.
"""

import errno
import os
import stat
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence

from cairn.base.errors import OutOfRootError, SymlinkLoopError
from cairn.base.values import dataclass, replace
from cairn.workspace.eligibility import Skip, SkipReason
from cairn.workspace.entries import FileEntry
from cairn.workspace.pathkey import display, nfc, quoted

MAX_HOPS = 32
MAX_ALIASES = 50_000


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
class Walked:
    """What the walk found, by raw path."""

    root: str
    files: Mapping[str, FileEntry]
    folders: frozenset[str]
    skips: Mapping[str, Skip]


def expand(links: Sequence[str], walked: Walked) -> tuple[list[FileEntry], list[Skip]]:
    """The entries that links add to a tree, and the links that add nothing and why."""
    return _Expansion(links, walked).run() if links else ([], [])


class _Expansion:
    def __init__(self, links: Sequence[str], walked: Walked) -> None:
        self.walked = walked
        self.links = sorted(links)
        self.targets: dict[str, str | Skip] = {link: self._target(link) for link in self.links}
        self.file_names = sorted(walked.files)
        self.found: list[FileEntry] = []
        self.skips: list[Skip] = []
        self.spent = 0

    def run(self) -> tuple[list[FileEntry], list[Skip]]:
        for link in self.links:
            self._follow(link, link, ())
        return self.found, self.skips

    def _target(self, link: str) -> str | Skip:
        try:
            return resolve(self.walked.root, link)
        except OutOfRootError:
            return Skip(display(link), SkipReason.OUT_OF_ROOT)
        except SymlinkLoopError:
            return Skip(display(link), SkipReason.SYMLINK_LOOP, f"more than {MAX_HOPS} hops")
        except OSError as error:
            return Skip(display(link), SkipReason.UNREADABLE, f"leads nowhere: {error.strerror}")

    def _follow(self, link: str, name: str, trail: tuple[str, ...]) -> None:
        """Give `name` to what `link` leads to; `trail` holds the real folders of the links behind it."""
        self.spent += 1
        target = self.targets[link]
        if isinstance(target, Skip):
            self.skips.append(replace(target, path=display(name)))
            return
        trail = (*trail, os.path.dirname(link))
        if target in self.walked.files:
            self._add(target, name)
        elif target not in self.walked.folders:
            self.skips.append(self._left_out(name, target))
        elif any(_contains(target, place) for place in trail):
            self._loop(name, "leads back to a folder that holds it")
        elif len(trail) > MAX_HOPS:
            self._loop(name, f"more than {MAX_HOPS} hops")
        else:
            self._enter(target, name, trail)

    def _enter(self, target: str, name: str, trail: tuple[str, ...]) -> None:
        """Give names to everything in a folder, up to a limit: links can multiply without end."""
        cut = len(target)
        for inner in _beneath(self.file_names, target):
            if self.spent > MAX_ALIASES:
                break
            self._add(inner, name + inner[cut:])
        for inner in _beneath(self.links, target):
            if self.spent > MAX_ALIASES:
                break
            self._follow(inner, name + inner[cut:], trail)
        if self.spent > MAX_ALIASES:
            self._loop(name, f"links lead to more than {MAX_ALIASES} files in all")

    def _add(self, target: str, name: str) -> None:
        self.spent += 1
        entry = self.walked.files[target]
        self.found.append(replace(entry, key=nfc(name), raw=name, target=target))

    def _loop(self, name: str, detail: str) -> None:
        self.skips.append(Skip(display(name), SkipReason.SYMLINK_LOOP, detail))

    def _left_out(self, name: str, target: str) -> Skip:
        """Skip a link for the same reason as its target."""
        parts = target.split("/")
        for end in range(len(parts), 0, -1):
            skip = self.walked.skips.get("/".join(parts[:end]))
            if skip is not None:
                return Skip(display(name), skip.reason, f"leads to {display(target)}")
        if ".git" in parts:
            return Skip(display(name), SkipReason.IGNORED, "leads into .git")
        return Skip(display(name), SkipReason.UNREADABLE, f"leads to {display(target)}, which is not part of the tree")


def _contains(folder: str, place: str) -> bool:
    return folder in ("", place) or place.startswith(folder + "/")


def _beneath(names: Sequence[str], folder: str) -> Iterator[str]:
    if not folder:
        yield from names
        return
    prefix = folder + "/"
    for index in range(bisect_left(names, prefix), len(names)):
        if not names[index].startswith(prefix):
            return
        yield names[index]
