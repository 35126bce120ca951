"""What was cut is said in the page's own words, with a control that shows it."""

import re

import pytest

from tests.surfaces.http.running import until
from tests.surfaces.page.browsing import Tab
from tests.trees import Repo

pytestmark = pytest.mark.slow
CALLERS, CALLS = 70, 4


@pytest.fixture(scope="module")
def shared_tree(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    repo = Repo.create(tmp_path_factory.mktemp("tree") / "repo")
    repo.write("src/hub.py", "def hub() -> int:\n    return 1\n")
    body = "    hub()\n" * CALLS
    repo.write("src/many.py", "from src.hub import hub\n" + "".join(f"\n\ndef f{n}():\n{body}" for n in range(CALLERS)))
    repo.commit()
    return repo


def more(opened: Tab) -> str:
    """Follow the one control; what was said beside it."""
    assert "ask with" not in opened.text(".warnings")
    said = opened.text(".warnings li:has(button)")
    opened.page.get_by_role("button", name="Show more").first.click()
    opened.page.wait_for_function("(said) => !document.body.innerText.includes(said)", arg=said)
    opened.settled()
    return said


def test_a_call_graph_shows_more(opened: Tab) -> None:
    opened.go("calls/hub", way="callers")
    assert more(opened).startswith("Of each definition at most 25 callers or calls are drawn.")
    assert more(opened).startswith("Only 31 definitions are drawn.")
    assert opened.page.locator("a.node").count() > CALLERS
    assert "side=" in opened.hash()
    assert "fan=" in opened.hash()
    assert opened.page.locator(".warnings").count() == 0


def test_the_uses_of_a_name_show_more(opened: Tab) -> None:
    opened.go("names/hub", tab="uses")
    until(lambda: opened.settled().page.locator(".uses li").count() == 200)
    opened.page.get_by_role("button", name=re.compile("^Show .* more$")).click()
    until(lambda: opened.settled().page.locator(".uses li").count() == CALLERS * CALLS + 1)


def test_a_map_shows_more(opened: Tab) -> None:
    opened.go("map", budget="40")
    assert more(opened).startswith("The map is not shown whole.")
    assert opened.page.locator(".warnings, .cut").count() == 0
