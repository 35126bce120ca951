"""Stable reads: a file's bytes and hash from one read that no write interrupted.

A read counts when size, mtime, ctime and inode are the same before and after it. The clock behind
those stamps ticks only every few milliseconds, and a write is stamped before its bytes are there,
so a file that changed a moment ago is given that moment first.
"""

import hashlib
import os
import stat
import time
import zlib
from collections.abc import Mapping
from typing import NamedTuple, Protocol

from cairn.base.errors import UnstableFileError
from cairn.workspace.pathkey import quoted

HEAD_BYTES = 4096
ATTEMPTS = 6
FIRST_PAUSE_S = 0.002
_TICK_NS = 20_000_000
_BLOCK = 1 << 20

Stamp = tuple[int, int, int, int]
"""(mtime_ns, ctime_ns, size, inode)"""


class FileRead(NamedTuple):
    """What one stable read gave."""

    stamp: Stamp
    data: bytes
    file_hash: str
    head_sum: int
    """A checksum of the first 4096 bytes: it can prove a change, never that there is none."""


class Opener(Protocol):
    """Something that opens files by their raw root-relative path."""

    @property
    def over(self) -> Mapping[str, FileRead]:
        """What is read in the place of files."""

    def open_file(self, raw: str, *, follow: bool = ...) -> int:
        """A descriptor for reading; with `follow` off, no link on the way is followed."""


class NotRegularError(OSError):
    """The path no longer names a regular file."""


class TooLargeError(OSError):
    """The file is larger than the caller wants to read."""

    def __init__(self, raw: str, stamp: Stamp) -> None:
        super().__init__(raw)
        self.stamp = stamp


def stamp_of(result: os.stat_result) -> Stamp:
    """The part of a stat that changes whenever a file does."""
    return (result.st_mtime_ns, result.st_ctime_ns, result.st_size, result.st_ino)


def read_stable(tree: Opener, raw: str, max_bytes: int, *, follow: bool = False, hashing: bool = True) -> FileRead:
    """Read a file; UnstableFileError if it keeps changing through a few attempts.

    Raises FileNotFoundError when it is gone, NotRegularError and TooLargeError when it has become
    something that is not read, and OSError, OutOfRootError or SymlinkLoopError from opening it.
    """
    if (held := tree.over.get(raw)) is not None:
        if len(held.data) > max_bytes:
            raise TooLargeError(raw, held.stamp)
        return held
    for attempt in range(ATTEMPTS):
        if attempt:
            time.sleep(FIRST_PAUSE_S * 2 ** (attempt - 1))
        found = _read_once(tree, raw, max_bytes, follow, hashing)
        if found is not None:
            return found
    raise UnstableFileError(f"{quoted(raw)} kept changing while it was read ({ATTEMPTS} attempts).")


def read_of(data: bytes) -> FileRead:
    """A text that lies in no file, as if it had been read from one."""
    return FileRead((0, 0, len(data), 0), data, content_hash(data), head_sum(data))


def content_hash(data: bytes) -> str:
    """The sha256 of some bytes, by which files are compared."""
    return hashlib.sha256(data).hexdigest()


def head_sum(data: bytes) -> int:
    """A cheap checksum of the first bytes."""
    return zlib.crc32(data[:HEAD_BYTES])


def unchanged(tree: Opener, raw: str, size: int, known_head: int, file_hash: str) -> Stamp | None:
    """The new stamp of a file whose content is still the known one: size, first 4096 bytes, then all.

    None means that it differs or moves, and has to be read anew.
    """
    fd = tree.open_file(raw, follow=False)
    try:
        before = _wait_until_quiet(fd, raw, size)
        if before.st_size != size:
            return None
        head = os.read(fd, HEAD_BYTES)
        if head_sum(head) != known_head:
            return None
        digest = hashlib.sha256(head)
        while block := os.read(fd, _BLOCK):
            digest.update(block)
        stamp = stamp_of(before)
        return stamp if digest.hexdigest() == file_hash and stamp_of(os.fstat(fd)) == stamp else None
    except TooLargeError:
        return None
    finally:
        os.close(fd)


def _read_once(tree: Opener, raw: str, max_bytes: int, follow: bool, hashing: bool) -> FileRead | None:
    fd = tree.open_file(raw, follow=follow)
    try:
        before = _wait_until_quiet(fd, raw, max_bytes)
        data = _read_all(fd, before.st_size)
        stamp = stamp_of(before)
        if len(data) != before.st_size or stamp_of(os.fstat(fd)) != stamp:
            return None
        return FileRead(stamp, data, content_hash(data) if hashing else "", head_sum(data))
    finally:
        os.close(fd)


def _wait_until_quiet(fd: int, raw: str, max_bytes: int) -> os.stat_result:
    """The file's stat once its last change is a tick old, or after a few ticks of constant change."""
    for _ in range(ATTEMPTS):
        found = os.fstat(fd)
        if not stat.S_ISREG(found.st_mode):
            raise NotRegularError(raw)
        if found.st_size > max_bytes:
            raise TooLargeError(raw, stamp_of(found))
        age = time.time_ns() - found.st_ctime_ns
        if not 0 <= age < _TICK_NS:
            break
        time.sleep((_TICK_NS - age) / 1e9)
    return found


def _read_all(fd: int, size: int) -> bytes:
    """A file that should have `size` bytes; one byte more tells that it has grown."""
    data = os.read(fd, size + 1)
    if len(data) >= size or not data:
        return data
    parts = [data]
    left = size + 1 - len(data)
    while left and (part := os.read(fd, left)):
        parts.append(part)
        left -= len(part)
    return b"".join(parts)
