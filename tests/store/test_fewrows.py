"""A segment of few rows is asked without Tantivy, and says what Tantivy would."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cairn.base.terms import term_hashes
from cairn.store import Store, _segment
from cairn.store._fewrows import FewRows
from cairn.store._lexical import LexicalReader, LexicalWriter, Postings
from cairn.store._terms import Terms, TermsReader, TermsWriter
from tests.store.samples import answers, make_store, publish, temporary_home

WORDS = "walrus otter seal whale common a b".split()
words = st.lists(st.sampled_from(WORDS), max_size=5, unique=True)
Row = tuple[list[str], list[str]]
rows = st.lists(st.tuples(words, words), min_size=1, max_size=12)
weights = st.dictionaries(
    st.tuples(st.sampled_from(("body", "path")), st.sampled_from((*WORDS, "none"))),
    st.floats(-1, 9, width=32),
    max_size=6,
)


def terms_of(body: list[str], path: list[str]) -> Terms:
    counts = bytes([1] * len(body))
    return Terms(" ".join(body), " ".join(path), term_hashes(body), counts, bytes(len(body)), len(body))


@pytest.mark.slow
@pytest.mark.requirement("SRCH.2")
@settings(max_examples=25)
@given(rows, weights, st.sets(st.integers(0, 11)))
def test_both_say_the_same(
    held: list[tuple[list[str], list[str]]], wanted: dict[tuple[str, str], float], dead: set[int]
) -> None:
    with temporary_home() as home:
        tantivy, terms = LexicalWriter(str(home)), TermsWriter(str(home))
        for number, (body, path) in enumerate(held):
            tantivy.add(f"{number}.py", terms_of(body, path))
            terms.add(number, terms_of(body, path))
        tantivy.close()
        terms.close(alone=True)
        live = np.array([number not in dead for number in range(len(held))])
        theirs = LexicalReader(Postings(str(home)), [f"{number}.py" for number in sorted(dead)], live)
        ours = FewRows(TermsReader(str(home), len(held)), len(held), live)
        for field in ("body", "path"):
            for token in (*WORDS, "none"):
                assert ours.document_frequency(field, token) == theirs.document_frequency(field, token)
        mine, other = (each.numbers(wanted, 12, 100) for each in (ours, theirs))
        said = dict(zip(mine.numbers.tolist(), mine.scores.tolist(), strict=True))
        assert said == pytest.approx(dict(zip(other.numbers.tolist(), other.scores.tolist(), strict=True)), abs=2e-3)
        assert mine.scores.tolist() == sorted(mine.scores.tolist(), reverse=True)
        assert mine.all_seen


def test_rows_that_score_alike_come_in_order_of_their_numbers(tmp_path: Path) -> None:
    terms = TermsWriter(str(tmp_path))
    for number in range(200):
        terms.add(number, terms_of(["walrus", *(["otter"] if number % 7 == 0 else [])], []))
    terms.close(alone=True)
    found = FewRows(TermsReader(str(tmp_path), 200), 200, None).numbers(
        {("body", "walrus"): 1.0, ("body", "otter"): 1.0}, 200, 200
    )
    assert found.numbers.tolist() == sorted(range(200), key=lambda number: (number % 7 != 0, number))


def test_only_a_segment_of_more_rows_has_an_index_of_tantivy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_segment, "MOST_ROWS", 2)
    store: Store = make_store(tmp_path)
    found = []
    for number in (1, 2, 3):
        publish(store, {f"{each}.py": f"walrus {each}\n" for each in range(number)})
        with store.view() as view:
            ref = view.manifest.segments[-1]
            has = Path(store.layout.segment(ref.segment_id), "lexical").is_dir()
            found.append((ref.rows, has))
            assert answers(view, "walrus")
    assert [has for _, has in found] == [rows > 2 for rows, _ in found]
    assert {has for _, has in found} == {True, False}
