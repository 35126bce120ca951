"""The door for browsers: a token or the cookie it was exchanged for, the right Host, and no page of another origin.

The socket needs none of it, since its rights say who may connect. Over TCP anybody on the machine
can, and so can a page from anywhere that runs in the user's browser.
"""

import hmac
import ipaddress
import re
import socket
from collections.abc import Iterable

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from cairn.base.errors import RefusedError, UsageError
from cairn.base.values import dataclass
from cairn.daemon.client import COMMAND_PATH, TOOL_PATH
from cairn.surfaces.http.answers import error_answer
from cairn.surfaces.http.session import SESSION, PageSession
from cairn.workspace.permission import DOOR, Door

OPEN_PATHS = ("/", "/page/")
"""The page itself holds nothing of anybody's code; what it then asks for needs the token."""
TOKEN_HEADER = "x-cairn-token"  # noqa: S105 - its name, not its value
_OWN_PATHS = (COMMAND_PATH, TOOL_PATH)
"""What reaches as far as the user does: commands, and the tools with folders of their own choice."""
_USUAL_PORT = 80
_LAST_PORT = 65_535
_AUTHORITY = re.compile(r"(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::([0-9]{1,5}))?")
_NAME = re.compile(r"[a-z0-9]([a-z0-9._-]{0,251}[a-z0-9])?")
_SAME_SITE = ("same-origin", "none")
_SAFE = ("GET", "HEAD")
_NO_TOKEN = "Give the content of the file `token` in CAIRN_HOME/daemon as Authorization: Bearer TOKEN."  # noqa: S105


@dataclass(frozen=True, slots=True)
class Address:
    """Where a browser finds us."""

    host: str
    port: int
    names: tuple[str, ...] = ()
    """What else the machine is called by those who come from outside."""

    @property
    def family(self) -> socket.AddressFamily:
        """The family of sockets that the host needs."""
        return socket.AF_INET6 if ":" in self.host else socket.AF_INET

    @property
    def is_loopback(self) -> bool:
        """Whether only this machine can reach it."""
        found = _ip(self.host)
        return self.host == "localhost" if found is None else found.is_loopback

    @property
    def is_anywhere(self) -> bool:
        """Whether it stands for all addresses of the machine."""
        found = _ip(self.host)
        return found is not None and found.is_unspecified

    @property
    def url(self) -> str:
        """The URL that a user can open."""
        host = (self.names or (_machine(),))[0] if self.is_anywhere else self.host
        return f"http://{f'[{host}]' if ':' in host else host}:{self.port}"

    def is_named(self, given: str) -> bool:
        """Whether a Host header, or an origin without its scheme, means this address.

        A page that turns its own name into our address still sends its own name, so a name must be one that we
        know. A number can't be turned into anything: whoever came by it came to us.
        """
        matched = _AUTHORITY.fullmatch(given.lower())
        if matched is None or int(matched[2] or _USUAL_PORT) != self.port:
            return False
        host = matched[1].strip("[]")
        if host in self._hosts():
            return True
        return not self.is_loopback and _ip(host) is not None

    def _hosts(self) -> frozenset[str]:
        found = {self.host, *self.names}
        if self.is_loopback or self.is_anywhere:
            found |= {"localhost", "127.0.0.1", "::1"}
        if not self.is_loopback:
            found.add(_machine())
        return frozenset(host.lower() for host in found)


def _ip(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None


def _machine() -> str:
    return socket.gethostname() or "localhost"


def address_of(text: str, names: tuple[str, ...] = ()) -> Address:
    """`HOST:PORT`, or a port alone for loopback; 0 means any that is free."""
    for name in names:
        if not _NAME.fullmatch(name.lower()):
            raise UsageError(f"{name!r} is no name of a machine.", hint="Give it as it stands in an address.")
    host, colon, port = text.rpartition(":")
    host = host.removeprefix("[").removesuffix("]").lower() if colon else "127.0.0.1"
    hint = "Give 127.0.0.1:PORT or [::1]:PORT, with 0 for any free port."
    if not (port.isascii() and port.isdigit()) or not host or (":" in host and _ip(host) is None):
        raise UsageError(f"{text!r} is no address to listen on.", hint=hint)
    if len(port) > 5 or int(port) > _LAST_PORT:
        raise UsageError(f"There is no port {port[:20]}: the last one is {_LAST_PORT}.", hint=hint)
    return Address(host, int(port), names)


class Guard:
    """An app behind the door."""

    def __init__(self, app: ASGIApp, address: Address, token: str) -> None:
        self._app = app
        self._address = address
        self._token = token.encode()
        self._session = PageSession.of(token, address.port)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            refusal = self._refusal(Headers(scope=scope), scope["method"], scope["path"])
            if refusal is not None:
                error, status = refusal
                await error_answer(error, status)(scope, receive, send)
                return
            scope[DOOR] = Door.TCP
            scope[SESSION] = self._session
        await self._app(scope, receive, send)

    def _refusal(self, headers: Headers, method: str, path: str) -> tuple[RefusedError, int] | None:
        hosts = headers.getlist("host")
        if len(hosts) != 1 or not self._address.is_named(hosts[0]):
            return RefusedError(
                "The Host of the request is not this daemon's.", hint="Use the address as printed."
            ), 403
        if not (self._is_own_origin(headers) or _follows_a_link(headers, method, path)):
            return RefusedError("A page of another origin may not ask this daemon.", hint="Open its own page."), 403
        if path == OPEN_PATHS[0] or path.startswith(OPEN_PATHS[1]):
            return None
        if not (self._has_token(headers) or self._has_cookie(headers, method)):
            return RefusedError("The token is missing or wrong.", hint=_NO_TOKEN), 401
        if path in _OWN_PATHS:
            hint = "Use the addresses of the questions, which /openapi.json lists."
            return RefusedError("Only a process of the user is served here, over the socket.", hint=hint), 403
        return None

    def _has_token(self, headers: Headers) -> bool:
        return any(hmac.compare_digest(given.encode("utf-8", "replace"), self._token) for given in _tokens(headers))

    def _has_cookie(self, headers: Headers, method: str) -> bool:
        """A browser adds a cookie to what any page asks; what may write is asked by a page that says it is ours."""
        if method not in _SAFE and not (headers.getlist("origin") or headers.getlist("sec-fetch-site")):
            return False
        return any(self._session.is_in(given) for given in headers.getlist("cookie"))

    def _is_own_origin(self, headers: Headers) -> bool:
        for origin in headers.getlist("origin"):
            scheme, _, rest = origin.partition("://")
            if scheme.lower() != "http" or not self._address.is_named(rest):
                return False
        return all(site in _SAME_SITE for site in headers.getlist("sec-fetch-site"))


def _follows_a_link(headers: Headers, method: str, path: str) -> bool:
    """Whether somebody opens the page by a link that stands elsewhere: it holds no code, and asks as itself then."""
    return (
        (method, path) == ("GET", OPEN_PATHS[0])
        and not headers.getlist("origin")
        and headers.getlist("sec-fetch-mode") == ["navigate"]
        and headers.getlist("sec-fetch-dest") == ["document"]
    )


def _tokens(headers: Headers) -> Iterable[str]:
    yield from headers.getlist(TOKEN_HEADER)
    for given in headers.getlist("authorization"):
        scheme, _, value = given.partition(" ")
        if scheme.lower() == "bearer":
            yield value.strip()
