"""The bounds of what a question takes stand in its declaration, and notes on what was cut take them from there."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import cairn
from cairn.base.errors import UsageError
from cairn.base.notes import Lift, Note
from cairn.codebase.codebase import Codebase
from cairn.codebase.several import Codebases
from cairn.questions.asking import Answered, values_of
from cairn.questions.changes import IMPACT
from cairn.questions.code import CALLS, MAP, OUTLINE, REFERENCES, SYMBOL
from cairn.questions.question import Asked, Question
from cairn.questions.read import READ
from cairn.questions.reference import reference
from cairn.questions.registry import QUESTIONS
from cairn.questions.search import SEARCH
from cairn.surfaces.http.openapi import Operation, describe
from tests.trees import Repo

BOUNDS = {
    ("search", "limit"): (1, 200),
    ("search", "budget_tokens"): (1, 10_000_000),
    ("search", "per_file"): (1, 5),
    ("search", "max_count"): (1, 10_000),
    ("search", "after"): (0, 1_000),
    ("search", "before"): (0, 1_000),
    ("symbol", "limit"): (1, 2_000),
    ("refs", "limit"): (1, 2_000),
    ("hierarchy", "nodes"): (1, 2_000),
    ("cycles", "limit"): (1, 2_000),
    ("callgraph", "depth"): (1, 10),
    ("callgraph", "nodes"): (1, 2_000),
    ("callgraph", "fan_out"): (1, 500),
    ("callgraph", "notes"): (0, 1_000),
    ("outline", "budget_tokens"): (1, 10_000_000),
    ("outline", "depth"): (1, 100),
    ("outline", "around"): (1, 999_999_999),
    ("map", "budget_tokens"): (1, 10_000_000),
    ("impact", "depth"): (1, 10),
    ("tests", "depth"): (1, 10),
    ("tests", "limit"): (1, 2_000),
    ("unused", "limit"): (1, 2_000),
    ("commits", "skip"): (0, 10_000_000),
    ("commits", "back"): (1, 10_000_000),
    ("commits", "limit"): (1, 2_000),
    ("commits", "lines"): (1, 1_000),
    ("gain", "days"): (1, 90),
    ("past", "limit"): (1, 1_000),
    ("past", "back"): (1, 10_000_000),
    ("read", "start_line"): (1, 999_999_999),
    ("read", "end_line"): (1, 999_999_999),
    ("read", "parent"): (1, 999_999_999),
    ("read", "sequence"): (0, 999_999_999),
    ("read", "max_bytes"): (1, 100_000_000),
}
"""What users may rely on: a bound that is raised or lowered is a change of the interface."""


class Here:
    """Someone who names paths from a root."""

    def __init__(self, root: str) -> None:
        self._root = root

    def at(self, path: str) -> str:
        return f"{self._root}/{path}"

    def read_mode(self, *, asked_for: bool) -> str:
        return "here"


@pytest.fixture
def codebase(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> Iterator[Codebase]:
    monkeypatch.setenv("CAIRN_EMBED_PROVIDER", "hashing")
    repo.write(
        "src/m.py",
        "from src.clock import now\n\n\n" + "".join(f"def f{at}():\n    return now({at})\n\n\n" for at in range(9)),
    )
    repo.write("src/clock.py", "def now(at):\n    return at\n")
    with Codebase(str(repo.path)) as found:
        found.index()
        yield found


def answered(codebase: Codebase, question: Question, **given: object) -> Answered:
    values = values_of(question, given)
    return Answered(question, values, question.answer(Asked(codebase, Here(codebase.root_path)), values), ())


def test_the_bounds_of_the_public_parameters_are_these() -> None:
    declared = {
        (question.name, each.name): (each.least, each.most)
        for question in QUESTIONS
        for each in question.parameters
        if each.kind == "integer"
    }
    assert declared == BOUNDS
    assert SEARCH.parameter("limit").most_with == (10_000, "lines", ("literal", "regex"))


def test_a_bound_that_hangs_on_another_parameter_is_told_whole() -> None:
    limit = SEARCH.parameter("limit")
    whole = "a whole number from 1 to 200, or to 10000 lines"
    assert limit.allowed() == whole
    assert limit.explained.endswith("; 1 to 200, or to 10000 lines")
    assert f"| {whole} |" in reference((SEARCH,))
    (described,) = (
        each
        for each in describe([Operation("/v1/search", "", SEARCH.parameters)])["paths"]["/v1/search"]["get"][
            "parameters"
        ]
        if each["name"] == "limit"
    )
    assert (described["schema"]["maximum"], described["description"]) == (10_000, limit.explained)
    with pytest.raises(UsageError, match=f"limit 201 is not allowed; give {whole}"):
        values_of(SEARCH, {"query": "a", "limit": 201})
    with pytest.raises(UsageError, match=r"give a whole number from 1 to 10000\."):
        values_of(SEARCH, {"query": "a", "limit": 10_001, "literal": True})
    assert values_of(SEARCH, {"query": "a", "limit": 201, "literal": True})["limit"] == 201


@pytest.mark.slow
def test_no_core_module_repeats_a_bound_of_places_or_lines() -> None:
    top = Path(cairn.__file__).parent
    found = {}
    for room in ("codebase", "graph"):
        for path in sorted((top / room).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text())):
                if isinstance(node, ast.Constant) and node.value in (2_000, 10_000) and type(node.value) is int:
                    found[f"{path.relative_to(top)}"] = node.lineno
    # None is how many places an answer holds: bytes of a chunk, the budget of a map that names none, files of a look.
    assert set(found) <= {"graph/changed.py", "codebase/wholes.py", "codebase/standing.py"}


@pytest.mark.parametrize(
    ("lift", "limit", "expected"),
    [
        (Lift("nodes"), 10, Lift("nodes", 2_000)),
        (Lift("nodes"), 2_000, None),
        (Lift("nodes", 5), 1, Lift("nodes", 5)),
        (Lift("nodes", 2_001), 1, Lift("nodes", 2_000)),
        (Lift("nodes", 2_001), 2_000, None),
        (None, 1, None),
    ],
)
def test_a_lift_goes_as_far_as_the_declaration_does(lift: Lift | None, limit: int, expected: Lift | None) -> None:
    assert CALLS.bounded(Note("nodes_cut", {"limit": limit}, lift), {}).lift == expected


@pytest.mark.parametrize(
    ("question", "given", "code", "parameter"),
    [
        (SYMBOL, {"name": "src/m.py:1"}, "", ""),
        (REFERENCES, {"name": "now", "limit": 3}, "places_cut", "limit=2000"),
        (MAP, {"budget_tokens": 40}, "map_cut", "budget_tokens="),
        (OUTLINE, {"file": "src/m.py", "budget_tokens": 20}, "definitions_left_out", "budget_tokens="),
        (CALLS, {"name": "now", "nodes": 2}, "nodes_cut", "nodes=2000"),
        (READ, {"file": "src/m.py", "max_bytes": 20}, "read_cut", "max_bytes="),
        (SEARCH, {"query": "now", "budget_tokens": 5}, "budget_cut", "budget_tokens="),
        (SEARCH, {"query": "now", "literal": True, "limit": 2}, "lines_cut", "limit=10000"),
    ],
)
def test_an_answer_that_was_cut_says_so_once_and_names_what_lifts_it(
    codebase: Codebase, question: Question, given: dict[str, object], code: str, parameter: str
) -> None:
    document = answered(codebase, question, **given).document()
    assert [notice["code"] for notice in document["notices"]] == [code] * bool(code)
    assert bool(document["limits_hit"]) == bool(code)
    assert all(parameter in warning for warning in document["warnings"])


def test_impact_follows_five_hundred_callers_and_says_where_it_stops(repo: Repo, codebase: Codebase) -> None:
    steps = "".join(f"def step{at}():\n    return now({at})\n\n\n" for at in range(7))
    uses = "".join(f"def use{at}():\n    return step{at % 7}()\n\n\n" for at in range(560))
    repo.write("src/m.py", f"from src.clock import now\n\n\n{steps}")
    repo.write("src/uses.py", f"from src.m import {', '.join(f'step{at}' for at in range(7))}\n\n\n{uses}")
    codebase.index()
    document = answered(codebase, IMPACT, files=("src/clock.py",), depth=2).document()
    # What was changed is one of the five hundred.
    assert (len(document["users"]), "nodes" in document["limits_hit"]) == (499, True)


def test_several_codebases_say_what_was_cut_too(codebase: Codebase, repo: Repo) -> None:
    with Codebases([str(repo.path)]) as codebases:
        for question, name in ((REFERENCES, "now"), (SYMBOL, "f1")):
            values = values_of(question, {"name": name, "limit": 1})
            answer = Answered(question, values, question.answer(codebases, values), ())
            cut = answer.answer.value.total > 1
            assert [note.code for note in answer.all_notes] == ["places_cut"] * cut
            assert answer.document()["limits_hit"] == ["places"] * cut
