"""A search by pages: to its end without a gap or a repeat, counted by what it holds, narrowed by what was counted."""

from collections import Counter
from typing import Any

import pytest

from tests.surfaces.http.running import Daemon, serving
from tests.trees import Repo, cairn

FILES, LINES = 30, 4


@pytest.fixture(scope="module")
def shared_tree(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    repo = Repo.create(tmp_path_factory.mktemp("tree") / "repo")
    for number in range(FILES):
        folder = ("src/one", "src/two", "tests")[number % 3]
        name = f"test_m{number:02}.py" if folder == "tests" else f"m{number:02}.py"
        body = "    release(lease)\n" * (LINES - 1)
        repo.write(f"{folder}/{name}", f"def lease_{number}(lease):\n{body}    return lease\n")
    repo.write("docs/lease.md", "# The lease\n\nWho holds the lease may release(lease).\n")
    repo.commit()
    return repo


def pages(daemon: Daemon, tree: Repo, **values: Any) -> list[Any]:
    """Every page from the first to the last."""
    found = [daemon.get("/v1/search-page", root=tree.path, **values).document]
    while found[-1]["continuation"]:
        asked = values | {"continuation": found[-1]["continuation"]}
        found.append(daemon.get("/v1/search-page", root=tree.path, **asked).document)
        assert len(found) < 200
    return found


def places(found: list[Any]) -> list[tuple[str, int]]:
    return [(each["path"], each["start_line"]) for page in found for each in page["results"]]


@pytest.mark.requirement("PAGE.20")
@pytest.mark.parametrize("limit", [1, 7, 50])
def test_lines_are_paged_to_the_last_one(shared: Daemon, shared_tree: Repo, limit: int) -> None:
    whole = shared.get("/v1/search", root=shared_tree.path, q="release(lease)", literal="true", limit=10_000).document
    if limit == 1:
        values: dict[str, Any] = {"glob": ["src/one/m0*"]}
        whole["results"] = [each for each in whole["results"] if each["path"].startswith("src/one/m0")]
    else:
        values = {}
    found = pages(shared, shared_tree, q="release(lease)", literal="true", limit=limit, counted="true", **values)
    assert places(found) == places([whole])
    counted = found[0]["counted"]
    assert counted["entries"] == len(whole["results"])
    assert counted["files"] == len({each["path"] for each in whole["results"]})
    assert all(page["limits_hit"] == [] and page["warnings"] == [] for page in found)
    assert len({page["snapshot_id"] for page in found}) == 1


@pytest.mark.requirement("PAGE.20")
def test_places_are_paged_to_the_last_one(shared: Daemon, shared_tree: Repo) -> None:
    once = pages(shared, shared_tree, q="release lease", limit=200, counted="true")
    found = pages(shared, shared_tree, q="release lease", limit=7)
    assert places(found) == places(once)
    assert len(places(found)) == once[0]["counted"]["entries"] > 20
    narrowed = places(pages(shared, shared_tree, q="release lease", limit=7, role="docs"))
    assert {path for path, _ in narrowed} == {"docs/lease.md"}
    several = [shared.get("/v1/search-page", all="true", q="release lease", limit=9).document]
    several.append(
        shared.get(
            "/v1/search-page", all="true", q="release lease", limit=200, continuation=several[0]["continuation"]
        ).document
    )
    assert sorted(places(several)) == sorted(places(once))


@pytest.mark.slow
@pytest.mark.parametrize("lines", [True, False])
def test_a_count_is_what_one_sees_with_that_value_chosen(shared: Daemon, shared_tree: Repo, lines: bool) -> None:
    asked: dict[str, Any] = {"q": "release(lease)", "literal": "true"} if lines else {"q": "release lease"}
    names = {"language": "language", "folder": "folder", "role": "role", "kind": "defines"}
    first = pages(shared, shared_tree, **asked, limit=200, counted="true")[0]["counted"]
    assert {each["value"] for each in first["facets"]["role"]} == {"code", "tests", "docs"}
    assert {each["value"] for each in first["facets"]["folder"]} >= {"src", "tests"}
    for facet, values in first["facets"].items():
        for each in values:
            part = pages(shared, shared_tree, **asked, limit=200, counted="true", **{names[facet]: each["value"]})
            assert len(places(part)) == each["lines"] == part[0]["counted"]["entries"]
            assert len({path for path, _ in places(part)}) == each["files"]
            # What else could be chosen of the same facet is counted on.
            if facet in ("language", "role", "kind"):
                assert part[0]["counted"]["facets"][facet] == values
    without = pages(shared, shared_tree, **asked, limit=200, not_role="tests")
    assert {path.split("/")[0] for path, _ in places(without)} == {"src", "docs"}
    deeper = pages(shared, shared_tree, **asked, limit=200, counted="true", folder="src")[0]["counted"]
    assert Counter({each["value"]: each["files"] for each in deeper["facets"]["folder"]}).keys() == {
        "src/one",
        "src/two",
    }


def test_what_makes_no_sense_is_refused(shared: Daemon, shared_tree: Repo) -> None:
    def said(**values: Any) -> str:
        found = shared.get("/v1/search-page", root=shared_tree.path, **values)
        assert found.status == 400, found.document
        return str(found.document["error"]["message"])

    assert "continuation" in said(q="lease", continuation="nonsense")
    token = shared.get("/v1/search-page", root=shared_tree.path, q="lease", limit=2).document["continuation"]
    assert "another question" in said(q="release", continuation=token)
    assert "no role" in said(q="lease", role="nonsense")
    assert "exclude each other" in said(q="lease", literal="1", regex="1")
    assert "There is no parameter" in said(q="lease", budget=3)


@pytest.mark.slow
@pytest.mark.requirement("PAGE.20")
def test_later_pages_are_of_the_snapshot_of_the_first(tree: Repo) -> None:
    for number in range(6):
        tree.write(f"src/n{number}.py", "lease = 1\nlease = 2\n")
    assert cairn("index", str(tree.path)).returncode == 0
    with serving("--no-watch") as daemon:
        values: dict[str, Any] = {"root": tree.path, "q": "lease = ", "literal": "true", "limit": 5}
        first = daemon.get("/v1/search-page", **values).document
        tree.write("src/n2.py", "nothing\n")
        tree.write("src/a.py", "lease = 0\n" * 9)
        assert cairn("index", str(tree.path)).returncode == 0
        second = daemon.get("/v1/search-page", **values, continuation=first["continuation"]).document
        assert second["snapshot_id"] == first["snapshot_id"]
        assert places([first])[-1] == ("src/n2.py", 1)
        assert places([second]) == [
            ("src/n2.py", 2),
            ("src/n3.py", 1),
            ("src/n3.py", 2),
            ("src/n4.py", 1),
            ("src/n4.py", 2),
        ]
        assert second["results"][0]["changed_since"]
