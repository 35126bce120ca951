"""Rows that an engine proposes by a score of its own, and the order that is ours."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from cairn.engines import Numbers, Vectors
from cairn.engines.order import ROUNDING, nearest_of, numbers_within, runs_of

QUERY = np.ones(1, dtype=np.float32)


def test_a_row_that_an_engine_scores_a_little_too_low_is_not_missed() -> None:
    """As far as rounding goes: what comes right behind the rows that were seen may be better than all of them."""
    ours = np.full(40, 0.1, dtype=np.float32)
    theirs = ours.copy()
    ours[:16] = theirs[:16] = 0.5
    ours[16], theirs[16] = 0.4999, 0.5 - ROUNDING / 4
    ours[17], theirs[17] = 0.5 + ROUNDING / 8, 0.5 - ROUNDING / 3

    def fetch(wanted: int) -> tuple[Numbers, Vectors, Vectors]:
        numbers = np.argsort(-theirs, kind="stable")[:wanted]
        return numbers, theirs[numbers], ours[numbers, None]

    found = nearest_of(fetch, 40, 40, QUERY, 1, None)
    assert found is not None
    assert found[0].tolist() == [17]


def test_nothing_more_is_asked_for_than_could_tie() -> None:
    ours = np.linspace(1, 0, 1000, dtype=np.float32)
    asked = []

    def fetch(wanted: int) -> tuple[Numbers, Vectors, Vectors]:
        asked.append(wanted)
        numbers = np.arange(wanted, dtype=np.int64)
        return numbers, ours[:wanted], ours[:wanted, None]

    found = nearest_of(fetch, 1000, 1000, QUERY, 10, None)
    assert found is not None
    assert found[0].tolist() == list(range(10))
    assert asked == [26]


@given(st.lists(st.booleans(), max_size=80))
def test_runs_are_the_live_rows_and_no_others(live: list[bool]) -> None:
    runs = runs_of(np.array(live, dtype=np.bool_))
    assert runs is not None
    assert [number for first, end in runs for number in range(first, end)] == [*np.flatnonzero(live)]
    said = numbers_within(runs).replace(" or ", "|").replace(" and ", "&")
    assert said.count("|") == max(len(runs) - 1, 0)
    assert all(f"(number >= {first}&number < {end})" in said for first, end in runs)


def test_rows_that_are_too_scattered_have_no_runs() -> None:
    assert runs_of(np.arange(128) % 2 == 0) is not None
    assert runs_of(np.arange(130) % 2 == 0) is None
