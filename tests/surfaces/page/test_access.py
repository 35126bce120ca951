"""Everybody can use it: with a screen reader, in light and dark, on a phone and on a wide screen."""

from pathlib import Path
from typing import Any

import pytest

from tests.surfaces.http.running import Daemon, until
from tests.surfaces.page.browsing import AXE, HINT, Tab, tab
from tests.trees import Repo

pytestmark = pytest.mark.slow

VIEWS = {
    "search": ("search", {"q": "stale lease", "explain": "1"}),
    "welcome": ("search", {}),
    "file": ("file/src/lease.py:21", {}),
    "names": ("names/take_over", {}),
    "calls": ("calls/take_over", {}),
    "imports": ("imports/src/lease.py", {}),
    "map": ("map", {}),
    "changes": ("changes", {}),
    "commits": ("commits", {"q": "lease"}),
    "rename": ("rename/src/lease.py:21", {"column": "5", "to": "take_on"}),
    "home": ("home", {}),
    "error": ("search", {"q": "x", "lang": "klingon"}),
}
SERIOUS = ("serious", "critical")
LANDMARKS = ("region", "landmark-one-main", "landmark-unique", "landmark-no-duplicate-main")
"""Rules that axe-core holds to be moderate: who walks a page by its landmarks misses what stands in none."""
_RUN = "async () => (await axe.run(document, {resultTypes: ['violations']})).violations"


def violations(found: Tab) -> list[str]:
    """What axe-core holds to be serious, or to be outside of all landmarks, with the elements it means."""
    found.page.evaluate(AXE.read_text(encoding="utf-8"))
    return [
        f"{each['id']}: {[node['html'][:200] for node in each['nodes'][:3]]}"
        for each in found.page.evaluate(_RUN)
        if each["impact"] in SERIOUS or each["id"] in LANDMARKS
    ]


@pytest.mark.skipif(not AXE.exists(), reason=f"axe-core is not there: {HINT}")
@pytest.mark.parametrize(("width", "scheme"), [(1440, "light"), (1440, "dark"), (360, "light"), (360, "dark")])
def test_axe_finds_nothing_serious(browser: Any, shared: Daemon, root: Path, width: int, scheme: str) -> None:
    with tab(browser, shared, root, width, color_scheme=scheme) as found:
        wrong = {}
        for name, (address, values) in VIEWS.items():
            found.go(address, **values)
            if name == "file":
                found.page.locator(".row[data-line='21'] .t-d").click()
                found.page.locator("#right .telling .standing").wait_for()
            wrong[name] = violations(found)
        found.press("Escape").page.get_by_role("button", name="Keys").click()
        wrong["keys"] = violations(found)
    assert [f"{name}: {each}" for name, all_of_it in wrong.items() for each in all_of_it] == []


@pytest.mark.parametrize("width", [320, 360, 768, 1440, 2560])
def test_no_view_is_wider_than_the_window(browser: Any, shared: Daemon, root: Path, width: int) -> None:
    with tab(browser, shared, root, width) as found:
        for address, values in VIEWS.values():
            found.go(address, **values)
            assert found.page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0, address


def test_every_view_has_its_landmarks_one_heading_and_a_title(opened: Tab) -> None:
    for name, (address, values) in VIEWS.items():
        opened.go(address, **values)
        for role in ("banner", "main", "search"):
            assert opened.page.get_by_role(role).count() == 1, (name, role)
        assert opened.page.locator("h1").count() == 1, name
        assert opened.page.title().endswith("Cairn")
        unnamed = opened.page.locator("button, input, select").evaluate_all(
            "all => all.filter(e => !(e.labels?.length || e.ariaLabel || e.textContent.trim())).map(e => e.outerHTML)"
        )
        assert unnamed == [], name


def test_news_are_spoken_and_the_focus_follows(opened: Tab) -> None:
    said = opened.page.locator("#said")
    assert said.get_attribute("aria-live") == "polite"
    opened.go("names/take_over")
    assert said.inner_text() == "1 definition"
    assert opened.focused() == "take_over"
    opened.page.get_by_role("link", name="Graph", exact=True).click()
    until(lambda: opened.settled().focused() == "Calls around take_over")
    opened.press("Shift+Tab")
    opened.page.get_by_role("link", name="Skip to the answer").focus()
    opened.press("Enter")
    assert opened.page.evaluate("document.activeElement.id") == "main"


def test_a_drawing_is_also_a_list(opened: Tab, shared_tree: Repo) -> None:
    opened.go("calls/take_over")
    drawn = set(opened.all("a.node .label"))
    assert drawn <= set(opened.all(".beside .symbol"))
    for each in opened.page.locator("a.node").all():
        assert each.locator("title").text_content() in each.aria_snapshot()
