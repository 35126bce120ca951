"""Terms: what rows hold, the same however many are counted together."""

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cairn.base.terms import term_hash
from cairn.indexing.prepare import row_of
from cairn.indexing.terms import terms_of, terms_of_all
from cairn.kernel.terms import TermTable
from cairn.kernel.tokens import tokens
from cairn.store import ChunkRow, Terms
from cairn.syntax.facts import Chunk

WORDS = ("lease", "LeaseState", "lease_state", "größe", "x", "__init__", "HTTPServer2", "Q" * 90, "ſ", "١٢")
TEXT = st.lists(st.sampled_from((*WORDS, " ", "\n", ".", "_", "é-")), max_size=40).map(" ".join)


def row(text: str, symbols: tuple[str, ...] = (), path: str = "src/store/lease.py") -> ChunkRow:
    return row_of(path, 0, Chunk(text, 1, 1, 0, len(text.encode()), symbols), "0" * 64, "python")


def counted_plainly(of: ChunkRow) -> Terms:
    text, symbols = Counter(tokens(of.text)), Counter(tokens(of.symbols))
    every = list(dict.fromkeys((*text, *symbols)))
    return Terms(
        " ".join(every),
        " ".join(dict.fromkeys(tokens(of.path_key))),
        b"".join(map(term_hash, every)),
        bytes(min(text[term], 255) for term in every),
        bytes(min(symbols[term], 255) for term in every),
        text.total(),
    )


@pytest.mark.slow
@given(st.lists(st.tuples(TEXT, st.lists(st.sampled_from(WORDS), max_size=3).map(tuple)), max_size=150))
@settings(max_examples=60, deadline=None)
def test_rows_that_are_counted_together_have_the_terms_of_each_alone(parts: list[tuple[str, tuple[str, ...]]]) -> None:
    rows = [row(text, symbols, f"src/part{number}.py") for number, (text, symbols) in enumerate(parts)]
    paths, texts, symbols = ([getattr(each, part) for each in rows] for part in ("path_key", "text", "symbols"))
    assert terms_of_all(paths, texts, symbols) == [counted_plainly(each) for each in rows]


def test_a_table_that_has_forgotten_gives_the_same_terms() -> None:
    rows = [row(f"lease number{number} of Größe{number}", (f"name_{number}",)) for number in range(300)]
    found = TermTable(most=50).count([each.text for each in rows], [each.symbols for each in rows])
    assert [each.body for each in found] == [counted_plainly(each).body for each in rows]


def test_a_row_without_words_has_no_terms() -> None:
    empty = row("... \n _ ")
    assert terms_of(empty) == Terms("", "src stor leas py", b"", b"", b"", 0)
    assert terms_of_all([], [], []) == []


def test_counts_of_symbols_beyond_a_byte_are_cut() -> None:
    found = terms_of(row("walrus", ("lease",) * 300))
    assert (found.body, found.text_counts, found.symbol_counts) == ("walrus leas", b"\x01\x00", b"\x00\xff")
