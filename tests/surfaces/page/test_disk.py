"""An open file and the one on disk: what is shown of it whatever happens to it there."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.surfaces.http.running import until
from tests.surfaces.page.browsing import Tab

pytestmark = pytest.mark.slow

TEXT = "".join(f"def number_{at}():\n    return {at}\n\n\n" for at in range(12))
SELECT = "getSelection().selectAllChildren(document.querySelector(\"[data-line='1'] .text\"))"
LOOK = "window.dispatchEvent(new Event('focus'))"
"""What a window does that comes back to the front: the page looks at the file."""


@pytest.fixture
def file(root: Path) -> Iterator[Path]:
    """A file of the test's own."""
    found = root / "src" / "own.py"
    found.write_text(TEXT)
    yield found
    found.unlink(missing_ok=True)


def line(found: Tab, number: int) -> str:
    return found.text(f".text-of .row[data-line='{number}'] .text")


def looks(found: Tab) -> Any:
    """What is answered when the page looks how the file stands."""
    with found.page.expect_response("**/v1/file/standing?*") as answer:
        found.page.evaluate(LOOK)
    return answer.value.json()


def test_one_stays_at_the_line_however_often_a_change_is_told(opened: Tab, file: Path) -> None:
    opened.go("file/src/own.py:9")
    held: list[Any] = []
    opened.page.route("**/v1/file?*", lambda route: held.append(route))
    file.write_text("# one\n# two\n" + TEXT)
    until(lambda: opened.page.wait_for_timeout(20) or held)
    # Meanwhile it is told in another way.
    looks(opened)
    with opened.page.expect_response("**/v1/outline?*"):
        for each in held:
            each.continue_()
    opened.settled()
    assert line(opened, 1) == "# one"
    assert opened.text(".row[aria-current] .text") == "def number_2():"
    assert "own.py:11?" in opened.hash()
    assert len(held) == 1


def test_a_linked_range_grows_with_lines_in_it(opened: Tab, file: Path) -> None:
    opened.go("file/src/own.py:5-6")
    file.write_text(TEXT.replace("    return 1\n", "    # more\n    # and more\n    return 1\n"))
    until(lambda: "own.py:5-8?" in opened.hash())
    assert len(opened.all(".row.in-range, .row[aria-current]")) == 4


def test_a_file_that_comes_back_is_not_said_to_be_gone(opened: Tab, file: Path) -> None:
    opened.go("file/src/own.py")
    banner = opened.page.locator(".file-banner")
    for text in (TEXT, TEXT + "# new\n"):
        file.unlink()
        banner.get_by_text("not on disk any more").wait_for()
        file.write_text(text)
        banner.wait_for(state="hidden")
    until(lambda: "# new" in opened.all(".text-of .text")[-1])


def test_a_file_that_is_not_there_yet_is_shown_once_it_is(opened: Tab, root: Path) -> None:
    file = root / "src" / "later.py"
    opened.go("file/src/later.py")
    opened.page.get_by_text("There is no file src/later.py").wait_for()
    try:
        file.write_text("later = 1\n")
        until(lambda: opened.all(".text-of .text") == ["later = 1"])
    finally:
        file.unlink()


def test_a_link_out_of_the_codebase_in_the_place_of_a_file_is_told(opened: Tab, file: Path, tmp_path: Path) -> None:
    (tmp_path / "outside").write_text("outside = 1\n")
    opened.go("file/src/own.py")
    file.unlink()
    file.symlink_to(tmp_path / "outside")
    opened.page.locator(".file-banner").get_by_text("This is its text as it was last read.").wait_for()
    assert "leads out of the root" in opened.text(".file-banner")
    assert "outside = 1" not in opened.text(".text-of")
    file.unlink()
    file.write_text(TEXT)
    opened.page.locator(".file-banner").wait_for(state="hidden")


def test_what_is_selected_stays_however_the_page_hears_of_a_change(opened: Tab, file: Path) -> None:
    opened.go("file/src/own.py")
    opened.page.evaluate(SELECT)
    file.write_text("# new\n" + TEXT)
    opened.page.get_by_role("button", name="Reload").wait_for()
    for _ in range(2):
        assert looks(opened)["version"]
        opened.settled()
        assert line(opened, 1) == "def number_0():"
        assert opened.page.evaluate("String(getSelection())") == "def number_0():"
    opened.page.get_by_role("button", name="Reload").click()
    until(lambda: line(opened, 1) == "# new")


def test_an_open_menu_stays_however_the_page_hears_of_a_change(opened: Tab, file: Path) -> None:
    opened.go("file/src/own.py")
    opened.page.get_by_role("button", name="File own.py").click()
    menu = opened.page.get_by_role("menuitem", name="clock.py")
    menu.wait_for()
    file.write_text("# new\n" + TEXT)
    opened.page.get_by_role("button", name="Reload").wait_for()
    looks(opened)
    opened.settled()
    assert menu.is_visible()
    assert line(opened, 1) == "def number_0():"
    # Restored, there is nothing to ask about.
    file.write_text(TEXT)
    opened.page.get_by_role("button", name="Reload").wait_for(state="hidden")
    assert menu.is_visible()


def test_a_line_past_the_end_is_told(opened: Tab, file: Path) -> None:
    opened.go("file/src/own.py:900")
    assert "There is no line 900: the file has 48." in opened.text(".file-banner")
    opened.page.locator(".row[data-line='48'] .number").click()
    assert opened.page.locator(".file-banner").is_hidden()


def test_colours_of_another_text_are_not_put_on_this_one(opened: Tab, file: Path) -> None:
    def other(route: Any) -> None:
        answer = route.fetch()
        route.fulfill(response=answer, json={**answer.json(), "version": "0" * 64})

    opened.page.route("**/v1/file/colours?*", other)
    opened.go("file/src/own.py")
    opened.page.locator(".text-of[data-coloured]").wait_for()
    assert opened.page.locator(".text-of .t-k").count() == 0
    opened.page.unroute("**/v1/file/colours?*")
    file.write_text("# new\n" + TEXT)
    opened.page.locator(".text-of .t-k").first.wait_for()


def test_the_limit_of_a_long_text_is_lifted_by_its_button(opened: Tab, file: Path) -> None:
    file.write_text("x = 1\n" * 400_000)
    opened.go("file/src/own.py")
    assert "only the beginning is shown" in opened.text(".facts")
    opened.page.locator(".facts").get_by_role("button", name="Show all").click()
    until(lambda: "400,000 lines" in opened.text(".facts"))
    assert "only the beginning" not in opened.text(".facts")


def test_a_file_that_is_not_indexed_says_why_nothing_is_told(opened: Tab, root: Path) -> None:
    (root / ".gitignore").write_text("left.py\n")
    (root / "left.py").write_text("left = 1\n")
    try:
        opened.go("file/left.py")
        opened.page.locator(".file-banner").get_by_text("leaves this file out of the index").wait_for()
        assert "--" not in opened.text(".file-banner")
        opened.page.locator(".text-of [data-at]", has_text="left").click()
        opened.settled()
        assert not opened.page.locator("#right").is_visible()
    finally:
        (root / ".gitignore").unlink()
        (root / "left.py").unlink()
