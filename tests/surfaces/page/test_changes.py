"""The view of a change: its lines, and beside them callers, tests to run, and what is gone and still used."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.surfaces.http.running import Daemon, serving, until
from tests.surfaces.page.browsing import Tab, tab
from tests.surfaces.page.test_access import violations
from tests.trees import Repo, cairn

pytestmark = pytest.mark.slow

BEFORE: dict[str, str | bytes] = {
    "src/core.py": "def kept(a):\n    return a\n\n\ndef gone():\n    return 1\n",
    "src/use.py": "from src.core import gone, kept\n\n\ndef user():\n    return kept(1)\n\n\ndef hurt():\n    gone()\n",
    "src/base.py": "class Base:\n    def run(self):\n        return 1\n\n\n"
    "class Own(Base):\n    def run(self):\n        return 2\n",
    "tests/test_core.py": "from src.core import kept\n\n\ndef test_kept():\n    assert kept(1) == 1\n",
    "src/old_name.py": "".join(f"value_{at} = {at}\n" for at in range(30)),
    "picture.bin": b"\0\1",
}


def changed(repo: Repo) -> None:
    for name, text in BEFORE.items():
        repo.write(name, text)
    repo.commit()
    repo.git("checkout", "-q", "-b", "feature")
    repo.git("mv", "src/old_name.py", "src/new_name.py")
    repo.commit("renamed")
    repo.write("src/core.py", "def kept(a):\n    return '<b>' + a\n")
    repo.write("src/base.py", str(BEFORE["src/base.py"]).replace("return 1", "return 11"))
    repo.write("src/fresh.py", "def fresh():\n    pass\n")
    repo.write("picture.bin", b"\0\2")


@pytest.fixture(scope="module")
def shared_tree(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    repo = Repo.create(tmp_path_factory.mktemp("tree") / "repo")
    changed(repo)
    return repo


@pytest.fixture
def review(browser: Any, shared: Daemon, shared_tree: Repo) -> Iterator[Tab]:
    with tab(browser, shared, shared_tree.path, 1440, 900) as found:
        yield found
        found.require_quiet()


def shown(found: Tab) -> Tab:
    """Once every file has its lines, and what they mean is there."""
    found.go("changes")
    until(lambda: found.page.locator(".difference").count() == 5)
    until(lambda: found.page.locator(".tests-to-run").count() == 1)
    until(lambda: found.page.locator(".difference .waiting, .difference .unread").count() == 0)
    return found


def test_the_lines_come_before_what_they_mean_and_that_is_asked_once(review: Tab) -> None:
    asked = len(review.addresses)
    shown(review)
    paths = [each.removeprefix(review.url).partition("?")[0] for each in review.addresses[asked:]]
    assert paths[: paths.index("/v1/impact")].count("/v1/diff") == 2
    assert (paths.count("/v1/impact"), paths.count("/v1/tests")) == (1, 0)


@pytest.mark.requirement("PAGE.20")
def test_a_branch_is_reviewed_with_what_it_means(review: Tab) -> None:
    shown(review)
    assert review.text("h1") == "Changes since main"
    states = {
        each.get_attribute("data-path"): each.locator(".difference-head .state").inner_text()
        for each in review.page.locator(".difference").all()
    }
    assert states == {
        "picture.bin": "changed",
        "src/base.py": "changed",
        "src/core.py": "changed",
        "src/fresh.py": "untracked",
        "src/new_name.py": "renamed",
    }
    core = review.page.locator(".difference[data-path='src/core.py']")
    assert (
        core.locator("td.added").all_inner_texts() == ["added: \n    return '<b>' + a"] or "'<b>'" in core.inner_text()
    )
    assert review.page.locator("td b").count() == 0
    kept = core.get_by_role("region", name="Impact of kept")
    assert kept.locator(".users .path").first.inner_text() == "src/use.py:4"
    assert "tests/test_core.py" in kept.inner_text()
    assert "implemented by" in review.text(".difference[data-path='src/base.py'] .consequences")
    assert "Binary" in review.text(".difference[data-path='picture.bin'] .difference-body")
    broken = review.text("section[aria-label='Removed, still used']")
    assert "gone" in broken
    assert "src/use.py" in broken
    assert "pytest tests/test_core.py::test_kept" in review.text(".command code")
    facts = review.text(".facts")
    # Of files that git doesn't track too: one line of core and of base each, and the two of the new one.
    assert review.page.locator(".facts dd").nth(1).inner_text() == "+4 −6"
    assert all(each in facts for each in ("5 files", "definitions changed", "uses broken", "test files to run"))


def test_the_tree_marks_what_changed_since_the_branch_began_and_shows_that_alone(review: Tab) -> None:
    review.go("file/src/core.py")
    mark = review.page.locator("#tree [title='src/core.py'] .mark")
    mark.wait_for()
    assert (mark.inner_text(), mark.get_attribute("title")) == ("M", "changed since the branch began")
    assert review.page.locator("#tree [title='src']").get_attribute("data-change") == "inside"
    assert review.page.locator("#tree [title='src/use.py'] .mark").count() == 0
    review.page.get_by_label("Only changed").check()
    marks = {
        each.get_attribute("title"): each.locator(".mark").inner_text()
        for each in review.page.locator("#tree .twig").all()
    }
    assert marks == {
        "picture.bin": "M",
        "src/base.py": "M",
        "src/core.py": "M",
        "src/fresh.py": "A",
        "src/new_name.py": "R",
    }


def test_lines_have_addresses_and_files_open_where_they_changed(review: Tab) -> None:
    shown(review)
    core = review.page.locator(".difference[data-path='src/core.py']")
    core.get_by_role("link", name="Line 2").click()
    until(lambda: "changes/src/core.py:2" in review.hash())
    until(lambda: review.page.locator("tr[aria-current] td.added").count() == 1)
    review.page.locator(".difference[data-path='src/core.py']").get_by_role("link", name="Open", exact=True).click()
    until(lambda: "file/src/core.py:2" in review.hash())


def test_the_diff_is_split_and_its_limits_are_controls_in_the_address(review: Tab) -> None:
    shown(review)
    review.page.locator("select[name=look]").select_option("split")
    until(lambda: "look=split" in review.hash())
    until(lambda: review.page.locator(".split-diff").count() >= 3)
    review.page.get_by_label("Lines around").select_option("0")
    until(lambda: "context=0" in review.hash())
    until(lambda: review.page.locator(".difference[data-path='src/base.py'] td.kept").count() == 0)
    review.go("changes", since="HEAD^", until="HEAD")
    until(lambda: review.page.locator(".difference").count() == 1)
    assert "Impact is told for the code as it is now" in review.text(".summary")
    review.go("changes", rows="1")
    review.page.locator(".difference", has_text="src/fresh.py").get_by_role("button", name="Show all").click()
    until(lambda: review.page.locator(".difference[data-path='src/fresh.py'] td.added").count() == 2)


def test_files_fold_are_marked_as_seen_and_forgotten_when_they_change(browser: Any, tmp_path: Path) -> None:
    repo = Repo.create(tmp_path / "repo")
    changed(repo)
    assert cairn("index", str(repo.path)).returncode == 0
    with serving("--no-watch", "--http", "127.0.0.1:0") as daemon, tab(browser, daemon, repo.path) as found:
        shown(found)
        core = found.page.locator(".difference[data-path='src/core.py']")
        core.get_by_label("Viewed").check()
        assert not core.locator(".difference-body").is_visible()
        found.page.reload()
        until(lambda: core.get_by_label("Viewed").is_checked())
        # It changes again, is told about by itself, and is to be looked at again.
        repo.write("src/core.py", "def kept(a):\n    return a + 2\n")
        assert cairn("index", str(repo.path)).returncode == 0
        until(lambda: "return a + 2" in core.inner_text())
        assert not core.get_by_label("Viewed").is_checked()
        core.get_by_role("button", name="Lines of src/core.py").click()
        assert not core.locator(".difference-body").is_visible()
        found.require_quiet()


@pytest.mark.parametrize("asked", ["diff", "impact"])
def test_what_changes_while_the_view_is_loading_is_shown(browser: Any, tmp_path: Path, asked: str) -> None:
    repo = Repo.create(tmp_path / "repo")
    changed(repo)
    assert cairn("index", str(repo.path)).returncode == 0
    with serving("--no-watch", "--http", "127.0.0.1:0") as daemon, tab(browser, daemon, repo.path) as found:
        held: list[tuple[Any, Any]] = []

        def hold(route: Any) -> None:
            if held:
                route.continue_()
            else:
                held.append((route, route.fetch()))

        found.page.route(f"**/v1/{asked}?*", hold)
        found.page.evaluate(f"location.hash = '#/changes?in={repo.path}'")
        until(lambda: found.page.wait_for_timeout(20) or held)
        repo.write("src/core.py", "def kept(a):\n    return a + 2\n")
        assert cairn("index", str(repo.path)).returncode == 0
        heard = "root => import('/page/shell/live.js').then(({ live }) => live.snapshotOf(root))"
        newest = daemon.get("/v1/status", root=repo.path).document["snapshot_id"]
        until(lambda: found.page.evaluate(heard, str(repo.path)) == newest)
        # What was answered before the change arrives after it.
        route, answer = held[0]
        route.fulfill(response=answer)
        until(lambda: "return a + 2" in found.page.locator(".difference[data-path='src/core.py']").inner_text())
        found.require_quiet()


def test_keys_walk_the_changes_and_the_whole_is_copied(browser: Any, shared: Daemon, shared_tree: Repo) -> None:
    with tab(browser, shared, shared_tree.path, permissions=["clipboard-read", "clipboard-write"]) as found:
        shown(found)
        where = "document.activeElement.closest('.difference')?.dataset.path"
        found.page.locator("h1").focus()
        walked = []
        for key in "nnnp":
            found.press(key)
            walked.append(found.page.evaluate(where))
        assert walked[0] != walked[2]
        assert walked[3] == walked[1]
        found.page.get_by_role("button", name="Copy as Markdown").click()
        until(lambda: found.page.locator("#said").inner_text() == "Copied")
        text = found.page.evaluate("navigator.clipboard.readText()")
        assert "- `src/core.py`: changed" in text
        assert "### Removed, still used" in text
        assert "`src/use.py:4` `user`" in text
        assert "pytest tests/test_core.py::test_kept" in text
        found.require_quiet()


def test_three_thousand_files_stay_usable(browser: Any, tmp_path: Path) -> None:
    repo = Repo.create(tmp_path / "repo")
    repo.write("a.py", "x = 1\n")
    repo.commit()
    for at in range(3_000):
        repo.write(f"many/f{at:04}.txt", f"{at}\n")
    assert cairn("index", str(repo.path)).returncode == 0
    with serving("--no-watch", "--http", "127.0.0.1:0") as daemon, tab(browser, daemon, repo.path) as found:
        found.go("changes", files="2000")
        until(lambda: found.page.locator(".difference td.added").count() > 0)
        assert found.page.locator(".difference").count() <= 200
        assert "Only 2,000 of 3,000 files are shown." in found.text(".cut")
        # Of what is not looked at no line was asked for.
        assert found.page.locator(".difference td.added").count() < 200
        found.require_quiet()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(("width", "height"), [(1440, 900), (360, 740)])
def test_the_change_is_accessible(
    browser: Any, shared: Daemon, shared_tree: Repo, scheme: str, width: int, height: int
) -> None:
    with tab(browser, shared, shared_tree.path, width, height, color_scheme=scheme) as found:
        found.go("changes")
        until(lambda: found.page.locator(".tests-to-run").count() == 1)
        until(lambda: found.page.locator("td.added").count() > 0)
        assert violations(found) == []
        assert found.page.evaluate("document.documentElement.scrollWidth") <= width


def test_a_link_that_git_does_not_track_is_named_and_a_mode_is_told(browser: Any, tmp_path: Path) -> None:
    repo = Repo.create(tmp_path / "repo")
    repo.write("run.sh", "echo 1\n")
    repo.write("a.py", "a = 1\n")
    repo.commit()
    (repo.path / "linked.py").symlink_to("a.py")
    (repo.path / "run.sh").chmod(0o755)
    assert cairn("index", str(repo.path)).returncode == 0
    with serving("--no-watch", "--http", "127.0.0.1:0") as daemon, tab(browser, daemon, repo.path) as found:
        found.go("changes")
        linked = found.page.locator(".difference[data-path='linked.py'] .difference-body")
        linked.get_by_text("link", exact=False).wait_for()
        assert "a = 1" not in linked.inner_text()
        mode = found.page.locator(".difference[data-path='run.sh'] .difference-body")
        mode.get_by_text("No line differs; it is executable now.").wait_for()
        assert found.page.locator(".facts dd").nth(1).inner_text() == "+0 −0"
        found.require_quiet()
