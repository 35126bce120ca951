"""Links inside a tree: one content has one place, and is found by either name."""

import json
from pathlib import Path

import pytest

from cairn.codebase.codebase import Codebase, Request
from cairn.codebase.several.codebases import Codebases
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
            assert [hit.path for hit in found.items] == ["src/lease.py"], pattern
        assert not codebase.search(Request("take_over", filters=Filters(paths=("other/",)))).items
        named = codebase.search(Request("same.py"))
        assert [hit.path for hit in named.items] == ["src/lease.py"]
        assert said(named) == ("same.py is a link to src/lease.py",)
        by_stem = codebase.search(Request("same"))
        assert ([hit.path for hit in by_stem.items], said(by_stem)) == (["src/lease.py"], said(named))
        assert said(codebase.search(Request("code"))) == ("docs/code is a link to src",)
        told = codebase.insight.outline("docs/code/lease.py")
        assert (told.value.path, said(told)) == (
            "src/lease.py",
            ("docs/code/lease.py is a link to src/lease.py",),
        )
        assert codebase.source("same.py").source.path == "src/lease.py"
        assert not codebase.index().published
        (linked.path / "same.py").unlink()
        assert codebase.index().manifest.aliases == (("docs/code", "src"),)


@pytest.mark.slow
@pytest.mark.requirement("ELIG.10")
def test_a_dry_run_lists_aliases_apart_from_files_and_skips(linked: Repo) -> None:
    found = json.loads(cairn("index", "--dry-run", "--json", str(linked.path)).stdout)
    assert (found["eligible"], found["skipped"]) == (["src/lease.py"], [])
    assert found["aliases"] == [{"path": "docs/code", "target": "src"}, {"path": "same.py", "target": "src/lease.py"}]
    shown = cairn("index", "--dry-run", str(linked.path)).stdout
    assert "2 links to files and folders of the tree: no second result\n    = docs/code -> src\n" in shown


@pytest.mark.requirement("ELIG.10")
def test_an_import_by_the_name_of_a_link_leads_to_the_file(linked: Repo) -> None:
    linked.write("user.py", "from docs.code.lease import take_over\nimport same\n\n\ndef use():\n    take_over()\n")
    with Codebase(str(linked.path)) as codebase:
        codebase.index()
        told = codebase.insight.imports("user.py").value
        assert [each.paths for each in told.outgoing] == [("src/lease.py",)] * 2
        uses = codebase.insight.references("take_over").value.items
        assert ("user.py", 6) in {(use.path, use.line) for use in uses}


@pytest.mark.requirement("ELIG.10")
def test_several_codebases_are_filtered_by_the_names_of_their_own_links(linked: Repo, tmp_path: Path) -> None:
    other = Repo.create(tmp_path / "other")
    other.write("src/lease.py", "def take_over():\n    return 2\n")
    other.commit()
    for repo in (linked, other):
        with Codebase(str(repo.path)) as codebase:
            codebase.index()
    with Codebases([str(linked.path), str(other.path)]) as codebases:
        found = codebases.search(Request("take_over", filters=Filters(paths=("docs/code/*.py",))))
        assert [(each.root, hit.path) for each, hit in zip(found.value.sources, found.items, strict=True)] == [
            (str(linked.path), "src/lease.py")
        ]


@pytest.mark.slow
def test_a_file_beneath_a_linked_folder_is_told_as_a_link_is(linked: Repo) -> None:
    cairn("index", str(linked.path))
    for name in ("same.py", "docs/code/lease.py"):
        for named in (name, str(linked.path / name)):
            done = cairn("outline", named, cwd=linked.path)
            assert f"{name} is a link to src/lease.py" in done.stderr, done
    for command in ("callers", "imports", "read"):
        place = "docs/code/lease.py" + ":1" * (command == "callers")
        assert cairn(command, place, cwd=linked.path).returncode == 0, command
