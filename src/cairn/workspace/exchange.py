"""Replacing a file's content without losing what somebody else writes at the same moment.

The new content is made durable beside the file, then both swap names in one step (RENAME_EXCHANGE), and the old
content is checked: if it isn't what was expected, they are swapped back. A plain rename would have thrown away an edit
that came between a check and the rename. A file that is made must not be there (RENAME_NOREPLACE), and one that is
removed first gets the temporary name, so that its content can be checked. If the file system can't do this, the check
comes right before the rename.
"""

import contextlib
import errno
import os
import re
import stat
from collections.abc import Callable, Iterator

from cairn.base import durable, system
from cairn.base.errors import ContentChangedError, RefusedError
from cairn.workspace.beneath import Beneath
from cairn.workspace.pathkey import quoted
from cairn.workspace.reads import content_hash

NOT_THERE = ""
"""What stands for the hash of a file that doesn't exist."""
_MODE = 0o666
_WRITE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW
_READ = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
ASIDE = re.compile(r"\.cairn-[0-9A-Z]{26}(-[0-9]+)?")
"""Temporary names beside a file: they are no part of the tree."""


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

    def put(
        self, data: bytes | None, expected: str, reached: Callable[[str], None] = lambda _: None, mode: int = 0
    ) -> None:
        """Replace the content whose hash is `expected`; ContentChangedError if it changed meanwhile.

        Without `data` the file is removed; if none is expected, it is made, with the permissions `mode`.
        """
        if data is None:
            self._remove(expected, reached)
        elif expected == NOT_THERE:
            self._make(data, mode, reached)
        else:
            self._replace(data, expected, reached)
        os.fsync(self._fd)

    def _replace(self, data: bytes, expected: str, reached: Callable[[str], None]) -> None:
        self._write_aside(data, self.require_plain())
        reached("staged")
        with self._without_aside(data):
            if not system.exchange(self._fd, self._temporary, self._name):
                self._require(self._name, expected)
                os.rename(self._temporary, self._name, src_dir_fd=self._fd, dst_dir_fd=self._fd)
            else:
                reached("exchanged")
                self._keep_if(expected)

    def _make(self, data: bytes, mode: int, reached: Callable[[str], None]) -> None:
        self._write_aside(data, None, mode)
        reached("staged")
        with self._without_aside(data):
            self._name_anew(self._temporary, self._name)
            reached("exchanged")

    def _remove(self, expected: str, reached: Callable[[str], None]) -> None:
        self.require_plain()
        reached("staged")
        self._name_anew(self._name, self._temporary)
        reached("exchanged")
        if self._hash(self._temporary) != expected:
            self._name_anew(self._temporary, self._name)
            raise ContentChangedError(f"{quoted(self._raw)} was changed by somebody else.")
        os.unlink(self._temporary, dir_fd=self._fd)

    @contextlib.contextmanager
    def _without_aside(self, data: bytes) -> Iterator[None]:
        """If something fails, what was written aside goes; never what somebody else wrote."""
        try:
            yield
        except BaseException:
            with contextlib.suppress(FileNotFoundError):
                if self._hash(self._temporary) == content_hash(data):
                    os.unlink(self._temporary, dir_fd=self._fd)
            raise

    def require_absent(self) -> None:
        """ContentChangedError if something has the name already."""
        with contextlib.suppress(FileNotFoundError):
            os.stat(self._name, dir_fd=self._fd, follow_symlinks=False)
            raise ContentChangedError(f"{quoted(self._raw)} is there already.")

    def mode(self) -> int:
        """The file's permissions."""
        return stat.S_IMODE(self._stat(self._name).st_mode)

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
        system.exchange(self._fd, self._temporary, self._name)
        raise ContentChangedError(f"{quoted(self._raw)} was changed by somebody else.")

    def _require(self, name: str, expected: str) -> None:
        if self._hash(name) != expected:
            raise ContentChangedError(f"{quoted(self._raw)} was changed by somebody else.")

    def _write_aside(self, data: bytes, like: os.stat_result | None, mode: int = 0) -> None:
        fd = os.open(self._temporary, _WRITE, 0o600 if like is not None else _MODE, dir_fd=self._fd)
        try:
            durable.write_all(fd, data)
            if mode:
                os.fchmod(fd, mode)
            if like is not None:
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
                system.copy_attributes(source, target)
        finally:
            os.close(source)

    def _stat(self, name: str) -> os.stat_result:
        found = os.stat(name, dir_fd=self._fd, follow_symlinks=False)
        if not stat.S_ISREG(found.st_mode):
            raise ContentChangedError(f"{quoted(self._raw)} is no plain file any more.")
        return found

    def _name_anew(self, one: str, other: str) -> None:
        """Rename a file to a name that nothing has."""
        try:
            done = system.rename_to_free(self._fd, one, other)
        except FileExistsError as error:
            raise ContentChangedError(f"{quoted(self._raw)} was made by somebody else.") from error
        if not done:
            if other == self._name:
                self.require_absent()
            os.rename(one, other, src_dir_fd=self._fd, dst_dir_fd=self._fd)

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


def make_folder(tree: Beneath, raw: str) -> None:
    """Make a folder whose parent is there; RefusedError if a file or a link has its name."""
    parent, _, name = raw.rpartition("/")
    fd = tree.open_folder(parent, follow=False)
    try:
        with contextlib.suppress(FileExistsError):
            os.mkdir(name, dir_fd=fd)
            os.fsync(fd)
    finally:
        os.close(fd)
    if not has_folder(tree, raw):
        raise RefusedError(f"{quoted(raw)} is no folder.")


def has_folder(tree: Beneath, raw: str) -> bool:
    """Whether a path leads to a folder, through no link."""
    try:
        os.close(tree.open_folder(raw, follow=False))
    except (FileNotFoundError, NotADirectoryError):
        return False
    return True


def remove_folder(tree: Beneath, raw: str) -> None:
    """Remove a folder if it is there and empty."""
    parent, _, name = raw.rpartition("/")
    with contextlib.suppress(OSError):
        fd = tree.open_folder(parent, follow=False)
        try:
            os.rmdir(name, dir_fd=fd)
            os.fsync(fd)
        finally:
            os.close(fd)
