"""The call graph: fair to both sides, one node a thing, readable, opened in place, and a picture that stands alone."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from tests.surfaces.http.running import Daemon, serving, until
from tests.surfaces.page.browsing import Tab, tab
from tests.surfaces.page.test_access import violations
from tests.trees import Repo, cairn

pytestmark = pytest.mark.slow

MEASURED = """() => [...document.querySelectorAll('.node text')].map((each) => {
    const box = each.getBoundingClientRect();
    const size = parseFloat(getComputedStyle(each).fontSize) * each.getScreenCTM().a;
    const node = each.closest('.node').querySelector('rect').getBoundingClientRect();
    const [left, right] = [box.left >= node.left, box.right <= node.right];
    return { size, inside: left && right, box: [box.left, box.top, box.right, box.bottom] };
})"""
CALLEES = "".join(f"def leaf_{at}():\n    pass\n\n\n" for at in range(25))


def files() -> dict[str, str]:
    found = {"src/core.py": CALLEES + "def middle():\n" + "".join(f"    leaf_{at}()\n" for at in range(25))}
    for at in range(40):
        body = f"from src.core import middle\n\n\ndef caller_{at}_with_a_long_name_of_its_own():\n    middle()\n"
        found[f"src/callers/c{at}.py"] = (
            body + f"\n\ndef above_{at}():\n    caller_{at}_with_a_long_name_of_its_own()\n"
        )
    for at in range(3):
        found[f"tests/test_{at}.py"] = f"from src.core import middle\n\n\ndef test_{at}():\n    middle()\n"
    found["examples/e.py"] = "from src.core import middle\n\nmiddle()\n"
    found["c/say.h"] = "void say(const char *fmt, ...) PRINTF(1, 2);\n"
    found["c/say.c"] = '#include "say.h"\nvoid say(const char *fmt, ...)\n{\n  puts(fmt);\n}\n'
    found["c/use.c"] = '#include "say.h"\nvoid use(void)\n{\n  say("<b>");\n}\n'
    for side in ("a", "b"):
        found[f"twice/{side}.py"] = f"def twice():\n    pass\n\n\ndef of_{side}():\n    twice()\n"
    return found


@pytest.fixture(scope="module")
def shared_tree(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    repo = Repo.create(tmp_path_factory.mktemp("tree") / "repo")
    for name, text in files().items():
        repo.write(name, text)
    repo.commit()
    return repo


@pytest.fixture
def graph(browser: Any, shared: Daemon, shared_tree: Repo) -> Iterator[Tab]:
    with tab(browser, shared, shared_tree.path, 1440, 900) as found:
        yield found
        found.require_quiet()


def test_neither_side_uses_up_the_places_of_the_other_and_limits_are_controls(graph: Tab) -> None:
    graph.go("calls/middle", steps="2", side="30")
    labels = graph.all("a.node .label")
    assert sum(each.startswith("leaf_") for each in labels) == 25
    assert graph.page.locator(".warnings").count() == 1
    graph.page.get_by_label("A side").select_option("60")
    until(lambda: "side=60" in graph.hash())
    until(lambda: len(graph.settled().all("a.node .label")) > len(labels))
    graph.page.get_by_label("Of each").select_option("60")
    until(lambda: "fan=60" in graph.hash())
    until(lambda: graph.settled().page.locator("a.node[data-id]").count() >= 100)
    graph.page.get_by_label("Direction").select_option("callees")
    until(lambda: "way=callees" in graph.hash())
    until(lambda: graph.settled().page.locator("a.node").count() == 26)


@pytest.mark.requirement("PAGE.20")
@pytest.mark.parametrize(("width", "height"), [(1440, 900), (360, 740)])
def test_labels_are_readable_stay_in_their_nodes_and_overlap_nowhere(
    browser: Any, shared: Daemon, shared_tree: Repo, width: int, height: int
) -> None:
    with tab(browser, shared, shared_tree.path, width, height) as found:
        for values in ({}, {"steps": "3", "fan": "60", "side": "150", "tests": "-1,1"}):
            found.go("calls/middle", **values)
            measured = found.page.evaluate(MEASURED)
            assert len(measured) > 20
            assert min(each["size"] for each in measured) >= 11
            assert all(each["inside"] for each in measured)
            boxes = [each["box"] for each in measured]
            for at, (left, top, right, bottom) in enumerate(boxes):
                for other in boxes[at + 1 :]:
                    assert right <= other[0] or other[2] <= left or bottom <= other[1] + 3 or other[3] <= top + 3
        found.require_quiet()


def test_a_declaration_and_its_definition_are_one_node(graph: Tab) -> None:
    graph.go("calls/say")
    assert graph.all("a.node.root .under") == ["c/say.c:2"]
    assert graph.all("section[aria-label='Called by'] .symbol") == ["use"]
    assert "c/say.h:1" in graph.text(".preview")


def test_several_definitions_of_a_name_are_a_choice(graph: Tab) -> None:
    graph.go("calls/twice")
    choice = graph.page.get_by_role("navigation", name="Which definition")
    assert choice.get_by_role("link").all_inner_texts() == ["twice/a.py:1", "twice/b.py:1"]
    choice.get_by_role("link", name="twice/b.py").click()
    until(lambda: graph.settled().all("a.node .label") == ["twice", "of_b"])


def test_tests_and_examples_are_one_counted_node_until_it_is_opened(graph: Tab) -> None:
    graph.go("calls/middle", fan="60", side="60")
    fold = graph.page.get_by_role("button", name="3 tests, 1 example, folded")
    assert not [each for each in graph.all("a.node .label") if each.startswith("test_")]
    # The list beside it is complete.
    assert "test_0" in graph.all("section[aria-label='Called by'] .symbol")
    fold.press("Enter")
    until(lambda: {"test_0", "test_1", "test_2"} <= set(graph.all("a.node .label")))
    assert "tests=-1" in graph.hash()
    graph.page.reload()
    graph.page.wait_for_selector("a.node")
    assert "test_0" in graph.settled().all("a.node .label")
    graph.page.get_by_role("button", name="Fold tests and examples").click()
    until(lambda: "test_0" not in graph.all("a.node .label"))


def test_a_click_picks_with_code_a_step_is_added_in_place_and_a_double_click_goes_there(graph: Tab) -> None:
    graph.go("calls/middle", way="callers")
    asked = len(graph.addresses)
    before = graph.page.locator("a.node").count()
    node = graph.page.locator("a.node", has_text="callers/c10.py")
    node.focus()
    node.click()
    until(lambda: "caller_10_with_a_long_name_of_its_own()" in graph.text(".preview .code"))
    assert "    middle()" in graph.text(".preview .calling .code")
    assert "at=" in graph.hash()
    graph.page.get_by_role("button", name="Add a step", exact=True).click()
    until(lambda: "above_10" in graph.all("a.node .label"))
    assert graph.page.locator("a.node").count() == before + 1
    # The whole was not asked for again.
    assert len([each for each in graph.addresses[asked:] if "/v1/callgraph" in each]) == 1
    graph.page.reload()
    graph.page.wait_for_selector("a.node")
    assert "above_10" in graph.settled().all("a.node .label")
    graph.page.get_by_role("button", name="Take the step back").click()
    until(lambda: "above_10" not in graph.all("a.node .label"))
    graph.page.locator("a.node", has_text="callers/c10.py").focus()
    graph.page.locator("a.node", has_text="callers/c10.py").dblclick()
    until(lambda: "caller_10" in graph.settled().text("h1"))
    graph.page.go_back()
    until(lambda: graph.settled().text("h1") == "Calls around middle")
    graph.page.locator("a.node", has_text="callers/c11.py").press("Enter")
    until(lambda: "caller_11" in graph.settled().text("h1"))


def test_the_picture_stands_alone(graph: Tab, tmp_path: Path) -> None:
    graph.page.emulate_media(color_scheme="dark")
    graph.go("calls/use")
    with graph.page.expect_download() as saving:
        graph.page.get_by_role("button", name="Save as SVG").click()
    saved = tmp_path / "graph.svg"
    saving.value.save_as(saved)
    tree = ElementTree.parse(saved)
    texts = [each.text for each in tree.iter("{http://www.w3.org/2000/svg}text")]
    assert {"use", "say"} <= set(texts)
    text = saved.read_text()
    assert not re.search(r"var\(|class=|style|href|<script", text)
    assert "#ffffff" in text
    assert "font-size" in text


def test_a_graph_follows_the_tree_and_keeps_what_was_opened(browser: Any, tmp_path: Path) -> None:
    repo = Repo.create(tmp_path / "repo")
    repo.write("a.py", "def low():\n    pass\n\n\ndef mid():\n    low()\n\n\ndef high():\n    mid()\n")
    repo.commit()
    assert cairn("index", str(repo.path)).returncode == 0
    with serving("--no-watch", "--http", "127.0.0.1:0") as daemon, tab(browser, daemon, repo.path) as found:
        found.go("calls/low")
        found.page.get_by_role("button", name="Add a step around mid").press("Enter")
        until(lambda: "high" in found.all("a.node .label"))
        repo.write("b.py", "from a import low\n\n\ndef later():\n    low()\n")
        assert cairn("index", str(repo.path)).returncode == 0
        until(lambda: {"later", "high"} <= set(found.all("a.node .label")))
        found.require_quiet()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(("width", "height"), [(1440, 900), (360, 740)])
def test_the_graph_is_accessible(
    browser: Any, shared: Daemon, shared_tree: Repo, scheme: str, width: int, height: int
) -> None:
    with tab(browser, shared, shared_tree.path, width, height, color_scheme=scheme) as found:
        for address in ("calls/middle", "imports/src/core.py", "map"):
            found.go(address)
            assert found.page.evaluate("document.documentElement.scrollWidth") <= width
            assert violations(found) == []
