"""The search: grouped by file, counted and narrowed, to the last line; each question an entry of the history."""

from pathlib import Path
from typing import Any

import pytest

from tests.surfaces.http.running import Daemon, serving, until
from tests.surfaces.page.browsing import AXE, HINT, Tab, tab
from tests.surfaces.page.test_access import violations
from tests.trees import Repo, cairn

pytestmark = pytest.mark.slow
FILES, LINES = 30, 8


@pytest.fixture(scope="module")
def shared_tree(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    repo = Repo.create(tmp_path_factory.mktemp("tree") / "repo")
    for number in range(FILES):
        folder = ("src/one", "src/two", "tests")[number % 3]
        name = f"test_m{number:02}.py" if folder == "tests" else f"m{number:02}.py"
        body = "    release(lease)\n" * (LINES - 1)
        repo.write(f"{folder}/{name}", f"def take_{number}(lease):\n{body}    return release(lease)\n")
    repo.write("web/app.js", "// Release(lease) when done\nexport function begin() {}\n")
    repo.write("docs/lease.md", "# The lease\n\nWho holds the lease may release(lease).\n")
    repo.commit()
    return repo


ALL = FILES * LINES + 1


def shown(opened: Tab) -> int:
    return int(opened.settled().page.locator(".hit").count())


def facet(opened: Tab, title: str, value: str) -> Any:
    return opened.page.get_by_role("region", name=title, exact=True).get_by_role("link", name=value)


@pytest.mark.requirement("PAGE.20")
def test_lines_are_grouped_by_file_with_their_number_and_go_to_the_last(opened: Tab) -> None:
    opened.go("search", q="release(lease)", mode="literal")
    assert f"{ALL} lines in 31 files" in opened.text(".summary")
    assert opened.all(".group .path")[:2] == ["docs/lease.md", "src/one/m00.py"]
    assert opened.all(".group .of-file")[:2] == ["1 line", f"{LINES} lines"]
    # Many lines of a file are folded, and are one click away.
    assert [each.strip() for each in opened.all(".group:nth-child(2) .number")][1:] == ["2", "3", "4", "5", "6", "7"]
    opened.page.get_by_role("button", name="2 more in this file").first.click()
    assert opened.page.locator(".group:nth-child(2) .hit").count() == LINES
    opened.page.get_by_role("button", name=f"Show all {ALL}").click()
    until(lambda: "The last of" in opened.settled().text("#results"))
    folded = opened.page.get_by_role("button", name="more in this file")
    while folded.count():
        folded.first.click()
    assert shown(opened) == ALL
    assert f"shown={ALL}" in opened.hash()
    assert "Show" not in opened.text(".rest")
    assert "--" not in opened.text("#results")


@pytest.mark.requirement("PAGE.20")
def test_a_count_is_a_click_and_what_it_narrowed_is_taken_away_by_another(opened: Tab) -> None:
    opened.go("search", q="release(lease)", mode="literal")
    assert facet(opened, "Code, tests, docs", "Tests").locator(".number").inner_text() == f"{FILES // 3 * LINES}"
    facet(opened, "Code, tests, docs", "Tests").click()
    until(lambda: f"{FILES // 3 * LINES} lines" in opened.settled().text(".summary"))
    assert "role=tests" in opened.hash()
    assert {each.split("/")[0] for each in opened.all(".group .path")} == {"tests"}
    facet(opened, "Code, tests, docs", "Tests").click()
    until(lambda: f"{ALL} lines" in opened.settled().text(".summary"))
    facet(opened, "Folder", "src/").click()
    until(lambda: "one/" in opened.settled().text("#facets"))
    facet(opened, "Folder", "two/").click()
    until(lambda: {each.rpartition("/")[0] for each in opened.settled().all(".group .path")} == {"src/two"})
    opened.page.go_back()
    until(lambda: "folder=src&" in f"{opened.settled().hash()}&" and opened.all(".group .path")[0] == "src/one/m00.py")
    opened.page.get_by_role("link", name="Take all of these away").click()
    until(lambda: f"{ALL} lines" in opened.settled().text(".summary"))


def test_words_have_facets_of_kinds_and_fold_further_places(opened: Tab) -> None:
    opened.go("search", q="take lease release")
    entries = int(opened.text(".summary").split()[0])
    assert entries > 20
    assert shown(opened) == 20
    opened.page.get_by_role("button", name=f"Show all {entries}").click()
    until(lambda: shown(opened) == entries)
    assert len(set(opened.all(".hit .path"))) == entries
    number = facet(opened, "Kind", "function").locator(".number").inner_text()
    facet(opened, "Kind", "function").click()
    until(lambda: f"{number} places" in opened.settled().text(".summary"))


def test_the_ways_of_searching_have_keys_and_options(opened: Tab) -> None:
    opened.go("search", q="Release(lease)")
    opened.press("Alt+2")
    until(lambda: "1 line in 1 file" in opened.settled().text(".summary"))
    opened.page.get_by_label("Any case").check()
    until(lambda: f"{ALL + 1} lines" in opened.settled().text(".summary"))
    assert "anycase=1" in opened.hash()
    opened.page.locator("select[name=tests]").select_option("without")
    until(lambda: f"{ALL + 1 - FILES // 3 * LINES} lines" in opened.settled().text(".summary"))
    opened.press("Alt+3").page.locator("#query").fill("take_[12]\\(")
    until(lambda: "".join(opened.settled().all(".hit.line mark")) == "take_1(")
    opened.page.locator("#query").fill("take_1")
    until(lambda: "take_1" in opened.settled().all(".hit mark") and shown(opened) > 1)
    before = shown(opened)
    opened.page.get_by_label("Whole words").check()
    until(lambda: shown(opened) < before)
    opened.press("Alt+4")
    until(lambda: opened.settled().all(".hit .symbol") == ["take_1"])
    assert "mode=symbol" in opened.hash()


@pytest.mark.requirement("PAGE.20")
def test_a_finished_query_is_an_entry_of_the_history_and_half_words_are_not(opened: Tab) -> None:
    opened.go("search")
    entries = opened.page.evaluate("history.length")
    field = opened.page.locator("#query")
    field.press_sequentially("take lease", delay=40)
    field.press("Enter")
    until(lambda: "q=take+lease&" in f"{opened.settled().hash()}&")
    # A search for nothing is no place to go back to.
    assert opened.page.evaluate("history.length") == entries
    first = opened.all(".hit .path")
    field.fill("begin")
    until(lambda: opened.settled().all(".hit .path")[0].startswith("web/app.js"))
    assert opened.page.evaluate("history.length") == entries + 1
    opened.page.go_back()
    until(lambda: opened.settled().all(".hit .path") == first)
    assert field.input_value() == "take lease"


@pytest.mark.requirement("PAGE.20")
def test_a_new_query_begins_at_the_top_and_back_finds_the_place(opened: Tab) -> None:
    opened.go("search", q="release(lease)", mode="literal", shown="200")
    scrolled = """() => {
        const main = document.getElementById("main");
        const box = main.scrollHeight > main.clientHeight + 1 ? main : document.scrollingElement;
        return box.scrollTop;
    }"""
    link = opened.page.locator(".group").nth(12).locator("a.path")
    link.scroll_into_view_if_needed()
    before = until(lambda: opened.page.evaluate(scrolled))
    link.click()
    opened.page.wait_for_selector(".file-view")
    opened.page.go_back()
    opened.page.wait_for_selector(".group")
    assert opened.settled().page.locator(".group").nth(12).locator("a.path").count() == 1
    until(lambda: abs(opened.page.evaluate(scrolled) - before) < 200)
    opened.page.locator("#query").fill("begin")
    until(lambda: opened.settled().page.evaluate(scrolled) == 0)


def test_what_nothing_has_is_said_before_what_is_nearest(opened: Tab) -> None:
    opened.go("search", q="xylophone zzyzx")
    assert opened.text(".summary").startswith("Nothing here has these words. Nearest in meaning:")
    opened.go("search", q="xylophone", mode="literal", path="src/**")
    assert "Nothing was found" in opened.text(".nothing")
    opened.page.get_by_role("link", name="Search without what narrows it").click()
    until(lambda: "path=" not in opened.settled().hash())


@pytest.mark.parametrize("values", [{"q": "take_4", "mode": "literal"}, {"q": "take"}])
def test_what_stands_around_a_result_is_seen_beneath_it(opened: Tab, values: dict[str, str]) -> None:
    opened.go("search", **values)
    opened.press("Escape", "v")
    assert opened.page.locator("#query").input_value() == values["q"]
    around = opened.page.locator(".hit .nearby")
    around.locator(".row").first.wait_for()
    assert "release(lease)" in around.inner_text()
    assert around.locator(".row .number").first.inner_text().strip() == "1"
    around.locator(".t-k", has_text="def").wait_for()
    opened.press("v")
    assert around.count() == 0


def test_a_result_opens_its_file_at_the_line_with_the_words(opened: Tab) -> None:
    opened.go("search", q="take_4", mode="literal")
    assert "hit=take_4" in opened.page.locator(".hit.line a").get_attribute("href")
    opened.page.locator(".hit.line a").click()
    opened.page.wait_for_selector(".file-view")
    assert "src/two/m04.py:1?" in opened.hash()


@pytest.mark.requirement("PAGE.20")
def test_results_follow_the_tree_and_wait_for_whoever_reads(browser: Any, tmp_path: Path) -> None:
    repo = Repo.create(tmp_path / "repo")
    repo.write("src/a.py", "def first_lease():\n    return 1\n")
    repo.commit()
    assert cairn("index", str(repo.path)).returncode == 0
    with serving("--no-watch", "--http", "127.0.0.1:0") as daemon, tab(browser, daemon, repo.path) as found:
        found.go("search", q="_lease", mode="literal")
        assert found.all(".group .path") == ["src/a.py"]
        repo.write("src/b.py", "def second_lease():\n    return 2\n")
        assert cairn("index", str(repo.path), "--json").returncode == 0
        until(lambda: found.settled().all(".group .path") == ["src/a.py", "src/b.py"])
        found.page.locator(".hit.line a").first.focus()
        repo.write("src/c.py", "def third_lease():\n    return 3\n")
        assert cairn("index", str(repo.path), "--json").returncode == 0
        found.page.get_by_text("The tree has changed since.").wait_for()
        assert found.all(".group .path") == ["src/a.py", "src/b.py"]
        found.page.get_by_role("button", name="Refresh").click()
        until(lambda: found.settled().all(".group .path") == ["src/a.py", "src/b.py", "src/c.py"])
        found.require_quiet()


@pytest.mark.skipif(not AXE.exists(), reason=f"axe-core is not there: {HINT}")
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1440])
def test_the_search_can_be_used_by_everybody(
    browser: Any, shared: Daemon, shared_tree: Repo, scheme: str, width: int
) -> None:
    with tab(browser, shared, shared_tree.path, width, 800, color_scheme=scheme) as found:
        for values in (
            {"q": "take lease", "explain": "1"},
            {"q": "release(lease)", "mode": "literal", "folder": "src"},
        ):
            found.go("search", **values)
            assert violations(found) == []
            assert found.page.locator("main").evaluate("(main) => main.scrollWidth <= main.clientWidth")
