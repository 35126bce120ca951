"""Running out of descriptors, memory, threads or disk: told as that, and never as damage or as a defect.

Libraries wrap the system's error in one of their own, drop its number, or say nothing but "can't open". So a shortage
is looked for in an error and in what caused it: by number, by text, and where SQLite or an import gives no cause, by
trying.
"""

import errno
import os
import resource
import sys
from collections.abc import Iterator

from cairn.base.errors import CairnError, DiskFullError, ExitCode, OutOfResourcesError, OutputError, StorageError

_FEW_DESCRIPTORS = 64
"""Below this limit an import may find no file, and nobody says why."""
_DISK, _DESCRIPTORS, _MEMORY, _THREADS, _SIZE = "disk", "descriptors", "memory", "threads", "size"
_NUMBERS = {
    errno.ENOSPC: _DISK,
    errno.EDQUOT: _DISK,
    errno.EMFILE: _DESCRIPTORS,
    errno.ENFILE: _DESCRIPTORS,
    errno.ENOMEM: _MEMORY,
    errno.EFBIG: _SIZE,
}
_TEXTS = {os.strerror(number): what for number, what in _NUMBERS.items()} | {
    "can't start new thread": _THREADS,
    "failed to spawn": _THREADS,
    "(os error 11)": _THREADS,
    "failed to map segment": _MEMORY,
    "memory allocation": _MEMORY,
    "Unable to allocate": _MEMORY,
    "database or disk is full": _DISK,
}
_REPORTED = {
    _DESCRIPTORS: ("No file descriptors are left.", "Raise the limit (`ulimit -n 1024`), then try again."),
    _MEMORY: (
        "There is not enough memory.",
        "Free some memory, or raise the limit (`ulimit -v`), then try again.",
    ),
    _THREADS: (
        "No further thread or process can be started.",
        "End other programs, or raise the limits (`ulimit -u`, `ulimit -v`), then try again.",
    ),
    _SIZE: ("A file would exceed the limit.", "Raise the limit (`ulimit -f unlimited`), then try again."),
}
_ABOUT_US = (ExitCode.INTERNAL, ExitCode.CORRUPT)
"""An error of Cairn's own with another exit code says what it means; with these a shortage may be behind it."""


def shortage_of(error: BaseException) -> OutOfResourcesError | None:
    """The shortage that an error comes from; None if it is about something else."""
    if isinstance(error, OutOfResourcesError):
        return error
    if isinstance(error, CairnError) and (error.exit_code not in _ABOUT_US or isinstance(error, OutputError)):
        return None
    # Locks that are held answer with EAGAIN too, but never without a handler of their own.
    refused = error.__cause__ if isinstance(error, StorageError) else error
    direct = _THREADS if isinstance(refused, BlockingIOError) else None
    what = direct or next(filter(None, map(_named, _causes(error))), None)
    if what is None:
        return None
    if what == _DISK:
        place = getattr(error, "filename", None)
        return DiskFullError(f"The disk is full ({place})." if place else "The disk is full.")
    message, hint = _REPORTED[what]
    return OutOfResourcesError(message, hint=hint)


def cause_of(error: CairnError | OSError) -> CairnError:
    """What is told of an error: the shortage behind it, the error itself, or what the system refused."""
    if (short := shortage_of(error)) is not None:
        return short
    if isinstance(error, CairnError):
        return error
    place = f" ({error.filename})" if error.filename else ""
    return StorageError(f"The system refused: {error.strerror or error}{place}.")


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)


def _named(error: BaseException) -> str | None:
    if isinstance(error, OSError) and error.errno in _NUMBERS:
        return _NUMBERS[error.errno]
    if isinstance(error, MemoryError):
        return _MEMORY
    # Where it was never loaded, it raised nothing.
    database = sys.modules.get("sqlite3")
    if (
        database is not None
        and isinstance(error, database.Error)
        and (found := _of_sqlite(getattr(error, "sqlite_errorcode", 0)))
    ):
        return found
    if isinstance(error, ImportError) and resource.getrlimit(resource.RLIMIT_NOFILE)[0] < _FEW_DESCRIPTORS:
        return _DESCRIPTORS
    shown = str(error).lower()
    return next((what for text, what in _TEXTS.items() if text.lower() in shown), None)


def _of_sqlite(code: int) -> str | None:
    import sqlite3

    match code & 0xFF:
        case sqlite3.SQLITE_FULL:
            return _DISK
        case sqlite3.SQLITE_NOMEM:
            return _MEMORY
        case sqlite3.SQLITE_IOERR if resource.getrlimit(resource.RLIMIT_FSIZE)[0] != resource.RLIM_INFINITY:
            return _SIZE
        case sqlite3.SQLITE_CANTOPEN | sqlite3.SQLITE_IOERR:
            # It doesn't say why. A file opens if there are descriptors; SQLite may need two of them, one for its log.
            try:
                first = os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)
                try:
                    os.close(os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC))
                finally:
                    os.close(first)
            except OSError as refused:
                return _NUMBERS.get(refused.errno or 0)
    return None
