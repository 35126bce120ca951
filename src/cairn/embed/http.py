"""Vectors from an OpenAI-compatible endpoint: Ollama, LM Studio, vLLM, a cloud.

Nothing here runs unless the user named an endpoint in their own configuration or environment. The
key travels in the Authorization header and nowhere else: no error, log or identity holds it, and
a redirect is refused rather than followed with it.
"""

import email.utils
import http.client
import json
import math
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Sequence
from typing import IO, NoReturn

import numpy as np

from cairn.base.errors import BusyError, CairnError, ConfigError, DeadlineError, IncompatibleError, UsageError
from cairn.base.text import plural
from cairn.engines import Vectors

BATCH_TEXTS = 64
MAX_CHARS = 12_000
"""Only the start of a longer text is sent: endpoints refuse what their model can't hold."""
ATTEMPTS = 5
TIMEOUT_S = 60.0
FIRST_WAIT_S = 0.5
LONGEST_WAIT_S = 30.0
MAX_ANSWER_BYTES = 64 * 1024 * 1024
_READ_BYTES = 64 * 1024


class HttpEmbedder:
    """Asks one endpoint for one model's vectors, in batches, with bounded patience."""

    def __init__(
        self,
        url: str,
        model: str,
        dimension: int,
        key: str = "",
        *,
        timeout_s: float = TIMEOUT_S,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._endpoint = endpoint_of(url)
        self._host = urllib.parse.urlsplit(self._endpoint).netloc
        self._model = model
        self._timeout_s = timeout_s
        self._sleep = sleep
        self._headers = {"Content-Type": "application/json", "Accept": "application/json", "User-Agent": "cairn"}
        if key:
            self._headers["Authorization"] = f"Bearer {checked_key(key)}"
        self._opener = urllib.request.build_opener(_NoRedirects)
        self.identity = f"http-1:{model}@{self._endpoint}"
        self.dimension = dimension

    def embed(self, texts: Sequence[str]) -> Vectors:
        vectors = np.zeros((len(texts), self.dimension), dtype=np.float32)
        # Endpoints refuse an empty input; here it is the zero vector, as with every embedder.
        rows = [row for row, text in enumerate(texts) if text.strip()]
        for start in range(0, len(rows), BATCH_TEXTS):
            batch = rows[start : start + BATCH_TEXTS]
            vectors[batch] = self._vectors(self._ask([_sendable(texts[row]) for row in batch]), len(batch))
        return vectors

    def _ask(self, texts: list[str]) -> bytes:
        """One batch's answer; passing failures are tried again, what is left is raised."""
        body = json.dumps({"model": self._model, "input": texts, "encoding_format": "float"}).encode()
        wait = FIRST_WAIT_S
        for attempt in range(1, ATTEMPTS + 1):
            try:
                return self._send(body)
            except _PassingError as passing:
                if attempt == ATTEMPTS:
                    # Without its cause: a chained error may show the request's headers.
                    raise passing.final from None
                self._sleep(min(wait if passing.retry_after_s is None else passing.retry_after_s, LONGEST_WAIT_S))
                wait *= 2
        raise AssertionError("unreachable")

    def _send(self, body: bytes) -> bytes:
        request = urllib.request.Request(self._endpoint, body, self._headers, method="POST")  # noqa: S310
        deadline = time.monotonic() + self._timeout_s
        try:
            with self._opener.open(request, timeout=self._timeout_s) as response:
                return self._read(response, deadline)
        except urllib.error.HTTPError as error:
            with error:
                self._refused(error)
        except TimeoutError:
            raise _PassingError(self._too_slow()) from None
        except (OSError, http.client.HTTPException) as error:
            # URLError is an OSError; its reason is the socket's own error.
            reason = getattr(error, "reason", error)
            if isinstance(reason, TimeoutError):
                raise _PassingError(self._too_slow()) from None
            raise _PassingError(
                BusyError(
                    f"The embedding endpoint at {self._host} can't be reached: {_reason(reason)}.",
                    hint="Start the server, or correct CAIRN_EMBED_URL or url under [embed] in config.toml.",
                )
            ) from None

    def _read(self, response: http.client.HTTPResponse, deadline: float) -> bytes:
        parts: list[bytes] = []
        size = 0
        # A timeout of the socket starts anew with every byte; the deadline doesn't.
        while part := response.read1(_READ_BYTES):
            parts.append(part)
            size += len(part)
            if size > MAX_ANSWER_BYTES:
                self._wrong(f"more than {MAX_ANSWER_BYTES} bytes")
            if time.monotonic() > deadline:
                raise _PassingError(self._too_slow())
        return b"".join(parts)

    def _refused(self, error: urllib.error.HTTPError) -> NoReturn:
        status = error.code
        if status in (408, 425, 429) or status >= 500:
            raise _PassingError(
                BusyError(
                    f"The embedding endpoint at {self._host} answered with status {status}, {ATTEMPTS} times.",
                    hint="Try again later: what was embedded so far is kept.",
                ),
                _retry_after(error.headers.get("Retry-After")),
            ) from None
        if 300 <= status < 400:
            raise ConfigError(
                f"The embedding endpoint at {self._host} answers with a redirect, which is not followed.",
                hint="Set CAIRN_EMBED_URL, or url under [embed] in config.toml, to the final address.",
            ) from None
        if status in (401, 403):
            raise ConfigError(
                f"The embedding endpoint at {self._host} refuses the key (status {status}).",
                hint="Set CAIRN_EMBED_KEY to a key that is valid there.",
            ) from None
        raise ConfigError(
            f"The embedding endpoint at {self._host} refuses the request for model "
            f"{json.dumps(self._model)} (status {status}).",
            hint="Check model and url under [embed] in config.toml, or CAIRN_EMBED_MODEL and CAIRN_EMBED_URL.",
        ) from None

    def _vectors(self, answer: bytes, count: int) -> Vectors:
        try:
            document = json.loads(answer)
        except (ValueError, RecursionError):
            self._wrong("something that is not JSON")
        data = document.get("data") if isinstance(document, dict) else None
        if not isinstance(data, list) or not all(isinstance(item, dict) for item in data):
            self._wrong("no list of embeddings")
        if len(data) != count:
            self._wrong(f"{plural(len(data), 'embedding')} for {plural(count, 'text')}")
        places = [item.get("index", place) for place, item in enumerate(data)]
        if any(type(place) is not int for place in places) or sorted(places) != list(range(count)):
            self._wrong("embeddings whose index is not that of a text")
        vectors = np.zeros((count, self.dimension), dtype=np.float32)
        for place, item in zip(places, data, strict=True):
            vectors[place] = self._vector(item.get("embedding"))
        return vectors

    def _vector(self, numbers: object) -> Vectors:
        if not isinstance(numbers, list) or not all(type(number) in (int, float) for number in numbers):
            self._wrong("an embedding that is not a list of numbers")
        if len(numbers) != self.dimension:
            self._wrong(
                f"embeddings of {plural(len(numbers), 'dimension')} where {self.dimension} are set",
                hint=f"Set CAIRN_EMBED_DIMENSION={len(numbers)}, or dimension under [embed] in config.toml.",
            )
        try:
            length = math.hypot(*numbers)
        except OverflowError:
            length = math.inf
        if not math.isfinite(length):
            self._wrong("a number that is not finite")
        wide = np.array(numbers, dtype=np.float64)
        return (wide / length if length else wide).astype(np.float32)

    def _wrong(self, what: str, hint: str = "") -> NoReturn:
        raise IncompatibleError(
            f"The embedding endpoint at {self._host} sent {what}.",
            hint=hint or "Check that url under [embed] in config.toml names an OpenAI-compatible /v1/embeddings.",
        ) from None

    def _too_slow(self) -> DeadlineError:
        return DeadlineError(
            f"The embedding endpoint at {self._host} took longer than {self._timeout_s:g} seconds.",
            hint="Try again when the server is less busy: what was embedded so far is kept.",
        )


class _PassingError(Exception):
    """A failure that may be over in a moment, and what it becomes when it is not."""

    def __init__(self, final: CairnError, retry_after_s: float | None = None) -> None:
        super().__init__(final.message)
        self.final = final
        self.retry_after_s = retry_after_s


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """Another address would get the texts, and with some servers the key."""

    def redirect_request(
        self,
        req: urllib.request.Request,
        fp: IO[bytes],
        code: int,
        msg: str,
        headers: http.client.HTTPMessage,
        newurl: str,
    ) -> None:
        return None


def endpoint_of(url: str) -> str:
    """The address to post to, from a base such as `http://localhost:11434/v1`."""
    wrong = f"The embedding url {json.dumps(_without_user(url))} is not allowed"
    hint = "Give a base such as http://localhost:11434/v1, without user, query or fragment."
    try:
        parts = urllib.parse.urlsplit(url)
        parts.port  # noqa: B018  # reading it checks it
    except ValueError as error:
        raise ConfigError(f"{wrong}: it can't be parsed.", hint=hint) from error
    if parts.scheme not in ("http", "https"):
        raise ConfigError(f"{wrong}: it must start with http:// or https://.", hint=hint)
    if not parts.hostname or parts.username is not None or parts.password is not None:
        raise ConfigError(f"{wrong}: it must name a host, and no user.", hint=hint)
    if parts.query or parts.fragment or not url.isascii() or any(ord(each) <= 32 for each in url):
        raise ConfigError(f"{wrong}: it must be plain, without query, fragment or spaces.", hint=hint)
    path = parts.path.rstrip("/")
    if not path.endswith("/embeddings"):
        path = f"{path or '/v1'}/embeddings"
    return f"{parts.scheme}://{parts.netloc.lower()}{path}"


def checked_key(key: str) -> str:
    """A key that fits into a header; the error doesn't show it."""
    if not key.isascii() or not key.isprintable() or " " in key:
        raise UsageError(
            "The key of the embedding endpoint has characters that no key has, such as a line break.",
            hint="Set the variable again without quotes, spaces and line breaks.",
        )
    return key


def _without_user(url: str) -> str:
    """An address for messages, without the part before an @: that may be a password."""
    shown = url.rpartition("@")[2] if "@" in url else url
    return shown[:200]


def _sendable(text: str) -> str:
    # A lone surrogate can't be sent as UTF-8 and servers refuse its escape.
    return text[:MAX_CHARS].encode("utf-8", "replace").decode("utf-8")


def _reason(reason: object) -> str:
    text = getattr(reason, "strerror", None) or (reason if isinstance(reason, str) else type(reason).__name__)
    return str(text).rstrip(".")[:120]


def _retry_after(value: str | None) -> float | None:
    """Seconds or a date, as a server may say it; None for nothing and for nonsense."""
    if value is None:
        return None
    if value.strip().isdecimal():
        return float(value[:10])
    try:
        return max(0.0, email.utils.parsedate_to_datetime(value).timestamp() - time.time())
    except (ValueError, TypeError, OverflowError):
        return None
