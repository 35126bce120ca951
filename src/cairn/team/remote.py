"""Where a team's indexes are: a folder, an HTTP(S) address for reading, or an object store.

All of them are files under names, written whole or not at all. No order of writes is relied on, and nothing that a
remote says is: what comes is held against hashes by whoever asked.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import time
from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol

from cairn.base import deadline, durable
from cairn.base.errors import CairnError, CorruptStoreError, DiskFullError, ProbeFailedError, RefusedError
from cairn.base.ownfile import unfollowed
from cairn.base.shortage import shortage_of

BLOCK = 1 << 18
PATIENCE = 12
"""How many times the time of one answer all of a request may take, or each megabyte of what it brings."""
_FILE_MODE = 0o666
_FORBIDDEN = frozenset({errno.EACCES, errno.EPERM, errno.EROFS})


class LackingError(Exception):
    """That a remote has nothing under a name."""


Span = tuple[int, int]
"""Where a piece of a file begins, and where it ends."""


class TeamRemote(Protocol):
    """Files under names."""

    address: str
    lists: bool
    """Whether it tells which names there are."""

    def names(self, prefix: str) -> dict[str, float]:
        """The names that begin with a folder, each with how many seconds ago it was written."""

    def has(self, name: str) -> bool:
        """Whether there is a file of that name."""

    def read(self, name: str) -> Iterator[bytes]:
        """What a file holds; LackingError where there is none."""

    def pieces(self, name: str, spans: Sequence[Span]) -> list[bytes]:
        """Pieces of a file, each by where it begins and ends; LackingError where there is no such file."""

    def write(self, name: str, blocks: Iterable[bytes]) -> int:
        """Put a file there, whole or not at all; how many bytes it has."""

    def move(self, name: str, to: str) -> None:
        """Give a file another name, in place of what has it; LackingError where there is none."""

    def remove(self, name: str) -> None:
        """Remove a file, if there is one."""


def unreachable(address: str, said: object) -> ProbeFailedError:
    """That a remote can't be asked now."""
    why = (str(said).splitlines() or ["no answer"])[0][:200].rstrip(".")
    return ProbeFailedError(
        f"The remote {address} can't be asked: {why}.",
        hint="Nothing was changed: try again when it is back, or do without it.",
    )


def only_read(address: str, why: str = "") -> RefusedError:
    """That nothing can be put to a remote, or removed there, by whoever asks."""
    return RefusedError(
        f"The remote {address} is only read{why}.",
        hint="Add the place that may be written, `cairn remote add NAME ADDRESS`, and name it with `--remote NAME`.",
    )


class FolderRemote:
    """A folder that others see too: on a disk, a share, or what a web server shows."""

    lists = True

    def __init__(self, address: str) -> None:
        self.address = address

    def names(self, prefix: str) -> dict[str, float]:
        self._require_there()
        top, now = os.path.join(self.address, prefix), time.time()
        found: dict[str, float] = {}
        try:
            for folder, _, names in os.walk(top, onerror=_unless_gone):
                for name in names:
                    path = os.path.join(folder, name)
                    with contextlib.suppress(FileNotFoundError):
                        found[os.path.relpath(path, self.address)] = now - os.lstat(path).st_mtime
        except OSError as error:
            raise unreachable(self.address, error.strerror) from error
        return found

    def has(self, name: str) -> bool:
        self._require_there()
        try:
            return stat.S_ISREG(os.lstat(os.path.join(self.address, name)).st_mode)
        except FileNotFoundError:
            return False
        except OSError as error:
            raise unreachable(self.address, error.strerror) from error

    def read(self, name: str) -> Iterator[bytes]:
        self._require_there()
        path = os.path.join(self.address, name)
        try:
            with open(path, "rb", buffering=0, opener=unfollowed) as file:
                while block := file.read(BLOCK):
                    yield block
        except OSError as error:
            raise self._unread(name, error) from error

    def pieces(self, name: str, spans: Sequence[Span]) -> list[bytes]:
        self._require_there()
        try:
            with open(os.path.join(self.address, name), "rb", buffering=0, opener=unfollowed) as file:
                return [os.pread(file.fileno(), end - start, start) for start, end in spans]
        except OSError as error:
            raise self._unread(name, error) from error

    def _unread(self, name: str, error: OSError) -> Exception:
        if isinstance(error, FileNotFoundError):
            return LackingError(name)
        # The folder is there, so this one file is at fault: a link, a folder, or one that nobody may open.
        return shortage_of(error) or CorruptStoreError(
            f"{name} at {self.address} can't be read: {error.strerror}.",
            hint="Nothing was changed: mend or remove that file, then push it again.",
        )

    def write(self, name: str, blocks: Iterable[bytes]) -> int:
        self._require_there()
        path = os.path.join(self.address, name)
        temporary, size = f"{path}{durable.TEMP_MARK}{os.urandom(8).hex()}", 0
        try:
            os.makedirs(os.path.dirname(path), exist_ok=True)
            fd = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, _FILE_MODE)
            with open(fd, "wb") as file:
                for block in blocks:
                    deadline.check()
                    size += file.write(block)
                file.flush()
                os.fsync(file.fileno())
            durable.move(temporary, path)
        except OSError as error:
            short = shortage_of(error)
            if isinstance(short, DiskFullError):
                short = DiskFullError(
                    f"The disk of the remote {self.address} is full.",
                    hint="Free some space there: `cairn remote gc` removes older snapshots.",
                )
            raise short or self._unchanged(error) from error
        finally:
            with contextlib.suppress(OSError):
                durable.remove(temporary)
        return size

    def move(self, name: str, to: str) -> None:
        place = os.path.join(self.address, to)
        try:
            os.makedirs(os.path.dirname(place), exist_ok=True)
            durable.move(os.path.join(self.address, name), place)
        except FileNotFoundError as error:
            raise LackingError(name) from error
        except OSError as error:
            raise self._unchanged(error) from error

    def remove(self, name: str) -> None:
        try:
            durable.remove(os.path.join(self.address, name))
        except OSError as error:
            raise self._unchanged(error) from error

    def _unchanged(self, error: OSError) -> CairnError:
        if error.errno in _FORBIDDEN:
            return only_read(self.address, f" by this user: {error.strerror}")
        return unreachable(self.address, error.strerror)

    def _require_there(self) -> None:
        # Where it is missing, what it lies on is not mounted: nothing is written beneath a mount point.
        if not os.path.isdir(self.address):
            away = unreachable(self.address, "the folder is not there")
            away.hint = "Mount it or make it, or correct the address with `cairn remote add NAME ADDRESS`."
            raise away


def _unless_gone(error: OSError) -> None:
    """What can't be listed may hold anything; what is gone holds nothing."""
    if not isinstance(error, FileNotFoundError):
        raise error
