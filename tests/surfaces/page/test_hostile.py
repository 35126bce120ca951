"""Whatever a repository holds, it stays text."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.surfaces.http.running import serving, until
from tests.surfaces.page.browsing import Tab, tab
from tests.trees import Repo, cairn

pytestmark = pytest.mark.slow

ATTACK = (
    "<img src=x onerror=\"window.ran='image'\"><script>window.ran='script'</script><svg onload=\"window.ran='svg'\">"
)
NAME = "<img src=x onerror=window.ran=1>.py"
QUOTED = "a\"onmouseover='window.ran=2' x=\".py"
TURNED = "safe\u202eyp.exe.py"
LINES = {name: "x = '" + "lease " * words + "'" for name, words in (("long.py", 60_000), ("less.py", 1_000))}
TEXT = f'''# {ATTACK}
# javascript:window.ran=3
def lease_{"a" * 300}(evil: str = "{ATTACK.replace('"', "'")}") -> None:
    """{ATTACK.replace('"', "'")} lease."""
    access = "user\u202e \u2066// lease check\u2069 \u2066"
    lease_caller()


def lease_caller() -> None:
    "</pre></span><b>lease</b>\x1b[31m\x00"
'''


@pytest.fixture(scope="module")
def shared_tree(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    repo = Repo.create(tmp_path_factory.mktemp("tree") / "<b>repo&amp;")
    for name in (NAME, QUOTED, TURNED, "plain.py"):
        repo.write(name, TEXT.replace("\x00", ""))
    for name, text in LINES.items():
        repo.write(name, f"{text}\nlease_long = 1\n")
    repo.write("lease.md", f"# lease {ATTACK}\n\n[lease](javascript:window.ran=4)\n")
    repo.commit()
    return repo


@pytest.fixture
def hostile(opened: Tab) -> Iterator[Tab]:
    yield opened
    assert opened.page.evaluate("window.ran === undefined")
    assert (
        opened.page.locator(
            "main script, main iframe, main object, main [onerror], main [onload], main [onmouseover]"
        ).count()
        == 0
    )
    assert opened.page.locator("main img:not([src='/page/icon.svg'])").count() == 0
    assert opened.page.locator("main a:not([href^='#'], [href^='/v1/raw?'])").count() == 0
    shown = opened.page.evaluate(
        "document.body.textContent + document.title + document.querySelector('html').outerHTML"
    )
    assert not {each for each in shown if each in "\u202e\u2066\u2069\x1b"}


def test_results_and_their_names_are_text(hostile: Tab) -> None:
    hostile.go("search", q="lease <script>window.ran=5</script>")
    paths = " ".join(hostile.all(".hit .path"))
    assert NAME in paths
    assert QUOTED in paths
    assert "safe\\u202eyp.exe.py" in paths
    assert "<script>window.ran='script'</script>" in " ".join(hostile.all(".hit pre"))


@pytest.mark.parametrize("name", [NAME, QUOTED, TURNED, "plain.py", "lease.md"])
def test_a_file_is_text_whatever_it_is_called(hostile: Tab, name: str, root: Path) -> None:
    hostile.go("search", q="lease_caller" if name.endswith(".py") else "javascript")
    shown = name.replace("\u202e", "\\u202e")
    hostile.page.locator(".hit .path", has_text=shown).first.click()
    hostile.page.wait_for_selector(".text-of[data-coloured] .row")
    assert shown in hostile.text("h1")
    first = (root / name).read_text().splitlines()[0]
    assert hostile.text(".row[data-line='1'] .text") == first


def test_what_turns_text_around_is_shown_for_what_it_is(hostile: Tab) -> None:
    hostile.go("file/plain.py:5")
    assert hostile.all(".row[data-line='5'] .hidden-char") == ["\\u202e", "\\u2066", "\\u2069", "\\u2066"]
    assert hostile.all(".row[data-line='10'] .hidden-char") == ["\\x1b"]


@pytest.mark.parametrize("name", LINES)
def test_a_very_long_line_says_how_long_it_is_and_opens(hostile: Tab, name: str) -> None:
    held: list[Any] = []
    hostile.page.route("**/v1/file/colours*", lambda route: held.append(route))
    hostile.go(f"file/{name}:2")
    line = hostile.page.locator(".row[data-line='1'] .text")
    assert len(line.inner_text()) < 1_100
    hostile.page.get_by_role("button", name=f"{len(LINES[name]) - 1_000:,} more characters").click()
    until(lambda: line.evaluate("each => each.textContent.length") == len(LINES[name]))
    # It stays open when its colours come.
    until(lambda: hostile.page.wait_for_timeout(20) or held)
    held[0].continue_()
    hostile.page.locator(".text-of[data-coloured]").wait_for()
    assert line.evaluate("each => each.textContent.length") == len(LINES[name])
    assert hostile.page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_names_drawings_map_and_dashboard_are_text(hostile: Tab) -> None:
    for address in ("names/lease_caller", "calls/lease_caller", "map", "home", f"names/{ATTACK.replace('/', '%2F')}"):
        hostile.go(address)
        assert hostile.page.locator("main h1").count() == 1
    hostile.go("calls/lease_caller")
    assert "aaaa" in " ".join(hostile.all("a.node title"))
    hostile.go("map")
    assert hostile.text("h1") == "<b>repo&amp;"


@pytest.mark.parametrize(
    "address", ["#/file/%E0%A4%A", "#/nonsense/..", "#//", "#/file/../../etc/passwd", "#/calls/a:b:c:0"]
)
def test_a_broken_address_is_an_answer_too(hostile: Tab, address: str) -> None:
    hostile.to(address)
    assert hostile.page.locator("main h1").count() == 1


def test_an_error_that_quotes_markup_is_text(browser: Any, tmp_path: Path) -> None:
    repo = Repo.create(tmp_path / "repo")
    repo.write("a.py", "def first(): ...\n")
    assert cairn("index", str(repo.path)).returncode == 0
    with serving("--no-watch", "--http", "127.0.0.1:0") as daemon, tab(browser, daemon, repo.path) as found:
        found.go("search", q="first", lang=ATTACK)
        assert "<img" in found.text(".trouble .what")
        assert found.page.evaluate("window.ran === undefined")


def test_the_policy_stops_what_would_get_through(opened: Tab) -> None:
    """A second wall: even markup that did come in could neither run nor reach another host."""
    assert opened.page.evaluate(
        """() => new Promise((done) => {
            const broken = [];
            document.addEventListener("securitypolicyviolation", (event) => {
                broken.push(event.effectiveDirective);
                if (broken.length === 3) done(broken.sort());
            });
            const box = document.createElement("div");
            box.innerHTML = '<img src="data:," onerror="window.ran = 1"><img src="http://192.0.2.1/x.png">';
            document.body.append(box);
            fetch("http://192.0.2.1/").catch(() => {});
        })"""
    ) == ["connect-src", "img-src", "script-src-attr"]
    assert opened.page.evaluate("window.ran === undefined")
    opened.troubles.clear()
    opened.addresses[:] = [each for each in opened.addresses if "192.0.2.1" not in each]
