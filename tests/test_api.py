"""The Python interface."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import cairn
from cairn.errors import NotIndexedError, UsageError
from tests.trees import Repo


@pytest.fixture
def sample(repo: Repo) -> Repo:
    repo.write("src/lease.py", "def take_over(lease):\n    return lease\n")
    repo.write("docs/notes.md", "# Leases\n\nHow a lease is taken over.\n")
    repo.commit()
    return repo


@pytest.mark.requirement("SRCH.1")
def test_open_indexes_and_answers(sample: Repo) -> None:
    with cairn.open(sample.path) as workspace:
        found = workspace.search("take over", limit=1)
        assert len(found) == 1
        (result,) = found
        assert (result.path, result.start_line, result.end_line) == ("src/lease.py", 1, 2)
        assert (result.kind, result.language, result.symbol) == ("text", "python", "take_over")
        assert result.text == "def take_over(lease):\n    return lease\n"
        assert not result.changed_since
        assert sum(result.explain.values()) == pytest.approx(result.score, abs=1e-4)
        assert found.snapshot_id
        assert found.freshness == {"synced": False, "checked": "cited_files", "moved": False}
        assert found.warnings == ()


def test_it_can_be_told_what_to_look_at(sample: Repo) -> None:
    with cairn.open(sample.path) as workspace:
        assert {item.path for item in workspace.search("lease", mode="docs")} == {"docs/notes.md"}
        assert {item.path for item in workspace.search("lease", languages=["py"])} == {"src/lease.py"}
        assert {item.path for item in workspace.search("lease", paths=["docs"])} == {"docs/notes.md"}


def test_without_sync_it_only_reads(sample: Repo) -> None:
    with pytest.raises(NotIndexedError):
        cairn.open(sample.path, sync=False)
    with cairn.open(sample.path) as workspace:
        before = workspace.search("lease").snapshot_id
    sample.write("src/lease.py", "def other():\n    return 0\n")
    with cairn.open(sample.path, sync=False) as workspace:
        found = workspace.search("take over")
        assert found.snapshot_id == before
        assert [item.path for item in found if item.changed_since] == ["src/lease.py"]
        assert workspace.sync().published
        assert workspace.symbol("other")[0].path == "src/lease.py"


@pytest.mark.requirement("SRCH.1")
def test_lines_are_found_by_text_and_by_expression(sample: Repo) -> None:
    with cairn.open(sample.path) as workspace:
        found = workspace.grep("lease")
        assert [(item.path, item.start_line, item.end_line) for item in found] == [
            ("docs/notes.md", 3, 3),
            ("src/lease.py", 1, 1),
            ("src/lease.py", 2, 2),
        ]
        first, second, _ = found
        assert (first.kind, first.language, first.score) == ("match", "markdown", 1.0)
        assert (first.text, first.column, first.match) == ("How a lease is taken over.", 7, "lease")
        assert (second.symbol, second.changed_since) == ("take_over", False)
        assert (found.warnings, found.limits_hit, found.freshness["moved"]) == ((), (), False)
        assert len(workspace.grep("LEASE", ignore_case=True)) == 4
        (match,) = workspace.grep(r"def (\w+)\(", regex=True, languages="py", paths="src")
        assert match.match == "def take_over("
        assert workspace.search("lease").results[0].column is None
        cut = workspace.grep("lease", 1)
        assert (len(cut), cut.limits_hit) == (1, ("results",))
        assert "there are more" in cut.warnings[0]


@pytest.mark.requirement("STO.3")
def test_lines_of_files_that_are_gone_are_left_out_and_those_that_changed_are_marked(sample: Repo) -> None:
    with cairn.open(sample.path) as workspace:
        (sample.path / "docs/notes.md").unlink()
        sample.write("src/lease.py", "# another lease\n")
        found = workspace.grep("lease")
        assert [(item.text, item.changed_since) for item in found] == [
            ("def take_over(lease):", True),
            ("    return lease", True),
        ]
        assert found.warnings == (
            "1 result left out: gone since the snapshot",
            "1 cited file changed since the snapshot",
        )
        assert found.freshness["moved"]


@pytest.mark.parametrize(
    "asked",
    [
        {"pattern": ""},
        {"pattern": None},
        {"pattern": "a\nb"},
        {"pattern": "(", "regex": True},
        {"pattern": "a", "limit": 0},
        {"pattern": "a", "limit": 10_001},
        {"pattern": "a", "limit": True},
        {"pattern": "a", "mode": "symbol"},
        {"pattern": "a", "mode": "nonsense"},
        {"pattern": "a", "languages": "klingon"},
        {"pattern": "a", "paths": "../out"},
    ],
)
def test_lines_that_can_not_be_meant_are_refused(sample: Repo, asked: dict[str, Any]) -> None:
    with cairn.open(sample.path) as workspace, pytest.raises(UsageError):
        workspace.grep(**asked)


def test_everything_else_is_there_too(sample: Repo) -> None:
    with cairn.open(str(sample.path)) as workspace:
        assert workspace.root == str(sample.path)
        assert len(workspace.references("take_over")) == 0
        assert [item.symbol.name for item in workspace.outline("src/lease.py")] == ["take_over"]
        assert "src/lease.py" in workspace.map().text()
        assert workspace.read("docs/notes.md").startswith("# Leases")


def test_importing_the_package_loads_nothing_heavy(tmp_path: Path) -> None:
    code = "import sys, cairn; print([m for m in ('numpy', 'tantivy', 'sqlite3', 'tree_sitter') if m in sys.modules])"
    done = subprocess.run((sys.executable, "-c", code), capture_output=True, text=True, check=True, cwd=tmp_path)
    assert done.stdout == "[]\n"


def test_unknown_names_are_unknown() -> None:
    with pytest.raises(AttributeError, match="nothing"):
        _ = cairn.nothing


@pytest.mark.requirement("SRCH.1")
def test_an_answer_says_all_that_an_answer_says(sample: Repo) -> None:
    with cairn.open(sample.path) as workspace:
        found = workspace.search("lease")
        for name in ("store_id", "snapshot_id", "request_id", "config_fingerprint", "ignore_fingerprint"):
            assert getattr(found, name)
        assert found.query_fingerprint
        assert found.git == {"head": sample.git("rev-parse", "HEAD").strip(), "dirty": False}
        assert (found.degraded, found.limits_hit) == (False, ())


@pytest.mark.requirement("SRCH.1")
def test_an_open_workspace_never_claims_that_the_tree_stands_still(sample: Repo) -> None:
    with cairn.open(sample.path) as workspace:
        sample.write("new.py", "brandnew = 1\n")
        assert workspace.search("lease").freshness["checked"] == "cited_files"
        (sample.path / "src/lease.py").unlink()
        found = workspace.search("take over")
        assert found.freshness["moved"] is True
        assert "src/lease.py" not in {item.path for item in found}


@pytest.mark.parametrize("limit", [0, -1, 201, True, "5"])
def test_a_limit_out_of_range_is_bad_usage(sample: Repo, limit: object) -> None:
    with cairn.open(sample.path) as workspace, pytest.raises(UsageError):
        workspace.search("lease", limit)  # type: ignore[arg-type]


def test_bad_questions_are_bad_usage(sample: Repo) -> None:
    with cairn.open(sample.path) as workspace:
        for query in ("", "  ", None):
            with pytest.raises(UsageError):
                workspace.search(query)  # type: ignore[arg-type]
        with pytest.raises(UsageError):
            workspace.search("lease", mode="bogus")
        for path in ("", "/", "../x", "/elsewhere"):
            with pytest.raises(UsageError):
                workspace.search("lease", paths=path)
        assert len(workspace.symbol("\udcff")) == 0


def test_one_path_may_be_given_as_text_and_in_full(sample: Repo) -> None:
    with cairn.open(sample.path) as workspace:
        for path in ("docs", str(sample.path / "docs"), ["docs"]):
            assert {item.path for item in workspace.search("lease", paths=path)} == {"docs/notes.md"}


def test_a_closed_workspace_is_closed(sample: Repo) -> None:
    workspace = cairn.open(sample.path)
    workspace.close()
    with pytest.raises(UsageError):
        workspace.search("lease")
    with pytest.raises(UsageError):
        workspace.sync()
    with pytest.raises(UsageError):
        workspace.symbol("take_over")


def test_a_tilde_is_the_users_home(sample: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(sample.path.parent))
    with cairn.open(f"~/{sample.path.name}") as workspace:
        assert workspace.root == str(sample.path)
