"""The questions about real projects are well formed, and scored as the public benchmark scores."""

import math
from collections import Counter
from pathlib import Path, PurePosixPath

import pytest
from bench.processes import MissingError
from bench.questions import DATA, Project, Question, Target, load, ndcg
from bench.retrieval import KINDS

PROJECTS, QUESTIONS = load()


def result(path: str, start: int = 1, end: int = 10) -> dict[str, object]:
    return {"path": path, "start_line": start, "end_line": end}


def test_there_are_enough_of_them() -> None:
    assert len(PROJECTS) >= 20
    assert len(QUESTIONS) >= 300
    kinds = Counter(question.kind for question in QUESTIONS)
    assert kinds["architecture"] >= 0.45 * len(QUESTIONS)
    assert kinds["semantic"] >= 0.35 * len(QUESTIONS)
    assert kinds["symbol"] >= 0.08 * len(QUESTIONS)


def test_every_question_is_asked_once_of_a_known_project() -> None:
    names = [project.name for project in PROJECTS]
    assert len(names) == len(set(names))
    assert {question.project for question in QUESTIONS} == set(names)
    assert {question.kind for question in QUESTIONS} == set(KINDS)
    asked = Counter(question.query for question in QUESTIONS)
    assert [query for query, times in asked.items() if times > 1 or query != query.strip() or not query] == []


def test_answers_are_few_files_that_a_checkout_can_hold() -> None:
    assert [question.query for question in QUESTIONS if not _well_formed(question)] == []


def _well_formed(question: Question) -> bool:
    paths = [target.path for target in question.places]
    plain = all(path == str(PurePosixPath(path)) and ".." not in path and not path.startswith("/") for path in paths)
    lines = all(1 <= target.start <= target.end for target in question.places)
    few = 1 <= len(question.primary) <= 3 and len(question.secondary) <= 4
    return plain and lines and few and len(set(paths)) == len(paths)


def test_the_file_has_a_query_a_line() -> None:
    lines = DATA.read_text(encoding="utf-8").splitlines()
    assert sum(line.startswith('    {"project": ') for line in lines) == len(QUESTIONS)


def test_a_target_counts_by_the_rank_it_is_first_found_at() -> None:
    results = [result("a.py"), result("b.py"), result("b.py", 20, 30)]
    assert ndcg(results, [Target("a.py")]) == 1.0
    assert ndcg(results, [Target("b.py", 25, 26)]) == pytest.approx(1 / math.log2(4))
    assert ndcg(results, [Target("b.py", 11, 19)]) == 0.0
    assert ndcg(results, [Target("b.py"), Target("c.py")]) == pytest.approx((1 / math.log2(3)) / (1 + 1 / math.log2(3)))
    assert ndcg([result("b.py")] * 10 + results, [Target("a.py")]) == 0.0


def test_a_place_of_a_file_is_also_scored_as_the_file() -> None:
    question = Question("one", "semantic", "where is it", (Target("a.py", 20, 30),), (Target("b.py"),))
    assert ndcg([result("a.py"), result("b.py")], question.files) == 1.0
    assert ndcg([result("a.py"), result("b.py")], question.places) < 1.0


def test_a_checkout_that_is_missing_or_of_another_commit_is_said(tmp_path: Path) -> None:
    project = Project("one", "https://example.invalid/one.git", "0" * 40, "python")
    with pytest.raises(MissingError, match=r"one is missing: check out 0{40} of https://example.invalid/one.git"):
        project.tree(tmp_path)
