"""One dialog finds files, symbols, commands and lines, by what is typed."""

from pathlib import Path
from typing import Any

import pytest

from tests.surfaces.http.running import until
from tests.surfaces.page.browsing import Tab

pytestmark = pytest.mark.slow


def opening(found: Tab, typed: str, key: str = "Control+k") -> Any:
    """The palette with what is found for something typed."""
    found.press(key)
    palette = found.page.get_by_role("dialog", name="Files, symbols and commands")
    palette.wait_for()
    found.page.keyboard.type(typed)
    return palette


def chosen(palette: Any) -> str:
    return " ".join(palette.locator("[aria-selected='true'] .text").all_inner_texts())


def test_a_file_is_found_and_opened(opened: Tab) -> None:
    palette = opening(opened, "clock")
    until(lambda: chosen(palette) == "clock.py")
    opened.press("Enter")
    assert not palette.is_visible()
    until(lambda: "file/src/clock.py" in opened.settled().hash())
    # What was opened lately is there before anything is typed.
    palette = opening(opened, "", "Control+p")
    until(lambda: chosen(palette) == "clock.py")


def test_what_is_typed_before_its_code_is_there_is_meant_for_it(opened: Tab) -> None:
    held: list[Any] = []
    opened.page.route("**/page/shell/palette.js", lambda route: held.append(route))
    opened.press("Control+k", *"clock")
    until(lambda: opened.page.wait_for_timeout(20) or held)
    held[0].continue_()
    until(lambda: chosen(opened.page.get_by_role("dialog", name="Files, symbols and commands")) == "clock.py")


def test_a_symbol_is_found_and_what_begins_so_comes_first(opened: Tab) -> None:
    palette = opening(opened, "take", "Control+t")
    until(lambda: chosen(palette) == "take_over")
    opened.press("Enter")
    until(lambda: "file/src/lease.py:21" in opened.settled().hash())


def test_a_command_is_found_and_done(opened: Tab) -> None:
    palette = opening(opened, "> map")
    until(lambda: chosen(palette) == "Go to the map")
    opened.press("Enter")
    until(lambda: opened.settled().hash().startswith("#/map"))


def test_a_line_of_the_file_is_gone_to(opened: Tab) -> None:
    opened.go("file/src/lease.py")
    palette = opening(opened, ":21")
    until(lambda: chosen(palette) == "Line 21")
    opened.press("Enter")
    until(lambda: "lease.py:21" in opened.settled().hash())


def test_what_is_not_there_is_said(opened: Tab, root: Path) -> None:
    palette = opening(opened, "nothing_like_it_in_" + root.name + "_zzz")
    palette.get_by_text("Nothing is called so.").wait_for()
    opened.press("Escape")
    assert not palette.is_visible()
