"""The search for weights: scores as the benchmark's, folds that never see what they judge, and no step for noise."""

import numpy as np
import pytest
from bench.weights import SIGNALS, Case, Cases, ablation, left_out, search_weights

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
    """The wanted file has the words; another one is a little nearer."""
    return case(repository, [{"lexical": 1.0}, {"dense": 0.6}], 0)


def test_a_weight_that_does_harm_is_found() -> None:
    cases = Cases([misleading("a"), misleading("b")])
    assert cases.score(WEIGHTS) < 1.0
    found = search_weights(cases, [0, 1])
    assert cases.score(found) == 1.0
    assert left_out(cases) == 1.0


def test_weights_that_do_well_stay() -> None:
    cases = Cases([case("a", [{"dense": 1.0}, {}], 0)])
    assert search_weights(cases, [0]) == WEIGHTS


def test_the_ablation_tells_what_each_signal_is_worth() -> None:
    helped = case("a", [{"dense": 0.1}, {"stem": 1.0, "dense": 0.1}], 1)
    table = {name: (loss, worse, better) for name, loss, worse, better in ablation(Cases([helped]))}
    assert table["stem"][0] > 0.3
    assert table["stem"][1:] == (1, 0)
    assert table["definition"] == (0.0, 0, 0)
