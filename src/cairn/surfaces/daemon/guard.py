"""The door for browsers: a token, the right Host, and no page of another origin.

The socket needs none of it, since its rights say who may connect. Over TCP anybody on the machine
can, and so can a page from anywhere that runs in the user's browser.
"""

import hmac
import ipaddress
from collections.abc import Iterable

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from cairn.errors import RefusedError, UsageError
from cairn.surfaces.daemon.answers import error_answer
from cairn.values import dataclass

OPEN_PATHS = ("/", "/page/")
"""The page itself holds nothing of anybody's code; what it then asks for needs the token."""
TOKEN_HEADER = "x-cairn-token"  # noqa: S105 - its name, not its value
_SAME_SITE = ("same-origin", "none")


@dataclass(frozen=True, slots=True)
class Address:
    """Where a browser finds us."""

    host: str
    port: int

    @property
    def is_loopback(self) -> bool:
        if self.host == "localhost":
            return True
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False

    @property
    def url(self) -> str:
        return f"http://{self._named(self.host)}:{self.port}"

    def names(self) -> frozenset[str]:
        """What may stand in a Host header."""
        hosts = {self.host, *(("localhost", "127.0.0.1", "::1") if self.is_loopback else ())}
        return frozenset(f"{self._named(host)}:{self.port}".lower() for host in hosts)

    @staticmethod
    def _named(host: str) -> str:
        return f"[{host}]" if ":" in host else host


def address_of(text: str) -> Address:
    """`HOST:PORT`, or a port alone for loopback; 0 means any that is free."""
    host, colon, port = text.rpartition(":")
    host = host.removeprefix("[").removesuffix("]") if colon else "127.0.0.1"
    if not (port.isascii() and port.isdigit() and len(port) <= 5 and int(port) <= 65_535) or not host:
        raise UsageError(f"{text!r} is no address to listen on.", hint="Give 127.0.0.1:PORT, with 0 for any free port.")
    return Address(host, int(port))


class Guard:
    """An app behind the door."""

    def __init__(self, app: ASGIApp, address: Address, token: str) -> None:
        self._app = app
        self._names = address.names()
        self._token = token.encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            refusal = self._refusal(Headers(scope=scope), scope["path"])
            if refusal is not None:
                error, status = refusal
                await error_answer(error, status)(scope, receive, send)
                return
        await self._app(scope, receive, send)

    def _refusal(self, headers: Headers, path: str) -> tuple[RefusedError, int] | None:
        hosts = headers.getlist("host")
        if len(hosts) != 1 or hosts[0].lower() not in self._names:
            return RefusedError(
                "The Host of the request is not this daemon's.", hint="Use the address as printed."
            ), 403
        if not self._is_own_origin(headers):
            return RefusedError("A page of another origin may not ask this daemon.", hint="Open its own page."), 403
        if path == OPEN_PATHS[0] or path.startswith(OPEN_PATHS[1]):
            return None
        if not any(hmac.compare_digest(given.encode("utf-8", "replace"), self._token) for given in _tokens(headers)):
            hint = "Give the content of the file `token` in CAIRN_HOME/daemon as Authorization: Bearer TOKEN."
            return RefusedError("The token is missing or wrong.", hint=hint), 401
        return None

    def _is_own_origin(self, headers: Headers) -> bool:
        origins = headers.getlist("origin")
        if any(origin.lower().removeprefix("http://") not in self._names for origin in origins):
            return False
        return all(site in _SAME_SITE for site in headers.getlist("sec-fetch-site"))


def _tokens(headers: Headers) -> Iterable[str]:
    yield from headers.getlist(TOKEN_HEADER)
    for given in headers.getlist("authorization"):
        scheme, _, value = given.partition(" ")
        if scheme.lower() == "bearer":
            yield value.strip()
