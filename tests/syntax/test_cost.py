"""The estimate behind every budget."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cairn.kernel.tokens import token_cost


@pytest.mark.requirement("BUDGET.1")
@pytest.mark.parametrize(("text", "tokens"), [("", 0), ("a", 1), ("abcd", 1), ("abcde", 2), ("é", 1), ("日本", 2)])
def test_four_bytes_are_a_token_and_a_rest_counts(text: str, tokens: int) -> None:
    assert token_cost(text) == tokens


@pytest.mark.slow
@given(st.lists(st.text(st.characters(), max_size=20)))
def test_pieces_never_cost_less_than_the_whole(parts: list[str]) -> None:
    assert token_cost("".join(parts)) <= sum(token_cost(part) for part in parts)
