"""`terms.bin`: what is written is what is read, and damage is told."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cairn.base.errors import CorruptStoreError
from cairn.base.terms import term_hash
from cairn.store import _terms
from cairn.store._terms import TERMS_FILE, Terms, TermsReader, TermsWriter
from tests.store.samples import temporary_home

WORDS = ["lease", "guard", "store", "view", "index", "epoch"]
Row = tuple[dict[str, tuple[int, int]], int]
"""Counts in text and symbols by word, and the row's length."""

ROWS = st.tuples(
    st.dictionaries(st.sampled_from(WORDS), st.tuples(st.integers(0, 255), st.integers(0, 255)), max_size=6),
    st.integers(0, 2**32 - 1),
)


def hashed(word: str) -> int:
    return int.from_bytes(term_hash(word), "little")


def terms(counts: dict[str, tuple[int, int]], length: int = 0) -> Terms:
    return Terms(
        body=" ".join(counts),
        path="",
        hashes=b"".join(map(term_hash, counts)),
        text_counts=bytes(text for text, _ in counts.values()),
        symbol_counts=bytes(symbols for _, symbols in counts.values()),
        length=length,
    )


def written(folder: Path, files: list[list[Row]]) -> TermsReader:
    writer = TermsWriter(str(folder))
    for number, rows in enumerate(files):
        for counts, length in rows:
            writer.add(number, terms(counts, length))
    writer.close()
    return TermsReader(str(folder), sum(map(len, files)))


def wanted(*words: str) -> "np.ndarray[tuple[int, ...], np.dtype[np.uint64]]":
    return np.array([hashed(word) for word in words], dtype=np.uint64)


@pytest.mark.slow
@given(st.lists(st.lists(ROWS, min_size=1, max_size=4), max_size=5), st.lists(st.sampled_from(WORDS), unique=True))
@settings(max_examples=80)
def test_counts_come_back_row_by_row(files: list[list[Row]], asked: list[str]) -> None:
    with temporary_home() as home:
        reader = written(home, files)
        firsts = [sum(map(len, files[:number])) for number in range(len(files))]
        chosen = list(range(len(files)))[::-2]
        found = reader.matrix([(firsts[number], len(files[number])) for number in chosen], wanted(*asked))
        rows = [row for number in chosen for row in files[number]]

        assert found.text.tolist() == [[counts.get(word, (0, 0))[0] for word in asked] for counts, _ in rows]
        assert found.symbols.tolist() == [[counts.get(word, (0, 0))[1] for word in asked] for counts, _ in rows]
        assert found.lengths.tolist() == [length for _, length in rows]
        flat = [row for part in files for row in part]
        single = list(range(len(flat)))[::-2]
        alone = reader.matrix_of(np.array(single, dtype=np.int64), wanted(*asked))
        assert alone.text.tolist() == [[flat[place][0].get(word, (0, 0))[0] for word in asked] for place in single]
        assert alone.symbols.tolist() == [[flat[place][0].get(word, (0, 0))[1] for word in asked] for place in single]
        assert alone.lengths.tolist() == [flat[place][1] for place in single]
        assert reader.files.tolist() == [number for number, rows in enumerate(files) for _ in rows]
        assert reader.total_length(None) == sum(length for rows in files for _, length in rows)


def test_only_live_rows_count_for_the_total(tmp_path: Path) -> None:
    reader = written(tmp_path, [[({}, 5), ({}, 7)], [({}, 11)]])
    assert reader.total_length(np.array([True, False, True])) == 16
    assert reader.total_length(np.array([False, False, False])) == 0


def test_rows_without_terms_between_others_keep_their_place(tmp_path: Path) -> None:
    reader = written(tmp_path, [[({}, 0), ({"lease": (3, 1)}, 3), ({}, 0), ({}, 0), ({"lease": (5, 0)}, 5), ({}, 0)]])
    found = reader.matrix([(0, 6)], wanted("lease"))
    assert found.text[:, 0].tolist() == [0, 3, 0, 0, 5, 0]
    assert found.symbols[:, 0].tolist() == [0, 1, 0, 0, 0, 0]


def test_nothing_asked_and_nothing_held_are_no_errors(tmp_path: Path) -> None:
    reader = written(tmp_path, [])
    assert reader.total_length(None) == 0
    assert reader.matrix([], wanted("lease")).text.shape == (0, 1)
    assert reader.matrix([], wanted()).text.shape == (0, 0)


def test_rows_of_several_sections_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_terms, "MOST_ROWS", 3)
    rows: list[Row] = [({"lease": (number, number % 2), "view": (1, 0)}, number) for number in range(8)]
    reader = written(tmp_path, [rows[:5], rows[5:]])
    assert reader.rows_with(term_hash("lease")).tolist() == [*range(8)]
    found = reader.matrix([(5, 3), (1, 4)], wanted("lease", "guard"))
    assert found.text.tolist() == [[number, 0] for number in (5, 6, 7, 1, 2, 3, 4)]
    assert found.symbols.tolist() == [[number % 2, 0] for number in (5, 6, 7, 1, 2, 3, 4)]
    alone = reader.matrix_of(np.array([7, 0, 3]), wanted("lease"))
    assert alone.text[:, 0].tolist() == [7, 0, 3]
    assert reader.files.tolist() == [0] * 5 + [1] * 3


def test_counts_that_hardly_ever_come_are_told_too(tmp_path: Path) -> None:
    rows: list[Row] = [({"lease": (number % 256, number // 256)}, 1) for number in range(600)]
    reader = written(tmp_path, [rows])
    found = reader.matrix([(0, 600)], wanted("lease"))
    assert found.text[:, 0].tolist() == [number % 256 for number in range(600)]
    assert found.symbols[:, 0].tolist() == [number // 256 for number in range(600)]


def test_a_segment_is_never_written_over(tmp_path: Path) -> None:
    written(tmp_path, [[({"lease": (1, 1)}, 1)]])
    with pytest.raises(FileExistsError):
        TermsWriter(str(tmp_path)).close()


def test_the_same_rows_make_the_same_bytes(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    rows: list[list[Row]] = [[({"lease": (1, 2), "view": (3, 4)}, 9)]]
    written(tmp_path / "a", rows)
    written(tmp_path / "b", rows)
    assert (tmp_path / "a" / TERMS_FILE).read_bytes() == (tmp_path / "b" / TERMS_FILE).read_bytes()


def _damaged(data: bytes) -> dict[str, bytes]:
    return {
        "empty": b"",
        "half a header": data[:10],
        "header alone": data[:64],
        "cut short": data[:-1],
        "too long": data + b"\0",
        "other magic": b"X" + data[1:],
        "other version": data[:8] + b"\x07" + data[9:],
        "other rows": data[:12] + b"\x07" + data[13:],
        "other entries": data[:72] + b"\x07" + data[73:],
        "rows beyond reason": data[:12] + b"\xff" * 8 + data[20:],
    }


@pytest.mark.requirement("ROW.1")
@pytest.mark.parametrize("damage", sorted(_damaged(b"\0" * 200)))
def test_a_damaged_file_is_corrupt(tmp_path: Path, damage: str) -> None:
    written(tmp_path, [[({"lease": (1, 2), "view": (3, 4)}, 9)]])
    path = tmp_path / TERMS_FILE
    path.write_bytes(_damaged(path.read_bytes())[damage])
    with pytest.raises(CorruptStoreError):
        TermsReader(str(tmp_path), 1)


def test_a_missing_file_and_another_number_of_rows_are_corrupt(tmp_path: Path) -> None:
    with pytest.raises(CorruptStoreError):
        TermsReader(str(tmp_path), 1)
    written(tmp_path, [[({}, 1)]])
    with pytest.raises(CorruptStoreError):
        TermsReader(str(tmp_path), 2)
