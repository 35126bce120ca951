"""Files that are a folder's own: regular, of its owner, on its file system, and under no name elsewhere.

Whoever can put something else in a file's place could have Cairn read what was never written for it, or wait for ever.
So nothing here follows a link, and opening never blocks: what isn't a file of its own is told as what it is.
"""

import contextlib
import errno
import os
import stat
from collections import Counter
from collections.abc import Callable, Iterable

from cairn.base import system
from cairn.base.shortage import shortage_of
from cairn.base.ulid import new_ulid

ASIDE = ".damaged-"
"""Between the name of what was set aside and the time of it."""
_KINDS: tuple[tuple[Callable[[int], bool], str], ...] = (
    (stat.S_ISLNK, "a symbolic link"),
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISSOCK, "a socket"),
)
_SHORT = (errno.EMFILE, errno.ENFILE, errno.ENOMEM)


class StrangeFileError(OSError):
    """Something else lies where a file of its folder's own belongs; `strerror` says what."""


def open_own(path: str, flags: int = os.O_RDONLY) -> int:
    """Open a file that is its folder's own; StrangeFileError where something else lies in its place.

    With O_CREAT | O_EXCL the new file is ours by its making.
    """
    try:
        fd = unfollowed(path, flags)
    except FileNotFoundError:
        raise
    except OSError as error:
        # What the system says of a link, a pipe or a folder depends on the flags; what lies there doesn't.
        said = "" if flags & os.O_EXCL else fault_at(path)
        if not said:
            # Not as its own cause: an error that refers to itself keeps every frame, and what it holds, until garbage
            # is looked for, and every lock that is there already passes here.
            raise
        raise _strange(said, path) from error
    try:
        said = fault_of(os.fstat(fd), path)
    except BaseException:
        os.close(fd)
        raise
    if said:
        os.close(fd)
        raise _strange(said, path)
    return fd


def unfollowed(path: str, flags: int) -> int:
    """An opener that follows no link and waits for nobody, for what is judged apart from its opening.

    Where descriptors or memory are short it raises no OSError, which readers take for a file that isn't there.
    """
    try:
        return os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, 0o600)
    except OSError as error:
        shortage = shortage_of(error) if error.errno in _SHORT else None
        if shortage is None:
            raise
        raise shortage from error


def read_unfollowed(path: str) -> bytes:
    """The content of a file that was, or will be, held against its digest."""
    with open(path, "rb", opener=unfollowed) as file:
        return file.read()


def read_own(path: str) -> bytes:
    """The content of a file that is its folder's own."""
    with open(open_own(path), "rb") as file:
        return file.read()


def fault_at(path: str) -> str:
    """Why what lies at a path is no file of its folder's own; empty where it is one, or where nothing lies."""
    with contextlib.suppress(FileNotFoundError, NotADirectoryError):
        return fault_of(os.lstat(path), path)
    return ""


def fault_of(found: os.stat_result, path: str, names: Callable[[], Counter[int]] | None = None) -> str:
    """The same for what was found at a path; `names` counts those that a file may have, by inode."""
    said = kind_fault(found)
    if said:
        return said
    folder = os.stat(os.path.dirname(path))
    if found.st_uid not in (folder.st_uid, os.geteuid()) and not folder.st_mode & stat.S_IWGRP:
        return f"belongs to another user ({found.st_uid})"
    if found.st_dev != folder.st_dev and _mount_of(path) != _mount_of(os.path.dirname(path)):
        return "lies on another file system"
    if found.st_nlink > 1 and not _accounted(path, names or (lambda: names_within([os.path.dirname(path)]))):
        return "has a further name (a hard link) outside"
    return ""


def kind_fault(found: os.stat_result) -> str:
    """What something is if it is no regular file."""
    if stat.S_ISREG(found.st_mode):
        return ""
    return f"is {next((word for is_kind, word in _KINDS if is_kind(found.st_mode)), 'a device')}, not a file"


def folder_fault(path: str) -> str:
    """Why what lies at a path is no folder of its own; empty where it is one, or where nothing lies."""
    with contextlib.suppress(FileNotFoundError, NotADirectoryError):
        found = os.lstat(path)
        if stat.S_ISDIR(found.st_mode):
            return ""
        return "is a symbolic link, not a folder" if stat.S_ISLNK(found.st_mode) else "is a file, not a folder"
    return ""


def names_within(folders: Iterable[str]) -> Counter[int]:
    """How many names each inode has beneath some folders; what vanishes meanwhile is not counted."""
    found: Counter[int] = Counter()
    waiting = list(folders)
    while waiting:
        with contextlib.suppress(OSError), os.scandir(waiting.pop()) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(entry.path)
                else:
                    found[entry.inode()] += 1
    return found


def set_aside(path: str) -> str:
    """Move something out of the way under a name that tells it; the new name, empty where nothing lies there."""
    aside = f"{path}{ASIDE}{new_ulid()}"
    with contextlib.suppress(FileNotFoundError):
        os.rename(path, aside)
        return aside
    return ""


def _accounted(path: str, names: Callable[[], Counter[int]]) -> bool:
    """Whether all names of a file are counted: looked at twice, since others may give and take names meanwhile."""
    for _ in range(3):
        try:
            before = os.lstat(path)
            counted = names()[before.st_ino]
            after = os.lstat(path)
        except FileNotFoundError:
            return True
        if counted >= after.st_nlink:
            return True
        if before.st_nlink == after.st_nlink and before.st_ctime_ns == after.st_ctime_ns:
            return False
    return False


def _mount_of(path: str) -> str:
    """The mount that a path lies on: layered file systems give files and folders of one mount different devices."""
    fd = os.open(path, system.PATH_ONLY)
    try:
        lines = system.proc(f"self/fdinfo/{fd}").splitlines()
        return next((line.decode("ascii") for line in lines if line.startswith(b"mnt_id:")), "")
    except FileNotFoundError:
        # Nothing but the device tells it.
        return str(os.fstat(fd).st_dev)
    finally:
        os.close(fd)


def _strange(said: str, path: str) -> StrangeFileError:
    return StrangeFileError(errno.EINVAL, said, path)
