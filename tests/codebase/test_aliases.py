"""Links inside a tree: one content has one place, and is found by either name."""

import json
from pathlib import Path

import pytest

from cairn.codebase.codebase import Codebase, Request
from cairn.search.query import Filters
from tests.notes import said
from tests.trees import Repo, cairn


@pytest.fixture
def linked(repo: Repo, private_home: Path) -> Repo:
    repo.write("src/lease.py", "def take_over():\n    return 1\n\n\ntake_over()\n")
    (repo.path / "docs").mkdir()
    (repo.path / "docs/code").symlink_to("../src")
    (repo.path / "same.py").symlink_to("src/lease.py")
    repo.commit()
    return repo


@pytest.mark.requirement("ELIG.10")
def test_a_linked_file_is_one_result_and_found_by_every_name(linked: Repo) -> None:
    with Codebase(str(linked.path)) as codebase:
        manifest = codebase.index().manifest
        assert manifest.counts.files_live == 1
        assert manifest.aliases == (("docs/code", "src"), ("same.py", "src/lease.py"))
        assert {use.path for use in codebase.insight.references("take_over").value.items} == {"src/lease.py"}
        for pattern in ("docs/", "docs/code/*.py", "code", "same.py", "src"):
            found = codebase.search(Request("take_over", filters=Filters(paths=(pattern,))))
            assert [hit.path for hit in found.results] == ["src/lease.py"], pattern
        assert not codebase.search(Request("take_over", filters=Filters(paths=("other/",)))).results
        named = codebase.search(Request("same.py"))
        assert [hit.path for hit in named.results] == ["src/lease.py"]
        assert said(named) == ("same.py is a link: src/lease.py is the file",)
        told = codebase.insight.outline("docs/code/lease.py")
        assert (told.value.path, said(told)) == (
            "src/lease.py",
            ("docs/code/lease.py is a link: src/lease.py is the file",),
        )
        assert codebase.source("same.py").source.path == "src/lease.py"
        assert not codebase.index().published
        (linked.path / "same.py").unlink()
        assert codebase.index().manifest.aliases == (("docs/code", "src"),)


@pytest.mark.requirement("ELIG.10")
def test_a_dry_run_lists_aliases_apart_from_files_and_skips(linked: Repo) -> None:
    found = json.loads(cairn("index", "--dry-run", "--json", str(linked.path)).stdout)
    assert (found["eligible"], found["skipped"]) == (["src/lease.py"], [])
    assert found["aliases"] == [{"path": "docs/code", "target": "src"}, {"path": "same.py", "target": "src/lease.py"}]
    shown = cairn("index", "--dry-run", str(linked.path)).stdout
    assert "2 links to files and folders of the tree: no second result\n    = docs/code -> src\n" in shown
