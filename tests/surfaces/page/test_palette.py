"""One dialog finds files, symbols, commands and lines, by what is typed."""

from pathlib import Path
from typing import Any

import pytest

from tests.surfaces.http.running import serving, until
from tests.surfaces.page.browsing import Tab, tab
from tests.trees import Repo, cairn

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


def test_a_file_that_the_index_leaves_out_stands_among_the_others_with_the_reason(browser: Any, tmp_path: Path) -> None:
    repo = Repo.create(tmp_path / "repo")
    repo.write("src/short.py", "short = 1\n")
    repo.write("src/long.py", "x = 1\n" * 900_000)
    repo.write("pictures/one.png", b"\x89PNG\r\n\x1a\n\0")
    repo.commit()
    assert cairn("index", str(repo.path)).returncode == 0
    with serving("--no-watch", "--http", "127.0.0.1:0") as daemon, tab(browser, daemon, repo.path) as found:
        found.go("file/src/short.py")
        long = found.page.get_by_role("treeitem", name="long.py")
        long.wait_for()
        assert long.locator(".why").inner_text() == "too large"
        assert found.all("#tree .twig bdi") == ["pictures", "src", "long.py", "short.py"]
        # A folder of which nothing is indexed opens too, and leads to its file.
        found.page.get_by_role("treeitem", name="pictures").click()
        found.page.get_by_role("treeitem", name="one.png").click()
        until(lambda: "file/pictures/one.png" in found.hash())
        assert found.page.get_by_role("treeitem", name="one.png").locator(".why").inner_text() == "no text"
        found.settled().page.get_by_role("button", name="File one.png").click()
        until(lambda: found.page.get_by_role("menuitem").all_inner_texts() == ["one.png, no text"])
        found.press("Escape")
        found.page.get_by_label("Filter files").fill("long")
        until(lambda: found.all("#tree .twig bdi") == ["src/long.py"])
        palette = opening(found, "long")
        until(lambda: chosen(palette) == "long.py")
        assert palette.locator("[aria-selected='true'] .detail").inner_text() == "src/ · not in the index, too large"
        found.press("Enter")
        until(lambda: "file/src/long.py" in found.hash())
        found.require_quiet()
