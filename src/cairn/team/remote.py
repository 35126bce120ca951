"""Where a team's indexes are: a folder, an HTTP(S) address for reading, or an object store.

All of them are files under names, written whole or not at all. No order of writes is relied on, and nothing that a
remote says is: what comes is held against hashes by whoever asked.
"""

from __future__ import annotations

import contextlib
import os
import re
import stat
import time
from collections.abc import Iterable, Iterator
from typing import Any, Protocol

from cairn.base import deadline, durable
from cairn.base.errors import CairnError, EngineMissingError, ProbeFailedError, RefusedError, UsageError
from cairn.base.shortage import shortage_of
from cairn.team.settings import OBJECT_STORES, READABLE

_BLOCK = 1 << 18
_FILE_MODE = 0o666
_DENIED = re.compile(r"\b40[13] (Forbidden|Unauthorized)|AccessDenied|InvalidAccessKeyId|SignatureDoesNotMatch")
"""What a bucket that lists nothing to strangers says of it in the words of its library."""
_GONE = (403, 404, 410)
"""What servers say of a file that isn't there; a bucket that nobody may list says that it is forbidden."""


class LackingError(Exception):
    """That a remote has nothing under a name."""


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

    def write(self, name: str, blocks: Iterable[bytes]) -> int:
        """Put a file there, whole or not at all; how many bytes it has."""

    def remove(self, name: str) -> None:
        """Remove a file, if there is one."""


def remote_at(address: str, timeout_s: float) -> TeamRemote:
    """The remote at an address, which nobody has asked anything yet."""
    scheme, there, _ = address.partition("://")
    if not there:
        return FolderRemote(address)
    if scheme in READABLE:
        return WebRemote(address, timeout_s)
    assert scheme in OBJECT_STORES
    return BucketRemote(address, timeout_s)


def unreachable(address: str, said: object) -> ProbeFailedError:
    """That a remote can't be asked now."""
    why = (str(said).splitlines() or ["no answer"])[0][:200].rstrip(".")
    return ProbeFailedError(
        f"The remote {address} can't be asked: {why}.",
        hint="Nothing was changed: try again when it is back, or do without it.",
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
        for folder, _, names in os.walk(top):
            for name in names:
                path = os.path.join(folder, name)
                with contextlib.suppress(FileNotFoundError):
                    found[os.path.relpath(path, self.address)] = now - os.lstat(path).st_mtime
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
            fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        except FileNotFoundError as error:
            raise LackingError(name) from error
        except OSError as error:
            raise unreachable(self.address, error.strerror) from error
        with open(fd, "rb", buffering=0) as file:
            try:
                while block := file.read(_BLOCK):
                    deadline.check()
                    yield block
            except OSError as error:
                raise unreachable(self.address, error.strerror) from error

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
            raise shortage_of(error) or unreachable(self.address, error.strerror) from error
        finally:
            with contextlib.suppress(OSError):
                durable.remove(temporary)
        return size

    def remove(self, name: str) -> None:
        try:
            durable.remove(os.path.join(self.address, name))
        except OSError as error:
            raise unreachable(self.address, error.strerror) from error

    def _require_there(self) -> None:
        # Where it is missing, what it lies on is not mounted: nothing is written beneath a mount point.
        if not os.path.isdir(self.address):
            raise unreachable(self.address, "the folder is not there")


class WebRemote:
    """What a web server shows of such a folder. It is only read, and never elsewhere than at its address."""

    lists = False

    def __init__(self, address: str, timeout_s: float) -> None:
        self.address = address
        self._timeout_s = timeout_s

    def names(self, prefix: str) -> dict[str, float]:
        raise self._only_read()

    def has(self, name: str) -> bool:
        try:
            with self._ask(name, "HEAD"):
                return True
        except LackingError:
            return False

    def read(self, name: str) -> Iterator[bytes]:
        import http.client

        with self._ask(name, "GET") as answer:
            try:
                while block := answer.read1(_BLOCK):
                    deadline.check()
                    yield block
            except (OSError, http.client.HTTPException) as error:
                raise unreachable(self.address, error) from error

    def write(self, name: str, blocks: Iterable[bytes]) -> int:
        raise self._only_read()

    def remove(self, name: str) -> None:
        raise self._only_read()

    def _only_read(self) -> CairnError:
        return UsageError(
            f"The remote {self.address} is only read.", hint="Push to the folder or the object store that it shows."
        )

    def _ask(self, name: str, method: str) -> Any:
        import http.client
        import urllib.error
        import urllib.request

        class Unredirected(urllib.request.HTTPRedirectHandler):
            """Who names one host has not named another."""

            def redirect_request(self, *_: object) -> None:
                """Follow nothing."""

        deadline.check()
        asked = urllib.request.Request(f"{self.address}/{name}", method=method)  # noqa: S310 - http or https alone
        try:
            return urllib.request.build_opener(Unredirected).open(asked, timeout=self._timeout_s)
        except urllib.error.HTTPError as error:
            code = error.code
            error.close()
            if code in _GONE:
                raise LackingError(name) from error
            said = "it leads elsewhere" if 300 <= code < 400 else f"it says {code}"
            raise unreachable(self.address, said) from error
        except (OSError, ValueError, http.client.HTTPException) as error:
            raise unreachable(self.address, getattr(error, "reason", "") or error) from error


class BucketRemote:
    """A folder of an object store, asked by `obstore`."""

    lists = True

    def __init__(self, address: str, timeout_s: float) -> None:
        try:
            import obstore
            from obstore.store import from_url
        except ImportError as error:
            raise EngineMissingError(
                f"The remote {address} needs obstore, which is not installed.",
                hint="Run `pip install 'cairn-index[team]'`.",
            ) from error
        self.address = address
        self._obstore = obstore
        seconds = f"{max(1, round(timeout_s))}s"
        options: dict[str, Any] = {"timeout": f"{max(60, round(timeout_s) * 12)}s", "connect_timeout": seconds}
        if os.environ.get("AWS_ALLOW_HTTP", "").lower() == "true":
            options["allow_http"] = True
        try:
            self._store = from_url(address, client_options=options, retry_config={"max_retries": 2})
        except Exception as error:
            raise self._failed(error) from error

    def names(self, prefix: str) -> dict[str, float]:
        now, found = time.time(), {}
        try:
            for some in self._obstore.list(self._store, prefix):
                deadline.check()
                for each in some:
                    found[each["path"]] = now - each["last_modified"].timestamp()
        except CairnError:
            raise
        except Exception as error:
            raise self._failed(error) from error
        return found

    def has(self, name: str) -> bool:
        deadline.check()
        try:
            self._obstore.head(self._store, name)
        except FileNotFoundError:
            return False
        except Exception as error:
            raise self._failed(error) from error
        return True

    def read(self, name: str) -> Iterator[bytes]:
        deadline.check()
        try:
            for block in self._obstore.get(self._store, name).stream(min_chunk_size=_BLOCK):
                deadline.check()
                yield bytes(block)
        except FileNotFoundError as error:
            raise LackingError(name) from error
        except CairnError:
            raise
        except Exception as error:
            raise self._failed(error) from error

    def write(self, name: str, blocks: Iterable[bytes]) -> int:
        size = 0

        def counted() -> Iterator[bytes]:
            nonlocal size
            for block in blocks:
                deadline.check()
                size += len(block)
                if block:
                    yield block

        try:
            self._obstore.put(self._store, name, counted())
        except CairnError:
            raise
        except Exception as error:
            raise self._failed(error) from error
        return size

    def remove(self, name: str) -> None:
        try:
            self._obstore.delete(self._store, name)
        except FileNotFoundError:
            return
        except Exception as error:
            raise self._failed(error) from error

    def _failed(self, error: Exception) -> CairnError:
        kind = type(error).__name__
        if kind in ("PermissionDeniedError", "UnauthenticatedError") or _DENIED.search(str(error)):
            return RefusedError(
                f"The remote {self.address} rejects our credentials.",
                hint="Correct those in the environment, AWS_ACCESS_KEY_ID and the like.",
            )
        return unreachable(self.address, kind if kind != "GenericError" else "no answer, or none that is understood")
