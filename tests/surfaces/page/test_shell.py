"""The workbench around the views: access, the files."""

import signal
from pathlib import Path
from typing import Any

import pytest

from tests.surfaces.http.running import Daemon, serving, until
from tests.surfaces.page.browsing import Tab, tab
from tests.trees import Repo, cairn

pytestmark = pytest.mark.slow

FIRST_LOAD = 150_000
"""Bytes, of the page and all that it fetches of itself before the first question."""

IS_UP = 'import("/page/shell/live.js").then(({ live }) => live.isUp)'


def test_the_token_leaves_nothing_and_a_new_tab_has_access(browser: Any, shared: Daemon, root: Path) -> None:
    with tab(browser, shared, root) as found:
        token = shared.told["page"].partition("token=")[2]
        kept = found.page.evaluate("JSON.stringify([location.href, {...sessionStorage}, {...localStorage}])")
        assert token not in kept
        assert found.page.evaluate("document.cookie") == ""
        (cookie,) = found.page.context.cookies()
        assert (cookie["httpOnly"], cookie["sameSite"], cookie["value"] != token) == (True, "Strict", True)
        other = found.page.context.new_page()
        other.goto(f"{found.url}/#/file/src/clock.py?in={root}")
        other.wait_for_selector(".file-view")
        found.require_quiet()


def test_without_access_the_page_says_how_to_get_it_and_goes_on(browser: Any, shared: Daemon, root: Path) -> None:
    with tab(browser, shared, root) as found:
        context = browser.new_context()
        page = context.new_page()
        page.goto(f"{found.url}/#/file/src/clock.py?in={root}")
        page.get_by_role("heading", name="This browser has no access yet").wait_for()
        page.goto(str(shared.told["page"]))
        page.wait_for_selector(".file-view")
        assert "src/clock.py" in page.url
        context.close()


def test_the_tree_is_walked_by_keys_and_shows_the_file(opened: Tab) -> None:
    opened.go("file/src/lease.py")
    current = opened.page.locator("#tree [aria-current='true']")
    current.wait_for()
    assert current.get_attribute("title") == "src/lease.py"
    current.focus()
    opened.press("ArrowDown", "Enter")
    until(lambda: "src/writer.py" in opened.settled().hash())


def test_little_is_fetched_before_something_is_asked(browser: Any, shared: Daemon, root: Path) -> None:
    sizes: list[int] = []
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    page = context.new_page()

    def told(answer: Any) -> None:
        if "/page/" in answer.url or answer.url.endswith("/"):
            sizes.append(len(answer.body()))

    page.on("requestfinished", lambda request: told(request.response()))
    page.goto(shared.told["page"])
    page.wait_for_selector("#tree .twig")
    page.wait_for_selector("#search-view")
    assert sum(sizes) < FIRST_LOAD
    assert len(sizes) > 10
    context.close()


def test_a_lost_line_is_told_everywhere_and_mends_itself(browser: Any, tmp_path: Path) -> None:
    repo = Repo.create(tmp_path / "repo")
    repo.write("a.py", "def first(): ...\n")
    repo.commit()
    assert cairn("index", str(repo.path)).returncode == 0
    with serving("--no-watch", "--http", "127.0.0.1:0") as daemon, tab(browser, daemon, repo.path) as found:
        port = daemon.told["url"].rpartition(":")[2]
        found.go("file/a.py")
        lost = found.page.locator("#lost")
        assert not lost.is_visible()
        bookmark = found.page.url
        assert cairn("stop").returncode == 0
        lost.wait_for()
        assert "The connection to Cairn is lost" in lost.inner_text()
        # Told in every view, whichever was shown when the line went.
        found.to("#/search")
        assert lost.is_visible()
        daemon.process.wait(60)
        with serving("--no-watch", "--http", f"127.0.0.1:{port}"):
            lost.wait_for(state="hidden")
            found.page.locator("#query").fill("first")
            found.page.wait_for_selector(".hit")
            # What was kept as a bookmark is let in by the cookie of before.
            other = found.page.context.new_page()
            other.goto(bookmark)
            other.wait_for_selector(".file-view")


def test_a_daemon_that_hangs_is_told_and_found_again(browser: Any, shared: Daemon, root: Path) -> None:
    with tab(browser, shared, root) as found:
        found.go("file/src/clock.py")
        lost = found.page.locator("#lost")
        until(lambda: found.page.evaluate(IS_UP))
        shared.process.send_signal(signal.SIGSTOP)
        try:
            lost.wait_for()
            assert "The connection to Cairn is lost" in lost.inner_text()
        finally:
            shared.process.send_signal(signal.SIGCONT)
        lost.wait_for(state="hidden")
        found.go("file/src/lease.py").page.wait_for_selector(".row[data-line='21']")
        found.require_quiet()


def test_a_cleared_index_is_told_everywhere_until_it_is_there_again(browser: Any, tmp_path: Path) -> None:
    repo = Repo.create(tmp_path / "repo")
    repo.write("a.py", "def first(): ...\n")
    repo.commit()
    assert cairn("index", str(repo.path)).returncode == 0
    with serving("--no-watch", "--http", "127.0.0.1:0") as daemon, tab(browser, daemon, repo.path) as found:
        found.go("file/a.py")
        until(lambda: found.page.evaluate(IS_UP))
        assert cairn("clear", str(repo.path)).returncode == 0
        lost = found.page.locator("#lost")
        lost.wait_for()
        assert lost.inner_text() == (
            f"repo is not indexed any more, so what is shown is old: cairn index {repo.path} indexes it anew."
        )
        found.page.evaluate("window.dispatchEvent(new Event('focus'))")
        found.settled()
        assert found.page.locator(".file-banner").is_hidden()
        found.go("map")
        assert lost.is_visible()
        assert cairn("index", str(repo.path)).returncode == 0
        lost.wait_for(state="hidden")
        until(lambda: "a.py" in found.settled().text())


def test_what_was_not_fetched_before_the_line_was_lost_is_fetched_after_it(browser: Any, tmp_path: Path) -> None:
    repo = Repo.create(tmp_path / "repo")
    repo.write("a.py", "def first(): ...\n")
    repo.commit()
    assert cairn("index", str(repo.path)).returncode == 0
    with serving("--no-watch", "--http", "127.0.0.1:0") as daemon, tab(browser, daemon, repo.path) as found:
        port = daemon.told["url"].rpartition(":")[2]
        assert cairn("stop").returncode == 0
        lost = found.page.locator("#lost")
        lost.wait_for()
        daemon.process.wait(60)
        found.press("Control+k")
        until(lambda: "can't be reached" in found.text("#said"))
        found.to("#/map").page.get_by_text("The daemon can't be reached.").first.wait_for()
        with serving("--no-watch", "--http", f"127.0.0.1:{port}"):
            lost.wait_for(state="hidden")
            until(lambda: "a.py" in found.settled().text())
            found.press("Control+k")
            palette = found.page.get_by_role("dialog", name="Files, symbols and commands")
            palette.wait_for()
            # With its styles.
            assert palette.evaluate("(each) => getComputedStyle(each).position") == "fixed"
            found.press("Escape")
            palette.wait_for(state="hidden")


def test_back_is_where_one_was_with_the_query_of_then(opened: Tab) -> None:
    opened.page.set_viewport_size({"width": 1280, "height": 420})
    opened.go("search", q="lease")
    opened.page.wait_for_selector(".hit")
    opened.page.locator("main").hover()
    opened.page.mouse.wheel(0, 180)
    until(lambda: opened.page.evaluate("document.getElementById('main').scrollTop") > 100)
    at = opened.page.evaluate("document.getElementById('main').scrollTop")
    opened.go("file/src/clock.py")
    opened.page.wait_for_selector(".file-view")
    opened.page.go_back()
    opened.page.wait_for_selector(".hit")
    until(lambda: abs(opened.page.evaluate("document.getElementById('main').scrollTop") - at) < 2)
    assert opened.page.locator("#query").input_value() == "lease"


def test_panes_are_gone_round_by_a_key(opened: Tab) -> None:
    opened.go("file/src/lease.py:21")
    opened.page.locator("#tree .twig").first.wait_for()
    opened.page.locator(".row[data-line='21'] [data-at]", has_text="take_over").first.click()
    opened.page.locator("#right .telling .standing").wait_for()
    pane = "document.activeElement.closest('#left, #main, #right, .ask')?.id ?? ''"
    seen = []
    opened.page.locator("#query").focus()
    for _ in range(4):
        opened.press("F6")
        seen.append(opened.page.evaluate(pane))
    assert seen == ["left", "main", "right", "ask"]
    opened.press("Shift+F6")
    assert opened.page.evaluate(pane) == "right"
    opened.press("]")
    assert not opened.page.locator("#right").is_visible()


def test_what_is_told_of_a_name_is_not_carried_into_other_views(opened: Tab) -> None:
    opened.go("file/src/lease.py:21")
    opened.page.locator(".row[data-line='21'] [data-at]", has_text="take_over").first.click()
    opened.page.locator("#right .telling .standing").wait_for()
    # It leads to other files, which it stays beside.
    opened.go("file/src/clock.py")
    assert opened.page.locator("#right").is_visible()
    opened.go("map")
    assert not opened.page.locator("#right").is_visible()


def test_the_keys_are_shown_where_one_is(opened: Tab) -> None:
    opened.go("file/src/lease.py:21")
    opened.page.locator("#main").focus()
    opened.press("?")
    dialog = opened.page.get_by_role("dialog", name="Keys")
    dialog.wait_for()
    assert "its definition" in dialog.inner_text()
    opened.press("Escape")
    assert not dialog.is_visible()
