"""A file that defines very many things: its outline is there at once, and the rest of it when it is looked at."""

import pytest

from tests.surfaces.http.running import Daemon, until
from tests.surfaces.page.browsing import Tab
from tests.trees import Repo

pytestmark = pytest.mark.slow

SYMBOLS = 20_000
MOST_ENTRIES = 1_000


@pytest.fixture(scope="module")
def shared_tree(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    repo = Repo.create(tmp_path_factory.mktemp("many") / "repo")
    repo.write("many.py", "".join(f"def f_{at}(): ...\n" for at in range(1, SYMBOLS + 1)))
    repo.commit()
    return repo


def entries(found: Tab) -> int:
    return int(found.page.locator("#outline a").count())


def test_few_entries_are_drawn_and_they_are_the_ones_that_are_looked_at(
    opened: Tab, shared: Daemon, shared_tree: Repo
) -> None:
    document = shared.get("/v1/outline", file="many.py", root=shared_tree.path).document
    assert len(document["symbols"]) == SYMBOLS
    opened.go("file/many.py")
    opened.page.wait_for_selector("#outline a")
    assert opened.all("#outline bdi")[:2] == ["f_1", "f_2"]
    assert entries(opened) <= MOST_ENTRIES
    opened.go("file/many.py:15007")
    assert "f_15007" in opened.text("#outline a[aria-current]")
    assert entries(opened) <= MOST_ENTRIES
    opened.page.evaluate("document.querySelector('#outline').scrollTo(0, 1e9)")
    until(lambda: f"f_{SYMBOLS}" in opened.all("#outline bdi"))
    assert entries(opened) <= MOST_ENTRIES
    opened.page.locator("#outline a").last.click()
    until(lambda: f"many.py:{SYMBOLS}" in opened.hash())


def test_the_place_of_what_is_not_drawn_is_kept(opened: Tab) -> None:
    opened.go("file/many.py")
    opened.page.wait_for_selector("#outline a")
    height = "document.querySelector('#outline ul').getBoundingClientRect().height"
    before = opened.page.evaluate(height)
    opened.page.evaluate("document.querySelector('#outline').scrollTo(0, 1e9)")
    until(lambda: f"f_{SYMBOLS}" in opened.all("#outline bdi"))
    assert opened.page.evaluate(height) == before


def test_who_does_not_scroll_opens_it(opened: Tab) -> None:
    opened.page.set_viewport_size({"width": 400, "height": 700})
    opened.go("file/many.py")
    opened.page.wait_for_selector("#outline a", state="attached")
    before = entries(opened)
    opened.page.evaluate("document.querySelector('#outline .rest button').click()")
    assert entries(opened) == before + 200
    opened.page.locator("#left-open").click()
    opened.page.evaluate("document.querySelector('#outline .rest button').click()")
    assert opened.focused().startswith("ff_")
