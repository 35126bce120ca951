"""The coarse copy of a matrix leaves out no row that may be among the nearest."""

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cairn.kernel import sketch
from cairn.kernel.core import core
from cairn.kernel.sketch import Sketch, sketch_of

pytestmark = pytest.mark.skipif(core() is None, reason="the native core is not installed")
ROUNDING = 1e-5


def made(rows: int, dimension: int, seed: int, kind: str) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
    numbers = np.random.default_rng(seed)
    matrix = numbers.standard_normal((rows, dimension))
    if kind == "alike":
        matrix = np.tile(matrix[:3], (rows // 3 + 1, 1))[:rows] + 1e-4 * matrix
    elif kind == "spiky":
        matrix **= 9
    matrix[:: max(rows // 2, 1)] *= 0 if kind == "zeros" else 1
    return matrix.astype(np.float32), numbers.standard_normal(dimension).astype(np.float32)


def sketched(matrix: npt.NDArray[np.float32], block: int = 7) -> Sketch:
    blocks = (matrix[start : start + block] for start in range(0, len(matrix), block))
    found = sketch_of(len(matrix), matrix.shape[1], blocks)
    assert found is not None
    return found


@given(
    st.integers(1, 60),
    st.integers(1, 40),
    st.integers(0, 10_000),
    st.sampled_from(["plain", "alike", "spiky", "zeros"]),
    st.integers(1, 70),
    st.booleans(),
)
@settings(max_examples=150, deadline=None)
def test_no_row_among_the_nearest_is_left_out(
    rows: int, dimension: int, seed: int, kind: str, limit: int, some: bool
) -> None:
    matrix, query = made(rows, dimension, seed, kind)
    live = np.random.default_rng(seed).random(rows) < 0.6 if some else np.ones(rows, dtype=np.bool_)
    found = sketched(matrix).near(query, limit, ROUNDING, live if some else None)
    scores = np.where(live, matrix.astype(np.float64) @ query, -np.inf)
    last = np.sort(scores[live])[::-1][limit - 1] if limit <= live.sum() else -np.inf
    wanted = np.flatnonzero(live & (scores >= last - ROUNDING))
    assert set(wanted.tolist()) <= set(found.tolist())
    assert live[found].all()
    assert found.tolist() == sorted(found.tolist())


def test_few_others_come_along() -> None:
    matrix, query = made(5_000, 128, 1, "plain")
    matrix /= np.linalg.norm(matrix, axis=1, keepdims=True)
    query /= np.linalg.norm(query)
    assert 100 <= len(sketched(matrix, 999).near(query, 100, ROUNDING, None)) < 300


def test_a_query_that_does_not_fit_is_refused() -> None:
    matrix, _ = made(4, 8, 1, "plain")
    with pytest.raises(ValueError, match="fit"):
        sketched(matrix).near(np.zeros(7, dtype=np.float32), 1, ROUNDING, None)
    with pytest.raises(ValueError, match="fit"):
        sketched(matrix).near(np.zeros(8, dtype=np.float32), 1, ROUNDING, np.ones(3, dtype=np.bool_))


def test_a_matrix_that_is_too_large_has_none(monkeypatch: pytest.MonkeyPatch) -> None:
    matrix, _ = made(4, 8, 1, "plain")
    monkeypatch.setattr(sketch, "_MOST_BYTES", 31)
    assert sketch_of(4, 8, [matrix]) is None
