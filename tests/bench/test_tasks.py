"""Tasks that agents play: what is right, what a player may run, and the table."""

import json
from pathlib import Path

import jsonschema
import pytest
from bench.tasks import Task, score, scripted, shell, tasks

from cairn.surfaces.mcp.tools import BY_NAME


def _task(answer: str, *gold: str) -> Task:
    return Task(1, "project", "kind", "question", answer, gold)


@pytest.mark.parametrize(
    ("task", "said", "right"),
    [
        (_task("files", "a.py", "b.py"), ["b.py", "./a.py"], True),
        (_task("files", "a.py", "b.py"), ["a.py"], False),
        (_task("files", "a.py"), ["a.py", "b.py"], False),
        (_task("names", "go"), ["Type.go()"], True),
        (_task("names", "Type.go"), ["go"], False),
        (_task("chain", "a", "b"), ["a", "b"], True),
        (_task("chain", "a", "b"), ["b", "a"], False),
        (_task("lines", "a.py:3"), ["a.py:4"], False),
    ],
)
def test_an_answer_is_right_when_it_is_the_gold_no_more_and_no_less(task: Task, said: list[str], right: bool) -> None:
    assert task.is_right(said) is right


def test_there_are_tasks_of_every_kind_in_six_projects() -> None:
    found = tasks()
    assert len(found) >= 24
    assert len({task.project for task in found}) == 6
    assert len({task.kind for task in found}) == 8
    assert all(task.gold and task.is_right(task.gold) for task in found)


@pytest.mark.parametrize(
    "command", ["rm a", "cat a > b", "cat `ls`", "cat $(ls)", "ls | python3", "ls & rm a", "cat a >> b", ""]
)
def test_a_player_with_a_shell_only_looks(tmp_path: Path, command: str) -> None:
    (tmp_path / "a").write_text("text\n")
    assert shell(tmp_path, command).startswith("Only ")
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


def test_what_a_player_reads_is_what_the_pipe_prints(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("one\ntwo\n")
    assert shell(tmp_path, "cat a | grep two") == "two\n"
    assert shell(tmp_path, "grep -E 'two|three' a; wc -l a") == "two\n2 a\n"


def test_the_table_counts_answers_calls_and_bytes_of_both_sides(tmp_path: Path) -> None:
    for side, asked in (("cairn", 1), ("shell", 2)):
        (tmp_path / side).mkdir()
        entry = json.dumps({"call": "x", "asked": 10, "given": 90})
        (tmp_path / side / "1.log").write_text("\n".join([entry] * asked) + "\n")
    (tmp_path / "cairn" / "1.json").write_text(json.dumps(tasks()[0].gold))
    (tmp_path / "shell" / "1.json").write_text('["no/such/file"]')
    assert score(tmp_path).splitlines()[-1] == "| **all** | 24 | 1 | 1 | 100 | 0 | 2 | 200 |"


def test_the_script_has_calls_that_can_be_made_for_every_task() -> None:
    found = scripted()
    assert sorted(found) == [task.number for task in tasks()]
    for tool, given in (call for calls in found.values() for call in calls):
        jsonschema.validate(given, BY_NAME[tool].listed(programs=False, sessions=False))
