"""Patterns: what a line must match, what its file must hold, and what can't be meant."""

import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from cairn.base.errors import UsageError
from cairn.kernel.grams import buckets_in
from cairn.search.lines import matching_lines
from cairn.search.pattern import MAX_PATTERN_CHARS, Pattern, parse_literal, parse_regex
from cairn.store import Clause

LETTERS = "abkKsS.ſİé \r"
ATOMS = st.one_of(
    st.text("abkKsSſé", min_size=1, max_size=5).map(re.escape),
    st.sampled_from([".", "[ab]", "[^k]", r"\w", r"\s", "^", "$", r"\b", "(?i:ks)", "(?=ab)", "(?!a)", "k{2}", ""]),
)
REGEXES = st.recursive(
    ATOMS,
    lambda inner: st.one_of(
        st.lists(inner, min_size=2, max_size=3).map("".join),
        st.lists(inner, min_size=2, max_size=3).map(lambda parts: "(?:" + "|".join(parts) + ")"),
        inner.map(lambda part: f"({part})"),
        st.tuples(inner, st.sampled_from(["?", "*", "+", "{1,2}", "+?"])).map(lambda pair: f"(?:{pair[0]}){pair[1]}"),
    ),
    max_leaves=6,
)
DOCUMENTS = st.lists(st.text(LETTERS, max_size=14), max_size=8).map("\n".join)


def plain(expression: "re.Pattern[str]", text: str) -> list[int]:
    """What a scan without any index gives."""
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()
    return [n for n, line in enumerate(lines, 1) if expression.search(line.removesuffix("\r"))]


def holds(clauses: tuple[Clause, ...], text: str) -> bool:
    there = set(buckets_in(text.encode()))
    return all(any(there.issuperset(buckets) for buckets in clause) for clause in clauses)


def assert_agrees(pattern: Pattern, text: str) -> None:
    found = [line.number for line in matching_lines(pattern, text.encode(), 1_000)]
    assert found == plain(pattern.expression, text)
    if found:
        assert holds(pattern.clauses, text)


@pytest.mark.slow
@pytest.mark.requirement("SRCH.1")
@given(st.text("abkKsSſİé. ", min_size=1, max_size=8), DOCUMENTS, st.booleans())
@settings(max_examples=300)
def test_a_text_is_found_where_a_plain_scan_finds_it(text: str, document: str, ignore_case: bool) -> None:
    assert_agrees(parse_literal(text, ignore_case=ignore_case), document + text.upper() + "\n" + text)


@pytest.mark.slow
@pytest.mark.requirement("SRCH.1")
@given(REGEXES.filter(bool), DOCUMENTS, st.booleans())
@example(".", "\r", False)
@example("^$", "a\r\r\n\r\n\r", True)
@settings(max_examples=400)
def test_an_expression_is_found_where_a_plain_scan_finds_it(regex: str, document: str, ignore_case: bool) -> None:
    assert_agrees(parse_regex(regex, ignore_case=ignore_case), document)


@pytest.mark.parametrize(
    ("regex", "needed"),
    [
        ("walrus", [["walrus"]]),
        (r"def \w+_lease\(", [["def "], ["_lease("]]),
        (r"(walrus|otter)s", [["walrus", "otter"]]),
        (r"(wal)rus\b", [["walrus"]]),
        (r"(?:seal)+fish", [["seal"], ["fish"]]),
        (r"(?:seal)*fish", [["fish"]]),
        (r"(?:seal|)fish", [["fish"]]),
        (r"(?:walrus|.)", []),
        (r"(?>walrus)", [["walrus"]]),
        (r"(?=walrus)", []),
        (r"(?i:walrus)otter", [["otter"]]),
        (r"\w+", []),
        ("ab", []),
    ],
)
def test_what_a_file_must_hold_for_an_expression(regex: str, needed: list[list[str]]) -> None:
    clauses = tuple(tuple(buckets_in(text.encode()) for text in alternatives) for alternatives in needed)
    assert parse_regex(regex).clauses == clauses


def test_without_case_only_ascii_is_held_against_the_index() -> None:
    assert parse_literal("straße", ignore_case=True).clauses == ((buckets_in(b"stra"),),)
    assert parse_literal("Straße").clauses == ((buckets_in("straße".encode()),),)
    assert parse_regex("(?i)WALRUS").needle == b"walrus"


def test_many_branches_ask_for_nothing_rather_than_for_too_much() -> None:
    words = [f"walrus{number:03}" for number in range(200)]
    pattern = parse_regex("(?:x" + "|y".join(words) + ")")
    assert pattern.clauses == ()
    assert_agrees(pattern, "ywalrus123\n")


@pytest.mark.parametrize("regex", ["(a+)+$", "a?a", "(ab|c)(ab|c)(ab|c)(ab|c)", r"(a)\1", "x*", "a{2}"])
def test_what_may_backtrack_is_not_steady(regex: str) -> None:
    assert not parse_regex(regex).steady


@pytest.mark.parametrize("regex", ["walrus", "a.b", "[ab]c", "(walrus|otter)", r"\bwalrus\b"])
def test_what_can_not_backtrack_is_steady(regex: str) -> None:
    assert parse_regex(regex).steady


@pytest.mark.parametrize(
    ("regex", "said"),
    [
        ("(a", "position 0"),
        ("a)", "position 1"),
        ("[", "position 0"),
        ("*", "nothing to repeat at position 0"),
        ("(?P<a>x)(?P<a>y)", "position"),
        ("(?L)a", "'L' flag"),
        ("a(?i)b", "position 1"),
        ("(?z)", "unknown extension"),
        ("a{99999999999999}", "too large"),
        ("(" * 3_000 + ")" * 3_000, "nested too deeply"),
        (r"a\nb", "line break"),
        ("a\nb", "line break"),
        ("", "nothing to look for"),
        ("a" * (MAX_PATTERN_CHARS + 1), str(MAX_PATTERN_CHARS)),
        ("\udcff", "not valid text"),
    ],
)
def test_an_expression_that_can_not_be_meant_is_refused(regex: str, said: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_regex(regex)
    assert said in caught.value.message
    assert caught.value.hint


@pytest.mark.parametrize("text", ["", "a\nb", "\n", "\ud800", "a" * 100_000])
def test_a_text_that_no_line_can_hold_is_refused(text: str) -> None:
    with pytest.raises(UsageError):
        parse_literal(text)


@pytest.mark.parametrize("text", ["\0", "(a+", "\\", "[", "a" * 1_900, "lang:python", "  "])
def test_any_other_text_stands_for_itself(text: str) -> None:
    pattern = parse_literal(text)
    assert [line.match for line in matching_lines(pattern, f"x\nx{text}x\n".encode(), 10)] == [text]


def test_warnings_about_syntax_stay_inside() -> None:
    assert parse_regex("[[a]").expression.search("[")
