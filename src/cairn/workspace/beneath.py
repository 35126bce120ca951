"""Opening files beneath a root, so that no link or race leads out of it.

`openat2` with RESOLVE_BENEATH lets the kernel refuse every way out. Where the kernel or a sandbox lacks it, or the
system isn't Linux, the path is walked step by step, each folder held open and each link read: see `base/system`.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Self

from cairn.base import system
from cairn.base.errors import OutOfRootError, RootNotFoundError, SymlinkLoopError
from cairn.workspace.pathkey import quoted

if TYPE_CHECKING:
    from cairn.workspace.reads import FileRead

# Without O_NONBLOCK an open of a FIFO that was put in a file's place would wait for a writer.
_READ_FLAGS = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY
_DIRECTORY_FLAGS = os.O_RDONLY | os.O_CLOEXEC | os.O_DIRECTORY
system.prepare()


class Beneath:
    """A root folder held open; every path given to it is relative to that root."""

    def __init__(self, root: str, *, use_openat2: bool = True) -> None:
        try:
            self.fd = os.open(root, _DIRECTORY_FLAGS)
        except OSError as error:
            raise RootNotFoundError(f"The folder {root} can't be opened: {error.strerror}.") from error
        self.root = root
        self.over: Mapping[str, FileRead] = {}
        """What is read in the place of files, by their paths: texts that an editor has not saved yet."""
        self.has_openat2 = use_openat2 and self._probe()

    def open_file(self, raw: str, *, follow: bool = True) -> int:
        """A descriptor for reading; the caller checks that it is a regular file.

        With `follow` off, a link anywhere on the way counts as a missing file.
        """
        return self._open(raw, _READ_FLAGS, follow)

    def open_folder(self, raw: str, *, follow: bool = True) -> int:
        """A descriptor of a folder beneath the root."""
        return self._open(raw or ".", _DIRECTORY_FLAGS, follow)

    def is_in_place(self) -> bool:
        """Whether the root's path still leads to the folder that is held open.

        If not, it was moved or deleted, and what it shows is not what its path shows.
        """
        held = os.fstat(self.fd)
        try:
            there = os.stat(self.root)
        except OSError:
            return False
        return (held.st_dev, held.st_ino) == (there.st_dev, there.st_ino)

    def close(self) -> None:
        """Let go of the root."""
        if self.fd >= 0:
            os.close(self.fd)
            self.fd = -1

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _probe(self) -> bool:
        try:
            os.close(system.open_beneath(self.fd, ".", _DIRECTORY_FLAGS, follow=True))
        except OSError as error:
            # ENOSYS: an old kernel; EPERM and EACCES: a seccomp filter that doesn't know the call.
            if error.errno in (errno.ENOSYS, errno.EOPNOTSUPP, errno.EPERM, errno.EACCES, errno.EINVAL):
                return False
            raise
        return True

    def _open(self, raw: str, flags: int, follow: bool) -> int:
        if "\0" in raw:
            # The kernel would read the name only up to there and open another file.
            raise OSError(errno.EINVAL, os.strerror(errno.EINVAL), raw)
        try:
            opened = system.open_beneath if self.has_openat2 else system.walk_beneath
            return opened(self.fd, raw, flags, follow=follow)
        except OSError as error:
            if error.errno == errno.ELOOP and not follow:
                raise FileNotFoundError(errno.ENOENT, "a link stands in its place", raw) from error
            if error.errno == errno.EXDEV:
                raise OutOfRootError(f"{quoted(raw)} leads out of the root.") from error
            if error.errno == errno.ELOOP:
                raise SymlinkLoopError(f"{quoted(raw)} is a link that leads back to itself.") from error
            raise


class OpenFolder:
    """A folder beneath the root held open: opens the files right in it, never through a link."""

    def __init__(self, tree: Beneath, raw: str) -> None:
        self.over: Mapping[str, FileRead] = {}
        self._fd = tree.open_folder(raw, follow=False)
        self._cut = len(raw) + 1 if raw else 0

    def open_file(self, raw: str, *, follow: bool = False) -> int:
        """A descriptor for reading one of the folder's own files."""
        try:
            return os.open(raw[self._cut :], _READ_FLAGS | os.O_NOFOLLOW, dir_fd=self._fd)
        except OSError as error:
            if error.errno == errno.ELOOP:
                raise FileNotFoundError(errno.ENOENT, "a link stands in its place", raw) from error
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._fd)
