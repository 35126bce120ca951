"""Places like a given one, from the command line, Python and the view."""

import json
from pathlib import Path

import pytest

import cairn
from cairn.base.errors import NotIndexedError, UsageError
from cairn.codebase.codebase import Codebase, RelatedRequest
from cairn.program.start import main
from cairn.search import Filters
from cairn.search.related import question_of
from tests.trees import Repo

BODY = "    lease = read_lease(path)\n    lease.owner = owner\n"
TREE = {
    "src/lease.py": f"def take_lease(path, owner):\n{BODY}    save(path, lease)\n\n\ndef colour():\n    return 1\n",
    "src/lock.py": f"def take_lock(path, owner):\n{BODY}    return lease\n",
    "tests/test_lease.py": "from lease import take_lease\n\n\ndef test_take():\n    take_lease('p', 'owner')\n",
    "src/paint.py": "def mix_paint(red, green):\n    return red + green\n",
    "docs/far.md": "# Cooking\n\nBoil water, add salt.\n",
}


@pytest.fixture
def tree(repo: Repo) -> Repo:
    for name, text in TREE.items():
        repo.write(name, text)
    return repo


def related(tree: Repo, path: str, line: int, limit: int = 3) -> list[str]:
    with cairn.open(tree.path) as workspace:
        return [item.path for item in workspace.related(path, line, limit)]


@pytest.mark.slow
def test_kin_come_first_and_the_file_itself_never(tree: Repo) -> None:
    found = related(tree, "src/lease.py", 2, 5)
    assert found[:2] in (["src/lock.py", "tests/test_lease.py"], ["tests/test_lease.py", "src/lock.py"])
    assert "src/lease.py" not in found


@pytest.mark.slow
def test_as_many_as_asked_for_though_the_file_itself_is_left_out(tree: Repo) -> None:
    assert len(related(tree, "src/lease.py", 2, 2)) == 2


@pytest.mark.slow
def test_the_line_decides_what_is_meant(tree: Repo) -> None:
    with Codebase(str(tree.path)) as codebase:
        codebase.index()
        with codebase.view() as view:
            first, _ = question_of(view, "src/lease.py", 1, Filters())
            assert "take_lease" in first.terms
            assert first.asks_for >= {"test", "docs", "example"}


@pytest.mark.parametrize(("path", "line"), [("src/lease.py", 999), ("src/lease.py", 999_999_999)])
def test_a_line_that_is_not_there_is_said(tree: Repo, path: str, line: int) -> None:
    with cairn.open(tree.path) as workspace, pytest.raises(UsageError, match=f"{path}:{line}"):
        workspace.related(path, line)


@pytest.mark.parametrize("line", [0, -1, True, 1.5, "3"])
def test_lines_are_counted_from_one(line: object) -> None:
    with pytest.raises(UsageError):
        RelatedRequest("a.py", line)  # type: ignore[arg-type]


@pytest.mark.slow
def test_a_file_that_is_not_indexed_is_said(tree: Repo) -> None:
    with cairn.open(tree.path) as workspace, pytest.raises(NotIndexedError, match=r"nope\.py"):
        workspace.related("nope.py", 1)


@pytest.mark.slow
def test_filters_hold(tree: Repo) -> None:
    with cairn.open(tree.path) as workspace:
        assert [item.path for item in workspace.related("src/lease.py", 2, paths="tests")] == ["tests/test_lease.py"]
        assert "src/lock.py" not in [item.path for item in workspace.related("src/lease.py", 2, languages="md")]


@pytest.mark.slow
def test_a_file_is_named_from_where_one_stands(
    tree: Repo, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tree.path / "src")
    assert main(["search", "--related", "lease.py:2", "--json"]) == 0
    first = json.loads(capsys.readouterr().out)
    assert main(["search", "--related", "src/lease.py:2", "--json", str(tree.path)]) == 0
    second = json.loads(capsys.readouterr().out)
    assert [item["path"] for item in first["results"]] == [item["path"] for item in second["results"]]
    assert first["results"]
    assert first["snapshot_id"] == second["snapshot_id"]


@pytest.mark.parametrize(
    "arguments",
    [
        ["--related", "src/lease.py"],
        ["--related", ":3"],
        ["--related", "src/lease.py:x"],
        ["--related", "src/lease.py:-1"],
        ["--related", "src/lease.py:2", "--literal"],
        ["--related", "src/lease.py:2", "--regex"],
        ["--related", "src/lease.py:2", "--mode", "docs"],
        ["--related", "src/lease.py:2", "--budget", "100"],
        ["--related", "src/lease.py:2", "--all"],
        ["--related", "../outside.py:2"],
        ["lease", "--literal", "--budget", "100"],
        ["lease", "--literal", "--all"],
    ],
)
def test_what_can_not_be_meant_is_a_usage_error(
    tree: Repo, arguments: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tree.path)
    assert main(["search", *arguments]) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.startswith("cairn: ")


@pytest.mark.slow
def test_one_root_may_be_named_for_lines_and_places(
    tree: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["search", "take_lock", "--literal", "--root", str(tree.path), "--json"]) == 0
    (line,) = json.loads(capsys.readouterr().out)["results"]
    assert (line["path"], line["start_line"]) == ("src/lock.py", 1)
    assert main(["search", "--related", "src/lease.py:2", "--root", str(tree.path), "-k", "1", "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["results"]) == 1
