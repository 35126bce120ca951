"""A remote behind a web server, which is only read."""

from __future__ import annotations

import http.client
import io
import socket
import time
import urllib.error
import urllib.request
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

from cairn.team.remote import BLOCK, LackingError, Span, only_read, unreachable

_AT_ONCE = 8
"""So many pieces are asked for at the same time."""
_PART = 206
_GONE = (403, 404, 410)
"""What servers say of a file that isn't there; a bucket that nobody may list says that it is forbidden."""


class _Timed(io.RawIOBase):
    """What a socket brings, in one time for all of a step: a socket's own timeout begins anew with each byte."""

    def __init__(self, connected: socket.socket, raw: io.RawIOBase) -> None:
        self._socket, self._raw = connected, raw
        self._timeout_s = connected.gettimeout() or 0.0
        self.begin()

    def begin(self) -> None:
        self._ends_at = time.monotonic() + self._timeout_s

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        left = self._ends_at - time.monotonic()
        if left <= 0:
            raise TimeoutError("timed out")
        self._socket.settimeout(left)
        return self._raw.readinto(buffer)

    def close(self) -> None:
        self._raw.close()
        super().close()


class _TimedAnswer(http.client.HTTPResponse):
    """An answer whose head comes in time as a whole, and so does each block."""

    def __init__(self, sock: socket.socket, *given: Any, **named: Any) -> None:
        super().__init__(sock, *given, **named)
        self._timed = _Timed(sock, self.fp.detach())
        self.fp = io.BufferedReader(self._timed)

    def read1(self, n: int = -1) -> bytes:
        self._timed.begin()
        return super().read1(n)


class _Plain(http.client.HTTPConnection):
    response_class = _TimedAnswer


class _Secure(http.client.HTTPSConnection):
    response_class = _TimedAnswer


class _PlainHandler(urllib.request.HTTPHandler):
    def http_open(self, req: urllib.request.Request) -> Any:
        return self.do_open(_Plain, req)


class _SecureHandler(urllib.request.HTTPSHandler):
    def https_open(self, req: urllib.request.Request) -> Any:
        return self.do_open(_Secure, req)


class _Unredirected(urllib.request.HTTPRedirectHandler):
    """Who names one host has not named another."""

    def redirect_request(self, *_: object) -> None:
        """Follow nothing."""


class WebRemote:
    """What a web server shows of such a folder. It is only read, and never elsewhere than at its address."""

    lists = False

    def __init__(self, address: str, timeout_s: float) -> None:
        self.address = address
        self._timeout_s = timeout_s

    def names(self, prefix: str) -> dict[str, float]:
        raise only_read(self.address)

    def has(self, name: str) -> bool:
        try:
            with self._ask(name, "HEAD"):
                return True
        except LackingError:
            return False

    def read(self, name: str) -> Iterator[bytes]:
        with self._ask(name, "GET") as answer:
            try:
                while block := answer.read1(BLOCK):
                    yield block
            except (OSError, http.client.HTTPException) as error:
                raise unreachable(self.address, error) from error

    def pieces(self, name: str, spans: Sequence[Span]) -> list[bytes]:
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            return [*pool.map(partial(self._piece, name), spans)]

    def _piece(self, name: str, span: Span) -> bytes:
        start, end = span
        data = bytearray()
        with self._ask(name, "GET", f"bytes={start}-{end - 1}") as answer:
            if answer.status != _PART:
                raise unreachable(self.address, "its server gives no part of a file")
            try:
                while len(data) <= end - start and (block := answer.read1(BLOCK)):
                    data += block
            except (OSError, http.client.HTTPException) as error:
                raise unreachable(self.address, error) from error
        return bytes(data)

    def write(self, name: str, blocks: Iterable[bytes]) -> int:
        raise only_read(self.address)

    def move(self, name: str, to: str) -> None:
        raise only_read(self.address)

    def remove(self, name: str) -> None:
        raise only_read(self.address)

    def _ask(self, name: str, method: str, part: str = "") -> Any:
        place, named = f"{self.address}/{name}", {"Range": part} if part else {}
        asked = urllib.request.Request(place, method=method, headers=named)  # noqa: S310 - http or https alone
        try:
            opener = urllib.request.build_opener(_Unredirected, _PlainHandler, _SecureHandler)
            return opener.open(asked, timeout=self._timeout_s)
        except urllib.error.HTTPError as error:
            code = error.code
            error.close()
            if code in _GONE:
                raise LackingError(name) from error
            said = "it leads elsewhere" if 300 <= code < 400 else f"it says {code}"
            raise unreachable(self.address, said) from error
        except (OSError, ValueError, http.client.HTTPException) as error:
            raise unreachable(self.address, getattr(error, "reason", "") or error) from error
