"""Every document of every question begins with the same head, of one codebase and of several."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import cairn
from cairn.questions.code import CALLS
from cairn.questions.parameters import Schema
from cairn.questions.question import Question
from cairn.questions.registry import QUESTIONS
from tests.trees import Repo

GIVEN: dict[str, dict[str, Any]] = {
    "search": {"query": "now"},
    "symbol": {"name": "now"},
    "refs": {"name": "now"},
    "callgraph": {"name": "now"},
    "hierarchy": {"name": "now"},
    "outline": {"file": "src/clock.py"},
    "imports": {"file": "src/clock.py"},
    "impact": {"files": ("src/clock.py",)},
    "tests": {"places": ("src/clock.py",)},
    "commits": {"text": "now"},
    "read": {"file": "src/clock.py"},
    "slice": {"place": "src/clock.py:2", "name": "at"},
    "past": {"name": "now"},
}
NO_SNAPSHOT = {"health", "stores", "gain", "jobs"}
OF_SNAPSHOT = {"store_id", "snapshot_id", "config_fingerprint", "ignore_fingerprint", "git", "degraded"}
PART = {"root", "freshness", "warnings", "notices", "limits_hit", "timings_ms", *OF_SNAPSHOT}
HEAD = {"schema_version", "request_id", *PART}


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
        assert document["request_id"], question.name
        unknown = {name for name in OF_SNAPSHOT if document[name] is None}
        assert unknown == (OF_SNAPSHOT if question.name in NO_SNAPSHOT else set()), question.name
        assert (document["root"] is None) == (question.subject == "home"), question.name


def test_several_codebases_have_the_same_head_and_one_for_each(workspace: cairn.Workspace, tmp_path: Path) -> None:
    absent = str(tmp_path / "absent")
    with cairn.open_all([workspace.root, absent], sync=False) as both:
        for question in QUESTIONS:
            if question.ask_several is None:
                continue
            document = both.ask(question, **GIVEN[question.name]).document()
            assert document.keys() >= HEAD, question.name
            assert document["degraded"] is False, question.name
            assert all(document[name] is None for name in OF_SNAPSHOT - {"degraded"}), question.name
            assert document["timings_ms"]["total"] >= 0
            rows = {row["root"]: row for row in document["codebases"]}
            assert all(row.keys() >= PART for row in rows.values()), question.name
            assert rows[workspace.root]["snapshot_id"]
            assert rows[workspace.root]["freshness"]["checked"] == "cited_files"
            (failed,) = (row for row in rows.values() if "error" in row)
            assert (failed["snapshot_id"], failed["freshness"]) == (None, None)
            assert [notice["code"] for notice in failed["notices"]] == ["codebase_failed"]


def _names(schema: Schema) -> Iterator[str]:
    """The names of all fields that a schema describes, at any depth."""
    yield from schema.get("properties", {})
    parts = [*schema.get("properties", {}).values(), *schema.get("anyOf", ())]
    for part in (*parts, schema.get("items"), schema.get("additionalProperties")):
        if isinstance(part, dict):
            yield from _names(part)


@pytest.mark.requirement("Q.2")
@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question.name)
def test_all_fields_are_spelt_alike_and_one_place_says_what_to_know(question: Question) -> None:
    names = set(_names(question.schema))
    assert {name for name in names if not re.fullmatch(r"[a-z0-9]+(_[a-z0-9]+)*", name)} == set()
    # The notes of a call graph are about code, and not about the answer.
    assert "notes" not in question.schema["properties"] or question is CALLS
