"""The one way to write what must survive: temporary file, fsync, rename, fsync of the folder.

A reader sees the old content or the new, never a part; after a crash one of the two is there. The
temporary file lies in the same folder, because only a rename within one file system is atomic.
"""

import contextlib
import os
import threading
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from cairn.base import lazy
from cairn.base.ownfile import unfollowed

if TYPE_CHECKING:
    import shutil
else:
    shutil = lazy.module("shutil")  # it loads all compressors, and whoever reads needs none

TEMP_MARK = ".tmp-"
_AT_ONCE = 8


def write_file(path: str, data: bytes, mode: int) -> None:
    """Replace a file durably."""
    with staged_file(path, data, mode) as swap:
        swap()


@contextlib.contextmanager
def staged_file(
    path: str, data: bytes, mode: int, *, temporary: str = "", renamed: Callable[[], None] = lambda: None
) -> Iterator[Callable[[], None]]:
    """Make new content durable beside its place; the yielded call swaps it in.

    Between the two the caller may check whether it still has the right to. If the call is never
    made, or fails, the old content stays and the temporary file goes.
    """
    temporary = temporary or f"{path}{TEMP_MARK}{os.urandom(8).hex()}"
    write_new_file(temporary, data, mode)
    swapped = False

    def swap() -> None:
        nonlocal swapped
        os.rename(temporary, path)
        renamed()
        swapped = True
        sync_folder(os.path.dirname(path))

    try:
        yield swap
    finally:
        if not swapped:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(temporary)


def write_new_file(path: str, data: bytes, mode: int) -> None:
    """Create a file that must not exist yet, with its content on disk."""
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
    try:
        # The process's umask must not make a shared store private, nor a private one shared.
        os.fchmod(fd, mode)
        write_all(fd, data)
        os.fsync(fd)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(path)
        raise
    finally:
        os.close(fd)


def copy_file(source: str, target: str, mode: int) -> None:
    """Copy a file of any size to where there must be none yet, with its content on disk."""
    fd = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
    with open(fd, "wb") as copy, open(source, "rb", opener=unfollowed) as original:
        os.fchmod(fd, mode)
        shutil.copyfileobj(original, copy)
        copy.flush()
        os.fsync(fd)


def move(source: str, target: str) -> None:
    """Rename a file or folder, durably in both folders."""
    os.rename(source, target)
    sync_folder(os.path.dirname(target))
    if os.path.dirname(source) != os.path.dirname(target):
        sync_folder(os.path.dirname(source))


def remove(path: str, *, ignore_errors: bool = False) -> None:
    """Remove whatever lies at a path, if anything does: of a link itself and never what it leads to."""
    try:
        os.unlink(path)
    except FileNotFoundError:
        return
    except IsADirectoryError:
        shutil.rmtree(path, ignore_errors=ignore_errors)


def sync_folder(path: str) -> None:
    """Make the names in a folder durable: files created, renamed or removed."""
    fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def write_cache(path: str, data: bytes, mode: int) -> None:
    """Replace a file that may be lost with the power, because whoever reads it can tell and do without."""
    temporary = f"{path}{TEMP_MARK}{os.urandom(8).hex()}"
    fd = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
    try:
        os.fchmod(fd, mode)
        write_all(fd, data)
        os.rename(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise
    finally:
        os.close(fd)


def sync_tree(path: str) -> None:
    """Make every file and folder beneath a path durable, before a segment is published.

    Files at once, in any order: the file system then waits for its journal once for all of them. Then come the folders,
    each after what is in it.
    """
    inside = list(os.walk(path, topdown=False))
    _sync_all([os.path.join(folder, name) for folder, _, names in inside for name in names])
    for folder, _, _ in inside:
        sync_folder(folder)


def _sync_all(paths: list[str]) -> None:
    waiting = list(paths)
    done: set[str] = set()
    failed: list[OSError] = []

    def work() -> None:
        while True:
            try:
                each = waiting.pop()
            except IndexError:
                return
            try:
                _sync(each)
                done.add(each)
            except OSError as error:
                failed.append(error)

    others = [threading.Thread(target=work) for _ in range(min(len(waiting), _AT_ONCE) - 1)]
    for number, thread in enumerate(others):
        try:
            thread.start()
        except RuntimeError:
            # There is no room for more threads: those that have begun do all of it.
            del others[number:]
            break
    work()
    for thread in others:
        thread.join()
    for error in failed:
        # Not tried again: a file system may forget at the first failure what it could not write.
        raise error
    for each in paths:
        if each not in done:
            _sync(each)  # its thread has ended before its time


def _sync(path: str) -> None:
    fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def write_all(fd: int, data: bytes) -> None:
    """Write all bytes, however many calls that takes."""
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]


def make_private_folders(path: str) -> None:
    """Make a folder and its missing parents, all accessible to their owner alone.

    `os.makedirs` applies its mode to the last folder only.
    """
    if path and not os.path.isdir(path):
        make_private_folders(os.path.dirname(path))
        with contextlib.suppress(FileExistsError):
            os.mkdir(path, 0o700)
