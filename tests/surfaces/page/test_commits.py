"""The view of the past: commits by what they say and by the lines that they changed."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.surfaces.http.running import Daemon, until
from tests.surfaces.page.browsing import Tab, tab
from tests.trees import Repo

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def shared_tree(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    repo = Repo.create(tmp_path_factory.mktemp("tree") / "repo")
    for number in range(30):
        repo.write("src/count.py", f"\tvalue = {number}\nsteady = 1\n")
        repo.commit(f"Count to {number}")
    repo.write("docs/<b>.md", "<b>value</b>\n")
    repo.commit("Tell of <i>it</i>\n\nA value, too.")
    return repo


@pytest.fixture
def past(browser: Any, shared: Daemon, shared_tree: Repo) -> Iterator[Tab]:
    with tab(browser, shared, shared_tree.path, 1440, 900) as found:
        yield found
        found.require_quiet()


COMMIT = ".past-commits > li"


@pytest.mark.requirement("PAGE.20")
def test_commits_are_found_by_what_they_say_and_change_to_the_last_one(past: Tab) -> None:
    past.go("map").press("g", "p")
    past.page.wait_for_selector(".commits-view")
    past.settled()
    past.page.fill("[name=q]", "value")
    past.press("Enter")
    until(lambda: past.page.locator(COMMIT).count() == 20)
    past.settled()
    assert "q=value" in past.hash()
    first = past.page.locator(COMMIT).first
    assert "Tell of <i>it</i>" in first.inner_text()
    assert "A value, too." in first.inner_text()
    assert first.locator(".line-text").all_text_contents() == ["+ <b>value</b>"]
    assert past.page.locator(COMMIT).nth(1).locator(".line-text").all_text_contents() == [
        "- \tvalue = 28",
        "+ \tvalue = 29",
    ]
    assert set(past.all(f"{COMMIT} mark")) == {"value"}
    past.page.click("text=Show more")
    until(lambda: past.page.locator(COMMIT).count() == 31)
    past.settled()
    assert past.text(".cut").strip() == "31 commits of all 31"
    past.page.reload()
    past.page.wait_for_selector(".commits-view")
    until(lambda: past.page.locator(COMMIT).count() == 31)


@pytest.mark.requirement("PAGE.20")
def test_a_line_of_the_past_leads_to_the_change_of_its_commit(past: Tab) -> None:
    past.go("commits", q="value = 7", look_in="changes")
    (removed, added) = past.page.locator(COMMIT).all()
    assert "Count to 8" in removed.inner_text()
    added.locator(".line-text.added").wait_for()
    added.locator(".line-number a").first.click()
    past.page.wait_for_selector(".diff tr[aria-current]")
    assert "value = 7" in past.text(".diff tr[aria-current]")
    past.page.go_back()
    past.page.wait_for_selector(COMMIT)
    past.settled()
    assert past.page.locator(COMMIT).count() == 2


def test_the_past_is_narrowed_by_controls_that_the_address_has(past: Tab) -> None:
    past.go("commits", q="value")
    past.page.fill("[name=path]", "docs/**")
    past.press("Enter")
    until(lambda: past.page.locator(COMMIT).count() == 1)
    past.page.select_option("[name=look_in]", "messages")
    past.page.fill("[name=q]", r"^count to \d$")
    past.page.fill("[name=path]", "")
    past.page.check("[name=regex]")
    past.page.check("[name=ignore_case]")
    until(lambda: past.page.locator(COMMIT).count() == 10)
    past.settled()
    assert "regex=1" in past.hash()
    assert past.page.locator(".past-commits .diff").count() == 0
    past.page.fill("[name=q]", "(")
    past.press("Enter")
    past.page.wait_for_selector(".trouble")
    assert "can't be read" in past.text(".trouble")


def test_newer_commits_are_told_of(past: Tab, shared_tree: Repo) -> None:
    past.go("commits", q="newest")
    assert "No commit of all" in past.text(".cut")
    shared_tree.write("src/newer.py", "newest = 1\n")
    shared_tree.commit("Later")
    past.page.evaluate("root => fetch(`/v1/map?budget=1&sync=true&root=${encodeURIComponent(root)}`)", past.root)
    past.page.click("text=Search again")
    until(lambda: past.page.locator(COMMIT).count() == 1)
