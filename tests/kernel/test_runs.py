"""Runs: nothing that is a word gets lost or torn between them."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cairn.kernel.runs import Remembered, runs

# As a run is meant, by way of a regular expression over characters instead of a table over bytes.
_RUN = re.compile(r"(?:[A-Za-z0-9_]|(?![\x00-\x7f])\S)+")


@pytest.mark.slow
@given(st.text(max_size=200) | st.text(st.characters(max_codepoint=0x3FF), max_size=200))
@settings(max_examples=500)
def test_runs_end_at_white_space_and_ascii_signs_and_nowhere_else(text: str) -> None:
    assert list(runs(text)) == [part for run in _RUN.findall(text) for part in run.split()]


def test_half_a_character_is_no_error() -> None:
    assert runs("a\udc80b c\ud83d") == ("a\udc80b", "c\ud83d")


def test_a_run_is_made_once_and_a_full_memory_starts_anew() -> None:
    made: list[str] = []

    def make(run: str) -> str:
        made.append(run)
        return run.upper()

    remembered = Remembered(make, most=2)
    assert [remembered[run] for run in ("a", "a", "b", "c", "c", "a")] == ["A", "A", "B", "C", "C", "A"]
    assert made == ["a", "b", "c", "a"]
    assert len(remembered) <= 2


def test_a_long_run_is_not_remembered() -> None:
    remembered = Remembered(len)
    assert remembered["x" * 10_000] == 10_000
    assert len(remembered) == 0
