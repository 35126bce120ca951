"""Flows by their places are those that going through all of them would give."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cairn.graph.flows import FileFlows
from cairn.store import FlowRow

_LINES = st.integers(1, 12)
_PLACES = st.tuples(_LINES, st.integers(0, 3))


@st.composite
def _flows(draw: st.DrawFn) -> list[FlowRow]:
    places = sorted(draw(st.lists(_PLACES, max_size=8)))
    ends = [draw(st.sampled_from((0, line, line + 3))) for line, _ in places]
    return [FlowRow("x", *place, "A()", end, "f") for place, end in zip(places, ends, strict=True)]


@pytest.mark.slow
@given(_flows(), _PLACES)
def test_the_last_before_a_place_and_the_last_test_around_it(rows: list[FlowRow], place: tuple[int, int]) -> None:
    flows = FileFlows(rows)
    before = [number for number, row in enumerate(rows) if not row.end_line and (row.line, row.column) < place]
    around = [number for number, row in enumerate(rows) if (row.line, row.column) <= place and place[0] <= row.end_line]
    assert flows.before("x", place) == (before or [-1])[-1]
    assert flows.narrowing("x", place) == (around or [-1])[-1]
    assert flows.narrows("x", place[0]) == any(row.line <= place[0] <= row.end_line for row in rows)


@pytest.mark.slow
@given(_flows(), st.sets(_PLACES))
def test_those_at_some_places(rows: list[FlowRow], places: set[tuple[int, int]]) -> None:
    wanted = [(number, row) for number, row in enumerate(rows) if not row.end_line and (row.line, row.column) in places]
    assert FileFlows(rows).at("x", places) == wanted
