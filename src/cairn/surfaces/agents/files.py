"""Settings files on disk: read whole or refused, written through links to where they lead."""

import contextlib
import os
import stat

from cairn.base import durable
from cairn.base.errors import RefusedError
from cairn.base.values import dataclass

MAX_BYTES = 32 * 1024 * 1024
_HINT = "Nothing was changed. Mend the file or move it away, then run the command again."


@dataclass(frozen=True, slots=True)
class SettingsFile:
    """A file as it is now."""

    path: str
    """As a client names it."""
    target: str
    """Where its links lead."""
    data: bytes | None
    """None: it is not there."""
    mode: int


def look(path: str, *, beneath: str | None = None, new_mode: int = 0o600) -> SettingsFile:
    """Read a file that may be edited; `beneath` is a folder that its links must not leave."""
    target = os.path.realpath(path)
    if beneath is not None and os.path.commonpath([target, os.path.realpath(beneath)]) != os.path.realpath(beneath):
        raise RefusedError(f"{path} leads out of the project, to {target}.", hint=_HINT)
    try:
        fd = os.open(target, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        return SettingsFile(path, target, None, new_mode)
    except OSError as error:
        raise RefusedError(f"{path} can't be read: {error.strerror}.", hint=_HINT) from error
    with open(fd, "rb") as file:
        said = os.fstat(fd)
        if not stat.S_ISREG(said.st_mode):
            raise RefusedError(f"{path} is not a regular file.", hint=_HINT)
        data = file.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise RefusedError(f"{path} has more than {MAX_BYTES} bytes.", hint=_HINT)
    return SettingsFile(path, target, data, stat.S_IMODE(said.st_mode))


def require_writable(found: SettingsFile) -> None:
    """Raise RefusedError if a file can't be written."""
    if found.data is not None and not os.access(found.target, os.W_OK):
        raise RefusedError(f"{found.path} is read-only.", hint=_HINT)


def write(target: str, data: bytes, mode: int) -> list[str]:
    """Replace a file durably; returns the folders that had to be made for it, from the top down."""
    made = missing_folders(target)
    for folder in made:
        with contextlib.suppress(FileExistsError):
            os.mkdir(folder)
    owner = _owner(target)
    durable.write_file(target, data, mode)
    if owner is not None and owner != _owner(target):
        # Another user's file that we may write stays theirs, if the system lets us give it back.
        with contextlib.suppress(OSError):
            os.chown(target, *owner)
    return made


def missing_folders(target: str) -> list[str]:
    """The folders above a file that don't exist yet, from the top down."""
    missing: list[str] = []
    folder = os.path.dirname(target)
    while not os.path.isdir(folder):
        missing.insert(0, folder)
        folder = os.path.dirname(folder)
    return missing


def remove(target: str, folders: list[str]) -> None:
    """Remove a file, and the folders that were made for it as far as they are empty."""
    with contextlib.suppress(FileNotFoundError):
        os.unlink(target)
    remove_folders(folders)


def remove_folders(folders: list[str]) -> None:
    """Remove folders, given from the top down, as far as they are empty."""
    for folder in reversed(folders):
        try:
            os.rmdir(folder)
        except OSError:
            return


def _owner(path: str) -> tuple[int, int] | None:
    try:
        said = os.stat(path)
    except OSError:
        return None
    return said.st_uid, said.st_gid
