"""How often rows have the terms of a query: the native core gives the same numbers."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cairn.kernel.core import core
from cairn.kernel.postings import RARE
from cairn.kernel.scores import (
    TermPlaces,
    numbers_in,
    term_counts,
    term_counts_by_reference,
)

pytestmark = pytest.mark.skipif(core() is None, reason="the native core is not installed")


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
