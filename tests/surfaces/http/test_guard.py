"""Browsers need the token, the right Host, and no foreign origin."""

import asyncio
import http.client
import os
import socket
import urllib.parse
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from starlette.responses import Response

from cairn.base.errors import RefusedError, UsageError
from cairn.daemon.folder import DaemonFolder
from cairn.surfaces.http.guard import Address, Guard, address_of
from cairn.surfaces.http.session import PageSession
from tests.surfaces.http.running import Daemon, serving
from tests.trees import cairn


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
        "Authorization": f"Bearer {DaemonFolder(str(shared.home)).token()}",
    }


@pytest.mark.requirement("DMN.2")
def test_who_has_the_token_is_let_in(shared: Daemon) -> None:
    assert ask(shared, own(shared)) == 200
    host = own(shared)["Host"]
    assert ask(shared, {"Host": host, "X-Cairn-Token": DaemonFolder(str(shared.home)).token()}) == 200
    assert ask(shared, own(shared) | {"Host": host.replace("127.0.0.1", "localhost")}) == 200
    assert ask(shared, own(shared) | {"Origin": f"http://{host}", "Sec-Fetch-Site": "same-origin"}) == 200


_POSTED = ("/v1/command", "/v1/tool", "/v1/rename", "/v1/stop", "/mcp")


@pytest.mark.requirement("DMN.2")
@pytest.mark.parametrize("path", ["/v1/codebases", *_POSTED, "/metrics", "/openapi.json"])
def test_without_the_token_nothing_is_told(shared: Daemon, path: str) -> None:
    method = "POST" if path in _POSTED else "GET"
    host = own(shared)["Host"]
    for given in ({}, {"Authorization": "Bearer wrong"}, {"Authorization": "Basic x"}, {"X-Cairn-Token": ""}):
        assert ask(shared, {"Host": host, "Content-Length": "0", **given}, path, method) == 401
    assert ask(shared, {"Host": host}, f"{path}?token={DaemonFolder(str(shared.home)).token()}", method) == 401


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
    assert address_of("LocalHost:80").is_loopback
    for text in ("", ":80", "host:", "host:x", "1:2:99999", "-1", "::1", "[::1", "[a:b]:80"):
        with pytest.raises(UsageError):
            address_of(text)


@pytest.mark.requirement("DMN.2")
@pytest.mark.parametrize("content", ["", "\n", "short"])
def test_an_empty_or_short_token_is_none(tmp_path: Path, content: str) -> None:
    place = DaemonFolder(str(tmp_path))
    place.make()
    Path(place.token_file).touch(0o600)
    Path(place.token_file).write_text(content)
    with pytest.raises(RefusedError, match="holds no token"):
        place.token()


@pytest.mark.requirement("DMN.2")
@pytest.mark.parametrize("kind", ["readable", "writable", "link", "pipe"])
def test_a_token_that_others_may_know_is_none(tmp_path: Path, kind: str) -> None:
    place = DaemonFolder(str(tmp_path))
    place.make()
    token = Path(place.token_file)
    if kind == "link":
        (tmp_path / "elsewhere").write_text("x" * 64)
        token.symlink_to(tmp_path / "elsewhere")
    elif kind == "pipe":
        os.mkfifo(token, 0o600)
    else:
        assert place.token() == place.token()
        token.chmod(0o640 if kind == "readable" else 0o620)
    with pytest.raises(RefusedError, match="token") as refused:
        place.token()
    assert f"`rm {token}`" in refused.value.hint


@pytest.mark.requirement("DMN.2")
@pytest.mark.parametrize(
    ("address", "given", "is_own"),
    [
        (Address("127.0.0.1", 8080), "127.0.0.1:8080", True),
        (Address("127.0.0.1", 8080), "LOCALHOST:8080", True),
        (Address("127.0.0.1", 8080), "[::1]:8080", True),
        (Address("127.0.0.1", 8080), "127.0.0.1", False),
        (Address("127.0.0.1", 8080), "127.0.0.1:80", False),
        (Address("127.0.0.1", 8080), "192.168.0.1:8080", False),
        (Address("127.0.0.1", 8080), "evil.example:8080", False),
        (Address("127.0.0.1", 8080), "127.0.0.1:8080@evil.example", False),
        (Address("127.0.0.1", 8080), "127.0.0.1:8080/", False),
        (Address("127.0.0.1", 8080), "localhost.:8080", False),
        (Address("127.0.0.1", 8080), "", False),
        # Browsers leave the usual port out.
        (Address("127.0.0.1", 80), "127.0.0.1", True),
        (Address("127.0.0.1", 80), "localhost:80", True),
        (Address("127.0.0.1", 80), "localhost:8080", False),
        (Address("127.0.0.1", 80), "evil.example", False),
        (Address("0.0.0.0", 8080), "192.168.0.1:8080", True),
        (Address("0.0.0.0", 8080), "[fe80::1]:8080", True),
        (Address("0.0.0.0", 8080), "localhost:8080", True),
        (Address("0.0.0.0", 8080), f"{socket.gethostname()}:8080", True),
        (Address("0.0.0.0", 8080), "evil.example:8080", False),
        (Address("0.0.0.0", 8080, ("code.example",)), "code.example:8080", True),
        (Address("0.0.0.0", 80, ("code.example",)), "Code.Example", True),
        (Address("192.168.0.1", 8080), "localhost:8080", False),
        (Address("192.168.0.1", 8080), "192.168.0.1:8080", True),
        (Address("::", 8080), "[2001:db8::1]:8080", True),
        (Address("code.example", 8080), "code.example:8080", True),
        (Address("code.example", 8080), "evil.example:8080", False),
    ],
)
def test_a_host_is_ours_or_it_is_not(address: Address, given: str, is_own: bool) -> None:
    assert address.is_named(given) is is_own


def through_the_guard(*headers: tuple[str, str], method: str = "GET", path: str = "/v1/codebases") -> int:
    """The status that the door answers with, 200 for who came in."""

    async def inside(scope: Any, receive: Any, send: Any) -> None:
        await Response(status_code=200)(scope, receive, send)

    found: list[int] = []

    async def send(message: Any) -> None:
        if message["type"] == "http.response.start":
            found.append(message["status"])

    async def receive() -> dict[str, Any]:
        return {"type": "http.disconnect"}

    raw = [(name.lower().encode(), value.encode()) for name, value in headers]
    scope = {"type": "http", "method": method, "path": path, "headers": raw, "query_string": b""}
    asyncio.run(Guard(inside, Address("127.0.0.1", 80), "t" * 40)(scope, receive, send))
    return found[0]


_HOST, _TOKEN = ("Host", "127.0.0.1"), ("X-Cairn-Token", "t" * 40)


@pytest.mark.requirement("DMN.2")
@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ((_HOST, _TOKEN), 200),
        ((_TOKEN,), 403),
        ((_HOST, _HOST, _TOKEN), 403),
        ((_HOST, ("Host", "evil.example"), _TOKEN), 403),
        ((_HOST, _TOKEN, ("Origin", "http://127.0.0.1")), 200),
        ((_HOST, _TOKEN, ("Origin", "http://127.0.0.1"), ("Origin", "http://evil.example")), 403),
        ((_HOST, _TOKEN, ("Origin", "http://evil.example"), ("Origin", "http://127.0.0.1")), 403),
        ((_HOST, _TOKEN, ("Origin", "127.0.0.1")), 403),
        ((_HOST, _TOKEN, ("Origin", "https://127.0.0.1")), 403),
        ((_HOST, _TOKEN, ("Sec-Fetch-Site", "same-origin"), ("Sec-Fetch-Site", "cross-site")), 403),
        ((_HOST, ("X-Cairn-Token", "wrong"), _TOKEN), 200),
        ((_HOST, ("X-Cairn-Token", "t" * 39)), 401),
    ],
)
def test_every_header_is_looked_at(headers: tuple[tuple[str, str], ...], status: int) -> None:
    assert through_the_guard(*headers) == status


_COOKIE = ("Cookie", f"{PageSession.of('t' * 40, 80).name}={PageSession.of('t' * 40, 80).value}")
_OWN = ("Origin", "http://127.0.0.1")


@pytest.mark.requirement("DMN.2")
@pytest.mark.parametrize(
    ("method", "headers", "status"),
    [
        ("GET", (_HOST, _COOKIE), 200),
        ("GET", (_COOKIE,), 403),
        ("GET", (_HOST, ("Cookie", f"a=b; {_COOKIE[1]}; c=d")), 200),
        ("GET", (_HOST, ("Cookie", _COOKIE[1].replace("cairn-80", "cairn-81"))), 401),
        ("GET", (_HOST, ("Cookie", f"cairn-80={'t' * 40}")), 401),
        ("GET", (_HOST, _COOKIE, ("Origin", "http://evil.example")), 403),
        ("GET", (_HOST, _COOKIE, ("Sec-Fetch-Site", "same-site")), 403),
        ("POST", (_HOST, _COOKIE), 401),
        ("POST", (_HOST, _COOKIE, _OWN), 200),
        ("POST", (_HOST, _COOKIE, ("Origin", "http://127.0.0.1:8080")), 403),
        ("POST", (_HOST, _TOKEN), 200),
    ],
)
def test_the_cookie_counts_only_beside_the_other_checks(
    method: str, headers: tuple[tuple[str, str], ...], status: int
) -> None:
    assert through_the_guard(*headers, method=method) == status


@pytest.mark.requirement("PAGE.20")
@pytest.mark.requirement("DMN.2")
def test_a_link_that_stands_elsewhere_opens_the_page_and_nothing_else() -> None:
    followed = (_HOST, ("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-Mode", "navigate"), ("Sec-Fetch-Dest", "document"))
    assert through_the_guard(*followed, path="/") == 200
    assert through_the_guard(*followed, _COOKIE) == 403
    assert through_the_guard(*followed[:3], ("Sec-Fetch-Dest", "iframe"), path="/") == 403


@pytest.mark.requirement("DMN.2")
def test_the_cookie_tells_nothing_of_the_token() -> None:
    session = PageSession.of("t" * 40, 80)
    assert session == PageSession.of("t" * 40, 80) != PageSession.of("u" * 40, 80)
    assert "t" * 40 not in session.header
    assert {"HttpOnly", "SameSite=Strict", "Path=/"} <= set(session.header.split("; "))


def test_the_port_of_the_last_time_is_known(tmp_path: Path) -> None:
    place = DaemonFolder(str(tmp_path))
    place.make()
    assert place.last_port() == 0
    place.keep_port(4711)
    assert place.last_port() == 4711
    Path(place.port_file).write_text("99999")
    assert place.last_port() == 0


@pytest.mark.slow
@pytest.mark.requirement("DMN.2")
def test_exposed_it_is_found_by_number_and_by_the_names_it_was_given(home: Path) -> None:
    with serving("--no-watch", "--http", "0.0.0.0:0", "--expose", "--name", "code.example") as daemon:
        told = urllib.parse.urlsplit(daemon.told["url"])
        assert told.hostname == "code.example"
        token = {"X-Cairn-Token": DaemonFolder(str(home)).token()}
        for host, status in (("code.example", 200), ("127.0.0.1", 200), ("10.1.2.3", 200), ("evil.example", 403)):
            assert ask(daemon, token | {"Host": f"{host}:{told.port}"}) == status
    assert cairn("serve", "--http", "127.0.0.1:0", "--name", "x").returncode == 2
    assert cairn("serve", "--http", "0.0.0.0:0", "--expose", "--name", "a b").returncode == 2
