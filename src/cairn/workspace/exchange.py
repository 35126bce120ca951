"""Replacing a file's content without losing what somebody else writes at the same moment.

The new content is made durable beside the file, then both swap names in one step (RENAME_EXCHANGE), and the old
content is checked: if it isn't what was expected, they are swapped back. A plain rename would have thrown away an edit
that came between a check and the rename. If the file system can't exchange, the check comes right before the rename.
"""

import contextlib
import ctypes
import errno
import os
import re
import stat
from collections.abc import Callable, Iterator

from cairn.base import durable
from cairn.base.errors import ContentChangedError, RefusedError
from cairn.workspace.beneath import Beneath
from cairn.workspace.pathkey import quoted
from cairn.workspace.reads import content_hash

_SYS_RENAMEAT2 = {"x86_64": 316, "aarch64": 276}.get(os.uname().machine)
_RENAME_EXCHANGE = 2
_UNSUPPORTED = (errno.ENOSYS, errno.EINVAL, errno.EPERM, errno.EOPNOTSUPP)
_WRITE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW
_READ = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
ASIDE = re.compile(r"\.cairn-[0-9A-Z]{26}(-[0-9]+)?")
"""Temporary names beside a file: they are no part of the tree."""
_libc = ctypes.CDLL(None, use_errno=True)


class FilePlace:
    """One file beneath the root, with the folder around it held open: no link leads elsewhere."""

    def __init__(self, tree: Beneath, raw: str, temporary: str) -> None:
        """`temporary` is the name in the same folder for the content that is not in place."""
        folder, _, self._name = raw.rpartition("/")
        self._raw = raw
        self._temporary = temporary
        self._fd = tree.open_folder(folder, follow=False)

    def content(self) -> bytes | None:
        """The file's content; None if there is no plain file."""
        return self._read(self._name)

    def aside(self) -> bytes | None:
        """The content under the temporary name; None if there is none."""
        return self._read(self._temporary)

    def put(self, data: bytes, expected: str, reached: Callable[[str], None] = lambda _: None) -> None:
        """Replace the content whose hash is `expected`; ContentChangedError if it changed meanwhile."""
        self._write_aside(data, self.require_plain())
        reached("staged")
        try:
            if not self._exchange():
                self._require(self._name, expected)
                os.rename(self._temporary, self._name, src_dir_fd=self._fd, dst_dir_fd=self._fd)
            else:
                reached("exchanged")
                self._keep_if(expected)
        except BaseException:
            with contextlib.suppress(FileNotFoundError):
                if self._hash(self._temporary) == content_hash(data):
                    os.unlink(self._temporary, dir_fd=self._fd)
            raise
        os.fsync(self._fd)

    def require_plain(self) -> os.stat_result:
        """The file's stat; RefusedError unless it is a plain file with one name."""
        found = self._stat(self._name)
        if found.st_nlink > 1:
            raise RefusedError(f"{quoted(self._raw)} has several names (hard links), and a rewrite would part them.")
        return found

    def restore(self) -> None:
        """Put the content under the temporary name back in place."""
        os.rename(self._temporary, self._name, src_dir_fd=self._fd, dst_dir_fd=self._fd)
        os.fsync(self._fd)

    def drop_aside(self) -> None:
        """Remove the file with the temporary name."""
        with contextlib.suppress(FileNotFoundError):
            os.unlink(self._temporary, dir_fd=self._fd)

    def close(self) -> None:
        """Let go of the folder."""
        os.close(self._fd)

    def _keep_if(self, expected: str) -> None:
        """Drop the old content if it is what was expected; otherwise put it back."""
        if self._hash(self._temporary) == expected:
            os.unlink(self._temporary, dir_fd=self._fd)
            return
        self._exchange()
        raise ContentChangedError(f"{quoted(self._raw)} was changed by somebody else.")

    def _require(self, name: str, expected: str) -> None:
        if self._hash(name) != expected:
            raise ContentChangedError(f"{quoted(self._raw)} was changed by somebody else.")

    def _write_aside(self, data: bytes, like: os.stat_result) -> None:
        fd = os.open(self._temporary, _WRITE, 0o600, dir_fd=self._fd)
        try:
            durable.write_all(fd, data)
            with contextlib.suppress(PermissionError):
                os.fchown(fd, like.st_uid, like.st_gid)
            os.fchmod(fd, stat.S_IMODE(like.st_mode))
            self._copy_attributes(fd)
            os.fsync(fd)
        except BaseException:
            os.unlink(self._temporary, dir_fd=self._fd)
            raise
        finally:
            os.close(fd)

    def _copy_attributes(self, target: int) -> None:
        """Extended attributes, as far as they may be given."""
        source = os.open(self._name, _READ, dir_fd=self._fd)
        try:
            with contextlib.suppress(OSError):
                for name in os.listxattr(source):
                    with contextlib.suppress(OSError):
                        os.setxattr(target, name, os.getxattr(source, name))
        finally:
            os.close(source)

    def _stat(self, name: str) -> os.stat_result:
        found = os.stat(name, dir_fd=self._fd, follow_symlinks=False)
        if not stat.S_ISREG(found.st_mode):
            raise ContentChangedError(f"{quoted(self._raw)} is no plain file any more.")
        return found

    def _exchange(self) -> bool:
        """Swap both names; False if the kernel or the file system can't."""
        if _SYS_RENAMEAT2 is None:
            return False
        one, other = os.fsencode(self._temporary), os.fsencode(self._name)
        if _libc.syscall(_SYS_RENAMEAT2, self._fd, one, self._fd, other, _RENAME_EXCHANGE) == 0:
            return True
        number = ctypes.get_errno()
        if number in _UNSUPPORTED:
            return False
        raise OSError(number, os.strerror(number), self._raw)

    def _hash(self, name: str) -> str:
        data = self._read(name)
        return content_hash(data) if data is not None else ""

    def _read(self, name: str) -> bytes | None:
        try:
            fd = os.open(name, _READ, dir_fd=self._fd)
        except OSError as error:
            if error.errno in (errno.ENOENT, errno.ELOOP):
                return None
            raise
        try:
            if not stat.S_ISREG(os.fstat(fd).st_mode):
                return None
            with open(fd, "rb", closefd=False) as file:
                return file.read()
        finally:
            os.close(fd)


@contextlib.contextmanager
def place(tree: Beneath, raw: str, temporary: str) -> Iterator[FilePlace]:
    """A file's place for the time of a `with` block."""
    found = FilePlace(tree, raw, temporary)
    try:
        yield found
    finally:
        found.close()
