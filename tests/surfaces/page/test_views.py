"""Every view of the page, driven in a browser over a real index."""

import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.surfaces.http.running import Daemon, serving, until
from tests.surfaces.page.browsing import Tab, tab
from tests.trees import Repo, cairn

pytestmark = pytest.mark.slow


def test_results_come_as_one_types_and_name_their_snapshot(opened: Tab, shared: Daemon, root: Path) -> None:
    opened.page.locator("#query").press_sequentially("stale lease", delay=5)
    until(lambda: "q=stale+lease" in opened.hash())  # not the results of half a word
    opened.page.wait_for_selector(".hit")
    opened.settled()
    assert opened.all(".hit .path")[0].startswith("src/lease.py")
    assert "lease" in {each.lower() for each in opened.all(".hit mark")}
    active = shared.get("/v1/status", root=root).document["snapshot_id"]
    assert opened.text("#results .standing .snapshot") == active
    assert "unchanged" in opened.text("#results .standing")
    assert "q=stale+lease" in opened.hash()
    assert re.fullmatch(r"\d+ results?", opened.page.locator("#said").inner_text())


def test_words_are_marked_where_a_word_or_a_part_of_a_name_begins(opened: Tab) -> None:
    opened.go("search", q="take over lease", path="src/*")
    marked = opened.page.locator(".hit .row", has_text="lease.release()")
    assert marked.first.locator("mark").all_inner_texts() == ["lease"]
    opened.go("search", q="stale", path="src/*")
    assert "stale" in opened.page.locator(".hit .row", has_text="is_stale").first.locator("mark").all_inner_texts()
    pattern = opened.page.evaluate(
        """async () => {
            const { wordsPattern } = await import("/page/code/lines.js");
            return "released Release newLease LEASES re-lease a.b".match(wordsPattern("leases [a.b]"));
        }"""
    )
    assert pattern == ["Lease", "LEASE", "lease"]


def test_the_answer_of_a_former_query_never_comes_after_the_one_of_the_last(opened: Tab) -> None:
    held: list[Any] = []
    opened.page.route("**/v1/search-page?q=clock*", lambda route: held.append(route))
    field = opened.page.locator("#query")
    field.fill("clock")
    until(lambda: opened.page.wait_for_timeout(20) or held)
    field.fill("take_over")
    opened.page.wait_for_selector(".hit")
    opened.settled()
    before = opened.all(".hit .path")
    assert before[0].startswith("src/lease.py")
    # The former request was given up by the page itself, so there is nothing left to answer.
    assert held[0].request.failure is not None
    opened.page.unroute("**/v1/search-page?q=clock*")
    assert opened.all(".hit .path") == before


def test_filters_narrow_and_stay_in_the_address(opened: Tab) -> None:
    opened.go("search", q="lease")
    assert {each.split("/")[0] for each in opened.all(".hit .path")} >= {"src", "docs"}
    opened.page.get_by_label("Path").fill("docs/*")
    opened.page.get_by_label("Path").press("Tab")
    until(lambda: {each.split("/")[0] for each in opened.settled().all(".hit .path")} == {"docs"})
    assert "path=docs/*" in opened.hash()
    opened.page.get_by_label("Path").fill("")
    opened.page.get_by_role("radio", name="Exact text").check()
    opened.page.locator("#query").fill("lease.is_stale(")
    until(lambda: opened.settled().all(".group .path") == ["src/lease.py"])
    assert opened.all(".hit.line .number") == ["23"]
    assert "".join(opened.all(".hit mark")) == "lease.is_stale("


def test_the_signals_of_a_result_are_explained(opened: Tab, shared: Daemon, root: Path) -> None:
    opened.go("search", q="stale lease")
    assert opened.all(".explain") == []
    opened.page.get_by_label("Explain").check()
    opened.page.wait_for_selector(".explain")
    first = shared.get("/v1/search", root=root, q="stale lease", explain="true").document["results"][0]
    shown = opened.settled().page.locator(".hit").first.locator(".explain dt").all_inner_texts()
    assert set(shown) == {name.replace("_", " ") for name in first["explain"]}


def test_an_error_is_one_sentence_with_what_mends_it(opened: Tab) -> None:
    opened.go("search", q="lease", lang="klingon")
    assert "There is no language klingon." in opened.text(".trouble .what")
    assert "like python" in opened.text(".trouble .hint")
    opened.go("file/no/such.py")
    assert opened.page.get_by_role("alert").count() == 1


def test_a_file_is_shown_with_its_outline_and_a_line_can_be_linked_to(opened: Tab, root: Path) -> None:
    opened.go("file/src/lease.py:14")
    shown = opened.page.locator(".text-of .row .text").all_inner_texts()
    assert [each.rstrip() for each in shown] == (root / "src/lease.py").read_text().splitlines()
    assert opened.page.locator(".row[aria-current]").get_attribute("data-line") == "14"
    assert "is_stale" in opened.text("#outline a[aria-current]")
    opened.page.get_by_role("region", name="Outline").get_by_role("link", name="take_over").click()
    assert "src/lease.py:21" in opened.settled().hash()
    opened.page.locator(".row[data-line='22'] .number").click()
    assert "src/lease.py:22" in opened.hash()
    number = opened.page.locator(".row[data-line='22'] a.number").get_attribute("href")
    assert number.endswith(f"lease.py:22?in={str(root).replace('/', '%2F')}")
    opened.page.reload()
    opened.page.wait_for_selector(".row[data-line='22'][aria-current]")


def test_a_click_on_a_name_shows_what_it_means_and_who_uses_it(opened: Tab) -> None:
    opened.go("file/src/writer.py")
    # What stands before the name takes more bytes than characters, which is how columns are counted.
    opened.page.locator(".row[data-line='5'] [data-at]", has_text=re.compile("^take_over$")).click()
    panel = opened.page.get_by_role("complementary", name="About the name")
    panel.locator(".definition .path").wait_for()
    assert panel.locator(".definition .path").inner_text() == "src/lease.py:21"
    assert "snapshot" in panel.locator(".standing").inner_text()
    panel.get_by_role("tab", name="Uses").click()
    until(lambda: panel.locator(".uses .role").all_inner_texts() == ["import", "call"])
    # What is proven needs no word.
    assert panel.locator(".uses .tier").count() == 0
    panel.get_by_role("tab", name="Definition").click()
    panel.locator(".definition a.symbol").click()
    opened.page.wait_for_selector(".row[data-line='21'][aria-current]")
    assert "src/lease.py:21" in opened.hash()


def test_the_call_graph_is_drawn_and_walked(opened: Tab) -> None:
    opened.go("calls/take_over")
    nodes = opened.page.locator("a.node")
    names = set(nodes.locator(".label").all_text_contents())
    assert {"take_over", "write", "Lease.is_stale", "Lease.release"} <= names
    assert opened.page.locator("path.edge[marker-end]").count() >= 3
    assert "write" in opened.text("section[aria-label='Called by']")
    assert "Lease.release" in opened.text("section[aria-label=Calls]")
    before = opened.page.locator(".canvas").get_attribute("viewBox")
    opened.page.get_by_role("button", name="Zoom in").click()
    zoomed = opened.page.locator(".canvas").get_attribute("viewBox")
    assert float(zoomed.split()[2]) < float(before.split()[2])
    box = opened.page.locator(".canvas").bounding_box()
    opened.page.mouse.move(box["x"] + 20, box["y"] + 20)
    opened.page.mouse.down()
    opened.page.mouse.move(box["x"] + 90, box["y"] + 60, steps=4)
    opened.page.mouse.up()
    assert opened.page.locator(".canvas").get_attribute("viewBox").split()[:2] != zoomed.split()[:2]
    opened.page.get_by_role("button", name="See all").click()
    opened.page.get_by_role("link", name=re.compile("^write,")).dblclick()
    until(lambda: opened.settled().text("h1") == "Calls around write")
    assert "write_twice" in opened.text("section[aria-label='Called by']")
    opened.page.get_by_label("Steps").select_option("2")
    until(lambda: "steps=2" in opened.hash())
    until(lambda: "Lease.release" in opened.settled().all("a.node .label"))


def test_the_imports_are_drawn_and_walked(opened: Tab) -> None:
    opened.go("imports/src/lease.py")
    assert set(opened.all("a.node .label")) >= {"writer.py", "lease.py", "clock.py"}
    assert opened.all("section[aria-label='Imported by'] .path") == ["src/writer.py"]
    opened.page.get_by_role("group").get_by_role("link", name="src/clock.py").click()
    until(lambda: opened.settled().text("h1") == "Imports around src/clock.py")
    assert opened.all("section[aria-label='From outside'] .outside") == ["time"]


def test_the_map_shows_what_the_codebase_is_made_of(opened: Tab, shared: Daemon, root: Path) -> None:
    opened.go("map")
    told = shared.get("/v1/map", root=root, budget=6000).document
    assert opened.all(".hub .path") == [each["path"] for each in told["hubs"]]
    assert opened.all(".folder-row .name") == [f"{each['path']}/" for each in told["folders"]]
    assert "python" in opened.text(".languages")
    opened.page.get_by_role("link", name="take_over").first.click()
    until(lambda: opened.settled().text("h1") == "take_over")
    assert opened.text(".telling .definition .where") == "src/lease.py:21"


def test_the_dashboard_follows_what_happens_without_a_reload(browser: Any, tmp_path: Path) -> None:
    repo = Repo.create(tmp_path / "repo")
    repo.write("src/a.py", "def first() -> int:\n    return 1\n")
    repo.commit()
    assert cairn("index", str(repo.path)).returncode == 0
    with serving("--no-watch", "--http", "127.0.0.1:0") as daemon, tab(browser, daemon, repo.path) as found:
        found.go("home")
        found.page.get_by_text("live", exact=True).wait_for()
        assert found.all(".card .state") == ["indexed"]
        before = found.text(".tile.snapshots code")
        repo.write("src/b.py", "def second() -> int:\n    return 2\n")
        assert cairn("index", str(repo.path), "--json").returncode == 0
        until(lambda: found.settled().text(".tile.snapshots tbody code") != before)
        kept = daemon.get("/v1/snapshots", root=repo.path).document
        assert found.text(".tile.snapshots .active code") == kept["active"]
        assert found.page.locator(".chart circle").count() == kept["total"] == 2
        assert found.page.locator(".tile.segments .bars li").count() == len(kept["snapshots"][0]["segments"])
        found.page.get_by_role("button", name="Check everything").click()
        found.page.locator(".verdict.good").wait_for()
        assert "tokens saved" in found.text(".tile.reads")
        assert "None have run" in found.text(".tile.jobs")
        other = Repo.create(tmp_path / "other")
        other.write("b.py", "def elsewhere(): ...\n")
        assert cairn("index", str(other.path)).returncode == 0
        until(lambda: found.page.locator(".card").count() == 2)
        assert "All codebases" in found.all("#codebase option")
        found.page.locator("#codebase").select_option("All codebases")
        found.page.locator("#query").fill("elsewhere")
        until(lambda: "other" in found.settled().all(".hit .of"))
        found.require_quiet()


def test_a_query_goes_with_its_codebase(browser: Any, tmp_path: Path) -> None:
    repo, other = (Repo.create(tmp_path / name) for name in ("repo", "other"))
    for each in (repo, other):
        each.write("a.py", f"def {each.path.name}_only(): ...\n")
        assert cairn("index", str(each.path)).returncode == 0
    with serving("--no-watch", "--http", "127.0.0.1:0") as daemon, tab(browser, daemon, repo.path) as found:

        def chosen(name: str) -> str:
            found.page.locator("#codebase").select_option(name)
            return str(found.settled().page.locator("#query").input_value())

        found.go("search", q="repo_only")
        # The search itself is asked again of another one.
        assert chosen("other") == "repo_only"
        assert "other" in found.hash()
        found.go("file/a.py", q="")
        assert found.page.locator("#query").input_value() == ""
        found.go("search", q="repo_only")
        found.go("file/a.py")
        assert found.page.locator("#query").input_value() == "repo_only"
        assert chosen("other") == ""
        found.page.go_back()
        found.page.go_back()
        until(lambda: found.settled().page.locator("#query").input_value() == "repo_only")
        # What was asked of all of them was asked of each.
        assert chosen("All codebases") == "repo_only"
        found.page.locator(".hit .path").first.click()
        assert "file/a.py" in found.settled().hash()
        assert found.page.locator("#query").input_value() == "repo_only"
        found.require_quiet()


def has_gone_on(process: "subprocess.Popen[bytes]") -> bool:
    """Whether it has ended; told again and again, since it may have yet to come to where it stops."""
    process.send_signal(signal.SIGCONT)
    return process.poll() is not None


def test_how_far_a_run_is_is_seen_while_it_goes_on(browser: Any, tmp_path: Path) -> None:
    repo = Repo.create(tmp_path / "repo")
    repo.write("src/a.py", "def first() -> int:\n    return 1\n")
    with serving("--no-watch", "--http", "127.0.0.1:0") as daemon, tab(browser, daemon, repo.path) as found:
        found.go("home")
        found.page.get_by_text("live", exact=True).wait_for()
        process = subprocess.Popen(
            (sys.executable, "-m", "cairn", "index", str(repo.path)),
            env=os.environ | {"CAIRN_STOP_AT": "segment.synced"},
            stdout=subprocess.DEVNULL,
        )
        try:
            found.page.locator(".card .state", has_text="being indexed").wait_for()
            # Of what is not there yet nothing is asked.
            assert found.page.locator(".trouble").count() == 0
            bar = found.page.get_by_role("progressbar", name="Progress of repo")
            assert bar.count() == 1
            until(lambda: "%" in found.text(".card .progress"))
        finally:
            until(lambda: has_gone_on(process))
        assert process.returncode == 0
        found.page.get_by_text("indexed", exact=True).wait_for()
        found.page.locator(".tile.snapshots .active").wait_for()
        assert found.page.get_by_role("progressbar").count() == 0
        found.require_quiet()


def test_the_buttons_of_a_drawing_cover_none_of_it(opened: Tab) -> None:
    for address in ("calls/take_over", "imports/src/lease.py"):
        opened.go(address)
        tools = opened.page.locator(".drawing .tools").bounding_box()
        nodes = [each.bounding_box() for each in opened.page.locator(".drawing .node").all()]
        assert len(nodes) > 2
        for node in nodes:
            beside = node["x"] + node["width"] <= tools["x"]
            assert beside or node["y"] >= tools["y"] + tools["height"]


def test_jobs_are_asked_for_again_while_one_is_under_way(opened: Tab) -> None:
    asked: list[str] = []

    def answer(route: Any) -> None:
        asked.append(route.request.url)
        if len(asked) > 2:
            route.continue_()
            return
        job = {"id": "1", "context": "python:.", "status": "running", "phase": f"step {len(asked)}", "failure": None}
        route.fulfill(json={"schema_version": 1, "root": opened.root, "jobs": [job], "warnings": []})

    opened.page.route("**/v1/jobs?*", answer)
    opened.go("home")
    opened.page.get_by_text("step 1").wait_for()
    opened.page.get_by_text("step 2").wait_for()
    opened.page.get_by_text("None have run").wait_for()
    assert len(asked) == 3


def test_a_tree_that_has_moved_is_told_beside_the_answer(browser: Any, tmp_path: Path) -> None:
    repo = Repo.create(tmp_path / "repo")
    repo.write("a.py", "def first(): ...\n")
    repo.commit()
    assert cairn("index", str(repo.path)).returncode == 0
    with serving("--no-watch", "--http", "127.0.0.1:0") as daemon, tab(browser, daemon, repo.path) as found:
        repo.write("a.py", "def first():\n    return '<b>'\n")
        found.go("search", q="first")
        assert found.all(".hit .changed") == ["changed since"]
        assert "the tree has moved since" in found.text("#results .standing")
        assert "1 cited file changed since the snapshot" in found.text(".warnings")
        found.go("file/a.py")
        # Whoever looks at a file has its names in the snapshot too.
        until(lambda: found.settled().page.locator(".file-facts .changed").count() == 0)
        assert found.text(".row[data-line='2'] .text") == "    return '<b>'"
        found.require_quiet()


def test_a_daemon_that_is_gone_is_told_and_found_again(browser: Any, tmp_path: Path) -> None:
    repo = Repo.create(tmp_path / "repo")
    repo.write("a.py", "def first(): ...\n")
    assert cairn("index", str(repo.path)).returncode == 0
    with serving("--no-watch", "--http", "127.0.0.1:0") as daemon, tab(browser, daemon, repo.path) as found:
        found.page.get_by_role("link", name="Dashboard").click()
        found.page.get_by_text("live", exact=True).wait_for()
        assert cairn("stop").returncode == 0
        found.page.get_by_text("not connected").wait_for()
        found.page.locator("#query").fill("first")
        found.page.get_by_text("The daemon can't be reached.").wait_for()
        assert "cairn serve --http" in found.text(".trouble .hint")
        port = daemon.told["url"].rpartition(":")[2]
        # It asks again by itself once the daemon is heard.
        with serving("--no-watch", "--http", f"127.0.0.1:{port}"):
            found.page.wait_for_selector(".hit")


@pytest.mark.parametrize("address", ["/", "/#/search?q=x", "/#token="])
def test_without_its_token_the_page_says_how_to_get_it(browser: Any, shared: Daemon, address: str) -> None:
    context = browser.new_context()
    try:
        page = context.new_page()
        page.goto(f"{shared.told['url']}{address}")
        page.get_by_text("cairn serve --http").wait_for()
    finally:
        context.close()
