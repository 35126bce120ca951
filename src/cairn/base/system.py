"""What only Linux has, in one place, each with what takes its part elsewhere.

Nothing outside of this module calls the C library or reads `/proc`, and a test keeps it so. What a caller gets
elsewhere is the same answer by a longer way (paths beneath a root), a weaker proof (nobody is proven dead, so that a
lease is taken over after its time), or nothing (memory is not given back). `CAIRN_PORTABLE=1` chooses that way on Linux
too, which is how it is tested. A client of the daemon loads this before anything else, so it needs little.
"""

import errno
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

IS_LINUX = sys.platform == "linux" and not os.environ.get("CAIRN_PORTABLE")
MOUNTS = "/proc/self/mountinfo"
_OPENAT2 = 437
_RENAMEAT2 = {"x86_64": 316, "aarch64": 276}
_NO_MAGIC_LINKS, _NO_LINKS, _BENEATH = 0x02, 0x04, 0x08
_NO_REPLACE, _EXCHANGE = 1, 2
_UNSUPPORTED = (errno.ENOSYS, errno.EINVAL, errno.EPERM, errno.EOPNOTSUPP)
_AGAIN_ATTEMPTS = 16
_MOST_LINKS = 40
_PDEATHSIG = 1
_ARENA_MAX = -8
# With O_PATH a folder is passed through that may not be listed, and nothing is ever opened by accident.
PATH_ONLY = (os.O_PATH if IS_LINUX else os.O_RDONLY | os.O_NONBLOCK) | os.O_NOFOLLOW | os.O_CLOEXEC


_loaded: "list[Any]" = []
_known: "dict[tuple[int, bool], bytes]" = {}


def prepare() -> None:
    """Load what is loaded late. A process that gives up its rights may not be allowed to read modules afterwards."""
    if IS_LINUX:
        _libc()


def _libc() -> "Any":
    if not _loaded:
        import ctypes

        _loaded.append(ctypes.CDLL(None, use_errno=True))
    return _loaded[0]


def _errno() -> int:
    import ctypes

    return ctypes.get_errno()


def proc(name: str) -> bytes:
    """A file of `/proc`; FileNotFoundError on systems that have none."""
    if not IS_LINUX:
        raise _error(errno.ENOENT, name)
    with open(f"/proc/{name}", "rb") as file:
        return file.read()


def proc_link(name: str) -> str:
    """Where a link of `/proc` leads; FileNotFoundError on systems that have none."""
    if not IS_LINUX:
        raise _error(errno.ENOENT, name)
    return os.readlink(f"/proc/{name}")


def _how(flags: int, follow: bool) -> bytes:
    """`struct open_how`: flags, mode and what to refuse on the way."""
    known = _known.get((flags, follow))
    if known is None:
        resolve = _BENEATH | _NO_MAGIC_LINKS | (0 if follow else _NO_LINKS)
        known = b"".join(each.to_bytes(8, sys.byteorder) for each in (flags, 0, resolve))
        _known[flags, follow] = known
    return known


def open_beneath(folder: int, path: str, flags: int, *, follow: bool) -> int:
    """`openat2`: open a path of which no step leads out of a folder; ELOOP for a link that is not to be followed."""
    how, raw = _how(flags, follow), os.fsencode(path)
    for attempt in range(_AGAIN_ATTEMPTS):
        fd: int = _libc().syscall(_OPENAT2, folder, raw, how, len(how)) if IS_LINUX else -1
        if fd >= 0:
            return fd
        number = _errno() if IS_LINUX else errno.ENOSYS
        # EAGAIN: a rename elsewhere raced with the walk up through '..'; EINTR: a signal.
        if number not in (errno.EAGAIN, errno.EINTR) or attempt == _AGAIN_ATTEMPTS - 1:
            break
    raise _error(number, path)


def walk_beneath(folder: int, path: str, flags: int, *, follow: bool) -> int:
    """The same without `openat2`: step by step, each folder held open, each link read and walked in its place."""
    if not path or path.startswith("/"):
        raise _error(errno.EXDEV if path else errno.ENOENT, path)
    held = [os.dup(folder)]
    left = _steps(path)
    links = 0
    try:
        while left:
            part = left.pop()
            if part == "..":
                if len(held) == 1:
                    raise _error(errno.EXDEV, path)
                os.close(held.pop())
                continue
            found = _step(held[-1], part, PATH_ONLY | os.O_DIRECTORY if left else flags | os.O_NOFOLLOW)
            if isinstance(found, int):
                if not left:
                    return found
                held.append(found)
                continue
            links += 1
            if not follow or links > _MOST_LINKS:
                raise _error(errno.ELOOP, path)
            if found.startswith("/"):
                raise _error(errno.EXDEV, path)
            left += _steps(found)
        return os.open(".", flags, dir_fd=held[-1])
    finally:
        for each in held:
            os.close(each)


def _steps(path: str) -> list[str]:
    """The parts of a path, the last first."""
    return [part for part in reversed(path.split("/")) if part not in ("", ".")]


def _step(folder: int, name: str, flags: int) -> int | str:
    """A descriptor of what a folder has by a name, or where the link leads that it is."""
    for attempt in range(_AGAIN_ATTEMPTS):
        try:
            return os.readlink(name, dir_fd=folder)
        except OSError as error:
            if error.errno != errno.EINVAL:
                raise
        try:
            return os.open(name, flags, dir_fd=folder)
        except OSError as error:
            # A link may have been put in its place since: then it is read as one.
            if error.errno not in (errno.ELOOP, errno.ENOTDIR) or attempt == _AGAIN_ATTEMPTS - 1:
                raise
    raise AssertionError("unreachable")


def _error(number: int, path: str) -> OSError:
    return OSError(number, os.strerror(number), path)


def exchange(folder: int, one: str, other: str) -> bool:
    """Swap two names of a folder in one step; False where the system or the file system can't."""
    return _renameat2(folder, one, other, _EXCHANGE)


def rename_to_free(folder: int, one: str, other: str) -> bool:
    """Rename to a name that nothing has, FileExistsError if something has; False where the system can't tell."""
    return _renameat2(folder, one, other, _NO_REPLACE)


def _renameat2(folder: int, one: str, other: str, how: int) -> bool:
    call = _RENAMEAT2.get(os.uname().machine) if IS_LINUX else None
    if call is None:
        return False
    if _libc().syscall(call, folder, os.fsencode(one), folder, os.fsencode(other), how) == 0:
        return True
    number = _errno()
    if number in _UNSUPPORTED:
        return False
    raise _error(number, one)


def copy_attributes(source: int, target: int) -> None:
    """Give a file the extended attributes of another, as far as they may be given."""
    if not IS_LINUX:
        return
    for name in os.listxattr(source):
        try:
            os.setxattr(target, name, os.getxattr(source, name))
        except OSError:
            continue


def die_with_parent(signal: int) -> None:
    """End this process with its parent; elsewhere it ends when it finds its pipe closed."""
    if IS_LINUX:
        _libc().prctl(_PDEATHSIG, signal)


def limit_arenas(most: int) -> None:
    """Let the C library keep few arenas; nothing without glibc."""
    if IS_LINUX and hasattr(_libc(), "mallopt"):
        _libc().mallopt(_ARENA_MAX, most)


def trim_memory() -> None:
    """Give free memory back to the system; nothing without glibc."""
    if IS_LINUX and hasattr(_libc(), "malloc_trim"):
        _libc().malloc_trim(0)


def memory_pages(column: int) -> int:
    """A column of the kernel's count of this process's memory, in bytes; 0 where it isn't told."""
    try:
        return int(proc("self/statm").split()[column]) * os.sysconf("SC_PAGESIZE")
    except (OSError, ValueError, IndexError):
        return 0


def cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if IS_LINUX else os.cpu_count() or 1


def open_handles() -> int:
    """How many descriptors are open; an older kernel, or another system, only gives out the lowest free one."""
    counted = os.stat("/proc/self/fd").st_size if IS_LINUX else 0
    if counted:
        return counted
    fd = os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)
    os.close(fd)
    return fd


def watcher_to_be_had() -> bool:
    """Whether another instance of inotify can be opened: all programs of the user share the limit."""
    if not IS_LINUX:
        return True
    fd = _libc().inotify_init1(os.O_CLOEXEC)
    if fd < 0:
        return _errno() not in (errno.EMFILE, errno.ENFILE)
    os.close(fd)
    return True


class ShortName:
    """A path for a socket, whose name must be short: beneath a folder that is held open, where the system can."""

    def __init__(self, path: str) -> None:
        self._fd = os.open(os.path.dirname(path), PATH_ONLY | os.O_DIRECTORY) if IS_LINUX else -1
        self.path = f"/proc/self/fd/{self._fd}/{os.path.basename(path)}" if IS_LINUX else path

    def close(self) -> None:
        """Let go of the folder."""
        if self._fd >= 0:
            os.close(self._fd)
