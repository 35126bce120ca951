"""Everything can be done from the keyboard, and the focus is where one expects it."""

from functools import partial

import pytest

from tests.surfaces.http.running import until
from tests.surfaces.page.browsing import Tab

pytestmark = pytest.mark.slow


def test_a_search_is_walked_and_opened_by_keys(opened: Tab) -> None:
    opened.page.locator("body").click(position={"x": 5, "y": 500})
    opened.press("/")
    assert opened.page.evaluate("document.activeElement.id") == "query"
    opened.page.keyboard.type("lease j")
    assert opened.page.locator("#query").input_value() == "lease j"
    opened.page.locator("#query").fill("lease")
    until(lambda: "q=lease&" in f"{opened.settled().hash()}&" and opened.all(".hit .path"))
    paths = opened.all(".hit .path")
    opened.press("Escape")
    assert opened.focused() == paths[0]
    opened.press("j")
    assert opened.focused() == paths[1]
    opened.press("k")
    assert opened.focused() == paths[0]
    opened.press("Enter")
    opened.page.wait_for_selector(".file-view")
    assert paths[0].partition(":")[0] in opened.hash()
    opened.page.go_back()
    until(lambda: opened.settled().all(".hit .path") == paths)
    assert opened.page.locator("#query").input_value() == "lease"


def test_a_file_is_walked_by_lines_and_names(opened: Tab) -> None:
    opened.go("file/src/writer.py:4")
    opened.press("j")
    assert "src/writer.py:5" in opened.hash()
    # What is no name is known once the colours are there.
    opened.page.locator(".row[data-line='5'] .t-s").first.wait_for()
    opened.press("l", "l")
    assert opened.text(".picked") == "mine"
    opened.press("l")
    assert opened.text(".picked") == "take_over"
    assert opened.page.locator("#said").inner_text() == "take_over, line 5"
    panel = opened.page.get_by_role("complementary", name="About the name")

    def told(name: str) -> bool:
        return bool(panel.get_by_role("tab", selected=True).inner_text().startswith(name))

    for key, name in (("r", "Uses"), ("c", "Calls"), ("t", "Tests"), ("i", "Implementors")):
        opened.press("g", key)
        until(partial(told, name))
        until(lambda: opened.settled().focused() == "take_over")
        opened.press("Escape")
        assert not panel.is_visible()
    opened.press("g", "d")
    until(lambda: "src/lease.py:21" in opened.settled().hash())


def test_the_nodes_of_a_drawing_are_reached_and_opened(opened: Tab) -> None:
    opened.go("calls/take_over")
    canvas = opened.page.locator(".canvas")
    canvas.focus()
    before = canvas.get_attribute("viewBox")
    opened.press("+", "ArrowRight")
    assert canvas.get_attribute("viewBox") != before
    opened.press("Tab")
    assert " at src/" in opened.focused()
    opened.press("Enter")
    until(lambda: "sym_" in opened.settled().hash())


def test_views_keys_and_colours_have_keys(opened: Tab) -> None:
    opened.press("Escape").page.locator("#query").blur()
    opened.press("g", "m")
    opened.page.wait_for_selector(".languages")
    assert opened.page.evaluate("document.activeElement.tagName") == "H1"
    opened.press("g", "h")
    opened.page.wait_for_selector(".card")
    opened.press("?")
    dialog = opened.page.get_by_role("dialog", name="Keys")
    assert "files, symbols and commands" in dialog.inner_text()
    opened.press("Escape")
    assert not dialog.is_visible()
    before = opened.page.evaluate("getComputedStyle(document.body).backgroundColor")
    opened.press("t")
    after = opened.page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert after != before
    opened.page.reload()
    opened.page.wait_for_selector(".card")
    assert opened.page.evaluate("getComputedStyle(document.body).backgroundColor") == after
    opened.press("g", "s")
    opened.page.wait_for_selector("#search-view")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_colours_are_the_systems_until_one_chooses(opened: Tab, scheme: str) -> None:
    opened.page.emulate_media(color_scheme=scheme)
    until(lambda: opened.page.evaluate("document.documentElement.dataset.theme") == scheme)
