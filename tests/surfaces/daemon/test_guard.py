"""Browsers need the token, the right Host, and no foreign origin."""

import http.client
import urllib.parse
from collections.abc import Mapping
from pathlib import Path

import pytest

from cairn.errors import RefusedError, UsageError
from cairn.surfaces.daemon.guard import Address, address_of
from cairn.surfaces.daemon.place import Place
from tests.surfaces.daemon.running import Daemon


def ask(shared: Daemon, headers: Mapping[str, str], path: str = "/v1/codebases", method: str = "GET") -> int:
    port = urllib.parse.urlsplit(shared.told["url"]).port
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    connection.putrequest(method, path, skip_host=True)
    for name, value in headers.items():
        connection.putheader(name, value)
    connection.endheaders()
    found = connection.getresponse()
    text = found.read().decode()
    connection.close()
    assert found.status == 200 or "error" in text
    return found.status


def own(shared: Daemon) -> dict[str, str]:
    return {
        "Host": urllib.parse.urlsplit(shared.told["url"]).netloc,
        "Authorization": f"Bearer {Place(str(shared.home)).token()}",
    }


@pytest.mark.requirement("DMN.2")
def test_who_has_the_token_is_let_in(shared: Daemon) -> None:
    assert ask(shared, own(shared)) == 200
    host = own(shared)["Host"]
    assert ask(shared, {"Host": host, "X-Cairn-Token": Place(str(shared.home)).token()}) == 200
    assert ask(shared, own(shared) | {"Host": host.replace("127.0.0.1", "localhost")}) == 200
    assert ask(shared, own(shared) | {"Origin": f"http://{host}", "Sec-Fetch-Site": "same-origin"}) == 200


_POSTED = ("/v1/command", "/v1/tool", "/v1/stop", "/mcp")


@pytest.mark.requirement("DMN.2")
@pytest.mark.parametrize("path", ["/v1/codebases", *_POSTED, "/metrics", "/openapi.json"])
def test_without_the_token_nothing_is_told(shared: Daemon, path: str) -> None:
    method = "POST" if path in _POSTED else "GET"
    host = own(shared)["Host"]
    for given in ({}, {"Authorization": "Bearer wrong"}, {"Authorization": "Basic x"}, {"X-Cairn-Token": ""}):
        assert ask(shared, {"Host": host, "Content-Length": "0", **given}, path, method) == 401
    assert ask(shared, {"Host": host}, f"{path}?token={Place(str(shared.home)).token()}", method) == 401


@pytest.mark.requirement("DMN.2")
@pytest.mark.parametrize(
    "headers",
    [
        {"Host": "evil.example"},
        {"Host": "127.0.0.1"},
        {"Host": "127.0.0.1:1"},
        {"Host": ""},
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": "https://127.0.0.1"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ],
)
def test_another_host_or_origin_is_refused_with_the_right_token_too(shared: Daemon, headers: dict[str, str]) -> None:
    assert ask(shared, own(shared) | headers) == 403
    assert ask(shared, own(shared) | headers, "/") == 403


def test_a_host_is_named_once(shared: Daemon) -> None:
    port = urllib.parse.urlsplit(shared.told["url"]).port
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    connection.putrequest("GET", "/v1/codebases")
    connection.putheader("Host", "evil.example")
    connection.putheader("Authorization", own(shared)["Authorization"])
    connection.endheaders()
    assert connection.getresponse().status in (400, 403)


def test_addresses() -> None:
    assert address_of("127.0.0.1:0") == Address("127.0.0.1", 0)
    assert address_of("8080") == Address("127.0.0.1", 8080)
    assert address_of("[::1]:80") == Address("::1", 80)
    assert Address("::1", 80).is_loopback
    assert Address("localhost", 80).is_loopback
    assert not Address("0.0.0.0", 80).is_loopback
    assert not Address("example.org", 80).is_loopback
    assert "[::1]:80" in Address("127.0.0.1", 80).names()
    assert "localhost:80" not in Address("192.168.0.1", 80).names()
    for text in ("", ":80", "host:", "host:x", "1:2:99999", "-1"):
        with pytest.raises(UsageError):
            address_of(text)


@pytest.mark.requirement("DMN.2")
@pytest.mark.parametrize("content", ["", "\n", "short"])
def test_an_empty_or_short_token_is_none(tmp_path: Path, content: str) -> None:
    place = Place(str(tmp_path))
    place.make()
    Path(place.token_file).write_text(content)
    with pytest.raises(RefusedError, match="holds no token"):
        place.token()
