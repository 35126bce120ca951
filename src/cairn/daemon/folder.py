"""The daemon's private folder beneath CAIRN_HOME: its lock, its socket and its token.

The kernel frees the lock when the process ends in any way. So the holder of the lock is the one daemon of
the home, and anything else that a former one left behind is stale.
"""

import contextlib
import fcntl
import json
import os
import secrets
import shlex
import socket
import stat
import time
from collections.abc import Iterator
from typing import Any

from cairn.base.durable import make_private_folders, write_file, write_new_file
from cairn.base.errors import CairnError, RefusedError, StorageError
from cairn.base.owner import Owner, owner_from, this_process
from cairn.base.system import ShortName
from cairn.base.values import dataclass
from cairn.daemon.client import SOCKET

_PRIVATE = 0o600
_PATIENCE_S = 1.0
_PAUSE_S = 0.01
_BACKLOG = 256
_TOKEN_BYTES = 32
_MOST_TOKEN_BYTES = 4_096
_KINDS = {
    stat.S_IFREG: "file",
    stat.S_IFDIR: "folder",
    stat.S_IFLNK: "link",
    stat.S_IFSOCK: "socket",
    stat.S_IFIFO: "pipe",
}


@dataclass(frozen=True, slots=True)
class RunningDaemon:
    """What a running daemon says about itself."""

    owner: Owner | None
    version: str = ""
    url: str = ""
    """Where it listens for browsers; empty when it doesn't."""
    ready: bool = False
    """Whether it listens already."""
    by_itself: bool = False
    """Whether a search started it, and no user."""


@dataclass(frozen=True, slots=True)
class DaemonFolder:
    """The daemon's private folder beneath a home, and the files in it."""

    home: str

    @property
    def folder(self) -> str:
        """The folder itself."""
        return os.path.dirname(self.socket_path)

    @property
    def socket_path(self) -> str:
        """The socket on which the daemon answers commands."""
        return os.path.join(self.home, SOCKET)

    @property
    def lock(self) -> str:
        """The file whose lock the running daemon holds."""
        return os.path.join(self.folder, "daemon.lock")

    @property
    def log(self) -> str:
        """The daemon's log."""
        return os.path.join(self.folder, "daemon.log")

    @property
    def token_file(self) -> str:
        """The file with the token for browsers."""
        return os.path.join(self.folder, "token")

    @property
    def port_file(self) -> str:
        """The file with the port of the last page that was put on any free one."""
        return os.path.join(self.folder, "port")

    def make(self) -> None:
        """Make the folder; StorageError if that fails."""
        try:
            make_private_folders(self.folder)
        except OSError as error:
            raise _unusable(self.folder, error, "folder") from error
        if not os.path.isdir(self.folder):
            raise _unusable(self.folder, NotADirectoryError(), "folder")

    def running(self) -> RunningDaemon | None:
        """The daemon of this home, if there is one."""
        try:
            fd = opened(self.lock, os.O_RDONLY)
        except (FileNotFoundError, NotADirectoryError):
            return None
        try:
            fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
            return None
        except BlockingIOError:
            return _parsed(os.pread(fd, 65_536, 0))
        finally:
            os.close(fd)

    @contextlib.contextmanager
    def held(self) -> Iterator["DaemonLock"]:
        """Hold the daemon's lock for the time of the `with` block; RefusedError if another daemon has it."""
        self.make()
        fd = opened(self.lock, os.O_RDWR | os.O_CREAT)
        try:
            _lock(fd, self)
            held = DaemonLock(fd)
            held.tell(RunningDaemon(this_process()))
            yield held
            os.ftruncate(fd, 0)
        finally:
            os.close(fd)

    def listening(self) -> socket.socket:
        """Listen on the socket, accessible to its owner alone; only the holder of the lock may call this."""
        try:
            os.unlink(self.socket_path)
        except FileNotFoundError:
            pass
        except OSError as error:
            raise _unusable(self.socket_path, error, "socket") from error
        short = ShortName(self.socket_path)
        line = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        before = os.umask(0o177)
        try:
            line.bind(short.path)
            line.listen(_BACKLOG)
        except OSError as error:
            line.close()
            raise _unusable(self.socket_path, error, "socket") from error
        finally:
            os.umask(before)
            short.close()
        return line

    def token(self) -> str:
        """The token that a browser must present; made on the first use, and kept."""
        try:
            write_new_file(self.token_file, secrets.token_urlsafe(_TOKEN_BYTES).encode(), _PRIVATE)
        except FileExistsError:
            pass
        except OSError as error:
            raise _unusable(self.token_file, error) from error
        token = _private_text(self.token_file)
        if len(token) < _TOKEN_BYTES:
            # An empty or short token could be guessed.
            raise RefusedError(f"{self.token_file} holds no token.", hint=_removal(self.token_file))
        return token

    def last_port(self) -> int:
        """The port that the page had last, for bookmarks to go on working; 0 where none is known."""
        try:
            text = _private_text(self.port_file)
        except CairnError:
            # Without it the page only gets another address.
            return 0
        return int(text) if text.isascii() and text.isdigit() and len(text) <= 5 and int(text) < 65_536 else 0

    def keep_port(self, port: int) -> None:
        """Remember the port of the page."""
        if port != self.last_port():
            try:
                write_file(self.port_file, str(port).encode(), _PRIVATE)
            except OSError as error:
                raise _unusable(self.port_file, error) from error


@dataclass(frozen=True, slots=True)
class DaemonLock:
    """The daemon's lock, while this process holds it."""

    fd: int

    def tell(self, running: RunningDaemon) -> None:
        """Write into the lock's file which process holds it and where it listens."""
        owner = running.owner.document() if running.owner is not None else {}
        document = {
            **owner,
            "version": running.version,
            "url": running.url,
            "ready": running.ready,
            "by_itself": running.by_itself,
        }
        data = json.dumps(document).encode()
        os.ftruncate(self.fd, 0)
        os.pwrite(self.fd, data, 0)


def _lock(fd: int, place: DaemonFolder) -> None:
    deadline = time.monotonic() + _PATIENCE_S
    while True:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except BlockingIOError:
            # Another process may hold it for a moment, to see whether a daemon runs.
            if time.monotonic() >= deadline:
                break
        time.sleep(_PAUSE_S)
    found = place.running()
    who = f" (process {found.owner.pid})" if found is not None and found.owner is not None else ""
    raise RefusedError(f"A daemon of this home runs already{who}.", hint="Run `cairn stop` first.")


def opened(path: str, flags: int) -> int:
    """A descriptor of one of the daemon's own files; RefusedError if the name belongs to something else."""
    try:
        # A link may lead anywhere, and opening a pipe may block.
        fd = os.open(path, flags | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK, _PRIVATE)
    except (FileNotFoundError, NotADirectoryError):
        raise
    except OSError as error:
        raise _unusable(path, error) from error
    if not stat.S_ISREG(os.fstat(fd).st_mode):
        os.close(fd)
        raise _unusable(path, OSError())
    return fd


def _private_text(path: str) -> str:
    """The text of a file; RefusedError if others could have read or written it."""
    try:
        fd = opened(path, os.O_RDONLY)
    except OSError as error:
        raise _unusable(path, error) from error
    try:
        found = os.fstat(fd)
        if found.st_uid != os.geteuid() or stat.S_IMODE(found.st_mode) & 0o077:
            raise RefusedError(f"{path} may have been read by others.", hint=_removal(path))
        return os.read(fd, _MOST_TOKEN_BYTES).decode("ascii", "replace").strip()
    finally:
        os.close(fd)


def _unusable(path: str, error: OSError, wanted: str = "file") -> CairnError:
    """The error for one of the daemon's own files: what is in its way, else what the system says."""
    there = path
    while not os.path.lexists(there):
        there, wanted = os.path.dirname(there), "folder"
    kind = "folder" if wanted == "folder" and os.path.isdir(there) else _kind(os.lstat(there).st_mode)
    if kind == wanted:
        return StorageError(f"{path} can't be used: {error.strerror}.")
    # Don't advise to remove anything above the daemon's own folder.
    hint = _removal(there) if there == path else "Name a folder with the variable CAIRN_HOME."
    return RefusedError(f"{there} is a {kind}, and the daemon needs a {wanted} there.", hint=hint)


def _kind(mode: int) -> str:
    return _KINDS.get(stat.S_IFMT(mode), "device")


def _removal(path: str) -> str:
    way = "rm -r" if os.path.isdir(path) and not os.path.islink(path) else "rm"
    return f"Run `{way} {shlex.quote(path)}`: the daemon makes a new one, for you alone."


def _parsed(data: bytes) -> RunningDaemon:
    try:
        found: dict[str, Any] = json.loads(data)
        by_itself = found.get("by_itself") is True
        return RunningDaemon(
            owner_from(found), str(found["version"]), str(found["url"]), bool(found["ready"]), by_itself
        )
    except (ValueError, KeyError, TypeError):
        # The daemon has the lock, but hasn't written its name yet.
        return RunningDaemon(None)
