"""The files of a commit, read from git's objects: no work tree is made, and nothing that a repository names is run.

Filters, text conversions and hooks belong to checkouts and diffs; plain objects pass none of them. An object that was
replaced for others is read as it is: what is kept of a blob under its id has to be true of it.
"""

import errno
import hashlib
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from cairn.base import deadline
from cairn.base.errors import GitError
from cairn.base.values import dataclass
from cairn.config.project import MAX_FILE_BYTES
from cairn.workspace.beneath import Beneath
from cairn.workspace.pathkey import nfc, quoted
from cairn.workspace.reads import FileRead, TooLargeError, read_of

if TYPE_CHECKING:
    from cairn.workspace.git import Git

_KINDS = {"100644": "file", "100755": "file", "100664": "file", "120000": "link", "160000": "submodule"}
_AT_ONCE_BYTES = 16 << 20
_AT_ONCE = 2_000


@dataclass(frozen=True, slots=True)
class CommittedFile:
    """An entry of a commit's tree that is no folder."""

    raw: str
    kind: str
    """file, link, submodule or other"""
    oid: str
    size: int


def files_of(git: "Git", commit: str) -> list[CommittedFile]:
    """Every entry of a commit's tree, in git's order; GitError where objects of it are missing."""
    found = []
    said = _asked(git, commit, "ls-tree", "-r", "-z", "--long", "--full-tree", commit)
    for line in os.fsdecode(said).split("\0")[:-1]:
        facts, _, raw = line.partition("\t")
        mode, _, oid, size = facts.split()
        kind = _KINDS.get(mode, "other")
        if kind != "submodule" and not size.isdecimal():
            raise _missing(commit, quoted(raw))
        found.append(CommittedFile(raw, kind, oid, int(size) if size.isdecimal() else 0))
    return found


def texts_of(git: "Git", commit: str, files: Sequence[CommittedFile]) -> Iterator[tuple[CommittedFile, bytes]]:
    """The bytes of some files, as many of them at a time as memory bears."""
    start = 0
    while start < len(files):
        deadline.check()
        some = first_of(files[start:])
        given = "".join(f"{file.oid}\n" for file in some).encode()
        said, at = _asked(git, commit, "cat-file", "--batch", given=given), 0
        for file in some:
            line = said.index(b"\n", at)
            if said[at:line] != f"{file.oid} blob {file.size}".encode():
                raise _missing(commit, quoted(file.raw))
            yield file, said[line + 1 : line + 1 + file.size]
            at = line + file.size + 2
        start += len(some)


def object_name(text: bytes, length: int) -> str:
    """The id of a blob with this text, where ids have so many digits."""
    if length not in (40, 64):
        raise GitError("git names a commit in a way that is not known here.")
    hasher = hashlib.sha256() if length == 64 else hashlib.sha1(usedforsecurity=False)
    hasher.update(b"blob %d\0" % len(text) + text)
    return hasher.hexdigest()


def committed_name(git: "Git", raw: str, text: bytes) -> str:
    """The id of the blob that a file with this text becomes, its encoding and ends of lines undone by git."""
    said = git.ask("hash-object", "--stdin", f"--path={raw}", given=text, unfiltered=True)
    return said.decode().strip()


def first_of(files: Sequence[CommittedFile]) -> list[CommittedFile]:
    """The first of some files, and as many behind it as are read together."""
    size = 0
    for number, file in enumerate(files[:_AT_ONCE]):
        size += file.size
        if number and size > _AT_ONCE_BYTES:
            return list(files[:number])
    return list(files[:_AT_ONCE])


def _asked(git: "Git", commit: str, *arguments: str, given: bytes = b"") -> bytes:
    try:
        return git.ask("--no-replace-objects", *arguments, given=given)
    except GitError as error:
        # A partial clone would fetch what it lacks, which no question of ours is let do.
        raise _missing(commit, "some of it") if "could not fetch" in error.message else error from error


def _missing(commit: str, what: str) -> GitError:
    return GitError(
        f"Commit {commit[:12]} is not whole here: git has no object of {what}.",
        hint="A partial clone holds what was checked out; a checkout of that commit brings the rest.",
    )


class CommittedTree(Beneath):
    """Files as a commit has them, where others read a folder; nothing of the folder is ever opened."""

    def __init__(self, git: "Git", commit: str) -> None:
        super().__init__(git.root)
        self._git, self._commit = git, commit
        self.texts = self.over = CommittedTexts(git, commit, lambda: self.files)

    @cached_property
    def files(self) -> dict[str, CommittedFile]:
        """Every entry of the tree by its name; listed where somebody asks."""
        return {file.raw: file for file in files_of(self._git, self._commit)}

    def _open(self, raw: str, flags: int, follow: bool) -> int:
        raise FileNotFoundError(errno.ENOENT, "the commit has no such file", raw)


class CommittedTexts(Mapping[str, FileRead]):
    """The files of a commit by their names or keys; what will be wanted next is read along."""

    def __init__(self, git: "Git", commit: str, files: Callable[[], Mapping[str, CommittedFile]]) -> None:
        self._git, self._commit, self._all = git, commit, files
        self._held: dict[str, FileRead] = {}
        self._order: list[CommittedFile] = []
        self._places: dict[str, int] = {}

    @cached_property
    def _files(self) -> dict[str, CommittedFile]:
        return {raw: file for raw, file in self._all().items() if file.kind == "file"}

    @cached_property
    def _names(self) -> dict[str, str]:
        return {nfc(raw): raw for raw in self._files if not raw.isascii()}

    def expect(self, names: Sequence[str]) -> None:
        """Some files are about to be read, in this order."""
        self._order = [self._files[raw] for raw in names]
        self._places = {raw: place for place, raw in enumerate(names)}

    def __getitem__(self, name: str) -> FileRead:
        file = self._files.get(name) or self._files[self._names[name]]
        if file.size > MAX_FILE_BYTES:
            raise TooLargeError(name, (0, 0, file.size, 0))
        if file.raw not in self._held:
            place = self._places.get(file.raw)
            some = [file] if place is None else first_of(self._order[place : place + _AT_ONCE])
            self._held = {each.raw: read_of(data) for each, data in texts_of(self._git, self._commit, some)}
        return self._held[file.raw]

    def __contains__(self, name: object) -> bool:
        return name in self._files or name in self._names

    def __iter__(self) -> Iterator[str]:
        return iter(self._files)

    def __len__(self) -> int:
        return len(self._files)
