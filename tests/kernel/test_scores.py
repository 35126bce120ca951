"""What rows have of a query: the native core gives the same numbers, to the last bit."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cairn.kernel.core import core
from cairn.kernel.postings import RARE
from cairn.kernel.scores import (
    TermPlaces,
    chosen_products,
    numbers_in,
    row_products,
    row_products_by_reference,
    term_counts,
    term_counts_by_reference,
)

pytestmark = pytest.mark.skipif(core() is None, reason="the native core is not installed")


@pytest.mark.parametrize("dimension", [1, 5, 8, 13, 100, 127, 128, 129, 256, 300, 384, 768, 1024])
@pytest.mark.parametrize("rows", [1, 2, 63, 64, 65, 700])
def test_products_are_the_same(dimension: int, rows: int) -> None:
    made = np.random.default_rng(dimension * rows)
    # Numbers of very different sizes: the last bits tell the order of addition.
    matrix = (made.standard_normal((rows, dimension)) ** 7).astype(np.float32)
    query = (made.standard_normal(dimension) ** 7).astype(np.float32)
    assert row_products(matrix, query).tobytes() == row_products_by_reference(matrix, query).tobytes()


def test_products_of_halves_are_those_of_the_numbers_that_they_stand_for() -> None:
    made = np.random.default_rng(5)
    rows = made.integers(0, 1 << 16, (400, 128), dtype=np.uint16).view(np.float16)
    rows = np.where(np.isfinite(rows), rows, np.float16(0.5))
    numbers = made.integers(0, 400, 900)
    query = (made.standard_normal(128) ** 7).astype(np.float32)
    expected = row_products_by_reference(rows[numbers].astype(np.float32), query)
    assert chosen_products(rows, numbers, query).tobytes() == expected.tobytes()
    with pytest.raises(ValueError, match="no such row"):
        chosen_products(rows, np.array([400]), query)
    assert chosen_products(rows, np.zeros(0, dtype=np.int64), query).tolist() == []


def test_products_of_no_rows_are_none() -> None:
    assert row_products(np.zeros((0, 8), dtype=np.float32), np.zeros(8, dtype=np.float32)).tolist() == []


@pytest.mark.slow
@given(st.data(), st.sampled_from([0, 7, 65_536]))
@settings(max_examples=80, deadline=None)
def test_counts_are_the_same(data: st.DataObject, start: int) -> None:
    held = data.draw(st.dictionaries(st.integers(0, 9), st.sets(st.integers(0, 40), min_size=1), max_size=6))
    hashes = sorted(held)
    rows = [row for each in hashes for row in sorted(held[each])]
    codes = np.array([RARE if row % 5 == 0 else row % 5 for row in rows], dtype=np.uint8)
    rare = np.flatnonzero(codes == RARE).astype(np.uint32)
    places = TermPlaces(
        start,
        np.array(hashes, dtype=np.uint64),
        np.cumsum([0, *(len(held[each]) for each in hashes)]).astype(np.uint32),
        rare,
        np.array(rows, dtype=np.uint16),
        codes,
        (np.arange(2 * (RARE + len(rare))) % 251).astype(np.uint8),
    )
    near = st.integers(0, start + 45) | st.integers(start, start + 45)
    spans = data.draw(st.lists(st.tuples(near, st.integers(0, 9)), max_size=6))
    wanted = np.array(data.draw(st.lists(st.integers(0, 10), max_size=5)), dtype=np.uint64)
    found = term_counts(places, spans, wanted)
    expected = term_counts_by_reference(places, numbers_in(spans), wanted)
    for one, other in zip(found, expected, strict=True):
        assert one.shape == other.shape
        assert one.tobytes() == other.tobytes()
