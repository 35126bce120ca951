"""The web page: files that ship with the package, sent with a policy that lets nothing else in."""

import hashlib
import re
from functools import lru_cache
from importlib import resources

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from cairn.base.values import dataclass

POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "connect-src 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
        "form-action 'none'",
    )
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    # The tag decides: a page of an older version never meets the modules of a newer one.
    "Cache-Control": "no-cache",
}
_TYPES = {"html": "text/html", "css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}
_NAME = re.compile(rf"([a-z]{{1,20}}/)?[a-z]{{1,20}}\.({'|'.join(_TYPES)})")


@dataclass(frozen=True, slots=True)
class _File:
    data: bytes
    media_type: str
    tag: str


@lru_cache(maxsize=128)
def _file(name: str) -> _File | None:
    """A file of the page; a name of letters alone, in one folder at most, can't leave the folder."""
    found = _NAME.fullmatch(name)
    if found is None:
        return None
    try:
        data = (resources.files("cairn.surfaces.page") / name).read_bytes()
    except FileNotFoundError:
        return None
    return _File(data, _TYPES[found[2]], f'"{hashlib.sha256(data).hexdigest()[:32]}"')


def routes() -> tuple[BaseRoute, ...]:
    """The routes of the page and of its files."""
    return (Route("/", _start, methods=["GET"]), Route("/page/{name:path}", _part, methods=["GET"]))


async def _start(request: Request) -> Response:
    return _sent(request, "index.html")


async def _part(request: Request) -> Response:
    return _sent(request, request.path_params["name"])


def _sent(request: Request, name: str) -> Response:
    found = _file(name)
    if found is None:
        raise HTTPException(404)
    headers = {**HEADERS, "ETag": found.tag}
    if request.headers.get("if-none-match") == found.tag:
        return Response(status_code=304, headers=headers)
    return Response(found.data, headers=headers, media_type=found.media_type)
