"""The workbench around the views: access, the files."""

from pathlib import Path
from typing import Any

import pytest

from tests.surfaces.http.running import Daemon, until
from tests.surfaces.page.browsing import Tab, tab

pytestmark = pytest.mark.slow


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
