"""Which row of a file is shown for a query."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from cairn.search import parse_query
from cairn.search.choice import best_row, looked_at
from cairn.store import RowHead, SymbolRow


def head(line: int, symbols: str = "", kind: str = "text") -> RowHead:
    return RowHead(line, line + 9, kind, symbols)


def symbol(name: str, line: int) -> SymbolRow:
    return SymbolRow("syntax", name, name, "function", "", line, line + 5, line, "", True, "")


def chosen(query: str, heads: list[RowHead], scores: list[float], symbols: tuple[SymbolRow, ...] = ()) -> int:
    parsed = parse_query(query)
    return best_row(dict(enumerate(heads)), np.array(scores), symbols, parsed, [1.0] * len(parsed.terms))


@given(
    st.lists(st.sampled_from([0.0, 0.25, 0.5, 1.0]), min_size=1, max_size=30),
    st.integers(min_value=-1, max_value=29),
)
def test_the_rows_looked_at_hold_the_one_that_all_rows_would_give(scores: list[float], anchor: int) -> None:
    heads = [
        head(10 * place, "open_store" if place % 4 == 3 else "", "anchor" if place == anchor else "text")
        for place in range(len(scores))
    ]
    query = parse_query("open the store")
    weights = [1.0] * len(query.terms)
    some = {ordinal: heads[ordinal] for ordinal in looked_at(np.array(scores), [])}
    assert best_row(some, np.array(scores), [], query, weights) == chosen("open the store", heads, scores)


def test_every_row_is_looked_at_where_a_definition_may_be_in_any() -> None:
    assert looked_at(np.zeros(40), [symbol("walrus", 5)]) == list(range(40))


def test_a_definition_comes_before_a_better_match() -> None:
    heads = [head(0), head(10), head(20)]
    assert chosen("walrus", heads, [1.0, 0.2, 0.9], (symbol("walrus", 12),)) == 1


def test_a_test_gives_way_to_what_it_tests_unless_tests_are_asked_for() -> None:
    heads = [head(0, "test_open"), head(10, "load")]
    assert chosen("reading a walrus", heads, [0.9, 0.6]) == 1
    assert chosen("reading a walrus", heads, [0.9, 0.4]) == 0
    assert chosen("tests for reading a walrus", heads, [0.9, 0.6]) == 0
    assert chosen("reading a walrus", [head(0, "test_open\nload"), head(10, "load")], [0.9, 0.6]) == 0


def test_an_anchor_is_shown_only_where_there_is_nothing_else() -> None:
    assert chosen("walrus", [head(0, kind="anchor"), head(10)], [1.0, 0.1]) == 1
    assert chosen("walrus", [head(0, kind="anchor")], [1.0]) == 0
