"""What the measurement of engines says of an answer."""

import numpy as np
import pytest
from bench.engines import compared, parts_of, vectors_of

from cairn.store.publish import ROWS_PER_SEGMENT

BEST = np.stack((np.linspace(1, 0.5, 20), np.arange(20) * 3))


def test_all_of_the_best_in_their_order_is_one() -> None:
    assert compared(BEST, BEST[1]) == pytest.approx((1.0, 1.0, 1.0))


def test_another_order_costs_ndcg_alone_and_strangers_cost_all() -> None:
    ten, all_of_them, gain = compared(BEST, np.concatenate((BEST[1, 9::-1], BEST[1, 10:])))
    assert (ten, all_of_them) == (1, 1)
    assert 0.5 < gain < 0.9
    assert compared(BEST, np.full(20, 1)) == (0, 0, 0)
    assert compared(BEST, np.zeros(0)) == (0, 0, 0)


def test_rows_are_those_of_segments_and_no_two_are_alike() -> None:
    assert parts_of(2 * ROWS_PER_SEGMENT + 5) == [ROWS_PER_SEGMENT, ROWS_PER_SEGMENT, 5]
    seeds = np.eye(4, 8, dtype=np.float32)
    rows = vectors_of(seeds, 0, 10)
    assert np.array_equal(rows, rows.astype(np.float16).astype(np.float32))
    assert np.allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-2)
    assert len(np.unique(rows, axis=0)) == 10
    assert (rows.argmax(axis=1) == np.arange(10) % 4).all()
    assert not np.array_equal(rows, vectors_of(seeds, 1, 10))
