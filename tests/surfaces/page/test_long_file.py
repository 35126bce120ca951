"""A file of many lines: what is looked at is there at once, and the rest when it is looked at."""

import pytest

from tests.surfaces.http.running import until
from tests.surfaces.page.browsing import Tab
from tests.trees import Repo

pytestmark = pytest.mark.slow

LINES = 20_000
MOST_ELEMENTS = 9_000
_SEES = """(line) => {
    const row = document.querySelector(`.row[data-line='${line}']`);
    if (!row) return false;
    const { top, bottom } = row.getBoundingClientRect();
    return top >= 0 && bottom <= innerHeight;
}"""

_REVEAL = """() => {
    const { top } = getSelection().getRangeAt(0).getBoundingClientRect();
    document.getElementById("main").scrollBy(0, top - innerHeight / 2);
}"""


def source() -> str:
    """A function every thousand lines, and something in every line that no other has."""
    lines = (f"def function_{at}(): ..." if at % 1_000 == 0 else f"line_{at}()" for at in range(1, LINES + 1))
    return "".join(f"{line}\n" for line in lines)


@pytest.fixture(scope="module")
def shared_tree(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    repo = Repo.create(tmp_path_factory.mktemp("long") / "repo")
    repo.write("long.py", source())
    repo.commit()
    return repo


def sees(found: Tab, line: int) -> bool:
    return bool(found.page.evaluate(_SEES, line))


def elements(found: Tab) -> int:
    return int(found.page.evaluate("document.querySelectorAll('.text-of *').length"))


def test_the_line_that_is_asked_for_is_seen_and_few_others_are_drawn(opened: Tab) -> None:
    opened.go("file/long.py:15000")
    assert sees(opened, 15_000)
    assert opened.text(".row[aria-current] .text") == "def function_15000(): ..."
    assert elements(opened) < MOST_ELEMENTS
    # Its place stays when the tokens of all that is before it have been read.
    opened.page.wait_for_selector(".row[data-line='15000'] .t-d")
    assert sees(opened, 15_000)
    assert elements(opened) < MOST_ELEMENTS


def test_all_of_it_is_there_to_be_found_and_to_be_read_aloud(opened: Tab) -> None:
    opened.go("file/long.py")
    assert opened.page.evaluate("find('line_13210')")
    # A browser's own search shows what it found; the one for scripts leaves the panes where they are.
    opened.page.evaluate(_REVEAL)
    until(lambda: sees(opened, 13_210))
    text = str(opened.page.evaluate("document.querySelector('.text-of').textContent"))
    assert "line_19999()" in text
    assert "line_11001()" in text


def test_the_end_is_seen_when_one_scrolls_there(opened: Tab) -> None:
    opened.go("file/long.py")
    assert not sees(opened, LINES)
    opened.page.evaluate("document.querySelector('.text-of').scrollIntoView({ block: 'end' })")
    until(lambda: opened.page.locator(f".row[data-line='{LINES}']").count() == 1)
    until(lambda: sees(opened, LINES))
    assert opened.text(f".row[data-line='{LINES}'] .number") == str(LINES)


def test_one_jumps_from_line_to_line_by_address_by_outline_and_by_key(opened: Tab) -> None:
    opened.go("file/long.py:700")
    opened.go("file/long.py:11007")
    assert sees(opened, 11_007)
    opened.press("k")
    assert sees(opened, 11_006)
    assert "long.py:11006" in opened.hash()
    assert "function_11000" not in "".join(opened.all("#outline a[aria-current]"))
    opened.page.locator("#outline").get_by_role("link", name="function_19000").click()
    until(lambda: sees(opened, 19_000))
    assert "function_19000" in opened.text("#outline a[aria-current]")
    # Before its colours are there, a keyword is a word like others.
    opened.page.wait_for_selector(".row[data-line='19000'] .t-d")
    opened.press("l")
    assert opened.text(".picked") == "function_19000"
