"""A browser's session: the token is exchanged for a cookie, so that no address and no script holds it.

The cookie's value is derived from the token: it is valid as long as the file of the token, however often the daemon
starts, nothing has to be kept, and from a value that somebody got hold of nobody learns the token. Browsers send a
cookie to every port of a host, so its name holds the port of the daemon that it belongs to.
"""

import hashlib
import hmac

from starlette.requests import Request
from starlette.responses import Response

from cairn.base.errors import RefusedError
from cairn.base.values import dataclass
from cairn.surfaces.http.answers import HEADERS

SESSION = "cairn.session"
"""The key of the session that this door gives, in a request's scope."""
SESSION_PATH = "/v1/session"
_PURPOSE = b"the cookie of the page"
_KEPT_S = 400 * 86_400
"""As long as browsers keep a cookie at most; the page asks for a new one whenever it is opened."""


@dataclass(frozen=True, slots=True)
class PageSession:
    """The cookie of a daemon's page."""

    name: str
    value: str

    @classmethod
    def of(cls, token: str, port: int) -> "PageSession":
        """The session of who has the token."""
        return cls(f"cairn-{port}", hmac.digest(token.encode(), _PURPOSE, hashlib.sha256).hex())

    @property
    def header(self) -> str:
        """What a browser is told to keep: no script reads it, and no request of another site carries it."""
        return f"{self.name}={self.value}; Path=/; Max-Age={_KEPT_S}; HttpOnly; SameSite=Strict"

    def is_in(self, cookies: str) -> bool:
        """Whether a Cookie header holds it."""
        found = (each.strip().partition("=") for each in cookies.split(";"))
        return any(
            name == self.name and hmac.compare_digest(value.encode("utf-8", "replace"), self.value.encode())
            for name, _, value in found
        )


async def start_session(request: Request) -> Response:
    """The cookie, for whoever was let in."""
    session: PageSession | None = request.scope.get(SESSION)
    if session is None:
        raise RefusedError("Over the socket nobody needs a session.", hint="Ask without one.")
    return Response(status_code=204, headers={**HEADERS, "Set-Cookie": session.header})
