"""Every document of every question begins with the same head, of one codebase and of several."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import cairn
from cairn.questions.envelope import HEAD
from cairn.questions.registry import QUESTIONS
from tests.trees import Repo

GIVEN: dict[str, dict[str, Any]] = {
    "search": {"query": "now"},
    "symbol": {"name": "now"},
    "refs": {"name": "now"},
    "callgraph": {"name": "now"},
    "outline": {"file": "src/clock.py"},
    "imports": {"file": "src/clock.py"},
    "impact": {"files": ("src/clock.py",)},
    "slice": {"place": "src/clock.py:2", "name": "at"},
}
NO_SNAPSHOT = {"health", "stores", "jobs"}


@pytest.fixture
def workspace(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> Iterator[cairn.Workspace]:
    monkeypatch.setenv("CAIRN_EMBED_PROVIDER", "hashing")
    repo.write("src/clock.py", "def now(at):\n    return at\n")
    with cairn.open(repo.path) as found:
        yield found


def test_every_question_says_what_its_answer_rests_on(workspace: cairn.Workspace) -> None:
    for question in QUESTIONS:
        document = workspace.ask(question, **GIVEN.get(question.name, {})).document()
        assert document.keys() >= HEAD, question.name
        assert set(question.schema["required"]) >= HEAD, question.name
        assert (document["snapshot_id"] is None) == (question.name in NO_SNAPSHOT), question.name
        assert (document["root"] is None) == (question.subject == "home"), question.name


def test_several_codebases_have_the_same_head_and_one_for_each(workspace: cairn.Workspace, tmp_path: Path) -> None:
    absent = str(tmp_path / "absent")
    with cairn.open_all([workspace.root, absent], sync=False) as both:
        for question in QUESTIONS:
            if question.ask_several is None:
                continue
            document = both.ask(question, **GIVEN[question.name]).document()
            assert document.keys() >= HEAD, question.name
            assert document["timings_ms"]["total"] >= 0
            rows = {row["root"]: row for row in document["codebases"]}
            assert all(row.keys() >= HEAD for row in rows.values()), question.name
            assert rows[workspace.root]["snapshot_id"]
            assert rows[workspace.root]["freshness"]["checked"] == "cited_files"
            (failed,) = (row for row in rows.values() if "error" in row)
            assert (failed["snapshot_id"], failed["freshness"]) == (None, None)
            assert [notice["code"] for notice in failed["notices"]] == ["codebase_failed"]
