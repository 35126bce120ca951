"""Matching lines, here and in a child that can be killed."""

import os
import signal
import time

import pytest

from cairn.kernel.core import core
from cairn.search.lines import MAX_LINE_CHARS, Matcher, matching_lines
from cairn.search.pattern import Pattern, parse_literal, parse_regex

HOSTILE = b"a" * 60 + b"!\n"


def later() -> float:
    return time.monotonic() + 60


def test_a_line_is_told_with_its_first_match() -> None:
    (line,) = matching_lines(parse_literal("tt"), "é otter, otter\n".encode(), 10)
    assert (line.number, line.column, line.match, line.text) == (1, 4, "tt", "é otter, otter")
    assert (line.offset, line.cut) == (3, False)


def test_lines_end_at_newlines_with_or_without_a_carriage_return() -> None:
    text = b"one\r\ntwo\rtwo\ntwo"
    assert [(line.number, line.text) for line in matching_lines(parse_regex("two$"), text, 10)] == [
        (2, "two\rtwo"),
        (3, "two"),
    ]
    assert [line.number for line in matching_lines(parse_regex("one$"), text, 10)] == [1]
    assert matching_lines(parse_literal("one\r"), text, 10) == []


def test_what_matches_nothing_matches_every_line() -> None:
    assert [line.number for line in matching_lines(parse_regex("x*"), b"a\n\nb\n", 10)] == [1, 2, 3]
    assert [line.number for line in matching_lines(parse_regex("^$"), b"a\n\nb\n", 10)] == [2]
    assert matching_lines(parse_regex("^$"), b"", 10) == []


def test_no_more_lines_than_asked_for() -> None:
    assert [line.number for line in matching_lines(parse_literal("a"), b"a\na\na\n", 2)] == [1, 2]


def test_of_a_very_long_line_the_part_around_the_match_is_told() -> None:
    text = "x" * 100_000 + "walrus" + "y" * 100_000
    (line,) = matching_lines(parse_literal("walrus"), text.encode(), 10)
    assert (line.column, line.match, line.cut) == (100_001, "walrus", True)
    assert len(line.text) == MAX_LINE_CHARS
    assert line.text[line.offset :].startswith("walrusy")
    (line,) = matching_lines(parse_regex("x+"), text.encode(), 10)
    assert line.cut
    assert line.text.startswith(line.match)


@pytest.mark.slow
def test_an_expression_that_never_ends_is_given_up_and_the_next_files_are_looked_at() -> None:
    pattern = parse_regex("(?!b)(a+)+$")
    with Matcher(pattern) as matcher:
        found = list(matcher.lines([b"aaa\n", HOSTILE, b"b\naa\n", HOSTILE, b"\n"], 10, later()))
        assert matcher._child is not None
        last = matcher._child.pid
    assert [None if each is None else [line.number for line in each] for each in found] == [[1], None, [2], None, []]
    with pytest.raises(ProcessLookupError):
        os.kill(last, 0)


def test_a_child_that_somebody_kills_costs_one_file() -> None:
    with Matcher(parse_regex("(?!b)(a+)+b")) as matcher:
        assert list(matcher.lines([b"ab\n"], 10, later())) != [None]
        assert matcher._child is not None
        os.kill(matcher._child.pid, signal.SIGKILL)
        os.waitpid(matcher._child.pid, os.WNOHANG)
        found = list(matcher.lines([b"ab\n", b"aab\n"], 10, later()))
    assert found[0] is None
    assert found[1] is not None
    assert [line.match for line in found[1]] == ["aab"]


def test_what_is_steady_needs_no_child() -> None:
    with Matcher(parse_literal("walrus")) as matcher:
        assert [len(each or ()) for each in matcher.lines([b"walrus\n", b"otter\n"], 10, 0.0)] == [1, 0]
        assert matcher._child is None


@pytest.mark.parametrize(
    ("pattern", "text", "engine"),
    [
        (parse_literal("walrus"), b"walrus\n", "text"),
        (parse_regex(r"w\w+s"), b"walrus\n", "linear"),
        (parse_regex(r"w\w+s"), "walrus, otter \u00e9\n".encode(), "linear, python"),
        (parse_regex(r"(?<=w)alrus"), b"walrus\n", "python"),
    ],
)
def test_a_matcher_tells_which_engine_it_asked(pattern: Pattern, text: bytes, engine: str) -> None:
    with Matcher(pattern) as matcher:
        (found,) = matcher.lines([text], 10, later())
        assert found
        assert matcher.engine == (engine if core() is not None or engine == "text" else "python")
