"""Where a daemon lives: a private folder beneath CAIRN_HOME, the lock that it holds, its socket and its token.

The kernel frees the lock of a process that ends in any way, so who holds it is the one daemon of the
home, and whatever else a former one left behind is stale.
"""

import contextlib
import fcntl
import json
import os
import secrets
import socket
import stat
import time
from collections.abc import Iterator
from typing import Any

from cairn.durable import make_private_folders, write_new_file
from cairn.errors import RefusedError, StorageError
from cairn.store.owner import Owner, owner_from, this_process
from cairn.surfaces.line import SOCKET
from cairn.values import dataclass

_PRIVATE = 0o600
_PATIENCE_S = 1.0
_PAUSE_S = 0.01
_BACKLOG = 256
_TOKEN_BYTES = 32
_MOST_TOKEN_BYTES = 4_096


@dataclass(frozen=True, slots=True)
class Running:
    """A daemon that holds its lock."""

    owner: Owner | None
    version: str = ""
    url: str = ""
    """Where it listens for browsers; empty when it doesn't."""
    ready: bool = False
    """Whether it listens already."""


@dataclass(frozen=True, slots=True)
class Place:
    home: str

    @property
    def folder(self) -> str:
        return os.path.dirname(self.socket_path)

    @property
    def socket_path(self) -> str:
        return os.path.join(self.home, SOCKET)

    @property
    def lock(self) -> str:
        return os.path.join(self.folder, "daemon.lock")

    @property
    def log(self) -> str:
        return os.path.join(self.folder, "daemon.log")

    @property
    def token_file(self) -> str:
        return os.path.join(self.folder, "token")

    def make(self) -> None:
        """The folder; StorageError where there can be none."""
        try:
            make_private_folders(self.folder)
        except OSError as error:
            raise StorageError(f"{self.folder} can't be made: {error.strerror}.") from error

    def running(self) -> Running | None:
        """The daemon of this home, if there is one."""
        try:
            fd = os.open(self.lock, os.O_RDONLY | os.O_CLOEXEC)
        except (FileNotFoundError, NotADirectoryError):
            return None
        try:
            fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
            return None
        except BlockingIOError:
            return _told(os.pread(fd, 65_536, 0))
        finally:
            os.close(fd)

    @contextlib.contextmanager
    def held(self) -> Iterator["Held"]:
        """Be the daemon of this home; RefusedError when another one is."""
        self.make()
        fd = os.open(self.lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, _PRIVATE)
        try:
            _lock(fd, self)
            held = Held(fd)
            held.tell(Running(this_process()))
            yield held
            os.ftruncate(fd, 0)
        finally:
            os.close(fd)

    def listening(self) -> socket.socket:
        """The socket, for its owner alone; only who holds the lock may call this."""
        with contextlib.suppress(FileNotFoundError):
            os.unlink(self.socket_path)
        folder = os.open(self.folder, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
        line = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        before = os.umask(0o177)
        try:
            # A socket's name must be short; a folder that is open has a short one.
            line.bind(f"/proc/self/fd/{folder}/{os.path.basename(self.socket_path)}")
            line.listen(_BACKLOG)
        except BaseException:
            line.close()
            raise
        finally:
            os.umask(before)
            os.close(folder)
        return line

    def token(self) -> str:
        """What a browser has to know; made with the first use, and the same ever after."""
        with contextlib.suppress(FileExistsError):
            write_new_file(self.token_file, secrets.token_urlsafe(_TOKEN_BYTES).encode(), _PRIVATE)
        token = _private_text(self.token_file)
        if len(token) < _TOKEN_BYTES:
            # Nobody may come in with nothing, or with what can be guessed.
            raise RefusedError(
                f"{self.token_file} holds no token.", hint=f"Remove {self.token_file}: a new one is made."
            )
        return token


@dataclass(frozen=True, slots=True)
class Held:
    """The lock, while it is ours."""

    fd: int

    def tell(self, running: Running) -> None:
        """Write down who and where we are."""
        owner = running.owner.document() if running.owner is not None else {}
        document = {**owner, "version": running.version, "url": running.url, "ready": running.ready}
        data = json.dumps(document).encode()
        os.ftruncate(self.fd, 0)
        os.pwrite(self.fd, data, 0)


def _lock(fd: int, place: Place) -> None:
    deadline = time.monotonic() + _PATIENCE_S
    while True:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except BlockingIOError:
            # Somebody may only be looking whether there is a daemon.
            if time.monotonic() >= deadline:
                break
        time.sleep(_PAUSE_S)
    found = place.running()
    who = f" (process {found.owner.pid})" if found is not None and found.owner is not None else ""
    raise RefusedError(f"A daemon of this home runs already{who}.", hint="Run `cairn stop` first.")


def _private_text(path: str) -> str:
    """What a file says that nobody else could have read or written."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError as error:
        raise RefusedError(
            f"{path} can't be read: {error.strerror}.", hint=f"Remove {path}: a new one is made."
        ) from error
    try:
        found = os.fstat(fd)
        if not stat.S_ISREG(found.st_mode) or found.st_uid != os.geteuid() or stat.S_IMODE(found.st_mode) & 0o077:
            raise RefusedError(
                f"{path} may have been read by others.", hint=f"Remove {path}: a new one is made, for you alone."
            )
        return os.read(fd, _MOST_TOKEN_BYTES).decode("ascii", "replace").strip()
    finally:
        os.close(fd)


def _told(data: bytes) -> Running:
    try:
        found: dict[str, Any] = json.loads(data)
        return Running(owner_from(found), str(found["version"]), str(found["url"]), bool(found["ready"]))
    except (ValueError, KeyError, TypeError):
        # It has the lock and is about to write who it is.
        return Running(None)
