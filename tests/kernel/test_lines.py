"""Lines that match: the native core finds what Python's engine finds, or leaves the line to it."""

import random

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from cairn.base.errors import UsageError
from cairn.kernel.core import core
from cairn.kernel.lines import line_search
from cairn.search.lines import Matcher, lines_by, matching_lines
from cairn.search.pattern import parse_regex

pytestmark = pytest.mark.skipif(core() is None, reason="the native core is not installed")

ATOMS = (
    r"a b B k K s _ 1 \. é \u212a [ab] [^a] [a-cX] [^\w\s] [\d_] [é-ü] [^\n] [k-] . \w \W \d \D \s \S ^ $ \b "
    r"\B \A \Z a|b (?:) (?i:k) (?-i:B) (?=a) (?<!b) \1 \x1c \r \t"
).split(" ")
PATTERNS = st.recursive(
    st.sampled_from(ATOMS),
    lambda inner: st.one_of(
        st.lists(inner, min_size=1, max_size=4).map("".join),
        st.tuples(inner, st.sampled_from(["*", "+", "?", "*?", "+?", "??", "{2}", "{1,2}", "{0,3}?", "{2,}"])).map(
            lambda pair: f"(?:{pair[0]}){pair[1]}"
        ),
        st.lists(inner, min_size=2, max_size=3).map(lambda parts: f"({'|'.join(parts)})"),
    ),
    max_leaves=7,
)
TEXTS = st.text(st.sampled_from("aabBkKs_1. -\t\r\n\n\x1c\x85éÉıſ\u212a"), max_size=24).map(str.encode)


@pytest.mark.slow
@given(PATTERNS, st.lists(TEXTS, min_size=1, max_size=4), st.booleans(), st.integers(1, 5))
@settings(max_examples=600, deadline=None)
def test_both_engines_find_the_same_places(expression: str, texts: list[bytes], ignore_case: bool, most: int) -> None:
    try:
        pattern = parse_regex(expression, ignore_case=ignore_case)
    except UsageError:
        assume(False)
    search = line_search(pattern.linear, b"" if pattern.ignore_case else pattern.needle)
    assume(search is not None)
    assert search is not None
    for text in texts:
        found = lines_by(search, pattern, text, most)
        if found is None:
            assert not pattern.steady
            assert not text.isascii()
        else:
            assert found == matching_lines(pattern, text, most)


@pytest.mark.parametrize(
    "expression", [r"(a)\1", "(?=a)b", "(?<!a)b", r"a\B", "(?:a*)*", "(?>a)b", "a*+b", "(a)?(?(1)b|c)"]
)
def test_what_only_python_can_decide_is_left_to_it(expression: str) -> None:
    assert parse_regex(expression).linear == ""


@pytest.mark.parametrize("expression", [r"(?i)\u212a", "(?i)[à-ü]", "(?i)ſ+"])
def test_cases_beyond_ascii_are_left_to_python(expression: str) -> None:
    assert parse_regex(expression).linear == ""


def test_lines_that_are_left_to_python_use_up_no_limit() -> None:
    pattern = parse_regex("a.b")
    search = line_search(pattern.linear, b"")
    assert search is not None
    text = "é\né\néé\na-b\nx\na+b\na*b\n".encode()
    assert lines_by(search, pattern, text, 2) == matching_lines(pattern, text, 2)
    assert len(matching_lines(pattern, text, 2)) == 2


def test_an_expression_that_would_take_too_much_is_left_to_python() -> None:
    pattern = parse_regex("(?:(?:[ab]{1,1000}c){1,1000}d){1,1000}")
    assert pattern.linear
    assert line_search(pattern.linear, b"") is None


def test_what_backtracks_without_end_in_python_needs_no_child() -> None:
    pattern = parse_regex("(a+)+$")
    assert not pattern.steady
    with Matcher(pattern) as matcher:
        found = list(matcher.lines([b"a" * 60 + b"!\n", b"b\naa\n"], 10, 0.0))
        assert matcher._child is None
    assert [[line.number for line in each or ()] for each in found] == [[], [2]]


def test_categories_mean_the_same_of_every_character_of_ascii() -> None:
    text = "".join(map(chr, range(128))).replace("\n", "").replace("\r", "")
    lines = [*text, *(f"x{sign}y" for sign in text)]
    random.Random(1).shuffle(lines)
    data = "\n".join(lines).encode()
    for expression in (r"\w", r"\W+", r"\d", r"\D", r"\s", r"\S", ".", r"\b.\b", r"[^\W_]", "(?i)[b-y]", r"(?a)\w"):
        pattern = parse_regex(expression)
        search = line_search(pattern.linear, b"")
        assert search is not None
        assert lines_by(search, pattern, data, len(lines)) == matching_lines(pattern, data, len(lines))
