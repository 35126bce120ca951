"""How the page is sent: only its own files, with a policy that lets nothing else in."""

import http.client
import re
import subprocess
import sys
from importlib import resources
from pathlib import Path

import pytest

from cairn.surfaces.page.routes import POLICY
from tests.surfaces.http.running import Daemon

_KINDS = (".html", ".css", ".js", ".svg")
_FOLDER = Path(str(resources.files("cairn.surfaces.page")))
FILES = sorted(str(each.relative_to(_FOLDER)) for each in _FOLDER.rglob("*") if each.suffix in _KINDS)
CODE = [name for name in FILES if name.endswith(".js")]


def asked(shared: Daemon, path: str, **headers: str) -> tuple[int, dict[str, str], bytes]:
    host = str(shared.told["url"]).removeprefix("http://")
    line = http.client.HTTPConnection(host, timeout=30)
    try:
        line.request("GET", path, headers=headers)
        found = line.getresponse()
        return found.status, {name.lower(): value for name, value in found.headers.items()}, found.read()
    finally:
        line.close()


@pytest.mark.sampled
@pytest.mark.parametrize("path", ["/", *(f"/page/{name}" for name in FILES)])
def test_every_file_is_sent_with_the_policy_and_without_a_token(shared: Daemon, path: str) -> None:
    status, headers, body = asked(shared, path)
    assert (status, bool(body)) == (200, True)
    assert headers["content-security-policy"] == POLICY
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert asked(shared, path, **{"If-None-Match": headers["etag"]})[::2] == (304, b"")


def test_the_policy_allows_the_page_itself_and_no_more() -> None:
    parts = dict(each.split(" ", 1) for each in POLICY.split("; "))
    assert parts["default-src"] == "'none'"
    assert {parts[name] for name in ("script-src", "style-src", "connect-src")} == {"'self'"}
    assert {parts[name] for name in ("base-uri", "frame-ancestors", "form-action")} == {"'none'"}
    assert parts["img-src"] == "'self' data:"
    assert "unsafe" not in POLICY


@pytest.mark.parametrize(
    "path", ["/page/", "/page/no.js", "/page/../pages.py", "/page/..%2fpages.py", "/page/%2e%2e/app.py", "/page/a/b.js"]
)
def test_nothing_else_is_sent(shared: Daemon, path: str) -> None:
    status, headers, _ = asked(shared, path)
    assert (status, headers["content-type"]) == (404, "application/json")


def test_another_host_or_origin_gets_no_page(shared: Daemon) -> None:
    assert asked(shared, "/", Host="evil.example")[0] == 403
    assert asked(shared, "/", Origin="http://evil.example")[0] == 403


@pytest.mark.sampled
@pytest.mark.parametrize("name", CODE)
def test_the_code_builds_elements_and_never_markup(name: str) -> None:
    text = (resources.files("cairn.surfaces.page") / name).read_text(encoding="utf-8")
    markup = r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser|createContextualFragment"
    code, elsewhere = r"\beval\(|new Function", r"https?://(?!www\.w3\.org/2000/svg)"
    assert re.findall(f"{markup}|{code}|{elsewhere}", text) == []
    assert len(text.splitlines()) <= 400
    assert max(map(len, text.splitlines())) <= 120


@pytest.mark.slow
def test_nothing_of_the_page_is_loaded_by_the_command_line() -> None:
    seen = subprocess.run(
        (sys.executable, "-X", "importtime", "-m", "cairn", "--help"), capture_output=True, text=True, check=True
    )
    assert "daemon.pages" not in seen.stderr
