"""What is told about a name, in the right pane and as a page of its own."""

import re
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.surfaces.http.running import Daemon, serving, until
from tests.surfaces.page.browsing import AXE, Tab, tab
from tests.trees import Repo, cairn

_TELL = """([place, root]) => import("/page/about/about.js").then(async ({ show }) => {
    const { Pane } = await import("/page/shell/panes.js");
    const { live } = await import("/page/shell/live.js");
    const { signal } = new AbortController();
    return show(new Pane("right"), place, {
        root, signal, said: () => undefined, again: () => undefined,
        onSnapshot: (heard) => live.onSnapshot(root, heard, signal), onFile: () => undefined,
    });
})"""


def tell(found: Tab, **place: object) -> Tab:
    """Fill the right pane, as any view does."""
    found.page.evaluate(_TELL, [place, found.root])
    return found.settled()


def opened_tab(found: Tab, name: str) -> Tab:
    found.page.get_by_role("tab", name=re.compile(f"^{name}")).click()
    return found.settled()


def uses(found: Tab) -> list[str]:
    return [
        str(each)
        for each in found.page.eval_on_selector_all("li.place a.use", "all => all.map((each) => each.dataset.place)")
    ]


@pytest.fixture(scope="module")
def many_tree(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    """A name with more uses than are shown at once, in code and in tests, of every kind."""
    repo = Repo.create(tmp_path_factory.mktemp("many") / "repo")
    base = "class Base:\n    def run(self) -> int:\n        return 1\n"
    more = "\n\nclass One(Base):\n    def run(self) -> int:\n        return 2\n\n\nclass Two(One):\n    pass\n"
    repo.write("src/base.py", base + more + "\n\ndef common(given: int) -> int:\n    total = given\n    return total\n")
    repo.commit("begin with a base")
    for number in range(8):
        lines = "".join(f"\n\ndef use{at}() -> int:\n    return common({at})\n" for at in range(40))
        repo.write(f"src/part{number}.py", f"from src.base import common{lines}")
    calls = "from src.base import Base, One, common\n\n\ndef test_common() -> None:\n    assert common(1) == 1\n"
    repo.write(
        "tests/test_common.py", calls + "\n\ndef test_run() -> None:\n    assert One().run() == Base().run() + 1\n"
    )
    repo.write("lib/common.js", "export function common() {}\n")
    repo.commit("use it")
    repo.write("src/base.py", (repo.path / "src/base.py").read_text() + "\n\nTHE = common\n")
    repo.commit("name it <again>")
    return repo


@pytest.fixture(scope="module")
def many_daemon(many_tree: Repo, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    home = tmp_path_factory.mktemp("home").resolve() / ".cairn"
    done = cairn("index", str(many_tree.path), CAIRN_HOME=str(home), HOME=str(home.parent))
    assert done.returncode == 0, done.stderr
    with serving("--no-watch", "--http", "127.0.0.1:0", home=home, HOME=str(home.parent)) as daemon:
        yield daemon


@pytest.fixture
def many(browser: Any, many_daemon: Daemon, many_tree: Repo) -> Iterator[Tab]:
    with tab(browser, many_daemon, many_tree.path) as found:
        yield found
        found.require_quiet()


def test_the_definition_is_there_while_uses_are_still_counted(many: Tab) -> None:
    """It waits for nothing but itself: its answer comes at once, and the uses of it come after."""
    waits = threading.Event()
    many.page.route("**/v1/uses?*", lambda _: waits.set())
    many.page.evaluate("localStorage.setItem('cairn-about-tab', 'definition')")
    many.page.evaluate(_TELL, [{"name": "src/base.py:15"}, many.root])
    many.page.locator(".telling .definition .symbol").wait_for()
    assert many.text(".about-name") == "common"
    assert many.text(".telling .definition .where") == "src/base.py:15"
    assert "def common(given: int) -> int" in many.text(".telling .signature")
    # A tab asks when it is opened, and not before.
    assert not waits.is_set()
    many.page.get_by_role("tab", name=re.compile("^Uses")).click()
    many.page.get_by_role("button", name="Stop").wait_for()
    assert waits.is_set()
    many.page.get_by_role("button", name="Stop").click()
    many.page.get_by_text("Stopped after").wait_for()
    many.page.unroute("**/v1/uses?*")
    many.page.get_by_role("button", name="Count them all").click()
    until(lambda: many.settled().text(".uses-head .total").startswith("331 uses in 10 files"))


def test_tabs_are_a_list_that_keys_walk_and_the_choice_is_remembered(many: Tab) -> None:
    tell(many, name="src/base.py:15")
    many.page.get_by_role("tab", selected=True).focus()
    many.press("Home", "ArrowRight").settled()
    assert many.page.get_by_role("tab", selected=True).inner_text().startswith("Uses")
    assert many.page.evaluate("document.activeElement.getAttribute('role')") == "tab"
    panel = many.page.get_by_role("tabpanel")
    assert panel.count() == 1
    assert panel.get_attribute("aria-labelledby") == many.page.evaluate("document.activeElement.id")
    many.press("End").settled()
    assert many.page.get_by_role("tab", selected=True).inner_text().startswith("History")
    many.press("ArrowRight").settled()
    assert many.page.get_by_role("tab", selected=True).inner_text().startswith("Definition")
    many.press("ArrowLeft", "ArrowLeft").settled()
    tell(many, name="One")
    assert many.page.get_by_role("tab", selected=True).inner_text().startswith("Impact")


@pytest.mark.requirement("PAGE.20")
def test_all_uses_can_be_shown_however_many_there_are(many: Tab) -> None:
    many.go("names/src/base.py:15", tab="uses")
    until(lambda: many.settled().text(".uses-head .total").startswith("331 uses in 10 files"))
    assert len(uses(many)) == 200
    assert "200 of 331 uses are shown" in many.text(".uses-foot")
    many.page.get_by_role("button", name="Show 131 more").click()
    assert len(uses(many)) == len(set(uses(many))) == 331
    assert "show=700" in many.hash()
    assert many.page.locator(".uses-foot .more").count() == 0
    many.page.reload()
    until(lambda: len(uses(many.settled())) == 331)


def test_uses_are_grouped_counted_and_filtered_and_the_filters_are_the_address(many: Tab) -> None:
    many.go("names/src/base.py:15", tab="uses")
    until(lambda: many.settled().page.locator(".uses-foot .standing").count() == 1)
    assert many.all(".chip") == ["proven331", "calls321", "reads1", "imports9"]
    many.page.locator("[data-chip=import]").click()
    assert many.page.locator(".file-uses").count() == 9
    assert "role=import" in many.hash()
    many.page.get_by_label("Uses in tests").select_option("only")
    assert uses(many) == ["tests/test_common.py:1"]
    assert "tests=only" in many.hash()
    many.page.reload()
    until(lambda: uses(many.settled()) == ["tests/test_common.py:1"])
    assert many.page.locator("[data-chip=import]").get_attribute("aria-pressed") == "true"
    many.page.locator("[data-chip=import]").click()
    many.page.get_by_label("Uses in tests").select_option("all")
    many.page.get_by_label("Only files that match").fill("src/part[01].py")
    many.press("Enter")
    until(lambda: many.settled().text(".uses-head .total").startswith("82 uses in 2 files"))
    assert "glob=src/part[01].py" in many.hash()
    fold = many.page.locator(".file-uses .fold").first
    fold.click()
    assert fold.get_attribute("aria-expanded") == "false"
    assert many.page.locator(".file-uses ul").first.is_hidden()
    # In which definition each stands is said, and the line is a link that opens the file there.
    row = many.page.locator(".file-uses").nth(1).locator("li.place").nth(1)
    assert "in use0" in row.inner_text()
    row.locator("a").click()
    until(lambda: "file/src/part1.py:4" in many.settled().hash())


def test_callers_are_a_tree_that_opens_a_step_at_a_time(many: Tab) -> None:
    tell(many, name="Base.run", tab="calls")
    opened_tab(many, "Calls")
    by = many.page.get_by_role("region", name="Called by")
    by.get_by_text("test_run").wait_for()
    assert "test_common.py" in by.inner_text()
    tell(many, name="src/base.py:15")
    opened_tab(many, "Calls")
    by = many.page.get_by_role("region", name="Called by")
    by.locator(".symbol").first.wait_for()
    # Tests are folded into one entry behind the others.
    by.get_by_role("button", name="Show more").click()
    until(lambda: "nodes=800" in many.settled().page.get_by_role("link", name="Open as a page").get_attribute("href"))
    last = by.locator(".tree").first.locator(":scope > li").last
    until(lambda: last.inner_text().split() == ["in", "tests", "1"])
    last.get_by_role("button").click()
    last.get_by_text("test_common", exact=True).wait_for()
    first = by.get_by_role("button", name="Open use0").first
    assert first.get_attribute("aria-expanded") == "false"
    first.click()
    by.get_by_text("Nothing calls it.").wait_for()
    assert many.page.get_by_role("link", name="Open as a graph").get_attribute("href").startswith("#/calls/src/base.py")


def test_implementors_are_a_tree(many: Tab) -> None:
    many.go("names/Base", tab="implementors")
    found = many.page.get_by_role("region", name="Derived from it")
    assert found.locator(".symbol bdi").all_inner_texts() == ["One", "Two"]
    assert "extends" in found.inner_text()
    assert many.page.get_by_role("tab", selected=True).inner_text() == "Implementors2"
    many.go("names/One.run", tab="implementors")
    found = many.page.get_by_role("region", name="It is derived from")
    assert "Base.run" in found.inner_text()
    assert "overrides" in found.inner_text()


def test_tests_impact_and_history_are_told(many: Tab) -> None:
    many.go("names/Base.run", tab="tests")
    assert "tests/test_common.py" in many.text(".test-list")
    assert "test_run" in many.text(".test-list .names")
    many.go("names/Base.run", tab="impact")
    assert "test_run" in many.text(".telling [aria-label='Use it']")
    assert "tests/test_common.py" in many.text(".telling [aria-label='Tests']")
    many.page.get_by_label("Steps").select_option("1")
    until(lambda: "depth=1" in many.settled().hash())
    many.go("names/src/base.py:15", tab="history")
    assert many.all(".commits .subject") == ["name it <again>", "begin with a base"]
    assert "A" in many.text(".commits .about")
    assert re.search(
        r"#/changes/src/base\.py\?.*since=([0-9a-f]{40})%5E&until=\1",
        str(many.page.locator(".commits a").first.get_attribute("href")),
    )


def test_one_of_several_definitions_can_be_chosen(many: Tab) -> None:
    many.go("names/common", tab="uses")
    until(lambda: many.settled().page.locator(".uses-foot .standing").count() == 1)
    choice = many.page.get_by_label("Which definition")
    assert len(choice.locator("option").all_text_contents()) == 3
    choice.select_option("lib/common.js:1")
    many.settled().page.get_by_text("No use of it was found.").wait_for()
    assert "of=lib/common.js:1" in many.hash()
    many.page.go_back()
    until(lambda: many.settled().page.locator(".file-uses").count() > 5)


def test_local_names_are_told_and_what_comes_from_outside_is_said_to(many: Tab, opened: Tab) -> None:
    tell(many, path="src/base.py", line=16, column=5)
    assert (many.text(".about-name"), many.text(".about-kind")) == ("common.total", "variable of common")
    opened_tab(many, "Uses")
    until(lambda: uses(many.settled()) == ["src/base.py:17"])
    tell(opened, path="src/clock.py", line=5, column=16)
    opened_tab(opened, "Definition")
    assert "it comes from outside" in opened.text(".telling .nothing")
    opened.page.get_by_role("button", name="Where it is used").click()
    until(lambda: set(uses(opened.settled())) == {"src/clock.py:1", "src/clock.py:5"})


def test_a_name_that_is_not_known_where_it_stands_is_not_said_to_be_defined_nowhere(
    browser: Any, tmp_path: Path
) -> None:
    repo = Repo.create(tmp_path / "repo")
    repo.write("a.py", "class Box:\n    def wrap_up(self): ...\n\n\nBox().wrap_up()\n")
    repo.write("b.py", "from outside import thing\n\nthing.wrap_up()\n")
    repo.commit()
    assert cairn("index", str(repo.path)).returncode == 0
    with serving("--no-watch", "--http", "127.0.0.1:0") as daemon, tab(browser, daemon, repo.path) as found:
        tell(found, path="b.py", line=3, column=7)
        assert found.text(".telling .nothing") == (
            "What wrap_up means here is not known; the name is borne by 1 definition of this codebase. Where it is used"
        )
        assert found.text(".about-kind") == "not known here"
        opened_tab(found, "Uses")
        until(lambda: found.settled().page.locator(".uses-foot .standing").count() == 1)
        assert "These are uses of what bears the name" in found.text(".uses-foot")
        found.page.get_by_role("tab", name="Definition").click()
        found.page.get_by_role("link", name="1 definition of this codebase").click()
        until(lambda: found.settled().text(".telling .definition .where") == "a.py:2")
        found.require_quiet()


def test_keys_walk_the_places_preview_one_and_close(many: Tab) -> None:
    many.go("file/src/base.py:15")
    many.page.locator(".row[data-line='15'] .text").first.wait_for()
    many.page.locator(".text-of").focus()
    tell(many, name="src/base.py:15")
    opened_tab(many, "Uses")
    until(lambda: many.settled().page.locator(".uses-foot .standing").count() == 1)
    many.page.locator(".about-name").focus()
    many.press("j", "j")
    first = many.page.evaluate("document.activeElement.dataset.place")
    assert first == "src/part0.py:1"
    many.press("j", "k", "o")
    until(lambda: "file/src/part0.py:1" in many.settled().hash())
    many.page.locator(".file-view h1, main h1").first.wait_for()
    # The list is still there, and has the focus.
    assert many.page.evaluate("document.activeElement.dataset.place") == first
    many.press("g", "d")
    assert many.page.get_by_role("tab", selected=True).inner_text().startswith("Definition")
    for key, name in (("r", "Uses"), ("c", "Calls"), ("t", "Tests"), ("i", "Implementors")):
        many.press("g", key)
        assert many.page.get_by_role("tab", selected=True).inner_text().startswith(name)
    many.settled().press("Escape")
    assert many.page.locator("#right").is_hidden()


def test_what_is_listed_can_be_copied(browser: Any, shared: Daemon, root: Path) -> None:
    with tab(browser, shared, root, permissions=["clipboard-read", "clipboard-write"]) as found:
        found.go("names/take_over", tab="uses")
        until(lambda: found.settled().page.locator(".uses-foot .standing").count() == 1)
        found.page.get_by_role("button", name="Copy list").click()
        found.page.get_by_text("Copied").wait_for()
        assert found.page.evaluate("navigator.clipboard.readText()").splitlines() == [
            "src/writer.py:1: from src.lease import Lease, take_over",
            'src/writer.py:5: über = "é"; mine = take_over(lease, "me")',
        ]
        found.page.get_by_role("button", name="Copy as Markdown").click()
        until(lambda: found.page.evaluate("navigator.clipboard.readText()").startswith("**src/writer.py**"))


@pytest.mark.requirement("PAGE.20")
def test_the_pane_follows_the_snapshot_and_says_what_changed(browser: Any, tmp_path: Path) -> None:
    repo = Repo.create(tmp_path / "repo")
    repo.write("a.py", "def wanted(x): ...\n")
    repo.write("b.py", "from a import wanted\n\nwanted(1)\n")
    repo.commit()
    assert cairn("index", str(repo.path)).returncode == 0
    with serving("--no-watch", "--http", "127.0.0.1:0") as daemon, tab(browser, daemon, repo.path) as found:
        found.page.evaluate("localStorage.setItem('cairn-about-tab', 'uses')")
        tell(found, path="b.py", line=3, column=1)
        until(lambda: uses(found.settled()) == ["b.py:1", "b.py:3"])
        fold = found.page.locator(".file-uses .fold").first
        fold.click()
        repo.write("a.py", "# One.\n# Two.\ndef wanted(x): ...\n")
        repo.write("b.py", "# Three.\nfrom a import wanted\n\nwanted(1)\nwanted(2)\n")
        assert cairn("index", str(repo.path)).returncode == 0
        until(lambda: uses(found.settled()) == ["b.py:2", "b.py:4", "b.py:5"])
        assert "the definition is in line 3, no more in 1" in found.text(".telling .news")
        assert "1 use more than before" in found.text(".telling .news")
        # What was folded stays so.
        assert found.page.locator(".file-uses .fold").first.get_attribute("aria-expanded") == "false"
        opened_tab(found, "Definition")
        assert found.text(".telling .definition .where") == "a.py:3"
        # Nothing has been indexed since, and yet no answer is about text that has moved.
        repo.write("b.py", "# Three.\n# Four.\nfrom a import wanted\n\nwanted(1)\n")
        tell(found, path="b.py", line=5, column=1)
        assert found.text(".about-name") == "wanted"
        found.require_quiet()


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1440])
def test_every_tab_is_accessible(browser: Any, many_daemon: Daemon, many_tree: Repo, theme: str, width: int) -> None:
    with tab(browser, many_daemon, many_tree.path, width=width, height=800, color_scheme=theme) as found:
        for name in ("definition", "uses", "calls", "implementors", "tests", "impact", "history"):
            found.go("names/src/base.py:1", tab=name)
            found.page.evaluate(AXE.read_text())
            rules = {"resultTypes": ["violations"]}
            report = found.page.evaluate("(rules) => axe.run(document.querySelector('.telling'), rules)", rules)
            said = [(each["id"], each["nodes"][0]["html"]) for each in report["violations"]]
            assert said == [], name
            wide = found.page.evaluate("document.querySelector('.telling').scrollWidth")
            assert wide <= width
