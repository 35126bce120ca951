"""Names that are like what somebody types."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cairn.search.spelling import Likeness, NameList

NAMES = ["QuerySet", "queryset", "get_query_set", "Query", "query_string", "HTTPServer", "unquoted_slice", "Größe"]


def _like(typed: str) -> list[str]:
    return [each.name for each in NameList(NAMES).like(typed, 100)]


def test_what_begins_so_comes_first_and_the_same_before_it() -> None:
    assert _like("query")[:4] == ["Query", "QuerySet", "queryset", "query_string"]
    assert _like("QuerySet")[:2] == ["QuerySet", "queryset"]
    assert _like("queryset")[:2] == ["queryset", "QuerySet"]


def test_words_are_meant_by_how_they_begin() -> None:
    found = NameList(NAMES).like("qs", 100)
    assert [each.name for each in found if each.likeness is Likeness.HUMPS] == ["QuerySet", "query_string"]
    assert _like("gqs") == ["get_query_set"]
    assert _like("httpS")[0] == "HTTPServer"
    assert "unquoted_slice" in _like("uqslc")


def test_what_only_holds_it_comes_behind() -> None:
    assert set(_like("set")[:3]) == {"QuerySet", "queryset", "get_query_set"}
    assert _like("grösse") == ["Größe"]
    assert _like("zzz") == _like("") == _like("a\nb") == []


@given(st.lists(st.text(st.characters(codec="utf-8"), min_size=1, max_size=8), max_size=20), st.text(max_size=4))
def test_every_name_that_holds_the_letters_in_order_is_found(names: list[str], typed: str) -> None:
    kept = {name for name in names if "\n" not in name}
    found = {each.name for each in NameList(names).like(typed, 1_000)}
    assert found == {name for name in kept if typed and "\n" not in typed and _holds(name.casefold(), typed.casefold())}


def _holds(name: str, letters: str) -> bool:
    rest = iter(name)
    return all(letter in rest for letter in letters)


def test_many_ways_to_read_what_is_typed_take_no_time() -> None:
    name = "x" + "_x" * 40 + "aq"
    (found,) = NameList([name]).like("x" * 20 + "q", 100)
    assert found.likeness is Likeness.IN_ORDER
    assert NameList([name]).like("x" * 10_000, 100) == []


@pytest.mark.slow
def test_where_many_are_like_it_the_shortest_are_told() -> None:
    names = NameList([f"x{'y' * size}_az{size % 10}" for size in range(1, 3_000)])
    found = names.like("xz", 10)
    assert len(found) == 2_000
    assert max(each.size for each in found) < min(map(len, {*names.names} - {each.name for each in found}))
    assert [each.name for each in NameList(["teal", "tea", "Tear", "tin"]).like("te", 1, 2)] == ["tea", "teal"]


def test_the_same_order_whatever_is_left_out() -> None:
    kinds = ("ab", "a_b", "axb", "xab", "AxB")
    names = NameList([f"{chr(ord('z') - size) * size}{kind}{size}" for size in range(9) for kind in kinds])
    found = names.like("ab", 100)
    assert found == sorted(found)
    assert {each.likeness for each in found} > {Likeness.HUMPS, Likeness.HOLDS, Likeness.IN_ORDER}
    assert [names.like("ab", 100, most) for most in (1, 7, 20)] == [found[:1], found[:7], found[:20]]
