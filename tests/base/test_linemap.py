"""Lines of an earlier text are found again in a later one, each once and in order."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cairn.base.linemap import line_marks, standing, standing_lines

ROWS = st.lists(st.integers(0, 6), max_size=30)


@pytest.mark.slow
@given(ROWS, ROWS)
def test_what_stands_is_the_same_and_in_order(then: list[int], now: list[int]) -> None:
    found = standing(then, now)
    assert all(then[one] == now[other] for one, other in found)
    for side in (0, 1):
        places = [pair[side] for pair in found]
        assert places == sorted(set(places))


@pytest.mark.slow
@given(ROWS, st.integers(0, 30), st.integers(0, 30), st.lists(st.integers(7, 9), max_size=5))
def test_around_one_change_everything_stands(then: list[int], at: int, cut: int, put: list[int]) -> None:
    """Whatever is replaced by new lines at one place: all before and behind it stands."""
    at = min(at, len(then))
    gone = then[at : at + cut]
    now = [*then[:at], *put, *then[at + cut :]]
    assert len(standing(then, now)) == len(then) - len(gone)


@pytest.mark.slow
@given(st.lists(st.integers(), unique=True, max_size=30), st.data())
def test_of_lines_that_are_there_once_none_that_stayed_is_lost(then: list[int], data: st.DataObject) -> None:
    kept = [each for each in then if data.draw(st.booleans())]
    assert len(standing(then, kept)) == len(kept)


@given(st.lists(st.binary(max_size=3).filter(lambda line: b"\n" not in line), min_size=1, max_size=9))
def test_a_text_stands_in_itself(lines: list[bytes]) -> None:
    text = b"\n".join(lines)
    assert standing_lines(line_marks(text), text) == {line: line for line in range(1, len(lines) + 1)}
    assert standing_lines(line_marks(text), b"new\n" + text) == {line: line + 1 for line in range(1, len(lines) + 1)}


def test_lines_that_changed_places_stand_where_most_of_them_are_in_order() -> None:
    then, now = b"a\nb\nc\nd", b"d\na\nb\nc"
    assert standing_lines(line_marks(then), now) == {1: 2, 2: 3, 3: 4}
    assert standing_lines(line_marks(b""), b"") == {1: 1}


def test_a_line_that_is_there_more_than_once_is_taken_for_another() -> None:
    # Of both sides: neither the first nor the last of them is known to be the one that stands.
    assert standing([1, 7, 2, 7, 3], [4, 7, 5]) == []
    assert standing([4, 7, 5], [1, 7, 2, 7, 3]) == []
    assert standing([1, 7, 2], [4, 7, 5]) == [(1, 1)]
