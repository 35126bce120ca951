"""The search for weights: scores as the benchmark's, folds that never see what they judge, and no step for noise."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from bench.weights import BY_HAND, SIGNALS, Case, Cases, ablation, fitted, left_out, write

from cairn.search import WEIGHTS


def case(repository: str, rows: list[dict[str, float]], *wanted: int) -> Case:
    values = np.array([[row.get(name, 0.0) for name in SIGNALS] for row in rows])
    return Case(repository, values, tuple(frozenset({place}) for place in wanted))


def test_the_score_is_discounted_by_rank() -> None:
    rows = [{"dense": 1.0}, {"dense": 0.5}, {"dense": 0.2}]
    assert Cases([case("a", rows, 0)]).score(WEIGHTS) == 1.0
    assert Cases([case("a", rows, 1)]).score(WEIGHTS) == pytest.approx(1 / np.log2(3))
    both = Cases([case("a", rows, 0, 2)]).score(WEIGHTS)
    assert both == pytest.approx((1 + 1 / np.log2(4)) / (1 + 1 / np.log2(3)))


def test_a_target_that_is_no_candidate_is_not_found() -> None:
    missing = Case("a", np.zeros((1, len(SIGNALS))), (frozenset(),))
    assert Cases([missing]).score(WEIGHTS) == 0.0


def test_equal_scores_stand_in_the_order_given() -> None:
    rows = [{"dense": 1.0}, {"dense": 1.0}]
    assert Cases([case("a", rows, 0)]).score(WEIGHTS) > Cases([case("a", rows, 1)]).score(WEIGHTS)


def test_padding_is_never_an_answer() -> None:
    poor = [{"test": 1.0}]
    rich = [{"dense": 1.0}] * 12
    assert Cases([case("a", poor, 0), case("b", rich, 0)]).scores(WEIGHTS).tolist() == [1.0, 1.0]


def test_each_fold_judges_one_repository_by_all_the_others() -> None:
    rows = [{"dense": 1.0}]
    cases = Cases([case("a", rows, 0), case("b", rows, 0), case("a", rows, 0)])
    assert list(cases.folds()) == [([1], [0, 2]), ([0, 2], [1])]


def misleading(repository: str) -> Case:
    """A test has more of the words than what is wanted."""
    return case(repository, [{"dense": 0.5}, {"dense": 1.0, "test": 1.0}], 0)


def test_a_weight_that_does_harm_is_found() -> None:
    cases = Cases([misleading("a"), misleading("b")])
    assert cases.score(BY_HAND) < 1.0
    found = fitted(cases)
    assert found["test"] < BY_HAND["test"]
    assert cases.score(found) == 1.0
    assert left_out(cases).tolist() == [1.0, 1.0]
    assert {name for name in SIGNALS if found[name] != BY_HAND[name]} == {"dense", "test"}


def test_every_set_counts_alike() -> None:
    other = case("c", [{"dense": 0.5}, {"dense": 1.0, "stem": 1.0}], 1)
    few, many = ([misleading("a")] * times + [replace(other, source="another")] for times in (1, 9))
    vector = np.array([BY_HAND[name] for name in SIGNALS])
    assert Cases(many).slope(vector, range(10)) == pytest.approx(Cases(few).slope(vector, range(2)))


def test_fitted_weights_are_put_into_their_module(tmp_path: Path) -> None:
    module = tmp_path / "weights.py"
    module.write_text('"""Head."""\n\nWEIGHTS = {\n    "dense": 1.0,\n}\n"""Tail."""\n')
    write({"dense": 2.5, "test": -1.0}, module)
    assert module.read_text() == '"""Head."""\n\nWEIGHTS = {\n    "dense": 2.5,\n    "test": -1.0,\n}\n"""Tail."""\n'


def test_the_ablation_tells_what_each_signal_is_worth() -> None:
    helped = case("a", [{"dense": 0.1}, {"stem": 1.0, "dense": 0.1}], 1)
    table = {name: (loss, worse, better) for name, loss, worse, better in ablation(Cases([helped]))}
    assert table["stem"][0] > 0.3
    assert table["stem"][1:] == (1, 0)
    assert table["definition"] == (0.0, 0, 0)
