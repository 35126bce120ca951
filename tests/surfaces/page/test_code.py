"""The middle pane: a file with its path, its colours, its ranges, its margins, and what is under the pointer."""

import re
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from tests.surfaces.http.running import Daemon, until
from tests.surfaces.page.browsing import Tab, tab

pytestmark = pytest.mark.slow


def coloured(found: Tab, kind: str) -> list[str]:
    found.page.wait_for_selector(".text-of[data-coloured] .row")
    return found.all(f".text-of .t-{kind}")


def test_colours_are_those_of_the_grammar(opened: Tab) -> None:
    opened.go("file/src/lease.py")
    assert set(coloured(opened, "d")) >= {"Lease", "is_stale", "take_over"}
    assert "def" in coloured(opened, "k")
    assert '"""Who may write."""' in coloured(opened, "s")
    assert "now" in coloured(opened, "f")


def test_the_breadcrumb_says_where_one_is_and_opens_what_stands_beside(opened: Tab) -> None:
    opened.go("file/src/lease.py:14")
    crumbs = opened.page.get_by_role("navigation", name="Where one is")
    until(lambda: "is_stale" in crumbs.inner_text())
    assert opened.text("h1").replace("\n", "").endswith("src/lease.py")
    crumbs.get_by_role("button", name="method is_stale").press("ArrowDown")
    opened.page.get_by_role("menuitem", name="release").wait_for()
    opened.press("End", "Enter")
    until(lambda: "lease.py:17" in opened.hash())
    crumbs.get_by_role("button", name="File lease.py").click()
    opened.page.get_by_role("menuitem", name="clock.py").click()
    until(lambda: "file/src/clock.py" in opened.hash())


def test_lines_are_chosen_by_click_and_shift_click_and_are_the_address(opened: Tab) -> None:
    opened.go("file/src/lease.py:3-6")
    assert len(opened.all(".text-of .row.in-range, .text-of .row[aria-current]")) == 4
    opened.page.locator(".row[data-line='9'] .number").click()
    assert "lease.py:9?" in opened.hash()
    opened.page.locator(".row[data-line='12'] .number").click(modifiers=["Shift"])
    assert "lease.py:9-12?" in opened.hash()
    assert len(opened.all(".row.in-range")) == 3


def test_tabs_and_hidden_characters_are_copied_as_they_are(opened: Tab, root: Path) -> None:
    (root / "src" / "tabs.py").write_text("def tabbed():\n\n\treturn '\u202e'\n")
    opened.go("file/src/tabs.py")
    opened.page.wait_for_selector(".row[data-line='3']")
    assert opened.all(".hidden-char") == ["\\u202e"]
    copied = opened.page.evaluate(
        """() => new Promise((done) => {
            const text = document.querySelector(".text-of");
            const range = document.createRange();
            range.setStart(text.querySelector("[data-line='1'] .text"), 0);
            const last = text.querySelector("[data-line='3'] .text");
            range.setEnd(last, last.childNodes.length);
            getSelection().removeAllRanges();
            getSelection().addRange(range);
            const event = new ClipboardEvent("copy", { clipboardData: new DataTransfer(), cancelable: true });
            text.dispatchEvent(event);
            done(event.clipboardData.getData("text/plain"));
        })"""
    )
    assert copied == "def tabbed():\n\n\treturn '\u202e'"


def test_the_margin_tells_who_changed_a_line_last(opened: Tab) -> None:
    opened.go("file/src/clock.py")
    opened.press("b")
    opened.page.wait_for_selector(".blame .author")
    did = str(opened.page.locator(".blame .author").first.get_attribute("href"))
    assert re.match(r"#/changes/src/clock\.py\?.*since=([0-9a-f]{40})%5E&until=\1$", did), did
    assert opened.page.get_by_role("button", name="Blame").get_attribute("aria-pressed") == "true"
    opened.press("b")
    until(lambda: opened.page.locator(".blame").count() == 0)


def test_a_rest_on_a_name_shows_its_card(opened: Tab) -> None:
    opened.go("file/src/writer.py")
    opened.page.locator(".row[data-line='5'] .text [data-at]", has_text="take_over").hover()
    opened.page.wait_for_selector(".hover-card:not([hidden]) .uses-of .tier")
    assert "def take_over(lease: Lease, owner: str) -> Lease" in opened.text(".hover-card")
    assert "Stale leases are taken over." in opened.text(".hover-card")
    opened.press("Escape")
    assert opened.page.locator(".hover-card").is_hidden()


def test_control_click_jumps_and_a_click_picks_all_of_the_name(opened: Tab) -> None:
    opened.go("file/src/writer.py")
    name = opened.page.locator(".row[data-line='5'] .text [data-at]", has_text="take_over")
    name.click()
    assert opened.text(".picked") == "take_over"
    assert len(opened.all(".same")) == 2
    assert opened.page.locator(".minimap .mark-name").count() == 2
    name.click(modifiers=["Control"])
    until(lambda: "src/lease.py:21" in opened.hash())


def test_what_was_searched_for_is_marked_beside_the_scroll_bar(opened: Tab) -> None:
    opened.go("file/src/lease.py", hit="stale lease")
    opened.page.wait_for_selector(".minimap .mark-hit")
    opened.page.locator(".minimap .mark-hit").last.click()
    until(lambda: "lease.py:2" in opened.hash())


def test_a_file_can_be_had_raw_and_opened_in_an_editor(opened: Tab) -> None:
    opened.go("file/src/clock.py:4")
    assert str(opened.page.get_by_role("link", name="Raw").get_attribute("href")).startswith("/v1/raw?")
    addresses = opened.page.evaluate(
        """async () => {
            const { editorAddress, isHarmless, chooseEditor } = await import("/page/code/editor.js");
            return [
                editorAddress("vscode://file/{path}:{line}", "/a b/c.py", 4),
                isHarmless("javascript://{path}"),
                isHarmless("file://{path}"),
                chooseEditor("http://{path}"),
            ];
        }"""
    )
    assert addresses == ["vscode://file/a%20b/c.py:4", False, False, False]


@pytest.mark.requirement("PAGE.20")
def test_a_file_that_changed_on_disk_is_shown_anew_and_told_about_rightly(opened: Tab, root: Path) -> None:
    file = root / "src" / "writer.py"
    before = file.read_text()
    opened.go("file/src/writer.py:9")
    assert opened.text(".text-of .row[aria-current] .text").startswith("def write_twice")
    try:
        file.write_text("# one\n# two\n" + before)
        until(lambda: opened.page.locator(".text-of .row").count() == before.count("\n") + 2)
        assert "# one" in opened.text(".row[data-line='1']")
        # One stays at the line, wherever it is now.
        assert opened.text(".text-of .row[aria-current] .text").startswith("def write_twice")
        assert "as on disk at" in opened.text(".standing")
        opened.page.locator(".row[data-line='11'] .text [data-at]", has_text="write_twice").click()
        until(lambda: "write_twice" in opened.text("#right") and "Looking" not in opened.text("#right"))
        assert "Nothing in this codebase defines it" not in opened.text("#right")
    finally:
        file.write_text(before)


def test_where_text_is_selected_a_banner_asks_first(opened: Tab, root: Path) -> None:
    file = root / "src" / "clock.py"
    before = file.read_text()
    held: list[Any] = []
    opened.page.route("**/v1/file/colours*", lambda route: held.append(route))
    opened.go("file/src/clock.py")
    opened.page.evaluate("getSelection().selectAllChildren(document.querySelector(\"[data-line='1'] .text\"))")
    # What is selected stays so when the colours come.
    until(lambda: opened.page.wait_for_timeout(20) or held)
    held[0].continue_()
    opened.page.locator(".text-of[data-coloured]").wait_for()
    try:
        file.write_text("# new\n" + before)
        opened.page.get_by_role("button", name="Reload").wait_for()
        assert "import time" in opened.text(".row[data-line='1']")
        opened.page.get_by_role("button", name="Reload").click()
        until(lambda: "# new" in opened.text(".row[data-line='1']"))
    finally:
        file.write_text(before)


def test_a_file_that_vanished_says_so(opened: Tab, root: Path) -> None:
    file = root / "src" / "gone.py"
    file.write_text("x = 1\n")
    opened.go("file/src/gone.py")
    file.unlink()
    opened.page.evaluate("window.dispatchEvent(new Event('focus'))")
    until(lambda: "not on disk any more" in opened.text(".file-banner"))


def test_a_name_in_text_that_is_newer_than_the_snapshot_is_told_about_rightly(opened: Tab, root: Path) -> None:
    file = root / "src" / "fresh.py"
    file.write_text("def brand_new():\n    return brand_new\n")
    try:
        opened.go("file/src/fresh.py")
        opened.page.locator(".row[data-line='2'] .text [data-at]", has_text="brand_new").click()
        until(lambda: "brand_new" in opened.text("#right") and "Looking" not in opened.text("#right"))
        assert "Nothing in this codebase defines it" not in opened.text("#right")
    finally:
        file.unlink()


def test_path_and_link_are_copied_and_the_place_opens_in_an_editor(browser: Any, shared: Daemon, root: Path) -> None:
    with tab(browser, shared, root, permissions=["clipboard-read", "clipboard-write"]) as found:
        found.go("file/src/lease.py:13-15")
        found.page.get_by_role("button", name="Copy path").click()
        until(lambda: found.text("#said") == "The path is copied.")
        assert found.page.evaluate("navigator.clipboard.readText()") == "src/lease.py"
        found.page.get_by_role("button", name="Copy link").click()
        until(lambda: found.text("#said") == "The link is copied.")
        copied = str(found.page.evaluate("navigator.clipboard.readText()"))
        assert copied == f"{found.url}/#/file/src/lease.py:13-15?in={quote(str(root), safe='')}"
        line = found.page.context.new_cdp_session(found.page)
        gone: list[str] = []
        line.on("Page.frameRequestedNavigation", lambda event: gone.append(event["url"]))
        line.send("Page.enable")
        found.page.get_by_role("button", name="Open in editor").click()
        found.page.get_by_role("menuitem", name="Zed").click()
        until(lambda: found.page.wait_for_timeout(20) or gone)
        assert gone == [f"zed://file{root}/src/lease.py:13"]


def test_the_card_of_a_name_comes_by_a_key_wherever_the_focus_is(opened: Tab) -> None:
    opened.go("file/src/writer.py:5")
    opened.page.locator(".row[data-line='5'] .text [data-at]", has_text="take_over").click()
    opened.page.locator("#right .telling .standing").wait_for()
    opened.page.locator("#right .about-name").focus()
    opened.press("Shift+K")
    opened.page.wait_for_selector(".hover-card:not([hidden]) .uses-of .tier")
    assert "def take_over" in opened.text(".hover-card")
    opened.go("file/src/clock.py:5")
    opened.page.locator("#main").focus()
    opened.press("l", "l", "Shift+K")
    opened.page.locator(".hover-card").get_by_text("No definition of it is known here.").wait_for()
    opened.go("file/src/clock.py:2")
    opened.press("Shift+K")
    until(lambda: opened.text("#said") == "No name stands in this line.")


def test_the_outline_is_one_stop_that_arrows_walk(opened: Tab) -> None:
    opened.go("file/src/lease.py:14")
    until(lambda: opened.page.locator("#outline a[aria-current]").count() == 1)
    stops = "all => all.map((each) => each.querySelector('bdi').textContent)"
    assert opened.page.eval_on_selector_all("#outline a[tabindex='0']", stops) == ["is_stale"]
    opened.page.locator("#outline a[tabindex='0']").focus()
    opened.press("ArrowDown")
    assert opened.focused().startswith("mrelease")
    assert opened.page.eval_on_selector_all("#outline a[tabindex='0']", stops) == ["release"]
    opened.press("Home", "ArrowUp")
    assert opened.focused().startswith("cLease")
    opened.press("End", "ArrowDown", "Enter")
    until(lambda: "lease.py:21" in opened.hash())


def test_a_binary_file_is_named_and_not_shown(opened: Tab, root: Path) -> None:
    (root / "some.bin").write_bytes(b"\x00\x01\x02" * 100)
    try:
        opened.go("file/some.bin")
        assert opened.all(".file-banner p") == ["A binary file: its bytes are not shown; Raw has them."]
        assert opened.page.locator(".hidden-char").count() == 0
    finally:
        (root / "some.bin").unlink()
