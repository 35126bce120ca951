"""The HTTP embedder against a real server: batches, patience, distrust, and a key that stays secret."""

import json
import logging
import threading
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np
import pytest

from cairn.base.errors import BusyError, CairnError, ConfigError, DeadlineError, IncompatibleError, UsageError
from cairn.embed import http as embed_http
from cairn.embed.http import ATTEMPTS, BATCH_TEXTS, LONGEST_WAIT_S, MAX_CHARS, HttpEmbedder, endpoint_of

KEY = "sk-very-secret-0123456789"


@dataclass
class Answer:
    status: int = 200
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)


@dataclass
class Request:
    path: str
    headers: dict[str, str]
    body: dict[str, Any]


def vector_of(text: str) -> list[float]:
    return [float(len(text)), 1.0, float(sum(map(ord, text)) % 7)]


def embeddings(body: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"index": number, "embedding": vector_of(text)} for number, text in enumerate(body["input"])]


def fine(body: dict[str, Any]) -> Answer:
    return Answer(body=json.dumps({"object": "list", "data": embeddings(body)}).encode())


class Endpoint:
    """A server whose answers a test decides; the last decision stands for all further requests."""

    def __init__(self) -> None:
        self.requests: list[Request] = []
        self.answers: list[Callable[[dict[str, Any]], Answer]] = [fine]
        self.released = threading.Event()
        endpoint = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                endpoint.requests.append(Request(self.path, dict(self.headers), body))
                answers = endpoint.answers
                answer = (answers.pop(0) if len(answers) > 1 else answers[0])(body)
                self.send_response(answer.status)
                for name, value in answer.headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(answer.body)))
                self.end_headers()
                self.wfile.write(answer.body)

            def log_message(self, format: str, *args: Any) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.server.handle_error = lambda request, address: None  # type: ignore[method-assign,assignment]
        self.url = f"http://127.0.0.1:{self.server.server_port}/v1"
        self.thread = threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.01})
        self.thread.start()

    def close(self) -> None:
        self.released.set()
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()

    def always(self, answer: Answer) -> None:
        self.answers = [lambda _: answer]

    def sends(self, data: object) -> None:
        self.always(Answer(body=json.dumps({"data": data}).encode()))


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    server = Endpoint()
    yield server
    server.close()


class Waits:
    """Stands in for sleeping and remembers for how long."""

    def __init__(self) -> None:
        self.seconds: list[float] = []

    def __call__(self, seconds: float) -> None:
        self.seconds.append(seconds)


@pytest.fixture
def waits() -> Waits:
    return Waits()


def embedder(endpoint: Endpoint, waits: Waits, **options: Any) -> HttpEmbedder:
    return HttpEmbedder(endpoint.url, "nomic", 3, KEY, sleep=waits, **options)


def refusal(endpoint: Endpoint, waits: Waits) -> CairnError:
    with pytest.raises(CairnError) as caught:
        embedder(endpoint, waits).embed(["text"])
    assert_secret(caught.value)
    return caught.value


def assert_secret(error: CairnError) -> None:
    shown = "".join(traceback.format_exception(error)) + error.hint + json.dumps(error.envelope())
    assert KEY not in shown
    assert "Bearer" not in shown


def test_texts_become_unit_vectors_in_their_order(endpoint: Endpoint, waits: Waits) -> None:
    texts = [f"text {'x' * number}" for number in range(2 * BATCH_TEXTS + 3)]
    vectors = embedder(endpoint, waits).embed(texts)
    assert vectors.dtype == np.float32
    for vector, text in zip(vectors, texts, strict=True):
        wanted = np.array(vector_of(text))
        assert vector == pytest.approx(wanted / np.linalg.norm(wanted), abs=1e-6)
    assert [len(request.body["input"]) for request in endpoint.requests] == [BATCH_TEXTS, BATCH_TEXTS, 3]
    assert waits.seconds == []


def test_the_request_is_what_such_servers_understand(endpoint: Endpoint, waits: Waits) -> None:
    embedder(endpoint, waits).embed(["one"])
    (request,) = endpoint.requests
    assert request.path == "/v1/embeddings"
    assert request.body == {"model": "nomic", "input": ["one"], "encoding_format": "float"}
    assert request.headers["Authorization"] == f"Bearer {KEY}"
    assert request.headers["Content-Type"] == "application/json"


def test_without_a_key_there_is_no_such_header(endpoint: Endpoint) -> None:
    HttpEmbedder(endpoint.url, "nomic", 3).embed(["one"])
    assert "Authorization" not in endpoint.requests[0].headers


def test_nothing_is_asked_for_texts_without_content(endpoint: Endpoint, waits: Waits) -> None:
    vectors = embedder(endpoint, waits).embed(["", "  \n", "x"])
    assert not vectors[:2].any()
    assert endpoint.requests[0].body["input"] == ["x"]
    assert embedder(endpoint, waits).embed([]).shape == (0, 3)
    assert len(endpoint.requests) == 1


def test_long_texts_and_lone_surrogates_are_sent_in_a_form_that_servers_take(endpoint: Endpoint, waits: Waits) -> None:
    embedder(endpoint, waits).embed(["x" * (MAX_CHARS + 10), "a\udc80b"])
    assert endpoint.requests[0].body["input"] == ["x" * MAX_CHARS, "a?b"]


def test_answers_in_another_order_are_put_right_by_their_index(endpoint: Endpoint, waits: Waits) -> None:
    texts = ["a", "bb", "ccc"]
    expected = embedder(endpoint, waits).embed(texts)
    endpoint.answers = [lambda body: Answer(body=json.dumps({"data": embeddings(body)[::-1]}).encode())]
    assert embedder(endpoint, waits).embed(texts).tobytes() == expected.tobytes()


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 504])
def test_a_passing_failure_is_tried_again(status: int, endpoint: Endpoint, waits: Waits) -> None:
    endpoint.answers = [lambda _: Answer(status), lambda _: Answer(status), fine]
    assert embedder(endpoint, waits).embed(["text"]).any()
    assert waits.seconds == [0.5, 1.0]


@pytest.mark.parametrize("status", [429, 500])
def test_patience_ends(status: int, endpoint: Endpoint, waits: Waits) -> None:
    endpoint.always(Answer(status, KEY.encode()))
    error = refusal(endpoint, waits)
    assert isinstance(error, BusyError)
    assert str(status) in error.message
    assert len(endpoint.requests) == ATTEMPTS
    assert len(waits.seconds) == ATTEMPTS - 1
    assert max(waits.seconds) <= LONGEST_WAIT_S


@pytest.mark.parametrize(
    ("header", "low", "high"),
    [
        ("3", 3, 3),
        ("0", 0, 0),
        ("86400", LONGEST_WAIT_S, LONGEST_WAIT_S),
        ("9" * 400, LONGEST_WAIT_S, LONGEST_WAIT_S),
        ("soon", 0.5, 0.5),
        ("-1", 0.5, 0.5),
        ("Thu, 01 Jan 1970 00:00:00 GMT", 0, 0),
        (formatdate(4_000_000_000, usegmt=True), LONGEST_WAIT_S, LONGEST_WAIT_S),
    ],
)
def test_the_server_says_how_long_to_wait_within_bounds(
    header: str, low: float, high: float, endpoint: Endpoint, waits: Waits
) -> None:
    endpoint.answers = [lambda _: Answer(429, headers={"Retry-After": header}), fine]
    embedder(endpoint, waits).embed(["text"])
    (seconds,) = waits.seconds
    assert low <= seconds <= high


@pytest.mark.parametrize("status", [400, 401, 403, 404, 422])
def test_a_refusal_is_final_and_shows_nothing_of_the_body(status: int, endpoint: Endpoint, waits: Waits) -> None:
    endpoint.always(Answer(status, json.dumps({"error": {"message": f"wrong key {KEY}"}}).encode()))
    error = refusal(endpoint, waits)
    assert isinstance(error, ConfigError)
    assert str(status) in error.message
    assert len(endpoint.requests) == 1


@pytest.mark.requirement("SEC.1")
@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_not_followed(status: int, endpoint: Endpoint, waits: Waits) -> None:
    other = Endpoint()
    try:
        endpoint.always(Answer(status, headers={"Location": f"{other.url}/embeddings"}))
        assert "redirect" in refusal(endpoint, waits).message
        assert other.requests == []
    finally:
        other.close()


@pytest.mark.parametrize(
    ("data", "what"),
    [
        ([], "0 embeddings for 1 text"),
        ([{"index": 0, "embedding": [1, 2, 3]}] * 2, "2 embeddings for 1 text"),
        ([{"index": 1, "embedding": [1, 2, 3]}], "index"),
        ([{"index": True, "embedding": [1, 2, 3]}], "index"),
        ([{"index": "0", "embedding": [1, 2, 3]}], "index"),
        ([{"index": 0, "embedding": [1, 2]}], "2 dimensions where 3 are set"),
        ([{"index": 0, "embedding": [1, 2, None]}], "not a list of numbers"),
        ([{"index": 0, "embedding": [1, 2, "3"]}], "not a list of numbers"),
        ([{"index": 0, "embedding": "AAAA"}], "not a list of numbers"),
        ([{"index": 0}], "not a list of numbers"),
        ([{"index": 0, "embedding": [1, 2, float("nan")]}], "not finite"),
        ([{"index": 0, "embedding": [1, 2, float("inf")]}], "not finite"),
        ([{"index": 0, "embedding": [1, 2, 10**400]}], "not finite"),
        (["text"], "no list of embeddings"),
        ({"0": [1, 2, 3]}, "no list of embeddings"),
        (None, "no list of embeddings"),
    ],
)
def test_an_answer_that_can_not_be_right_is_refused(data: object, what: str, endpoint: Endpoint, waits: Waits) -> None:
    endpoint.sends(data)
    error = refusal(endpoint, waits)
    assert isinstance(error, IncompatibleError)
    assert what in error.message
    assert waits.seconds == []


def test_two_answers_for_one_text_are_refused(endpoint: Endpoint, waits: Waits) -> None:
    endpoint.sends([{"index": 0, "embedding": [1, 2, 3]}] * 2)
    with pytest.raises(IncompatibleError, match="index"):
        embedder(endpoint, waits).embed(["a", "b"])


@pytest.mark.parametrize("body", [b"", b"<html>", b"[" * 100_000, b"\xff\xfe", b"[]", b"null", b"7"])
def test_an_answer_that_is_no_such_document_is_refused(body: bytes, endpoint: Endpoint, waits: Waits) -> None:
    endpoint.always(Answer(body=body))
    assert isinstance(refusal(endpoint, waits), IncompatibleError)


def test_the_hint_says_which_dimension_to_set(endpoint: Endpoint, waits: Waits) -> None:
    endpoint.sends([{"index": 0, "embedding": [1.0] * 768}])
    assert "CAIRN_EMBED_DIMENSION=768" in refusal(endpoint, waits).hint


def test_a_zero_vector_stays_one_and_extreme_numbers_keep_their_direction(endpoint: Endpoint, waits: Waits) -> None:
    numbers = [[0, 0, 0], [0, 1e-200, 0], [0, 0, 1e300]]
    endpoint.sends([{"index": place, "embedding": each} for place, each in enumerate(numbers)])
    assert embedder(endpoint, waits).embed(["a", "b", "c"]).tolist() == [[0, 0, 0], [0, 1, 0], [0, 0, 1]]


def test_an_answer_without_end_is_cut_off(endpoint: Endpoint, waits: Waits, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embed_http, "MAX_ANSWER_BYTES", 1000)
    endpoint.always(Answer(body=b" " * 2000))
    assert "more than 1000 bytes" in refusal(endpoint, waits).message


@pytest.mark.slow
def test_a_server_that_does_not_answer_in_time_is_given_up(endpoint: Endpoint, waits: Waits) -> None:
    def silent(body: dict[str, Any]) -> Answer:
        endpoint.released.wait(60)
        return fine(body)

    endpoint.answers = [silent]
    with pytest.raises(DeadlineError, match=r"longer than 0\.1 seconds") as caught:
        embedder(endpoint, waits, timeout_s=0.1).embed(["text"])
    assert_secret(caught.value)
    assert len(waits.seconds) == ATTEMPTS - 1


@pytest.mark.slow
def test_a_slow_answer_that_comes_within_the_patience_is_taken(endpoint: Endpoint, waits: Waits) -> None:
    def silent(body: dict[str, Any]) -> Answer:
        endpoint.released.wait(60)
        return fine(body)

    endpoint.answers = [silent, fine]
    assert embedder(endpoint, waits, timeout_s=1).embed(["text"]).any()
    assert waits.seconds == [0.5]


def test_a_server_that_is_not_there_is_told(waits: Waits) -> None:
    gone = Endpoint()
    gone.close()
    error = refusal(gone, waits)
    assert isinstance(error, BusyError)
    assert error.message.endswith("can't be reached: Connection refused.")
    assert len(waits.seconds) == ATTEMPTS - 1


def test_a_connection_that_breaks_is_tried_again(endpoint: Endpoint, waits: Waits) -> None:
    def broken(_: dict[str, Any]) -> Answer:
        raise ConnectionError

    endpoint.answers = [broken, fine]
    assert embedder(endpoint, waits).embed(["text"]).any()
    assert waits.seconds == [0.5]


def test_the_key_is_in_no_log_identity_or_representation(
    endpoint: Endpoint, waits: Waits, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    chosen = embedder(endpoint, waits)
    chosen.embed(["text"])
    assert KEY not in caplog.text + chosen.identity + repr(chosen) + str(chosen)


@pytest.mark.parametrize("key", ["two\nlines", "schlüssel", "a b"])
def test_a_key_that_can_not_be_one_is_refused_without_showing_it(key: str) -> None:
    with pytest.raises(UsageError) as caught:
        HttpEmbedder("http://localhost", "m", 3, key)
    assert key not in caught.value.message + caught.value.hint


@pytest.mark.requirement("ART.1")
def test_the_identity_names_model_and_endpoint() -> None:
    assert HttpEmbedder("http://LOCALHOST:1/v1/", "m", 3).identity == "http-1:m@http://localhost:1/v1/embeddings"


@pytest.mark.parametrize(
    ("url", "endpoint"),
    [
        ("http://localhost:11434", "http://localhost:11434/v1/embeddings"),
        ("http://localhost:11434/", "http://localhost:11434/v1/embeddings"),
        ("http://localhost:11434/v1", "http://localhost:11434/v1/embeddings"),
        ("https://api.example.com/v1/embeddings", "https://api.example.com/v1/embeddings"),
        ("https://example.com/openai/v3/", "https://example.com/openai/v3/embeddings"),
        ("http://[::1]:8080/v1", "http://[::1]:8080/v1/embeddings"),
    ],
)
def test_the_endpoint_is_found_from_the_base(url: str, endpoint: str) -> None:
    assert endpoint_of(url) == endpoint


@pytest.mark.parametrize(
    "url",
    [
        "",
        "localhost:11434",
        "file:///etc/passwd",
        "ftp://example.com",
        "http://",
        "http://user:hunter2@example.com/v1",
        "http://example.com/v1?key=hunter2",
        "http://example.com/v1#x",
        "http://example.com:99999/v1",
        "http://[::1/v1",
        "http://example.com/a b",
        "http://example.com/\r\nX: y",
    ],
)
def test_an_address_that_makes_no_sense_is_refused(url: str) -> None:
    with pytest.raises(ConfigError) as caught:
        endpoint_of(url)
    assert "user:hunter2" not in caught.value.message
