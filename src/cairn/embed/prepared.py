"""The bundled model in the form that loads fastest, kept under CAIRN_HOME.

Most of the time to load the model goes into inflating its archive and parsing its tokenizer. Both
are done once: table, scales and vocabulary then lie in one plain file whose hash is pinned like
that of the model, so a damaged or foreign file is never used. If the file can't be kept, or while
another process writes it, the archive is used.
"""

import contextlib
import fcntl
import hashlib
import os
from collections.abc import Iterator

from cairn.base import durable

FOLDER = "models"


def read_prepared(home: str, name: str, sha256: str) -> bytes | None:
    """The prepared file, if it is there and is exactly what was pinned."""
    try:
        with open(_path(home, name), "rb") as file:
            data = file.read()
    except OSError:
        return None
    return data if hashlib.sha256(data).hexdigest() == sha256 else None


def keep_prepared(home: str, name: str, data: bytes, sha256: str) -> bool:
    """Keep the prepared file for the next process; False if that failed or the data isn't what was pinned."""
    if hashlib.sha256(data).hexdigest() != sha256:
        return False
    path = _path(home, name)
    try:
        durable.make_private_folders(os.path.dirname(path))
        with _only_one(f"{path}.lock"):
            durable.write_file(path, data, 0o600)
    except OSError:
        # A full or read-only disk costs the next start some milliseconds, nothing more.
        return False
    return True


def _path(home: str, name: str) -> str:
    return os.path.join(home, FOLDER, name)


@contextlib.contextmanager
def _only_one(path: str) -> Iterator[None]:
    """Hold the file's lock, or raise BlockingIOError: the process that holds it writes the same bytes."""
    fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(fd)
