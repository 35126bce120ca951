"""Whether questions without an answer are told: what is counted, and where the bound lies."""

from pathlib import Path

import pytest
from bench.unanswered import Asked, asked, bound_of, left_out, table

from bench import unanswered
from tests.trees import write


def right(project: str, beyond: float) -> Asked:
    return Asked("set", project, project, beyond)


def wrong(own: str, project: str, beyond: float) -> Asked:
    return Asked("set", own, project, beyond)


def test_shares_are_those_of_flagged_right_answers_and_of_wrong_ones_that_pass() -> None:
    rows = [right("a", 0.1), right("b", -0.1), wrong("a", "b", 0.2), wrong("b", "a", -0.2)]

    assert "| +0.000 | 50.0 / 50.0 % | 50.0 / 50.0 % |" in table(rows, [0.0])
    assert "| -0.150 | 0.0 / 50.0 % | 0.0 / 50.0 % |" in table(rows, [-0.15])


def test_one_right_answer_in_fifty_is_below_the_bound() -> None:
    rows = [right("a", each / 100) for each in range(100)] + [wrong("a", "b", -1.0)]

    bound = bound_of(rows)

    assert sum(row.beyond < bound for row in rows if row.is_right) == 2


def test_a_project_that_is_left_out_is_judged_by_the_bound_of_the_others() -> None:
    rows = [right("a", 0.5), right("b", 0.1), wrong("a", "b", 0.3), wrong("b", "a", 0.3)]

    # The bound for `a` is 0.1, that for `b` is 0.5.
    assert left_out(rows) == "bound of the other projects: 50.0 / 50.0 %"


@pytest.mark.slow
def test_each_question_is_asked_of_its_own_project_and_of_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = {"a": "how is a lease taken over", "b": "where are zebras painted"}
    for name, text in texts.items():
        write(tmp_path / name, "all.py", f"# {text}\ndef answer_{name}(): pass\n")
    sets = {"set": {name: (tmp_path / name, [text]) for name, text in texts.items()}}
    monkeypatch.setattr(unanswered, "_sets", lambda work, trees: sets)
    monkeypatch.setenv("CAIRN_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(unanswered, "OTHERS", 1)

    rows = [*asked(tmp_path, None)]

    assert sorted((row.own, row.project) for row in rows) == [("a", "a"), ("a", "b"), ("b", "a"), ("b", "b")]
    assert all(row.beyond > 0 for row in rows if row.is_right)
    assert all(row.beyond < 0 for row in rows if not row.is_right)
