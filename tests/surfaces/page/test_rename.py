"""The view of edits: what is checked is written, and nothing else; renames, moves and signatures alike."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.surfaces.http.running import Daemon, until
from tests.surfaces.page.browsing import Tab, tab
from tests.surfaces.page.test_access import violations
from tests.trees import Repo, cairn

pytestmark = pytest.mark.slow

GO = "def go(x):\n    return x\n"
MANY = 60


@pytest.fixture
def edited(browser: Any, shared: Daemon, shared_tree: Repo) -> Iterator[tuple[Tab, Repo]]:
    shared_tree.write("go.py", GO)
    calls = "".join(f"    go({number}); go({number})\n" for number in range(MANY))
    shared_tree.write("users.py", f"from go import go\n\n\ndef use():\n{calls}")
    shared_tree.write("late.py", "def late(thing):\n    return thing.go()\n")
    with tab(browser, shared, shared_tree.path) as found:
        yield found, shared_tree
        found.require_quiet()
    for name in ("go.py", "users.py", "late.py"):
        (shared_tree.path / name).unlink()


def text_of(repo: Repo, name: str) -> str:
    return (repo.path / name).read_text(encoding="utf-8")


def write(opened: Tab, label: str = "Write what is checked") -> None:
    opened.page.get_by_role("button", name=label).click()
    opened.settled()


@pytest.mark.requirement("REN.20")
def test_what_is_checked_is_written_and_taken_back(edited: tuple[Tab, Repo]) -> None:
    opened, repo = edited
    opened.go("rename/go.py:1", column="5", to="fresh")
    until(lambda: opened.all(".rename legend"))
    proven, open_ = opened.page.locator(".rename fieldset").all()[:2]
    assert "Proven" in proven.inner_text()
    open_.locator(".group-head input").check()
    proven.locator("li input").nth(2).uncheck()
    write(opened)
    until(lambda: "written" in opened.text())
    assert text_of(repo, "go.py") == GO.replace("go", "fresh")
    assert "thing.fresh()" in text_of(repo, "late.py")
    assert text_of(repo, "users.py").count("go(") == 1
    write(opened, "Undo")
    until(lambda: opened.all(".rename legend"))
    assert text_of(repo, "go.py") == GO


@pytest.mark.requirement("REN.20")
def test_nothing_checked_writes_nothing_and_long_lists_are_told_by_file_and_line(edited: tuple[Tab, Repo]) -> None:
    opened, repo = edited
    opened.go("rename/go.py:1", column="5", to="fresh")
    until(lambda: opened.all(".rename legend"))
    button = opened.page.get_by_role("button", name="Write what is checked")
    proven = opened.page.locator(".rename fieldset").first
    assert proven.locator("li").count() > 100
    proven.locator(".group-head input").uncheck()
    assert button.is_disabled()
    assert "Nothing is checked" in opened.text(".deed")
    # Half of more than a hundred places, each told from the one beside it.
    rows = proven.locator("li")
    opened.page.evaluate(
        """() => {
            const boxes = [...document.querySelectorAll(".rename fieldset:first-of-type li input")];
            const lines = boxes.filter((box) => /^users.py:(?!1:)/.test(box.value));
            for (const box of lines.slice(0, 40)) box.click();
        }"""
    )
    assert rows.locator("input:checked").count() == 40
    assert button.is_enabled()
    write(opened)
    until(lambda: "written" in opened.text())
    assert (text_of(repo, "users.py").count("fresh("), text_of(repo, "go.py")) == (40, GO)
    write(opened, "Undo")
    until(lambda: opened.all(".rename legend"))
    assert "fresh" not in text_of(repo, "users.py")


@pytest.mark.requirement("REN.21")
def test_a_definition_is_moved_and_gets_a_parameter(edited: tuple[Tab, Repo]) -> None:
    opened, repo = edited
    opened.go("rename/go.py:1", column="5")
    opened.page.locator("select[name=do]").select_option("Move to another file")
    opened.page.locator("input[name=to]").fill("gone.py")
    opened.page.locator("input[name=to]").press("Enter")
    until(lambda: opened.settled().all(".rename legend"))
    assert "do=move" in opened.hash()
    write(opened)
    until(lambda: "written" in opened.text())
    assert (repo.path / "gone.py").read_text(encoding="utf-8") == GO
    write(opened, "Undo")
    until(lambda: opened.all(".rename legend"))
    assert not (repo.path / "gone.py").exists()
    opened.go("rename/go.py:1", column="5", do="add", to="most: int = 3")
    until(lambda: opened.all(".rename legend"))
    write(opened)
    until(lambda: "written" in opened.text())
    assert text_of(repo, "go.py").startswith("def go(x, most: int = 3):")


@pytest.mark.requirement("PAGE.20")
def test_a_plan_says_when_its_files_have_changed_and_plans_again(edited: tuple[Tab, Repo], shared: Daemon) -> None:
    opened, repo = edited
    opened.go("rename/go.py:1", column="5", to="fresh")
    until(lambda: opened.all(".rename legend"))
    proven = opened.page.locator(".rename fieldset").first
    assert proven.locator(".of-file h3").count() == 2
    proven.locator(".of-file", has_text="users.py").locator("h3 input").uncheck()
    repo.write("go.py", f"# new\n{GO}")
    home = str(shared.home)
    assert cairn("index", str(repo.path), CAIRN_HOME=home, HOME=str(shared.home.parent)).returncode == 0
    opened.page.get_by_text("Files have changed since this was planned.").wait_for()
    repo.write("go.py", GO)
    assert cairn("index", str(repo.path), CAIRN_HOME=home, HOME=str(shared.home.parent)).returncode == 0
    opened.page.get_by_role("button", name="Plan again").click()
    until(lambda: opened.settled().all(".rename legend"))
    # What was unchecked stays so.
    assert not proven.locator(".of-file", has_text="users.py").locator("h3 input").is_checked()
    write(opened)
    until(lambda: "written" in opened.text())
    assert "fresh" in text_of(repo, "go.py")
    assert "def use" in text_of(repo, "users.py")
    write(opened, "Undo")
    until(lambda: opened.all(".rename legend"))


def test_places_are_walked_and_checked_by_keys(edited: tuple[Tab, Repo]) -> None:
    opened, _ = edited
    opened.go("rename/go.py:1", column="5", to="fresh")
    until(lambda: opened.all(".rename legend"))
    assert opened.page.locator(".places del").first.inner_text() == "go"
    assert opened.page.locator(".places ins").first.inner_text() == "fresh"
    opened.press("j", "x")
    first = opened.page.locator(".rename .places li input")
    assert not first.first.is_checked()
    opened.press("x", "j", "X")
    assert first.first.is_checked()
    assert not first.nth(1).is_checked()
    opened.page.get_by_role("button", name="what is proven").click()
    assert first.nth(1).is_checked()
    opened.press("w")
    assert opened.focused() == "Write what is checked"


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1440])
def test_a_plan_can_be_read_by_everybody(
    browser: Any, shared: Daemon, edited: tuple[Tab, Repo], scheme: str, width: int
) -> None:
    _, repo = edited
    with tab(browser, shared, repo.path, width, 800, color_scheme=scheme) as found:
        found.go("rename/go.py:1", column="5", to="fresh")
        until(lambda: found.all(".rename legend"))
        assert violations(found) == []
        assert found.page.locator("main").evaluate("(main) => main.scrollWidth <= main.clientWidth")


def test_an_address_without_a_line_says_how_one_comes_to_a_rename(opened: Tab) -> None:
    opened.go("rename/src/lease.py")
    assert "names no line" in opened.text(".trouble")
    assert "null" not in opened.text()
