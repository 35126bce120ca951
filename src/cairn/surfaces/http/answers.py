"""Answers over HTTP: documents as they are, errors in the one envelope with the status that says the same."""

import math
from collections.abc import AsyncIterator, Callable, Mapping
from typing import Any
from urllib.parse import quote

from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from cairn.base.errors import CairnError, ExitCode
from cairn.base.steps import NextStep
from cairn.base.text import json_text
from cairn.codebase.wording import Spelling
from cairn.questions.question import Question

REQUESTS = {
    "help": "see /openapi.json",
    "index": "ask with sync=true",
    "status": "ask /v1/status",
    "stores": "ask /v1/stores",
    "contexts": "ask /v1/contexts",
    "jobs": "ask /v1/jobs",
    "job": "ask /v1/jobs with job={0}",
    "rename": "ask /v1/rename with action=plan",
}


def request(step: NextStep) -> str:
    """The step as a request."""
    known = REQUESTS.get(step.action)
    return step.phrase() if known is None else known.format(step.argument)


def spelling(question: Question) -> Spelling:
    """The words of a question's address."""
    return Spelling({each.name: each.query_name for each in question.parameters}, step=request, is_compared=True)


CANCELLED = 499
STATUS: Mapping[ExitCode, int] = {
    ExitCode.INTERNAL: 500,
    ExitCode.USAGE: 400,
    ExitCode.NOT_INDEXED: 404,
    ExitCode.REQUIRES_REINDEX: 409,
    ExitCode.REFUSED: 403,
    ExitCode.BUSY: 503,
    ExitCode.TIMEOUT: 504,
    ExitCode.CANCELLED: CANCELLED,
    ExitCode.INCOMPATIBLE: 500,
    ExitCode.CORRUPT: 500,
    ExitCode.RESOURCES: 503,
}
_BY_CODE = {"too_many_requests": 429, "unknown_address": 404}
HEADERS = {
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Resource-Policy": "same-origin",
}


def json_answer(document: object, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """A document as a response."""
    return text_answer(json_text(document), status, headers)


def text_answer(text: str, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """A JSON text as a response."""
    return Response(
        text.encode("utf-8", "backslashreplace"), status, {**HEADERS, **(headers or {})}, "application/json"
    )


def raw_answer(path: str, data: bytes) -> Response:
    """The bytes of a file, which nobody takes for anything but text: no markup, no script, no name of another kind."""
    name = quote(path.rpartition("/")[2].encode("utf-8", "surrogateescape"), safe="")
    headers = {
        **HEADERS,
        "Content-Security-Policy": "default-src 'none'; sandbox",
        "Content-Disposition": f"inline; filename*=UTF-8''{name}.txt",
        "Cross-Origin-Resource-Policy": "same-origin",
        "Referrer-Policy": "no-referrer",
        "X-Frame-Options": "DENY",
    }
    return Response(data, headers=headers, media_type="text/plain")


def error_answer(error: CairnError, status: int | None = None) -> Response:
    """An error as a response."""
    return envelope_answer(error.envelope(request), error.exit_code, status)


def envelope_answer(document: dict[str, Any], exit_code: int, status: int | None = None) -> Response:
    """An error's document as a response, with the pause that it asks for as a header."""
    found = document["error"]
    pause = found.get("retry_after_ms")
    headers = {"Retry-After": str(math.ceil(pause / 1000))} if pause is not None else {}
    return json_answer(document, status_of(document, exit_code) if status is None else status, headers)


def status_of(document: dict[str, Any], exit_code: int) -> int:
    """The status that says the same as an envelope."""
    return _BY_CODE.get(document["error"]["code"]) or STATUS.get(ExitCode(exit_code), 500)


class Streamed(StreamingResponse):
    """An answer in parts; `ended` is called however it ends, even if nobody heard its beginning."""

    def __init__(self, parts: AsyncIterator[bytes], media_type: str, ended: Callable[[], None]) -> None:
        super().__init__(parts, headers=HEADERS, media_type=media_type)
        self._ended = ended

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._ended()
