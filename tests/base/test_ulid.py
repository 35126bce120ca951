"""Ids that sort by time and never go back."""

import time

from hypothesis import given
from hypothesis import strategies as st

from cairn.base.ulid import _decode, _encode, is_ulid, new_ulid

values = st.integers(min_value=0, max_value=(1 << 128) - 2)


def test_ids_are_ulids_of_now() -> None:
    before = time.time_ns() // 1_000_000
    found = new_ulid()
    assert is_ulid(found)
    assert len(found) == 26
    assert before <= _decode(found) >> 80 <= time.time_ns() // 1_000_000


def test_ids_differ() -> None:
    assert len({new_ulid() for _ in range(1000)}) == 1000


def test_a_chain_of_ids_only_grows() -> None:
    chain = [new_ulid()]
    for _ in range(500):
        chain.append(new_ulid(after=chain[-1]))
    assert chain == sorted(set(chain))


@given(values)
def test_an_id_is_greater_than_the_one_before_even_when_the_clock_went_back(value: int) -> None:
    before = _encode(value)
    assert is_ulid(before)
    after = new_ulid(after=before)
    assert after > before
    assert is_ulid(after)


@given(values, values)
def test_the_text_sorts_like_the_number(left: int, right: int) -> None:
    assert _decode(_encode(left)) == left
    assert (_encode(left) < _encode(right)) == (left < right)


@given(st.text(max_size=30))
def test_other_text_is_no_id(text: str) -> None:
    alphabet = set("0123456789ABCDEFGHJKMNPQRSTVWXYZ")
    assert is_ulid(text) == (len(text) == 26 and set(text) <= alphabet and text[0] in "01234567")


def test_near_ids_are_told_from_others() -> None:
    good = new_ulid()
    for bad in (good.lower() if good.lower() != good else "x", good + "\n", good[:-1], "8" + good[1:], good[:-1] + "U"):
        assert not is_ulid(bad)
